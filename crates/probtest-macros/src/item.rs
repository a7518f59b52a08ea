//! Item: is this a function that can be executed again and again?
//!
//! Reads attributes and signature. The body stays a single token, so that no
//! syntax of a newer compiler is refused and every span is kept.
//!
//! Next stage: [`crate::expand`].

use crate::options::shown;
use crate::problems::{Problems, refuse};
use crate::values::Settings;
use proc_macro2::{Group, TokenStream, TokenTree};
use quote::quote;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{
    Attribute, Expr, FnArg, Pat, PatType, ReturnType, Safety, Signature, Token, Type, Visibility,
};

/// A function below `#[probtest]`.
pub struct Function {
    /// Everything but `#[probtest]` itself.
    pub attributes: Vec<Attribute>,
    /// `pub` and the like.
    pub visibility: Visibility,
    /// From `fn` to the return type, without what says how an argument is drawn.
    pub signature: Signature,
    /// What is drawn for each execution: the arguments after the generator.
    pub inputs: Vec<Input>,
    /// What is wrong with them.
    pub refused: Vec<syn::Error>,
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
                format!("`#[probtest]` is attached to `{keyword}`, but it only works on functions"),
                "put it on `fn name(rng: &mut TestRng) { .. }`",
            ));
        }
        let mut signature: Signature = input.parse()?;
        if input.peek(Token![;]) {
            let end: TokenStream = input.parse()?;
            return Err(refuse(
                quote!(#signature #end),
                "`#[probtest]` is on a function without a body",
                "write the assertion between `{` and `}`",
            ));
        }
        let mut refused = Vec::new();
        let inputs = inputs(&mut signature, &mut refused);
        Ok(Self { attributes, visibility, signature, inputs, refused, body: input.parse()? })
    }
}

impl Function {
    /// The argument that takes the generator.
    pub fn generator(&self) -> Option<&PatType> {
        generator(&self.signature)
    }
}

/// An argument that is drawn for each execution.
pub struct Input {
    /// What it is called.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Where its values come from.
    pub from: InputFrom,
}

/// Where the values of an argument come from.
pub enum InputFrom {
    /// A strategy of proptest.
    Strategy(Expr),
    /// The strategy that proptest has for the type.
    Any,
    /// Bytes, by the trait of the crate `arbitrary`.
    Arbitrary,
}

fn generator(signature: &Signature) -> Option<&PatType> {
    match signature.inputs.first() {
        Some(FnArg::Typed(argument)) if is_generator(&argument.ty) => Some(argument),
        _ => None,
    }
}

/// Whether the type is that of a generator, also of one that is not lent as it should be.
fn is_generator(ty: &Type) -> bool {
    match bare(ty) {
        Type::Path(path) => {
            let last = path.path.segments.last();
            last.is_some_and(|last| last.ident.to_string().ends_with("Rng"))
        }
        // A shared reference may be to a generator, or to anything that was meant as an input.
        Type::Reference(reference) => {
            reference.mutability.is_some() || is_generator(&reference.elem)
        }
        Type::ImplTrait(_) | Type::TraitObject(_) => true,
        _ => false,
    }
}

/// Takes the attributes that say how arguments are drawn.
fn inputs(signature: &mut Signature, refused: &mut Vec<syn::Error>) -> Vec<Input> {
    let mut inputs = Vec::new();
    if signature.receiver().is_some() {
        return inputs;
    }
    let lent = usize::from(generator(signature).is_some());
    for (place, argument) in signature.inputs.iter_mut().enumerate() {
        let FnArg::Typed(argument) = argument else {
            continue;
        };
        let (said, others) = std::mem::take(&mut argument.attrs)
            .into_iter()
            .partition::<Vec<Attribute>, _>(|attribute| {
                attribute.path().is_ident("strategy") || attribute.path().is_ident("arbitrary")
            });
        argument.attrs = others;
        if place >= lent {
            match input(argument, &said) {
                Ok(input) => inputs.push(input),
                Err(error) => refused.push(error),
            }
        } else if let [attribute, ..] = &said[..] {
            refused.push(refuse(
                attribute,
                "the first argument is the generator, which is not drawn",
                "put the attribute on a later argument, such as `#[strategy(0..9)] x: i32`",
            ));
        }
    }
    if refused.is_empty() {
        refused.extend(inputs.iter().filter_map(|input| check_feature(input).err()));
    }
    inputs
}

fn input(argument: &PatType, said: &[Attribute]) -> syn::Result<Input> {
    let ty = (*argument.ty).clone();
    let name = match &*argument.pat {
        Pat::Ident(name) => name.ident.unraw().to_string(),
        pattern => shown(pattern),
    };
    let from = match said {
        [] => InputFrom::Any,
        [_, second, ..] => {
            return Err(refuse(
                second,
                "the argument is drawn in two ways",
                "keep one of `#[strategy(..)]` and `#[arbitrary]`",
            ));
        }
        [only] if only.path().is_ident("arbitrary") => InputFrom::Arbitrary,
        [only] => InputFrom::Strategy(only.parse_args().map_err(|_| {
            refuse(
                only,
                "`#[strategy]` does not say which strategy",
                "write an expression in parentheses, such as `#[strategy(0..100)]`",
            )
        })?),
    };
    if is_lent(&ty) {
        return Err(refuse(
            &ty,
            "the generator must be the first argument",
            "write `rng: &mut TestRng` before the inputs",
        ));
    }
    if matches!(ty, Type::Reference(_) | Type::ImplTrait(_)) {
        return Err(refuse(
            &ty,
            format!("an input is passed by value, but its type is `{}`", shown(&ty)),
            "use an owned type such as `Vec<u8>`, and borrow it in the body",
        ));
    }
    Ok(Input { name, ty, from })
}

/// Refuses an input without the feature that draws it.
fn check_feature(input: &Input) -> syn::Result<()> {
    match input.from {
        InputFrom::Arbitrary if !cfg!(feature = "arbitrary") => Err(refuse(
            &input.ty,
            "`#[arbitrary]` needs probtest's feature `arbitrary`: probtest = { .., features = [\"arbitrary\"] }",
            "enable the feature in Cargo.toml, or make the value in the body",
        )),
        InputFrom::Strategy(_) | InputFrom::Any if !cfg!(feature = "proptest") => Err(refuse(
            &input.ty,
            "an argument that is not the generator is an input, which needs probtest's feature `proptest`: probtest = { .., features = [\"proptest\"] }",
            "enable the feature in Cargo.toml, or make the value in the body",
        )),
        _ => Ok(()),
    }
}

/// Whether `fn` comes before anything that is no modifier of a function.
fn is_function(input: ParseStream) -> bool {
    const MODIFIERS: [&str; 5] = ["const", "async", "unsafe", "extern", "safe"];
    let ahead = input.fork();
    while let Ok(token) = ahead.parse::<TokenTree>() {
        match token {
            TokenTree::Ident(word) if word == "fn" => return true,
            TokenTree::Ident(word) if MODIFIERS.iter().any(|modifier| word == modifier) => {}
            // The ABI in `extern "C"`.
            TokenTree::Literal(_) => {}
            _ => return false,
        }
    }
    false
}

/// Refuses functions that probtest cannot execute.
pub fn check(function: &Function, settings: &Settings, problems: &mut Problems) {
    for attribute in &function.attributes {
        check_attribute(attribute, problems);
    }
    let signature = &function.signature;
    let unsafety = match &signature.safety {
        Safety::Unsafe(token) => Some(token),
        _ => None,
    };
    let waits = signature.asyncness.filter(|_| !cfg!(feature = "tokio"));
    let generics = Some(&signature.generics).filter(|generics| !generics.params.is_empty());
    problems.refuse(
        signature.constness,
        "the function is `const`, but an execution draws random numbers",
        "remove `const`",
    );
    problems.refuse(
        unsafety,
        "the function is `unsafe`, but probtest cannot uphold its safety contract",
        "remove `unsafe` and put an `unsafe` block into the body",
    );
    problems.refuse(
        signature.abi.as_ref(),
        "the function is `extern`, but only probtest calls it",
        "remove `extern`",
    );
    problems.refuse(
        waits,
        "async fn needs probtest's feature `tokio`: probtest = { .., features = [\"tokio\"] }",
        "enable the feature in Cargo.toml, or remove `async`",
    );
    problems.refuse(
        settings.concurrency.as_ref().filter(|_| signature.asyncness.is_none()),
        "`concurrency` needs an `async fn`, and this function is not async",
        "write `async fn`, or leave out `concurrency`; use `jobs` for threads",
    );
    problems.refuse(
        generics,
        "the function is generic, but the test harness calls it without type arguments",
        "remove the `<..>`; to take any generator, write `rng: &mut impl Rng`",
    );
    problems.refuse(
        signature.receiver(),
        "the function takes `self`, but there is no value to call it on",
        "move the function out of its `impl` or `trait`, and write `rng: &mut TestRng`",
    );
    if let Some(argument) = function.generator().filter(|argument| !is_lent(&argument.ty)) {
        let (name, given) = (shown(&argument.pat), shown(&argument.ty));
        let owned = given.trim_start_matches('&');
        problems.refuse(
            Some(&argument.ty),
            format!("the argument's type is `{given}`, but each execution borrows the generator as `&mut`"),
            format!("write `{name}: &mut {owned}`"),
        );
    }
    if let Some(returned) = silent_type(&signature.output).filter(|_| settings.lists_outcomes) {
        problems.refuse(
            Some(&signature.ident),
            format!("the function returns {returned}, but `outcomes` needs to know which outcome each execution had"),
            "return the number of the outcome, as `-> usize`, or `-> Option<usize>` if some are not listed",
        );
    }
    function.refused.iter().for_each(|error| problems.push(error.clone()));
}

fn check_attribute(attribute: &Attribute, problems: &mut Problems) {
    let path = attribute.path();
    let last = path.segments.last().map(|last| last.ident.unraw().to_string());
    match last.as_deref() {
        Some("probtest") => problems.refuse(
            Some(attribute),
            "this function has `#[probtest]` twice",
            "put all options into one `#[probtest(..)]`",
        ),
        Some("test" | "bench" | "rstest" | "test_case" | "quickcheck" | "wasm_bindgen_test") => {
            let name = shown(path);
            problems.refuse(
                Some(attribute),
                format!(
                    "`#[{name}]` is next to `#[probtest]`, but only one of them can make the test"
                ),
                format!("remove `#[{name}]`: `#[probtest]` already makes the function a test"),
            );
        }
        _ => {}
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

/// Whether this is `&mut`.
fn is_lent(ty: &Type) -> bool {
    matches!(bare(ty), Type::Reference(reference) if reference.mutability.is_some())
}

/// The type below parentheses and a macro's invisible ones.
fn bare(ty: &Type) -> &Type {
    match ty {
        Type::Paren(inner) => bare(&inner.elem),
        Type::Group(inner) => bare(&inner.elem),
        _ => ty,
    }
}
