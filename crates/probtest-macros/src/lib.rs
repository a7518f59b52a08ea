//! The attribute `#[probtest]`: a test for a program that uses randomness.
//!
//! Depend on the crate `probtest`, which re-exports the attribute and holds the runtime. This crate
//! only reads the attribute: it executes nothing and decides no count.
//!
//! ```text
//! options  ->  values  ->  expand
//! item     -------------^
//! ```
//!
//! See [`macro@probtest`] for all options, bodies and attributes.

mod expand;
mod item;
mod options;
mod problems;
mod values;

use proc_macro::TokenStream;

// Its examples need the library, so they are tested in probtest-testing.
#[cfg_attr(not(doctest), doc = include_str!("probtest.md"))]
#[proc_macro_attribute]
pub fn probtest(options: TokenStream, function: TokenStream) -> TokenStream {
    expand::attribute(options.into(), function.into()).into()
}
