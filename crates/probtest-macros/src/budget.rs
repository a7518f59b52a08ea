//! Budget: can these be a limit of time, and what to do at it?

use crate::options::shown;
use crate::problem::Problem;
use crate::span::{self, Malformed};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, Lit};

/// Checks a span of time; what is no literal is checked at run time.
///
/// # Errors
/// When it is a literal, but no text that means a span.
pub fn max_time(value: &Expr) -> syn::Result<TokenStream> {
    let given = shown(value);
    let text = match value {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Str(text) => text,
            Lit::Int(_) | Lit::Float(_) => return Err(Problem::BareTime { given }.at(literal)),
            _ => return Err(Problem::NoTime { given }.at(literal)),
        },
        Expr::Unary(_) => return Err(Problem::NoTime { given }.at(value)),
        _ => return Ok(value.to_token_stream()),
    };
    let problem = match span::check(&text.value()) {
        Ok(()) => return Ok(text.to_token_stream()),
        Err(Malformed::Junk) => Problem::NoTime { given },
        Err(Malformed::NoUnit) => Problem::BareTime {
            given: text.value().trim().to_owned(),
        },
        Err(Malformed::UnknownUnit(unit)) => Problem::UnknownUnit { unit },
        Err(Malformed::Order) => Problem::UnitOrder { given },
        Err(Malformed::OutOfRange) => Problem::TimeRange { given },
    };
    Err(problem.at(text))
}

/// Checks what to do when a budget ends before the plan.
///
/// # Errors
/// When it is a literal other than `"pass"` and `"fail"`.
pub fn on_budget(krate: &TokenStream, value: &Expr) -> syn::Result<TokenStream> {
    let Expr::Lit(literal) = value else {
        return Ok(value.to_token_stream());
    };
    let word = match &literal.lit {
        Lit::Str(text) => text.value(),
        _ => String::new(),
    };
    let here = literal.span();
    match word.as_str() {
        "pass" => Ok(quote_spanned!(here=> #krate::OnBudget::Pass)),
        "fail" => Ok(quote_spanned!(here=> #krate::OnBudget::Fail)),
        _ => {
            let given = shown(value);
            Err(Problem::NoOnBudget { given }.at(value))
        }
    }
}
