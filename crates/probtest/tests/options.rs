//! One table of options: everything that takes or describes options has exactly its rows.
//!
//! A new option is a row and a method of the builder; the page of options is written from the rows.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use probtest::settings::{Given, GivenBy, OPTIONS, Spec, Wins};
use syn::{ImplItem, Item, Visibility};

type Names = BTreeSet<String>;

const PAGE: &str = "docs/reference/options.md";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap()
}

/// The names of the options for which this holds.
fn names(of: impl Fn(&Spec) -> bool) -> Names {
    let specs = OPTIONS.iter().filter(|spec| of(spec));
    specs.map(|spec| spec.name.to_owned()).collect()
}

fn with(mut names: Names, others: &[&str]) -> Names {
    names.extend(others.iter().map(|name| (*name).to_owned()));
    names
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
    let own =
        ["new", "check", "check_both", "report", "report_both", "own_randomness", "should_panic"];
    assert_eq!(methods(), with(names(|spec| spec.attribute), &own));
}

/// The table on the options page.
fn table() -> String {
    let rows = OPTIONS.iter().map(|spec| {
        let places = [
            (spec.attribute, "attribute"),
            (spec.marker, "marker"),
            (spec.pytest, "pytest"),
            (spec.command, "`run`"),
        ];
        let mut given: Vec<String> = places
            .iter()
            .filter(|(takes, _)| *takes)
            .map(|(_, place)| (*place).to_owned())
            .collect();
        given.extend(spec.variable.map(|variable| format!("`{variable}`")));
        let of_test = spec.attribute || spec.marker;
        let of_run = spec.pytest || spec.variable.is_some();
        let wins = match spec.wins {
            _ if !of_test || !of_run => "",
            Wins::Test => "the test",
            Wins::Run => "the run",
            Wins::Smaller => "the smaller one",
        };
        let (name, help, given) = (spec.name, spec.help, given.join(", "));
        format!("| `{name}` | {help} | {given} | {wins} |\n")
    });
    rows.collect()
}

#[test]
fn the_page_of_options_has_the_table_and_other_pages_name_only_variables_that_there_are() {
    const HEAD: &str = "| option | meaning | given by | who wins |\n|---|---|---|---|\n";
    let page = read(PAGE);
    let (before, after) = page.split_once(HEAD).expect(HEAD);
    let (_, after) = after.split_once("\n\"Who").expect("what follows the table");
    let expected = format!("{before}{HEAD}{}\n\"Who{after}", table());
    if std::env::var_os("PROBTEST_WRITE").is_some() {
        fs::write(root().join(PAGE), &expected).unwrap();
    } else {
        let how = "PROBTEST_WRITE=1 cargo test -p probtest --test library options writes the table";
        assert!(page == expected, "{PAGE} is not that of the options; {how}");
    }
    for entry in fs::read_dir(root().join("docs/reference")).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        for part in text.split("PROBTEST_").skip(1) {
            let end = part.find(|c: char| !c.is_ascii_uppercase() && c != '_');
            let name = format!("PROBTEST_{}", &part[..end.unwrap_or(part.len())]);
            let known = ["PROBTEST_", "PROBTEST_WRITE"].contains(&name.as_str());
            let known = known || OPTIONS.iter().any(|spec| spec.variable == Some(&name));
            assert!(known, "{} names {name}", path.display());
        }
    }
}

#[test]
fn of_p_and_outcomes_the_place_that_wins_decides_and_one_place_cannot_give_both() {
    let given = |values: &[(&str, GivenBy, &str)]| {
        let mut given = Given::default();
        for (name, origin, text) in values {
            given.read(name, origin.clone(), text);
        }
        given.claim()
    };
    let (flag, key) = (GivenBy::Flag("--x".into()), GivenBy::Key("x".into()));
    let claim = given(&[("p", key.clone(), "0.01"), ("outcomes", flag.clone(), "1/2 x 2")]);
    assert_eq!(claim.unwrap().kind(), "cover");
    let claim = given(&[("p", flag.clone(), "0.01"), ("outcomes", key, "1/2 x 2")]);
    assert_eq!(claim.unwrap().kind(), "detect");
    let error = given(&[("p", flag.clone(), "0.01"), ("outcomes", flag, "1/2 x 2")]).unwrap_err();
    assert_eq!(error.what(), "the test gives both p and outcomes");
}
