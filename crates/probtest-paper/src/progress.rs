//! How far the work has come, and Ctrl-C.

use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use indicatif::{ProgressBar, ProgressStyle};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;

use crate::{Failure, UNFINISHED};

/// One line on a terminal, nothing anywhere else; and a switch that a signal turns on.
pub struct Progress {
    line: ProgressBar,
    interrupted: Arc<AtomicBool>,
}

impl Progress {
    /// Begins to count pieces of work, and to listen to signals. A second signal ends the
    /// process at once.
    pub fn begin(pieces: u64) -> Result<Progress, Failure> {
        let interrupted = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            let code = i32::from(UNFINISHED);
            flag::register_conditional_shutdown(signal, code, Arc::clone(&interrupted))
                .and_then(|_| flag::register(signal, Arc::clone(&interrupted)))
                .map_err(|error| {
                    Failure::unfinished(format!("can't listen for signals: {error}"))
                })?;
        }
        let line = match std::io::stderr().is_terminal() {
            true => ProgressBar::new(pieces),
            false => ProgressBar::hidden(),
        };
        let template = "{bar:24} {pos} of {len} tasks, {eta} left";
        if let Ok(style) = ProgressStyle::with_template(template) {
            line.set_style(style.progress_chars("=> "));
        }
        Ok(Progress { line, interrupted })
    }

    /// Counts a piece, and says whether to go on; from any thread.
    pub fn done(&self) -> ControlFlow<()> {
        self.line.inc(1);
        match self.interrupted() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }

    pub fn interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }
}

impl Drop for Progress {
    /// Takes the line away, so that the answer stands alone.
    fn drop(&mut self) {
        self.line.finish_and_clear();
    }
}
