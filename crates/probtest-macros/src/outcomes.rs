//! Outcomes: can these be the probabilities of one program's outcomes?
//!
//! The sum is computed exactly from the digits as written. Where it does not
//! fit, or an element is no literal, the exact check at run time decides.

use crate::exact::Ratio;
use crate::options::{shown, without_parentheses};
use crate::problem::{Problem, Subject};
use crate::problems::Problems;
use crate::validate::{Probability, probability};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, ExprArray, ExprRepeat, Lit, LitStr};

/// Checks the value of `outcomes` and makes the argument for the runtime.
pub fn argument(value: Expr, problems: &mut Problems) -> Option<TokenStream> {
    match value {
        Expr::Array(array) => listed(&array, problems),
        Expr::Repeat(repeat) => repeated(&repeat, problems),
        Expr::Reference(reference) if is_list(&reference.expr) => {
            // The runtime takes a list by value; `&` before a literal one says nothing.
            argument(without_parentheses(*reference.expr), problems)
        }
        Expr::Lit(_) | Expr::Binary(_) | Expr::Unary(_) => {
            let given = shown(&value);
            problems.push(Problem::NoList { given }.at(value));
            None
        }
        other => Some(other.into_token_stream()),
    }
}

fn is_list(value: &Expr) -> bool {
    matches!(value, Expr::Array(_) | Expr::Repeat(_))
}

fn listed(array: &ExprArray, problems: &mut Problems) -> Option<TokenStream> {
    if array.elems.is_empty() {
        problems.push(Problem::EmptyList.at(array));
        return None;
    }
    let mut elements = Vec::new();
    for element in &array.elems {
        let checked = probability(Subject::Outcome, element.clone());
        elements.push((element, problems.take(checked)?));
    }
    let ratios = elements.iter().map(|(_, element)| ratio(element));
    let sum = ratios.sum_where_it_fits();
    if let Some(sum) = sum.filter(|sum| sum.exceeds_one()) {
        let given: Vec<String> = array.elems.iter().map(shown).collect();
        problems.push(sum_above_one(sum, given.join(", ")).at(array));
        return None;
    }
    // The elements of a Rust list have one type: with one text among them,
    // all literals become text.
    let all_float = elements.iter().all(|(_, element)| {
        element
            .literal
            .as_ref()
            .is_none_or(|literal| literal.is_float)
    });
    let arguments = elements
        .iter()
        .map(|(source, element)| match &element.literal {
            Some(literal) if !all_float => {
                LitStr::new(&literal.text, source.span()).into_token_stream()
            }
            _ => element.tokens.clone(),
        });
    let span = array.bracket_token.span.join();
    Some(quote_spanned!(span=> [#(#arguments),*]))
}

fn repeated(repeat: &ExprRepeat, problems: &mut Problems) -> Option<TokenStream> {
    let element = problems.take(probability(Subject::Outcome, (*repeat.expr).clone()))?;
    let length = &repeat.len;
    if let Some(times) = literal_length(length) {
        if times == 0 {
            problems.push(Problem::EmptyList.at(repeat));
            return None;
        }
        let sum = ratio(&element).and_then(|ratio| ratio.times(times));
        if let Some(sum) = sum.filter(|sum| sum.exceeds_one()) {
            let given = format!("{} times {}", times, shown(&repeat.expr));
            problems.push(sum_above_one(sum, given).at(repeat));
            return None;
        }
    }
    let tokens = element.tokens;
    let span = repeat.bracket_token.span.join();
    Some(quote_spanned!(span=> [#tokens; #length]))
}

fn sum_above_one(sum: Ratio, given: String) -> Problem {
    let sum = sum.to_string();
    Problem::SumAboveOne { sum, given }
}

fn ratio(element: &Probability) -> Option<Ratio> {
    element.literal.as_ref()?.number.ratio()
}

fn literal_length(length: &Expr) -> Option<u128> {
    match length {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Int(int) => int.base10_parse().ok(),
            _ => None,
        },
        _ => None,
    }
}

/// Adding up ratios of which some are not known.
trait Sum {
    fn sum_where_it_fits(self) -> Option<Ratio>;
}

impl<I: Iterator<Item = Option<Ratio>>> Sum for I {
    fn sum_where_it_fits(mut self) -> Option<Ratio> {
        self.try_fold(Ratio::ZERO, |sum, ratio| sum.plus(ratio?))
    }
}
