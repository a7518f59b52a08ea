//! Problems: what is wrong, where, and all of it at once.
//!
//! The one place that makes compile errors. What the library refuses when a test
//! runs is refused here in the same words; what only Rust can get wrong has its own.

use crate::options::shown;
use proc_macro2::TokenStream;
use quote::ToTokens;
use std::fmt::Display;

/// Errors that are reported together.
#[derive(Default)]
pub struct Problems(Option<syn::Error>);

impl Problems {
    pub fn push(&mut self, error: syn::Error) {
        match &mut self.0 {
            Some(errors) => errors.combine(error),
            None => self.0 = Some(error),
        }
    }

    /// Refuses something, where it is there.
    pub fn refuse(
        &mut self,
        tokens: Option<impl ToTokens>,
        what: impl Display,
        help: impl Display,
    ) {
        if let Some(tokens) = tokens {
            self.push(refuse(tokens, what, help));
        }
    }

    /// Keeps the value, or the error for later.
    pub fn take<T>(&mut self, result: syn::Result<T>) -> Option<T> {
        result.map_err(|error| self.push(error)).ok()
    }

    /// All errors as code that reports them, where there are any.
    pub fn into_compile_error(self) -> Option<TokenStream> {
        self.0.map(syn::Error::into_compile_error)
    }
}

/// Refuses what only Rust can get wrong: says what is wrong and what to do.
pub fn refuse(tokens: impl ToTokens, what: impl Display, help: impl Display) -> syn::Error {
    syn::Error::new_spanned(tokens, format!("{what}\n  help   {help}"))
}

/// Refuses what the library would refuse when the test runs.
pub fn refused(tokens: impl ToTokens, error: &probtest_syntax::Error) -> syn::Error {
    let (what, given) = (error.what(), error.given());
    // The compiler shows the source below the message.
    let is_seen = shown(&tokens).contains(given) || what.contains(given);
    let given = if is_seen { String::new() } else { format!("\n  given  {given}") };
    refuse(tokens, format!("{what}{given}"), error.help())
}
