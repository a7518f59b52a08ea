//! Expand: which test does the harness see?
//!
//! A function of the same name without arguments, and inside it the user's function, token for
//! token, handed to the runtime, next to an entry by which the tests of a binary are counted. What
//! is the same for many tests is in the library, and no token is there twice: a hundred tests are
//! compiled a hundred times. Attributes stay outside: a lint level set there holds for the function
//! inside too, and `#[expect]` must not be there twice.

use crate::item::{self, Function, Input, InputFrom};
use crate::options;
use crate::problems::Problems;
use crate::values::{self, Settings};
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, FnArg, Meta, ReturnType, Signature, Token, Type};

/// What cargo says about the target that is compiled.
pub struct Target {
    /// The package.
    pub package: String,
    /// The binary or example; empty where it is none.
    pub binary: String,
    /// Whether it is an integration test or a bench.
    pub integration: bool,
}

impl Target {
    /// Asks the environment of the compiler: each `env!` in the expansion would be
    /// expanded for each test. None of these changes while the target stays the same.
    pub fn compiled() -> Self {
        let variable = |name| std::env::var(name).unwrap_or_default();
        Self {
            package: variable("CARGO_PKG_NAME"),
            binary: variable("CARGO_BIN_NAME"),
            integration: std::env::var_os("CARGO_TARGET_TMPDIR").is_some(),
        }
    }
}

/// Expands the attribute: the test, or all that is wrong with it.
pub fn attribute(options: TokenStream, item: TokenStream) -> TokenStream {
    let mut in_options = Problems::default();
    let given = options::parse(options, &mut in_options);
    let settings = values::settings(given, &mut in_options);

    let mut in_function = Problems::default();
    let function = in_function.take(syn::parse2::<Function>(item.clone()));
    if let Some(function) = &function {
        item::check(function, &settings, &mut in_function);
    }

    let errors = [in_options, in_function].map(Problems::into_compile_error);
    let code = match (&function, &errors) {
        (Some(function), [None, None]) => test(function, &settings, &Target::compiled()),
        (Some(function), _) => untested(function),
        (None, _) => item,
    };
    let [in_options, in_function] = errors;
    quote!(#in_options #in_function #code)
}

pub fn test(function: &Function, settings: &Settings, target: &Target) -> TokenStream {
    // The macro's own hygiene tells lints that the user did not write these tokens.
    let here = Span::mixed_site();
    let Function { attributes, visibility, signature, body, .. } = function;
    let name = &signature.ident;
    let raw_name = name.to_string();
    let Settings { krate, claim, texts, calls, schedules, .. } = settings;
    let Target { package, binary, integration } = target;
    let texts = texts.iter().map(|(name, text)| quote_spanned!(here=> (#name, #text)));
    let schedules =
        schedules.as_ref().map(|schedules| quote_spanned!(here=> .schedules(#schedules)));
    // A schedule is randomness of the test, also where the body takes none. Inputs are, but where
    // each is executed several times.
    let is_own = function.generator().is_none()
        && schedules.is_none()
        && (function.inputs.is_empty() || settings.shares_inputs);
    let own_randomness = is_own.then(|| quote_spanned!(here=> .own_randomness()));
    // The type of the claim says which test it is, and so what the body returns.
    let claim = claim.as_ref().map(|claim| quote_spanned!(here=> .claim(#claim)));
    let claimed = quote_spanned! {here=>
        #krate::__private::test(&#krate::__private::TestPlace {
            module: ::core::module_path!(),
            name: #raw_name,
            package: #package,
            binary: #binary,
            integration: #integration,
            given: &[#(#texts),*],
        }) #claim #(#calls)* #own_randomness #schedules
    };
    let call = |test: TokenStream| checked_by(&test, function, settings);
    let conditions: Vec<TokenStream> = attributes.iter().filter_map(expects_panic).collect();
    let checked = match conditions.is_empty() {
        true => call(claimed),
        false => {
            let test = call(quote_spanned!(here=> test));
            quote_spanned! {here=>
                #[cfg(any(#(#conditions),*))]
                let test = match #krate::__private::begun(|| #claimed) {
                    ::core::option::Option::Some(test) => test.should_panic(),
                    ::core::option::Option::None => return,
                };
                #[cfg(not(any(#(#conditions),*)))]
                let test = #claimed;
                #test
            }
        }
    };
    quote_spanned! {here=>
        #[::core::prelude::v1::test]
        #(#attributes)*
        #visibility fn #name() {
            #signature #body
            #krate::__private::counted! {}
            #checked;
        }
    }
}

/// The function alone, for compilations that fail anyway: names that refer to
/// it resolve, and mistakes in its body are reported in the same go.
pub fn untested(function: &Function) -> TokenStream {
    // A second test attribute would go on, and `#[should_panic]` needs a test.
    let is_kept = |attribute: &&Attribute| {
        let is = |name| attribute.path().is_ident(name);
        is("cfg") || is("allow") || is("doc")
    };
    let attributes = function.attributes.iter().filter(is_kept);
    let Function { visibility, signature, body, .. } = function;
    quote_spanned!(Span::mixed_site()=> #(#attributes)* #visibility #signature #body)
}

/// What checks a test: `test.check(body(name))`, `test.check(body(|rng| name(rng)))` where the
/// argument has to be coerced, or `waiting(test, ..)` where executions of an async function wait at
/// the same time. Placed so that a wrong argument type is reported at the argument's type and a
/// wrong return type at the return type.
fn checked_by(test: &TokenStream, function: &Function, settings: &Settings) -> TokenStream {
    let here = Span::mixed_site();
    let signature = &function.signature;
    let (krate, name) = (&settings.krate, &signature.ident);
    let returned = match &signature.output {
        ReturnType::Type(_, ty) => here.located_at(ty.span()),
        ReturnType::Default => here,
    };
    let check = quote_spanned!(returned=> check);
    if signature.asyncness.is_none() && takes_test_rng(signature) && function.inputs.is_empty() {
        // A closure would be two more functions to compile.
        let body = quote_spanned!(returned=> #name);
        return quote_spanned!(here=> #test.#check(#krate::__private::body(#body)));
    }
    let (parameter, argument) = match function.generator() {
        Some(argument) => {
            let lent = here.located_at(argument.ty.span());
            let argument = match function.inputs.is_empty() {
                true => quote_spanned!(lent=> rng),
                // Beside inputs it is to be used, too.
                false => quote_spanned!(lent=> #krate::__private::lent(rng)),
            };
            (quote_spanned!(here=> rng), Some(argument))
        }
        None => (quote_spanned!(here=> _), None),
    };
    let arguments = argument.into_iter().chain(inputs(function, settings));
    let mut call = quote_spanned!(returned=> #name(#(#arguments),*));
    if settings.concurrency.is_some() {
        if !function.inputs.is_empty() {
            // They are drawn when it begins, and not when it is made.
            call = quote_spanned!(here=> async move { #call.await });
        }
        return quote_spanned! {here=>
            #krate::__private::waiting(#test, |#parameter| ::std::boxed::Box::pin(#call))
        };
    }
    if let Some(token) = &signature.asyncness {
        let span = here.located_at(token.span());
        call = quote_spanned!(span=> #krate::__private::block_on(#call));
    }
    quote_spanned!(here=> #test.#check(#krate::__private::body(|#parameter| #call)))
}

/// What draws the arguments after the generator, each placed where its strategy or its type
/// is, so that one of another type is reported there.
fn inputs(function: &Function, settings: &Settings) -> Vec<TokenStream> {
    let krate = &settings.krate;
    let at = |span| Span::mixed_site().located_at(span);
    let drawn = |Input { name, ty, from }: &Input| match from {
        InputFrom::Strategy(strategy) => {
            quote_spanned!(at(strategy.span())=> #krate::__private::input(#name, || #strategy))
        }
        InputFrom::Any => {
            quote_spanned!(at(ty.span())=> #krate::__private::any_input::<#ty>(#name))
        }
        InputFrom::Arbitrary => {
            quote_spanned!(at(ty.span())=> #krate::__private::arbitrary_input::<#ty>(#name))
        }
    };
    function.inputs.iter().map(drawn).collect()
}

/// Whether the first argument is written `&mut TestRng`, perhaps with a path.
fn takes_test_rng(signature: &Signature) -> bool {
    let Some(FnArg::Typed(argument)) = signature.inputs.first() else {
        return false;
    };
    let Type::Reference(reference) = &*argument.ty else {
        return false;
    };
    let Type::Path(path) = &*reference.elem else {
        return false;
    };
    let last = path.path.segments.last();
    reference.lifetime.is_none()
        && path.qself.is_none()
        && last.is_some_and(|last| last.ident == "TestRng" && last.arguments.is_none())
}

/// The condition under which the attribute is `#[should_panic]`, if it can be.
fn expects_panic(attribute: &Attribute) -> Option<TokenStream> {
    let is_should_panic = |meta: &Meta| meta.path().is_ident("should_panic");
    if is_should_panic(&attribute.meta) {
        // What always holds.
        return Some(quote_spanned!(Span::mixed_site()=> all()));
    }
    if !attribute.path().is_ident("cfg_attr") {
        return None;
    }
    let list = attribute.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated).ok()?;
    let is_expected = list.iter().skip(1).any(is_should_panic);
    Some(list.first()?.to_token_stream()).filter(|_| is_expected)
}

#[cfg(test)]
#[path = "expand_tests.rs"]
mod tests;
