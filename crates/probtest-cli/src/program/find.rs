//! Finding the program, once, before anything is executed.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

use probtest::Error;

/// Where programs are looked for when `PATH` is not set.
const ORDINARY_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Returns the file that `word` names, as a shell would find it.
///
/// Looked up once: execvp would try every folder of `PATH` for each execution.
///
/// # Errors
///
/// When there is no such file, or it cannot be executed.
pub fn find(word: &str) -> Result<PathBuf, Error> {
    if word.is_empty() {
        return Err(Error::new(
            "the command is an empty word",
            "''",
            "write the program behind `--`, such as -- ./simulate",
        ));
    }
    if word.contains('/') {
        let path = PathBuf::from(word);
        return match refusal(&path) {
            None => Ok(path),
            Some(refusal) => Err(refuse(word, refusal)),
        };
    }
    let folders = std::env::var_os("PATH").unwrap_or_else(|| OsString::from(ORDINARY_PATH));
    let mut nearly = None;
    for folder in std::env::split_paths(&folders) {
        let path = folder.join(word);
        match refusal(&path) {
            // An empty folder in PATH means the current one.
            None if folder.as_os_str().is_empty() => return Ok(Path::new(".").join(word)),
            None => return Ok(path),
            Some(Refusal::Missing) => {}
            Some(other) => nearly = Some(other),
        }
    }
    Err(refuse(word, nearly.unwrap_or(Refusal::Missing)))
}

/// Why a path cannot be executed.
enum Refusal {
    Missing,
    Folder,
    NotExecutable,
    Unreachable(std::io::Error),
}

fn refusal(path: &Path) -> Option<Refusal> {
    match std::fs::metadata(path) {
        Err(error) => match error.kind() {
            std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => {
                Some(Refusal::Missing)
            }
            _ => Some(Refusal::Unreachable(error)),
        },
        Ok(found) if found.is_dir() => Some(Refusal::Folder),
        Ok(_) if access(path, Access::EXEC_OK).is_err() => Some(Refusal::NotExecutable),
        Ok(_) => None,
    }
}

fn refuse(word: &str, refusal: Refusal) -> Error {
    match refusal {
        Refusal::Folder => Error::new(
            format!("`{word}` is a folder, not a program"),
            word,
            "name the program in it",
        ),
        Refusal::NotExecutable => Error::new(
            format!("`{word}` is not executable"),
            word,
            format!("make it so with `chmod +x`, or name its interpreter, such as -- sh {word}"),
        ),
        Refusal::Unreachable(error) => Error::new(
            format!("`{word}` cannot be looked at: {error}"),
            word,
            "check the path and its permissions",
        ),
        Refusal::Missing => Error::new(
            format!("there is no program `{word}`"),
            word,
            missing_help(word),
        ),
    }
}

fn missing_help(word: &str) -> String {
    if word.contains(char::is_whitespace) {
        return "write each argument as a word of its own, or use -- sh -c 'COMMAND'".into();
    }
    if word.starts_with('-') {
        return "options of probtest stand before `--`, the program comes right behind it".into();
    }
    if word.contains('/') {
        return "check the path for typing errors; it is relative to the current folder".into();
    }
    if Path::new(word).is_file() {
        return format!("a program in the current folder is written ./{word}");
    }
    "check the name for typing errors; it was looked for in PATH".into()
}
