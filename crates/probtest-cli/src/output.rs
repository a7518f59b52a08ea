//! How a command answers: text on stdout and stderr, files, exit codes.

use std::fmt::Display;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use probtest::Error;
use probtest_facts::json::ToJson;
use probtest_facts::{ErrorFacts, ErrorKind, ErrorWords, Version};

use crate::report::{NAME, one_line};

/// The exit codes. The help of `probtest` and `docs/reference/exit-codes.md` say what they mean.
#[derive(Clone, Copy)]
pub enum Exit {
    Passed = 0,
    Violated = 1,
    Usage = 2,
    Unfinished = 3,
}

/// Ends a command without a verdict.
#[derive(Debug)]
pub enum Failure {
    /// The command line is wrong.
    Usage(Error),
    /// The command line was right, but the command couldn't finish.
    Unfinished(String),
}

impl Failure {
    /// A wrong command line: what is wrong, what was given, and what to do.
    pub fn given(what: impl Display, given: impl Display, help: impl Display) -> Self {
        Error::new(what.to_string(), given.to_string(), help.to_string()).into()
    }

    /// Reports the failure and returns the exit code.
    pub fn print(&self, as_json: bool) -> Exit {
        let (exit, kind, message, text, parts) = match self {
            Failure::Usage(error) => {
                let parts = Some((error.given().to_owned(), error.help().to_owned()));
                (Exit::Usage, ErrorKind::Usage, error.what(), error.to_string(), parts)
            }
            Failure::Unfinished(why) => {
                (Exit::Unfinished, ErrorKind::Unfinished, why.clone(), why.clone(), None)
            }
        };
        if as_json {
            let (given, help) = parts.unzip();
            let error = ErrorWords { kind, message, given, help };
            // If stdout is closed, stderr still says why.
            let _ = print_json(&ErrorFacts { probtest: Version, error, exit_code: exit as u8 });
        }
        // A closed stderr must not turn an error into a panic.
        let _ = writeln!(io::stderr(), "error: {text}");
        exit
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Usage(error)
    }
}

/// Says what couldn't be finished, and why.
pub fn unfinished<E: Display>(what: &str) -> impl Fn(E) -> Failure {
    move |error| Failure::Unfinished(format!("{what}: {error}"))
}

/// Writes a line to stderr. A closed stderr is no reason to stop.
pub fn say(words: impl Display) {
    let _ = writeln!(io::stderr(), "probtest: {words}");
}

/// Writes text to stdout.
///
/// A reader that has closed the pipe (`probtest ... | head -1`) has what it wanted.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(unfinished("the answer could not be written to stdout")(error))
        }
        _ => Ok(()),
    }
}

/// Writes one JSON object on one line.
pub fn print_json(facts: &dyn ToJson) -> Result<(), Failure> {
    print(&json(facts))
}

/// One JSON object on one line.
pub fn json(facts: &dyn ToJson) -> String {
    format!("{}\n", facts.to_json())
}

/// Where a report goes: to stdout, or to a file, written atomically.
pub enum Destination {
    Stdout,
    /// A file, and the option that named it.
    File(PathBuf, &'static str),
}

impl Destination {
    /// Reads the value of an option: `-` is stdout.
    pub fn new(path: &Path, option: &'static str) -> Destination {
        match path.as_os_str() == "-" {
            true => Destination::Stdout,
            false => Destination::File(path.to_owned(), option),
        }
    }

    /// Refuses to write to a file that results are read from.
    pub fn is_not_among<'a>(
        &self,
        mut sources: impl Iterator<Item = &'a PathBuf>,
    ) -> Result<(), Failure> {
        if let Destination::File(path, option) = self
            && let Ok(own) = path.canonicalize()
            && sources.any(|source| source.canonicalize().is_ok_and(|other| other == own))
        {
            return Err(Failure::given(
                format!("{option} names one of the files that hold the results"),
                shown(path),
                "write the report to another file",
            ));
        }
        Ok(())
    }

    /// Refuses to write two reports to one file, where the second would replace the first.
    pub fn is_not_that_of(&self, other: &Destination) -> Result<(), Failure> {
        let (Destination::File(own, option), Destination::File(path, earlier)) = (self, other)
        else {
            return Ok(());
        };
        // Writing to devices and pipes replaces nothing.
        let replaces = fs::metadata(own).is_ok_and(|known| known.is_file()) || !own.exists();
        if !replaces || resolved(own) != resolved(path) {
            return Ok(());
        }
        Err(Failure::given(
            "two forms of the report cannot both go to one file",
            format!("{earlier} {} and {option} {}", shown(path), shown(own)),
            "name a file for each of them",
        ))
    }

    /// Writes the text. A file is written completely or not at all.
    pub fn write(&self, text: &str) -> Result<(), Failure> {
        let Destination::File(path, option) = self else {
            return print(text);
        };
        write_file(path, text).map_err(|error| {
            Failure::given(
                format!("the report cannot be written: {error}"),
                shown(path),
                format!("name a file that you can write to, such as {option}=report"),
            )
        })
    }
}

/// Refuses to write two reports to stdout; says whether one goes there. `forms` are the options
/// that name a file; `json` says whether JSON is requested.
pub fn one_on_stdout(forms: &[(&str, &Option<PathBuf>)], json: bool) -> Result<bool, Failure> {
    let on_stdout = forms.iter().filter(|(_, path)| path.as_deref() == Some(Path::new("-")));
    let options =
        on_stdout.map(|(option, _)| if *option == "--html" { "--html -" } else { option });
    let named: Vec<&str> = options.chain(json.then_some("--json")).collect();
    if named.len() > 1 {
        return Err(Failure::given(
            "two forms of the report cannot both go to stdout",
            named.join(" "),
            "give all but one of them a file, such as --markdown=report.md",
        ));
    }
    Ok(!named.is_empty())
}

/// A path on one line.
pub fn shown(path: &Path) -> String {
    one_line(&path.display().to_string(), NAME)
}

/// The path with links resolved, as far as it exists.
fn resolved(path: &Path) -> PathBuf {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    if let Ok(known) = whole.canonicalize() {
        return known;
    }
    match (whole.parent(), whole.file_name()) {
        (Some(folder), Some(name)) => resolved(folder).join(name),
        _ => whole,
    }
}

fn write_file(path: &Path, text: &str) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    fs::create_dir_all(folder)?;
    // A pipe or a device can't be replaced; a link stays one.
    if fs::symlink_metadata(path).is_ok_and(|known| !known.is_file()) {
        return fs::write(path, text);
    }
    // The permissions of the replaced file, or of any new one: the system applies the umask.
    let permissions = fs::metadata(path)
        .map_or_else(|_| fs::Permissions::from_mode(0o666), |known| known.permissions());
    let mut file = tempfile::Builder::new()
        .prefix(".probtest-report")
        .permissions(permissions)
        .tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.persist(path).map(drop).map_err(|error| error.error)
}
