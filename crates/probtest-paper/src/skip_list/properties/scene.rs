//! What a property starts from, and how it says that it is broken.

use std::fmt;

use rand::Rng;

use crate::skip_list::{Key, Subject};

/// An empty list to start from, the keys of the suite run, and the randomness of
/// one execution.
pub struct Scene<'a, S> {
    empty: &'a S,
    keys: &'a [Key],
    rng: &'a mut dyn Rng,
}

impl<'a, S: Subject> Scene<'a, S> {
    /// Sets the scene for one execution.
    ///
    /// # Panics
    ///
    /// When there is no key.
    pub fn new(empty: &'a S, keys: &'a [Key], rng: &'a mut dyn Rng) -> Self {
        assert!(!keys.is_empty(), "a property needs at least one key");
        Scene { empty, keys, rng }
    }

    /// All keys, in the order in which they are inserted.
    pub(super) fn keys(&self) -> &'a [Key] {
        self.keys
    }

    /// The key inserted first.
    pub(super) fn first(&self) -> Key {
        self.keys[0]
    }

    /// The key inserted last.
    pub(super) fn last(&self) -> Key {
        self.keys[self.keys.len() - 1]
    }

    /// All keys but the last.
    pub(super) fn but_last(&self) -> &'a [Key] {
        &self.keys[..self.keys.len() - 1]
    }

    /// All keys but the first and the last.
    pub(super) fn between(&self) -> &'a [Key] {
        self.but_last().get(1..).unwrap_or_default()
    }

    /// Inserts into a list.
    pub(super) fn insert(&mut self, list: &mut S, key: Key) {
        list.insert(key, self.rng);
    }

    /// Builds a list by inserting keys one after the other.
    pub(super) fn list_of(&mut self, keys: &[Key]) -> S {
        let mut list = self.empty.clone();
        for &key in keys {
            list.insert(key, self.rng);
        }
        list
    }
}

/// Says what is broken, with the lists that show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken(String);

impl Broken {
    /// Says what is broken in one list.
    pub(super) fn list<S: Subject>(what: impl fmt::Display, list: &S) -> Self {
        Broken(format!("{what}\n{}", list.list()))
    }

    /// Says what is broken between two lists.
    pub(super) fn lists<S: Subject>(what: impl fmt::Display, one: &S, two: &S) -> Self {
        Broken(format!("{what}\n{}\nand\n{}", one.list(), two.list()))
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Broken {}
