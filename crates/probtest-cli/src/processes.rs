//! Making executions by starting a program, for `run` and `estimate`, or two of them, for `compare`.

use std::convert::Infallible;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use probtest::judge::Doubt;
use probtest::machine::{Executor, TestRun, Threads};
use probtest::report::long_run;
use probtest::run::{self, Number, Observation};
use probtest::seed::{RunSeed, Stream};
use probtest::settings::Cancel;
use probtest::{Error, Settings, TestRng};

use crate::endings::Endings;
use crate::output::{Failure, say};
use crate::program::{
    Background, Capture, ClockWatch, Ending, ExecutionSeed, Interrupt, Program, Running,
    Timekeeper, now,
};
use crate::progress::ProgressLine;

/// What is executed: one program, or an old and a new version of it.
pub struct Tested {
    pub programs: Vec<Program>,
    /// The id that their streams are derived from.
    pub id: String,
    /// Whether they write numbers that are compared.
    pub numbers: bool,
    /// What tells this code from other code, where that is not the programs' files.
    pub code: Option<String>,
    /// The options that `replay` needs to find the programs.
    pub replay: Vec<String>,
}

impl Tested {
    /// One program.
    pub fn one(words: &[String]) -> Result<Tested, Error> {
        Ok(Tested {
            programs: vec![Program::find(words)?],
            id: words.join("\0"),
            numbers: false,
            code: None,
            replay: Vec::new(),
        })
    }
}

/// A program that is started again and again, with the time that each execution has,
/// Ctrl-C and progress.
pub struct Processes {
    versions: Vec<Version>,
    test: String,
    numbers: bool,
    running: Arc<Running>,
    endings: Endings,
    jobs: usize,
    cancel: Cancel,
    /// Why the program can never be started, once that is known.
    unstartable: OnceLock<Failure>,
    _timekeeper: Timekeeper,
    _interrupt: Interrupt,
    line: Option<ProgressLine>,
    quiet: bool,
}

/// One program, ready to be executed.
struct Version {
    background: Background,
    /// Whether it takes its seed from the clock; not looked at where it is given one as an
    /// argument.
    clock: Option<Mutex<ClockWatch>>,
}

/// How long a program is looked at that may be seeded from the clock, after its plan.
const LATER: Duration = Duration::from_secs(4);

fn locked(clock: &Mutex<ClockWatch>) -> MutexGuard<'_, ClockWatch> {
    clock.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Processes {
    /// Begins to listen to signals, and to look at the clock. Shows progress on a
    /// terminal unless it is to be quiet.
    pub fn start(
        tested: Tested,
        endings: Endings,
        jobs: usize,
        costs: bool,
        quiet: bool,
    ) -> io::Result<Processes> {
        let cancel = Cancel::new();
        let running = Running::new(endings.timeout());
        let version = |program: Program| {
            let clock = (!program.varies()).then(Mutex::default);
            let background = Background::new(program, Arc::clone(&running), costs)?;
            Ok::<_, io::Error>(Version { background, clock })
        };
        Ok(Processes {
            versions: (tested.programs.into_iter().map(version)).collect::<Result<_, _>>()?,
            test: tested.id,
            numbers: tested.numbers,
            _timekeeper: Timekeeper::start(&running)?,
            _interrupt: Interrupt::listen(&running, &cancel, false)?,
            line: (!quiet).then(ProgressLine::on_terminal).flatten(),
            quiet,
            unstartable: OnceLock::new(),
            running,
            endings,
            jobs,
            cancel,
        })
    }

    /// Lets Ctrl-C and the deciding execution end what is under way, and shows progress.
    pub fn attend<'a>(&'a self, settings: Settings<'a>) -> Settings<'a> {
        let settings =
            settings.cancel(self.cancel.clone()).decided(|index| self.running.stop_after(index));
        match &self.line {
            Some(line) => settings.progress(|progress| line.show(progress)),
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

    /// Takes the progress away and leaves signals to themselves again. Says why the
    /// program can never be started, if that is so.
    pub fn end(self) -> Option<Failure> {
        self.unstartable.into_inner()
    }

    pub fn execute(&self, run: &mut TestRun<'_>) {
        Threads::new(self.jobs, &|rng| self.make(rng)).execute(run);
        // A violation that decides does so whatever its seed was.
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

    /// Where all executions ran within a few seconds and wrote the same in each, makes one of
    /// them again in the next ones. They count for nothing; one that writes the same again is enough.
    fn look_at_the_next_second(&self, version: &Version, clock: &Mutex<ClockWatch>, seed: RunSeed) {
        let Some(last) = locked(clock).last_of_few() else {
            return;
        };
        let stopped = || self.running.is_stopped() || self.cancel.is_cancelled();
        while now().as_secs() == last && !stopped() {
            std::thread::sleep(Duration::from_millis(10));
        }
        // Always the first one: what comes after the last of the plan is stopped.
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

    /// Executes the program, or both versions on the same seed.
    fn make(&self, rng: &mut TestRng) -> Observation {
        let told = ExecutionSeed::of(rng);
        match self.versions.as_slice() {
            [old, new] => {
                let version = |is_new| Ok(self.make_one(if is_new { new } else { old }, told));
                let Ok(pair) = run::pair::<Infallible>(rng.coin(), version);
                pair
            }
            versions => versions
                .first()
                .map_or(Observation::Rejected, |version| self.make_one(version, told)),
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
            let why = ending.unstartable(background.program().word());
            if let Some(failure @ Failure::Usage(_)) = why {
                let _ = self.unstartable.set(failure);
            }
            let otherwise = match self.endings.observe(&ending, || capture.text()) {
                Observation::Passed if ran_no_test(&capture.stdout_text()) => {
                    Observation::Broken(NO_TEST.into())
                }
                Observation::Passed if self.numbers => number(&capture.stdout_text()),
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
            // Whatever it was, it may have come from the signal that stopped us.
            _ if self.running.is_stopped() => Observation::Broken("it was interrupted".into()),
            Ok(observation) => observation,
            Err(error) => Observation::Broken(format!("its output cannot be stored: {error}")),
        }
    }
}

/// Reads the number in the last line that a program wrote.
fn number(written: &str) -> Observation {
    let last = written.lines().rev().map(str::trim).find(|line| !line.is_empty());
    match last.map(|line| (line, line.parse())) {
        Some((_, Ok(number))) => Observation::Number(Number(number)),
        Some((line, Err(_))) => {
            Observation::Broken(format!("the last line of stdout is not a number: {line:?}"))
        }
        None => {
            Observation::Broken("nothing was written to stdout, but a number is expected".into())
        }
    }
}

const NO_TEST: &str = "no test ran: Rust's test harness says `0 passed; 0 failed`, so the name of the test is wrong, or the test is ignored";

/// Whether all that a program wrote to stdout says, in the words of Rust's test harness, that no
/// test ran. It ends with exit code 0 all the same.
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
            // Something else was done besides.
            (&[&none[..], "checked 12 files\n"].concat(), false),
            (&"running 0 tests\n".to_owned(), false),
            (&String::new(), false),
        ] {
            assert_eq!(ran_no_test(written), ran_none, "{written}");
        }
    }
}
