//! Tokens: how is code taken apart and put together?
//!
//! On the compiler's `proc_macro` alone: a parser for all of Rust would take longer to compile than
//! anything else that a user of `#[probtest]` compiles, and only a few shapes are asked for.

use proc_macro::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};

/// A piece of code, with the places where it was written.
pub type Tokens = Vec<TokenTree>;

/// Operators of several signs, the longest first.
const OPERATORS: [&str; 24] = [
    "<<=", ">>=", "..=", "...", "&&", "||", "<<", ">>", "<=", ">=", "==", "!=", "+=", "-=", "*=",
    "/=", "%=", "^=", "&=", "|=", "..", "::", "->", "=>",
];

/// Code that is read from its front to its end.
pub struct Cursor {
    tokens: Tokens,
    at: usize,
}

impl Cursor {
    pub fn new(tokens: impl IntoIterator<Item = TokenTree>) -> Self {
        Self { tokens: tokens.into_iter().collect(), at: 0 }
    }

    /// What was not read yet.
    pub fn rest(&self) -> &[TokenTree] {
        &self.tokens[self.at..]
    }

    /// Opens the invisible parentheses that a `macro_rules` macro puts around what it was given.
    pub fn open(&mut self) {
        while let Some(TokenTree::Group(group)) = self.tokens.get(self.at)
            && group.delimiter() == Delimiter::None
        {
            let inside = group.stream();
            self.tokens.splice(self.at..=self.at, inside);
        }
    }

    /// Passes over invisible parentheses with nothing inside.
    pub fn skip_nothing(&mut self) {
        while inside(self.tokens.get(self.at), Delimiter::None).is_some_and(|all| all.is_empty()) {
            self.at += 1;
        }
    }

    /// The next token, without invisible parentheses.
    pub fn peek(&mut self) -> Option<&TokenTree> {
        self.open();
        self.tokens.get(self.at)
    }

    /// Whether the next token is this word.
    pub fn at_word(&mut self, word: &str) -> bool {
        is_word(self.peek(), word)
    }

    /// Whether the next token is this sign.
    pub fn at_sign(&mut self, sign: char) -> bool {
        is_sign(self.peek(), sign)
    }

    /// Takes so many tokens.
    pub fn take(&mut self, count: usize) -> Tokens {
        let from = self.at;
        self.at = self.tokens.len().min(from + count);
        self.tokens[from..self.at].to_vec()
    }
}

/// Whether it is this word.
pub fn is_word(token: Option<&TokenTree>, word: &str) -> bool {
    match token {
        Some(TokenTree::Ident(ident)) => ident.to_string().eq(word),
        _ => false,
    }
}

/// Whether it is this sign.
pub fn is_sign(token: Option<&TokenTree>, sign: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == sign)
}

/// What is between these delimiters, if it is a group of them.
pub fn inside(token: Option<&TokenTree>, delimiter: Delimiter) -> Option<Tokens> {
    match token {
        Some(TokenTree::Group(group)) if group.delimiter() == delimiter => {
            Some(group.stream().into_iter().collect())
        }
        _ => None,
    }
}

/// The operator that begins at a place, of up to three signs; empty where none does.
pub fn operator(tokens: &[TokenTree], at: usize) -> String {
    let mut signs = String::new();
    for token in tokens.iter().skip(at).take(3) {
        let TokenTree::Punct(punct) = token else { break };
        signs.push(punct.as_char());
        if punct.spacing() == Spacing::Alone {
            break;
        }
    }
    let known = OPERATORS.iter().find(|operator| signs.starts_with(**operator));
    let length = known.map_or(1, |operator| operator.len()).min(signs.len());
    signs.chars().take(length).collect()
}

/// The place after the `>` that belongs to the `<` at a place, or the end.
pub fn after_generics(tokens: &[TokenTree], at: usize) -> usize {
    closed_generics(tokens, at).unwrap_or(tokens.len())
}

/// The place after the `>` that belongs to the `<` at a place, where there is one.
pub fn closed_generics(tokens: &[TokenTree], mut at: usize) -> Option<usize> {
    let mut depth = 0_usize;
    while at < tokens.len() {
        if operator(tokens, at) == "->" {
            at += 2;
            continue;
        }
        depth += usize::from(is_sign(tokens.get(at), '<'));
        if is_sign(tokens.get(at), '>') {
            depth = depth.saturating_sub(1);
        }
        at += 1;
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// The parts between commas, those inside `<..>` excepted.
pub fn separated(tokens: &[TokenTree]) -> Vec<&[TokenTree]> {
    let mut parts = Vec::new();
    let (mut from, mut at) = (0, 0);
    while at < tokens.len() {
        if is_sign(tokens.get(at), '<') {
            at = after_generics(tokens, at);
            continue;
        }
        if is_sign(tokens.get(at), ',') {
            parts.push(&tokens[from..at]);
            from = at + 1;
        }
        at += 1;
    }
    if from < tokens.len() {
        parts.push(&tokens[from..]);
    }
    parts
}

/// The place of the first token, for what is reported about all of them.
pub fn place(tokens: &[TokenTree]) -> Span {
    tokens.first().map_or_else(Span::call_site, TokenTree::span)
}

/// The same code as if it were written at a place; its names mean what they did.
pub fn located(tokens: &[TokenTree], at: Span) -> Tokens {
    let mut tokens = tokens.to_vec();
    for token in &mut tokens {
        token.set_span(token.span().located_at(at));
    }
    tokens
}

/// Code at a place, with a part for each `$name` in the text. The parts keep their own places.
pub fn code(span: Span, text: &str, parts: &[(&str, &[TokenTree])]) -> Tokens {
    let template: TokenStream = text.parse().expect("a template is Rust");
    filled(template, span, parts)
}

fn filled(template: TokenStream, span: Span, parts: &[(&str, &[TokenTree])]) -> Tokens {
    let mut code = Tokens::new();
    let mut template = template.into_iter().peekable();
    while let Some(mut token) = template.next() {
        if is_sign(Some(&token), '$') {
            let name = template.next().map(|name| name.to_string());
            let part = parts.iter().find(|(of, _)| name.as_deref() == Some(*of));
            code.extend_from_slice(part.expect("every part of a template is given").1);
            continue;
        }
        match &token {
            TokenTree::Group(group) => {
                token = grouped(group.delimiter(), filled(group.stream(), span, parts), span);
            }
            // It is written next to the `$`, and not next to the part.
            TokenTree::Punct(sign) if is_sign(template.peek(), '$') => {
                token = Punct::new(sign.as_char(), Spacing::Alone).into();
            }
            _ => {}
        }
        token.set_span(span);
        code.push(token);
    }
    code
}

/// Code in parentheses, brackets or braces.
pub fn grouped(delimiter: Delimiter, inside: Tokens, span: Span) -> TokenTree {
    let mut group = Group::new(delimiter, inside.into_iter().collect());
    group.set_span(span);
    group.into()
}

/// A word of the macro's own.
pub fn word(text: &str, span: Span) -> TokenTree {
    Ident::new(text, span).into()
}

/// A string in code.
pub fn string(text: &str, span: Span) -> TokenTree {
    let mut literal = Literal::string(text);
    literal.set_span(span);
    literal.into()
}

/// Pieces of code with commas between them.
pub fn joined(pieces: impl IntoIterator<Item = Tokens>) -> Tokens {
    let mut joined = Tokens::new();
    for piece in pieces {
        if !joined.is_empty() {
            joined.push(Punct::new(',', Spacing::Alone).into());
        }
        joined.extend(piece);
    }
    joined
}

/// The tokens roughly as the user wrote them.
pub fn shown(tokens: &[TokenTree]) -> String {
    // The compiler prints tokens with a blank between any two.
    let spaced = [" / ", " < ", " >", " :: ", ":: ", "< ", "& ", "- ", " %", " ;"];
    let closed = |text: &str| {
        spaced.iter().fold(text.to_owned(), |text, part| text.replace(part, part.trim()))
    };
    let text = tokens.iter().cloned().collect::<TokenStream>().to_string();
    let (mut shown, mut rest) = (String::new(), &text[..]);
    // A blank in a literal is the user's.
    for literal in literals(tokens) {
        if let Some((before, after)) = rest.split_once(&literal) {
            shown += &(closed(before) + &literal);
            rest = after;
        }
    }
    shown + &closed(rest)
}

/// The texts of all literals, in their order.
fn literals(tokens: &[TokenTree]) -> Vec<String> {
    let texts = tokens.iter().flat_map(|token| match token {
        TokenTree::Group(group) => literals(&group.stream().into_iter().collect::<Tokens>()),
        TokenTree::Literal(literal) => vec![literal.to_string()],
        _ => vec![],
    });
    texts.collect()
}

#[cfg(test)]
mod tests {
    use super::{Tokens, shown};
    use proc_macro::TokenStream;

    #[test]
    fn blanks_are_closed_outside_of_literals_alone() {
        for (code, expected) in [
            ("a :: b / 2", "a::b/2"),
            ("\"1 / 2\" / 3", "\"1 / 2\"/3"),
            ("f(\"& :: ;\", 'x', \" >\")", "f (\"& :: ;\" , 'x' , \" >\")"),
        ] {
            let tokens: Tokens = code.parse::<TokenStream>().expect("Rust").into_iter().collect();
            assert_eq!(shown(&tokens), expected);
        }
    }
}
