//! The studies and figures of the ProbTest paper, reproduced next to the published numbers.
//!
//! A study consists of a real program, tests for it, seeded bugs, and the question whether probtest
//! finds them as often as it promises. Nothing here prints or reads the environment; the command
//! `probtest-paper` does.
//!
//! - [`counts`]: every number of executions that the paper names;
//! - [`comparison`]: what other methods need for the same promise;
//! - [`skip_list`]: a randomized data structure, 26 properties, 8 bugs;
//! - [`reinforcement`]: undertrained agents on a frozen lake and along a cliff.
//!
//! [`table`], [`figures`] (with [`draw`]) and [`page`] show them next to the published numbers.

// Only this package uses it, so names that speak for themselves need no comment.
#![allow(missing_docs)]

pub mod comparison;
mod counting;
pub mod counts;
pub mod draw;
pub mod figures;
pub mod page;
pub mod reinforcement;
pub mod skip_list;
pub mod table;

/// Tests the examples in the documents along with those in the code.
#[cfg(doctest)]
mod documents {
    #[doc = include_str!("../../../docs/explanation/randomized-data-structures.md")]
    struct RandomizedDataStructures;

    #[doc = include_str!("../../../docs/explanation/reinforcement-learning.md")]
    struct ReinforcementLearning;
}
