//! Options: what is between the parentheses of `#[probtest(..)]`?
//!
//! Reads `name = value` pairs and continues after a mistake, so that one compilation reports all of
//! them. Judges no value.
//!
//! Next stage: [`crate::values`].

use crate::problems::{Problems, refuse, refused};
use probtest_syntax::Probability;
use probtest_syntax::options::{OPTIONS, OptionKind, Spec, suggestion};
use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Expr, Ident, Token};

/// The one option that is the attribute's own: the path of probtest.
const CRATE: &str = "crate";

/// One option as the user wrote it.
pub struct WrittenOption {
    pub name: &'static str,
    /// What the option takes; none for the path of probtest.
    pub spec: Option<&'static Spec>,
    /// The name in the user's source.
    pub ident: Ident,
    /// The value, without parentheses around it.
    pub value: Expr,
}

/// The names of all options, in the order of the documentation.
pub fn names() -> Vec<&'static str> {
    let of_tests = OPTIONS.iter().filter(|spec| spec.attribute);
    of_tests.map(|spec| spec.name).chain([CRATE]).collect()
}

/// Reads all options. Mistakes go to `problems`, the readable rest is returned.
pub fn parse(tokens: TokenStream, problems: &mut Problems) -> Vec<WrittenOption> {
    let read = |input: ParseStream| Ok(parse_all(input, problems));
    let read = read.parse2(tokens);
    problems.take(read).unwrap_or_default()
}

fn parse_all(input: ParseStream, problems: &mut Problems) -> Vec<WrittenOption> {
    let mut all: Vec<WrittenOption> = Vec::new();
    while !input.is_empty() {
        match parse_one(input) {
            Ok(WrittenOption { name, ident, .. })
                if all.iter().any(|earlier| earlier.name == name) =>
            {
                problems.push(refuse(
                    ident,
                    format!("`{name}` is given twice, but each option can only be given once"),
                    format!("remove one `{name}`"),
                ));
            }
            Ok(given) => all.push(given),
            Err(error) => {
                problems.push(error);
                tokens_to_comma(input);
            }
        }
        expect_comma(input, problems);
    }
    all
}

fn parse_one(input: ParseStream) -> syn::Result<WrittenOption> {
    if !input.peek(Ident::peek_any) {
        let tokens = tokens_to_comma(input);
        let given = shown(&tokens);
        return Err(refuse(
            tokens,
            format!("`{given}` has no name, but options are written `name = value`"),
            format!("write `p = {given}`"),
        ));
    }
    let ident = Ident::parse_any(input)?;
    let Some(name) = names().into_iter().find(|name| ident == name) else {
        let (name, help) =
            (ident.to_string(), suggestion(&[ident.to_string()], "options", &names()));
        return Err(refuse(ident, format!("there is no option `{name}`"), help));
    };
    let no_value =
        |tokens: &dyn ToTokens| refuse(tokens, format!("`{name}` has no value"), written(name));
    if at_end(input) {
        return Err(no_value(&ident));
    }
    if !input.peek(Token![=]) || input.peek(Token![==]) || input.peek(Token![=>]) {
        return Err(not_equals(name, input));
    }
    let equals: Token![=] = input.parse()?;
    if at_end(input) {
        return Err(no_value(&equals));
    }
    let spec = Spec::find(name);
    let value = without_parentheses(parse_value(name, spec, input)?);
    if let Expr::Assign(_) = value {
        return Err(no_value(&ident));
    }
    Ok(WrittenOption { name, spec, ident, value })
}

fn parse_value(name: &str, spec: Option<&Spec>, input: ParseStream) -> syn::Result<Expr> {
    if input.peek(Token![.]) {
        return Err(refuse(
            tokens_to_comma(input),
            format!("`{name}` starts with a decimal point, but Rust numbers start with a digit"),
            "put a 0 before the point, such as `0.5`",
        ));
    }
    let subject = match spec.map(|spec| spec.kind) {
        Some(OptionKind::Probability) => Some(format!("`{name}`")),
        Some(OptionKind::Outcomes) => Some("an outcome".to_owned()),
        _ => None,
    };
    if let (Some(subject), Some(tokens)) = (subject, percentage(tokens_to_comma(&input.fork()))) {
        Probability::parse(&shown(&tokens))
            .map_err(|error| refused(&tokens, &error.about(subject)))?;
    }
    // On a fork: a list that is left half read is an error of its own.
    if let Err(error) = input.fork().parse::<Expr>() {
        return Err(refuse(
            tokens_to_comma(input),
            format!("the value of `{name}` is not an expression: {error}"),
            written(name),
        ));
    }
    input.parse()
}

/// The first number with a `%` after it that is not the remainder of a division.
fn percentage(tokens: TokenStream) -> Option<TokenStream> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let is = |at: usize, signs: &str| match tokens.get(at) {
        Some(TokenTree::Punct(sign)) => signs.contains(sign.as_char()),
        Some(_) => false,
        None => true,
    };
    (0..tokens.len()).find_map(|at| match (&tokens[at], tokens.get(at + 1)) {
        (TokenTree::Group(group), _) => percentage(group.stream()),
        (TokenTree::Literal(number), Some(sign)) if is(at + 1, "%") && is(at + 2, ",;") => {
            Some(quote!(#number #sign))
        }
        _ => None,
    })
}

fn not_equals(name: &str, input: ParseStream) -> syn::Error {
    let rest = tokens_to_comma(input);
    let found = match rest.clone().into_iter().next() {
        Some(TokenTree::Group(_)) => "(..)".to_owned(),
        Some(_) if rest.to_string().starts_with("==") => "==".to_owned(),
        Some(token) => token.to_string(),
        None => String::new(),
    };
    refuse(
        rest,
        format!("`{name}` is followed by `{found}`, but options are written `{name} = value`"),
        written(name),
    )
}

/// How an option is written, for a message.
pub fn written(name: &str) -> String {
    let example = Spec::find(name).map_or("::probtest", |spec| spec.example);
    format!("write `{name} = {example}`")
}

fn expect_comma(input: ParseStream, problems: &mut Problems) {
    if at_end(input) {
        // At the end of all tokens there is no comma to take.
        let _trailing: Option<Token![,]> = input.parse().ok();
        return;
    }
    if let Ok(found) = input.fork().parse::<TokenTree>() {
        problems.push(refuse(
            &found,
            format!("expected a `,` between options, found `{found}`"),
            "separate options with commas: `p = 0.01, epsilon = 0.02`",
        ));
    }
    // A name is the start of the next option; anything else is skipped.
    if !input.peek(Ident::peek_any) && input.parse::<TokenTree>().is_err() {
        tokens_to_comma(input);
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

/// Takes away parentheses, and the invisible ones around what a `macro_rules` macro passed on: they
/// change nothing, and in `p = (1/6)` they would hide a fraction.
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
    spaced.iter().fold(text, |text, part| text.replace(part, part.trim()))
}
