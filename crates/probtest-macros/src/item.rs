//! Item: is this a function that can be executed again and again?
//!
//! Reads attributes and signature. The body stays a single token, so that no
//! syntax of a newer compiler is refused and every span is kept.
//!
//! Next stage: [`crate::expand`].

use crate::attribute::{Attribute, attributes, without_raw};
use crate::expression::is_expression;
use crate::problems::{Problem, Problems, Result, refuse};
use crate::tokens::{
    Cursor, Tokens, after_generics, grouped, inside, is_sign, is_word, joined, operator, separated,
    shown,
};
use crate::values::Settings;
use proc_macro::{Delimiter, TokenStream, TokenTree};
use std::slice;

/// A function below `#[probtest]`.
pub struct Function {
    /// Everything but `#[probtest]` itself.
    pub attributes: Vec<Attribute>,
    /// `pub` and the like.
    pub visibility: Tokens,
    /// From `fn` to the return type, without what says how an argument is drawn.
    pub signature: Signature,
    /// What is drawn for each execution: the arguments after the generator.
    pub inputs: Vec<Input>,
    /// What is wrong with them.
    pub refused: Vec<Problem>,
    /// The braces and what is between.
    pub body: TokenTree,
}

/// What comes before the body.
pub struct Signature {
    /// `const`, `async`, `unsafe` and `extern "C"`.
    modifiers: Tokens,
    /// The name of the function.
    pub name: TokenTree,
    /// `<T>`.
    generics: Tokens,
    pub arguments: Vec<Argument>,
    /// Where they are among the tokens.
    parentheses: usize,
    /// The type that is returned; empty where none is written.
    pub output: Tokens,
    /// All of it.
    pub tokens: Tokens,
}

/// `#[attribute] pattern: type`.
pub struct Argument {
    attributes: Vec<Attribute>,
    /// What is bound; `self` of a method, too.
    pattern: Tokens,
    pub ty: Tokens,
    /// All but the attributes.
    tokens: Tokens,
}

impl Function {
    /// Reads an item, which the compiler has read before.
    pub fn parse(item: TokenStream) -> Result<Self> {
        let mut input = Cursor::new(item);
        let attributes = attributes(&mut input);
        let mut visibility = Tokens::new();
        if input.at_word("pub") {
            visibility = input.take(1);
            if inside(input.peek(), Delimiter::Parenthesis).is_some() {
                visibility.extend(input.take(1));
            }
        }
        input.open();
        let rest = input.rest();
        let Some((signature, body)) = signature(rest) else {
            if is_word(rest.iter().find(|token| !is_modifier(token)), "fn") {
                return Err(refuse(
                    rest,
                    "the function has no arguments in parentheses",
                    "write `fn name(rng: &mut TestRng) { .. }`",
                ));
            }
            let keyword = shown(rest.get(..1).unwrap_or_default());
            return Err(refuse(
                rest,
                format!("`#[probtest]` is attached to `{keyword}`, but it only works on functions"),
                "put it on `fn name(rng: &mut TestRng) { .. }`",
            ));
        };
        let Some(body) = body else {
            return Err(refuse(
                rest,
                "`#[probtest]` is on a function without a body",
                "write the assertion between `{` and `}`",
            ));
        };
        let mut function =
            Self { attributes, visibility, signature, inputs: vec![], refused: vec![], body };
        function.take_inputs();
        Ok(function)
    }

    /// The argument that takes the generator.
    pub fn generator(&self) -> Option<&Argument> {
        self.signature.generator()
    }
}

/// Reads a function: what is before the body, and the body, which a trait may leave out.
fn signature(tokens: &[TokenTree]) -> Option<(Signature, Option<TokenTree>)> {
    let (body, tokens) = tokens.split_last()?;
    let keyword = tokens.iter().position(|token| is_word(Some(token), "fn"))?;
    if !tokens[..keyword].iter().all(is_modifier) {
        return None;
    }
    let name = keyword + 1;
    let from = name + 1;
    let parentheses =
        if is_sign(tokens.get(from), '<') { after_generics(tokens, from) } else { from };
    let arguments = inside(tokens.get(parentheses), Delimiter::Parenthesis)?;
    let end = tokens.iter().position(|token| is_word(Some(token), "where"));
    let output = match &*operator(tokens, parentheses + 1) {
        "->" => tokens.get(parentheses + 3..end.unwrap_or(tokens.len()))?,
        _ => &[],
    };
    let mut body = Cursor::new([body.clone()]);
    let signature = Signature {
        modifiers: tokens[..keyword].to_vec(),
        name: tokens.get(name)?.clone(),
        generics: tokens[from..parentheses].to_vec(),
        parentheses,
        arguments: separated(&arguments).into_iter().map(Argument::parse).collect(),
        output: output.to_vec(),
        tokens: tokens.to_vec(),
    };
    let body = body.peek();
    let is_body = inside(body, Delimiter::Brace).is_some();
    (is_body || is_sign(body, ';')).then(|| (signature, body.filter(|_| is_body).cloned()))
}

/// Whether it may come before `fn`.
fn is_modifier(token: &TokenTree) -> bool {
    const MODIFIERS: [&str; 5] = ["const", "async", "unsafe", "extern", "safe"];
    // The ABI in `extern "C"`.
    matches!(token, TokenTree::Literal(_))
        || MODIFIERS.iter().any(|modifier| is_word(Some(token), modifier))
}

impl Argument {
    fn parse(tokens: &[TokenTree]) -> Self {
        let mut input = Cursor::new(tokens.to_vec());
        let mut attributes = Vec::new();
        while is_sign(input.rest().first(), '#') {
            attributes.push(Attribute::parse(input.take(2)));
        }
        let tokens = input.rest();
        let colon = (0..tokens.len()).find(|at| {
            operator(tokens, *at) == ":" && operator(tokens, at.saturating_sub(1)) != "::"
        });
        let (pattern, ty) = match colon {
            Some(at) => (&tokens[..at], &tokens[at + 1..]),
            None => (tokens, &[][..]),
        };
        Self { attributes, pattern: pattern.to_vec(), ty: ty.to_vec(), tokens: tokens.to_vec() }
    }

    /// With its attributes.
    fn code(&self) -> Tokens {
        let attributes = self.attributes.iter().flat_map(|attribute| &attribute.tokens);
        attributes.chain(&self.tokens).cloned().collect()
    }

    /// What it is called, or how it is taken apart.
    fn name(&self) -> String {
        let mut pattern = Cursor::new(self.pattern.clone());
        while pattern.at_word("ref") || pattern.at_word("mut") {
            pattern.take(1);
        }
        pattern.open();
        match pattern.rest() {
            [TokenTree::Ident(name)] => without_raw(&name.to_string()),
            [TokenTree::Ident(name), at, ..] if is_sign(Some(at), '@') => {
                without_raw(&name.to_string())
            }
            _ => shown(&self.pattern),
        }
    }
}

impl Signature {
    /// The argument that takes the generator.
    fn generator(&self) -> Option<&Argument> {
        self.arguments.first().filter(|argument| is_generator(&argument.ty))
    }

    /// `self` of a method, with all that is around it.
    fn receiver(&self) -> Option<&Argument> {
        self.arguments.first().filter(|argument| is_word(argument.pattern.last(), "self"))
    }

    /// The modifier, where it is there.
    pub fn modifier(&self, word: &str) -> &[TokenTree] {
        let Some(at) = self.modifiers.iter().position(|token| is_word(Some(token), word)) else {
            return &[];
        };
        let has_abi = matches!(self.modifiers.get(at + 1), Some(TokenTree::Literal(_)));
        &self.modifiers[at..=at + usize::from(has_abi)]
    }
}

/// An argument that is drawn for each execution.
pub struct Input {
    /// What it is called.
    pub name: String,
    /// Its type.
    pub ty: Tokens,
    /// Where its values come from.
    pub from: InputFrom,
}

/// Where the values of an argument come from.
pub enum InputFrom {
    /// A strategy of proptest.
    Strategy(Tokens),
    /// The strategy that proptest has for the type.
    Any,
    /// Bytes, by the trait of the crate `arbitrary`.
    Arbitrary,
}

/// Whether the type is that of a generator, also of one that is not lent as it should be.
fn is_generator(ty: &[TokenTree]) -> bool {
    let ty = bare(ty);
    match Reference::parse(&ty) {
        // A shared reference may be to a generator, or to anything that was meant as an input.
        Some(reference) => reference.is_mutable || is_generator(&reference.ty),
        None if is_word(ty.first(), "impl") || is_word(ty.first(), "dyn") => true,
        None => last_segment(&ty).is_some_and(|(name, _)| name.ends_with("Rng")),
    }
}

/// `&'a mut T`.
struct Reference {
    has_lifetime: bool,
    is_mutable: bool,
    /// What it refers to.
    ty: Tokens,
}

impl Reference {
    fn parse(ty: &[TokenTree]) -> Option<Self> {
        let mut input = Cursor::new(ty.to_vec());
        if !is_sign(input.take(1).first(), '&') {
            return None;
        }
        let has_lifetime = input.at_sign('\'');
        // Its mark and its name.
        input.take(if has_lifetime { 2 } else { 0 });
        let is_mutable = input.at_word("mut");
        input.take(usize::from(is_mutable));
        Some(Self { has_lifetime, is_mutable, ty: input.rest().to_vec() })
    }
}

/// The name at the end of a path, and whether there is nothing but names in it; none for types
/// that are no path.
fn last_segment(ty: &[TokenTree]) -> Option<(String, bool)> {
    let is_qualified = is_sign(ty.first(), '<');
    let mut is_plain = !is_qualified;
    let mut at = if is_qualified { after_generics(ty, 0) } else { 0 };
    loop {
        if operator(ty, at) == "::" {
            at += 2;
        }
        let TokenTree::Ident(name) = ty.get(at)? else {
            return None;
        };
        at += 1;
        let turbofish = if operator(ty, at) == "::" { at + 2 } else { at };
        if is_sign(ty.get(turbofish), '<') {
            (at, is_plain) = (after_generics(ty, turbofish), false);
        }
        match (ty.get(at), &*operator(ty, at)) {
            (None, _) => return Some((name.to_string(), is_plain)),
            (_, "::") => {}
            // `Fn(A) -> B`, which nothing follows.
            (Some(TokenTree::Group(_)), _) => return Some((name.to_string(), false)),
            _ => return None,
        }
    }
}

impl Function {
    /// Takes the attributes that say how arguments are drawn.
    fn take_inputs(&mut self) {
        let signature = &mut self.signature;
        if signature.receiver().is_some() {
            return;
        }
        let lent = usize::from(signature.generator().is_some());
        let mut is_said = false;
        for (place, argument) in signature.arguments.iter_mut().enumerate() {
            let (said, others) = std::mem::take(&mut argument.attributes)
                .into_iter()
                .partition::<Vec<Attribute>, _>(|attribute| {
                    attribute.is("strategy") || attribute.is("arbitrary")
                });
            argument.attributes = others;
            is_said |= !said.is_empty();
            if place >= lent {
                match input(argument, &said) {
                    Ok(input) => self.inputs.push(input),
                    Err(error) => self.refused.push(error),
                }
            } else if let [attribute, ..] = &said[..] {
                self.refused.push(refuse(
                    &attribute.tokens,
                    "the first argument is the generator, which is not drawn",
                    "put the attribute on a later argument, such as `#[strategy(0..9)] x: i32`",
                ));
            }
        }
        if is_said {
            let arguments = joined(signature.arguments.iter().map(Argument::code));
            let old = &mut signature.tokens[signature.parentheses];
            *old = grouped(Delimiter::Parenthesis, arguments, old.span());
        }
        if self.refused.is_empty() {
            self.refused.extend(self.inputs.iter().filter_map(|input| check_feature(input).err()));
        }
    }
}

fn input(argument: &Argument, said: &[Attribute]) -> Result<Input> {
    let ty = argument.ty.clone();
    let from = match said {
        [] => InputFrom::Any,
        [_, second, ..] => {
            return Err(refuse(
                &second.tokens,
                "the argument is drawn in two ways",
                "keep one of `#[strategy(..)]` and `#[arbitrary]`",
            ));
        }
        [only] if only.is("arbitrary") && only.is_bare() => InputFrom::Arbitrary,
        [only] if only.is("arbitrary") => {
            return Err(refuse(
                &only.tokens,
                "`#[arbitrary]` takes nothing, since the type says how it is drawn",
                "write `#[arbitrary]` alone, or `#[strategy(..)]` with a strategy of proptest",
            ));
        }
        [only] => match &only.given {
            Some(given) if is_expression(given) => InputFrom::Strategy(given.clone()),
            _ => {
                return Err(refuse(
                    &only.tokens,
                    "`#[strategy]` does not say which strategy",
                    "write an expression in parentheses, such as `#[strategy(0..100)]`",
                ));
            }
        },
    };
    if is_lent(&ty) {
        return Err(refuse(
            &ty,
            "the generator must be the first argument",
            "write `rng: &mut TestRng` before the inputs",
        ));
    }
    if is_sign(ty.first(), '&') || is_word(ty.first(), "impl") {
        return Err(refuse(
            &ty,
            format!("an input is passed by value, but its type is `{}`", shown(&ty)),
            "use an owned type such as `Vec<u8>`, and borrow it in the body",
        ));
    }
    Ok(Input { name: argument.name(), ty, from })
}

/// Refuses an input without the feature that draws it.
fn check_feature(input: &Input) -> Result<()> {
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

/// Refuses functions that probtest cannot execute.
pub fn check(function: &mut Function, settings: &Settings, problems: &mut Problems) {
    for attribute in &function.attributes {
        attribute.check(problems);
    }
    let signature = &function.signature;
    let waits = signature.modifier("async");
    let is_generic = signature.generics.len() > 2;
    problems.refuse(
        signature.modifier("const"),
        "the function is `const`, but an execution draws random numbers",
        "remove `const`",
    );
    problems.refuse(
        signature.modifier("unsafe"),
        "the function is `unsafe`, but probtest cannot uphold its safety contract",
        "remove `unsafe` and put an `unsafe` block into the body",
    );
    problems.refuse(
        signature.modifier("extern"),
        "the function is `extern`, but only probtest calls it",
        "remove `extern`",
    );
    problems.refuse(
        if cfg!(feature = "tokio") { &[] } else { waits },
        "async fn needs probtest's feature `tokio`: probtest = { .., features = [\"tokio\"] }",
        "enable the feature in Cargo.toml, or remove `async`",
    );
    problems.refuse(
        if waits.is_empty() { &settings.concurrency } else { &[] },
        "`concurrency` needs an `async fn`, and this function is not async",
        "write `async fn`, or leave out `concurrency`; use `jobs` for threads",
    );
    problems.refuse(
        if is_generic { &signature.generics } else { &[] },
        "the function is generic, but the test harness calls it without type arguments",
        "remove the `<..>`; to take any generator, write `rng: &mut impl Rng`",
    );
    problems.refuse(
        signature.receiver().map_or(&[], |receiver| &receiver.tokens),
        "the function takes `self`, but there is no value to call it on",
        "move the function out of its `impl` or `trait`, and write `rng: &mut TestRng`",
    );
    if let Some(argument) = function.generator().filter(|argument| !is_lent(&argument.ty)) {
        let (name, given) = (shown(&argument.pattern), shown(&argument.ty));
        let owned = given.trim_start_matches('&');
        problems.refuse(
            &argument.ty,
            format!("the argument's type is `{given}`, but each execution borrows the generator as `&mut`"),
            format!("write `{name}: &mut {owned}`"),
        );
    }
    if let Some(returned) = silent_type(&signature.output).filter(|_| settings.lists_outcomes) {
        problems.refuse(
            slice::from_ref(&signature.name),
            format!("the function returns {returned}, but `outcomes` needs to know which outcome each execution had"),
            "return the number of the outcome, as `-> usize`, or `-> Option<usize>` if some are not listed",
        );
    }
    function.refused.drain(..).for_each(|problem| problems.push(problem));
}

/// What a function returns that says nothing of outcomes, in words.
fn silent_type(output: &[TokenTree]) -> Option<&'static str> {
    match &*shown(output) {
        "" | "()" => Some("nothing"),
        "bool" => Some("`bool`"),
        _ => None,
    }
}

/// Whether this is `&mut`.
fn is_lent(ty: &[TokenTree]) -> bool {
    Reference::parse(&bare(ty)).is_some_and(|reference| reference.is_mutable)
}

/// Whether this is written `&mut TestRng`, perhaps with a path.
pub fn is_test_rng(ty: &[TokenTree]) -> bool {
    let reference = Reference::parse(ty).filter(|reference| !reference.has_lifetime);
    let segment = reference.and_then(|reference| last_segment(&reference.ty));
    segment.is_some_and(|(name, is_plain)| name == "TestRng" && is_plain)
}

/// The type below parentheses and a macro's invisible ones.
fn bare(ty: &[TokenTree]) -> Tokens {
    let [token] = ty else {
        return ty.to_vec();
    };
    // With a comma it is a tuple.
    let is_one =
        |inside: &Tokens| separated(inside).first().is_some_and(|one| one.len() == inside.len());
    let parenthesized = inside(Some(token), Delimiter::Parenthesis).filter(is_one);
    match inside(Some(token), Delimiter::None).or(parenthesized) {
        Some(inside) => bare(&inside),
        None => ty.to_vec(),
    }
}
