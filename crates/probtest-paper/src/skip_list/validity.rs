//! The six rules that make a structure of nodes a skip list.

use super::{Key, NodeRef, SkipList};

/// Whether a list keeps a rule. The keys are those that were inserted and not deleted since; the
/// list may contain others.
type Holds = fn(&SkipList, &[Key]) -> bool;

const RULES: [(&str, Holds); 6] = [
    ("there are at most M levels", |list, _| list.height() <= list.parameters().levels),
    ("each level is a part of the level below", |list, _| {
        above_bottom(list).all(|(level, node)| with_key(list, level - 1, node.key()).is_some())
    }),
    // Strictly, since a list contains a key once.
    ("each level is ordered", |list, _| {
        (1..=list.height()).all(|level| list.level(level).is_sorted_by(|a, b| a.key() < b.key()))
    }),
    ("all inserted keys are on level 1", |list, inserted| {
        inserted.iter().all(|&key| with_key(list, 1, key).is_some())
    }),
    ("no node of level 1 points to a node below", |list, _| {
        list.level(1).all(|node| node.lower().is_none())
    }),
    ("a node above level 1 points to the node of its key on the level below", |list, _| {
        above_bottom(list).all(|(level, node)| {
            let below = with_key(list, level - 1, node.key());
            below.is_none_or(|below| node.lower().is_some_and(|lower| below.is(&lower)))
        })
    }),
];

/// Fails with the first rule that a list breaks.
///
/// The rules are checked on the levels themselves, node by node, without trusting the list's
/// operations.
pub fn check(list: &SkipList, inserted: &[Key]) -> Result<(), &'static str> {
    let broken = RULES.iter().find(|(_, holds)| !holds(list, inserted));
    broken.map_or(Ok(()), |(rule, _)| Err(rule))
}

/// The nodes above level 1, each with its level.
fn above_bottom(list: &SkipList) -> impl Iterator<Item = (usize, NodeRef<'_>)> {
    (2..=list.height()).flat_map(|level| list.level(level).map(move |node| (level, node)))
}

fn with_key(list: &SkipList, level: usize, key: Key) -> Option<NodeRef<'_>> {
    list.level(level).find(|node| node.key() == key)
}
