//! Ctrl-C and its relatives: everything under way ends, nothing is left behind.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use probtest::settings::Cancel;
use signal_hook::consts::{SIGALRM, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU};
use signal_hook::iterator::{Handle, Signals};

use super::Running;
use crate::output::Exit;

/// What somebody sends to end a process; SIGPIPE is ignored by every Rust program.
const ENDING: [i32; 8] = [SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGALRM, SIGXCPU];
/// Signals this close together are one wish: the terminal sends Ctrl-C to a whole
/// group, and a parent in it may pass it on.
const TOGETHER: Duration = Duration::from_millis(500);

/// While it lives, a signal that would end this process stops every execution first.
pub struct Interrupt {
    handle: Handle,
    thread: Option<JoinHandle<()>>,
}

impl Interrupt {
    /// Begins to listen. With `leave_keys`, Ctrl-C and Ctrl-\ are for the program
    /// in the foreground and do nothing here.
    pub fn listen(
        running: &Arc<Running>,
        cancel: &Cancel,
        leave_keys: bool,
    ) -> std::io::Result<Interrupt> {
        let ignored = ignored_signals();
        // What was ignored at the start stays so: `nohup` relies on it.
        let signals: Vec<i32> =
            ENDING.into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0).collect();
        let mut signals = Signals::new(signals)?;
        let handle = signals.handle();
        let (running, cancel) = (Arc::clone(running), cancel.clone());
        let thread =
            std::thread::Builder::new().name("probtest-signals".into()).spawn(move || {
                let mut first: Option<Instant> = None;
                for signal in signals.forever() {
                    if leave_keys && [SIGINT, SIGQUIT].contains(&signal) {
                        continue;
                    }
                    match first {
                        None => {
                            first = Some(Instant::now());
                            cancel.cancel();
                            running.stop();
                        }
                        Some(first) if first.elapsed() < TOGETHER => {}
                        // Something cannot be killed; nobody wants to wait for it.
                        Some(_) => std::process::exit(Exit::Unfinished as i32),
                    }
                }
            })?;
        Ok(Interrupt { handle, thread: Some(thread) })
    }
}

impl Drop for Interrupt {
    fn drop(&mut self) {
        self.handle.close();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The signals that this process was started to ignore, one bit each; none
/// where the system does not say.
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or(0)
}
