//! What the bugs do to a list beyond its operations.
//!
//! None of it is called by the list itself.

use rand::Rng;

use super::{Key, Node, NodeId, SkipList, Tower};

impl SkipList {
    /// Drops the highest level with its nodes.
    pub(in crate::skip_list) fn drop_top_level(&mut self) {
        if self.heads.len() > 1 {
            let mut next = self.heads.pop().flatten();
            while let Some(node) = next {
                next = self.node(node).next;
                self.release(node);
            }
        }
    }

    /// Raises a key by one level, and further as the coin says.
    pub(in crate::skip_list) fn raise_again<R: Rng + ?Sized>(&mut self, key: Key, rng: &mut R) {
        let Some((level, top)) = self.find(key) else {
            return;
        };
        if level + 1 < self.parameters.levels() {
            let mut tower = Tower {
                key,
                top,
                level,
                before: self.before(key),
            };
            self.raise(&mut tower);
            self.climb(tower, rng);
        }
    }

    /// Gives the node of a key on level 1 a node below it, in no level at all.
    pub(in crate::skip_list) fn hang_below_bottom(&mut self, key: Key) {
        let bottom = self.level(1).find(|node| node.key() == key);
        if let Some(NodeId(bottom)) = bottom.map(|node| node.id) {
            let stray = self.allocate(Node {
                key,
                next: None,
                lower: None,
            });
            self.nodes[bottom as usize].lower = Some(stray);
        }
    }

    /// Counts the key of the highest node with a key down by one.
    pub(in crate::skip_list) fn count_key_down(&mut self, key: Key) {
        if let Some((_, node)) = self.find(key) {
            self.nodes[node.0 as usize].key -= 1;
        }
    }
}
