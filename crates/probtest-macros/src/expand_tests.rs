use crate::item::Function;
use crate::options;
use crate::problems::Problems;
use crate::values;
use proc_macro2::TokenStream;
use quote::quote;

/// The expansion of `#[probtest(options)] function`, as tokens in text.
fn expanded(options: TokenStream, function: TokenStream) -> String {
    let mut problems = Problems::default();
    let given = options::parse(options, &mut problems);
    let settings = values::settings(given, &mut problems);
    if let Some(errors) = problems.into_compile_error() {
        panic!("{errors}");
    }
    let function: Function = syn::parse2(function).expect("a function");
    super::test(&function, &settings).to_string()
}

fn has(expansion: &str, part: TokenStream) -> bool {
    expansion.contains(&part.to_string())
}

/// The code under `# Expansion` in the documentation of the attribute.
fn documented() -> TokenStream {
    let source = include_str!("lib.rs");
    let (_, section) = source.split_once("/// # Expansion").expect("a section");
    let block = section.split("/// ```").nth(1).expect("a block of code");
    let lines = block
        .lines()
        .map(|line| line.trim_start_matches("///").trim_start())
        // What rustdoc hides is there for the example alone.
        .filter(|line| !line.starts_with("# "));
    let code: Vec<&str> = lines.collect();
    code.join("\n").parse().expect("Rust")
}

#[test]
fn a_test_expands_to_what_the_documentation_shows() {
    let expansion = expanded(
        quote!(p = 0.01, epsilon = 0.02),
        quote! {
            #[ignore]
            pub fn walk(rng: &mut TestRng) -> bool { rng.draw_u64() > 0 }
        },
    );
    assert_eq!(expansion, documented().to_string());
}

#[test]
fn the_id_of_a_raw_name_has_no_prefix() {
    let expansion = expanded(
        quote!(),
        quote!(
            fn r#type(rng: &mut TestRng) {}
        ),
    );
    assert!(has(&expansion, quote!("::", "type")), "{expansion}");
    // libtest knows the test with the prefix.
    assert!(has(&expansion, quote!("::", "r#type")), "{expansion}");
    assert!(
        has(&expansion, quote!(body(|rng| r#type(rng)))),
        "{expansion}"
    );
}

#[test]
fn a_function_without_argument_uses_its_own_randomness() {
    let expansion = expanded(
        quote!(p = 1 / 1024),
        quote!(
            fn walk() {}
        ),
    );
    let end = quote!(.p("1/1024").own_randomness().check(::probtest::__private::body(|_| walk())));
    assert!(has(&expansion, end), "{expansion}");
}

#[test]
fn should_panic_is_told_to_the_runtime() {
    let always = expanded(
        quote!(),
        quote!(
            #[should_panic(expected = "x")]
            fn walk() {}
        ),
    );
    assert!(
        has(
            &always,
            quote!(.should_panic().check(::probtest::__private::body(|_| walk())))
        ),
        "{always}"
    );
    let sometimes = expanded(
        quote!(),
        quote!(
            #[cfg_attr(unix, should_panic)]
            fn walk() {}
        ),
    );
    let end = quote! {
        ::core::option::Option::Some(test) => test.should_panic(),
        ::core::option::Option::None => return,
    };
    assert!(has(&sometimes, quote!(#[cfg(any(unix))])), "{sometimes}");
    assert!(has(&sometimes, end), "{sometimes}");
    assert!(
        has(&sometimes, quote!(#[cfg(not(any(unix)))])),
        "{sometimes}"
    );
}

#[test]
fn an_async_function_is_blocked_on() {
    let expansion = expanded(
        quote!(crate = my::probtest),
        quote!(
            async fn walk(rng: &mut TestRng) {}
        ),
    );
    let call = quote!(body(|rng| my::probtest::__private::block_on(walk(rng))));
    assert!(has(&expansion, call), "{expansion}");
}

#[test]
fn one_text_among_the_outcomes_makes_all_literals_text() {
    let outcomes = |list| {
        expanded(
            quote!(outcomes = #list),
            quote!(
                fn walk() {}
            ),
        )
    };
    let mixed = outcomes(quote!([0.5, "1/4", 1 / 8]));
    assert!(
        has(&mixed, quote!(.outcomes(["0.5", "1/4", "1/8"]))),
        "{mixed}"
    );
    let numbers = outcomes(quote!([0.5, P]));
    assert!(has(&numbers, quote!(.outcomes([0.5, P]))), "{numbers}");
    let repeated = outcomes(quote!([1 / 6; 6]));
    assert!(has(&repeated, quote!(.outcomes(["1/6"; 6]))), "{repeated}");
}

#[test]
fn options_keep_their_order_and_values() {
    let expansion = expanded(
        quote!(
            seed = 0x5eed,
            jobs = 4,
            max_executions = 10_000,
            max_rejections = N
        ),
        quote!(
            fn walk() {}
        ),
    );
    let calls = quote!(.seed(0x5eed).jobs(4).max_executions(10_000).max_rejections(N));
    assert!(has(&expansion, calls), "{expansion}");
}

#[test]
fn a_claim_on_what_is_returned_comes_before_the_options() {
    let expansion = expanded(
        quote!(seed = 7, claim = my_claim(), crate = my::probtest),
        quote!(
            fn walk(rng: &mut TestRng) -> f64 {
                0.5
            }
        ),
    );
    let (before, after) = expansion.split_once(") . seed").expect("a seed");
    assert!(before.ends_with("my_claim ()"), "{expansion}");
    assert!(after.starts_with(" (7) . check"), "{expansion}");
    assert!(
        has(&expansion, quote!(my::probtest::__private::Registered)),
        "counted as any other: {expansion}"
    );
}

#[test]
fn the_documentation_lists_every_option_with_its_variable() {
    let source = include_str!("lib.rs");
    let rows = source.lines().filter(|line| line.starts_with("/// | `"));
    let documented: Vec<&str> = rows
        .clone()
        .filter_map(|row| row.split('`').nth(1))
        .collect();
    assert_eq!(documented, options::names());
    for (name, row) in documented.iter().zip(rows) {
        let spec = probtest_syntax::options::Spec::find(name);
        let variable = spec
            .and_then(|spec| spec.variable)
            .map(|name| format!("`{name}`"));
        let last = row.trim_end_matches('|').rsplit('|').next();
        assert_eq!(
            last.unwrap_or_default().trim(),
            variable.unwrap_or_default()
        );
    }
}
