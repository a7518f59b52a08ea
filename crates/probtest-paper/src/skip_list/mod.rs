//! The skip list: do tests find a bug that shows in one shape of a random structure?
//!
//! From the data structure to the table of the study:
//!
//! - [`SkipList`] with its [`Parameters`], and [`validity`]: what a list is;
//! - [`Bug`] and [`Subject`]: eight ways in which its operations go wrong;
//! - [`Property`]: 26 tests of a [`Subject`];
//! - [`exact`]: how likely each test is to see each bug, without sampling;
//! - [`study`]: how often probtest finds them, measured, next to the exact answer and the paper.

mod bugs;
pub mod exact;
pub mod keys;
mod list;
mod properties;
pub mod study;
pub mod validity;

pub use bugs::{Bug, Subject};
pub use list::{NodeRef, Parameters, SkipList};
pub use properties::{Property, Scene};

/// What a list is ordered by. Signed, since one of the bugs decrements a key.
pub type Key = i32;
