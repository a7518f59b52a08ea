//! Ctrl-C while a study is under way.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;

use crate::exit::Exit;
use crate::failure::Failure;

/// Makes a switch that a signal turns on, so that the study can end in order. A
/// second signal ends it at once.
///
/// # Errors
///
/// When the system refuses.
pub fn interruption() -> Result<Arc<AtomicBool>, Failure> {
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
