//! Progress: one line on a terminal, nothing anywhere else.

use std::fmt::Write;
use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
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
        let template = "{bar:24} {pos} of {msg}{len} executions, {rate}, {msg}{left}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            let style = style.with_key("rate", rate).with_key("left", left);
            bar.set_style(style.progress_chars("=> "));
        }
        Some(ProgressLine(bar))
    }

    pub fn show(&self, progress: Progress) {
        if progress.elapsed < SOON {
            return;
        }
        if progress.may_end_sooner && progress.executed > 0 {
            self.0.set_message("at most ");
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

/// Writes the time that is left, once an execution has shown how long one takes.
fn left(state: &ProgressState, line: &mut dyn Write) {
    let _ = line.write_str(&left_words(state.pos(), state.eta()));
}

fn left_words(executed: u64, eta: Duration) -> String {
    match executed {
        0 => "the first is under way".into(),
        _ => format!("{:#} left", HumanDuration(eta)),
    }
}

/// Writes the rate with as many digits as mean something.
fn rate(state: &ProgressState, line: &mut dyn Write) {
    let rate = state.per_sec();
    let digits = if rate < 10.0 { 1 } else { 0 };
    // Writing into a line of text cannot fail.
    let _ = write!(line, "{rate:.digits$}/s");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_time_is_left_to_guess_before_the_first_execution_has_ended() {
        assert_eq!(left_words(0, Duration::ZERO), "the first is under way");
        assert_eq!(left_words(3, Duration::from_secs(45)), "45s left");
    }
}
