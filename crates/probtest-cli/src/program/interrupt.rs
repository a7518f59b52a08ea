//! Ctrl-C and its relatives: everything under way ends, nothing is left behind.

use std::sync::Arc;
use std::thread::JoinHandle;

use probtest::run::Cancel;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::{Handle, Signals};

use super::Board;
use crate::exit::Exit;

/// While it lives, a signal that would end this process stops the board first.
pub struct Interrupt {
    handle: Handle,
    thread: Option<JoinHandle<()>>,
}

impl Interrupt {
    /// Begins to listen. With `leave_ctrl_c`, Ctrl-C is for the program in the
    /// foreground and does nothing here.
    ///
    /// # Errors
    ///
    /// When the system gives no handler or no thread.
    pub fn listen(
        board: &Arc<Board>,
        cancel: &Cancel,
        leave_ctrl_c: bool,
    ) -> std::io::Result<Interrupt> {
        let ignored = ignored_signals();
        // What was ignored at the start stays so: `nohup` relies on it.
        let signals: Vec<i32> = [SIGINT, SIGTERM, SIGHUP]
            .into_iter()
            .filter(|signal| ignored >> (signal - 1) & 1 == 0)
            .collect();
        let mut signals = Signals::new(signals)?;
        let handle = signals.handle();
        let (board, cancel) = (Arc::clone(board), cancel.clone());
        let thread = std::thread::Builder::new()
            .name("probtest-signals".into())
            .spawn(move || {
                for signal in signals.forever() {
                    if signal == SIGINT && leave_ctrl_c {
                        continue;
                    }
                    if board.is_stopped() {
                        // The second time nobody wants to wait for a report.
                        std::process::exit(Exit::Unfinished.code().into());
                    }
                    cancel.cancel();
                    board.stop();
                }
            })?;
        Ok(Interrupt {
            handle,
            thread: Some(thread),
        })
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
