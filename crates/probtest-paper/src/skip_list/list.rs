//! The data structure: levels of ordered linked lists, each a subset of the one below.
//!
//! ```text
//! level 3   •  ->       2  ->  None
//! level 2   •  ->       2  ->  None
//! level 1   •  ->  1 -> 2  ->  None
//! ```
//!
//! A search walks along the top level as far as it can, goes down by one, and continues. Nodes live
//! in one arena and point to each other by index, so everything is safe code, and copying a list
//! copies a vector.
//!
//! The list knows nothing about the bugs: [`super::Subject`] wraps its operations with them. What
//! only a bug needs is at the end.

use std::fmt;

use rand::Rng;

use super::Key;

/// How likely a node is to be raised to the next level, and how many levels there are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// The probability that a node is raised by one level, p_r.
    pub(super) raise: f64,
    /// The most levels that a list has, M.
    pub(super) levels: usize,
}

impl Parameters {
    /// The parameters of the paper: a fair coin and three levels.
    pub const PAPER: Parameters = Parameters { raise: 0.5, levels: 3 };

    /// Panics if the chance of raising isn't strictly between 0 and 1, or there is no level.
    pub fn new(raise: f64, levels: usize) -> Self {
        assert!(raise > 0.0 && raise < 1.0, "{raise} is no chance of raising");
        assert!(levels > 0, "a skip list has at least one level");
        Parameters { raise, levels }
    }

    /// Tosses the coin: true means that the node is raised.
    ///
    /// One word per toss, compared with a threshold here and not in `rand`: the smallest word
    /// always raises and the largest never does, so [`super::exact`] can walk through all tosses.
    #[inline]
    fn toss<R: Rng + ?Sized>(&self, rng: &mut R) -> bool {
        // Scaling by a power of two doesn't round; a number below 1 fits into 64 bits.
        let threshold = (self.raise * 2.0_f64.powi(64)) as u64;
        rng.next_u64() < threshold.max(1)
    }

    /// The probability of the least likely shape after this many insertions: equation (2) of the
    /// paper.
    ///
    /// A bug that shows in only one shape shows at least this often, provided that a test builds
    /// one list. With p_r up to 1/2, the least likely shape has every node on the top level; above
    /// 1/2, on the level below the top. With a single level there is no choice: the answer is 1.
    pub fn least_likely_shape(&self, insertions: u32) -> f64 {
        let insertions = f64::from(insertions);
        let levels = self.levels as f64;
        if self.levels == 1 {
            1.0
        } else if self.raise <= 0.5 {
            self.raise.powf(insertions * (levels - 1.0))
        } else {
            self.raise.powf(insertions * (levels - 2.0)) * (1.0 - self.raise).powf(insertions)
        }
    }
}

/// A set of keys with search, insertion and deletion in expected logarithmic time.
#[derive(Clone, Debug)]
pub struct SkipList {
    parameters: Parameters,
    nodes: Vec<Node>,
    /// The first slot of the arena left by a deleted node; `next` leads to the others.
    free: Option<NodeId>,
    /// The first node of each level, bottom first. Level 1 always exists, others only while they
    /// have a node.
    heads: Vec<Option<NodeId>>,
    len: usize,
}

/// The position of a node in the arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct NodeId(u32);

#[derive(Clone, Copy, Debug)]
struct Node {
    key: Key,
    next: Option<NodeId>,
    lower: Option<NodeId>,
}

/// Where a walk is: after a node, or at the head of a level. Levels count from 0 inside this file
/// and from 1 outside.
#[derive(Clone, Copy, Debug)]
struct ListPosition {
    level: usize,
    node: Option<NodeId>,
}

/// The nodes of one key while it is being raised.
struct Tower {
    key: Key,
    /// The highest node so far, and its level.
    top: NodeId,
    level: usize,
    /// For each level, the position after which a node with this key belongs.
    before: Vec<ListPosition>,
}

impl SkipList {
    pub fn new(parameters: Parameters) -> Self {
        SkipList { parameters, nodes: Vec::new(), free: None, heads: vec![None], len: 0 }
    }

    /// Inserts a key: on level 1, and one level up for each toss of the coin that says so, until
    /// the first that doesn't. An existing key stays as it is.
    pub fn insert<R: Rng + ?Sized>(&mut self, key: Key, rng: &mut R) {
        let before = self.before(key);
        let there = self.after(before[0]);
        if there.is_some_and(|node| self.key(node) == key) {
            return;
        }
        let top = self.link(before[0], key, None);
        self.len += 1;
        let tower = Tower { key, top, level: 0, before };
        self.climb(tower, rng);
    }

    /// Deletes a key from every level. A missing key isn't an error.
    pub fn delete(&mut self, key: Key) {
        let mut deleted = false;
        for place in self.before(key) {
            if let Some(node) = self.after(place).filter(|&node| self.key(node) == key) {
                let next = self.node(node).next;
                *self.pointer(place) = next;
                self.release(node);
                deleted = true;
            }
        }
        self.len -= usize::from(deleted);
        self.drop_empty_levels();
    }

    /// Finds the highest node with a key.
    pub fn search(&self, key: Key) -> Option<NodeRef<'_>> {
        self.find(key).map(|(_, id)| NodeRef { list: self, id })
    }

    /// Whether a key is on level 1, found by walking along it: a second answer for tests of
    /// [`SkipList::search`].
    pub fn contains(&self, key: Key) -> bool {
        self.keys().any(|other| other == key)
    }

    /// Whether both contain the same keys, whatever their levels.
    pub fn is_equivalent(&self, other: &SkipList) -> bool {
        self.keys().eq(other.keys())
    }

    /// Finds the highest level that contains a key; the bottom is level 1.
    pub fn level_of(&self, key: Key) -> Option<usize> {
        self.find(key).map(|(level, _)| level + 1)
    }

    pub fn keys(&self) -> impl Iterator<Item = Key> + Clone + '_ {
        self.level(1).map(|node| node.key())
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The current number of levels; at least one, which may be empty.
    pub fn height(&self) -> usize {
        self.heads.len()
    }

    /// The nodes of a level from left to right; empty if there is no such level.
    pub fn level(&self, level: usize) -> impl Iterator<Item = NodeRef<'_>> + Clone + '_ {
        let head = level.checked_sub(1).and_then(|level| self.heads.get(level));
        let first = head.and_then(|&head| self.refer(head));
        std::iter::successors(first, NodeRef::next)
    }

    pub fn parameters(&self) -> Parameters {
        self.parameters
    }

    /// The key of each node on a level and, for the node it points to, the key and the position on
    /// the level below.
    fn shape(&self, level: usize) -> impl Iterator<Item = (Key, Option<(Key, Option<usize>)>)> {
        self.level(level).map(move |node| {
            let lower = node.lower().map(|lower| {
                (lower.key(), self.level(level - 1).position(|other| other.is(&lower)))
            });
            (node.key(), lower)
        })
    }

    fn refer(&self, id: Option<NodeId>) -> Option<NodeRef<'_>> {
        id.map(|id| NodeRef { list: self, id })
    }

    fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    fn key(&self, id: NodeId) -> Key {
        self.node(id).key
    }

    /// The node after a position.
    fn after(&self, place: ListPosition) -> Option<NodeId> {
        match place.node {
            Some(node) => self.node(node).next,
            None => self.heads[place.level],
        }
    }

    /// The pointer that leads away from a position.
    fn pointer(&mut self, place: ListPosition) -> &mut Option<NodeId> {
        match place.node {
            Some(node) => &mut self.nodes[node.0 as usize].next,
            None => &mut self.heads[place.level],
        }
    }

    /// Walks along a level while the next key is smaller.
    fn walk(&self, mut place: ListPosition, key: Key) -> ListPosition {
        while let Some(next) = self.after(place).filter(|&next| self.key(next) < key) {
            place.node = Some(next);
        }
        place
    }

    fn top(&self) -> ListPosition {
        ListPosition { level: self.heads.len() - 1, node: None }
    }

    /// The position one level below; a head is above a head.
    fn below(&self, place: ListPosition) -> Option<ListPosition> {
        let level = place.level.checked_sub(1)?;
        let lower = |node| self.node(node).lower.expect("a node above level 1 has one below it");
        Some(ListPosition { level, node: place.node.map(lower) })
    }

    fn find(&self, key: Key) -> Option<(usize, NodeId)> {
        let mut place = self.top();
        loop {
            place = self.walk(place, key);
            if let Some(node) = self.after(place).filter(|&node| self.key(node) == key) {
                return Some((place.level, node));
            }
            place = self.below(place)?;
        }
    }

    /// For each level, the position after which a key belongs; bottom first.
    fn before(&self, key: Key) -> Vec<ListPosition> {
        let mut place = self.top();
        // An insertion rarely adds more than two levels.
        let mut before = Vec::with_capacity(self.heads.len() + 2);
        // Filled from the top down; unfilled entries are never read.
        before.resize(self.heads.len(), place);
        loop {
            place = self.walk(place, key);
            before[place.level] = place;
            match self.below(place) {
                Some(below) => place = below,
                None => return before,
            }
        }
    }

    fn allocate(&mut self, node: Node) -> NodeId {
        if let Some(id) = self.free {
            self.free = self.node(id).next;
            self.nodes[id.0 as usize] = node;
            return id;
        }
        let id = u32::try_from(self.nodes.len()).expect("fewer than 2^32 nodes");
        self.nodes.push(node);
        NodeId(id)
    }

    fn release(&mut self, id: NodeId) {
        self.nodes[id.0 as usize].next = self.free;
        self.free = Some(id);
    }

    /// Inserts a new node after a position.
    fn link(&mut self, place: ListPosition, key: Key, lower: Option<NodeId>) -> NodeId {
        let next = self.after(place);
        let id = self.allocate(Node { key, next, lower });
        *self.pointer(place) = Some(id);
        id
    }

    /// Raises by one level for each toss that says so.
    fn climb<R: Rng + ?Sized>(&mut self, mut tower: Tower, rng: &mut R) {
        while tower.level + 1 < self.parameters.levels && self.parameters.toss(rng) {
            self.raise(&mut tower);
        }
    }

    /// Raises by one level.
    fn raise(&mut self, tower: &mut Tower) {
        tower.level += 1;
        if tower.level == self.heads.len() {
            self.heads.push(None);
            tower.before.push(self.top());
        }
        tower.top = self.link(tower.before[tower.level], tower.key, Some(tower.top));
    }

    fn drop_empty_levels(&mut self) {
        while self.heads.len() > 1 && self.heads.last() == Some(&None) {
            self.heads.pop();
        }
    }
}

/// A node as seen from outside.
#[derive(Clone, Copy, Debug)]
pub struct NodeRef<'a> {
    list: &'a SkipList,
    id: NodeId,
}

impl<'a> NodeRef<'a> {
    pub fn key(&self) -> Key {
        self.list.key(self.id)
    }

    /// The next node on the same level.
    pub fn next(&self) -> Option<NodeRef<'a>> {
        self.list.refer(self.list.node(self.id).next)
    }

    pub fn lower(&self) -> Option<NodeRef<'a>> {
        self.list.refer(self.list.node(self.id).lower)
    }

    /// Whether both are the same node of the same list.
    pub fn is(&self, other: &NodeRef<'_>) -> bool {
        std::ptr::eq(self.list, other.list) && self.id == other.id
    }
}

/// Lists are equal if their levels have the same keys and their pointers lead to the same
/// positions.
impl PartialEq for SkipList {
    fn eq(&self, other: &SkipList) -> bool {
        self.height() == other.height()
            && (1..=self.height()).all(|level| self.shape(level).eq(other.shape(level)))
    }
}

/// One line per level, highest first, as in the paper:
impl fmt::Display for SkipList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for level in (1..=self.height()).rev() {
            for node in self.level(level) {
                write!(f, "{} -> ", node.key())?;
            }
            f.write_str(if level > 1 { "None\n" } else { "None" })?;
        }
        Ok(())
    }
}

/// What the bugs do to a list beyond its operations. The list itself calls none of it.
impl SkipList {
    /// Drops the highest level with its nodes.
    pub(super) fn drop_top_level(&mut self) {
        if self.heads.len() > 1 {
            let mut next = self.heads.pop().flatten();
            while let Some(node) = next {
                next = self.node(node).next;
                self.release(node);
            }
        }
    }

    /// Raises a key by one level, and further as the coin decides.
    pub(super) fn raise_again<R: Rng + ?Sized>(&mut self, key: Key, rng: &mut R) {
        let Some((level, top)) = self.find(key) else {
            return;
        };
        if level + 1 < self.parameters.levels {
            let mut tower = Tower { key, top, level, before: self.before(key) };
            self.raise(&mut tower);
            self.climb(tower, rng);
        }
    }

    /// Puts a node below the level-1 node of a key, outside any level.
    pub(super) fn hang_below_bottom(&mut self, key: Key) {
        let bottom = self.level(1).find(|node| node.key() == key);
        if let Some(NodeId(bottom)) = bottom.map(|node| node.id) {
            let stray = self.allocate(Node { key, next: None, lower: None });
            self.nodes[bottom as usize].lower = Some(stray);
        }
    }

    /// Decrements the key of the highest node with a key.
    pub(super) fn count_key_down(&mut self, key: Key) {
        if let Some((_, node)) = self.find(key) {
            self.nodes[node.0 as usize].key -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use probtest::seed::{RunSeed, Stream};

    use super::*;

    #[test]
    fn the_arena_is_as_large_as_the_most_nodes_at_a_time() {
        let mut rng = Stream::new(RunSeed(1), "arena").execution(1);
        let mut list = SkipList::new(Parameters::PAPER);
        let mut most = 0;
        for step in 0..2000 {
            let key = (rng.draw_u32() % 32) as Key;
            if step % 3 == 0 {
                list.delete(key);
            } else {
                list.insert(key, &mut rng);
            }
            let nodes = (1..=list.height()).map(|level| list.level(level).count());
            most = most.max(nodes.sum());
        }
        assert_eq!(list.nodes.len(), most);
    }
}
