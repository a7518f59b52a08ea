//! Claim: is this a claim on what the body returns, and the only one?
//!
//! The value is an expression of the user; which types it may have is said by the
//! runtime. What can be no such claim is refused here, in fewer words.

use crate::item::Function;
use crate::options::{Given, shown};
use crate::problem::Problem;
use crate::problems::Problems;
use crate::validate::Settings;
use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{Expr, ExprAssign, ReturnType};

/// Options that say what is claimed, or what is made of less than that.
const CLAIMING: [&str; 6] = [
    "p",
    "epsilon",
    "tolerate",
    "false_alarm",
    "outcomes",
    "on_budget",
];

/// Refuses options that say something about the claim besides it, and says whether
/// there is one.
pub fn refuse_beside(options: &[Given], problems: &mut Problems) -> bool {
    let is_given = options.iter().any(|given| given.name == "claim");
    if is_given {
        for given in options {
            if CLAIMING.contains(&given.name) {
                problems.push(Problem::BesideClaim { name: given.name }.at(&given.ident));
            }
        }
    }
    is_given
}

/// Checks the value of `claim`.
///
/// # Errors
/// When it is a literal or a list, or has arguments with names.
pub fn argument(value: &Expr) -> syn::Result<TokenStream> {
    let is_none = matches!(
        value,
        Expr::Lit(_) | Expr::Unary(_) | Expr::Array(_) | Expr::Tuple(_) | Expr::Range(_)
    );
    if is_none {
        let given = shown(value);
        return Err(Problem::NoClaim { given }.at(value));
    }
    match named_argument(value) {
        Some(argument) => {
            let name = shown(&argument.left);
            Err(Problem::NamedArgument { name }.at(argument))
        }
        None => Ok(value.to_token_stream()),
    }
}

/// Refuses a body that returns nothing under a claim on what it returns.
pub fn refuse_silence(function: &Function, settings: &Settings, problems: &mut Problems) {
    let signature = &function.signature;
    if settings.claim.is_some() && matches!(signature.output, ReturnType::Default) {
        problems.push(Problem::ReturnsNothing.at(&signature.ident));
    }
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
