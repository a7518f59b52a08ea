//! Values: can these options be those of one test?
//!
//! Turns each literal into text and lets the library's own reader judge it, exactly, on the digits
//! as written. Other expressions go through: the same reader judges them when the test runs.
//!
//! Next stage: [`crate::expand`].

use crate::options::{WrittenOption, shown, without_parentheses, written};
use crate::problems::{Problems, refuse, refused};
use probtest_syntax::options::{OptionKind, Spec, check_tolerate, conflict};
use probtest_syntax::{Outcomes, Probability, parse_duration};
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{BinOp, Expr, ExprAssign, Ident, Lit, LitInt, LitStr, UnOp};

/// Options that passed.
#[derive(Default)]
pub struct Settings {
    /// The path of probtest.
    pub krate: TokenStream,
    /// The claim on what the body returns, if that is what is tested.
    pub claim: Option<TokenStream>,
    /// Whether outcomes are listed.
    pub lists_outcomes: bool,
    /// Where it is said that executions wait at the same time.
    pub concurrency: Option<Ident>,
    /// Whether several executions share an input.
    pub shares_inputs: bool,
    /// How threads take turns.
    pub schedules: Option<TokenStream>,
    /// Options that are literals, as the text that the library reads when the test runs.
    pub texts: Vec<(&'static str, String)>,
    /// Calls on the builder for other expressions, such as `.p(P)`.
    pub calls: Vec<TokenStream>,
}

/// What the library is handed for one option.
enum Argument {
    /// A literal. Text needs no code of its own in the test, which compiles faster.
    Text(String),
    /// Any other expression.
    Code(TokenStream),
}

/// Checks all options; mistakes go to `problems`.
pub fn settings(mut options: Vec<WrittenOption>, problems: &mut Problems) -> Settings {
    refuse_conflicts(&options, problems);
    // First, since the values of others are paths in it.
    options.sort_by_key(|given| given.spec.is_some());
    let mut settings = Settings { krate: quote!(::probtest), ..Settings::default() };
    let mut rates = Vec::new();
    for given in options {
        let WrittenOption { name, value, .. } = given;
        let Some(spec) = given.spec else {
            settings.krate = problems.take(crate_path(value)).unwrap_or(settings.krate);
            continue;
        };
        if name == "concurrency" {
            settings.concurrency = Some(given.ident.clone());
        }
        settings.shares_inputs |= name == "inputs";
        let argument = match spec.kind {
            OptionKind::Claim => {
                settings.claim = problems.take(claim(value));
                continue;
            }
            OptionKind::Schedules => {
                settings.schedules = problems.take(schedules(&settings.krate, value));
                continue;
            }
            OptionKind::Probability => probability(&format!("`{name}`"), value).map(|read| {
                rates.extend(read.exact.map(|exact| (given.ident.clone(), exact)));
                read.text.map_or(Argument::Code(read.tokens), Argument::Text)
            }),
            OptionKind::Outcomes => {
                settings.lists_outcomes = true;
                outcomes(value).map(Argument::Code)
            }
            OptionKind::Seed => seed(value),
            OptionKind::Duration | OptionKind::DurationOrOff => duration(name, value),
            OptionKind::Count(_)
            | OptionKind::CountOrAuto(_)
            | OptionKind::OnBudget
            | OptionKind::StartRate
            | OptionKind::Cost => by_text(spec, value),
            _ => Ok(code(&value)),
        };
        match problems.take(argument) {
            Some(Argument::Text(text)) => settings.texts.push((spec.name, text)),
            Some(Argument::Code(argument)) => {
                // The user's place with the macro's hygiene: a type error points at
                // the option, and no lint takes the call for the user's.
                let method = Ident::new(name, Span::mixed_site().located_at(given.ident.span()));
                let call = quote_spanned!(Span::mixed_site()=> .#method(#argument));
                settings.calls.push(call);
            }
            None => {}
        }
    }
    let rate = |name| rates.iter().find(|(ident, _)| ident == name);
    if let (Some((ident, tolerate)), Some((_, p))) = (rate("tolerate"), rate("p")) {
        let checked = check_tolerate(tolerate, p);
        problems.take(checked.map_err(|error| refused(ident, &error)));
    }
    settings
}

fn refuse_conflicts(options: &[WrittenOption], problems: &mut Problems) {
    let mut names: Vec<&str> = options.iter().map(|given| given.name).collect();
    while let Some((culprit, error)) = conflict(&names) {
        let given = options.iter().find(|given| given.name == culprit);
        problems.push(refused(given.map(|given| &given.ident), &error));
        names.retain(|name| *name != culprit);
    }
}

/// A probability that passed.
#[derive(Default)]
struct ParsedProbability {
    /// The argument for the runtime.
    tokens: TokenStream,
    /// The value, where it is a literal.
    exact: Option<Probability>,
    /// The text that reads as what the runtime would make of the argument, where it is a literal.
    text: Option<String>,
    /// Whether it is handed on as text, which is exact.
    is_text: bool,
}

/// Checks one probability; `subject` is what a message calls it.
fn probability(subject: &str, value: Expr) -> syn::Result<ParsedProbability> {
    let value = without_parentheses(value);
    let Some(text) = probability_text(subject, &value)? else {
        return Ok(ParsedProbability {
            tokens: value.into_token_stream(),
            ..ParsedProbability::default()
        });
    };
    let exact = Probability::parse(&text)
        .map_err(|error| refused(&value, &error.about(subject.to_owned())))?;
    let is_text = !matches!(as_literal(&value), Some(Lit::Float(_)));
    let tokens = match is_text {
        true => LitStr::new(&text, value.span()).into_token_stream(),
        false => value.to_token_stream(),
    };
    let text = match text.parse::<f64>() {
        // Inside as written, but a number of Rust is the f64.
        Ok(rounded @ (0.0 | 1.0)) if !is_text => {
            return Err(refuse(
                &value,
                format!("{subject} is {text}, which rounds to {rounded} as an `f64`"),
                format!("write it as a string, which is exact: `\"{text}\"`"),
            ));
        }
        Ok(float) if !is_text => format!("{float:?}"),
        _ => text,
    };
    Ok(ParsedProbability { tokens, exact: Some(exact), text: Some(text), is_text })
}

/// The text that means the same as a literal; none for other expressions.
fn probability_text(subject: &str, value: &Expr) -> syn::Result<Option<String>> {
    let (text, suffixes) = match value {
        Expr::Lit(_) => match as_literal(value) {
            Some(Lit::Str(text)) => (text.value(), vec![]),
            Some(Lit::Float(float)) => (float.base10_digits().to_owned(), vec![float.suffix()]),
            Some(Lit::Int(int)) => (int.base10_digits().to_owned(), vec![int.suffix()]),
            _ => (shown(value), vec![]),
        },
        _ if is_negated_number(value) => (shown(value), vec![]),
        Expr::Binary(binary) => match (&binary.op, as_int(&binary.left), as_int(&binary.right)) {
            (BinOp::Div(_), Some(left), Some(right)) => (
                format!("{}/{}", left.base10_digits(), right.base10_digits()),
                vec![left.suffix(), right.suffix()],
            ),
            _ if is_whole_arithmetic(value) => {
                return Err(refuse(
                    value,
                    format!("Rust computes {subject} with integers, where 1/2 is 0"),
                    "write one fraction such as `1/12`, or floats such as `1.0 / 12.0`",
                ));
            }
            _ => return Ok(None),
        },
        _ => return Ok(None),
    };
    match suffixes.iter().all(|suffix| matches!(*suffix, "" | "f64")) {
        true => Ok(Some(text)),
        false => Err(refuse(
            value,
            format!(
                "{subject} has a type suffix, but a probability is an `f64` or an exact string"
            ),
            format!("write `{text}` or `\"{text}\"`"),
        )),
    }
}

/// Checks a list of probabilities and makes the argument for the runtime.
fn outcomes(value: Expr) -> syn::Result<TokenStream> {
    let (elements, times) = match value.clone() {
        Expr::Array(array) => (array.elems.into_iter().collect::<Vec<Expr>>(), None),
        Expr::Repeat(repeat) => (vec![*repeat.expr], Some(repeat.len)),
        // The runtime takes a list by value; `&` before a literal one says nothing.
        Expr::Reference(list) if matches!(*list.expr, Expr::Array(_) | Expr::Repeat(_)) => {
            return outcomes(*list.expr);
        }
        Expr::Lit(_) | Expr::Binary(_) | Expr::Unary(_) => {
            return Err(refuse(
                value,
                "`outcomes` is one value, but it takes a list of probabilities",
                written("outcomes"),
            ));
        }
        _ => return Ok(value.into_token_stream()),
    };
    let read = elements.into_iter().map(|element| probability("an outcome", element));
    let read = read.collect::<syn::Result<Vec<ParsedProbability>>>()?;
    check_outcomes(&value, &read, times.as_deref())?;
    // The elements of a Rust list have one type: with one text among them,
    // all literals become text.
    let has_text = read.iter().any(|element| element.is_text);
    let arguments = read.iter().map(|element| match &element.exact {
        Some(exact) if has_text => {
            LitStr::new(&exact.to_string(), element.tokens.span()).into_token_stream()
        }
        _ => element.tokens.clone(),
    });
    let span = value.span();
    Ok(match times {
        Some(times) => quote_spanned!(span=> [#(#arguments),*; #times]),
        None => quote_spanned!(span=> [#(#arguments),*]),
    })
}

/// Checks how many outcomes a list has and their sum, where all of it is literal.
fn check_outcomes(
    list: &Expr,
    elements: &[ParsedProbability],
    times: Option<&Expr>,
) -> syn::Result<()> {
    let exact = elements.iter().map(|element| element.exact.as_ref());
    let Some(exact) = exact.collect::<Option<Vec<&Probability>>>() else {
        return Ok(());
    };
    let count = match times.map(as_int) {
        None => exact.len(),
        Some(Some(times)) => times.base10_parse()?,
        Some(None) => return Ok(()),
    };
    let outcomes = Outcomes::new(exact.into_iter().cycle().take(count));
    outcomes.map(drop).map_err(|error| match count {
        0 => refused(list, &error.with_given("").with_help(written("outcomes"))),
        _ => refused(list, &error),
    })
}

fn seed(value: Expr) -> syn::Result<Argument> {
    let seed = match as_literal(&value) {
        Some(Lit::Int(int)) => int.base10_parse::<u64>().ok(),
        None if !is_negated_number(&value) => return Ok(code(&value)),
        _ => None,
    };
    let seed = seed.ok_or_else(|| {
        refuse(&value, "`seed` is not a whole number from 0 to 2^64 - 1", written("seed"))
    })?;
    Ok(unless_suffixed(&value, format!("{seed:#x}")))
}

/// Text, but for a number with a type of its own: whether that is the right one is
/// the compiler's to say.
fn unless_suffixed(value: &Expr, text: String) -> Argument {
    match as_int(value) {
        Some(int) if int.suffix().is_empty() => Argument::Text(text),
        _ => code(value),
    }
}

fn code(value: &Expr) -> Argument {
    Argument::Code(value.to_token_stream())
}

fn duration(name: &str, value: Expr) -> syn::Result<Argument> {
    match as_literal(&value) {
        Some(Lit::Str(text)) => match parse_duration(&text.value()) {
            Ok(_) => Ok(Argument::Text(text.value())),
            Err(error) => Err(refused(&value, &error.about(format!("`{name}`")))),
        },
        None if !is_negated_number(&value) => Ok(code(&value)),
        _ => Err(refuse(
            value,
            format!("`{name}` is neither a string nor a `Duration`"),
            written(name),
        )),
    }
}

/// Reads `pct(depth = 2)` and `random`; any other expression is a value of its own.
fn schedules(krate: &TokenStream, value: Expr) -> syn::Result<TokenStream> {
    if !cfg!(feature = "shuttle") {
        return Err(refuse(
            value,
            "`schedules` needs probtest's feature `shuttle`: probtest = { .., features = [\"shuttle\"] }",
            "enable the feature in Cargo.toml",
        ));
    }
    let is = |value: &Expr, name| matches!(value, Expr::Path(path) if path.path.is_ident(name));
    match &value {
        value if is(value, "random") => {
            return Ok(quote_spanned!(value.span()=> #krate::schedules::random()));
        }
        Expr::Call(call) if is(&call.func, "pct") => {
            if let Some(Expr::Assign(ExprAssign { left, right, .. })) = call.args.first()
                && call.args.len() == 1
                && is(left, "depth")
            {
                return Ok(quote_spanned!(value.span()=> #krate::schedules::pct(#right)));
            }
        }
        Expr::Lit(_) | Expr::Assign(_) => {}
        _ => return Ok(value.into_token_stream()),
    }
    Err(refuse(
        &value,
        format!("`schedules` is `{}`", shown(&value)),
        "write `schedules = pct(depth = 2)`, or `schedules = random` and a `p`",
    ))
}

/// Reads a literal as the library does.
fn by_text(spec: &'static Spec, value: Expr) -> syn::Result<Argument> {
    let is_count = matches!(spec.kind, OptionKind::Count(_) | OptionKind::CountOrAuto(_));
    let text = match as_literal(&value) {
        None if !is_negated_number(&value) => return Ok(code(&value)),
        Some(Lit::Int(int)) if is_count => int.base10_digits().to_owned(),
        _ if is_count => shown(&value),
        Some(Lit::Str(text)) => text.value(),
        _ => shown(&value).replace('_', ""),
    };
    spec.read(&format!("`{}`", spec.name), &text)
        .map_err(|error| refused(&value, &error.with_help(written(spec.name))))?;
    Ok(if is_count { unless_suffixed(&value, text) } else { Argument::Text(text) })
}

fn crate_path(value: Expr) -> syn::Result<TokenStream> {
    match value {
        Expr::Path(path) if path.qself.is_none() => Ok(path.into_token_stream()),
        _ => Err(refuse(
            value,
            "`crate` is not a path to probtest",
            "write a path without quotes, such as `crate = ::my_probtest`",
        )),
    }
}

/// Lets through what can be a claim; which types it may have is said by the runtime.
fn claim(value: Expr) -> syn::Result<TokenStream> {
    if matches!(
        value,
        Expr::Lit(_) | Expr::Unary(_) | Expr::Array(_) | Expr::Tuple(_) | Expr::Range(_)
    ) {
        return Err(refuse(
            value,
            "`claim` is not a claim on what the body returns",
            written("claim"),
        ));
    }
    let Some(argument) = named_argument(&value) else {
        return Ok(value.into_token_stream());
    };
    let name = shown(&argument.left);
    Err(refuse(
        argument,
        format!("`{name}` is written as a named argument, but in Rust it is a method"),
        format!("write `probtest::mean().{name}(..)`, and so on for each part"),
    ))
}

/// The first argument with a name, as Python writes them.
fn named_argument(value: &Expr) -> Option<&ExprAssign> {
    let (before, arguments) = match value {
        Expr::Call(call) => (&call.func, &call.args),
        Expr::MethodCall(call) => (&call.receiver, &call.args),
        _ => return None,
    };
    let named = arguments.iter().find_map(|argument| match argument {
        Expr::Assign(assign) => Some(assign),
        _ => None,
    });
    named_argument(before).or(named)
}

fn as_literal(value: &Expr) -> Option<&Lit> {
    match value {
        Expr::Lit(literal) => Some(&literal.lit),
        Expr::Group(inner) => as_literal(&inner.expr),
        Expr::Paren(inner) => as_literal(&inner.expr),
        _ => None,
    }
}

fn as_int(value: &Expr) -> Option<&LitInt> {
    match as_literal(value) {
        Some(Lit::Int(int)) => Some(int),
        _ => None,
    }
}

fn is_negated_number(value: &Expr) -> bool {
    match value {
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => {
            matches!(as_literal(&unary.expr), Some(Lit::Int(_) | Lit::Float(_)))
        }
        _ => false,
    }
}

/// Whether only whole literals are computed with, so that `1/6/2` would be 0.
fn is_whole_arithmetic(value: &Expr) -> bool {
    match value {
        Expr::Binary(binary) => {
            is_whole_arithmetic(&binary.left) && is_whole_arithmetic(&binary.right)
        }
        Expr::Unary(unary) => is_whole_arithmetic(&unary.expr),
        Expr::Paren(inner) => is_whole_arithmetic(&inner.expr),
        other => as_int(other).is_some(),
    }
}
