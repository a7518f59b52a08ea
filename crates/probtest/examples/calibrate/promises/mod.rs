//! Does probtest keep its own promises?
//!
//! Every kind of claim is checked with programs whose rates are known, and the chance of a wrong
//! answer is compared with the promised one: exactly if a dynamic program can follow all possible
//! sequences of executions, otherwise by simulation through the public functions. The result is the
//! table in `docs/reference/calibration.md`, which `make calibrate` writes.
//!
//! Nothing here uses how the library finds its plans: boundaries are read from
//! [`SequentialTest::passes`](probtest::plan::SequentialTest::passes) and
//! [`SequentialTest::fails`](probtest::plan::SequentialTest::fails), and the judge is fed one
//! record at a time. Library calls are in `library.rs` where possible.

// The page and the test each use only a part.
#![allow(dead_code)]

mod case;
mod compare;
mod contrast;
mod cover;
mod detect;
mod estimating;
mod flakes;
mod intervals;
mod library;
mod numeric;
pub mod page;
mod suite;
mod tolerate;
mod walk;

pub use case::{Case, DOUBT, Effort, Found, Row, Section, Verdict};
pub use contrast::{Contrast, contrasts};
pub use flakes::section as flakes;

/// The promises of every kind of claim, with the programs to check them with.
pub fn sections() -> Vec<Section> {
    vec![
        detect::section(),
        cover::section(),
        tolerate::section(),
        intervals::section(),
        estimating::section(),
        numeric::means(),
        numeric::labels(),
        compare::section(),
        suite::section(),
    ]
}
