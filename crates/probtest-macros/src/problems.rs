//! Problems: what is wrong, where, and all of it at once.
//!
//! The one place that makes compile errors. What the library refuses when a test
//! runs is refused here in the same words; what only Rust can get wrong has its own.

use crate::tokens::{Tokens, code, place, shown, string};
use proc_macro::{Span, TokenTree};
use std::fmt::Display;

/// One mistake, from its first token to its last.
pub struct Problem {
    from: Span,
    to: Span,
    message: String,
}

/// What was read, or what is wrong with it.
pub type Result<T> = std::result::Result<T, Problem>;

/// Errors that are reported together.
#[derive(Default)]
pub struct Problems(Vec<Problem>);

impl Problems {
    pub fn push(&mut self, problem: Problem) {
        self.0.push(problem);
    }

    /// Refuses something, where it is there.
    pub fn refuse(&mut self, tokens: &[TokenTree], what: impl Display, help: impl Display) {
        if !tokens.is_empty() {
            self.push(refuse(tokens, what, help));
        }
    }

    /// Keeps the value, or the error for later.
    pub fn take<T>(&mut self, result: Result<T>) -> Option<T> {
        result.map_err(|problem| self.push(problem)).ok()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All errors as code that reports them.
    pub fn into_code(self) -> Tokens {
        let reported = |Problem { from, to, message }| {
            // The compiler underlines from the first place to the last.
            let braces = code(to, "{ $message }", &[("message", &[string(&message, to)])]);
            code(from, "::core::compile_error! $braces", &[("braces", &braces)])
        };
        self.0.into_iter().flat_map(reported).collect()
    }
}

/// Refuses what only Rust can get wrong: says what is wrong and what to do.
pub fn refuse(tokens: &[TokenTree], what: impl Display, help: impl Display) -> Problem {
    let from = place(tokens);
    let to = tokens.last().map_or(from, TokenTree::span);
    Problem { from, to, message: format!("{what}\n  help   {help}") }
}

/// Refuses what the library would refuse when the test runs.
pub fn refused(tokens: &[TokenTree], error: &probtest_syntax::Error) -> Problem {
    let (what, given) = (error.what(), error.given());
    // The compiler shows the source below the message.
    let is_seen = shown(tokens).contains(given) || what.contains(given);
    let given = if is_seen { String::new() } else { format!("\n  given  {given}") };
    refuse(tokens, format!("{what}{given}"), error.help())
}
