//! Which test is it?
//!
//! Several packages of a workspace may have tests with one id, and so may several
//! targets of one package. They are told apart by what the files say about the
//! place; where that is nothing, the id is all there is.

use probtest::report::shell_word;
use probtest_facts::TestFacts;

use super::suite::Test;
use super::words::{NAME, one_line};

/// What makes two results those of one test.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Identity {
    /// pytest's id where there is one, else that of probtest.
    pub name: String,
    /// The package, where the file says it.
    pub package: Option<String>,
    /// The target of the package, where the file says it.
    pub target: Option<String>,
}

impl Identity {
    /// The identity of a result.
    pub fn of(facts: &TestFacts) -> Identity {
        let known = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
        Identity {
            name: readable(facts.name()),
            package: known(&facts.package),
            target: known(&facts.target),
        }
    }

    /// All that is known, on one line.
    pub fn full(&self) -> String {
        let place: Vec<&str> = self
            .package
            .iter()
            .chain(&self.target)
            .map(String::as_str)
            .collect();
        match place.as_slice() {
            [] => one_line(&self.name, NAME),
            place => one_line(&format!("{}: {}", place.join(", "), self.name), NAME),
        }
    }
}

/// Finds what has to be said about the place of tests that share a name. The tests
/// are in the order of their identities.
pub fn tell_apart(tests: &mut [Test]) {
    let same = |one: &Test, two: &Test| one.identity().name == two.identity().name;
    for namesakes in tests.chunk_by_mut(same).filter(|chunk| chunk.len() > 1) {
        let packages: Vec<Option<String>> = namesakes
            .iter()
            .map(|test| test.identity().package.clone())
            .collect();
        for test in namesakes {
            let own = test.identity();
            let of_package = packages.iter().filter(|other| **other == own.package);
            let is_alone = of_package.count() == 1;
            let target = own.target.iter().filter(|_| !is_alone);
            let place = own.package.iter().chain(target);
            test.place = place.map(|part| one_line(part, NAME)).collect();
        }
    }
}

/// The words of a command make the id of a test of `probtest run`, each ended by a
/// character that no word has.
fn readable(name: &str) -> String {
    match name.contains('\0') {
        true => name
            .split('\0')
            .map(shell_word)
            .collect::<Vec<_>>()
            .join(" "),
        false => name.to_owned(),
    }
}
