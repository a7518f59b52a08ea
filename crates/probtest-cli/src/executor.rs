//! Executing one program again and again, for any judge.

use std::cell::Cell;
use std::io;
use std::sync::{Arc, OnceLock};

use probtest::TestRng;
use probtest::run::{Cancel, Observation, REJECTIONS_IN_A_ROW};

use crate::failure::Failure;
use crate::program::{Board, Capture, Ending, Interrupt, Pool, Program, Told, Watcher};
use crate::progress::ProgressLine;
use crate::reading::Reading;

/// A program with its processes, the time that each has, Ctrl-C and progress.
pub struct Executor {
    pool: Pool,
    board: Arc<Board>,
    reading: Reading,
    cancel: Cancel,
    /// Why the program can never be started, once that is known.
    unstartable: OnceLock<Failure>,
    watcher: Watcher,
    interrupt: Interrupt,
    line: Option<ProgressLine>,
}

impl Executor {
    /// Begins to listen to signals, and to look at the clock. Shows progress on a
    /// terminal unless it is to be quiet.
    ///
    /// # Errors
    ///
    /// When the system gives no thread, no handler or no file.
    pub fn start(program: Program, reading: Reading, quiet: bool) -> io::Result<Executor> {
        let cancel = Cancel::new();
        let board = Board::new(reading.timeout.as_ref().map(|timeout| timeout.duration));
        Ok(Executor {
            pool: Pool::new(program, Arc::clone(&board))?,
            watcher: Watcher::start(&board)?,
            interrupt: Interrupt::listen(&board, &cancel, false)?,
            line: (!quiet).then(ProgressLine::on_terminal).flatten(),
            unstartable: OnceLock::new(),
            board,
            reading,
            cancel,
        })
    }

    /// Lets Ctrl-C end the executions, and shows their progress.
    pub fn attend<'a>(&'a self, settings: probtest::Options<'a>) -> probtest::Options<'a> {
        let settings = settings.cancel(self.cancel.clone());
        match &self.line {
            Some(line) => settings.progress(|progress| line.show(progress)),
            None => settings,
        }
    }

    /// Executes the program once. `first_decides` says that nobody waits for later
    /// executions once this one has violated.
    pub fn execute(&self, rng: &mut TestRng, first_decides: bool) -> Observation {
        let told = Told::by(rng);
        let look = |ending: Ending, capture: &Capture| {
            if let Ending::Unstartable(why) = &ending
                && why.is_for_good()
            {
                let word = &self.pool.program().words()[0];
                let what = format!("`{word}` cannot be started: {}", why.0);
                let _ = self
                    .unstartable
                    .set(Failure::given(what, word, why.help(word)));
            }
            self.reading.observe(&ending, || capture.text())
        };
        let observation = self.pool.execute(told, look).unwrap_or_else(|error| {
            Observation::Broken(format!("there is no place for its output: {error}"))
        });
        if self.board.is_stopped() {
            // Whatever it was, it may have come from the signal that stopped us.
            return Observation::Broken("it was stopped before its end".into());
        }
        let ends = match observation {
            Observation::Violated(_) => first_decides,
            Observation::Broken(_) => true,
            Observation::Rejected => rejected_in_a_row(told.execution) >= REJECTIONS_IN_A_ROW,
            _ => false,
        };
        if ends {
            // Nobody waits for later executions that are still under way.
            self.board.decide(told.execution);
        }
        observation
    }

    /// Takes the progress away and leaves signals to themselves again. Returns how endings were read, and whether
    /// somebody has stopped the executions, of which so many count.
    ///
    /// # Errors
    ///
    /// When not a single one was possible, since the program cannot be started.
    pub fn end(self, executed: u64) -> Result<(Reading, bool), Failure> {
        drop((self.line, self.watcher, self.interrupt));
        match self.unstartable.into_inner() {
            Some(failure) if executed == 0 => Err(failure),
            _ => Ok((self.reading, self.board.is_stopped())),
        }
    }
}

/// Counts a rejection. All attempts at one execution are made by one thread.
fn rejected_in_a_row(execution: u64) -> u64 {
    thread_local! {
        static REJECTED: Cell<(u64, u64)> = const { Cell::new((0, 0)) };
    }
    let (last, rejected) = REJECTED.get();
    let rejected = if last == execution { rejected + 1 } else { 1 };
    REJECTED.set((execution, rejected));
    rejected
}
