//! Expand: which test does the harness see?
//!
//! A function of the same name without arguments, and inside it the user's function, token for
//! token, handed to the runtime, next to an entry by which the tests of a binary are counted. What
//! is the same for many tests is in the library, and no token is there twice: a hundred tests are
//! compiled a hundred times. Attributes stay outside: a lint level set there holds for the function
//! inside too, and `#[expect]` must not be there twice.

use crate::attribute::Attribute;
use crate::item::{self, Function, Input, InputFrom, is_test_rng};
use crate::options;
use crate::problems::Problems;
use crate::tokens::{Tokens, code, joined, located, place, string, word};
use crate::values::{self, Settings};
use proc_macro::{Span, TokenStream, TokenTree};
use std::slice;

/// What the expansion binds. Where a constant has that name, the pattern would be the constant:
/// hygiene keeps apart only what is bound.
const TEST: &str = "__probtest_test";
const RNG: &str = "__probtest_rng";

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
    let mut function = in_function.take(Function::parse(item.clone()));
    if let Some(function) = &mut function {
        item::check(function, &settings, &mut in_function);
    }

    let is_test = in_options.is_empty() && in_function.is_empty();
    let code = match &function {
        Some(function) if is_test => test(function, &settings, &Target::compiled()),
        Some(function) => untested(function),
        None => item.into_iter().collect(),
    };
    let errors = [in_options, in_function].map(Problems::into_code);
    errors.into_iter().flatten().chain(code).collect()
}

pub fn test(function: &Function, settings: &Settings, target: &Target) -> Tokens {
    // The macro's own hygiene tells lints that the user did not write these tokens.
    let here = Span::mixed_site();
    let text = |text: &str| vec![string(text, here)];
    let Settings { krate, .. } = settings;
    let name = slice::from_ref(&function.signature.name);
    let given = settings.texts.iter().map(|(name, given)| {
        code(here, "($name, $given)", &[("name", &text(name)), ("given", &text(given))])
    });
    let schedules = settings.schedules.as_ref().map(|schedules| {
        let parts = [("krate", &krate[..]), ("schedules", schedules)];
        code(here, ".schedules($krate::__private::scheduled(|| $schedules))", &parts)
    });
    // A schedule is randomness of the test, also where the body takes none. Inputs are, but where
    // each is executed several times.
    let is_own = function.generator().is_none()
        && schedules.is_none()
        && (function.inputs.is_empty() || settings.shares_inputs);
    let own_randomness = if is_own { code(here, ".own_randomness()", &[]) } else { vec![] };
    // The type of the claim says which test it is, and so what the body returns.
    let claim =
        settings.claim.as_ref().map(|claim| code(here, ".claim($claim)", &[("claim", claim)]));
    let set = code(
        here,
        "$krate::__private::test(&$krate::__private::TestPlace {
            module: ::core::module_path!(),
            name: $name,
            package: $package,
            binary: $binary,
            integration: $integration,
            given: &[$given],
        }) $claim $calls $own_randomness",
        &[
            ("krate", krate),
            ("name", &text(&name[0].to_string())),
            ("package", &text(&target.package)),
            ("binary", &text(&target.binary)),
            ("integration", &[word(if target.integration { "true" } else { "false" }, here)]),
            ("given", &joined(given)),
            ("claim", &claim.unwrap_or_default()),
            ("calls", &settings.calls),
            ("own_randomness", &own_randomness),
        ],
    );
    // A closure is one more function to compile, and literals leave nothing to evaluate.
    let is_evaluated = settings.claim.is_some() || !settings.calls.is_empty();
    let mut claimed = match is_evaluated {
        true => {
            let parts = [("krate", &krate[..]), ("set", &set)];
            code(here, "$krate::__private::with_options(|| $set)", &parts)
        }
        false => set,
    };
    claimed.extend(schedules.unwrap_or_default());
    let started = [word(TEST, here)];
    let conditions: Vec<Tokens> =
        function.attributes.iter().filter_map(Attribute::expects_panic).collect();
    let checked = match conditions.is_empty() {
        true => checked_by(&claimed, function, settings),
        false => code(
            here,
            "#[cfg(any($conditions))]
            let $test = match $krate::__private::begun(|| $claimed) {
                ::core::option::Option::Some($test) => $test.should_panic(),
                ::core::option::Option::None => return,
            };
            #[cfg(not(any($conditions)))]
            let $test = $claimed;
            $checked",
            &[
                ("krate", krate),
                ("conditions", &joined(conditions)),
                ("claimed", &claimed),
                ("test", &started),
                ("checked", &checked_by(&started, function, settings)),
            ],
        ),
    };
    code(
        here,
        "#[::core::prelude::v1::test]
        $attributes
        $visibility fn $name() {
            $signature $body
            $krate::__private::counted! {}
            $checked;
        }",
        &[
            ("krate", krate),
            ("attributes", &tokens_of(&function.attributes)),
            ("visibility", &function.visibility),
            ("name", name),
            ("signature", &function.signature.tokens),
            ("body", slice::from_ref(&function.body)),
            ("checked", &checked),
        ],
    )
}

fn tokens_of<'a>(attributes: impl IntoIterator<Item = &'a Attribute>) -> Tokens {
    attributes.into_iter().flat_map(|attribute| attribute.tokens.clone()).collect()
}

/// The function alone, for compilations that fail anyway: names that refer to
/// it resolve, and mistakes in its body are reported in the same go.
pub fn untested(function: &Function) -> Tokens {
    // A second test attribute would go on, and `#[should_panic]` needs a test.
    let is_kept =
        |attribute: &&Attribute| ["cfg", "allow", "doc"].iter().any(|name| attribute.is(name));
    let Function { visibility, signature, body, .. } = function;
    let mut code = tokens_of(function.attributes.iter().filter(is_kept));
    code.extend([visibility, &signature.tokens].into_iter().flatten().cloned());
    code.push(body.clone());
    code
}

/// What checks a test: `test.check(body(name))`, `test.check(body(|rng| name(rng)))` where the
/// argument has to be coerced, or `waiting(test, ..)` where executions of an async function wait at
/// the same time. Placed so that a wrong argument type is reported at the argument's type and a
/// wrong return type at the return type.
fn checked_by(test: &[TokenTree], function: &Function, settings: &Settings) -> Tokens {
    let here = Span::mixed_site();
    let signature = &function.signature;
    let (krate, name) = (&settings.krate[..], slice::from_ref(&signature.name));
    let waits = signature.modifier("async");
    let returned = match signature.output.is_empty() {
        true => here,
        false => here.located_at(place(&signature.output)),
    };
    let checked = |body: &[TokenTree]| {
        let check = word("check", returned);
        let parts = [("test", test), ("check", &[check]), ("krate", krate), ("body", body)];
        code(here, "$test.$check($krate::__private::body($body))", &parts)
    };
    let is_direct = signature.arguments.first().is_some_and(|first| is_test_rng(&first.ty));
    if waits.is_empty() && is_direct && function.inputs.is_empty() {
        // A closure would be two more functions to compile.
        return checked(name);
    }
    let generator = function.generator().map(|argument| {
        let lent = here.located_at(place(&argument.ty));
        match function.inputs.is_empty() {
            true => vec![word(RNG, lent)],
            // Beside inputs it is to be used, too.
            false => {
                let parts = [("krate", krate), ("rng", &[word(RNG, lent)])];
                code(lent, "$krate::__private::lent($rng)", &parts)
            }
        }
    });
    let parameter = [word(if generator.is_some() { RNG } else { "_" }, here)];
    let arguments = joined(generator.into_iter().chain(inputs(function, settings)));
    let mut call =
        code(returned, "$name($arguments)", &[("name", name), ("arguments", &arguments)]);
    if !settings.concurrency.is_empty() {
        if !function.inputs.is_empty() {
            // They are drawn when it begins, and not when it is made.
            call = code(here, "async move { $call.await }", &[("call", &call)]);
        }
        return code(
            here,
            "$krate::__private::waiting($test, |$parameter| ::std::boxed::Box::pin($call))",
            &[("krate", krate), ("test", test), ("parameter", &parameter), ("call", &call)],
        );
    }
    if !waits.is_empty() {
        let span = here.located_at(place(waits));
        let parts = [("krate", krate), ("call", &call)];
        call = code(span, "$krate::__private::block_on($call)", &parts);
    }
    checked(&code(here, "|$parameter| $call", &[("parameter", &parameter), ("call", &call)]))
}

/// What draws the arguments after the generator, each placed where its strategy or its type
/// is, so that one of another type is reported there.
fn inputs(function: &Function, settings: &Settings) -> Vec<Tokens> {
    let drawn = |Input { name, ty, from }: &Input| {
        let (text, by) = match from {
            InputFrom::Strategy(by) => ("$krate::__private::input($name, || $by)", by),
            InputFrom::Any => ("$krate::__private::any_input::<$by>($name)", ty),
            InputFrom::Arbitrary => ("$krate::__private::arbitrary_input::<$by>($name)", ty),
        };
        let span = Span::mixed_site().located_at(place(by));
        let name = [string(name, span)];
        // An error about a call is shown from the first token of its path on.
        let krate = located(&settings.krate, span);
        code(span, text, &[("krate", &krate), ("name", &name), ("by", by)])
    };
    function.inputs.iter().map(drawn).collect()
}

#[cfg(test)]
#[path = "expand_tests.rs"]
mod tests;
