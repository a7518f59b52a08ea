//! Does probtest keep its own promises?
//!
//! Every kind of claim is held against programs whose rates are known, and the
//! chance of a wrong answer against the one that was promised: exactly where a
//! dynamic program can follow all ways in which executions go, by simulation
//! through the public functions elsewhere. The result is the table of
//! `docs/reference/calibration.md`, which `make calibrate` writes.
//!
//! Nothing here uses how the library finds its plans: boundaries are read from
//! [`SequentialTest::passes`](probtest::plan::SequentialTest::passes) and
//! [`SequentialTest::fails`](probtest::plan::SequentialTest::fails), and the judge
//! is fed one record at a time.

mod case;
mod contrast;
mod cover;
mod detect;
mod estimating;
mod grid;
mod intervals;
mod judged;
mod numeric;
pub mod page;
mod row;
mod suite;
mod tolerate;
mod walk;

pub use crate::counting::Done;
pub use case::{Case, Effort, Section};
pub use contrast::{Contrast, contrasts};
pub use grid::sections;
pub use row::{DOUBT, Found, Row, Verdict};
