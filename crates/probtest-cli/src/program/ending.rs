//! How an execution ended, in words.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use probtest::Error;

use super::running::MOST_OUTPUT;
use crate::output::Failure;

#[derive(Debug)]
pub enum Ending {
    /// By itself, with this status.
    Exited(ExitStatus),
    /// It took longer than allowed and was killed.
    TimedOut,
    /// It wrote more than allowed to this stream.
    Flooded(&'static str),
    /// It wants to read from or write to the terminal, which it does not have.
    WantsTerminal,
    /// It was killed because the answer is known, or because of a signal.
    Stopped,
    /// It did not start.
    Unstartable(io::Error),
    /// It could not be waited for, or has no place for its output.
    Lost(io::Error),
}

impl Ending {
    /// Says why the program did not start, if that is so: what is wrong with the program
    /// itself, or with this moment.
    pub fn unstartable(&self, word: &str) -> Option<Failure> {
        use rustix::io::Errno;
        let Ending::Unstartable(error) = self else {
            return None;
        };
        let what = format!("`{word}` cannot be started: {error}");
        let help = match error.raw_os_error().map(Errno::from_raw_os_error) {
            Some(Errno::NOEXEC) => format!(
                "begin the script with a line such as #!/bin/sh, or name its interpreter: -- sh {word}"
            ),
            Some(Errno::NOENT) => {
                "the interpreter in its first line (#!) or the loader it needs does not exist"
                    .into()
            }
            Some(Errno::TOOBIG) => "shorten the arguments or the environment".into(),
            Some(
                Errno::ACCESS
                | Errno::PERM
                | Errno::LOOP
                | Errno::NOTDIR
                | Errno::ISDIR
                | Errno::INVAL,
            ) => "start the program by hand to see what is wrong with it".into(),
            _ => return Some(Failure::Unfinished(what)),
        };
        Some(Error::new(what, word, help).into())
    }

    /// The exit code, if it ended by itself with one.
    pub fn code(&self) -> Option<i32> {
        match self {
            Ending::Exited(status) => status.code(),
            _ => None,
        }
    }

    /// Says what the violation was, if it was one.
    pub fn violation(&self, timeout: Option<&str>) -> Option<String> {
        match self {
            Ending::Exited(status) if !status.success() => Some(status_words(*status)),
            Ending::TimedOut => {
                let after = timeout.map_or(String::new(), |t| format!(" after {t}"));
                Some(format!("timed out{after}"))
            }
            _ => None,
        }
    }

    /// Says why the execution proves nothing, if that is so.
    pub fn broken(&self) -> Option<String> {
        match self {
            Ending::Flooded(stream) => {
                Some(format!("it wrote more than {} MiB to {stream}", MOST_OUTPUT >> 20))
            }
            Ending::WantsTerminal => {
                Some("the program tried to use the terminal, which it does not have here".into())
            }
            Ending::Stopped => Some("it was interrupted".into()),
            Ending::Unstartable(error) => {
                Some(format!("the program could not be started: {error}"))
            }
            Ending::Lost(error) => Some(format!("the program could not be watched: {error}")),
            Ending::Exited(_) | Ending::TimedOut => None,
        }
    }
}

fn status_words(status: ExitStatus) -> String {
    let Some(signal) = status.signal() else {
        return status.code().map_or(status.to_string(), |code| format!("exit code {code}"));
    };
    let Some(name) = signal_hook::low_level::signal_name(signal) else {
        return format!("killed by signal {signal}");
    };
    let meaning = match name {
        "SIGILL" => ", illegal instruction",
        "SIGABRT" => ", abort",
        "SIGBUS" => ", bus error",
        "SIGFPE" => ", arithmetic error",
        "SIGSEGV" => ", segmentation fault",
        _ => "",
    };
    format!("killed by signal {signal} ({name}{meaning})")
}
