//! The command `probtest`: plan, run and replay tests of any program that uses
//! randomness.
//!
//! One file for each command. What a plan or a verdict means is said by
//! `probtest::report`; here are only the options, the processes and the exit
//! codes.

#[cfg(not(unix))]
compile_error!("the command `probtest` needs process groups and signals, which only Unix has");

mod claim_options;
mod cli;
mod completions;
mod environment;
mod estimate;
mod executor;
mod exit;
mod failure;
mod man;
mod output;
mod plan;
mod program;
mod progress;
mod reading;
mod replay;
mod report;
mod run;
mod sensitivity;
mod values;
mod way;

use std::process::ExitCode;

use clap::Parser;
use cli::{Cli, Command};

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return cli::refuse(&error).into(),
    };
    let (json, result) = match &cli.command {
        Command::Plan(options) => (options.json, plan::carry_out(options)),
        Command::Sensitivity(options) => (options.json, sensitivity::carry_out(options)),
        Command::Run(options) => (options.json, run::carry_out(options)),
        Command::Estimate(options) => (options.json, estimate::carry_out(options)),
        Command::Replay(options) => (options.json, replay::carry_out(options)),
        Command::Report(options) => (options.json, report::carry_out(options)),
        Command::Completions(options) => (false, completions::carry_out(options)),
        Command::Man(options) => (false, man::carry_out(options)),
    };
    result.unwrap_or_else(|failure| failure.tell(json)).into()
}
