//! The six rules that make a structure of nodes a skip list.

use std::fmt;

use super::{Key, NodeRef, SkipList};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    AtMostMLevels,
    PartOfTheLevelBelow,
    Ordered,
    AllOnTheBottom,
    NothingBelowTheBottom,
    PointsToTheLevelBelow,
}

impl Rule {
    pub const ALL: [Rule; 6] = [
        Rule::AtMostMLevels,
        Rule::PartOfTheLevelBelow,
        Rule::Ordered,
        Rule::AllOnTheBottom,
        Rule::NothingBelowTheBottom,
        Rule::PointsToTheLevelBelow,
    ];

    /// Says whether a list keeps this rule. `inserted` are the keys that were
    /// inserted and not deleted since; the list may hold others.
    pub fn holds(self, list: &SkipList, inserted: &[Key]) -> bool {
        let mut above_bottom = 2..=list.height();
        match self {
            Rule::AtMostMLevels => list.height() <= list.parameters().levels,
            Rule::PartOfTheLevelBelow => above_bottom.all(|level| {
                list.level(level).all(|node| with_key(list, level - 1, node.key()).is_some())
            }),
            Rule::Ordered => (1..=list.height()).all(|level| is_rising(list, level)),
            Rule::AllOnTheBottom => inserted.iter().all(|&key| with_key(list, 1, key).is_some()),
            Rule::NothingBelowTheBottom => list.level(1).all(|node| node.lower().is_none()),
            Rule::PointsToTheLevelBelow => above_bottom.all(|level| {
                list.level(level).all(|node| {
                    match (with_key(list, level - 1, node.key()), node.lower()) {
                        (Some(below), Some(lower)) => below.is(&lower),
                        (Some(_), None) => false,
                        (None, _) => true,
                    }
                })
            }),
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Rule::AtMostMLevels => "there are at most M levels",
            Rule::PartOfTheLevelBelow => "each level is a part of the level below",
            Rule::Ordered => "each level is ordered",
            Rule::AllOnTheBottom => "all inserted keys are on level 1",
            Rule::NothingBelowTheBottom => "no node of level 1 points to a node below",
            Rule::PointsToTheLevelBelow => {
                "a node above level 1 points to the node of its key on the level below"
            }
        })
    }
}

/// Fails with the first rule that a list breaks.
///
/// The rules are read off the levels themselves, node by node, and trust none of
/// the list's operations.
pub fn check(list: &SkipList, inserted: &[Key]) -> Result<(), Rule> {
    let broken = Rule::ALL.into_iter().find(|rule| !rule.holds(list, inserted));
    broken.map_or(Ok(()), Err)
}

fn with_key(list: &SkipList, level: usize, key: Key) -> Option<NodeRef<'_>> {
    list.level(level).find(|node| node.key() == key)
}

/// Strictly, since a list holds a key once.
fn is_rising(list: &SkipList, level: usize) -> bool {
    list.level(level).map(|node| node.key()).is_sorted_by(|a, b| a < b)
}
