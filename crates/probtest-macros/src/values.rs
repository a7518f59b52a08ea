//! Values: can these options be those of one test?
//!
//! Turns each literal into text and lets the library's own reader judge it, exactly, on the digits
//! as written. Other expressions go through: the same reader judges them when the test runs.
//!
//! Next stage: [`crate::expand`].

use crate::expression::{
    self, Root, as_int, as_literal, is_expression, is_negated_number, is_whole_arithmetic, listed,
    referred, without_parentheses,
};
use crate::literal::{Constant, Number};
use crate::options::{WrittenOption, written};
use crate::problems::{Problems, Result, refuse, refused};
use crate::tokens::{
    Tokens, code, inside, is_sign, is_word, joined, operator, place, shown, string, word,
};
use probtest_syntax::options::{OptionKind, Spec, check_tolerate, conflict};
use probtest_syntax::{Outcomes, Probability, parse_duration};
use proc_macro::{Delimiter, Span, TokenTree};
use std::slice;

/// Options that passed.
#[derive(Default)]
pub struct Settings {
    /// The path of probtest.
    pub krate: Tokens,
    /// The claim on what the body returns, if that is what is tested.
    pub claim: Option<Tokens>,
    /// Whether outcomes are listed.
    pub lists_outcomes: bool,
    /// Where it is said that executions wait at the same time, if it is.
    pub concurrency: Tokens,
    /// Whether several executions share an input.
    pub shares_inputs: bool,
    /// How threads take turns.
    pub schedules: Option<Tokens>,
    /// Options that are literals, as the text that the library reads when the test runs.
    pub texts: Vec<(&'static str, String)>,
    /// Calls on the builder for other expressions, such as `.p(P)`.
    pub calls: Tokens,
}

/// What the library is handed for one option.
enum Argument {
    /// A literal. Text needs no code of its own in the test, which compiles faster.
    Text(String),
    /// Any other expression.
    Code(Tokens),
}

/// Checks all options; mistakes go to `problems`.
pub fn settings(mut options: Vec<WrittenOption>, problems: &mut Problems) -> Settings {
    refuse_conflicts(&options, problems);
    // First, since the values of others are paths in it.
    options.sort_by_key(|given| given.spec.is_some());
    let krate = code(Span::call_site(), "::probtest", &[]);
    let mut settings = Settings { krate, ..Settings::default() };
    let mut rates = Vec::new();
    for given in options {
        let (name, value) = (given.name, &given.value[..]);
        let Some(spec) = given.spec else {
            settings.krate = problems.take(crate_path(value)).unwrap_or(settings.krate);
            continue;
        };
        if name == "concurrency" {
            settings.concurrency = vec![given.word.clone()];
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
                rates.extend(read.exact.map(|exact| (name, given.word.clone(), exact)));
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
            _ => Ok(as_code(value)),
        };
        match problems.take(argument) {
            Some(Argument::Text(text)) => settings.texts.push((spec.name, text)),
            Some(Argument::Code(argument)) => {
                // The user's place with the macro's hygiene: a type error points at
                // the option, and no lint takes the call for the user's.
                let here = Span::mixed_site();
                let method = word(name, here.located_at(given.word.span()));
                let parts = [("method", slice::from_ref(&method)), ("argument", &argument)];
                settings.calls.extend(code(here, ".$method($argument)", &parts));
            }
            None => {}
        }
    }
    let rate = |name| rates.iter().find(|(of, ..)| *of == name);
    if let (Some((_, word, tolerate)), Some((.., p))) = (rate("tolerate"), rate("p")) {
        let checked = check_tolerate(tolerate, p);
        problems.take(checked.map_err(|error| refused(slice::from_ref(word), &error)));
    }
    settings
}

fn refuse_conflicts(options: &[WrittenOption], problems: &mut Problems) {
    let mut names: Vec<&str> = options.iter().map(|given| given.name).collect();
    while let Some((culprit, error)) = conflict(&names) {
        let given = options.iter().find(|given| given.name == culprit);
        let word = given.map(|given| slice::from_ref(&given.word));
        problems.push(refused(word.unwrap_or_default(), &error));
        names.retain(|name| *name != culprit);
    }
}

/// A probability that passed.
#[derive(Default)]
struct ParsedProbability {
    /// The argument for the runtime.
    tokens: Tokens,
    /// The value, where it is a literal.
    exact: Option<Probability>,
    /// The text that reads as what the runtime would make of the argument, where it is a literal.
    text: Option<String>,
    /// Whether it is handed on as text, which is exact.
    is_text: bool,
}

/// Checks one probability; `subject` is what a message calls it.
fn probability(subject: &str, value: &[TokenTree]) -> Result<ParsedProbability> {
    let value = without_parentheses(value);
    let Some(text) = probability_text(subject, &value)? else {
        return Ok(ParsedProbability { tokens: value, ..ParsedProbability::default() });
    };
    let exact = Probability::parse(&text)
        .map_err(|error| refused(&value, &error.about(subject.to_owned())))?;
    let is_text = !matches!(as_literal(&value), Some(Constant::Float(_)));
    let tokens = match is_text {
        true => vec![string(&text, place(&value))],
        false => value.clone(),
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
fn probability_text(subject: &str, value: &[TokenTree]) -> Result<Option<String>> {
    let (text, suffixes) = match as_literal(value) {
        Some(Constant::Text(text)) => (text, vec![]),
        Some(Constant::Float(number) | Constant::Int(number)) => {
            (number.digits, vec![number.suffix])
        }
        Some(Constant::Other) => (shown(value), vec![]),
        _ if is_negated_number(value) => (shown(value), vec![]),
        None => match fraction(value) {
            Some((over, under)) => {
                (format!("{}/{}", over.digits, under.digits), vec![over.suffix, under.suffix])
            }
            None if expression::read(value).1 == Root::Binary && is_whole_arithmetic(value) => {
                return Err(refuse(
                    value,
                    format!("Rust computes {subject} with integers, where 1/2 is 0"),
                    "write one fraction such as `1/12`, or floats such as `1.0 / 12.0`",
                ));
            }
            None => return Ok(None),
        },
    };
    match suffixes.iter().all(|suffix| matches!(&**suffix, "" | "f64")) {
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

/// The two whole numbers of `1/6`.
fn fraction(value: &[TokenTree]) -> Option<(Number, Number)> {
    match value {
        [over, sign, under] if is_sign(Some(sign), '/') => {
            Some((as_int(slice::from_ref(over))?, as_int(slice::from_ref(under))?))
        }
        _ => None,
    }
}

/// Checks a list of probabilities and makes the argument for the runtime.
fn outcomes(value: &[TokenTree]) -> Result<Tokens> {
    // The runtime takes a list by value; `&` before a literal one says nothing.
    let list = without_parentheses(referred(value));
    let list = match &list[..] {
        [list] => inside(Some(list), Delimiter::Bracket),
        _ => None,
    };
    let Some(list) = list else {
        let root = expression::read(value).1;
        if as_literal(value).is_some() || matches!(root, Root::Binary | Root::Unary) {
            return Err(refuse(
                value,
                "`outcomes` is one value, but it takes a list of probabilities",
                written("outcomes"),
            ));
        }
        return Ok(value.to_vec());
    };
    let (elements, times) = listed(&list);
    let read = elements.into_iter().map(|element| probability("an outcome", element));
    let read = read.collect::<Result<Vec<ParsedProbability>>>()?;
    check_outcomes(value, &read, times)?;
    // The elements of a Rust list have one type: with one text among them,
    // all literals become text.
    let has_text = read.iter().any(|element| element.is_text);
    let arguments = joined(read.iter().map(|element| match &element.exact {
        Some(exact) if has_text => vec![string(&exact.to_string(), place(&element.tokens))],
        _ => element.tokens.clone(),
    }));
    let span = place(value);
    Ok(match times {
        Some(times) => {
            code(span, "[$arguments; $times]", &[("arguments", &arguments), ("times", times)])
        }
        None => code(span, "[$arguments]", &[("arguments", &arguments)]),
    })
}

/// Checks how many outcomes a list has and their sum, where all of it is literal.
fn check_outcomes(
    list: &[TokenTree],
    elements: &[ParsedProbability],
    times: Option<&[TokenTree]>,
) -> Result<()> {
    let exact = elements.iter().map(|element| element.exact.as_ref());
    let Some(exact) = exact.collect::<Option<Vec<&Probability>>>() else {
        return Ok(());
    };
    let count = match times.map(|times| as_int(times)?.digits.parse().ok()) {
        None => exact.len(),
        Some(Some(times)) => times,
        // The compiler knows how large a number may be.
        Some(None) => return Ok(()),
    };
    let outcomes = Outcomes::new(exact.into_iter().cycle().take(count));
    outcomes.map(drop).map_err(|error| match count {
        0 => refused(list, &error.with_given("").with_help(written("outcomes"))),
        _ => refused(list, &error),
    })
}

fn seed(value: &[TokenTree]) -> Result<Argument> {
    let seed = match as_literal(value) {
        Some(Constant::Int(int)) => int.digits.parse::<u64>().ok(),
        None if !is_negated_number(value) => return Ok(as_code(value)),
        _ => None,
    };
    let seed = seed.ok_or_else(|| {
        refuse(value, "`seed` is not a whole number from 0 to 2^64 - 1", written("seed"))
    })?;
    Ok(unless_suffixed(value, format!("{seed:#x}")))
}

/// Text, but for a number with a type of its own: whether that is the right one is
/// the compiler's to say.
fn unless_suffixed(value: &[TokenTree], text: String) -> Argument {
    match as_int(value) {
        Some(int) if int.suffix.is_empty() => Argument::Text(text),
        _ => as_code(value),
    }
}

fn as_code(value: &[TokenTree]) -> Argument {
    Argument::Code(value.to_vec())
}

fn duration(name: &str, value: &[TokenTree]) -> Result<Argument> {
    match as_literal(value) {
        Some(Constant::Text(text)) => match parse_duration(&text) {
            Ok(_) => Ok(Argument::Text(text)),
            Err(error) => Err(refused(value, &error.about(format!("`{name}`")))),
        },
        None if !is_negated_number(value) => Ok(as_code(value)),
        _ => Err(refuse(
            value,
            format!("`{name}` is neither a string nor a `Duration`"),
            written(name),
        )),
    }
}

/// Reads `pct(depth = 2)` and `random`; any other expression is a value of its own.
fn schedules(krate: &[TokenTree], value: &[TokenTree]) -> Result<Tokens> {
    if !cfg!(feature = "shuttle") {
        return Err(refuse(
            value,
            "`schedules` needs probtest's feature `shuttle`: probtest = { .., features = [\"shuttle\"] }",
            "enable the feature in Cargo.toml",
        ));
    }
    let span = place(value);
    match value {
        [word] if is_word(Some(word), "random") => {
            return Ok(code(span, "$krate::schedules::random()", &[("krate", krate)]));
        }
        [word, arguments] if is_word(Some(word), "pct") => {
            let arguments = inside(Some(arguments), Delimiter::Parenthesis).unwrap_or_default();
            if let (arguments, None) = listed(&arguments)
                && let [argument] = arguments[..]
                && let Root::Assignment(1) = expression::read(argument).1
                && is_word(argument.first(), "depth")
                && is_expression(&argument[2..])
            {
                let parts = [("krate", krate), ("depth", &argument[2..])];
                return Ok(code(span, "$krate::schedules::pct($depth)", &parts));
            }
        }
        _ if as_literal(value).is_some() => {}
        _ => return Ok(value.to_vec()),
    }
    Err(refuse(
        value,
        format!("`schedules` is `{}`", shown(value)),
        "write `schedules = pct(depth = 2)`, or `schedules = random` and a `p`",
    ))
}

/// Reads a literal as the library does.
fn by_text(spec: &'static Spec, value: &[TokenTree]) -> Result<Argument> {
    let is_count = matches!(spec.kind, OptionKind::Count(_) | OptionKind::CountOrAuto(_));
    let text = match as_literal(value) {
        None if !is_negated_number(value) => return Ok(as_code(value)),
        Some(Constant::Int(int)) if is_count => int.digits,
        _ if is_count => shown(value),
        Some(Constant::Text(text)) => text,
        _ => shown(value).replace('_', ""),
    };
    spec.read(&format!("`{}`", spec.name), &text)
        .map_err(|error| refused(value, &error.with_help(written(spec.name))))?;
    Ok(if is_count { unless_suffixed(value, text) } else { Argument::Text(text) })
}

fn crate_path(value: &[TokenTree]) -> Result<Tokens> {
    match is_path(value) {
        true => Ok(value.to_vec()),
        false => Err(refuse(
            value,
            "`crate` is not a path to probtest",
            "write a path without quotes, such as `crate = ::my_probtest`",
        )),
    }
}

/// Whether these are names with `::` between them.
fn is_path(tokens: &[TokenTree]) -> bool {
    let names = if operator(tokens, 0) == "::" { &tokens[2..] } else { tokens };
    match names {
        [TokenTree::Ident(name), rest @ ..] if !is_reserved(&name.to_string()) => {
            rest.is_empty() || operator(rest, 0) == "::" && is_path(rest)
        }
        _ => false,
    }
}

/// Whether the word means something else than a name in a path.
fn is_reserved(word: &str) -> bool {
    const WORDS: [&str; 34] = [
        "_", "as", "async", "await", "break", "const", "continue", "dyn", "else", "enum", "extern",
        "false", "fn", "for", "if", "impl", "in", "let", "loop", "match", "mod", "move", "mut",
        "pub", "ref", "return", "static", "struct", "trait", "true", "type", "unsafe", "use",
        "while",
    ];
    WORDS.contains(&word)
}

/// Lets through what can be a claim; which types it may have is said by the runtime.
fn claim(value: &[TokenTree]) -> Result<Tokens> {
    let root = expression::read(value).1;
    let is_list = match value {
        [list] => {
            let array = inside(Some(list), Delimiter::Bracket);
            // Parentheses around one value are gone.
            array.is_some_and(|array| listed(&array).1.is_none())
                || inside(Some(list), Delimiter::Parenthesis).is_some()
        }
        _ => false,
    };
    if as_literal(value).is_some() || is_list || matches!(root, Root::Unary | Root::Range) {
        return Err(refuse(
            value,
            "`claim` is not a claim on what the body returns",
            written("claim"),
        ));
    }
    let named = if root == Root::Plain { named_argument(value) } else { None };
    let Some((name, argument)) = named else {
        return Ok(value.to_vec());
    };
    Err(refuse(
        &argument,
        format!("`{name}` is written as a named argument, but in Rust it is a method"),
        format!("write `probtest::mean().{name}(..)`, and so on for each part"),
    ))
}

/// The first argument with a name, as Python writes them, and that name.
fn named_argument(value: &[TokenTree]) -> Option<(String, Tokens)> {
    // A macro may give names to what it takes.
    let is_call = |pair: &&[TokenTree]| !is_sign(pair.first(), '!');
    let calls = value.windows(2).filter(is_call);
    let calls = calls.filter_map(|pair| inside(pair.last(), Delimiter::Parenthesis));
    let named = |arguments: Tokens| {
        let (arguments, _) = listed(&arguments);
        arguments.into_iter().find_map(|argument| match expression::read(argument).1 {
            Root::Assignment(at) => Some((shown(&argument[..at]), argument.to_vec())),
            _ => None,
        })
    };
    let mut calls = calls;
    calls.find_map(named)
}
