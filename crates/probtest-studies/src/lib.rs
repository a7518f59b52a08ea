//! The case studies of the ProbTest paper, with exact answers beside the
//! measured ones.
//!
//! A study is a real program, tests for it, bugs that are known because they
//! were put in, and the question whether probtest finds them as often as it
//! promises. Nothing here prints or reads the environment; the command
//! `probtest reproduce` does.
//!
//! - [`counts`]: every number of executions that the paper names, and its first
//!   two figures;
//! - [`comparison`]: what other methods need for the same promise;
//! - [`skip_list`]: a randomized data structure, 26 properties, 8 bugs.
//! - [`reinforcement`]: agents on a frozen lake and beside a cliff, trained too little.
//! - [`calibration`]: does probtest keep its own promises, for every kind of claim?
//!
//! [`finding`] is what the pages have in common: a published number beside ours.

pub mod calibration;
pub mod comparison;
mod counting;
pub mod counts;
pub mod finding;
pub mod reinforcement;
pub mod skip_list;

/// The examples of the documents are tested with those of the code.
#[cfg(doctest)]
mod documents {
    #[doc = include_str!("../../../docs/explanation/randomized-data-structures.md")]
    struct RandomizedDataStructures;

    #[doc = include_str!("../../../docs/explanation/reinforcement-learning.md")]
    struct ReinforcementLearning;
}
