//! Making executions by starting a program: the executor of `run` and `estimate`.

use std::io;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use probtest::Settings;
use probtest::machine::{Attempt, Executor, Next, TestRun};
use probtest::run::{Cancel, Observation, Record};

use crate::endings::Endings;
use crate::failure::Failure;
use crate::program::{
    Background, Capture, Ending, ExecutionSeed, Interrupt, Program, Running, Timekeeper,
};
use crate::progress::ProgressLine;

/// A program that is started again and again, with the time that each execution has,
/// Ctrl-C and progress.
pub struct Processes {
    background: Background,
    running: Arc<Running>,
    endings: Endings,
    jobs: u64,
    cancel: Cancel,
    /// Why the program can never be started, once that is known.
    unstartable: OnceLock<Failure>,
    _timekeeper: Timekeeper,
    _interrupt: Interrupt,
    line: Option<ProgressLine>,
}

impl Processes {
    /// Begins to listen to signals, and to look at the clock. Shows progress on a
    /// terminal unless it is to be quiet.
    ///
    /// # Errors
    ///
    /// When the system gives no thread, no handler or no file.
    pub fn start(
        program: Program,
        endings: Endings,
        jobs: u64,
        quiet: bool,
    ) -> io::Result<Processes> {
        let cancel = Cancel::new();
        let running = Running::new(endings.timeout());
        Ok(Processes {
            background: Background::new(program, Arc::clone(&running))?,
            _timekeeper: Timekeeper::start(&running)?,
            _interrupt: Interrupt::listen(&running, &cancel, false)?,
            line: (!quiet).then(ProgressLine::on_terminal).flatten(),
            unstartable: OnceLock::new(),
            running,
            endings,
            jobs,
            cancel,
        })
    }

    /// Lets Ctrl-C and the deciding execution end what is under way, and shows progress.
    pub fn attend<'a>(&'a self, settings: Settings<'a>) -> Settings<'a> {
        let settings = settings
            .cancel(self.cancel.clone())
            .decided(|index| self.running.stop_after(index));
        match &self.line {
            Some(line) => settings.progress(|progress| line.show(progress)),
            None => settings,
        }
    }

    /// Takes the progress away and leaves signals to themselves again. Says why the
    /// program can never be started, if that is so.
    pub fn end(self) -> Option<Failure> {
        self.unstartable.into_inner()
    }

    /// Makes one attempt.
    fn make(&self, attempt: &Attempt) -> Record {
        let look = |ending: Ending, capture: &Capture| {
            if let Ending::Unstartable(why) = &ending
                && let failure @ Failure::Usage(_) = why.failure(self.background.program().word())
            {
                let _ = self.unstartable.set(failure);
            }
            self.endings.observe(&ending, || capture.text())
        };
        let made = self.background.execute(ExecutionSeed::of(attempt), look);
        let observation = match made {
            // Whatever it was, it may have come from the signal that stopped us.
            _ if self.running.is_stopped() => {
                Observation::Broken("it was stopped before its end".into())
            }
            Ok(observation) => observation,
            Err(error) => Observation::Broken(format!("there is no place for its output: {error}")),
        };
        attempt.did(observation, true)
    }

    /// Makes all executions on this thread.
    fn execute_here(&self, run: &mut TestRun<'_>) {
        while let Next::Attempt(attempt) = run.next() {
            if run.observe(self.make(&attempt)).is_done() {
                return;
            }
        }
    }
}

impl Executor for &Processes {
    /// Each worker waits for one process at a time. This thread owns the run: what a
    /// worker did is observed before it is given more, so that an execution that was
    /// rejected is drawn again before later ones begin.
    fn execute(&mut self, run: &mut TestRun<'_>) {
        let jobs = self.jobs.min(run.left());
        if jobs <= 1 {
            return self.execute_here(run);
        }
        let this = *self;
        let (hand_out, open) = channel::<Attempt>();
        let (done, records) = channel::<Record>();
        let open = Mutex::new(open);
        let work = |done: std::sync::mpsc::Sender<Record>| {
            let next = || {
                let open = open.lock().unwrap_or_else(PoisonError::into_inner);
                open.recv()
            };
            while let Ok(attempt) = next() {
                if done.send(this.make(&attempt)).is_err() {
                    return;
                }
            }
        };
        let work = &work;
        std::thread::scope(move |scope| {
            let mut workers = 0_u64;
            for number in 1..=jobs {
                let thread = std::thread::Builder::new().name(format!("probtest-{number}"));
                let done = done.clone();
                if thread.spawn_scoped(scope, move || work(done)).is_err() {
                    // The system gives no more threads. Those that run do the work.
                    break;
                }
                workers += 1;
            }
            drop(done);
            if workers == 0 {
                return this.execute_here(run);
            }
            let mut idle = workers;
            loop {
                while idle > 0 {
                    match run.next() {
                        Next::Attempt(attempt) if hand_out.send(attempt).is_ok() => idle -= 1,
                        Next::Wait if idle < workers => break,
                        _ => return,
                    }
                }
                let Ok(record) = records.recv() else { return };
                idle += 1;
                if run.observe(record).is_done() {
                    return;
                }
            }
        });
    }
}
