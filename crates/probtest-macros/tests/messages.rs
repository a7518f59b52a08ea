//! No message without a recorded case, and no message from elsewhere.

#[allow(dead_code, reason = "the numbers are for the attribute")]
#[path = "../src/literal.rs"]
mod literal;

use literal::Constant;
use proc_macro2::{TokenStream, TokenTree};
use std::fs;
use std::path::{Path, PathBuf};

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn files(folder: &str, ending: &str) -> Vec<(PathBuf, String)> {
    let entries = fs::read_dir(here().join(folder)).expect(folder);
    let mut files: Vec<(PathBuf, String)> = entries
        .map(|entry| entry.expect(folder).path())
        .filter(|path| path.to_string_lossy().ends_with(ending))
        .map(|path| (path.clone(), fs::read_to_string(path).expect("readable")))
        .collect();
    files.sort();
    files
}

/// All texts that are arguments of `refuse(..)`, which makes the errors.
fn messages(tokens: TokenStream, found: &mut Vec<String>) {
    let mut is_refused = false;
    for token in tokens {
        match token {
            TokenTree::Ident(word) => is_refused = word == "refuse",
            TokenTree::Group(group) if is_refused => {
                texts(group.stream(), found);
                is_refused = false;
            }
            TokenTree::Group(group) => messages(group.stream(), found),
            _ => is_refused = false,
        }
    }
}

fn texts(tokens: TokenStream, found: &mut Vec<String>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => texts(group.stream(), found),
            TokenTree::Literal(literal) => {
                if let Constant::Text(text) = literal::read(&literal.to_string()) {
                    found.push(text);
                }
            }
            _ => {}
        }
    }
}

/// The fixed parts of a format string.
fn fixed_parts(format: &str) -> Vec<String> {
    // Doubled braces are literal ones; no message needs a control character.
    let protected = format.replace("{{", "\u{1}").replace("}}", "\u{2}");
    let parts = protected.split('{').enumerate().map(|(index, part)| {
        let fixed =
            if index == 0 { part } else { part.split_once('}').map_or(part, |(_, rest)| rest) };
        fixed.replace('\u{1}', "{").replace('\u{2}', "}")
    });
    parts.collect()
}

/// Whether some line (messages are shown line by line) has all parts in order.
fn is_shown(format: &str, recorded: &[(PathBuf, String)]) -> bool {
    format.lines().all(|line| {
        let parts = fixed_parts(line);
        recorded.iter().flat_map(|(_, text)| text.lines()).any(|shown| {
            let mut rest = shown;
            parts.iter().all(|part| match rest.find(part.trim_start()) {
                Some(at) => {
                    rest = &rest[at + part.trim_start().len()..];
                    true
                }
                None => false,
            })
        })
    })
}

fn recorded() -> Vec<(PathBuf, String)> {
    let mut all = files("../probtest/tests/ui", ".stderr");
    all.extend(files("../probtest/tests/ui_without_tokio", ".stderr"));
    all.extend(files("../probtest/tests/ui_without_inputs", ".stderr"));
    all.extend(files("../probtest/tests/ui_with_shuttle", ".stderr"));
    all.extend(files("../probtest/tests/ui_without_shuttle", ".stderr"));
    all
}

#[test]
fn every_message_has_a_recorded_case() {
    let recorded = recorded();
    let mut all = Vec::new();
    for (_, source) in files("src", ".rs") {
        messages(source.parse().expect("Rust"), &mut all);
    }
    assert!(all.len() > 50, "only {} messages were found", all.len());
    for message in all {
        assert!(
            is_shown(&message, &recorded),
            "no crates/probtest/tests/ui/*.stderr shows {message:?}: add a case"
        );
    }
}

#[test]
fn a_message_without_a_case_is_noticed() {
    let mut found = Vec::new();
    let call = "Err(refuse(value, format!(\"`{name}` is purple\"), \"paint it\"))";
    messages(call.parse().expect("Rust"), &mut found);
    assert_eq!(found, ["`{name}` is purple", "paint it"]);
    assert!(!is_shown(&found[0], &recorded()));
    assert!(is_shown("`{name}` has no value", &recorded()));
}

#[test]
fn only_one_file_makes_errors() {
    for (path, source) in files("src", ".rs") {
        let makes_errors = source.contains("compile_error!");
        let is_the_place = path.ends_with("src/problems.rs");
        assert_eq!(makes_errors, is_the_place, "{}", path.display());
    }
}

#[test]
fn every_case_has_its_record() {
    for folder in [
        "../probtest/tests/ui",
        "../probtest/tests/ui_without_tokio",
        "../probtest/tests/ui_without_inputs",
    ] {
        for (path, _) in files(folder, ".rs") {
            assert!(path.with_extension("stderr").exists(), "{} has no record", path.display());
        }
        for (path, _) in files(folder, ".stderr") {
            assert!(path.with_extension("rs").exists(), "{} has no case", path.display());
        }
    }
}
