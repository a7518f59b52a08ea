//! What a test may do to a list, correct or not.

use rand::Rng;

use super::{Key, SkipList};

/// A skip list under test: four operations that may go wrong, and the list
/// itself to look at.
///
/// The tests do not know whether they have the correct [`SkipList`] or a
/// [`super::Buggy`] one before them.
pub trait Subject: Clone + 'static {
    /// Inserts a key.
    fn insert(&mut self, key: Key, rng: &mut dyn Rng);
    /// Deletes a key.
    fn delete(&mut self, key: Key);
    /// Searches a key, and returns the key of the node found. A search of a list
    /// with a bug may change it.
    fn search(&mut self, key: Key) -> Option<Key>;
    /// The highest level that holds a key; the bottom is level 1.
    fn level_of(&self, key: Key) -> Option<usize>;
    /// The list as it is.
    fn list(&self) -> &SkipList;
}

impl Subject for SkipList {
    fn insert(&mut self, key: Key, rng: &mut dyn Rng) {
        SkipList::insert(self, key, rng);
    }

    fn delete(&mut self, key: Key) {
        SkipList::delete(self, key);
    }

    fn search(&mut self, key: Key) -> Option<Key> {
        SkipList::search(self, key).map(|node| node.key())
    }

    fn level_of(&self, key: Key) -> Option<usize> {
        SkipList::level_of(self, key)
    }

    fn list(&self) -> &SkipList {
        self
    }
}
