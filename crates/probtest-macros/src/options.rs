//! Options: what stands between the parentheses of `#[probtest(..)]`?
//!
//! Reads `name = value` pairs and goes on after a mistake, so that one
//! compilation reports all of them. Judges no value.
//!
//! Next stage: [`crate::validate`].

use crate::problem::{Problem, Subject};
use crate::problems::Problems;
use crate::suggest::closest;
use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Expr, Ident, Lit, Token};

/// All options, in the order of the documentation.
pub const NAMES: [&str; 13] = [
    "p",
    "epsilon",
    "tolerate",
    "false_alarm",
    "outcomes",
    "claim",
    "jobs",
    "seed",
    "max_executions",
    "max_time",
    "on_budget",
    "max_rejections",
    "crate",
];

/// One option as the user wrote it.
pub struct Given {
    /// One of [`NAMES`].
    pub name: &'static str,
    /// The name in the user's source.
    pub ident: Ident,
    /// The value, without parentheses around it.
    pub value: Expr,
}

/// Reads all options. Mistakes go to `problems`, the readable rest is returned.
pub fn parse(tokens: TokenStream, problems: &mut Problems) -> Vec<Given> {
    let read = |input: ParseStream| Ok(parse_all(input, problems));
    let (given, error) = match read.parse2(tokens) {
        Ok(given) => (given, None),
        Err(error) => (Vec::new(), Some(error)),
    };
    if let Some(error) = error {
        problems.push(error);
    }
    given
}

fn parse_all(input: ParseStream, problems: &mut Problems) -> Vec<Given> {
    let mut all: Vec<Given> = Vec::new();
    while !input.is_empty() {
        match parse_one(input) {
            Ok(given) if all.iter().any(|earlier| earlier.name == given.name) => {
                problems.push(Problem::Twice { name: given.name }.at(&given.ident));
            }
            Ok(given) => all.push(given),
            Err(error) => {
                problems.push(error);
                skip_to_comma(input);
            }
        }
        expect_comma(input, problems);
    }
    all
}

fn parse_one(input: ParseStream) -> syn::Result<Given> {
    if !input.peek(Ident::peek_any) {
        let given = tokens_to_comma(input);
        return Err(Problem::Unnamed {
            given: shown(&given),
        }
        .at(given));
    }
    let ident = Ident::parse_any(input)?;
    let Some(name) = NAMES.into_iter().find(|name| ident == name) else {
        let name = ident.to_string();
        let meant = closest(&name, &NAMES);
        return Err(Problem::Unknown { name, meant }.at(ident));
    };
    if at_end(input) {
        return Err(Problem::NoValue { name }.at(ident));
    }
    if !input.peek(Token![=]) || input.peek(Token![==]) || input.peek(Token![=>]) {
        return Err(not_equals(name, input));
    }
    let equals: Token![=] = input.parse()?;
    if at_end(input) {
        return Err(Problem::NoValue { name }.at(equals));
    }
    let value = without_parentheses(parse_value(name, input)?);
    if let Expr::Assign(_) = value {
        return Err(Problem::NoValue { name }.at(ident));
    }
    Ok(Given { name, ident, value })
}

fn parse_value(name: &'static str, input: ParseStream) -> syn::Result<Expr> {
    let subject = Subject::Option(name);
    if input.peek(Token![.]) {
        return Err(Problem::NoLeadingDigit { subject }.at(tokens_to_comma(input)));
    }
    // `%` is the remainder for whole numbers, but nobody divides a probability.
    if matches!(name, "p" | "epsilon" | "tolerate" | "false_alarm")
        && input.peek(Lit)
        && input.peek2(Token![%])
    {
        let tokens = tokens_to_comma(input);
        let given = shown(&tokens);
        return Err(Problem::Percent { subject, given }.at(tokens));
    }
    // On a fork: a list that is left half read is an error of its own.
    if let Err(error) = input.fork().parse::<Expr>() {
        let tokens = tokens_to_comma(input);
        let given = shown(&tokens);
        if name == "outcomes" && given.contains('%') {
            return Err(Problem::Percent { subject, given }.at(tokens));
        }
        let reason = error.to_string();
        return Err(Problem::Unreadable { name, reason }.at(tokens));
    }
    input.parse()
}

fn not_equals(name: &'static str, input: ParseStream) -> syn::Error {
    let rest = tokens_to_comma(input);
    let found = match rest.clone().into_iter().next() {
        Some(TokenTree::Group(_)) => "(..)".to_owned(),
        Some(_) if rest.to_string().starts_with("==") => "==".to_owned(),
        Some(token) => token.to_string(),
        None => String::new(),
    };
    Problem::NotEquals { name, found }.at(rest)
}

fn expect_comma(input: ParseStream, problems: &mut Problems) {
    if at_end(input) {
        // At the end of all tokens there is no comma to take.
        let _trailing: Option<Token![,]> = input.parse().ok();
        return;
    }
    if let Ok(token) = input.fork().parse::<TokenTree>() {
        let found = token.to_string();
        problems.push(Problem::NoComma { found }.at(token));
    }
    // A name is the start of the next option; anything else is skipped.
    if !input.peek(Ident::peek_any) && input.parse::<TokenTree>().is_err() {
        skip_to_comma(input);
    }
}

fn at_end(input: ParseStream) -> bool {
    input.is_empty() || input.peek(Token![,])
}

fn tokens_to_comma(input: ParseStream) -> TokenStream {
    let mut tokens = TokenStream::new();
    while !at_end(input) {
        match input.parse::<TokenTree>() {
            Ok(token) => tokens.extend([token]),
            Err(_) => break,
        }
    }
    tokens
}

fn skip_to_comma(input: ParseStream) {
    tokens_to_comma(input);
}

/// Takes away parentheses, and the invisible ones around what a `macro_rules`
/// macro passed on: they change nothing, and in `p = (1/6)` they would hide a
/// fraction.
pub fn without_parentheses(value: Expr) -> Expr {
    match value {
        Expr::Paren(inner) => without_parentheses(*inner.expr),
        Expr::Group(inner) => without_parentheses(*inner.expr),
        other => other,
    }
}

/// The tokens roughly as the user wrote them.
pub fn shown(tokens: &impl ToTokens) -> String {
    // The compiler prints tokens with a blank between any two.
    let spaced = [" / ", " < ", " >", " :: ", "& ", "- ", " %", " ;"];
    let text = tokens.to_token_stream().to_string();
    spaced
        .iter()
        .fold(text, |text, part| text.replace(part, part.trim()))
}
