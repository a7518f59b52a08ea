//! Progress: one line on a terminal, nothing anywhere else.

use std::fmt::Write;
use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use probtest::settings::Progress;

/// A test that ends sooner shows nothing: rate and time left are guesses by then.
const SOON: Duration = Duration::from_millis(300);

/// The line that shows how far a test has come.
pub struct ProgressLine(ProgressBar);

impl ProgressLine {
    /// Makes the line of a test, if stderr is a terminal.
    pub fn on_terminal() -> Option<Self> {
        if !std::io::stderr().is_terminal() {
            return None;
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        let template = "{bar:24} {pos} of {len} executions, {rate}, {eta} left";
        if let Ok(style) = ProgressStyle::with_template(template) {
            let style = style.with_key("rate", rate);
            bar.set_style(style.progress_chars("=> "));
        }
        Some(ProgressLine(bar))
    }

    pub fn show(&self, progress: Progress) {
        if progress.elapsed < SOON {
            return;
        }
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

/// Writes the rate with as many digits as mean something.
fn rate(state: &ProgressState, line: &mut dyn Write) {
    let rate = state.per_sec();
    let digits = if rate < 10.0 { 1 } else { 0 };
    // Writing into a line of text cannot fail.
    let _ = write!(line, "{rate:.digits$}/s");
}
