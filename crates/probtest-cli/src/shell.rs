//! `probtest completions` and `probtest man`: what a shell wants to know.

use std::path::PathBuf;

use clap::CommandFactory;
use clap_complete::Shell;
use clap_mangen::Man;

use crate::cli::Cli;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output;

/// Writes the completions of a shell to stdout
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  probtest completions bash > ~/.local/share/bash-completion/completions/probtest
  probtest completions fish > ~/.config/fish/completions/probtest.fish")]
pub struct CompletionsOptions {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Writes the manual page of probtest to stdout, or one page for each command
/// to a folder
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  probtest man | man -l -
  probtest man --out ~/.local/share/man/man1")]
pub struct ManOptions {
    /// Write probtest.1, probtest-plan.1 and so on into this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub fn completions(options: &CompletionsOptions) -> Result<Exit, Failure> {
    // By way of a buffer: written directly, a closed pipe is a panic.
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut Cli::command(), "probtest", &mut script);
    output::print(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Passed)
}

pub fn man(options: &ManOptions) -> Result<Exit, Failure> {
    if let Some(folder) = &options.out {
        std::fs::create_dir_all(folder)
            .and_then(|()| clap_mangen::generate_to(Cli::command(), folder))
            .map_err(|error| {
                Failure::given(
                    format!("the manual pages cannot be written: {error}"),
                    format!("--out {}", folder.display()),
                    "name a folder that you can write to",
                )
            })?;
        return Ok(Exit::Passed);
    }
    let mut page = Vec::new();
    Man::new(Cli::command()).render(&mut page).map_err(|error| {
        Failure::unfinished(format!("the manual page cannot be written: {error}"))
    })?;
    output::print(&String::from_utf8_lossy(&page))?;
    Ok(Exit::Passed)
}
