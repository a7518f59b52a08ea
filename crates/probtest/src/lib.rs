//! Unit tests for programs that use randomness.
pub mod claim;
pub mod judge;
pub mod plan;
pub mod report;
pub mod run;
pub mod seed;
pub use seed::TestRng;
