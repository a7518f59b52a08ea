//! How cargo starts the binaries of a suite: in which folder, and with which variables.
//!
//! Cargo sets variables of the package, of the build script, of `[env]` in its configuration and
//! of the loader, and other versions set others. So it is asked: it starts the suite once with this
//! program as the runner of all binaries, which writes down how it was started.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::{Error, Write};
use std::path::PathBuf;
use std::process::{ExitCode, Stdio};

use super::words::Words;
use crate::output::Failure;

/// The word by which this program knows that it is the runner.
const RUNNER: &str = "--as-runner-of-an-audit";

/// Where a binary is started, and the variables that it has beyond those of this process.
#[derive(Clone, Debug)]
pub struct Surroundings {
    pub folder: PathBuf,
    pub variables: Vec<(OsString, OsString)>,
}

/// One line of the file: a binary, its folder, all of its variables.
type Started = (OsString, OsString, Vec<(OsString, OsString)>);

/// Asks cargo how it starts each binary. One that it starts by a runner of its own is not there.
pub fn ask(words: &Words) -> Result<BTreeMap<PathBuf, Surroundings>, Failure> {
    let broken = |error: Error| {
        Failure::Unfinished(format!("cargo cannot be asked about the tests: {error}"))
    };
    let file = tempfile::NamedTempFile::new().map_err(broken)?;
    let own = std::env::current_exe().map_err(broken)?;
    let own = [&own.to_string_lossy(), RUNNER, &file.path().to_string_lossy()];
    // A list of texts is the same in JSON and in TOML.
    let runner = format!("target.'cfg(all())'.runner={}", serde_json::json!(own));
    // Doctests are no binaries, and take long to build.
    let tests = (!words.chooses_targets()).then_some("--tests");
    let mut more = vec!["--config", &*runner];
    more.extend(tests);
    let mut command = words.command(&more);
    // A runner of the user's own is not to execute the tests.
    let asked = command.args(["--", "--list"]).stdin(Stdio::null()).output();
    let asked = asked.map_err(broken)?;
    if !asked.status.success() {
        let said = String::from_utf8_lossy(&asked.stderr).into_owned();
        return Err(Failure::Unfinished(format!(
            "cargo could not start the tests:\n{}",
            said.trim_end()
        )));
    }
    let text = std::fs::read_to_string(file.path()).map_err(broken)?;
    let started = text.lines().filter_map(|line| serde_json::from_str(line).ok());
    let own: BTreeMap<OsString, OsString> = std::env::vars_os().collect();
    Ok(started
        .map(|(binary, folder, mut variables): Started| {
            variables.retain(|(name, value)| own.get(name) != Some(value));
            let folder = folder.into();
            (binary.into(), Surroundings { folder, variables })
        })
        .collect())
}

/// Writes down how a binary is started, where cargo has started this program for that.
pub fn write_down() -> Option<ExitCode> {
    let mut words = std::env::args_os().skip(1);
    if words.next()? != RUNNER {
        return None;
    }
    let (file, binary) = (words.next()?, words.next()?);
    let started: Result<Started, Error> = std::env::current_dir()
        .map(|folder| (binary, folder.into(), std::env::vars_os().collect()));
    let written = started.and_then(|started| {
        let line = serde_json::to_string(&started)? + "\n";
        let mut file = OpenOptions::new().append(true).open(file)?;
        file.write_all(line.as_bytes())
    });
    Some(ExitCode::from(u8::from(written.is_err())))
}
