//! The order of the stages: a stage never imports a later one, words about verdicts come only from
//! `report`, and only the front door prints.

use std::fs;
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};
use syn::{File, ItemMod, ItemUse, Macro, UseTree};

/// The modules, each after everything it imports.
const ORDER: [&str; 11] = [
    "math", "seed", "claim", "settings", "plan", "run", "judge", "report", "machine", "audit",
    "cargo",
];

/// A file of this crate, with the path of its module.
struct Source {
    path: PathBuf,
    module: Vec<String>,
    file: File,
}

fn sources() -> Vec<Source> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    let mut folders = vec![folder.clone()];
    while let Some(inside) = folders.pop() {
        for entry in fs::read_dir(inside).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let relative = path.strip_prefix(&folder).unwrap().with_extension("");
            let names = relative.iter().map(|name| name.to_str().unwrap().to_owned());
            let module = names.filter(|name| name != "mod" && name != "lib").collect();
            let file = syn::parse_file(&fs::read_to_string(&path).unwrap()).unwrap();
            found.push(Source { path, module, file });
        }
    }
    found
}

/// Collects every path in a file that leads into this crate, as names from its root.
struct Paths<'a> {
    module: Vec<String>,
    found: &'a mut Vec<Vec<String>>,
}

impl Paths<'_> {
    /// Keeps a path that starts at the crate, here, or above.
    fn keep(&mut self, names: &[String]) {
        let mut place = match names.first().map(String::as_str) {
            Some("crate") => Vec::new(),
            Some("self" | "super") => self.module.clone(),
            _ => return,
        };
        for name in names {
            match name.as_str() {
                "crate" | "self" => {}
                "super" => drop(place.pop()),
                name => place.push(name.to_owned()),
            }
        }
        self.found.push(place);
    }

    fn keep_tree(&mut self, before: &mut Vec<String>, tree: &UseTree) {
        match tree {
            UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.keep_tree(before, &path.tree);
                before.pop();
            }
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.keep_tree(before, tree);
                }
            }
            UseTree::Name(name) => self.keep_last(before, name.ident.to_string()),
            UseTree::Rename(rename) => self.keep_last(before, rename.ident.to_string()),
            UseTree::Glob(_) => self.keep(before),
        }
    }

    fn keep_last(&mut self, before: &[String], name: String) {
        self.keep(&[before, &[name]].concat());
    }
}

impl<'ast> Visit<'ast> for Paths<'_> {
    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        self.keep_tree(&mut Vec::new(), &item.tree);
    }

    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        self.module.push(item.ident.to_string());
        visit::visit_item_mod(self, item);
        self.module.pop();
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names = path.segments.iter().map(|part| part.ident.to_string());
        self.keep(&names.collect::<Vec<_>>());
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast Macro) {
        // The contents aren't parsed as Rust: words are enough.
        let text = call.tokens.to_string().replace(' ', "");
        for inside in text.split("crate::").skip(1) {
            let end = inside.find(|c: char| !c.is_alphanumeric() && c != '_');
            let name = inside[..end.unwrap_or(inside.len())].to_owned();
            self.keep(&["crate".to_owned(), name]);
        }
        visit::visit_macro(self, call);
    }
}

fn paths(module: Vec<String>, file: &File) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let mut paths = Paths { module, found: &mut found };
    paths.visit_file(file);
    found
}

#[test]
fn imports_are_read_as_rust_reads_them() {
    let file = syn::parse_file(
        "use crate::{plan::Plan, judge::{self, Verdict as Answer}};
         use super::super::report::*;
         mod inner { use super::super::cargo; fn f() { let _ = crate::seed::RunSeed(7); } }
         fn g() -> super::Here { vec![crate::run::Record] }",
    );
    let module = vec!["claim".to_owned(), "terms".to_owned()];
    let mut found: Vec<String> =
        paths(module, &file.unwrap()).iter().map(|path| path.join("::")).collect();
    found.sort();
    assert_eq!(
        found,
        [
            "claim::Here",
            "claim::cargo",
            "judge",
            "judge::Verdict",
            "plan::Plan",
            "report",
            "run",
            "seed::RunSeed"
        ]
    );
}

#[test]
fn no_stage_imports_a_later_one() {
    let place = |name: &str| ORDER.iter().position(|stage| *stage == name);
    let mut seen = 0;
    for Source { path, module, file } in sources() {
        let Some(own) = module.first() else {
            continue; // the root of the crate, which names all of them
        };
        let own = place(own).unwrap_or_else(|| panic!("{} has no place", path.display()));
        for import in paths(module, &file) {
            let Some(name) = import.first() else { continue };
            let other = place(name).unwrap_or_else(|| {
                panic!("{} imports {name} by the root of the crate", path.display())
            });
            seen += 1;
            assert!(other <= own, "{} imports the later stage {name}", path.display());
        }
    }
    assert!(seen > 300, "only {seen} imports were looked at");
}

/// The names of all macros and all path segments that a file uses.
struct Words(Vec<String>);

impl<'ast> Visit<'ast> for Words {
    fn visit_ident(&mut self, ident: &'ast syn::Ident) {
        self.0.push(ident.to_string());
    }

    /// The name of a field says nothing about printing.
    fn visit_member(&mut self, _: &'ast syn::Member) {}
}

/// Fails if one of these words is used outside the allowed files.
fn assert_used_only(words: &[&str], allowed: &[&str]) {
    for Source { path, file, .. } in sources() {
        let mut used = Words(Vec::new());
        used.visit_file(&file);
        let found = used.0.iter().find(|word| words.contains(&word.as_str()));
        let allowed = allowed.iter().any(|place| path.to_str().unwrap().contains(place));
        assert!(allowed || found.is_none(), "{} uses {found:?}", path.display());
    }
}

#[test]
fn only_the_terminal_of_the_front_door_prints() {
    let printing = ["print", "println", "eprint", "eprintln", "dbg", "stderr", "stdout"];
    // Code that leaves the process must say so before it is gone.
    assert_used_only(&printing, &["src/cargo/terminal.rs", "src/run/exit_guard.rs"]);
}

#[test]
fn no_random_number_is_made_outside_seed() {
    let random = ["RandomState", "rand", "rand_core", "getrandom"];
    assert_used_only(&random, &["src/seed/"]);
}

#[test]
fn no_file_is_longer_than_it_takes_to_read() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let listed = std::process::Command::new("git")
        .args(["ls-files", "*.rs", "*.py"])
        .current_dir(&root)
        .output();
    // A source archive has no git, so there is nothing to check.
    let Ok(listed) = listed else { return };
    for name in String::from_utf8_lossy(&listed.stdout).lines() {
        let Ok(text) = fs::read_to_string(root.join(name)) else {
            continue;
        };
        let lines = text.lines().count();
        assert!(lines <= 800, "{name} has {lines} lines: give its second job a file");
    }
}
