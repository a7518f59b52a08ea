//! One table of options: whatever takes one, or tells of one, has exactly its rows.
//!
//! A new option is a row, a method of the builder, and a line in the pages of its doors.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use probtest::settings::{Given, OPTIONS, Origin, Spec};
use syn::{ImplItem, Item, Visibility};

type Names = BTreeSet<String>;

fn read(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    fs::read_to_string(root.join(path)).unwrap()
}

/// The names of the options for which this holds, each written by a rule.
fn options(of: impl Fn(&Spec) -> bool, written: impl Fn(&Spec) -> String) -> Names {
    OPTIONS
        .iter()
        .filter(|spec| of(spec))
        .map(written)
        .collect()
}

fn names(of: impl Fn(&Spec) -> bool) -> Names {
    options(of, |spec| spec.name.to_owned())
}

fn with(mut names: Names, others: &[&str]) -> Names {
    names.extend(others.iter().map(|name| (*name).to_owned()));
    names
}

/// The words in backquotes that begin the rows of the table under this head.
fn rows(text: &str, head: &str) -> Names {
    let (_, table) = text.split_once(head).expect(head);
    let lines = table.lines().map(|line| line.trim_start_matches("/// "));
    let rows = lines.skip(1).take_while(|line| line.starts_with('|'));
    let words = rows.filter_map(|row| row.split('`').nth(1));
    words.map(str::to_owned).collect()
}

/// The public methods of the builder.
fn methods() -> Names {
    let file = syn::parse_file(&read("crates/probtest/src/cargo/builder.rs")).unwrap();
    let mut found = Names::new();
    for item in file.items {
        let Item::Impl(block) = item else { continue };
        for item in block.items {
            if let ImplItem::Fn(method) = item
                && matches!(method.vis, Visibility::Public(_))
            {
                found.insert(method.sig.ident.to_string());
            }
        }
    }
    found
}

#[test]
fn the_builder_has_a_method_for_each_option_of_a_test() {
    let own = ["new", "check", "report", "own_randomness", "should_panic"];
    assert_eq!(methods(), with(names(|spec| spec.attribute), &own));
}

#[test]
fn the_pages_of_the_attribute_have_a_row_for_each_option_of_a_test() {
    let expected = with(names(|spec| spec.attribute), &["crate"]);
    let page = rows(&read("docs/reference/attribute.md"), "| option |");
    assert_eq!(page, expected);
    let documented = rows(&read("crates/probtest-macros/src/lib.rs"), "| option |");
    assert_eq!(documented, expected);
}

#[test]
fn the_page_of_the_environment_has_a_row_for_each_variable() {
    let expected = options(
        |spec| spec.variable.is_some(),
        |spec| spec.variable.unwrap().to_owned(),
    );
    let page = rows(&read("docs/reference/environment.md"), "| variable |");
    assert_eq!(page, expected);
    // Every other page names only variables that there are.
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference");
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        for part in text.split("PROBTEST_").skip(1) {
            let end = part.find(|c: char| !c.is_ascii_uppercase() && c != '_');
            let name = &part[..end.unwrap_or(part.len())];
            let known = name.is_empty() || expected.contains(&format!("PROBTEST_{name}"));
            assert!(known, "{} names PROBTEST_{name}", path.display());
        }
    }
}

#[test]
fn the_page_of_the_command_has_each_of_its_flags() {
    let page = read("docs/reference/command.md");
    for spec in OPTIONS.iter().filter(|spec| spec.command) {
        let flag = format!("`--{}", spec.name.replace('_', "-"));
        assert!(page.contains(&flag), "command.md lacks {flag}");
    }
}

#[test]
fn the_page_of_pytest_has_each_of_its_flags_and_marks() {
    let page = read("docs/reference/pytest.md");
    for spec in OPTIONS {
        let flag = format!("`--probtest-{}", spec.name.replace('_', "-"));
        assert!(
            !spec.pytest || page.contains(&flag),
            "pytest.md lacks {flag}"
        );
        let mark = format!("`{}", spec.name);
        assert!(
            !spec.marker || page.contains(&mark),
            "pytest.md lacks {mark}"
        );
    }
}

#[test]
fn of_p_and_outcomes_the_place_that_wins_decides_and_one_place_cannot_give_both() {
    let given = |values: &[(&str, Origin, &str)]| {
        let mut given = Given::default();
        for (name, origin, text) in values {
            given.read(name, origin.clone(), text);
        }
        given.claim()
    };
    let (flag, key) = (Origin::Flag("--x".into()), Origin::Key("x".into()));
    let claim = given(&[
        ("p", key.clone(), "0.01"),
        ("outcomes", flag.clone(), "1/2 x 2"),
    ]);
    assert_eq!(claim.unwrap().kind(), "cover");
    let claim = given(&[("p", flag.clone(), "0.01"), ("outcomes", key, "1/2 x 2")]);
    assert_eq!(claim.unwrap().kind(), "detect");
    let error = given(&[("p", flag.clone(), "0.01"), ("outcomes", flag, "1/2 x 2")]).unwrap_err();
    assert_eq!(error.what(), "the test gives both p and outcomes");
}
