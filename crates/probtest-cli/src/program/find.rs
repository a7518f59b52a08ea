//! Finding the program, once, before anything is executed.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use probtest::Error;
use rustix::fs::{Access, access};

/// Where programs are looked for when `PATH` is not set.
const ORDINARY_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Returns the file that `word` names, as a shell would find it.
///
/// Looked up once: execvp would try every folder of `PATH` for each execution.
pub fn find(word: &str) -> Result<PathBuf, Error> {
    if word.is_empty() {
        return Err(Error::new(
            "the command is empty",
            "''",
            "write the program after `--`, such as -- ./simulate",
        ));
    }
    let missing = || Error::new(format!("there is no program `{word}`"), word, missing_help(word));
    if word.contains('/') {
        let path = PathBuf::from(word);
        check(&path, word).map_err(|why| why.unwrap_or_else(missing))?;
        return Ok(path);
    }
    let folders = std::env::var_os("PATH").unwrap_or_else(|| OsString::from(ORDINARY_PATH));
    let mut nearly = None;
    for folder in std::env::split_paths(&folders) {
        let path = folder.join(word);
        match check(&path, word) {
            // An empty folder in PATH means the current one.
            Ok(()) if folder.as_os_str().is_empty() => return Ok(Path::new(".").join(word)),
            Ok(()) => return Ok(path),
            Err(why) => nearly = why.or(nearly),
        }
    }
    Err(nearly.unwrap_or_else(missing))
}

/// Says why a path cannot be executed; nothing where there is none.
fn check(path: &Path, word: &str) -> Result<(), Option<Error>> {
    let (what, help) = match std::fs::metadata(path) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Err(None);
        }
        Err(error) => (
            format!("`{word}` cannot be inspected: {error}"),
            "check the path and its permissions".to_owned(),
        ),
        Ok(found) if found.is_dir() => {
            (format!("`{word}` is a folder, not a program"), "name the program in it".to_owned())
        }
        Ok(_) if access(path, Access::EXEC_OK).is_err() => (
            format!("`{word}` is not executable"),
            format!("make it so with `chmod +x`, or name its interpreter, such as -- sh {word}"),
        ),
        Ok(_) => return Ok(()),
    };
    Err(Some(Error::new(what, word, help)))
}

fn missing_help(word: &str) -> String {
    if word.contains(char::is_whitespace) {
        return "write each argument as a separate word, or use -- sh -c 'COMMAND'".into();
    }
    if word.starts_with('-') {
        return "options of probtest go before `--`, and the program right after it".into();
    }
    if word.contains('/') {
        return "check the spelling of the path; it is relative to the current folder".into();
    }
    if Path::new(word).is_file() {
        return format!("a program in the current folder is written ./{word}");
    }
    "check the spelling of the name; it was looked up in PATH".into()
}
