//! The attribute `#[probtest]`.
use proc_macro::TokenStream;

/// Turns a function into a test that is executed as often as its claim needs.
#[proc_macro_attribute]
pub fn probtest(_options: TokenStream, item: TokenStream) -> TokenStream {
    item
}
