//! `probtest reproduce`: the studies of the paper, carried out again.
//!
//! One file for each kind of study. What a study does and how its table looks is in the
//! crate `probtest-studies`; here are the options and the files.

mod files;
mod reinforcement;
mod settings;
mod skip_list;
mod watch;

use clap::Subcommand;

use crate::exit::Exit;
use crate::failure::Failure;

/// Carries out a study of the paper again, and sets its answers beside the
/// published ones
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  probtest reproduce skip-list
  probtest reproduce skip-list --repeats 100 --out tables
  probtest reproduce frozen-lake --lake 4x4 --episodes 10,20,50
  probtest reproduce cliff-walking --samples 1000000")]
pub struct Options {
    /// Which study.
    #[command(subcommand)]
    study: Study,
}

#[derive(Subcommand, Debug)]
enum Study {
    /// How often 26 tests of a skip list find each of eight bugs
    SkipList(skip_list::Options),
    /// How often tests of trained agents on a frozen lake find that they fall, or
    /// do not arrive
    FrozenLake(reinforcement::FrozenLake),
    /// How often tests of trained agents beside a cliff find that they fall
    CliffWalking(reinforcement::CliffWalking),
}

impl Options {
    /// Says whether the answer is to be JSON.
    pub fn json(&self) -> bool {
        match &self.study {
            Study::SkipList(options) => options.json,
            Study::FrozenLake(options) => options.measure.json,
            Study::CliffWalking(options) => options.measure.json,
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
        Study::SkipList(options) => skip_list::carry_out(options),
        Study::FrozenLake(options) => options.carry_out(),
        Study::CliffWalking(options) => options.carry_out(),
    }
}
