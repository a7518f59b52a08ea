//! `#[probtest(options)]` above a function; the first line is the options, the rest the function.
#![no_main]
#![allow(missing_docs, dead_code)]

// The files use `proc_macro`, which only exists while the compiler expands a macro.
extern crate proc_macro2 as proc_macro;

#[path = "../../crates/probtest-macros/src/attribute.rs"]
mod attribute;
#[path = "../../crates/probtest-macros/src/expand.rs"]
mod expand;
#[path = "../../crates/probtest-macros/src/expression.rs"]
mod expression;
#[path = "../../crates/probtest-macros/src/item.rs"]
mod item;
#[path = "../../crates/probtest-macros/src/literal.rs"]
mod literal;
#[path = "../../crates/probtest-macros/src/options.rs"]
mod options;
#[path = "../../crates/probtest-macros/src/problems.rs"]
mod problems;
#[path = "../../crates/probtest-macros/src/tokens.rs"]
mod tokens;
#[path = "../../crates/probtest-macros/src/values.rs"]
mod values;

use libfuzzer_sys::fuzz_target;
use proc_macro::TokenStream;

fuzz_target!(|text: &str| {
    let (options, function) = text.split_once('\n').unwrap_or((text, "fn t(rng: &mut TestRng) {}"));
    // Nesting deeper than the compiler accepts ends the process.
    if text.matches(['(', '[', '{', '<', '&', '-', '!', '*', '|']).count() > 200 {
        return;
    }
    let (Ok(options), Ok(function)) = (options.parse(), function.parse()) else { return };
    let code = expand::attribute(options, function);
    // The output is Rust, or says what is wrong.
    let _: TokenStream = code.to_string().parse().expect("tokens");
});
