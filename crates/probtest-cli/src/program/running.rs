//! Which executions are under way, and ending them from outside.
//!
//! A group may be killed only while its leader has not been reaped: until then its number
//! cannot belong to anybody else. The list holds the leader exactly that long, and killing
//! happens under its lock. For the same reason the leader can be asked there whether it
//! has ended by itself.

use std::fs::File;
use std::os::fd::AsFd;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, waitid,
};

/// The most that one execution may write to one stream: a program that writes
/// without end must not fill the disk.
pub const MOST_OUTPUT: u64 = 256 << 20;
/// How often the timekeeper looks at sizes, so that the disk stays free; what counts
/// is the size at the end. Time-outs are met exactly.
const LOOK: Duration = Duration::from_millis(100);

/// Why the way an execution ended does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Killed {
    TimedOut,
    /// It wrote too much to this stream.
    Flooded(&'static str),
    /// Nobody needs its result any more.
    Stopped,
}

pub struct Process {
    leader: Pid,
    /// Whether that leads a group, as all do but one in the foreground.
    group: bool,
    /// The number of the execution, from 1.
    index: u64,
    output: Option<[Arc<File>; 2]>,
    deadline: Option<Instant>,
    killed: Option<Killed>,
}

impl Process {
    pub fn new(leader: Pid, group: bool, index: u64, output: Option<[Arc<File>; 2]>) -> Process {
        Process { leader, group, index, output, deadline: None, killed: None }
    }

    /// Kills the execution, unless its leader has ended by itself: then the way
    /// it ended counts.
    fn kill(&mut self, why: Killed) {
        if !has_ended(self.leader) {
            self.killed.get_or_insert(why);
            kill(self.leader, self.group);
        }
    }

    /// The stream that it wrote too much to, if there is one.
    fn flooded(&self) -> Option<&'static str> {
        let too_long = |file: &File| {
            rustix::fs::fstat(file.as_fd())
                .is_ok_and(|found| u64::try_from(found.st_size).unwrap_or(0) > MOST_OUTPUT)
        };
        let [stdout, stderr] = self.output.as_ref()?;
        match (too_long(stdout), too_long(stderr)) {
            (true, _) => Some("stdout"),
            (false, true) => Some("stderr"),
            (false, false) => None,
        }
    }
}

/// Kills a leader that has not been reaped, and its group if it leads one.
pub fn kill(leader: Pid, group: bool) {
    // Killing cannot fail but for a process that has changed its user; then
    // nothing can be done about it.
    if group {
        let _ = kill_process_group(leader, Signal::KILL);
    }
    // The leader may have moved to another group, where the above misses it.
    let _ = kill_process(leader, Signal::KILL);
}

/// Says whether a leader that has not been reaped is nothing but its status.
fn has_ended(leader: Pid) -> bool {
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    matches!(waitid(WaitId::Pid(leader), look), Ok(Some(_)))
}

pub struct Running {
    timeout: Option<Duration>,
    state: Mutex<State>,
}

struct State {
    processes: Vec<Process>,
    /// No execution after this one is needed; 0 once everything was stopped.
    last: u64,
}

impl Running {
    pub fn new(timeout: Option<Duration>) -> Arc<Running> {
        Arc::new(Running {
            timeout,
            state: Mutex::new(State { processes: Vec::new(), last: u64::MAX }),
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes care of an execution from now on.
    pub fn begin(&self, mut process: Process) {
        process.deadline = self.timeout.and_then(|t| Instant::now().checked_add(t));
        let mut state = self.lock();
        if process.index > state.last {
            process.kill(Killed::Stopped);
        }
        state.processes.push(process);
    }

    /// Says that an execution has ended; from now on it may be reaped.
    ///
    /// Writing too much is seen here at the latest, so that it does not depend on
    /// when the timekeeper looked.
    pub fn end(&self, leader: Pid) -> Option<Killed> {
        let mut state = self.lock();
        let mut processes = state.processes.iter();
        let place = processes.position(|process| process.leader == leader)?;
        let process = state.processes.swap_remove(place);
        drop(state);
        match process.killed {
            Some(Killed::Stopped) => process.killed,
            killed => process.flooded().map(Killed::Flooded).or(killed),
        }
    }

    pub fn is_stopped(&self) -> bool {
        self.lock().last == 0
    }

    /// Kills everything under way, and everything that begins from now on.
    pub fn stop(&self) {
        self.stop_after(0);
    }

    /// Kills what is under way after this execution, and what begins there from now on.
    pub fn stop_after(&self, index: u64) {
        let mut state = self.lock();
        state.last = state.last.min(index);
        for process in &mut state.processes {
            if process.index > index {
                process.kill(Killed::Stopped);
            }
        }
    }

    /// Kills what takes too long or writes too much; says when to look again.
    fn look(&self) -> Duration {
        // All have the same time, so what begins later is due later: looking
        // again after that time at the latest misses none.
        let mut pause = self.timeout.map_or(LOOK, |timeout| timeout.min(LOOK));
        for process in &mut self.lock().processes {
            if process.killed.is_some() {
                continue;
            }
            let now = Instant::now();
            if let Some(deadline) = process.deadline {
                if deadline <= now {
                    process.kill(Killed::TimedOut);
                    continue;
                }
                pause = pause.min(deadline - now);
            }
            if let Some(stream) = process.flooded() {
                process.kill(Killed::Flooded(stream));
            }
        }
        pause.max(Duration::from_micros(200))
    }
}

/// The thread that kills what takes too long or writes too much, while it lives.
pub struct Timekeeper {
    quit: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Timekeeper {
    pub fn start(running: &Arc<Running>) -> std::io::Result<Timekeeper> {
        let running = Arc::clone(running);
        let (quit, quitting) = channel::<()>();
        let thread = std::thread::Builder::new().name("probtest-time".into()).spawn(move || {
            while quitting.recv_timeout(running.look()) == Err(RecvTimeoutError::Timeout) {}
        })?;
        Ok(Timekeeper { quit: Some(quit), thread: Some(thread) })
    }
}

impl Drop for Timekeeper {
    fn drop(&mut self) {
        self.quit = None;
        if let Some(thread) = self.thread.take() {
            // It has nothing that could panic; if it did, there is nothing to end.
            let _ = thread.join();
        }
    }
}
