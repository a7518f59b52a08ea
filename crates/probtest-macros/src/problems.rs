//! Problems: mistakes that do not depend on each other are reported at once.

use proc_macro2::TokenStream;

/// Errors that are reported together.
#[derive(Default)]
pub struct Problems(Option<syn::Error>);

impl Problems {
    /// Adds an error.
    pub fn push(&mut self, error: syn::Error) {
        match &mut self.0 {
            Some(errors) => errors.combine(error),
            None => self.0 = Some(error),
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
