//! Where the output of executions goes: two files without a name. What one cost, a program
//! writes to a file by its name.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;

use probtest::Error;
use tempfile::NamedTempFile;

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

/// How much of each stream is shown.
const SHOWN: u64 = 64 << 10;

/// The files that receive stdout and stderr, used again by each execution.
#[derive(Debug)]
pub struct Capture {
    stdout: Arc<File>,
    stderr: Arc<File>,
    cost: Option<NamedTempFile>,
}

impl Capture {
    /// Makes the files in the folder for temporary files; one for the cost where that is asked for.
    pub fn new(costs: bool) -> io::Result<Capture> {
        Ok(Capture {
            stdout: Arc::new(appending()?),
            stderr: Arc::new(appending()?),
            cost: costs.then(NamedTempFile::new).transpose()?,
        })
    }

    /// The file for the cost.
    pub fn cost_file(&self) -> Option<&Path> {
        self.cost.as_ref().map(NamedTempFile::path)
    }

    /// What the execution cost: the sum of the numbers that it has written, one in each line.
    /// None where it has written none.
    pub fn cost(&self) -> Result<Option<f64>, Error> {
        let Some(file) = self.cost_file() else {
            return Ok(None);
        };
        // By its name: a program may have put another file there.
        let bytes = std::fs::read(file).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let mut sum = None;
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let cost = line.parse().ok();
            let Some(cost) = cost.filter(|cost: &f64| cost.is_finite() && *cost >= 0.0) else {
                return Err(Error::new(
                    "the program wrote a cost that is not a number of 0 or more",
                    format!("{line:?} in PROBTEST_COST_FILE"),
                    "write one number per line, such as 0.0013",
                ));
            };
            sum = Some(sum.unwrap_or(0.0) + cost);
        }
        Ok(sum)
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
        match self.cost_file() {
            Some(file) => std::fs::write(file, ""),
            None => Ok(()),
        }
    }

    /// Returns the end of stdout.
    pub fn stdout_text(&self) -> String {
        let (_, bytes) = tail(&self.stdout).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
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
