//! Attributes: what else is said about a function?
//!
//! Reads the attributes below `#[probtest]`, refuses those that make a test too, and asks whether a
//! panic is expected. All of them stay on the test, token for token.
//!
//! Next stage: [`crate::item`].

use crate::problems::Problems;
use crate::tokens::{Cursor, Tokens, code, inside, is_sign, joined, separated, shown};
use proc_macro::{Delimiter, Span, TokenTree};

/// `#[path ..]`.
pub struct Attribute {
    /// All of it.
    pub tokens: Tokens,
    /// What it is called.
    pub path: Tokens,
    /// What it is given in parentheses.
    pub given: Option<Tokens>,
}

impl Attribute {
    pub fn parse(tokens: Tokens) -> Self {
        let mut attribute = Self { tokens, path: vec![], given: None };
        (attribute.path, attribute.given) = meta(attribute.content());
        attribute
    }

    /// What is between `[` and `]`.
    fn content(&self) -> Tokens {
        inside(self.tokens.get(1), Delimiter::Bracket).unwrap_or_default()
    }

    /// Whether there is nothing but its path.
    pub fn is_bare(&self) -> bool {
        let mut content = Cursor::new(self.content());
        content.open();
        content.rest().len() == self.path.len()
    }

    /// Whether it is called that.
    pub fn is(&self, name: &str) -> bool {
        is_called(&self.path, name)
    }

    /// The condition under which it is `#[should_panic]`, if it can be.
    pub fn expects_panic(&self) -> Option<Tokens> {
        expects_panic(self.content())
    }

    /// Refuses what makes a test of its own.
    pub fn check(&self, problems: &mut Problems) {
        let last = self.path.last().map(|last| without_raw(&last.to_string()));
        match last.as_deref() {
            Some("probtest") => problems.refuse(
                &self.tokens,
                "this function has `#[probtest]` twice",
                "put all options into one `#[probtest(..)]`",
            ),
            Some(
                "test" | "bench" | "rstest" | "test_case" | "quickcheck" | "wasm_bindgen_test",
            ) => {
                let name = shown(&self.path);
                problems.refuse(
                    &self.tokens,
                    format!(
                        "`#[{name}]` is next to `#[probtest]`, but only one of them can make the test"
                    ),
                    format!("remove `#[{name}]`: `#[probtest]` already makes the function a test"),
                );
            }
            _ => {}
        }
    }
}

/// Whether a path is this word alone.
fn is_called(path: &[TokenTree], name: &str) -> bool {
    path.len() == 1 && without_raw(&path[0].to_string()) == name
}

/// The path of an attribute's content, and what it is given in parentheses.
fn meta(tokens: impl IntoIterator<Item = TokenTree>) -> (Tokens, Option<Tokens>) {
    let mut input = Cursor::new(tokens);
    input.open();
    let is_path =
        |token: &TokenTree| matches!(token, TokenTree::Ident(_)) || is_sign(Some(token), ':');
    let length = input.rest().iter().take_while(|token| is_path(token)).count();
    let path = input.take(length);
    let given = match input.peek() {
        Some(TokenTree::Group(group)) => Some(group.stream().into_iter().collect()),
        _ => None,
    };
    (path, given)
}

/// The condition under which an attribute's content is `should_panic`, if it can be.
fn expects_panic(content: Tokens) -> Option<Tokens> {
    let here = Span::mixed_site();
    let (path, given) = meta(content);
    if is_called(&path, "should_panic") {
        // What always holds.
        return Some(code(here, "all()", &[]));
    }
    let given = given.filter(|_| is_called(&path, "cfg_attr"))?;
    let parts = separated(&given);
    let (condition, set) = parts.split_first()?;
    let conditions: Vec<Tokens> =
        set.iter().filter_map(|part| expects_panic(part.to_vec())).collect();
    let parts = [("condition", *condition), ("conditions", &joined(conditions.clone()))];
    (!conditions.is_empty()).then(|| code(here, "all($condition, any($conditions))", &parts))
}

/// Takes all attributes at the front.
pub fn attributes(input: &mut Cursor) -> Vec<Attribute> {
    let mut attributes = Vec::new();
    while input.at_sign('#') {
        attributes.push(Attribute::parse(input.take(2)));
    }
    attributes
}

/// A name without its `r#`.
pub fn without_raw(name: &str) -> String {
    name.strip_prefix("r#").unwrap_or(name).to_owned()
}
