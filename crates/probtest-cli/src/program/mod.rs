//! Executing a program: find it, start it, wait for it, clean up after it.
//!
//! Each execution is a process group of its own, so that whatever it leaves
//! behind can be ended with it. Its output goes to unlinked files instead of
//! pipes: nothing has to read along, and a process that keeps a stream open
//! keeps nobody waiting. What an execution means for a claim is not known here.

mod capture;
mod clock;
mod ending;
mod find;
mod interrupt;
mod running;
mod template;
mod worker;

pub use capture::Capture;
pub use clock::{ClockWatch, now};
pub use ending::Ending;
pub use interrupt::Interrupt;
pub use running::{Running, Timekeeper};
pub use template::{ExecutionSeed, Program};
pub use worker::{Background, Foreground};
