//! Validate: can these options be a claim?
//!
//! Checks every literal exactly and lets other expressions through: those are
//! checked at run time. Turns each option into the call that hands it to the
//! runtime.
//!
//! Next stage: [`crate::expand`].

use crate::budget;
use crate::claim;
use crate::exact::{Malformed, Number, Place};
use crate::options::{Given, shown, without_parentheses};
use crate::outcomes;
use crate::problem::{Problem, Subject};
use crate::problems::Problems;
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{BinOp, Expr, Ident, Lit, LitFloat, LitInt, LitStr, Path, UnOp};

/// Options that passed.
pub struct Settings {
    /// The path of probtest.
    pub krate: TokenStream,
    /// The claim on what the body returns, if that is what is tested.
    pub claim: Option<TokenStream>,
    /// Calls on the builder, such as `.p(0.01)`.
    pub calls: Vec<TokenStream>,
}

/// A probability that passed.
pub struct Probability {
    /// The argument for the runtime.
    pub tokens: TokenStream,
    /// The digits, where the value is a literal.
    pub literal: Option<Literal>,
}

/// A probability whose value is known here.
pub struct Literal {
    /// The value.
    pub number: Number,
    /// The value as the text that means it exactly.
    pub text: String,
    /// Whether it is handed on as an `f64`.
    pub is_float: bool,
}

/// Checks all options; mistakes go to `problems`.
pub fn settings(mut options: Vec<Given>, problems: &mut Problems) -> Settings {
    refuse_what_does_not_go_together(&options, problems);
    // First, since the values of others are paths in it.
    options.sort_by_key(|given| given.name != "crate");
    let mut settings = Settings {
        krate: quote!(::probtest),
        claim: None,
        calls: Vec::new(),
    };
    let mut rates = Rates::default();
    for Given { name, ident, value } in options {
        if name == "crate" {
            if let Some(path) = problems.take(crate_path(&value)) {
                settings.krate = path.into_token_stream();
            }
            continue;
        }
        if name == "claim" {
            settings.claim = problems.take(claim::argument(&value));
            continue;
        }
        let argument = match name {
            "p" | "epsilon" | "tolerate" | "false_alarm" => {
                let read = problems.take(probability(Subject::Option(name), value));
                read.map(|read| {
                    rates.note(name, &ident, read.literal);
                    read.tokens
                })
            }
            "outcomes" => outcomes::argument(value, problems),
            "jobs" => problems.take(count(name, &["usize"], 1, value)),
            "max_time" => problems.take(budget::max_time(&value)),
            "on_budget" => problems.take(budget::on_budget(&settings.krate, &value)),
            "seed" => problems.take(count(name, &["u64"], 0, value)),
            _ => problems.take(count(name, &["u64"], 1, value)),
        };
        // The user's place with the macro's hygiene: a type error points at
        // the option, and no lint takes the call for the user's.
        let method = Ident::new(name, Span::mixed_site().located_at(ident.span()));
        settings.calls.extend(
            argument.map(|argument| quote_spanned!(Span::mixed_site()=> .#method(#argument))),
        );
    }
    if let Some(problem) = rates.problem() {
        problems.push(problem);
    }
    settings
}

/// The two rates of a claim that tolerates one, where they are literals.
#[derive(Default)]
struct Rates {
    tolerate: Option<(Ident, Literal)>,
    p: Option<(Ident, Literal)>,
}

impl Rates {
    fn note(&mut self, name: &str, ident: &Ident, literal: Option<Literal>) {
        let noted = literal.map(|literal| (ident.clone(), literal));
        match name {
            "tolerate" => self.tolerate = noted,
            "p" => self.p = noted,
            _ => {}
        }
    }

    /// Says that one rate would have to pass and to fail. Numbers too long to be
    /// compared here are compared at run time.
    fn problem(self) -> Option<syn::Error> {
        let ((ident, tolerate), (_, p)) = (self.tolerate?, self.p?);
        let order = tolerate.number.ratio()?.compare(p.number.ratio()?)?;
        order.is_ge().then(|| {
            let (tolerate, p) = (tolerate.text, p.text);
            Problem::TolerateNotBelowP { tolerate, p }.at(&ident)
        })
    }
}

fn refuse_what_does_not_go_together(options: &[Given], problems: &mut Problems) {
    if claim::refuse_beside(options, problems) {
        return;
    }
    let position = |name| options.iter().position(|given| given.name == name);
    if let (Some(p), Some(outcomes)) = (position("p"), position("outcomes")) {
        problems.push(Problem::BothPAndOutcomes.at(&options[p.max(outcomes)].ident));
    }
    if let (Some(tolerate), Some(outcomes)) = (position("tolerate"), position("outcomes")) {
        problems.push(Problem::TolerateAndOutcomes.at(&options[tolerate.max(outcomes)].ident));
    }
    if let (Some(alarm), None) = (position("false_alarm"), position("tolerate")) {
        problems.push(Problem::FalseAlarmAlone.at(&options[alarm].ident));
    }
}

/// Checks one probability.
///
/// # Errors
/// When it is a literal outside (0, 1), or none that means a number.
pub fn probability(subject: Subject, value: Expr) -> syn::Result<Probability> {
    let value = without_parentheses(value);
    let given = shown(&value);
    match &value {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Float(float) => from_float(subject, float),
            Lit::Int(int) => Err(whole_number(subject, int)),
            Lit::Str(text) => from_text(subject, text),
            _ => Err(Problem::NoNumber { subject, given }.at(literal)),
        },
        Expr::Unary(negated) if is_negated_number(&value) => {
            Err(Problem::Negative { subject, given }.at(negated))
        }
        Expr::Binary(binary) => match (&binary.op, as_int(&binary.left), as_int(&binary.right)) {
            (BinOp::Div(_), Some(left), Some(right)) => from_fraction(subject, &value, left, right),
            _ if is_whole_arithmetic(&value) => {
                Err(Problem::WholeArithmetic { subject, given }.at(&value))
            }
            _ => Ok(unchecked(&value)),
        },
        _ => Ok(unchecked(&value)),
    }
}

fn unchecked(value: &Expr) -> Probability {
    Probability {
        tokens: value.to_token_stream(),
        literal: None,
    }
}

fn from_float(subject: Subject, float: &LitFloat) -> syn::Result<Probability> {
    let text = float.base10_digits().to_owned();
    if !matches!(float.suffix(), "" | "f64") {
        let (given, plain) = (float.to_string(), text);
        return Err(Problem::ProbabilitySuffix { given, plain }.at(float));
    }
    let number = place(subject, &text, Number::parse(&text), float)?;
    // Inside as written, but the runtime is handed the f64.
    let rounded: f64 = text.parse().unwrap_or(f64::NAN);
    if rounded <= 0.0 || rounded >= 1.0 {
        let to = u8::from(rounded >= 1.0);
        let given = text;
        return Err(Problem::Rounds { subject, given, to }.at(float));
    }
    Ok(Probability {
        tokens: float.to_token_stream(),
        literal: Some(Literal {
            number,
            text,
            is_float: true,
        }),
    })
}

fn from_text(subject: Subject, literal: &LitStr) -> syn::Result<Probability> {
    let text = literal.value();
    let number = place(subject, &format!("{text:?}"), Number::parse(&text), literal)?;
    Ok(Probability {
        tokens: literal.to_token_stream(),
        literal: Some(Literal {
            number,
            text,
            is_float: false,
        }),
    })
}

fn from_fraction(
    subject: Subject,
    value: &Expr,
    left: &LitInt,
    right: &LitInt,
) -> syn::Result<Probability> {
    let text = format!("{}/{}", left.base10_digits(), right.base10_digits());
    let both = [left, right];
    if let Some(suffixed) = both.into_iter().find(|int| !int.suffix().is_empty()) {
        let (given, plain) = (suffixed.to_string(), text);
        return Err(Problem::ProbabilitySuffix { given, plain }.at(suffixed));
    }
    let number = place(subject, &text, Number::parse(&text), value)?;
    let literal = LitStr::new(&text, value.span());
    Ok(Probability {
        tokens: literal.to_token_stream(),
        literal: Some(Literal {
            number,
            text,
            is_float: false,
        }),
    })
}

/// Lets only numbers strictly between 0 and 1 pass.
fn place(
    subject: Subject,
    shown: &str,
    number: Result<Number, Malformed>,
    tokens: &impl ToTokens,
) -> syn::Result<Number> {
    let given = shown.to_owned();
    let place = number.map(|number| (number.place(), number));
    let problem = match place {
        Ok((Place::Inside, number)) => return Ok(number),
        Ok((Place::Zero, _)) => Problem::Zero { subject },
        Ok((Place::One, _)) => Problem::One { subject },
        Ok((Place::Above, _)) => Problem::Above { subject, given },
        Err(Malformed::Negative) => Problem::Negative { subject, given },
        Err(Malformed::Percent) => Problem::Percent { subject, given },
        Err(Malformed::DividedByZero) => Problem::DividedByZero { subject, given },
        Err(Malformed::Junk) => Problem::NoNumber { subject, given },
    };
    Err(problem.at(tokens))
}

fn whole_number(subject: Subject, int: &LitInt) -> syn::Error {
    let problem = match int.base10_digits() {
        "0" => Problem::Zero { subject },
        "1" => Problem::One { subject },
        more => Problem::WholeAbove {
            subject,
            given: more.to_owned(),
        },
    };
    problem.at(int)
}

/// Checks a count or a seed.
fn count(
    name: &'static str,
    suffixes: &[&str],
    least: u64,
    value: Expr,
) -> syn::Result<TokenStream> {
    let given = shown(&value);
    if is_negated_number(&value) {
        return Err(Problem::NegativeCount { name, given }.at(value));
    }
    let Expr::Lit(literal) = &value else {
        return Ok(value.into_token_stream());
    };
    let Lit::Int(int) = &literal.lit else {
        return Err(Problem::NoWholeNumber { name, given }.at(literal));
    };
    if !int.suffix().is_empty() && !suffixes.contains(&int.suffix()) {
        let plain = int.base10_digits().to_owned();
        return Err(Problem::CountSuffix { name, given, plain }.at(int));
    }
    match int.base10_parse::<u64>() {
        Ok(number) if number < least => Err(Problem::CountIsZero { name }.at(int)),
        Ok(_) => Ok(int.to_token_stream()),
        Err(_) => Err(Problem::TooLarge { name, given }.at(int)),
    }
}

fn crate_path(value: &Expr) -> syn::Result<Path> {
    match value {
        Expr::Path(path) if path.qself.is_none() => Ok(path.path.clone()),
        _ => {
            let given = shown(value);
            Err(Problem::NoPath { given }.at(value))
        }
    }
}

fn as_int(value: &Expr) -> Option<&LitInt> {
    match value {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Int(int) => Some(int),
            _ => None,
        },
        Expr::Group(inner) => as_int(&inner.expr),
        Expr::Paren(inner) => as_int(&inner.expr),
        _ => None,
    }
}

fn is_negated_number(value: &Expr) -> bool {
    match value {
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => match &*unary.expr {
            Expr::Lit(inner) => matches!(inner.lit, Lit::Int(_) | Lit::Float(_)),
            _ => false,
        },
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
