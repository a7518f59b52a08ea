//! Runs executions by starting a program, for `run` and `estimate`, or two programs, for `compare`:
//! what their endings mean for a claim, Ctrl-C, progress.

use std::convert::Infallible;
use std::fmt::Write;
use std::io::{self, IsTerminal};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use probtest::judge::Doubt;
use probtest::machine::{Executor, TestRun, Threads};
use probtest::report::long_run;
use probtest::run::{self, Number, Observation, Violation};
use probtest::seed::{RunSeed, Stream};
use probtest::settings::{Progress, parse_duration, read_count};
use probtest::{Error, Settings, TestRng};

use crate::flags::words;
use crate::output::{Failure, say};
use crate::program::{
    Background, Capture, ClockWatch, Ending, ExecutionSeed, Program, Reports, Running, Watchdog,
    now,
};

/// What the ending of a program means for a claim: options shared by several commands.
#[derive(clap::Args)]
pub struct EndingFlags {
    /// Kill an execution that takes longer, such as 5s, 250ms or 2m, and count
    /// it as a violation [default: no limit]
    #[arg(long, value_name = "TIME", allow_negative_numbers = true)]
    timeout: Option<String>,

    /// The exit code that rejects an execution as not applicable:
    /// it does not count and is retried with other numbers
    #[arg(long, value_name = "CODE", allow_negative_numbers = true)]
    reject_code: Option<String>,

    /// The exit code that means the infrastructure failed: the
    /// execution proves nothing and is retried after a pause
    #[arg(long, value_name = "CODE", allow_negative_numbers = true)]
    infrastructure_exit_code: Option<String>,
}

pub struct Endings {
    /// The time limit of each execution, and how it was written.
    timeout: Option<(Duration, String)>,
    reject_code: Option<u64>,
    pub infrastructure_exit_code: Option<u64>,
}

impl EndingFlags {
    pub fn read(&self) -> Result<Endings, Error> {
        let timeout = self.timeout.as_deref().map(|text| {
            let duration = parse_duration(text).map_err(|error| error.about("--timeout"));
            duration.map(|duration| (duration, text.trim().to_owned()))
        });
        let code = |text: &Option<String>, flag: &'static str, example: &str| {
            let help = format!("write the exit code {example}; 0 is a pass");
            let read = text.as_deref().map(|text| read_count(text, 255));
            read.transpose().map_err(|error| error.about(flag).with_help(help))
        };
        let endings = Endings {
            timeout: timeout.transpose()?,
            reject_code: code(&self.reject_code, "--reject-code", "that rejects, such as 77")?,
            infrastructure_exit_code: code(
                &self.infrastructure_exit_code,
                "--infrastructure-exit-code",
                "of failed infrastructure, such as 75",
            )?,
        };
        match (endings.reject_code, endings.infrastructure_exit_code) {
            (Some(one), Some(other)) if one == other => Err(Error::new(
                "one exit code cannot mean both a rejected execution and failed infrastructure",
                format!("--reject-code {one} --infrastructure-exit-code {other}"),
                "give two different codes",
            )),
            _ => Ok(endings),
        }
    }
}

impl Endings {
    /// Keeps track of executions and their time limit.
    pub fn running(&self) -> Arc<Running> {
        Running::new(self.timeout.as_ref().map(|(duration, _)| *duration))
    }

    /// The flags that interpret endings in the same way.
    pub fn words(&self) -> Vec<String> {
        let code = |code: Option<u64>| code.map(|code| code.to_string());
        words([
            ("--timeout", self.timeout.as_ref().map(|(_, text)| text.clone())),
            ("--reject-code", code(self.reject_code)),
            ("--infrastructure-exit-code", code(self.infrastructure_exit_code)),
        ])
    }

    /// Says what an ending means; `details` returns what the program wrote.
    pub fn observe(
        &self,
        ending: &Ending,
        details: impl FnOnce() -> Option<String>,
    ) -> Observation {
        if let Some(message) = ending.broken() {
            return Observation::Broken(message);
        }
        let code = match ending {
            Ending::Exited(status) => status.code().and_then(|code| u64::try_from(code).ok()),
            _ => None,
        };
        if code.is_some() && code == self.reject_code {
            return Observation::Rejected;
        }
        if let Some(code) = code.filter(|code| Some(*code) == self.infrastructure_exit_code) {
            let kind = format!("exit code {code}");
            let wrote = details().unwrap_or_default();
            let last = wrote.lines().rev().find(|line| !line.trim().is_empty());
            return Observation::Unavailable {
                message: last.map_or(kind.clone(), |last| format!("{kind}: {}", last.trim())),
                kind,
            };
        }
        let timeout = self.timeout.as_ref().map(|(_, text)| text.as_str());
        match ending.violation(timeout) {
            Some(message) => Observation::Violated(Box::new(Violation {
                details: details(),
                kind: None,
                ..Violation::new(message)
            })),
            None => Observation::Passed,
        }
    }
}

/// What to execute: one program, or an old and a new version of it.
pub struct Tested {
    pub programs: Vec<Program>,
    /// The id that the streams are derived from.
    pub id: String,
    /// Whether they write numbers to compare.
    pub numbers: bool,
    /// Identifies the code, if the programs' files don't.
    pub code: Option<String>,
    /// The options that `replay` needs to find the programs.
    pub replay: Vec<String>,
}

impl Tested {
    /// One program.
    pub fn one(words: &[String]) -> Result<Tested, Error> {
        Ok(Tested {
            programs: vec![Program::find(None, words)?],
            id: words.join("\0"),
            numbers: false,
            code: None,
            replay: Vec::new(),
        })
    }
}

/// Executes the only version, or both on the same seed; `one` gets a name for the version.
pub fn each<T>(
    versions: &[T],
    rng: &mut TestRng,
    mut one: impl FnMut(&T, &str) -> Observation,
) -> Observation {
    let [old, new] = versions else {
        return one(&versions[0], "");
    };
    let Ok(pair) = run::pair::<Infallible>(rng.coin(), |is_new| {
        Ok(match is_new {
            false => one(old, " of the old version"),
            true => one(new, " of the new version"),
        })
    });
    pair
}

/// A program that is started again and again, with a time limit for each execution, Ctrl-C and
/// progress.
pub struct Processes {
    versions: Vec<Version>,
    test: String,
    numbers: bool,
    running: Arc<Running>,
    endings: Endings,
    jobs: usize,
    /// Why the program can never be started, once this is known.
    unstartable: OnceLock<Failure>,
    _watch: Watchdog,
    line: Option<ProgressBar>,
    quiet: bool,
}

struct Version {
    background: Background,
    /// Whether it takes its seed from the clock; not checked if it gets a seed as an argument.
    clock: Option<Mutex<ClockWatch>>,
}

/// How long to watch a program that may be seeded from the clock, after its plan.
const LATER: Duration = Duration::from_secs(4);

fn locked(clock: &Mutex<ClockWatch>) -> MutexGuard<'_, ClockWatch> {
    clock.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Processes {
    /// Starts listening to signals and watching the clock, and shows progress on a terminal unless
    /// quiet.
    pub fn start(
        tested: Tested,
        endings: Endings,
        jobs: usize,
        reports: Reports,
        quiet: bool,
    ) -> io::Result<Processes> {
        let running = endings.running();
        let version = |program: Program| {
            let clock = (!program.varies).then(Mutex::default);
            let background = Background::new(program, Arc::clone(&running), reports)?;
            Ok::<_, io::Error>(Version { background, clock })
        };
        Ok(Processes {
            versions: tested.programs.into_iter().map(version).collect::<Result<_, _>>()?,
            test: tested.id,
            numbers: tested.numbers,
            _watch: Watchdog::start(&running, false)?,
            line: (!quiet).then(progress_line).flatten(),
            quiet,
            unstartable: OnceLock::new(),
            running,
            endings,
            jobs,
        })
    }

    /// Lets Ctrl-C and the deciding execution end what is running, and shows progress.
    pub fn attend<'a>(&'a self, settings: Settings<'a>) -> Settings<'a> {
        let settings = settings
            .cancel(self.running.cancel.clone())
            .decided(|index| self.running.stop_after(index));
        match &self.line {
            Some(line) => settings.progress(|progress| show(line, progress)),
            None if self.quiet => settings,
            None => {
                let mut told = false;
                settings.progress(move |progress| {
                    if !told && let Some(words) = long_run(&progress) {
                        told = true;
                        say(words);
                    }
                })
            }
        }
    }

    /// Clears the progress, stops listening to signals, and returns why the program can never be
    /// started, if so.
    pub fn end(self) -> Option<Failure> {
        self.unstartable.into_inner()
    }

    pub fn execute(&self, run: &mut TestRun<'_>) {
        let make = |rng: &mut TestRng| {
            let told = ExecutionSeed::of(rng);
            each(&self.versions, rng, |version, _| self.make_one(version, told))
        };
        Threads::new(self.jobs, &make).execute(run);
        // A deciding violation counts whatever its seed was.
        let is_found = run.counts().violated > 0 && run.claim().first_violation_decides();
        for version in &self.versions {
            let Some(clock) = &version.clock else {
                continue;
            };
            if !is_found {
                self.look_at_the_next_second(version, clock, run.seed());
            }
            if locked(clock).is_seed() {
                run.doubt(Doubt::Clock);
            }
        }
    }

    /// If all executions ran within a few seconds and wrote the same in each second, repeats one of
    /// them in the following seconds. The repetitions don't count; one that writes the same again
    /// is enough.
    fn look_at_the_next_second(&self, version: &Version, clock: &Mutex<ClockWatch>, seed: RunSeed) {
        let Some(last) = locked(clock).last_of_few() else {
            return;
        };
        let stopped = || self.running.is_stopped() || self.running.cancel.is_cancelled();
        while now().as_secs() == last && !stopped() {
            std::thread::sleep(Duration::from_millis(10));
        }
        // Always the first one: executions after the last of the plan are stopped.
        let told = ExecutionSeed::of(&mut Stream::new(seed, &self.test).execution(1));
        let end = now() + LATER;
        while now() < end && !stopped() {
            self.make_one(version, told);
            let watch = locked(clock);
            if watch.has_come_back() || watch.is_seed() || !watch.looks() {
                return;
            }
        }
    }

    fn make_one(&self, version: &Version, told: ExecutionSeed) -> Observation {
        let background = &version.background;
        let began = now();
        let look = |ending: Ending, capture: &Capture| {
            if let Some(clock) = &version.clock {
                let mut clock = locked(clock);
                if clock.looks() {
                    clock.take(began, now(), &capture.bytes());
                }
            }
            let why = ending.unstartable(background.program.word());
            if let Some(failure @ Failure::Usage(_)) = why {
                let _ = self.unstartable.set(failure);
            }
            let otherwise = match self.endings.observe(&ending, || capture.text()) {
                Observation::Passed if ran_no_test(&capture.stdout_text()) => {
                    Observation::Broken(NO_TEST.into())
                }
                Observation::Passed if self.numbers => number(&capture.stdout_text()),
                Observation::Passed => match capture.outcome() {
                    Ok(outcome) => outcome.map_or(Observation::Passed, Observation::Outcome),
                    Err(error) => Observation::Broken(error.to_string()),
                },
                observation => observation,
            };
            match capture.cost() {
                Ok(None) => otherwise,
                Ok(Some(cost)) => Observation::Noted {
                    cost: Some(Number(cost)),
                    recorded: None,
                    otherwise: Box::new(otherwise),
                },
                Err(error) => Observation::Broken(error.to_string()),
            }
        };
        match background.execute(told, look) {
            // Whatever it was, the signal that stopped us may have caused it.
            _ if self.running.is_stopped() => Observation::Broken("it was interrupted".into()),
            Ok(observation) => observation,
            Err(error) => Observation::Broken(format!("its output cannot be stored: {error}")),
        }
    }
}

/// Reads the number in the last line of a program's output.
fn number(written: &str) -> Observation {
    let Some(line) = written.lines().rev().map(str::trim).find(|line| !line.is_empty()) else {
        let why = "nothing was written to stdout, but a number is expected";
        return Observation::Broken(why.into());
    };
    match line.parse() {
        Ok(number) => Observation::Number(Number(number)),
        Err(_) => Observation::Broken(format!("the last line of stdout is not a number: {line:?}")),
    }
}

const NO_TEST: &str = "no test ran: Rust's test harness says `0 passed; 0 failed`, so the name of the test is wrong, or the test is ignored";

/// Whether the whole stdout of a program says, in the words of Rust's test harness, that no test
/// ran. The exit code is 0 even then.
fn ran_no_test(written: &str) -> bool {
    let is_end = |line: &str| {
        line.starts_with("test result: ok. 0 passed; 0 failed; ") && line.contains("; 0 measured;")
    };
    let is_empty = |line: &str| {
        line.starts_with("running ")
            || line.starts_with("test ") && line.contains(" ... ignored")
            || line.bytes().all(|byte| byte == b'i')
    };
    let mut ends = 0;
    let mut lines = written.lines().filter(|line| !line.is_empty());
    lines.all(|line| {
        ends += usize::from(is_end(line));
        is_end(line) || is_empty(line)
    }) && ends > 0
}

/// A test that ends sooner shows no progress: its rate and remaining time are still guesses.
const SOON: Duration = Duration::from_millis(300);

/// The progress line, if stderr is a terminal. Dropping it clears it.
fn progress_line() -> Option<ProgressBar> {
    if !io::stderr().is_terminal() {
        return None;
    }
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    let template = "{bar:24} {pos} of {msg}{len} executions, {rate}, {msg}{left}";
    if let Ok(style) = ProgressStyle::with_template(template) {
        let style = style.with_key("rate", rate).with_key("left", left);
        bar.set_style(style.progress_chars("=> "));
    }
    Some(bar)
}

fn show(bar: &ProgressBar, progress: Progress) {
    if progress.elapsed < SOON {
        return;
    }
    if progress.may_end_sooner && progress.executed > 0 {
        bar.set_message("at most ");
    }
    bar.set_length(progress.planned);
    bar.set_position(progress.executed);
}

/// Writes the remaining time, once one execution has shown how long it takes.
fn left(state: &ProgressState, line: &mut dyn Write) {
    let _ = line.write_str(&left_words(state.pos(), state.eta()));
}

fn left_words(executed: u64, eta: Duration) -> String {
    match executed {
        0 => "the first is under way".into(),
        _ => format!("{:#} left", HumanDuration(eta)),
    }
}

/// Writes the rate with as many digits as are meaningful.
fn rate(state: &ProgressState, line: &mut dyn Write) {
    let rate = state.per_sec();
    let digits = if rate < 10.0 { 1 } else { 0 };
    // Writing into a string can't fail.
    let _ = write!(line, "{rate:.digits$}/s");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_harness_that_ran_nothing_is_told_from_one_that_did() {
        let end = |passed: u32, ignored: u32| {
            format!(
                "test result: ok. {passed} passed; 0 failed; {ignored} ignored; 0 measured; 3 filtered out; finished in 0.00s\n\n"
            )
        };
        let none = format!("\nrunning 0 tests\n\n{}", end(0, 0));
        let ignored = format!("\nrunning 1 test\ntest walk ... ignored, slow\n\n{}", end(0, 1));
        let quiet = format!("\nrunning 2 tests\nii\n{}", end(0, 2));
        let some = format!("\nrunning 1 test\ntest walk ... ok\n\n{}", end(1, 0));
        for (written, ran_none) in [
            (&none, true),
            (&ignored, true),
            (&quiet, true),
            (&[&none[..], &ignored].concat(), true),
            (&some, false),
            (&[&none[..], &some, &none].concat(), false),
            // Something else was done as well.
            (&[&none[..], "checked 12 files\n"].concat(), false),
            (&"running 0 tests\n".to_owned(), false),
            (&String::new(), false),
        ] {
            assert_eq!(ran_no_test(written), ran_none, "{written}");
        }
    }

    #[test]
    fn no_time_is_left_to_guess_before_the_first_execution_has_ended() {
        assert_eq!(left_words(0, Duration::ZERO), "the first is under way");
        assert_eq!(left_words(3, Duration::from_secs(45)), "45s left");
    }
}
