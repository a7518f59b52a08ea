//! `probtest reproduce`: the studies of the paper, carried out again.
//!
//! One file for each kind of study. What a study does and how its table looks is in the
//! crate `probtest-studies`, figures and page are in `probtest-figures`; here are the
//! options and the files.

mod all;
mod files;
mod parts;
mod reinforcement;
mod report;
mod settings;
mod skip_list;
mod training;
mod watch;

use clap::Subcommand;
use parts::Part;

use crate::exit::Exit;
use crate::failure::Failure;

/// Carries out the studies of the paper again, draws its figures, and sets the
/// answers beside the published ones
#[derive(clap::Args, Debug)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Without a study: everything. Writes CSV, SVG and PNG files, and index.html, which shows
them beside the published numbers: what agrees, what differs, and why. That a number
differs from the paper is no failure; ends with 1 when a promise of probtest is not
kept. On Ctrl-C the page has the parts that were complete.

Examples:
  probtest reproduce
  probtest reproduce --quick --out tables
  probtest reproduce figures
  probtest reproduce skip-list --repeats 100 --out tables
  probtest reproduce frozen-lake --lake 4x4 --episodes 10,20,50
  probtest reproduce cliff-walking --samples 1000000"
)]
pub struct Options {
    /// Which study.
    #[command(subcommand)]
    study: Option<Study>,

    /// Everything.
    #[command(flatten)]
    all: all::Parts,
}

#[derive(Subcommand, Debug)]
enum Study {
    /// The figures of the paper alone
    Figures(all::Parts),
    /// How often 26 tests of a skip list find each of eight bugs
    SkipList(skip_list::Options),
    /// How often tests of trained agents on a frozen lake find that they fall, or
    /// do not arrive
    FrozenLake(reinforcement::FrozenLake),
    /// How often tests of trained agents beside a cliff find that they fall
    CliffWalking(reinforcement::CliffWalking),
    /// How many executions other methods need
    Comparison(all::Parts),
}

impl Options {
    /// Says whether the answer is to be JSON.
    pub fn json(&self) -> bool {
        match &self.study {
            None => self.all.settings.json,
            Some(Study::Figures(options) | Study::Comparison(options)) => options.settings.json,
            Some(Study::SkipList(options)) => options.settings.json,
            Some(Study::FrozenLake(options)) => options.measure.settings.json,
            Some(Study::CliffWalking(options)) => options.measure.settings.json,
        }
    }
}

/// Carries out the command.
///
/// # Errors
///
/// As the study.
pub fn carry_out(options: &Options) -> Result<Exit, Failure> {
    match &options.study {
        None => options.all.carry_out(all::EVERYTHING, &Part::ALL),
        Some(Study::Figures(options)) => options.carry_out("figures", &Part::FIGURES),
        Some(Study::SkipList(options)) => skip_list::carry_out(options),
        Some(Study::FrozenLake(options)) => options.carry_out(),
        Some(Study::CliffWalking(options)) => options.carry_out(),
        Some(Study::Comparison(options)) => options.carry_out("comparison", &[Part::Comparison]),
    }
}
