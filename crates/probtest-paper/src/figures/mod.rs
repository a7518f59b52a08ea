//! The figures of the paper, redrawn; one file for each.

mod comparison;
mod executions;
mod learning;
mod overestimate;

pub use comparison::comparison;
pub use executions::executions;
pub use learning::learning;
pub use overestimate::overestimate;

/// Writes a number with narrow non-breaking spaces between groups of three digits.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) && digits.len() > 4 {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}
