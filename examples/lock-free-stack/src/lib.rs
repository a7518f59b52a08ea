//! A stack without locks over a fixed array of slots, as described by Treiber.
//!
//! A slot that was popped may be pushed again. Then the top can be the slot that a thread has read,
//! although other slots below it have changed in between: the ABA problem. With [`Tag::None`] the
//! stack has this problem. With [`Tag::Counter`] each change of the top gets its own number, so
//! that a thread notices.

use shuttle::sync::atomic::{AtomicU32, AtomicU64, Ordering::SeqCst};

/// Stands for "no slot".
const NONE: u32 = u32::MAX;

/// What distinguishes two visits to the same slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tag {
    /// Nothing.
    None,
    /// The number of changes of the top so far.
    Counter,
}

/// A stack of slot numbers.
#[derive(Debug)]
pub struct Stack {
    /// The top slot in the lower half, its tag in the upper half.
    top: AtomicU64,
    /// For each slot, the one below it.
    below: Vec<AtomicU32>,
    tag: Tag,
}

impl Stack {
    /// Makes a stack that contains the slots `0..slots`, with 0 on top.
    pub fn full(slots: u32, tag: Tag) -> Self {
        let below =
            (0..slots).map(|slot| AtomicU32::new(if slot + 1 < slots { slot + 1 } else { NONE }));
        Stack { top: AtomicU64::new(0), below: below.collect(), tag }
    }

    fn changed(&self, seen: u64, slot: u32) -> u64 {
        let tag = match self.tag {
            Tag::None => 0,
            Tag::Counter => (seen >> 32) + 1,
        };
        tag << 32 | u64::from(slot)
    }

    /// Takes the top slot.
    pub fn pop(&self) -> Option<u32> {
        let mut seen = self.top.load(SeqCst);
        loop {
            let slot = seen as u32;
            if slot == NONE {
                return None;
            }
            let below = self.below[slot as usize].load(SeqCst);
            // Here another thread may pop this slot, pop the one below, and push this one again.
            let changed = self.changed(seen, below);
            match self.top.compare_exchange(seen, changed, SeqCst, SeqCst) {
                Ok(_) => return Some(slot),
                Err(now) => seen = now,
            }
        }
    }

    /// Puts a slot that was popped before on top.
    pub fn push(&self, slot: u32) {
        let mut seen = self.top.load(SeqCst);
        loop {
            self.below[slot as usize].store(seen as u32, SeqCst);
            let changed = self.changed(seen, slot);
            match self.top.compare_exchange(seen, changed, SeqCst, SeqCst) {
                Ok(_) => return,
                Err(now) => seen = now,
            }
        }
    }
}
