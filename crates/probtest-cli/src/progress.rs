//! Progress: one line on a terminal, nothing anywhere else.

use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use probtest::Progress;

const TEMPLATE: &str = "{bar:24} {pos} of {len} executions, {per_sec}, {eta} left";

/// The line that shows how far a test has come.
pub struct ProgressLine(ProgressBar);

impl ProgressLine {
    /// Makes the line, if stderr is a terminal.
    pub fn on_terminal() -> Option<Self> {
        if !std::io::stderr().is_terminal() {
            return None;
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
            bar.set_style(style.progress_chars("=> "));
        }
        Some(ProgressLine(bar))
    }

    /// Shows how far the test has come.
    pub fn show(&self, progress: Progress) {
        self.0.set_length(progress.planned);
        self.0.set_position(progress.executed);
    }
}

impl Drop for ProgressLine {
    /// Takes the line away, so that the report stands alone.
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
