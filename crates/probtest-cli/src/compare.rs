//! `probtest compare`: execute an old and a new version on the same seeds. With `--git`, they are two
//! revisions of a repository, each checked out and built in a folder of its own.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use probtest::claim::{Claim, Terms, Worse};
use probtest::settings::Given;
use probtest::{Error, Probability};

use crate::flags::{COMPARE, Flags, words};
use crate::output::{Exit, Failure, say, unfinished};
use crate::processes::Tested;
use crate::program::{
    Background, Capture, Ending, ExecutionSeed, Program, Reports, Running, Watchdog,
};
use crate::run::{self, ProgramFlags};

/// The word between the two programs.
const BETWEEN: &str = "---";
const NAMES: [&str; 2] = ["old", "new"];
/// How the folders of all processes begin.
const FOLDER: &str = "probtest-compare-";

/// Runs an old and a new version on the same seeds until it is clear whether the new one violates
/// more often, by --p-change or more. An exit code other than 0, a signal or a time-out is a
/// violation. Exits with 1 if the new version is worse, and with 3 if that is not clear
#[derive(clap::Args)]
#[command(
    after_help = "Both versions get the same seed, as under `probtest run`, so they only differ because of your
change. If the results do not depend on the seed, the versions are compared as independent samples,
which takes more pairs; the report says so.

With --git, both versions are the same command in two revisions of this repository. Each revision
is checked out and built separately, and removed afterwards.

With --change, the means of numbers are compared: each version writes its number as the last line
of stdout.

Examples:
  probtest compare --p-change 0.01 -- ./old {seed} --- ./new {seed}
  probtest compare --p-change 0.01 --git main..HEAD -- cargo test walk_stays_below_ten
  probtest compare --change 0.5 --between 0,10 --worse lower -- ./old {seed} --- ./new {seed}"
)]
pub struct CompareOptions {
    /// The increase in the violation rate to catch: a
    /// decimal or a fraction, strictly between 0 and 1
    #[arg(long, value_name = "P", allow_negative_numbers = true, conflicts_with_all = ["change", "between", "worse"])]
    p_change: Option<String>,

    /// The change of the mean to catch
    #[arg(long, value_name = "D", allow_negative_numbers = true, requires_all = ["between", "worse"])]
    change: Option<f64>,

    /// The smallest and the largest number that a version can write
    #[arg(long, value_name = "LOW,HIGH", allow_hyphen_values = true, requires = "change")]
    between: Option<String>,

    /// Which numbers are worse
    #[arg(long, value_name = "WHICH", value_parser = ["higher", "lower"], requires = "change")]
    worse: Option<String>,

    #[command(flatten)]
    git: GitFlags,

    #[command(flatten)]
    flags: Flags<COMPARE>,

    #[command(flatten)]
    pub program: ProgramFlags,
}

pub fn run(options: &CompareOptions) -> Result<Exit, Failure> {
    let given = options.flags.given();
    let claim = options.claim(&given)?;
    // Removes what was checked out when this function ends.
    let versions = options.git.check_out(&options.program.command, options.program.quiet)?;
    let tested = tested(versions.as_ref(), &options.program.command, claim.compares_numbers())?;
    let claimed = options.claim_words(&claim);
    run::execute("probtest compare", &options.program, &given, &claim, claimed, tested)
}

/// Finds both versions.
pub fn tested(
    versions: Option<&Versions>,
    command: &[String],
    numbers: bool,
) -> Result<Tested, Failure> {
    let programs = match versions {
        Some(versions) => versions.programs(command)?,
        None => {
            let (old, new) = split(command)?;
            vec![Program::find(None, old)?, Program::find(None, new)?]
        }
    };
    Ok(Tested {
        programs,
        id: command.join("\0"),
        numbers,
        code: versions.map(Versions::code),
        replay: versions.map(Versions::words).unwrap_or_default(),
    })
}

/// Whether a command is two programs.
pub fn is_pair(command: &[String]) -> bool {
    command.iter().any(|word| word == BETWEEN)
}

fn split(command: &[String]) -> Result<(&[String], &[String]), Error> {
    let parts: Vec<&[String]> = command.split(|word| word == BETWEEN).collect();
    let (what, help) = match parts.as_slice() {
        [old, new] if !old.is_empty() && !new.is_empty() => return Ok((old, new)),
        [_] => (
            "there is one program, but a comparison needs two",
            "write the new version after `---`: -- ./old {seed} --- ./new {seed}; or give --git OLD..NEW for two revisions",
        ),
        [_, _] => (
            "there is a version on only one side of `---`",
            "write both: -- ./old {seed} --- ./new {seed}",
        ),
        _ => (
            "`---` separates two versions, but there are more",
            "compare two at a time; if the program itself takes `---`, wrap it in a script",
        ),
    };
    Err(Error::new(what, command.join(" "), help))
}

impl CompareOptions {
    fn claim(&self, given: &Given) -> Result<Claim, Error> {
        if let Some(text) = &self.p_change {
            let p_change = Probability::parse(text).map_err(|error| error.about("--p-change"))?;
            return with_chances(probtest::compare(p_change), given);
        }
        let (Some(change), Some(between), Some(worse)) = (self.change, &self.between, &self.worse)
        else {
            return Err(Error::new(
                "the comparison does not say which change to catch",
                "neither --p-change nor --change",
                "give --p-change, such as 0.01; or --change, --between and --worse for the mean of a number",
            ));
        };
        let ends = between.split_once(',').map(<[&str; 2]>::from);
        let Some([Ok(low), Ok(high)]) = ends.map(|ends| ends.map(|end| end.trim().parse::<f64>()))
        else {
            return Err(Error::new(
                "--between is not two numbers",
                between,
                "write the smallest and the largest number, such as 0,10",
            ));
        };
        let worse = if worse == "higher" { Worse::Higher } else { Worse::Lower };
        let terms = probtest::compare_means().between(low, high);
        with_chances(terms.change(change).worse(worse), given)
    }

    /// The options that make this claim again.
    fn claim_words(&self, claim: &Claim) -> Vec<String> {
        words([
            ("--p-change", self.p_change.clone()),
            ("--change", self.change.map(|change| change.to_string())),
            ("--between", self.between.clone()),
            ("--worse", self.worse.clone()),
            ("--epsilon", claim.epsilon().map(ToString::to_string)),
            ("--false-alarm", claim.false_alarm().map(ToString::to_string)),
        ])
    }
}

fn with_chances<R>(mut terms: Terms<R>, given: &Given) -> Result<Claim, Error> {
    if let Some(epsilon) = given.probability("epsilon")? {
        terms = terms.epsilon(epsilon);
    }
    if let Some(false_alarm) = given.probability("false_alarm")? {
        terms = terms.false_alarm(false_alarm);
    }
    terms.claim()
}

/// Which revisions, and how they are built.
#[derive(clap::Args)]
pub struct GitFlags {
    /// Compare two revisions of this repository: the command runs in both
    #[arg(long, value_name = "OLD..NEW")]
    git: Option<String>,

    /// The shell command that builds a revision, run once in each; `cargo test`,
    /// `cargo run` and `cargo nextest run` need none
    #[arg(long, value_name = "COMMAND", requires = "git")]
    build: Option<String>,
}

/// Both revisions, on the disk until this is dropped.
pub struct Versions {
    commits: [String; 2],
    /// The folder that holds both, and what is below it for the folder that we are in.
    folder: PathBuf,
    prefix: PathBuf,
    build: Option<String>,
}

impl GitFlags {
    /// Checks both revisions out and builds them, where revisions are to be compared.
    pub fn check_out(&self, command: &[String], quiet: bool) -> Result<Option<Versions>, Failure> {
        let Some(range) = &self.git else {
            return Ok(None);
        };
        if is_pair(command) {
            return Err(Failure::given(
                "--git compares one command in two revisions, but there are two commands",
                command.join(" "),
                "leave out `---` and the second command, or leave out --git",
            ));
        }
        let [old, new] = revisions(range)?;
        let prefix = git(["rev-parse", "--show-prefix"], "this is not a git repository")?;
        refuse_shared(command, &prefix)?;
        let commits = [commit(old)?, commit(new)?];
        if commits[0] == commits[1] {
            return Err(Failure::given(
                format!("both revisions are the commit {}", commits[0]),
                range,
                "give two revisions that differ; uncommitted changes are in neither of them",
            ));
        }
        let changed = git(["status", "--porcelain", "--untracked-files=no"], "")?;
        if !changed.is_empty() && !quiet {
            say("warning: uncommitted changes are in neither of the two revisions");
        }
        remove_leftovers();
        let running = Running::new(None);
        // From here on a signal ends what is running, and what was checked out is removed.
        let _watch =
            Watchdog::start(&running, false).map_err(unfinished("signals cannot be handled"))?;
        // Programs are started in other folders, where a relative path means something else.
        let temporary = std::path::absolute(std::env::temp_dir())
            .map_err(unfinished("there is no folder for temporary files"))?;
        let versions = Versions {
            commits,
            folder: temporary.join(format!("{FOLDER}{}", std::process::id())),
            prefix: PathBuf::from(prefix),
            build: self.build.clone(),
        };
        for (name, commit) in NAMES.iter().zip(&versions.commits) {
            let place = versions.folder.join(name);
            let words = ["worktree", "add", "--detach", "--force", "--quiet"].map(OsStr::new);
            let words = words.into_iter().chain([place.as_os_str(), OsStr::new(commit)]);
            git(words, &format!("the revision {commit} cannot be checked out"))?;
            if !versions.place(name).is_dir() {
                return Err(Failure::given(
                    format!("this folder is not in the {name} version, {commit}"),
                    versions.prefix.display(),
                    "run it in a folder that both revisions have",
                ));
            }
        }
        for name in NAMES {
            versions.build(name, command, quiet, &running)?;
        }
        if running.is_stopped() {
            return Err(stopped());
        }
        versions.have_files(command)?;
        Ok(Some(versions))
    }
}

impl Versions {
    fn programs(&self, command: &[String]) -> Result<Vec<Program>, Failure> {
        NAMES.into_iter().map(|name| self.program(name, command)).collect()
    }

    fn program(&self, name: &str, words: &[String]) -> Result<Program, Failure> {
        let mut program = Program::find(Some(&self.place(name)), words)?;
        // Even if the user has one folder for all builds.
        let target = self.folder.join(name).join("target");
        program.variables.push(("CARGO_TARGET_DIR".into(), target.into()));
        Ok(program)
    }

    /// What tells these two from others: the commits, and what becomes of them.
    fn code(&self) -> String {
        let mut code = self.commits.join("..");
        if let Some(build) = &self.build {
            code += &format!(" built by {build}");
        }
        if self.prefix != Path::new("") {
            code += &format!(" in {}", self.prefix.display());
        }
        code
    }

    /// The options that check out the same two.
    fn words(&self) -> Vec<String> {
        words([("--git", Some(self.commits.join(".."))), ("--build", self.build.clone())])
    }

    fn place(&self, name: &str) -> PathBuf {
        self.folder.join(name).join(&self.prefix)
    }

    /// Refuses words that name a file which one of the two does not have: it would fail for that
    /// reason, whatever it tests.
    fn have_files(&self, command: &[String]) -> Result<(), Failure> {
        let places = NAMES.map(|name| self.place(name));
        for word in command {
            // Also after a flag, and before the name of a test.
            let file = word.rsplit('=').next().unwrap_or_default();
            let file = file.split("::").next().unwrap_or_default();
            let is_in = |place: &Path| !file.is_empty() && place.join(file).is_file();
            let is_named = is_in(Path::new("")) || places.iter().any(|place| is_in(place));
            let lacking = places.iter().position(|place| !is_in(place));
            if let Some(lacking) = lacking.filter(|_| is_named) {
                let (name, commit) = (NAMES[lacking], &self.commits[lacking]);
                return Err(Failure::given(
                    format!("`{file}` is not in the {name} version, {commit}"),
                    word,
                    "compare revisions that have it, or let --build make it; if the command writes it, give it a name that no file here has",
                ));
            }
        }
        Ok(())
    }

    /// Builds a version, as an execution of its own: a signal ends it with all that it has started.
    fn build(
        &self,
        name: &str,
        command: &[String],
        quiet: bool,
        running: &Arc<Running>,
    ) -> Result<(), Failure> {
        let words = match (&self.build, cargo_build(command)) {
            (Some(build), _) => ["sh", "-c", build].map(String::from).to_vec(),
            (None, Some(words)) => words,
            (None, None) => return Ok(()),
        };
        let commit = &self.commits[usize::from(name == NAMES[1])];
        if !quiet {
            say(format!("building the {name} version, {}", &commit[..commit.len().min(12)]));
        }
        let what = format!("the {name} version, {commit}, cannot be built");
        let refuse = unfinished(&what);
        let building =
            Background::new(self.program(name, &words)?, Arc::clone(running), Reports::default());
        let once = ExecutionSeed { seed: 1, execution: 1 };
        let look =
            |ending: Ending, capture: &Capture| match (ending.broken(), ending.violation(None)) {
                (Some(_), _) if running.is_stopped() => Err(stopped()),
                (Some(why), _) => Err(refuse(why)),
                (None, Some(why)) => {
                    Err(refuse(format!("{why}\n{}", last_lines(&capture.bytes()))))
                }
                (None, None) => Ok(()),
            };
        let built = building.and_then(|building| building.execute(once, look));
        built.map_err(|error| refuse(error.to_string()))?
    }
}

impl Drop for Versions {
    fn drop(&mut self) {
        // A build may be large, and a signal must not leave half of it.
        let _watch = Watchdog::start(&Running::new(None), false);
        remove(&self.folder);
    }
}

fn stopped() -> Failure {
    Failure::Unfinished("it was interrupted before the first execution".into())
}

/// Removes a folder with worktrees, and what git knows of them.
fn remove(folder: &Path) {
    let _ = std::fs::remove_dir_all(folder);
    let _ = git(["worktree", "prune"], "");
}

/// Removes what killed processes have left behind.
fn remove_leftovers() {
    let Ok(listed) = git(["worktree", "list", "--porcelain"], "") else {
        return;
    };
    let places = listed.lines().filter_map(|line| line.strip_prefix("worktree "));
    for folder in places.filter_map(|place| Path::new(place).parent()) {
        let name = folder.file_name().and_then(OsStr::to_str);
        let owner = name.and_then(|name| name.strip_prefix(FOLDER)).map(str::parse);
        if let Some(Ok(owner)) = owner
            && let Some(owner) = rustix::process::Pid::from_raw(owner)
            && rustix::process::test_kill_process(owner).is_err()
        {
            remove(folder);
        }
    }
}

/// Reads `OLD..NEW`; an empty side is HEAD, as in git.
fn revisions(range: &str) -> Result<[&str; 2], Failure> {
    match range.split_once("..") {
        Some((old, new)) if range != ".." && !new.starts_with('.') => {
            Ok([old, new].map(|side| if side.is_empty() { "HEAD" } else { side }))
        }
        _ => Err(Failure::given(
            "--git is not two revisions",
            range,
            "write the old one and the new one, such as main..HEAD",
        )),
    }
}

fn commit(revision: &str) -> Result<String, Failure> {
    let named = format!("{revision}^{{commit}}");
    let words = ["rev-parse", "--verify", "--quiet", "--end-of-options", &named];
    git(words, "").map_err(|_| {
        Failure::given(
            format!("there is no revision `{revision}` in this repository"),
            revision,
            "check its name with `git log`, or fetch it",
        )
    })
}

/// Runs git, and returns what it wrote.
fn git<S: AsRef<OsStr>>(words: impl IntoIterator<Item = S>, what: &str) -> Result<String, Failure> {
    match Command::new("git").args(words).stdin(Stdio::null()).output() {
        Ok(output) if output.status.success() => {
            Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
        }
        Ok(output) => Err(Failure::given(
            what,
            last_lines(&[output.stdout, output.stderr].concat()),
            "run it inside the repository, where git works",
        )),
        Err(error) => Err(unfinished("git cannot be started")(error)),
    }
}

fn last_lines(wrote: &[u8]) -> String {
    let text = String::from_utf8_lossy(wrote);
    let lines: Vec<&str> = text.trim_end().lines().collect();
    lines[lines.len().saturating_sub(40)..].join("\n")
}

/// Refuses absolute paths into the repository: they name the same file for both revisions,
/// which belongs to neither of them.
fn refuse_shared(command: &[String], prefix: &str) -> Result<(), Failure> {
    let top = git(["rev-parse", "--show-toplevel"], "")?;
    // As the shell names it, where a link leads here.
    let here = std::env::var("PWD").unwrap_or_default();
    let is_here = std::fs::canonicalize(&here).ok() == std::env::current_dir().ok();
    let named = here.strip_suffix(prefix.trim_end_matches('/'));
    let named = named.filter(|_| is_here).unwrap_or(&top);
    let tops = [Path::new(&top), Path::new(named)];
    let is_shared = |path: &str| {
        let path = Path::new(path);
        let within = |top: &&Path| top.parent().is_some() && path.starts_with(top);
        path.is_absolute() && tops.iter().any(within)
    };
    for word in command {
        // Also in the text of a script.
        let mut paths = word.split(|c: char| c.is_whitespace() || "=:;,'\"()<>|&".contains(c));
        if let Some(path) = paths.find(|path| is_shared(path)) {
            return Err(Failure::given(
                format!("`{path}` is the same file for both revisions, and belongs to neither"),
                word,
                "write a path relative to this folder, so that each revision uses its own file; put a tool that both share on PATH",
            ));
        }
    }
    Ok(())
}

/// The words by which cargo builds what a command executes.
fn cargo_build(command: &[String]) -> Option<Vec<String>> {
    let cargo = command.first()?;
    if Path::new(cargo).file_name()? != "cargo" {
        return None;
    }
    // What follows `--` is for the tests.
    let words = command[1..].iter().take_while(|word| *word != "--").map(String::as_str);
    let words: Vec<&str> = words.collect();
    // A toolchain, such as +nightly, comes first.
    let (toolchain, words) = words.split_at(words.iter().position(|word| !word.starts_with('+'))?);
    let (by, rest): (&[&str], &[&str]) = match words {
        ["test" | "t", rest @ ..] => (&["test", "--no-run"], rest),
        ["run" | "r", rest @ ..] => (&["build"], rest),
        ["nextest", rest @ ..] => {
            (&["nextest", "run", "--no-run"], rest.get(1..).unwrap_or_default())
        }
        _ => return None,
    };
    let words = [&[cargo.as_str()], toolchain, by, rest].concat();
    Some(words.into_iter().map(String::from).collect())
}
