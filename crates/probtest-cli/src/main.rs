//! The command `probtest`: plan, run and replay tests of any program that uses
//! randomness.
//!
//! A file for each command or two alike. What a plan or a verdict means is said by
//! `probtest::report`; here are only the options, the processes and the exit
//! codes.

#[cfg(not(unix))]
compile_error!("the command `probtest` needs process groups and signals, which only Unix has");

mod audit;
mod cli;
mod compare;
mod endings;
mod exit;
mod failure;
mod flags;
mod git;
mod output;
mod plan;
mod processes;
mod program;
mod progress;
mod replay;
mod report;
mod run;
mod sensitivity;
mod shell;

use std::process::ExitCode;

use clap::Parser;
use cli::{Cli, Command};

fn main() -> ExitCode {
    if let Some(written) = audit::write_down() {
        return written;
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return cli::refuse(&error).into(),
    };
    let (json, result) = match &cli.command {
        Command::Plan(options) => (options.json, plan::run(options)),
        Command::Sensitivity(options) => (options.json, sensitivity::run(options)),
        Command::Run(options) => (options.program.json, run::run(options)),
        Command::Audit(options) => (options.json, audit::run(options)),
        Command::Estimate(options) => (options.program.json, run::estimate(options)),
        Command::Compare(options) => (options.program.json, compare::run(options)),
        Command::Replay(options) => (options.json, replay::run(options)),
        Command::Report(options) => (options.json, report::run(options)),
        Command::Merge(options) => (options.json, report::merge(options)),
        Command::Completions(options) => (false, shell::completions(options)),
        Command::Man(options) => (false, shell::man(options)),
    };
    result.unwrap_or_else(|failure| failure.tell(json)).into()
}
