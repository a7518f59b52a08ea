//! `probtest man`: the manual pages.

use std::path::PathBuf;

use clap::CommandFactory;
use clap_mangen::Man;

use crate::cli::Cli;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output;

/// Writes the manual page of probtest to stdout, or one page for each command
/// to a folder
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  probtest man | man -l -
  probtest man --out ~/.local/share/man/man1")]
pub struct Options {
    /// Write probtest.1, probtest-plan.1 and so on into this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
///
/// When the pages cannot be written.
pub fn run(options: &Options) -> Result<Exit, Failure> {
    if let Some(folder) = &options.out {
        std::fs::create_dir_all(folder)
            .and_then(|()| clap_mangen::generate_to(Cli::command(), folder))
            .map_err(|error| {
                Failure::given(
                    format!("the manual pages cannot be written: {error}"),
                    format!("--out {}", folder.display()),
                    "name a folder that you may write to",
                )
            })?;
        return Ok(Exit::Passed);
    }
    let mut page = Vec::new();
    Man::new(Cli::command())
        .render(&mut page)
        .map_err(|error| Failure::unfinished(format!("the manual page cannot be made: {error}")))?;
    output::print(&String::from_utf8_lossy(&page))?;
    Ok(Exit::Passed)
}
