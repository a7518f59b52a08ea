//! The attribute `#[probtest]`: a test for a program that uses randomness.
//!
//! Depend on the crate `probtest`, which re-exports the attribute and holds the runtime. This crate
//! only reads the attribute: it executes nothing and decides no count.
//!
//! ```text
//! options    ->  values  ->  expand
//! attribute  ->  item    ----^
//! ```
//!
//! See [`macro@probtest`] for all options, bodies and attributes.

// Tokens of the compiler exist only while it expands a macro; these are the same outside of it.
#[cfg(test)]
extern crate proc_macro2 as proc_macro;

mod attribute;
mod expand;
mod expression;
mod item;
mod literal;
mod options;
mod problems;
mod tokens;
mod values;

// Its examples need the library, so they are tested in probtest-testing.
#[cfg_attr(not(doctest), doc = include_str!("probtest.md"))]
#[cfg(not(test))]
#[proc_macro_attribute]
pub fn probtest(
    options: proc_macro::TokenStream,
    function: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    expand::attribute(options, function)
}
