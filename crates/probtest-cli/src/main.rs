//! The command `probtest`: plan, run and replay tests of any program that uses
//! randomness.
//!
//! One file for each command or two similar ones. `probtest::report` says what a plan or a
//! verdict means; here are only the options, the processes and the exit codes.

#[cfg(not(unix))]
compile_error!("the command `probtest` needs process groups and signals, which only Unix has");

mod audit;
mod cli;
mod compare;
mod flags;
mod git;
mod output;
mod plan;
mod processes;
mod program;
mod replay;
mod report;
mod run;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Tests programs that use randomness: computes how many executions are enough,
/// runs them, and tells you what the result proves
#[derive(Parser)]
#[command(
    name = "probtest",
    version,
    after_help = "Examples:
  probtest plan --p 0.01 --epsilon 0.02
  probtest run --p 0.01 --epsilon 0.02 -- ./simulate --seed {seed}
  probtest estimate --width 0.01 -- ./simulate --seed {seed}
  probtest compare --p-change 0.01 -- ./old {seed} --- ./new {seed}
  probtest replay 0x5eed:9 -- ./simulate --seed {seed}

Exit codes:
  0  passed: the whole plan, an accepted budget, or a shard's part; or there was nothing to judge
  1  violated: an execution is a counterexample
  2  usage: an option, a claim or the command is wrong; nothing was judged
  3  could not finish: interrupted, out of budget, or broken; no verdict

With --json the answer, or an object with the field `error`, is one JSON object on
stdout; errors appear on stderr as well."
)]
struct Cli {
    /// What to do.
    #[command(subcommand)]
    command: Command,
}

/// The commands.
#[derive(Subcommand)]
enum Command {
    /// Show how many executions a claim needs, or what a number of executions proves
    Plan(plan::Options),
    /// Show what happens if you plan with a p that is too large
    Sensitivity(plan::SensitivityOptions),
    /// Run a program as often as its claim needs, and judge it
    Run(run::Options),
    /// Run a program until its violation rate is known precisely enough
    Estimate(run::EstimateOptions),
    /// Run an old and a new version on the same seeds: did it get worse?
    Compare(compare::Options),
    /// Measure how flaky each test of a cargo suite is
    Audit(audit::Options),
    /// Rerun a single execution of `run` or `compare`
    Replay(replay::Options),
    /// Report on a suite of tests, from their JSON results
    Report(report::Options),
    /// Put the shards of a suite together, and judge them
    Merge(report::MergeOptions),
    /// Print completions for a shell
    Completions(cli::CompletionsOptions),
    /// Write the manual page
    Man(cli::ManOptions),
}

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
        Command::Sensitivity(options) => (options.json, plan::sensitivity(options)),
        Command::Run(options) => (options.program.json, run::run(options)),
        Command::Audit(options) => (options.json, audit::run(options)),
        Command::Estimate(options) => (options.program.json, run::estimate(options)),
        Command::Compare(options) => (options.program.json, compare::run(options)),
        Command::Replay(options) => (options.json, replay::run(options)),
        Command::Report(options) => (options.json, report::run(options)),
        Command::Merge(options) => (options.json, report::merge(options)),
        Command::Completions(options) => (false, cli::completions(options)),
        Command::Man(options) => (false, cli::man(options)),
    };
    result.unwrap_or_else(|failure| failure.tell(json)).into()
}
