//! Item: is this a function that can be executed again and again?
//!
//! Reads attributes and signature. The body stays a single token, so that no
//! syntax of a newer compiler is refused and every span is kept.
//!
//! Next stage: [`crate::expand`].

use crate::options::shown;
use crate::problem::Problem;
use crate::problems::Problems;
use proc_macro2::{Group, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, FnArg, Ident, Safety, Signature, Token, Type, Visibility};

/// A function below `#[probtest]`.
pub struct Function {
    /// Everything but `#[probtest]` itself.
    pub attributes: Vec<Attribute>,
    /// `pub` and the like.
    pub visibility: Visibility,
    /// From `fn` to the return type.
    pub signature: Signature,
    /// The braces and what is between.
    pub body: Group,
}

impl Parse for Function {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let attributes = input.call(Attribute::parse_outer)?;
        let visibility = input.parse()?;
        if !is_function(input) {
            let keyword: TokenTree = input.parse()?;
            let rest: TokenStream = input.parse()?;
            let name = keyword.to_string();
            return Err(Problem::NoFunction { keyword: name }.at(quote!(#keyword #rest)));
        }
        let signature: Signature = input.parse()?;
        if input.peek(Token![;]) {
            let end: TokenStream = input.parse()?;
            return Err(Problem::NoBody.at(quote!(#signature #end)));
        }
        Ok(Self {
            attributes,
            visibility,
            signature,
            body: input.parse()?,
        })
    }
}

/// Whether `fn` comes before anything that is no modifier of a function.
fn is_function(input: ParseStream) -> bool {
    let ahead = input.fork();
    while let Ok(token) = ahead.parse::<TokenTree>() {
        match token {
            TokenTree::Ident(word) if word == "fn" => return true,
            TokenTree::Ident(word) if is_modifier(&word) => {}
            // The ABI in `extern "C"`.
            TokenTree::Literal(_) => {}
            _ => return false,
        }
    }
    false
}

fn is_modifier(word: &Ident) -> bool {
    ["const", "async", "unsafe", "extern", "safe"]
        .iter()
        .any(|modifier| word == modifier)
}

/// Refuses functions that probtest cannot execute.
pub fn refuse(function: &Function, async_is_enabled: bool, problems: &mut Problems) {
    for attribute in &function.attributes {
        refuse_attribute(attribute, problems);
    }
    let signature = &function.signature;
    if let Some(token) = &signature.constness {
        problems.push(Problem::Const.at(token));
    }
    if let Safety::Unsafe(token) = &signature.safety {
        problems.push(Problem::Unsafe.at(token));
    }
    if let Some(abi) = &signature.abi {
        problems.push(Problem::Extern.at(abi));
    }
    if let (Some(token), false) = (&signature.asyncness, async_is_enabled) {
        problems.push(Problem::AsyncWithoutTokio.at(token));
    }
    if !signature.generics.params.is_empty() {
        problems.push(Problem::Generic.at(&signature.generics));
    }
    refuse_arguments(signature, problems);
}

fn refuse_attribute(attribute: &Attribute, problems: &mut Problems) {
    let path = attribute.path();
    let Some(last) = path.segments.last() else {
        return;
    };
    match last.ident.unraw().to_string().as_str() {
        "probtest" => problems.push(Problem::ProbtestTwice.at(attribute)),
        "test" | "bench" | "rstest" | "test_case" | "quickcheck" | "wasm_bindgen_test" => {
            let attribute_path = path.to_token_stream().to_string().replace(' ', "");
            problems.push(
                Problem::AnotherTest {
                    attribute: attribute_path,
                }
                .at(attribute),
            );
        }
        _ => {}
    }
}

fn refuse_arguments(signature: &Signature, problems: &mut Problems) {
    let count = signature.inputs.len();
    if let Some(receiver) = signature.receiver() {
        problems.push(Problem::SelfArgument.at(receiver));
    } else if count > 1 {
        problems.push(Problem::ManyArguments { count }.at(&signature.inputs));
    } else if let Some(FnArg::Typed(argument)) = signature.inputs.first()
        && !is_lent(&argument.ty)
    {
        let owned = match bare(&argument.ty) {
            Type::Reference(reference) => shown(&reference.elem),
            other => shown(other),
        };
        problems.push(
            Problem::NotLent {
                given: shown(&argument.ty),
                lent: format!("{}: &mut {owned}", shown(&argument.pat)),
            }
            .at(&argument.ty),
        );
    }
}

fn is_lent(ty: &Type) -> bool {
    matches!(bare(ty), Type::Reference(reference) if reference.mutability.is_some())
}

/// The type without parentheses and a macro's invisible ones.
fn bare(ty: &Type) -> &Type {
    match ty {
        Type::Paren(inner) => bare(&inner.elem),
        Type::Group(inner) => bare(&inner.elem),
        other => other,
    }
}
