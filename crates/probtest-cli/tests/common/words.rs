//! What probtest says, written once for all tests of the command.

// Each test file uses its own part of this.
#![allow(dead_code)]

pub fn violated_at(index: u64, planned: u64) -> String {
    format!("probtest: violated at execution {index} of {planned}")
}

pub fn inconclusive_after(executed: u64, planned: u64) -> String {
    format!("probtest: inconclusive after {executed} of {planned} executions")
}

pub fn no_violation(executions: u64) -> String {
    format!("probtest: {executions} executions, no violation")
}

pub fn missed_with(p: &str, chance: &str) -> String {
    format!("a violation probability >= {p} would have been missed with probability {chance}")
}

pub fn within_budget(executed: u64, planned: u64) -> String {
    format!("passed within budget after {executed} of {planned} executions, no violation")
}
