//! The studies and figures of the ProbTest paper, run again beside the published numbers.
//!
//! A study is a real program, tests for it, bugs that were put in, and the question whether
//! probtest finds them as often as it promises. Nothing here prints or reads the environment;
//! the command `probtest-paper` does.
//!
//! - [`counts`]: every number of executions that the paper names;
//! - [`comparison`]: what other methods need for the same promise;
//! - [`skip_list`]: a randomized data structure, 26 properties, 8 bugs;
//! - [`reinforcement`]: agents on a frozen lake and beside a cliff, trained too little.
//!
//! [`table`], [`figures`] (with [`draw`]) and [`page`] show them, beside the published numbers.

// Only this package uses it: a comment is where a name does not say it.
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

/// The examples of the documents are tested with those of the code.
#[cfg(doctest)]
mod documents {
    #[doc = include_str!("../../../docs/explanation/randomized-data-structures.md")]
    struct RandomizedDataStructures;

    #[doc = include_str!("../../../docs/explanation/reinforcement-learning.md")]
    struct ReinforcementLearning;
}
