//! The operations that a test may use on a list, and the eight bugs of the paper, as wrappers
//! around a correct list.

use std::fmt;

use rand::Rng;

use super::{Key, Parameters, SkipList};

/// One of the eight bugs, with the numbers of the paper. If its text and its results differ, these
/// are the triggers that reproduce the results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bug {
    /// 1: a key whose highest node is on level M isn't deleted.
    DeleteLeavesTheTop,
    /// 2: a key raised to level 3 or above gets a node below level 1.
    BottomPointsBelow,
    /// 3: level M is dropped when an insertion leaves two or more nodes on it.
    TopLevelIsDropped,
    /// 4: a search that ends above level 1, on a level of two or more nodes, decrements the key of
    /// the node found.
    SearchCountsKeyDown,
    /// 5: the level of a key on level M is 0 if level M has three or more nodes.
    LevelOfTopIsZero,
    /// 6: if an insertion leaves three or more nodes, all of the same level, all are raised once
    /// more, and further as the coin decides.
    EqualLevelsAreRaised,
    /// 7: a search that ends on level M, with four or more nodes, returns the next node.
    SearchReturnsTheNext,
    /// 8: a search that ends above level 1 at the first node of its level, in a
    /// list of four or more, returns nothing.
    SearchMissesTheFirst,
}

impl Bug {
    pub const ALL: [Bug; 8] = [
        Bug::DeleteLeavesTheTop,
        Bug::BottomPointsBelow,
        Bug::TopLevelIsDropped,
        Bug::SearchCountsKeyDown,
        Bug::LevelOfTopIsZero,
        Bug::EqualLevelsAreRaised,
        Bug::SearchReturnsTheNext,
        Bug::SearchMissesTheFirst,
    ];

    /// The number in the paper, from 1.
    pub fn number(self) -> u32 {
        self as u32 + 1
    }

    /// How many insertions the bug needs to show.
    pub fn insertions(self) -> u32 {
        self as u32 / 2 + 1
    }
}

impl fmt::Display for Bug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Bug::DeleteLeavesTheTop => "delete leaves a key of the top level",
            Bug::BottomPointsBelow => "raising to level 3 hangs a node below level 1",
            Bug::TopLevelIsDropped => "two nodes on the top level, and it is dropped",
            Bug::SearchCountsKeyDown => "search counts a raised key down",
            Bug::LevelOfTopIsZero => "three nodes on the top level have level 0",
            Bug::EqualLevelsAreRaised => "three nodes of one level are raised again",
            Bug::SearchReturnsTheNext => "four nodes on the top level, and search returns the next",
            Bug::SearchMissesTheFirst => "search misses the first raised node of four",
        })
    }
}

/// A skip list under test: four operations that may go wrong, and the list itself to inspect.
#[derive(Clone, Debug)]
pub struct Subject {
    list: SkipList,
    bug: Option<Bug>,
}

impl Subject {
    pub fn new(bug: Option<Bug>, parameters: Parameters) -> Self {
        Subject { list: SkipList::new(parameters), bug }
    }

    pub fn list(&self) -> &SkipList {
        &self.list
    }

    /// Level M, from 1.
    fn top(&self) -> usize {
        self.list.parameters().levels
    }

    fn nodes_on(&self, level: usize) -> usize {
        self.list.level(level).count()
    }

    /// Whether there are three or more keys, all on the same level.
    fn levels_are_equal(&self) -> bool {
        let mut levels = self.list.keys().map(|key| self.list.level_of(key));
        let first = levels.next();
        self.list.len() >= 3 && levels.all(|level| Some(level) == first)
    }

    pub fn insert(&mut self, key: Key, rng: &mut dyn Rng) {
        let before = self.list.len();
        self.list.insert(key, rng);
        match self.bug.filter(|_| self.list.len() > before) {
            Some(Bug::BottomPointsBelow) if self.list.level_of(key) >= Some(3) => {
                self.list.hang_below_bottom(key);
            }
            Some(Bug::TopLevelIsDropped) if self.nodes_on(self.top()) >= 2 => {
                self.list.drop_top_level();
            }
            Some(Bug::EqualLevelsAreRaised) if self.levels_are_equal() => {
                let keys: Vec<Key> = self.list.keys().collect();
                for key in keys {
                    self.list.raise_again(key, rng);
                }
            }
            _ => {}
        }
    }

    pub fn delete(&mut self, key: Key) {
        let on_top = self.list.level_of(key) == Some(self.top());
        if !(self.bug == Some(Bug::DeleteLeavesTheTop) && on_top) {
            self.list.delete(key);
        }
    }

    /// Searches for a key, and returns the key of the node found. In a list with a bug, a search
    /// may change it.
    pub fn search(&mut self, key: Key) -> Option<Key> {
        let found = self.list.search(key)?;
        let Some(bug) = self.bug else {
            return Some(found.key());
        };
        let level = self.list.level_of(key)?;
        let on_level = || self.nodes_on(level);
        let is_first = || self.list.level(level).next().is_some_and(|first| first.is(&found));
        match bug {
            Bug::SearchCountsKeyDown if level > 1 && on_level() >= 2 => {
                self.list.count_key_down(key);
                Some(key - 1)
            }
            Bug::SearchReturnsTheNext if level == self.top() && on_level() >= 4 => {
                found.next().map(|next| next.key())
            }
            Bug::SearchMissesTheFirst if level > 1 && self.list.len() >= 4 && is_first() => None,
            _ => Some(found.key()),
        }
    }

    /// The highest level that contains a key; the bottom is level 1.
    pub fn level_of(&self, key: Key) -> Option<usize> {
        let level = self.list.level_of(key)?;
        let broken = self.bug == Some(Bug::LevelOfTopIsZero);
        let is_zero = broken && level == self.top() && self.nodes_on(level) >= 3;
        Some(if is_zero { 0 } else { level })
    }
}
