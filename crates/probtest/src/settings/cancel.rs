//! Stopping from outside.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A switch that ends a run from another thread or a signal handler.
///
/// Clones share the switch. The run ends before its next execution and its
/// verdict is inconclusive, with what was done.
///
/// ```
/// use probtest::settings::Cancel;
///
/// let cancel = Cancel::new();
/// let elsewhere = cancel.clone();
/// elsewhere.cancel();
/// assert!(cancel.is_cancelled());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Makes a switch that is off.
    pub fn new() -> Self {
        Cancel::default()
    }

    /// Turns the switch on, for good.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Says whether the switch is on.
    #[inline]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
