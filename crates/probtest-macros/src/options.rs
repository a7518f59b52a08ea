//! Options: what is between the parentheses of `#[probtest(..)]`?
//!
//! Reads `name = value` pairs and continues after a mistake, so that one compilation reports all of
//! them. Judges no value.
//!
//! Next stage: [`crate::values`].

use crate::expression::{self, Root, is_expression, without_parentheses};
use crate::problems::{Problem, Problems, Result, refuse, refused};
use crate::tokens::{Cursor, Tokens, is_sign, operator, shown};
use probtest_syntax::Probability;
use probtest_syntax::options::{OPTIONS, OptionKind, Spec, suggestion};
use proc_macro::{TokenStream, TokenTree};
use std::slice;

/// The one option that is the attribute's own: the path of probtest.
const CRATE: &str = "crate";

/// One option as the user wrote it.
pub struct WrittenOption {
    pub name: &'static str,
    /// What the option takes; none for the path of probtest.
    pub spec: Option<&'static Spec>,
    /// The name in the user's source.
    pub word: TokenTree,
    /// The value, without parentheses around it.
    pub value: Tokens,
}

/// The names of all options, in the order of the documentation.
pub fn names() -> Vec<&'static str> {
    let of_tests = OPTIONS.iter().filter(|spec| spec.attribute);
    of_tests.map(|spec| spec.name).chain([CRATE]).collect()
}

/// Reads all options. Mistakes go to `problems`, the readable rest is returned.
pub fn parse(tokens: TokenStream, problems: &mut Problems) -> Vec<WrittenOption> {
    let mut all: Vec<WrittenOption> = Vec::new();
    let mut input = Cursor::new(tokens);
    while input.peek().is_some() {
        match parse_one(&mut input) {
            Ok(WrittenOption { name, word, .. })
                if all.iter().any(|earlier| earlier.name == name) =>
            {
                problems.push(refuse(
                    &[word],
                    format!("`{name}` is given twice, but each option can only be given once"),
                    format!("remove one `{name}`"),
                ));
            }
            Ok(given) => all.push(given),
            Err(error) => {
                problems.push(error);
                tokens_to_comma(&mut input);
            }
        }
        expect_comma(&mut input, problems);
    }
    all
}

fn parse_one(input: &mut Cursor) -> Result<WrittenOption> {
    let Some(TokenTree::Ident(ident)) = input.peek() else {
        let tokens = tokens_to_comma(input);
        if tokens.is_empty() {
            return Err(refuse(
                &input.rest()[..1],
                "there is no option before this comma",
                "remove the comma",
            ));
        }
        let given = shown(&tokens);
        return Err(refuse(
            &tokens,
            format!("`{given}` has no name, but options are written `name = value`"),
            format!("write `p = {given}`"),
        ));
    };
    let (given, word) = (ident.to_string(), TokenTree::Ident(ident.clone()));
    input.take(1);
    let Some(name) = names().into_iter().find(|name| *name == given) else {
        let help = suggestion(slice::from_ref(&given), "options", &names());
        return Err(refuse(&[word], format!("there is no option `{given}`"), help));
    };
    let no_value = |token: &TokenTree| {
        refuse(slice::from_ref(token), format!("`{name}` has no value"), written(name))
    };
    if at_end(input) {
        return Err(no_value(&word));
    }
    if operator(input.rest(), 0) != "=" {
        return Err(not_equals(name, input));
    }
    let equals = input.take(1);
    if at_end(input) {
        return Err(no_value(&equals[0]));
    }
    let spec = Spec::find(name);
    let value = without_parentheses(&parse_value(name, spec, input)?);
    if let Root::Assignment(_) = expression::read(&value).1 {
        return Err(no_value(&word));
    }
    Ok(WrittenOption { name, spec, word, value })
}

fn parse_value(name: &str, spec: Option<&Spec>, input: &mut Cursor) -> Result<Tokens> {
    if is_sign(input.rest().first(), '.') {
        return Err(refuse(
            &tokens_to_comma(input),
            format!("`{name}` starts with a decimal point, but Rust numbers start with a digit"),
            "put a 0 before the point, such as `0.5`",
        ));
    }
    let subject = match spec.map(|spec| spec.kind) {
        Some(OptionKind::Probability) => Some(format!("`{name}`")),
        Some(OptionKind::Outcomes) => Some("an outcome".to_owned()),
        _ => None,
    };
    let to_comma = &input.rest()[..length_to_comma(input)];
    if let (Some(subject), Some(tokens)) = (subject, percentage(to_comma)) {
        Probability::parse(&shown(&tokens))
            .map_err(|error| refused(&tokens, &error.about(subject)))?;
    }
    let rest = input.rest();
    let breaks_off = match expression::length(rest) {
        Ok(length) if is_expression(&rest[..length]) => return Ok(input.take(length)),
        Ok(_) => false,
        Err(missing) => rest.get(missing).is_none_or(|token| is_sign(Some(token), ',')),
    };
    Err(refuse(
        &tokens_to_comma(input),
        match breaks_off {
            true => format!("the value of `{name}` breaks off"),
            false => format!("the value of `{name}` is not an expression"),
        },
        written(name),
    ))
}

/// The first number with a `%` after it that is not the remainder of a division.
fn percentage(tokens: &[TokenTree]) -> Option<Tokens> {
    let ends =
        |at: usize| tokens.get(at).is_none_or(|sign| matches!(&*sign.to_string(), "," | ";"));
    (0..tokens.len()).find_map(|at| match (&tokens[at], tokens.get(at + 1)) {
        (TokenTree::Group(group), _) => percentage(&group.stream().into_iter().collect::<Tokens>()),
        (TokenTree::Literal(_), sign) if is_sign(sign, '%') && ends(at + 2) => {
            Some(tokens[at..at + 2].to_vec())
        }
        _ => None,
    })
}

fn not_equals(name: &str, input: &mut Cursor) -> Problem {
    let found = match input.peek() {
        Some(TokenTree::Group(_)) => "(..)".to_owned(),
        Some(TokenTree::Punct(_)) => operator(input.rest(), 0),
        Some(token) => token.to_string(),
        None => String::new(),
    };
    refuse(
        &tokens_to_comma(input),
        format!("`{name}` is followed by `{found}`, but options are written `{name} = value`"),
        written(name),
    )
}

/// How an option is written, for a message.
pub fn written(name: &str) -> String {
    let example = Spec::find(name).map_or("::probtest", |spec| spec.example);
    format!("write `{name} = {example}`")
}

fn expect_comma(input: &mut Cursor, problems: &mut Problems) {
    if at_end(input) {
        input.take(1);
        return;
    }
    let found = input.rest()[..1].to_vec();
    problems.refuse(
        &found,
        format!("expected a `,` between options, found `{}`", found[0]),
        "separate options with commas: `p = 0.01, epsilon = 0.02`",
    );
    // `name =` or the like is the next option, perhaps after another sign than a comma; anything
    // else is skipped.
    let is_option =
        |tokens: &[TokenTree]| matches!(tokens, [TokenTree::Ident(_), TokenTree::Punct(_), ..]);
    if !is_option(input.rest()) {
        input.take(1);
        if !is_option(input.rest()) {
            tokens_to_comma(input);
            input.take(1);
        }
    }
}

fn at_end(input: &mut Cursor) -> bool {
    // What a macro was given may be nothing.
    input.skip_nothing();
    input.rest().is_empty() || is_sign(input.rest().first(), ',')
}

fn tokens_to_comma(input: &mut Cursor) -> Tokens {
    input.take(length_to_comma(input))
}

fn length_to_comma(input: &Cursor) -> usize {
    let rest = input.rest();
    rest.iter().position(|token| is_sign(Some(token), ',')).unwrap_or(rest.len())
}
