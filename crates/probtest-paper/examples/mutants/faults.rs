//! The seeded faults: what is changed, and who finds it.

/// How a fault ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// The 26 properties find it.
    Killed,
    /// They do not, but the other tests of the list do.
    Others,
    /// No test finds it.
    Survives,
}

/// What is wrong, the text of the list that is replaced, by what, and how that ends.
pub type Fault = (&'static str, &'static str, &'static str, Fate);

use Fate::{Killed, Others};

const FIND: &str = "\
            if let Some(node) = self.after(place).filter(|&node| self.key(node) == key) {
                return Some((place.level, node));";
const DELETE: &str = "\
            if let Some(node) = self.after(place).filter(|&node| self.key(node) == key) {
                let next";

/// Operators, constants, conditions and statements of every operation.
pub const FAULTS: [Fault; 48] = [
    // Insertion.
    (
        "insert: a key that is there is inserted again",
        ".is_some_and(|node| self.key(node) == key)",
        ".is_some_and(|node| self.key(node) == key && false)",
        Killed,
    ),
    (
        "insert: nothing before a larger key",
        ".is_some_and(|node| self.key(node) == key)",
        ".is_some_and(|node| self.key(node) >= key)",
        Killed,
    ),
    (
        "insert: a key that is there again, and nothing before others",
        ".is_some_and(|node| self.key(node) == key)",
        ".is_some_and(|node| self.key(node) != key)",
        Killed,
    ),
    (
        "insert: into an empty list only",
        "        let top = self.link(before[0], key, None);",
        "        if self.len > 0 {\n            return;\n        }\n        let top = self.link(before[0], key, None);",
        Killed,
    ),
    (
        "insert: nothing is ever inserted",
        "        let top = self.link(before[0], key, None);",
        "        if key == key {\n            return;\n        }\n        let top = self.link(before[0], key, None);",
        Killed,
    ),
    (
        "insert: the key plus one",
        "self.link(before[0], key, None)",
        "self.link(before[0], key + 1, None)",
        Killed,
    ),
    (
        "insert: on the level above the bottom's place",
        "self.link(before[0], key, None)",
        "self.link(before[before.len() - 1], key, None)",
        Killed,
    ),
    ("insert: the length stays", "        self.len += 1;\n", "", Killed),
    (
        "insert: the coin is never tossed",
        "        self.climb(tower, rng);\n    }\n\n    /// Deletes",
        "        let _ = (tower, rng);\n    }\n\n    /// Deletes",
        Others,
    ),
    // Raising.
    (
        "climb: one level too many",
        "while tower.level + 1 < self.parameters.levels &&",
        "while tower.level < self.parameters.levels &&",
        Killed,
    ),
    (
        "climb: one level too few",
        "while tower.level + 1 < self.parameters.levels &&",
        "while tower.level + 2 < self.parameters.levels &&",
        Others,
    ),
    (
        "climb: no limit",
        "while tower.level + 1 < self.parameters.levels && self",
        "while tower.level < 5 && self",
        Killed,
    ),
    (
        "climb: always to the top",
        "&& self.parameters.toss(rng)",
        "&& (self.parameters.toss(rng) || true)",
        Others,
    ),
    (
        "climb: tails raises",
        "&& self.parameters.toss(rng)",
        "&& !self.parameters.toss(rng)",
        Others,
    ),
    (
        "climb: one toss decides",
        "            self.raise(&mut tower);\n        }\n    }\n\n    /// Raises by one level.",
        "            self.raise(&mut tower);\n            break;\n        }\n    }\n\n    /// Raises by one level.",
        Others,
    ),
    (
        "raise: no pointer to the node below",
        "tower.key, Some(tower.top));",
        "tower.key, None);",
        Killed,
    ),
    (
        "raise: the pointer always leads to the bottom",
        "        tower.top = self.link(tower.before[tower.level], tower.key, Some(tower.top));",
        "        self.link(tower.before[tower.level], tower.key, Some(tower.top));",
        Killed,
    ),
    (
        "raise: behind the place of the level below",
        "self.link(tower.before[tower.level],",
        "self.link(tower.before[tower.level - 1],",
        Killed,
    ),
    (
        "raise: the key minus one",
        "tower.before[tower.level], tower.key,",
        "tower.before[tower.level], tower.key - 1,",
        Killed,
    ),
    (
        "raise: at the head of the level",
        "self.link(tower.before[tower.level],",
        "self.link(ListPosition { level: tower.level, node: None },",
        Killed,
    ),
    // Linking and the arena.
    (
        "link: what comes behind is lost",
        "        let next = self.after(place);\n",
        "        let next = None;\n",
        Killed,
    ),
    (
        "link: no pointer to the new node",
        "        *self.pointer(place) = Some(id);\n        id\n",
        "        let _ = self.pointer(place);\n        id\n",
        Killed,
    ),
    (
        "arena: a free place is given twice",
        "            self.free = self.node(id).next;\n",
        "",
        Others,
    ),
    (
        "arena: a free place is left as it was",
        "            self.nodes[id.0 as usize] = node;\n            return id;",
        "            return id;",
        Killed,
    ),
    ("arena: free places are never used again", "        self.free = Some(id);\n", "", Others),
    (
        "arena: only the last free place is kept",
        "        self.nodes[id.0 as usize].next = self.free;\n",
        "        self.nodes[id.0 as usize].next = None;\n",
        Others,
    ),
    // Deletion.
    (
        "delete: nothing is ever deleted",
        DELETE,
        "\
            if let Some(node) = self.after(place).filter(|&node| self.key(node) == key && false) {
                let next",
        Killed,
    ),
    (
        "delete: the next larger key goes",
        DELETE,
        "\
            if let Some(node) = self.after(place).filter(|&node| self.key(node) >= key) {
                let next",
        Others,
    ),
    (
        "delete: another key goes",
        DELETE,
        "\
            if let Some(node) = self.after(place).filter(|&node| self.key(node) != key) {
                let next",
        Killed,
    ),
    (
        "delete: what comes behind goes too",
        "                *self.pointer(place) = next;\n",
        "                let _ = next;\n                *self.pointer(place) = None;\n",
        Killed,
    ),
    (
        "delete: the node stays linked",
        "                *self.pointer(place) = next;\n",
        "                let _ = next;\n",
        Killed,
    ),
    (
        "delete: from the bottom only",
        "        for place in self.before(key) {",
        "        for place in self.before(key).into_iter().take(1) {",
        Killed,
    ),
    (
        "delete: from all levels but the bottom",
        "        for place in self.before(key) {",
        "        for place in self.before(key).into_iter().skip(1) {",
        Killed,
    ),
    (
        "delete: not from the third level",
        "        for place in self.before(key) {",
        "        for place in self.before(key).into_iter().take(2) {",
        Killed,
    ),
    (
        "delete: the length stays",
        "        self.len -= usize::from(deleted);\n",
        "        let _ = deleted;\n",
        Others,
    ),
    (
        "delete: empty levels stay",
        "        self.drop_empty_levels();\n    }\n\n    /// Finds",
        "    }\n\n    /// Finds",
        Others,
    ),
    (
        "delete: only the highest empty level goes",
        "        while self.heads.len() > 1 && self",
        "        if self.heads.len() > 1 && self",
        Killed,
    ),
    (
        "delete: the bottom goes with its last key",
        "        while self.heads.len() > 1 && self",
        "        while self.heads.len() > 0 && self",
        Killed,
    ),
    // Walking, search and level.
    (
        "walk: one step too far",
        "self.key(next) < key) {\n            place",
        "self.key(next) <= key) {\n            place",
        Killed,
    ),
    (
        "walk: never a step",
        "self.key(next) < key) {\n            place",
        "self.key(next) < key && false) {\n            place",
        Killed,
    ),
    (
        "walk: one step at most",
        "            place.node = Some(next);\n",
        "            place.node = Some(next);\n            break;\n",
        Killed,
    ),
    (
        "find: any key that is as large",
        FIND,
        "\
            if let Some(node) = self.after(place).filter(|&node| self.key(node) >= key) {
                return Some((place.level, node));",
        Killed,
    ),
    (
        "find: the walk begins at the bottom",
        "    fn find(&self, key: Key) -> Option<(usize, NodeId)> {\n        let mut place = self.top();",
        "    fn find(&self, key: Key) -> Option<(usize, NodeId)> {\n        let mut place = ListPosition { level: 0, node: None };",
        Others,
    ),
    (
        "find: the top level only",
        "            place = self.below(place)?;",
        "            self.below(place)?;\n            return None;",
        Killed,
    ),
    (
        "level: counted from 0",
        "self.find(key).map(|(level, _)| level + 1)",
        "self.find(key).map(|(level, _)| level)",
        Others,
    ),
    // The coin and the comparisons.
    ("toss: twice as likely as it should be", "2.0_f64.powi(64)", "2.0_f64.powi(65)", Others),
    (
        "equality: heights may differ",
        "        self.height() == other.height()\n            && (1",
        "        (1",
        Others,
    ),
    (
        "equivalence: lengths are compared, keys are not",
        "self.keys().eq(other.keys())",
        "self.keys().count() == other.keys().count()",
        Others,
    ),
];
