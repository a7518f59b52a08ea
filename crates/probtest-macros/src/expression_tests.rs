use super::{
    Root, Tokens, is_expression, is_whole_arithmetic, length, listed, read, without_parentheses,
};
use crate::tokens::shown;
use proc_macro::TokenStream;

fn tokens(code: &str) -> Tokens {
    code.parse::<TokenStream>().expect("Rust").into_iter().collect()
}

fn root(code: &str) -> Root {
    let tokens = tokens(code);
    let (end, root) = read(&tokens);
    assert_eq!(end, tokens.len(), "{code} is read to its end");
    root
}

#[test]
fn an_expression_is_read_to_its_end() {
    for code in [
        "f::<A, B>()",
        "a.collect::<HashMap<u8, Vec<fn(A, B) -> C>>>().len()",
        "<Vec<u8> as Index<usize, Output = u8>>::index",
        "<<A as B<C, D>>::E as F>::G",
        "f::<{ N > 1 }, -1, 'a', 'static>()",
        "x as Map<A, B>",
        "x as *const Map<A, B>",
        "x as &'a mut Map<A, B>",
        "x as fn(A, B) -> Map<A, B>",
        "x as for<'a> fn(&'a A) -> B",
        "f as unsafe extern \"C\" fn(A)",
        "if a < b { 1 } else if let Some(x) = y { 2 } else { 3 }",
        "match x { A => 1, _ => 2 }",
        "'outer: loop { break 'outer 1 }",
        "unsafe { f() }",
        "async move { f() }",
        "const { 1 + 2 }",
        "&raw const x",
        "Point { x: 1, ..p }.x",
        "vec![1, 2; 3]",
        "x.0.1?.await",
        "a..b",
        "..",
        "a == b && c != d || !e",
        "if let Load::Light { p } = LOAD { p } else { 0.01 }",
        "if a { 1 } else if let A { x, .. } | B { x } = f(A { x: 1 }) && x > 1 { 2 } else { 3 }",
        "if let 1..=3 | C::<{ 4 }> = x && let Some(A { y }) = y { y } else { 0 }",
        "while let A { x } = next() { f(x) }",
        "for A { x, .. } in list { f(x) }",
        "for _ in 0.. { break }",
        "if const { N } > 1 { [0.5, 0.5] } else { [0.25, 0.25] }",
        "if unsafe { f() } == 0 { 1 } else { 2 }",
        "if match x { A => true } || y { 1 } else { 2 }",
        "if m! { a } == m!(b) { 1 } else { 2 }",
        "if { a } == { b } { 1 } else { 2 }",
        "if (A { x: 1 }).x == 1 { 1 } else { 2 }",
        "match if a { b } else { c } { A { x } => x, B => 1 }.y",
        "if || -> [u8; { 3 }] { [1; 3] } == f { 1 } else { 2 }",
        "|x| -> A<{ 3 }> { x }",
        "|| -> impl A + 'static { x }",
        "N as u32 <= 8",
        "N as u32 <<= 8",
        "x as A<B> >= y as m!(A) && z as ! == w",
        "x as <A as B>::C",
        "Point::<f64> { x: 1 }",
        "x.y = 3",
    ] {
        let tokens = tokens(code);
        assert_eq!(length(&tokens), Ok(tokens.len()), "{code}");
    }
}

#[test]
fn what_comes_after_a_closure_belongs_to_it() {
    for code in [
        "|a, b| a + b",
        "|| x = 1",
        "move |a: Map<A, B>, (b, c)| -> Map<A, B> { a }",
        "for<'a> |x: &'a str, y| x",
        "async move || 1..2",
        "|_| -1",
        "return a = b",
    ] {
        assert_eq!(root(code), Root::Open, "{code}");
    }
    assert_eq!(root("f = |a, b| a + b"), Root::Assignment(1));
    assert_eq!(root("&|a, b| a + b"), Root::Reference);
    assert_eq!(root("1 + |a, b| a = b"), Root::Binary);
}

#[test]
fn the_root_is_what_binds_least() {
    for (code, expected) in [
        ("-1", Root::Unary),
        ("*LIST", Root::Unary),
        ("!-x.y()", Root::Unary),
        ("&-x", Root::Reference),
        ("-&x", Root::Unary),
        ("-1 as f64", Root::Cast),
        ("1 as f64 / 6.0", Root::Binary),
        ("-1 + 2", Root::Binary),
        ("a - -b", Root::Binary),
        ("a&&b", Root::Binary),
        ("a += 1", Root::Binary),
        ("a < b", Root::Binary),
        ("1 + 2..3", Root::Range),
        ("..=3", Root::Range),
        ("a = 1..2", Root::Assignment(1)),
        ("a.b[0] = -1", Root::Assignment(4)),
        ("a = b = c", Root::Assignment(1)),
        ("f::<Item = u8>()", Root::Plain),
        ("f(x = 1)", Root::Plain),
        ("if let A = b { 1 } else { 2 }", Root::Plain),
        ("if let A { p } = b && let B { q } = c { 1 } else { 2 }", Root::Plain),
        ("if const { N } > 1 { 1 } else { 2 }", Root::Plain),
        ("if m! { a } == 1 || match b {} { 1 } else { 2 }", Root::Plain),
        ("N as u32 <= 8", Root::Binary),
        ("[1, 2]", Root::Plain),
        ("f(1)?.g::<A>(2)", Root::Plain),
    ] {
        assert_eq!(root(code), expected, "{code}");
    }
}

#[test]
fn an_expression_ends_before_what_cannot_continue_it() {
    for (code, end) in [
        ("0.01 epsilon = 0.02", 1),
        ("f(1) epsilon = 0.02", 2),
        ("x.await epsilon = 0.02", 3),
        ("{ 1 } epsilon", 1),
        ("0.01; 2", 1),
        ("a, b", 1),
        ("a < b, c > d", 3),
        ("a => b", 1),
        ("a: b", 1),
        ("a @ b", 1),
        ("\"1\" 2", 1),
        ("0.1 else 0.2", 1),
        ("0.1 !", 1),
        ("0.1 { 2 }", 1),
        ("x !, y", 1),
        ("N as u32 <= 8, p", 6),
        ("if a { 1 } else { 2 } else { 3 }", 5),
    ] {
        assert_eq!(length(&tokens(code)), Ok(end), "{code}");
    }
}

#[test]
fn what_breaks_off_is_no_expression() {
    for code in ["", "1 +", "struct", "1 + fn", ";", "@", "1 * / 2", "|a, b", "-", "a.", "a ="] {
        assert!(length(&tokens(code)).is_err(), "{code}");
    }
    // With the place where something is missing.
    for (code, missing) in [
        ("if", 1),
        ("if x, y { 1 }", 2),
        ("if x { 1 } else, y", 4),
        ("match x, y", 2),
        ("if let A { x }, y", 4),
        ("for x, y in z {}", 2),
        ("while", 1),
        ("loop, y", 1),
        ("x as", 2),
        ("x as, y", 2),
        ("x as &mut, y", 4),
        ("x as a::, y", 5),
        ("f::<", 4),
        ("Vec::<u8::new(), y", 11),
        ("<", 1),
        ("|a, b", 4),
        ("|a| -> b, y", 6),
        ("let x = 1", 0),
    ] {
        assert_eq!(length(&tokens(code)), Err(missing), "{code}");
    }
    for code in ["&[,1]", "&[1,,]", "&mut [1,, 2]", "&(1 2)"] {
        assert!(!is_expression(&tokens(code)), "{code}");
    }
    for code in ["(1 +)", "(1 2)", "[1, struct]", "[1,, 2]", "[1; ]", "((1;))", "'a", "1 2"] {
        assert!(!is_expression(&tokens(code)), "{code}");
    }
    for code in ["1..", "..", "return", "break 'a", "()", "[]", "(1,)", "[1; 2]", "{ 1 2 }"] {
        assert!(is_expression(&tokens(code)), "{code}");
    }
}

#[test]
fn a_list_is_divided_at_its_own_commas() {
    let all = tokens("f::<A, B>(), |a, b| a, [1, 2], x < y, z > 3,");
    let (parts, times) = listed(&all);
    let parts: Vec<String> = parts.into_iter().map(shown).collect();
    assert_eq!(parts.len(), 5, "{parts:?}");
    assert!(times.is_none());
    let repeated = tokens("1/6; N");
    let (parts, times) = listed(&repeated);
    assert_eq!((parts.len(), times.map(shown)), (1, Some("N".to_owned())));
}

#[test]
fn parentheses_around_one_expression_are_taken_away() {
    for (code, inner) in [
        ("((1))", "1"),
        ("(1, 2)", "(1, 2)"),
        ("()", "()"),
        ("(1,)", "(1,)"),
        ("(1) + 2", "(1) + 2"),
    ] {
        assert_eq!(shown(&without_parentheses(&tokens(code))), shown(&tokens(inner)));
    }
}

#[test]
fn arithmetic_with_whole_numbers_alone_is_noticed() {
    for (code, is_whole) in [
        ("1/6/2", true),
        ("(1 + 1)/-6", true),
        ("1 << 3", true),
        ("1/6.0", false),
        ("1/N", false),
        ("1..6", false),
        ("1 as f64 / 6", false),
        ("1.max(2)", false),
    ] {
        assert_eq!(is_whole_arithmetic(&tokens(code)), is_whole, "{code}");
    }
}
