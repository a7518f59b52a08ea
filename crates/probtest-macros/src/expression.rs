//! Expressions: where does a value end, and what kind of expression is it?
//!
//! Follows an expression from operand to operator and back. It is told apart only as far as options
//! have to know; the compiler reads the rest in the expansion, and reports there what is no Rust.

use crate::literal::{self, Constant, Number};
use crate::tokens::{Tokens, after_generics, inside, is_sign, is_word, operator};
use proc_macro::{Delimiter, TokenTree};

/// What is done last in an expression; a later kind binds less than an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Root {
    /// A literal, a path, a call, a list, a block: nothing that an operator joins.
    Plain,
    /// `&x`.
    Reference,
    /// `-x`, `!x` or `*x`.
    Unary,
    /// `x as f64`.
    Cast,
    /// `x + y`.
    Binary,
    /// `x..y`.
    Range,
    /// `x = y`, with the place of the sign.
    Assignment(usize),
    /// A closure or a jump: whatever comes after belongs to it.
    Open,
}

/// Reads the expression at the front: the place after it, and its root.
pub fn read(tokens: &[TokenTree]) -> (usize, Root) {
    let (end, root, _) = read_or_stop(tokens);
    (end, root)
}

/// The length of the expression at the front, unless it breaks off, as `1 +` does.
pub fn length(tokens: &[TokenTree]) -> Option<usize> {
    let (end, _, is_whole) = read_or_stop(tokens);
    is_whole.then_some(end)
}

fn read_or_stop(tokens: &[TokenTree]) -> (usize, Root, bool) {
    let mut root = Root::Plain;
    let (mut at, mut is_after_operand, mut may_end) = (0, false, false);
    // What is joined after `|x|` is joined inside of the closure.
    let mut is_closed = true;
    while at < tokens.len() {
        let step = if is_after_operand { continued(tokens, at) } else { begun(tokens, at) };
        let Some(step) = step else {
            break;
        };
        let is_first = at == 0 || !matches!(step.root, Root::Reference | Root::Unary);
        if is_closed && is_first {
            root = match step.root {
                // `y = |x| ..` is an assignment; before a closure alone are words such as `move`.
                Root::Open if root != Root::Plain => root,
                // `x = y = z` is `x = (y = z)`.
                Root::Assignment(_) if matches!(root, Root::Assignment(_)) => root,
                joins => root.max(joins),
            };
            is_closed = step.root != Root::Open;
        }
        (at, is_after_operand, may_end) = (step.to, step.is_operand, step.may_end);
    }
    (at.min(tokens.len()), root, may_end)
}

/// A step through an expression.
struct Step {
    /// The place after it.
    to: usize,
    /// Whether an operand ends there; otherwise one begins.
    is_operand: bool,
    /// Whether the expression may end there.
    may_end: bool,
    /// What it makes of the whole.
    root: Root,
}

impl Step {
    fn operand(to: usize) -> Option<Self> {
        Some(Self { to, is_operand: true, may_end: true, root: Root::Plain })
    }

    fn operator(to: usize, root: Root) -> Option<Self> {
        // `1..` needs nothing after it.
        Some(Self { to, is_operand: false, may_end: root == Root::Range, root })
    }
}

/// The step from a place where an operand begins.
fn begun(tokens: &[TokenTree], at: usize) -> Option<Step> {
    let TokenTree::Punct(_) = &tokens[at] else {
        return match &tokens[at] {
            TokenTree::Ident(word) => after_word(&word.to_string(), tokens, at),
            _ => Step::operand(at + 1),
        };
    };
    let operator = operator(tokens, at);
    let to = at + operator.len();
    match &*operator {
        // A label or a lifetime, which comes before something else.
        "'" => Step::operator(at + 2, Root::Plain),
        ":" if at > 1 && is_sign(tokens.get(at - 2), '\'') => Step::operator(to, Root::Plain),
        // `#[attribute]`.
        "#" => Step::operator(at + 2, Root::Plain),
        "::" => Step::operator(to, Root::Plain),
        "|" => {
            let inside = tokens[to..].iter().position(|token| is_sign(Some(token), '|'));
            Step::operator(
                after_result(tokens, inside.map_or(tokens.len(), |n| to + n + 1)),
                Root::Open,
            )
        }
        "||" => Step::operator(after_result(tokens, to), Root::Open),
        // `<T as Trait>::name`.
        "<" | "<<" => Step::operand(after_generics(tokens, at)),
        "&" | "&&" => {
            let is_raw = is_word(tokens.get(to), "raw")
                && ["const", "mut"].iter().any(|word| is_word(tokens.get(to + 1), word));
            Step::operator(if is_raw { to + 2 } else { to }, Root::Reference)
        }
        "-" | "!" | "*" => Step::operator(to, Root::Unary),
        ".." | "..=" => Step::operator(to, Root::Range),
        _ => None,
    }
}

/// The step over a word where an operand begins.
fn after_word(word: &str, tokens: &[TokenTree], at: usize) -> Option<Step> {
    match word {
        // The parameters of `for<'a> |x: &'a T| ..`.
        "for" if is_sign(tokens.get(at + 1), '<') => {
            Step::operator(after_generics(tokens, at + 1), Root::Plain)
        }
        "if" | "match" | "while" | "for" | "loop" => Step::operand(to_braces(tokens, at) + 1),
        "return" | "break" | "continue" | "yield" => {
            let has_label = is_sign(tokens.get(at + 1), '\'');
            let to = if has_label { at + 3 } else { at + 1 };
            Some(Step { to, is_operand: false, may_end: true, root: Root::Open })
        }
        "let" => Step::operator(at + 1, Root::Open),
        "async" | "const" | "move" | "mut" | "static" | "unsafe" => {
            Step::operator(at + 1, Root::Plain)
        }
        "as" | "else" | "enum" | "extern" | "fn" | "impl" | "in" | "mod" | "pub" | "ref"
        | "struct" | "trait" | "type" | "use" | "where" => None,
        _ => Step::operand(at + 1),
    }
}

/// The step from a place where an operand has ended, if the expression has not.
fn continued(tokens: &[TokenTree], at: usize) -> Option<Step> {
    match &tokens[at] {
        TokenTree::Group(group) if group.delimiter() != Delimiter::None => {
            return Step::operand(at + 1);
        }
        token if is_word(Some(token), "as") => {
            let to = after_type(tokens, at + 1);
            return Some(Step { to, is_operand: true, may_end: true, root: Root::Cast });
        }
        token if is_word(Some(token), "else") => return Step::operator(at + 1, Root::Plain),
        TokenTree::Punct(_) => {}
        // Two operands side by side.
        _ => return None,
    }
    let operator = operator(tokens, at);
    let to = at + operator.len();
    match &*operator {
        "?" | "!" => Step::operand(to),
        "::" if is_sign(tokens.get(to), '<') => Step::operand(after_generics(tokens, to)),
        "." | "::" => Step::operator(to, Root::Plain),
        ".." | "..=" | "..." => Step::operator(to, Root::Range),
        "=" => Step::operator(to, Root::Assignment(at)),
        _ if is_binary(&operator) => Step::operator(to, Root::Binary),
        _ => None,
    }
}

fn is_binary(operator: &str) -> bool {
    const ENDS: [&str; 15] =
        [",", ";", ":", "=", "=>", "->", "::", ".", "..", "..=", "...", "?", "!", "'", ""];
    !ENDS.contains(&operator) && !operator.starts_with(['#', '$', '@', '~', '\\'])
}

/// The place after a closure's `-> T`, where there is one: its body is in braces then.
fn after_result(tokens: &[TokenTree], at: usize) -> usize {
    if operator(tokens, at) == "->" { to_braces(tokens, at) } else { at }
}

fn to_braces(tokens: &[TokenTree], at: usize) -> usize {
    (at..tokens.len())
        .find(|at| inside(tokens.get(*at), Delimiter::Brace).is_some())
        .unwrap_or(tokens.len())
}

/// The place after a type. A `<` belongs to it, as it does for the compiler.
fn after_type(tokens: &[TokenTree], mut at: usize) -> usize {
    const MODIFIERS: [&str; 8] = ["const", "dyn", "extern", "fn", "for", "impl", "mut", "unsafe"];
    let mut is_begun = false;
    while let Some(token) = tokens.get(at) {
        let operator = operator(tokens, at);
        match token {
            TokenTree::Ident(word) if !is_begun => {
                is_begun = !MODIFIERS.contains(&&*word.to_string());
                at += 1;
            }
            TokenTree::Literal(_) if !is_begun => at += 1,
            TokenTree::Group(group) if !is_begun || group.delimiter() == Delimiter::Parenthesis => {
                is_begun = true;
                at += 1;
            }
            _ if is_sign(Some(token), '<') => {
                is_begun = !is_word(tokens.get(at - 1), "for");
                at = after_generics(tokens, at);
            }
            _ => match &*operator {
                "::" | "->" => (at, is_begun) = (at + 2, false),
                "'" => at += 2,
                "&" | "&&" | "*" | "!" if !is_begun => at += operator.len(),
                _ => break,
            },
        }
    }
    at
}

/// The expressions between commas, and what comes after a `;`, as in `[x; n]`.
pub fn listed(tokens: &[TokenTree]) -> (Vec<&[TokenTree]>, Option<&[TokenTree]>) {
    let mut listed = Vec::new();
    let mut rest = tokens;
    while !rest.is_empty() {
        let ends = |at: &usize| matches!(&*operator(rest, *at), "," | ";");
        let end = (read(rest).0..rest.len()).find(ends).unwrap_or(rest.len());
        listed.push(&rest[..end]);
        if is_sign(rest.get(end), ';') {
            return (listed, Some(&rest[end + 1..]));
        }
        rest = rest.get(end + 1..).unwrap_or_default();
    }
    (listed, None)
}

/// Whether this is one expression, and a list of expressions where it is a list.
pub fn is_expression(tokens: &[TokenTree]) -> bool {
    let list = match tokens {
        [TokenTree::Group(list)] if list.delimiter() != Delimiter::Brace => list,
        _ => return length(tokens) == Some(tokens.len()),
    };
    let list: Tokens = list.stream().into_iter().collect();
    let (parts, times) = listed(&list);
    parts.into_iter().chain(times).all(is_expression)
}

/// Takes away parentheses, and the invisible ones around what a `macro_rules` macro passed on: they
/// change nothing, and in `p = (1/6)` they would hide a fraction.
pub fn without_parentheses(tokens: &[TokenTree]) -> Tokens {
    let [token] = tokens else {
        return tokens.to_vec();
    };
    let parenthesized =
        inside(Some(token), Delimiter::Parenthesis).filter(|inside| read(inside).0 == inside.len());
    match inside(Some(token), Delimiter::None).or(parenthesized) {
        Some(inside) if !inside.is_empty() => without_parentheses(&inside),
        _ => tokens.to_vec(),
    }
}

/// What a literal stands for, also one in parentheses.
pub fn as_literal(tokens: &[TokenTree]) -> Option<Constant> {
    match &without_parentheses(tokens)[..] {
        [TokenTree::Literal(literal)] => Some(literal::read(&literal.to_string())),
        [token] if is_word(Some(token), "true") || is_word(Some(token), "false") => {
            Some(Constant::Other)
        }
        _ => None,
    }
}

pub fn as_int(tokens: &[TokenTree]) -> Option<Number> {
    match as_literal(tokens) {
        Some(Constant::Int(int)) => Some(int),
        _ => None,
    }
}

pub fn is_negated_number(tokens: &[TokenTree]) -> bool {
    match tokens {
        [sign, number @ ..] if is_sign(Some(sign), '-') => {
            matches!(as_literal(number), Some(Constant::Int(_) | Constant::Float(_)))
        }
        _ => false,
    }
}

/// Whether only whole literals are computed with, so that `1/6/2` would be 0.
pub fn is_whole_arithmetic(tokens: &[TokenTree]) -> bool {
    let mut at = 0;
    loop {
        while ['-', '!', '*'].iter().any(|sign| is_sign(tokens.get(at), *sign)) {
            at += 1;
        }
        let operand = tokens.get(at..=at).unwrap_or_default();
        let is_whole = as_int(operand).is_some() || {
            let parenthesized = inside(operand.first(), Delimiter::Parenthesis);
            parenthesized.is_some_and(|inside| is_whole_arithmetic(&inside))
        };
        let operator = operator(tokens, at + 1);
        match is_whole {
            true if at + 1 == tokens.len() => return true,
            true if is_binary(&operator) => at += 1 + operator.len(),
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
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
            "x.y = 3",
        ] {
            let tokens = tokens(code);
            assert_eq!(length(&tokens), Some(tokens.len()), "{code}");
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
        ] {
            assert_eq!(length(&tokens(code)), Some(end), "{code}");
        }
    }

    #[test]
    fn what_breaks_off_is_no_expression() {
        for code in ["", "1 +", "struct", "1 + fn", ";", "@", "1 * / 2", "|a, b", "-", "a.", "a ="]
        {
            assert_eq!(length(&tokens(code)), None, "{code}");
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
}
