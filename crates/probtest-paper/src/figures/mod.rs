//! The figures of the paper, drawn again.
//!
//! - [`executions()`]: figure 1, the executions for p and epsilon;
//! - [`overestimate()`]: figure 2, the price of a p that is too large;
//! - [`learning()`]: figure 3, agents on a lake while they learn;
//! - [`comparison()`]: figure 4, what other methods need.

mod comparison;
mod executions;
mod learning;
mod overestimate;

pub use comparison::comparison;
pub use executions::executions;
pub use learning::learning;
pub use overestimate::overestimate;

/// Writes a number with a narrow gap, which never breaks, between groups of three digits.
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
