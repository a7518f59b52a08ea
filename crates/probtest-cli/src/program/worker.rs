//! One execution from start to end.

use std::fs::File;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

use rustix::io::retry_on_intr;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, test_kill_process_group, waitid};

use super::running::{Killed, Slot, Started, kill};
use super::template::tell;
use super::{Capture, Ending, ExecutionSeed, Program, Running, Unstartable};

/// Executes a program in the background, on as many threads as ask for it.
pub struct Background {
    program: Program,
    running: Arc<Running>,
    null: File,
    idle: Mutex<Vec<Worker>>,
}

/// What one thread needs for its executions, kept from one to the next.
struct Worker {
    capture: Capture,
    slot: Arc<Slot>,
    /// The command, when it is the same for each execution but for its
    /// environment.
    command: Option<Command>,
}

impl Background {
    /// Prepares to execute.
    ///
    /// # Errors
    ///
    /// When there is no `/dev/null`.
    pub fn new(program: Program, running: Arc<Running>) -> io::Result<Background> {
        Ok(Background {
            program,
            running,
            null: File::open("/dev/null")?,
            idle: Mutex::new(Vec::new()),
        })
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Executes once. `look` sees how it ended and what it wrote.
    ///
    /// # Errors
    ///
    /// When there is no place for the output.
    pub fn execute<T>(
        &self,
        told: ExecutionSeed,
        look: impl FnOnce(Ending, &Capture) -> T,
    ) -> io::Result<T> {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = idle().pop();
        let mut worker = match taken {
            Some(worker) => worker,
            None => Worker {
                capture: Capture::new()?,
                slot: self.running.slot(),
                command: None,
            },
        };
        let (ending, leftover) = worker.execute(self, told);
        let result = look(ending, &worker.capture);
        if leftover {
            // Processes that are being killed may still write; not into the
            // files of the next execution.
            worker.command = None;
            worker.capture = Capture::new()?;
        }
        idle().push(worker);
        Ok(result)
    }
}

impl Worker {
    /// Executes once, and says whether the leader left processes behind.
    fn execute(&mut self, background: &Background, told: ExecutionSeed) -> (Ending, bool) {
        match self.begin(background, told) {
            Ok(mut child) => finish(&mut child, &self.slot),
            Err(ending) => (ending, false),
        }
    }

    fn begin(&mut self, background: &Background, told: ExecutionSeed) -> Result<Child, Ending> {
        self.capture.clear().map_err(Ending::Lost)?;
        let mut own;
        let command = match &mut self.command {
            Some(command) => {
                tell(command, told);
                command
            }
            None => {
                own = self.prepare(background, told).map_err(Ending::Lost)?;
                if background.program.varies() {
                    &mut own
                } else {
                    self.command.insert(own)
                }
            }
        };
        let child = command
            .spawn()
            .map_err(|error| Ending::Unstartable(Unstartable(error)))?;
        background.running.begin(
            &self.slot,
            Started {
                leader: Pid::from_child(&child),
                group: true,
                index: told.execution,
                output: Some(self.capture.files()),
            },
        );
        Ok(child)
    }

    fn prepare(&self, background: &Background, told: ExecutionSeed) -> io::Result<Command> {
        let mut command = background.program.command(told);
        command
            .stdin(Stdio::from(background.null.try_clone()?))
            .stdout(Stdio::from(self.capture.stdout().try_clone()?))
            .stderr(Stdio::from(self.capture.stderr().try_clone()?))
            // By this option, unlike by a closure before exec, std keeps using
            // posix_spawn, which does not copy the page tables.
            .process_group(0);
        Ok(command)
    }
}

/// Waits for the leader, kills what is left of its group, and reaps it.
fn finish(child: &mut Child, slot: &Slot) -> (Ending, bool) {
    let leader = Pid::from_child(child);
    let waited = wait_for_end(leader);
    let killed = slot.end();
    // The leader is not reaped yet, so its number still means this group.
    kill(leader, true);
    let reaped = child.wait();
    let leftover = test_kill_process_group(leader).is_ok();
    let ending = match (waited, reaped) {
        (Ok(Waited::WantsTerminal), Ok(_)) => Ending::WantsTerminal,
        (Ok(Waited::Ended), Ok(status)) => conclude(status, killed),
        (Err(error), _) | (_, Err(error)) => Ending::Lost(error),
    };
    (ending, leftover)
}

fn conclude(status: ExitStatus, killed: Option<Killed>) -> Ending {
    // Whatever the status: a leader that was alive when its time was over may
    // still have ended by itself before the signal arrived.
    match killed {
        Some(Killed::Stopped) => Ending::Stopped,
        Some(Killed::TimedOut) => Ending::TimedOut,
        Some(Killed::Flooded(stream)) => Ending::Flooded(stream),
        None => Ending::Exited(status),
    }
}

enum Waited {
    Ended,
    WantsTerminal,
}

/// Waits without reaping, so that the number of the leader stays taken.
fn wait_for_end(leader: Pid) -> io::Result<Waited> {
    let ended = WaitIdOptions::EXITED | WaitIdOptions::STOPPED;
    loop {
        let status = retry_on_intr(|| waitid(WaitId::Pid(leader), ended | WaitIdOptions::NOWAIT))?;
        let Some(signal) = status.and_then(|status| status.stopping_signal()) else {
            return Ok(Waited::Ended);
        };
        if [Signal::TTIN.as_raw(), Signal::TTOU.as_raw()].contains(&signal) {
            return Ok(Waited::WantsTerminal);
        }
        // Stopped by somebody who will let it go on; forget that and wait.
        let once = WaitIdOptions::STOPPED | WaitIdOptions::NOHANG;
        retry_on_intr(|| waitid(WaitId::Pid(leader), once))?;
    }
}

/// Executes a program once with the streams of this process.
pub struct Foreground {
    /// Whether the program gets a group of its own. Not on a terminal: there
    /// only one group may read.
    pub group: bool,
    /// Whether what the program writes to stdout goes to stderr.
    pub stdout_to_stderr: bool,
}

impl Foreground {
    /// Executes once.
    pub fn execute(&self, program: &Program, running: &Running, told: ExecutionSeed) -> Ending {
        let mut command = program.command(told);
        if self.stdout_to_stderr {
            command.stdout(io::stderr());
        }
        if self.group {
            command.process_group(0);
        }
        let mut child = match command.spawn() {
            Ok(child) => child,
            Err(error) => return Ending::Unstartable(Unstartable(error)),
        };
        let slot = running.slot();
        let started = Started {
            leader: Pid::from_child(&child),
            group: self.group,
            index: told.execution,
            output: None,
        };
        running.begin(&slot, started);
        if self.group {
            return finish(&mut child, &slot).0;
        }
        let waited = retry_on_intr(|| {
            waitid(
                WaitId::Pid(Pid::from_child(&child)),
                WaitIdOptions::EXITED | WaitIdOptions::NOWAIT,
            )
        });
        let killed = slot.end();
        match (waited, child.wait()) {
            (Ok(_), Ok(status)) => conclude(status, killed),
            (Err(error), _) => Ending::Lost(error.into()),
            (_, Err(error)) => Ending::Lost(error),
        }
    }
}
