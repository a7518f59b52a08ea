//! `probtest completions`: what a shell needs to complete the options.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::cli::Cli;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output;

/// Writes the completions of a shell to stdout
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  probtest completions bash > ~/.local/share/bash-completion/completions/probtest
  probtest completions fish > ~/.config/fish/completions/probtest.fish")]
pub struct Options {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Runs the command.
///
/// # Errors
///
/// When stdout cannot take the text.
pub fn run(options: &Options) -> Result<Exit, Failure> {
    // By way of a buffer: written directly, a closed pipe is a panic.
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut Cli::command(), "probtest", &mut script);
    output::print(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Passed)
}
