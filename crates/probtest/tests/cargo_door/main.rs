//! What a developer who runs `cargo test` sees: the attribute, the environment, the failure texts
//! and the memory, from outside the process.
//!
//! Each test starts the binary of `tests/fixture`. Seeds are fixed if the outcome depends on
//! chance.

mod budgets;
mod claims;
mod endings;
mod fixture;
mod journals;
mod lines;
mod seeds;
mod settings;
mod suites;
mod tolerate;
mod verdicts;
mod workspace;
