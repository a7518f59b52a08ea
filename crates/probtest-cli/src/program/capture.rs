//! Where the output of executions goes: two files without a name.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

/// How much of each stream is shown.
const SHOWN: u64 = 64 << 10;

/// The files that receive stdout and stderr, used again by each execution.
#[derive(Debug)]
pub struct Capture {
    stdout: Arc<File>,
    stderr: Arc<File>,
}

impl Capture {
    /// Makes the two files in the folder for temporary files.
    pub fn new() -> io::Result<Capture> {
        Ok(Capture {
            stdout: Arc::new(appending()?),
            stderr: Arc::new(appending()?),
        })
    }

    pub fn stdout(&self) -> &File {
        &self.stdout
    }

    pub fn stderr(&self) -> &File {
        &self.stderr
    }

    /// Both files, for somebody who looks at their size.
    pub fn files(&self) -> [Arc<File>; 2] {
        [Arc::clone(&self.stdout), Arc::clone(&self.stderr)]
    }

    pub fn clear(&self) -> io::Result<()> {
        for file in [&self.stdout, &self.stderr] {
            // Looking costs less than truncating, and most executions are silent.
            if file.metadata()?.len() > 0 {
                file.set_len(0)?;
            }
        }
        Ok(())
    }

    /// Returns the end of both streams as it is.
    pub fn bytes(&self) -> Vec<u8> {
        let ends = [&self.stdout, &self.stderr].map(|file| tail(file).unwrap_or_default().1);
        ends.concat()
    }

    /// Returns the end of both streams, if anything was written.
    pub fn text(&self) -> Option<String> {
        let mut text = String::new();
        for (name, file) in [("stdout", &self.stdout), ("stderr", &self.stderr)] {
            match tail(file) {
                Ok((_, bytes)) if bytes.is_empty() => {}
                Ok((cut, bytes)) => {
                    let cut = match cut {
                        0 => String::new(),
                        cut => format!(", without its first {cut} bytes"),
                    };
                    text.push_str(&format!("--- {name}{cut} ---\n"));
                    text.push_str(&String::from_utf8_lossy(&bytes));
                    if !text.ends_with('\n') {
                        text.push('\n');
                    }
                }
                Err(error) => text.push_str(&format!("--- {name} cannot be read: {error} ---\n")),
            }
        }
        (!text.is_empty()).then_some(text)
    }
}

/// A file whose writers always append: a program that opens `/dev/stderr` anew
/// must not make the others write over what is there.
fn appending() -> io::Result<File> {
    let file = tempfile::tempfile()?;
    fcntl_setfl(&file, fcntl_getfl(&file)? | OFlags::APPEND)?;
    Ok(file)
}

/// The last bytes of a file, and how many come before them.
fn tail(file: &File) -> io::Result<(u64, Vec<u8>)> {
    let length = file.metadata()?.len();
    let from = length.saturating_sub(SHOWN);
    let mut bytes = vec![0; usize::try_from(length - from).unwrap_or_default()];
    let mut read = 0;
    while read < bytes.len() {
        // The file may be shorter by now, if something truncates it.
        match file.read_at(&mut bytes[read..], from + read as u64)? {
            0 => break,
            n => read += n,
        }
    }
    bytes.truncate(read);
    Ok((from, bytes))
}
