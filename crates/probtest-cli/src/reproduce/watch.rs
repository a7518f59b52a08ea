//! Watching a study: how far it has come, and Ctrl-C.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::progress::ProgressLine;

/// Shows progress on a terminal and listens to signals.
pub struct Watch {
    line: Option<ProgressLine>,
    interrupted: Arc<AtomicBool>,
}

impl Watch {
    /// Begins to watch a study of some pieces, called `what`.
    ///
    /// # Errors
    ///
    /// When the system refuses to tell of signals.
    pub fn begin(what: &str, pieces: u64) -> Result<Watch, Failure> {
        Ok(Watch {
            interrupted: interruption()?,
            line: ProgressLine::counting(what, pieces),
        })
    }

    /// Counts a piece, and says whether to go on; from any thread.
    pub fn done(&self) -> ControlFlow<()> {
        if let Some(line) = &self.line {
            line.advance();
        }
        match self.interrupted.load(Ordering::Relaxed) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }

    /// Takes the line away, and hands on the rows of a study that came to its end.
    ///
    /// # Errors
    ///
    /// When it did not.
    pub fn end<T>(self, rows: Option<T>) -> Result<T, Failure> {
        drop(self.line);
        rows.ok_or_else(|| {
            Failure::unfinished("interrupted before the table was complete; nothing was written")
        })
    }
}

/// Makes a switch that a signal turns on, so that the study can end in order. A
/// second signal ends it at once.
fn interruption() -> Result<Arc<AtomicBool>, Failure> {
    let switch = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        let code = i32::from(Exit::Unfinished.code());
        flag::register_conditional_shutdown(signal, code, Arc::clone(&switch))
            .and_then(|_| flag::register(signal, Arc::clone(&switch)))
            .map_err(|error| {
                Failure::unfinished(format!("signals cannot be listened to: {error}"))
            })?;
    }
    Ok(switch)
}
