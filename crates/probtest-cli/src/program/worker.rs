//! One execution from start to end.

use std::fs::File;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

use rustix::io::retry_on_intr;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, test_kill_process_group, waitid};

use super::running::{Killed, Process, kill};
use super::template::tell;
use super::{Capture, Ending, ExecutionSeed, Program, Running};

/// Executes a program in the background, on as many threads as ask for it.
pub struct Background {
    program: Program,
    running: Arc<Running>,
    null: File,
    /// Whether executions tell what they cost.
    costs: bool,
    idle: Mutex<Vec<Worker>>,
}

/// What one thread needs for its executions, kept from one to the next.
struct Worker {
    capture: Capture,
    /// The command, when it is the same for each execution but for its
    /// environment.
    command: Option<Command>,
}

impl Background {
    pub fn new(program: Program, running: Arc<Running>, costs: bool) -> io::Result<Background> {
        Ok(Background {
            costs,
            program,
            running,
            null: File::open("/dev/null")?,
            idle: Mutex::new(Vec::new()),
        })
    }

    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Executes once. `look` sees how it ended and what it wrote.
    pub fn execute<T>(
        &self,
        told: ExecutionSeed,
        look: impl FnOnce(Ending, &Capture) -> T,
    ) -> io::Result<T> {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = idle().pop();
        let mut worker = match taken {
            Some(worker) => worker,
            None => Worker { capture: Capture::new(self.costs)?, command: None },
        };
        let (ending, leftover) = match self.begin(&mut worker, told) {
            Ok(mut child) => finish(&mut child, &self.running, true),
            Err(ending) => (ending, false),
        };
        let result = look(ending, &worker.capture);
        if leftover {
            // Processes that are being killed may still write; not into the
            // files of the next execution.
            worker.command = None;
            worker.capture = Capture::new(self.costs)?;
        }
        idle().push(worker);
        Ok(result)
    }

    fn begin(&self, worker: &mut Worker, told: ExecutionSeed) -> Result<Child, Ending> {
        worker.capture.clear().map_err(Ending::Lost)?;
        let mut own;
        let command = match &mut worker.command {
            Some(command) => {
                tell(command, told);
                command
            }
            None => {
                own = self.prepare(&worker.capture, told).map_err(Ending::Lost)?;
                if self.program.varies() { &mut own } else { worker.command.insert(own) }
            }
        };
        start(command, true, told, &self.running, Some(worker.capture.files()))
    }

    fn prepare(&self, capture: &Capture, told: ExecutionSeed) -> io::Result<Command> {
        let mut command = self.program.command(told);
        command
            .stdin(Stdio::from(self.null.try_clone()?))
            .stdout(Stdio::from(capture.stdout().try_clone()?))
            .stderr(Stdio::from(capture.stderr().try_clone()?))
            // By this option, unlike by a closure before exec, std keeps using
            // posix_spawn, which does not copy the page tables.
            .process_group(0);
        if let Some(file) = capture.cost_file() {
            command.env("PROBTEST_COST_FILE", file);
        }
        Ok(command)
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
    pub fn execute(&self, program: &Program, running: &Running, told: ExecutionSeed) -> Ending {
        let mut command = program.command(told);
        if self.stdout_to_stderr {
            command.stdout(io::stderr());
        }
        if self.group {
            command.process_group(0);
        }
        match start(&mut command, self.group, told, running, None) {
            Ok(mut child) => finish(&mut child, running, self.group).0,
            Err(ending) => ending,
        }
    }
}

fn start(
    command: &mut Command,
    group: bool,
    told: ExecutionSeed,
    running: &Running,
    output: Option<[Arc<File>; 2]>,
) -> Result<Child, Ending> {
    let child = command.spawn().map_err(Ending::Unstartable)?;
    let leader = Pid::from_child(&child);
    running.begin(Process::new(leader, group, told.execution, output));
    Ok(child)
}

/// Waits for the leader, kills what is left of its group, and reaps it. Says how it
/// ended, and whether it left processes behind.
fn finish(child: &mut Child, running: &Running, group: bool) -> (Ending, bool) {
    let leader = Pid::from_child(child);
    let waited = wait_for_end(leader, group);
    let killed = running.end(leader);
    if group {
        // The leader is not reaped yet, so its number still means this group.
        kill(leader, true);
    }
    let reaped = child.wait();
    let leftover = group && test_kill_process_group(leader).is_ok();
    let ending = match (waited, reaped, killed) {
        (Err(error), ..) | (_, Err(error), _) => Ending::Lost(error),
        (Ok(Waited::WantsTerminal), ..) => Ending::WantsTerminal,
        // Whatever the status: a leader that was alive when its time was over may
        // still have ended by itself before the signal arrived.
        (_, _, Some(Killed::Stopped)) => Ending::Stopped,
        (_, _, Some(Killed::TimedOut)) => Ending::TimedOut,
        (_, _, Some(Killed::Flooded(stream))) => Ending::Flooded(stream),
        (_, Ok(status), None) => Ending::Exited(status),
    };
    (ending, leftover)
}

enum Waited {
    Ended,
    WantsTerminal,
}

/// Waits without reaping, so that the number of the leader stays taken. In the
/// foreground, a program that is stopped is left to its terminal.
fn wait_for_end(leader: Pid, group: bool) -> io::Result<Waited> {
    let mut ended = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    if group {
        ended |= WaitIdOptions::STOPPED;
    }
    loop {
        let status = retry_on_intr(|| waitid(WaitId::Pid(leader), ended))?;
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
