//! Expressions: where does a value end, and what kind of expression is it?
//!
//! Follows an expression from operand to operator and back. It is told apart only as far as options
//! have to know; the compiler reads the rest in the expansion, and reports there what is no Rust.

use crate::literal::{self, Constant, Number};
use crate::tokens::{Tokens, closed_generics, inside, is_sign, is_word, operator};
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
    let Reading { end, root, .. } = read_from(tokens, 0, false);
    (end, root)
}

/// The length of the expression at the front; where it breaks off, as `1 +` does, the place at
/// which something is missing.
pub fn length(tokens: &[TokenTree]) -> Result<usize, usize> {
    read_from(tokens, 0, false).whole()
}

/// An expression that was read as far as it goes.
struct Reading {
    end: usize,
    root: Root,
    is_whole: bool,
}

impl Reading {
    /// The place after it, or the one where something is missing.
    fn whole(&self) -> Result<usize, usize> {
        if self.is_whole { Ok(self.end) } else { Err(self.end) }
    }
}

/// Reads the expression at a place. In the head of `if x {`, it ends before the braces.
fn read_from(tokens: &[TokenTree], from: usize, in_head: bool) -> Reading {
    let mut root = Root::Plain;
    let (mut at, mut is_after_operand, mut is_whole) = (from, false, false);
    // What is joined after `|x|` is joined inside of the closure.
    let mut is_closed = true;
    while at < tokens.len() {
        if in_head && is_whole && is_block(&tokens[at]) {
            break;
        }
        let step = match is_after_operand {
            true => continued(tokens, at),
            false => begun(tokens, at, in_head),
        };
        let step = match step {
            Ok(Some(step)) => step,
            Ok(None) => break,
            Err(missing) => return Reading { end: missing, root, is_whole: false },
        };
        let is_first = at == from || !matches!(step.root, Root::Reference | Root::Unary);
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
        (at, is_after_operand, is_whole) = (step.to, step.is_operand, step.may_end);
    }
    Reading { end: at.min(tokens.len()), root, is_whole }
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

/// A step, if there is one; for one that begins and breaks off, the place where it does.
type Stepped = Result<Option<Step>, usize>;

impl Step {
    fn operand(to: usize) -> Stepped {
        Ok(Some(Self { to, is_operand: true, may_end: true, root: Root::Plain }))
    }

    fn operator(to: usize, root: Root) -> Stepped {
        // `1..` needs nothing after it.
        Ok(Some(Self { to, is_operand: false, may_end: root == Root::Range, root }))
    }
}

/// The step from a place where an operand begins.
fn begun(tokens: &[TokenTree], at: usize, in_head: bool) -> Stepped {
    match &tokens[at] {
        TokenTree::Punct(_) => {}
        TokenTree::Ident(word) => return after_word(&word.to_string(), tokens, at, in_head),
        // What a macro was given may be nothing.
        token if inside(Some(token), Delimiter::None).is_some_and(|tokens| tokens.is_empty()) => {
            return Ok(None);
        }
        _ => return Step::operand(at + 1),
    }
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
            let after = to + inside.ok_or(tokens.len())? + 1;
            Step::operator(after_result(tokens, after)?, Root::Open)
        }
        "||" => Step::operator(after_result(tokens, to)?, Root::Open),
        // `<T as Trait>::name`.
        "<" | "<<" => Step::operand(closed_generics(tokens, at).ok_or(tokens.len())?),
        "&" | "&&" => {
            let is_raw = is_word(tokens.get(to), "raw")
                && ["const", "mut"].iter().any(|word| is_word(tokens.get(to + 1), word));
            Step::operator(if is_raw { to + 2 } else { to }, Root::Reference)
        }
        "-" | "!" | "*" => Step::operator(to, Root::Unary),
        ".." | "..=" => Step::operator(to, Root::Range),
        _ => Ok(None),
    }
}

/// The step over a word where an operand begins.
fn after_word(word: &str, tokens: &[TokenTree], at: usize, in_head: bool) -> Stepped {
    match word {
        // The parameters of `for<'a> |x: &'a T| ..`.
        "for" if is_sign(tokens.get(at + 1), '<') => {
            let to = closed_generics(tokens, at + 1).ok_or(tokens.len())?;
            Step::operator(to, Root::Plain)
        }
        "if" | "match" | "while" | "for" | "loop" => Step::operand(after_blocks(tokens, at)?),
        "return" | "break" | "continue" | "yield" => {
            let has_label = is_sign(tokens.get(at + 1), '\'');
            let to = if has_label { at + 3 } else { at + 1 };
            Ok(Some(Step { to, is_operand: false, may_end: true, root: Root::Open }))
        }
        "let" if in_head => Step::operator(after_pattern(tokens, at + 1, "=")?, Root::Open),
        "async" | "const" | "move" | "mut" | "static" | "unsafe" => {
            Step::operator(at + 1, Root::Plain)
        }
        "as" | "else" | "enum" | "extern" | "fn" | "impl" | "in" | "let" | "mod" | "pub"
        | "ref" | "struct" | "trait" | "type" | "use" | "where" => Ok(None),
        _ => Step::operand(at + 1),
    }
}

/// The step from a place where an operand has ended, if the expression has not.
fn continued(tokens: &[TokenTree], at: usize) -> Stepped {
    let is_after_path = match &tokens[at - 1] {
        TokenTree::Ident(_) => true,
        before => is_sign(Some(before), '>') || inside(Some(before), Delimiter::None).is_some(),
    };
    match &tokens[at] {
        TokenTree::Group(group) => {
            let continues = match group.delimiter() {
                Delimiter::Parenthesis | Delimiter::Bracket => true,
                // `Point { x: 1 }`.
                Delimiter::Brace => is_after_path,
                Delimiter::None => false,
            };
            return if continues { Step::operand(at + 1) } else { Ok(None) };
        }
        token if is_word(Some(token), "as") => {
            let to = after_type(tokens, at + 1)?;
            return Ok(Some(Step { to, is_operand: true, may_end: true, root: Root::Cast }));
        }
        TokenTree::Punct(_) => {}
        // Two operands side by side.
        _ => return Ok(None),
    }
    let operator = operator(tokens, at);
    let to = at + operator.len();
    match &*operator {
        "?" => Step::operand(to),
        // The braces of `name! { .. }` are its own also in a head.
        "!" if is_after_path && is_group(tokens.get(to)) => Step::operand(to + 1),
        "::" if is_sign(tokens.get(to), '<') => {
            Step::operand(closed_generics(tokens, to).ok_or(tokens.len())?)
        }
        "." | "::" => Step::operator(to, Root::Plain),
        ".." | "..=" | "..." => Step::operator(to, Root::Range),
        "=" => Step::operator(to, Root::Assignment(at)),
        _ if is_binary(&operator) => Step::operator(to, Root::Binary),
        _ => Ok(None),
    }
}

fn is_binary(operator: &str) -> bool {
    const ENDS: [&str; 15] =
        [",", ";", ":", "=", "=>", "->", "::", ".", "..", "..=", "...", "?", "!", "'", ""];
    !ENDS.contains(&operator) && !operator.starts_with(['#', '$', '@', '~', '\\'])
}

fn is_group(token: Option<&TokenTree>) -> bool {
    matches!(token, Some(TokenTree::Group(group)) if group.delimiter() != Delimiter::None)
}

/// Whether these are braces, perhaps those that a macro was given as a block.
fn is_block(token: &TokenTree) -> bool {
    match inside(Some(token), Delimiter::None).as_deref() {
        Some([block]) => is_block(block),
        Some(_) => false,
        None => inside(Some(token), Delimiter::Brace).is_some(),
    }
}

/// The place after `if`, `match`, `while`, `for` or `loop` with all that belongs to it.
fn after_blocks(tokens: &[TokenTree], at: usize) -> Result<usize, usize> {
    let is_if = is_word(tokens.get(at), "if");
    let block = match is_word(tokens.get(at), "loop") {
        true => at + 1,
        false => {
            let is_for = is_word(tokens.get(at), "for");
            let from = if is_for { after_pattern(tokens, at + 1, "in")? } else { at + 1 };
            read_from(tokens, from, true).whole()?
        }
    };
    let after = after_block(tokens, block)?;
    if !is_if || !is_word(tokens.get(after), "else") {
        return Ok(after);
    }
    match is_word(tokens.get(after + 1), "if") {
        true => after_blocks(tokens, after + 1),
        false => after_block(tokens, after + 1),
    }
}

fn after_block(tokens: &[TokenTree], at: usize) -> Result<usize, usize> {
    if tokens.get(at).is_some_and(is_block) { Ok(at + 1) } else { Err(at) }
}

/// The place after a pattern, and the sign or word that ends it.
fn after_pattern(tokens: &[TokenTree], mut at: usize, end: &str) -> Result<usize, usize> {
    while at < tokens.len() {
        let operator = operator(tokens, at);
        if operator == end || is_word(tokens.get(at), end) {
            return Ok(at + operator.len().max(1));
        }
        at = match &*operator {
            "," | ";" => return Err(at),
            "<" => closed_generics(tokens, at).ok_or(tokens.len())?,
            _ => at + operator.len().max(1),
        };
    }
    Err(tokens.len())
}

/// The place after a closure's `-> T`, where there is one: its body is in braces then.
fn after_result(tokens: &[TokenTree], at: usize) -> Result<usize, usize> {
    if operator(tokens, at) != "->" {
        return Ok(at);
    }
    let mut at = after_type(tokens, at + 2)?;
    // `impl A + 'static`.
    while operator(tokens, at) == "+" {
        at = match operator(tokens, at + 1) == "'" {
            true => at + 3,
            false => after_type(tokens, at + 1)?,
        };
    }
    after_block(tokens, at).map(|_| at)
}

/// The place after a type. A `<` belongs to it, as it does for the compiler.
fn after_type(tokens: &[TokenTree], mut at: usize) -> Result<usize, usize> {
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
            TokenTree::Group(group) => match group.delimiter() {
                Delimiter::Parenthesis => (at, is_begun) = (at + 1, true),
                Delimiter::Bracket | Delimiter::None if !is_begun => {
                    (at, is_begun) = (at + 1, true);
                }
                _ => break,
            },
            _ => match &*operator {
                "<" | "<<" => match closed_generics(tokens, at) {
                    Some(to) => {
                        is_begun = !is_word(tokens.get(at - 1), "for");
                        at = to;
                    }
                    // Meant as a comparison: the compiler says what to do.
                    None => break,
                },
                "::" | "->" => (at, is_begun) = (at + 2, false),
                "'" => at += 2,
                "&" | "&&" | "*" if !is_begun => at += operator.len(),
                "!" if !is_begun => (at, is_begun) = (at + 1, true),
                "!" if is_group(tokens.get(at + 1)) => at += 2,
                _ => break,
            },
        }
    }
    if is_begun { Ok(at) } else { Err(at.min(tokens.len())) }
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
    let list = match referred(tokens) {
        [TokenTree::Group(list)] if list.delimiter() != Delimiter::Brace => list,
        _ => return length(tokens) == Ok(tokens.len()),
    };
    let inside: Tokens = list.stream().into_iter().collect();
    if list.delimiter() == Delimiter::None {
        return is_expression(&inside);
    }
    let (parts, times) = listed(&inside);
    parts.into_iter().chain(times).all(is_expression)
}

/// What is behind `&` or `&mut`; all of it where there is none.
pub fn referred(tokens: &[TokenTree]) -> &[TokenTree] {
    match tokens {
        [sign, word, rest @ ..] if is_sign(Some(sign), '&') && is_word(Some(word), "mut") => rest,
        [sign, rest @ ..] if is_sign(Some(sign), '&') => rest,
        _ => tokens,
    }
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
#[path = "expression_tests.rs"]
mod tests;
