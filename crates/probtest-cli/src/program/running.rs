//! Which executions are running, and how to end them from outside.
//!
//! A group may be killed only while its leader hasn't been reaped: until then, its pid can't belong
//! to another process. The list has the leader exactly that long, and killing happens under its
//! lock. For the same reason, the leader can be asked there whether it has ended by itself.

use std::fs::File;
use std::io;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use probtest::settings::Cancel;
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, waitid,
};
use signal_hook::consts::{SIGALRM, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU};
use signal_hook::iterator::{Handle, Signals};

use super::Ending;
use crate::output::Exit;

/// The most that one execution may write to one stream: a program that never stops writing must not
/// fill the disk.
pub const MOST_OUTPUT: u64 = 256 << 20;
/// How often to check sizes, so that the disk doesn't fill up; what counts is the size at the end.
/// Time-outs are exact.
const LOOK: Duration = Duration::from_millis(100);
/// The signals that end a process; every Rust program ignores SIGPIPE.
const ENDING: [i32; 8] = [SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGALRM, SIGXCPU];
/// Signals this close together count as one: the terminal sends Ctrl-C to a whole group, and a
/// parent in it may pass it on.
const TOGETHER: Duration = Duration::from_millis(500);

struct Process {
    leader: Pid,
    /// Whether it leads a group, like all except one in the foreground.
    group: bool,
    index: u64,
    output: Option<[Arc<File>; 2]>,
    deadline: Option<Instant>,
    /// Why the way it ended doesn't count.
    killed: Option<Ending>,
}

impl Process {
    /// Kills the execution, unless its leader has ended by itself: then the way it ended counts.
    fn kill(&mut self, why: Ending) {
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        if !matches!(waitid(WaitId::Pid(self.leader), look), Ok(Some(_))) {
            self.killed.get_or_insert(why);
            kill(self.leader, self.group);
        }
    }

    /// The stream that it wrote too much to, if any.
    fn flooded(&self) -> Option<Ending> {
        let too_long = |file: &File| file.metadata().is_ok_and(|found| found.len() > MOST_OUTPUT);
        let [stdout, stderr] = self.output.as_ref()?;
        match (too_long(stdout), too_long(stderr)) {
            (true, _) => Some(Ending::Flooded("stdout")),
            (false, true) => Some(Ending::Flooded("stderr")),
            (false, false) => None,
        }
    }
}

/// Kills a leader that hasn't been reaped, and its group if it leads one.
pub fn kill(leader: Pid, group: bool) {
    // Killing only fails for a process that has changed its user; nothing can be done about that.
    if group {
        let _ = kill_process_group(leader, Signal::KILL);
    }
    // The leader may have moved to another group, where the above misses it.
    let _ = kill_process(leader, Signal::KILL);
}

pub struct Running {
    timeout: Option<Duration>,
    /// Set by a signal that would end this process.
    pub cancel: Cancel,
    state: Mutex<State>,
}

struct State {
    processes: Vec<Process>,
    /// No execution after this one is needed; 0 once everything is stopped.
    last: u64,
}

impl Running {
    pub fn new(timeout: Option<Duration>) -> Arc<Running> {
        let state = Mutex::new(State { processes: Vec::new(), last: u64::MAX });
        Arc::new(Running { timeout, cancel: Cancel::new(), state })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tracks an execution from now on.
    pub fn begin(&self, leader: Pid, group: bool, index: u64, output: Option<[Arc<File>; 2]>) {
        let deadline = self.timeout.and_then(|t| Instant::now().checked_add(t));
        let mut process = Process { leader, group, index, output, deadline, killed: None };
        let mut state = self.lock();
        if index > state.last {
            process.kill(Ending::Stopped);
        }
        state.processes.push(process);
    }

    /// Marks an execution as ended, and returns why that doesn't count; from now on it may be
    /// reaped.
    ///
    /// Excessive output is noticed here at the latest, so it doesn't depend on when sizes were
    /// checked.
    pub fn end(&self, leader: Pid) -> Option<Ending> {
        let mut state = self.lock();
        let mut processes = state.processes.iter();
        let place = processes.position(|process| process.leader == leader)?;
        let mut process = state.processes.swap_remove(place);
        drop(state);
        match process.killed.take() {
            Some(Ending::Stopped) => Some(Ending::Stopped),
            killed => process.flooded().or(killed),
        }
    }

    pub fn is_stopped(&self) -> bool {
        self.lock().last == 0
    }

    /// Kills everything that is running, and everything that starts from now on.
    pub fn stop(&self) {
        self.stop_after(0);
    }

    /// Kills executions after this one, and those that start from now on.
    pub fn stop_after(&self, index: u64) {
        let mut state = self.lock();
        state.last = state.last.min(index);
        for process in state.processes.iter_mut().filter(|process| process.index > index) {
            process.kill(Ending::Stopped);
        }
    }

    /// Kills what takes too long or writes too much; returns when to check again.
    fn look(&self) -> Duration {
        // All have the same time limit, so what starts later is due later: checking again after
        // that time at the latest misses none.
        let mut pause = self.timeout.map_or(LOOK, |timeout| timeout.min(LOOK));
        for process in &mut self.lock().processes {
            if process.killed.is_some() {
                continue;
            }
            let now = Instant::now();
            if let Some(deadline) = process.deadline {
                if deadline <= now {
                    process.kill(Ending::TimedOut);
                    continue;
                }
                pause = pause.min(deadline - now);
            }
            if let Some(flooded) = process.flooded() {
                process.kill(flooded);
            }
        }
        pause.max(Duration::from_micros(200))
    }
}

/// While it lives, executions that take too long or write too much are killed, and a signal that
/// would end this process stops every execution first.
pub struct Watchdog {
    signals: Handle,
    quit: Option<Sender<()>>,
    threads: Vec<JoinHandle<()>>,
}

impl Watchdog {
    /// Starts watching. With `leave_keys`, Ctrl-C and Ctrl-\ are for the program in the foreground
    /// and do nothing here.
    pub fn start(running: &Arc<Running>, leave_keys: bool) -> io::Result<Watchdog> {
        let ignored = ignored_signals();
        // Signals ignored at the start stay ignored: `nohup` relies on it.
        let heard = ENDING.into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0);
        let mut signals = Signals::new(heard)?;
        let (quit, quitting) = channel::<()>();
        let mut watch =
            Watchdog { signals: signals.handle(), quit: Some(quit), threads: Vec::new() };
        let looking = Arc::clone(running);
        watch.threads.push(Builder::new().name("probtest-time".into()).spawn(move || {
            while quitting.recv_timeout(looking.look()) == Err(RecvTimeoutError::Timeout) {}
        })?);
        let running = Arc::clone(running);
        watch.threads.push(Builder::new().name("probtest-signals".into()).spawn(move || {
            let mut first: Option<Instant> = None;
            for signal in signals.forever() {
                if leave_keys && [SIGINT, SIGQUIT].contains(&signal) {
                    continue;
                }
                match first {
                    None => {
                        first = Some(Instant::now());
                        running.cancel.cancel();
                        running.stop();
                    }
                    Some(first) if first.elapsed() < TOGETHER => {}
                    // Something can't be killed, and isn't worth waiting for.
                    Some(_) => std::process::exit(Exit::Unfinished as i32),
                }
            }
        })?);
        Ok(watch)
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.signals.close();
        self.quit = None;
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

/// The signals that this process was started to ignore, one bit each; 0 if the system doesn't say.
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}
