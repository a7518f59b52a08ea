//! Item: is this a function that can be executed again and again?
//!
//! Reads attributes and signature. The body stays a single token, so that no
//! syntax of a newer compiler is refused and every span is kept.
//!
//! Next stage: [`crate::expand`].

use crate::options::shown;
use crate::problems::{Problems, refuse};
use proc_macro2::{Group, TokenStream, TokenTree};
use quote::quote;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, FnArg, Ident, ReturnType, Safety, Signature, Token, Type, Visibility};

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
            return Err(refuse(
                quote!(#keyword #rest),
                format!("`#[probtest]` stands on `{keyword}`, but it tests a function"),
                "put it on `fn name(rng: &mut TestRng) { .. }`",
            ));
        }
        let signature: Signature = input.parse()?;
        if input.peek(Token![;]) {
            let end: TokenStream = input.parse()?;
            return Err(refuse(
                quote!(#signature #end),
                "`#[probtest]` stands on a function without a body",
                "write the assertion between `{` and `}`",
            ));
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
pub fn check(
    function: &Function,
    lists_outcomes: bool,
    concurrency: Option<&Ident>,
    problems: &mut Problems,
) {
    for attribute in &function.attributes {
        problems.take(check_attribute(attribute));
    }
    let signature = &function.signature;
    let unsafety = match &signature.safety {
        Safety::Unsafe(token) => Some(token),
        _ => None,
    };
    let waits = signature.asyncness.filter(|_| !cfg!(feature = "tokio"));
    let generics = Some(&signature.generics).filter(|generics| !generics.params.is_empty());
    let reports_none = lists_outcomes.then(|| silent_type(&signature.output));
    let found = [
        signature.constness.map(|token| {
            refuse(
                token,
                "the function is `const`, but an execution draws random numbers",
                "remove `const`",
            )
        }),
        unsafety.map(|token| {
            refuse(
                token,
                "the function is `unsafe`, but probtest cannot keep its safety contract",
                "remove `unsafe` and put an `unsafe` block into the body",
            )
        }),
        signature.abi.as_ref().map(|abi| {
            refuse(
                abi,
                "the function is `extern`, but only probtest calls it",
                "remove `extern`",
            )
        }),
        waits.map(|token| {
            refuse(
                token,
                "async fn needs probtest's feature `tokio`: probtest = { .., features = [\"tokio\"] }",
                "enable the feature in Cargo.toml, or remove `async`",
            )
        }),
        concurrency
            .filter(|_| signature.asyncness.is_none())
            .map(|option| {
                refuse(
                    option,
                    "executions wait at the same time where the function is `async`, and this one is not",
                    "write `async fn`, or leave `concurrency` out; `jobs` is for threads",
                )
            }),
        generics.map(|generics| {
            refuse(
                generics,
                "the function is generic, but the test harness calls it without type arguments",
                "remove the part in `<..>`; for any generator write `rng: &mut impl Rng`",
            )
        }),
        check_arguments(signature).err(),
        reports_none.flatten().map(|returned| {
            refuse(
                &signature.ident,
                format!("the function returns {returned}, but `outcomes` asks which outcome an execution showed"),
                "return the number of the outcome, as `-> usize`, or `-> Option<usize>` where some are not listed",
            )
        }),
    ];
    found
        .into_iter()
        .flatten()
        .for_each(|error| problems.push(error));
}

fn check_attribute(attribute: &Attribute) -> syn::Result<()> {
    let path = attribute.path();
    let last = path.segments.last().map(|last| last.ident.unraw());
    match last.map(|last| last.to_string()).as_deref() {
        Some("probtest") => Err(refuse(
            attribute,
            "`#[probtest]` stands twice on this function",
            "put all options into one `#[probtest(..)]`",
        )),
        Some("test" | "bench" | "rstest" | "test_case" | "quickcheck" | "wasm_bindgen_test") => {
            let name = shown(path);
            Err(refuse(
                attribute,
                format!("`#[{name}]` stands next to `#[probtest]`, but one of them makes the test"),
                format!("remove `#[{name}]`: `#[probtest]` already makes the function a test"),
            ))
        }
        _ => Ok(()),
    }
}

fn check_arguments(signature: &Signature) -> syn::Result<()> {
    let count = signature.inputs.len();
    if let Some(receiver) = signature.receiver() {
        return Err(refuse(
            receiver,
            "the function takes `self`, but there is no value to call it on",
            "move the function out of its `impl` or `trait`, and write `rng: &mut TestRng`",
        ));
    }
    if count > 1 {
        return Err(refuse(
            &signature.inputs,
            format!(
                "the function takes {count} arguments, but an execution is lent one generator or nothing"
            ),
            "keep `rng: &mut TestRng` and make the other values in the body",
        ));
    }
    match signature.inputs.first() {
        Some(FnArg::Typed(argument)) if !is_lent(&argument.ty) => {
            let given = shown(&argument.ty);
            let name = shown(&argument.pat);
            let owned = given.trim_start_matches('&');
            Err(refuse(
                &argument.ty,
                format!(
                    "the argument's type is `{given}`, but the generator is lent to each execution by `&mut`"
                ),
                format!("write `{name}: &mut {owned}`"),
            ))
        }
        _ => Ok(()),
    }
}

/// What a function returns that says nothing of outcomes, in words.
fn silent_type(output: &ReturnType) -> Option<&'static str> {
    match output {
        ReturnType::Default => Some("nothing"),
        ReturnType::Type(_, ty) => match shown(ty).as_str() {
            "()" => Some("nothing"),
            "bool" => Some("`bool`"),
            _ => None,
        },
    }
}

/// Whether this is `&mut`, below parentheses and a macro's invisible ones.
fn is_lent(ty: &Type) -> bool {
    match ty {
        Type::Paren(inner) => is_lent(&inner.elem),
        Type::Group(inner) => is_lent(&inner.elem),
        Type::Reference(reference) => reference.mutability.is_some(),
        _ => false,
    }
}
