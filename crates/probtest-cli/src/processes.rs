//! Making executions by starting a program: the executor of `run` and `estimate`.

use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

use probtest::Settings;
use probtest::machine::{Attempt, Executor, Next, TestRun};
use probtest::run::{Observation, Record};
use probtest::settings::Cancel;

use crate::endings::Endings;
use crate::failure::Failure;
use crate::program::{
    Background, Capture, Ending, ExecutionSeed, Interrupt, Program, Running, Timekeeper,
};
use crate::progress::ProgressLine;

/// Attempts that wait for each worker, so that none waits for the thread that owns the
/// run, also where others keep the processors busy.
const AHEAD: usize = 8;

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
    fn execute(&mut self, run: &mut TestRun<'_>) {
        let jobs = self.jobs.min(run.left());
        if jobs <= 1 {
            return self.execute_here(run);
        }
        let (desk, this) = (Desk::default(), *self);
        std::thread::scope(|scope| {
            let worker = |number| {
                let thread = std::thread::Builder::new().name(format!("probtest-{number}"));
                thread.spawn_scoped(scope, || desk.work(this))
            };
            // Where the system gives no more threads, those that run do the work.
            match (1..=jobs).map(worker).take_while(Result::is_ok).count() {
                0 => this.execute_here(run),
                workers => desk.serve(run, workers),
            }
        });
    }
}

/// Where workers, each with one process at a time, meet the thread that owns the run.
#[derive(Default)]
struct Desk {
    papers: Mutex<Papers>,
    /// Tells workers that there is an attempt to make, or nothing more.
    work: Condvar,
    /// Tells the owner of the run that a worker is done.
    news: Condvar,
}

#[derive(Default)]
struct Papers {
    /// Attempts that no worker has taken yet.
    open: Vec<Attempt>,
    records: Vec<Record>,
    /// How many executions were rejected and are not open again yet.
    rejected: usize,
    closed: bool,
}

impl Desk {
    fn lock(&self) -> MutexGuard<'_, Papers> {
        self.papers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One worker: makes attempts until there are no more.
    fn work(&self, processes: &Processes) {
        let mut papers = self.lock();
        while !papers.closed {
            // What was rejected is drawn again before later executions begin.
            let first = match papers.rejected {
                0 => (0..papers.open.len()).min_by_key(|place| papers.open[*place].index),
                _ => None,
            };
            let Some(first) = first else {
                let waited = self.work.wait(papers);
                papers = waited.unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let attempt = papers.open.swap_remove(first);
            drop(papers);
            let record = processes.make(&attempt);
            papers = self.lock();
            papers.rejected += usize::from(record.observation == Observation::Rejected);
            papers.records.push(record);
            self.news.notify_one();
        }
    }

    /// The owner of the run: hands out attempts and observes what became of them.
    fn serve(&self, run: &mut TestRun<'_>, workers: usize) {
        let mut papers = self.lock();
        loop {
            while papers.open.len() < AHEAD * workers + papers.rejected {
                match run.next() {
                    Next::Attempt(attempt) => papers.open.push(attempt),
                    Next::Wait => break,
                    Next::Done => return self.close(papers),
                }
            }
            papers.rejected = 0;
            self.work.notify_all();
            while papers.records.is_empty() {
                let waited = self.news.wait(papers);
                papers = waited.unwrap_or_else(PoisonError::into_inner);
            }
            for record in std::mem::take(&mut papers.records) {
                if run.observe(record).is_done() {
                    return self.close(papers);
                }
            }
        }
    }

    fn close(&self, mut papers: MutexGuard<'_, Papers>) {
        papers.closed = true;
        self.work.notify_all();
    }
}
