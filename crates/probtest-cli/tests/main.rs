//! The tests of the command, in one binary: linking dozens takes minutes.

mod audit;
mod budgets;
mod command;
mod common;
mod compare;
mod estimate;
mod how_to;
mod infrastructure;
mod json_forms;
mod options;
mod plan;
mod processes;
mod report;
mod report_forms;
mod report_input;
mod report_kinds;
mod report_packages;
mod run;
mod sensitivity;
mod shards;
