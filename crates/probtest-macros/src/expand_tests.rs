use crate::item::Function;
use crate::options;
use crate::problems::Problems;
use crate::values;
use proc_macro::{Delimiter, Group, TokenStream, TokenTree};

fn tokens(code: &str) -> TokenStream {
    code.parse().expect("Rust")
}

/// The expansion of `#[probtest(options)] function`, as tokens in text.
fn expanded(options: &str, function: &str) -> String {
    let mut problems = Problems::default();
    let given = options::parse(tokens(options), &mut problems);
    let settings = values::settings(given, &mut problems);
    if !problems.is_empty() {
        panic!("{:?}", problems.into_code());
    }
    let function = Function::parse(tokens(function)).ok().expect("a function");
    let target =
        super::Target { package: "walks".to_owned(), binary: String::new(), integration: false };
    super::test(&function, &settings, &target).into_iter().collect::<TokenStream>().to_string()
}

#[track_caller]
fn assert_has(expansion: &str, part: &str) {
    assert!(expansion.contains(&tokens(part).to_string()), "{expansion}");
}

/// The code under `# Expansion` in the documentation of the attribute.
fn documented() -> TokenStream {
    let text = include_str!("probtest.md");
    let (_, section) = text.split_once("# Expansion").expect("a section");
    let block = section.split("```").nth(1).expect("a block of code");
    // What rustdoc hides is there for the example alone.
    let lines = block.lines().filter(|line| !line.starts_with("# "));
    tokens(&lines.collect::<Vec<&str>>().join("\n"))
}

#[test]
fn a_test_expands_to_what_the_documentation_shows() {
    let expansion = expanded(
        "p = 0.01, epsilon = 0.02",
        "#[ignore] pub fn walk(rng: &mut TestRng) -> bool { rng.draw_u64() > 0 }",
    );
    // A space between `&` and `::` means nothing to the compiler.
    let spaced = |code: String| code.replace("&::", "& ::");
    assert_eq!(spaced(expansion), spaced(documented().to_string()));
}

#[test]
#[cfg(all(feature = "proptest", feature = "arbitrary"))]
fn inputs_are_drawn_after_the_generator() {
    let expansion = expanded(
        "inputs = 50",
        "fn walk(rng: &mut TestRng, #[strategy(0..9)] mut xs: u8, n: i8, #[arbitrary] t: T) {}",
    );
    assert_has(&expansion, "fn walk(rng: &mut TestRng, mut xs: u8, n: i8, t: T) {}");
    assert_has(&expansion, r#"__private::input("xs", || 0..9)"#);
    // Nor does one between `::` and `<`.
    let closed = expansion.replace(' ', "");
    for part in [
        r#"body(|__probtest_rng|walk(::probtest::__private::lent(__probtest_rng),::probtest"#,
        r#"any_input::<i8>("n")"#,
        r#"arbitrary_input::<T>("t")"#,
    ] {
        assert!(closed.contains(part), "{expansion}");
    }
    // The input is drawn from the execution's numbers, which a replay has.
    let alone = expanded("", "fn walk(n: i8) {}");
    assert!(alone.replace(' ', "").contains(r#"any_input::<i8>("n")"#), "{alone}");
    assert!(!alone.contains("own_randomness"));
    // Where each is executed several times, they differ by what the program draws.
    assert_has(&expanded("inputs = 5", "fn walk(n: i8) {}"), ".own_randomness()");
}

#[test]
fn what_may_have_to_be_coerced_is_called_by_a_closure() {
    for (argument, handed_on) in [
        ("&mut TestRng", "body(walk)"),
        ("&mut probtest::TestRng", "body(walk)"),
        ("&mut impl Rng", "body(|__probtest_rng| walk(__probtest_rng))"),
        ("&mut dyn Rng", "body(|__probtest_rng| walk(__probtest_rng))"),
        ("&mut TestRng<u8>", "body(|__probtest_rng| walk(__probtest_rng))"),
        ("TestRng", "body(|__probtest_rng| walk(__probtest_rng))"),
    ] {
        assert_has(&expanded("", &format!("fn walk(rng: {argument}) {{}}")), handed_on);
    }
}

#[test]
fn executions_of_an_async_function_wait_at_the_same_time_where_that_is_said() {
    let expansion = expanded(
        "concurrency = 50, rate = \"20/s\", max_cost = 5, crate = my::probtest",
        "async fn walk(rng: &mut TestRng) {}",
    );
    assert_has(&expansion, "my::probtest::__private::waiting");
    assert_has(&expansion, "|__probtest_rng| ::std::boxed::Box::pin(walk(__probtest_rng))");
    assert_has(
        &expansion,
        r#"given: &[("concurrency", "50"), ("rate", "20/s"), ("max_cost", "5")]"#,
    );
}

#[test]
fn one_text_among_the_outcomes_makes_all_literals_text() {
    for (given, handed_on) in [
        (r#"[0.5, "1/4", 1/8]"#, r#".outcomes(["0.5", "1/4", "1/8"])"#),
        ("&[0.5, P]", ".outcomes([0.5, P])"),
        ("[1/6; 6]", r#".outcomes(["1/6"; 6])"#),
    ] {
        assert_has(&expanded(&format!("outcomes = {given}"), "fn walk() {}"), handed_on);
    }
}

#[test]
fn literals_are_handed_on_as_text_and_other_expressions_as_calls() {
    let expansion = expanded(
        "seed = 0x5eed, jobs = 4, max_executions = 10_000, max_rejections = N, max_time = \"30s\", \
         on_budget = \"pass\"",
        "fn walk() {}",
    );
    let given = r#"given: &[("seed", "0x5eed"), ("jobs", "4"), ("max_executions", "10000"),
        ("max_time", "30s"), ("on_budget", "pass")]"#;
    assert_has(&expansion, given);
    assert_has(&expansion, ".max_rejections(N).own_randomness()");
    // Whether the type is the right one is the compiler's to say.
    assert_has(&expanded("jobs = 4u8, seed = 7u64", "fn walk() {}"), ".jobs(4u8).seed(7u64)");
}

#[test]
fn a_float_is_handed_on_as_the_shortest_text_that_reads_as_it() {
    for (written, handed_on) in [
        ("0.010", "0.01"),
        ("1e-300", "1e-300"),
        ("0.1000000000000000055511151231257827", "0.1"),
        ("0.3f64", "0.3"),
    ] {
        let expansion = expanded(&format!("p = {written}"), "fn walk() {}");
        assert_has(&expansion, &format!(r#"("p", "{handed_on}")"#));
    }
    // Text is exact, as written.
    assert_has(&expanded(r#"p = "0.010""#, "fn walk() {}"), r#"("p", "0.010")"#);
}

#[test]
fn a_claim_on_what_is_returned_comes_before_the_options() {
    let expansion = expanded(
        "seed = 7, claim = my_claim(), crate = my::probtest",
        "fn walk(rng: &mut TestRng) -> f64 { 0.5 }",
    );
    assert_has(&expansion, r#"given: &[("seed", "0x7")]"#);
    assert!(expansion.replace(' ', "").contains(".claim(my_claim())).check"), "{expansion}");
    // Counted as any other.
    assert_has(&expansion, "my::probtest::__private::counted! {}");
}

#[test]
fn only_what_is_evaluated_is_in_a_function_of_its_own() {
    let evaluated = expanded("p = P, seed = 7", "fn walk() {}").replace(' ', "");
    assert!(evaluated.contains("__private::with_options(||::probtest::__private::test("));
    assert!(!expanded("p = 0.1, seed = 7", "fn walk() {}").contains("||"));
    #[cfg(feature = "shuttle")]
    assert_has(
        &expanded("schedules = pct(depth = return)", "fn walk() {}"),
        ".schedules(::probtest::__private::scheduled(|| ::probtest::schedules::pct(return)))",
    );
}

#[test]
fn an_expected_panic_is_known_however_it_is_written() {
    for (attribute, condition) in [
        ("#[should_panic]", "any(all())"),
        ("#[r#should_panic(expected = \"x\")]", "any(all())"),
        ("#[cfg_attr(a, ignore, should_panic)]", "any(all(a, any(all())))"),
        ("#[cfg_attr(a, cfg_attr(b, should_panic))]", "any(all(a, any(all(b, any(all())))))"),
    ] {
        let expansion = expanded("", &format!("{attribute} fn walk() {{}}"));
        assert_has(&expansion, &format!("#[cfg({condition})]"));
        assert_has(&expansion, ".should_panic()");
    }
    assert!(!expanded("", "#[cfg_attr(a, ignore)] fn walk() {}").contains("should_panic"));
}

#[test]
fn commas_inside_a_value_belong_to_it() {
    let expansion = expanded(
        "p = f::<A, B>(), epsilon = <A as B<C, D>>::E, jobs = |a, b| a + b, seed = x as C<A, B>,",
        "fn walk() {}",
    );
    let closed = expansion.replace(' ', "");
    let calls = ".p(f::<A,B>()).epsilon(<AasB<C,D>>::E).jobs(|a,b|a+b).seed(xasC<A,B>)";
    assert!(closed.contains(calls), "{expansion}");
}

/// Code as a `macro_rules` macro passes it on, in invisible parentheses.
fn passed_on(code: &str) -> TokenStream {
    TokenTree::from(Group::new(Delimiter::None, tokens(code))).into()
}

#[test]
fn what_a_macro_passes_on_is_read_as_if_it_were_written_there() {
    let options = [tokens("p ="), passed_on("(1/6)"), tokens(","), passed_on("seed = 7")];
    let function = [
        passed_on(""),
        passed_on("pub"),
        tokens("fn walk"),
        TokenTree::from(Group::new(
            Delimiter::Parenthesis,
            [tokens("rng:"), passed_on("&mut TestRng")].into_iter().collect(),
        ))
        .into(),
        tokens("-> bool"),
        passed_on("{ true }"),
    ];
    let expansion = super::attribute(options.into_iter().collect(), function.into_iter().collect());
    let expansion = expansion.to_string();
    assert_has(&expansion, r#"given: &[("p", "1/6"), ("seed", "0x7")]"#);
    assert_has(&expansion, "pub fn walk()");
    assert_has(&expansion, "-> bool { true }");
    let outcomes =
        ["outcomes = &", "outcomes ="].map(|option| [tokens(option), passed_on("[1/6; 6]")]);
    for options in outcomes {
        let function = tokens("fn walk() -> usize { 0 }");
        let code = super::attribute(options.into_iter().flatten().collect(), function).to_string();
        assert_has(&code, r#".outcomes(["1/6"; 6])"#);
    }
    // A type that may be another one is coerced.
    assert_has(&expansion, "body(|__probtest_rng| walk(__probtest_rng))");
}

#[test]
fn every_mistake_is_reported_and_the_function_stays() {
    let function = "#[doc = \"x\"] #[test] pub fn walk(rng: TestRng) { draw() }";
    let code = super::attribute(tokens("p = 2, q = 1"), tokens(function)).to_string();
    // A probability, an option, an attribute and an argument.
    assert_eq!(code.matches("compile_error !").count(), 4, "{code}");
    assert!(!code.contains("# [test]"), "{code}");
    let kept = tokens("#[doc = \"x\"] pub fn walk(rng: TestRng) { draw() }").to_string();
    assert!(code.ends_with(&kept), "{code}");
    // What is no function is left as it is.
    let code = super::attribute(tokens(""), tokens("pub struct Walk;")).to_string();
    assert!(code.ends_with("pub struct Walk ;"), "{code}");
}
