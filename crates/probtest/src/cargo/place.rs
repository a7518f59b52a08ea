//! Where a test is, for the line that runs it again.
//!
//! A wrong word in that line is worse than a missing one: cargo would run nothing and call that a
//! success. So only what is known is written.

use std::path::Path;
use std::sync::LazyLock;

use crate::report::Invocation;

/// What the attribute knows about a test at compile time.
#[derive(Clone, Copy, Debug)]
pub struct TestPlace {
    /// The crate and the modules.
    pub module: &'static str,
    /// The name as written in Rust, possibly with `r#`.
    pub name: &'static str,
    /// The package; empty if cargo isn't compiling.
    pub package: &'static str,
    /// The binary or example; empty for other targets.
    pub binary: &'static str,
    /// Whether the target is an integration test or a bench.
    pub integration: bool,
    /// Options that are literals, checked by the attribute, and their values as text.
    pub given: &'static [(&'static str, &'static str)],
}

impl TestPlace {
    /// Returns the id: crate, modules and name.
    pub(super) fn id(&self) -> String {
        let name = self.name.strip_prefix("r#").unwrap_or(self.name);
        format!("{}::{name}", self.module)
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Origin {
    /// `None` for a test made with the builder.
    pub(super) place: Option<TestPlace>,
    /// The file, as the compiler names it.
    pub(super) file: &'static str,
}

impl Origin {
    /// How to run the test again. Call this on the thread the test started on, which libtest names
    /// after the test.
    pub(super) fn invocation(&self) -> Invocation {
        let process = Process::this();
        Invocation {
            package: self.package(),
            target: self.target(process),
            test: self.libtest_name(process),
            profile: process.profile.clone(),
            ignored: process.ignored,
            nextest: process.nextest,
        }
    }

    /// Distinguishes this test from one with the same id in another target.
    pub(super) fn key(&self) -> String {
        let process = Process::this();
        let target = self.target(process).join(" ");
        // A library and a binary may share a name, and so may targets of two packages if cargo
        // didn't start them; then the file differs.
        let file = format!("{} {}", process.stem, self.file);
        match self.package() {
            Some(package) if target.is_empty() => format!("{package} {file}"),
            Some(package) => format!("{package} {target}"),
            None => format!(" {file}"),
        }
    }

    pub(super) fn package(&self) -> Option<String> {
        match self.place {
            Some(place) => Some(place.package.to_owned()).filter(|name| !name.is_empty()),
            // Set by cargo and nextest.
            None => std::env::var("CARGO_PKG_NAME").ok(),
        }
    }

    /// The target as people call it, such as `lib` or `test walk`.
    pub(super) fn target_name(&self) -> Option<String> {
        self.target_name_in(Process::this())
    }

    fn target_name_in(&self, process: &Process) -> Option<String> {
        let words = self.target(process).join(" ");
        // The name of the crate, not cargo's pattern.
        let name = words.trim_start_matches('-').replace('?', "_");
        (!name.is_empty()).then_some(name)
    }

    fn libtest_name(&self, process: &Process) -> Option<String> {
        if let Some(place) = self.place {
            // libtest identifies a test by its path without the crate.
            let path = format!("{}::{}", place.module, place.name);
            return path.split_once("::").map(|(_, path)| path.to_owned());
        }
        let thread = std::thread::current();
        let named = || thread.name().filter(|name| *name != "main" && is_path(name));
        let name = process.nextest_name.as_deref().or_else(named);
        name.map(str::to_owned)
    }

    /// The words that choose the target; empty if it isn't known.
    fn target(&self, process: &Process) -> Vec<String> {
        let words = |option: &str, name: &str| vec![option.to_owned(), name.to_owned()];
        let binary = self.place.map(|place| place.binary);
        let binary = binary.filter(|name| !name.is_empty());
        match (process.folder, binary) {
            (Folder::Examples, Some(name)) => words("--example", name),
            (Folder::Examples, None) => words("--example", &any_dash(&process.stem)),
            (Folder::Deps, Some(name)) => words("--bin", name),
            (Folder::Deps, None) if self.place.is_some_and(|place| !place.integration) => {
                vec!["--lib".to_owned()]
            }
            (Folder::Deps, None) => match standard_place(self.file, &process.stem) {
                Some((option, Some(name))) => words(option, name),
                Some((option, None)) if self.place.is_some() => {
                    words(option, &any_dash(&process.stem))
                }
                _ => Vec::new(),
            },
            (Folder::Documentation, _) if self.place.is_none() => vec!["--doc".to_owned()],
            (Folder::Documentation | Folder::Other, _) => Vec::new(),
        }
    }
}

/// Finds `tests/NAME.rs` or `benches/NAME/..` in a path: the option, and the name if it is the
/// target's.
fn standard_place<'a>(file: &'a str, stem: &str) -> Option<(&'static str, Option<&'a str>)> {
    let parts: Vec<&str> = file.split(['/', '\\']).collect();
    let kinds = parts.windows(2).filter_map(|pair| {
        let option = match pair[0] {
            "tests" => "--test",
            "benches" => "--bench",
            _ => return None,
        };
        let name = pair[1].trim_end_matches(".rs");
        Some((option, (name.replace('-', "_") == stem).then_some(name)))
    });
    let kinds: Vec<_> = kinds.collect();
    let named = kinds.iter().find(|(_, name)| name.is_some());
    named.or(kinds.last()).copied()
}

/// Writes a crate's name as a pattern: a target's name may have dashes where the
/// crate's has underscores, and cargo takes patterns.
fn any_dash(stem: &str) -> String {
    stem.replace('_', "?")
}

/// Whether libtest could have given this name to a thread.
fn is_path(name: &str) -> bool {
    name.split("::").all(|part| {
        let part = part.strip_prefix("r#").unwrap_or(part);
        let letters = |c: char| c.is_alphanumeric() || c == '_';
        part.starts_with(|c: char| c.is_alphabetic() || c == '_') && part.chars().all(letters)
    })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Folder {
    /// Libraries, binaries, tests and benches: target/PROFILE/deps.
    Deps,
    /// Examples: target/PROFILE/examples.
    Examples,
    /// A folder made by rustdoc.
    Documentation,
    Other,
}

#[derive(Debug)]
struct Process {
    folder: Folder,
    /// The crate's name, with underscores.
    stem: String,
    profile: Option<String>,
    ignored: bool,
    nextest: bool,
    nextest_name: Option<String>,
}

impl Process {
    fn this() -> &'static Process {
        static THIS: LazyLock<Process> = LazyLock::new(|| {
            let binary = std::env::current_exe().unwrap_or_default();
            let nextest = std::env::var_os("NEXTEST").is_some();
            let named = || std::env::var("NEXTEST_TEST_NAME").ok();
            Process {
                ignored: std::env::args_os()
                    .any(|word| word == "--ignored" || word == "--include-ignored"),
                nextest,
                nextest_name: nextest.then(named).flatten().filter(|name| is_path(name)),
                ..Process::of_binary(&binary)
            }
        });
        &THIS
    }

    fn of_binary(binary: &Path) -> Process {
        let text = |part: Option<&std::ffi::OsStr>| {
            part.map(|part| part.to_string_lossy().into_owned()).unwrap_or_default()
        };
        let stem = text(binary.file_stem());
        let stem = match stem.rsplit_once('-') {
            Some((name, hash)) if hash.len() == 16 => name.to_owned(),
            _ => stem,
        };
        let parent = binary.parent().unwrap_or(Path::new(""));
        let folder = match text(parent.file_name()).as_str() {
            "deps" => Folder::Deps,
            "examples" => Folder::Examples,
            _ if stem.starts_with("rust_out") || stem.starts_with("merged_doctest") => {
                Folder::Documentation
            }
            _ => Folder::Other,
        };
        let profile = matches!(folder, Folder::Deps | Folder::Examples)
            .then(|| text(parent.parent().and_then(Path::file_name)))
            .filter(|profile| profile != "debug");
        Process { folder, stem, profile, ignored: false, nextest: false, nextest_name: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACE: TestPlace = TestPlace {
        module: "a_b",
        name: "x",
        package: "a-b",
        binary: "",
        integration: false,
        given: &[],
    };
    const BIN: TestPlace = TestPlace { binary: "a-b", ..PLACE };
    const INTEGRATION: TestPlace = TestPlace { integration: true, ..PLACE };
    const DEPS: &str = "/t/debug/deps/a_b-0123456789abcdef";
    const EXAMPLE: &str = "/t/debug/examples/a_b-0123456789abcdef";

    #[test]
    fn the_target_is_named_where_it_is_known_and_for_people_without_dashes_and_patterns() {
        let rows = [
            (DEPS, Some(PLACE), "src/lib.rs", "--lib"),
            (DEPS, Some(BIN), "src/main.rs", "--bin a-b"),
            (EXAMPLE, Some(BIN), "examples/a-b.rs", "--example a-b"),
            (DEPS, None, "tests/a_b.rs", "--test a_b"),
            (DEPS, None, "src/tests/walk.rs", ""),
            (DEPS, None, "src/lib.rs", ""),
            (EXAMPLE, None, "examples/a-b.rs", "--example a?b"),
            ("/tmp/rustdoctest1/rust_out", None, "src/lib.rs", "--doc"),
            ("/usr/bin/a_b", None, "tests/a_b.rs", ""),
        ];
        let of_integration = [
            ("tests/a-b.rs", "--test a-b"),
            ("crates/x/tests/a_b/inner.rs", "--test a_b"),
            ("tests/common/mod.rs", "--test a?b"),
            ("x/benches/a_b.rs", "--bench a_b"),
            ("tests/x/benches/a_b.rs", "--bench a_b"),
            ("elsewhere/a_b.rs", ""),
        ];
        let more = of_integration.map(|(file, words)| (DEPS, Some(INTEGRATION), file, words));
        for (binary, place, file, words) in rows.into_iter().chain(more) {
            let process = Process::of_binary(Path::new(binary));
            let origin = Origin { place, file };
            assert_eq!(origin.target(&process).join(" "), words, "{file}");
            let name = words.trim_start_matches('-').replace('?', "_");
            let named = origin.target_name_in(&process).unwrap_or_default();
            assert_eq!(named, name, "{file}");
        }
    }

    #[test]
    fn the_library_and_the_binary_of_a_package_have_files_of_their_own() {
        let key = |place, file| Origin { place, file }.key();
        assert_ne!(key(Some(PLACE), "src/lib.rs"), key(Some(BIN), "src/main.rs"));
        assert_ne!(key(None, "src/lib.rs"), key(None, "src/main.rs"));
        assert_eq!(key(Some(BIN), "src/main.rs"), key(Some(BIN), "src/x.rs"));
    }

    #[test]
    fn profiles_are_read_from_the_folder() {
        let profile = |binary| Process::of_binary(Path::new(binary)).profile;
        assert_eq!(profile("/t/debug/deps/a-0123456789abcdef"), None);
        assert_eq!(profile("/t/ci/examples/a").as_deref(), Some("ci"));
        assert_eq!(profile("/usr/bin/a"), None);
    }

    #[test]
    fn only_what_looks_like_a_path_is_taken_for_a_test_of_libtest() {
        for name in ["walk", "a::b", "r#type::r#match", "_x::ä1"] {
            assert!(is_path(name), "{name}");
        }
        for name in ["", "a b", "a::", "1", "probtest-1", "$(x)", "a:b", "r#"] {
            assert!(!is_path(name), "{name}");
        }
    }
}
