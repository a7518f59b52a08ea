//! Entries in the order of their executions.
//!
//! What is put in belongs near the end and what is taken out near the beginning, so a
//! queue does it. A `BTreeMap` was a tenth of what the library adds to a debug build.

use std::collections::VecDeque;

pub(super) struct Ordered<T> {
    entries: VecDeque<(u64, T)>,
}

impl<T> Ordered<T> {
    pub(super) fn new() -> Self {
        Ordered { entries: VecDeque::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The place of the first entry at this execution or after it.
    fn place(&self, index: u64) -> usize {
        match self.entries.back() {
            Some((last, _)) if *last >= index => {
                self.entries.partition_point(|(other, _)| *other < index)
            }
            _ => self.entries.len(),
        }
    }

    /// Puts an entry in, in the place of one that is there.
    pub(super) fn insert(&mut self, index: u64, entry: T) {
        let place = self.place(index);
        match self.entries.get_mut(place) {
            Some((other, old)) if *other == index => *old = entry,
            _ => self.entries.insert(place, (index, entry)),
        }
    }

    pub(super) fn get(&self, index: u64) -> Option<&T> {
        match self.entries.get(self.place(index)) {
            Some((other, entry)) if *other == index => Some(entry),
            _ => None,
        }
    }

    pub(super) fn remove(&mut self, index: u64) -> Option<T> {
        let place = self.place(index);
        match self.entries.get(place) {
            Some((other, _)) if *other == index => {
                self.entries.remove(place).map(|(_, entry)| entry)
            }
            _ => None,
        }
    }

    /// The first of these executions that has an entry.
    pub(super) fn first_at(&self, first: u64, last: u64) -> Option<u64> {
        let (index, _) = self.entries.get(self.place(first))?;
        (*index <= last).then_some(*index)
    }

    /// Whether there is an entry from the first to the last of these executions.
    pub(super) fn has_any(&self, first: u64, last: u64) -> bool {
        self.first_at(first, last).is_some()
    }

    /// The last entry at this execution or before it.
    pub(super) fn at_or_before(&self, index: u64) -> Option<(u64, &T)> {
        let place = self.place(index);
        match self.entries.get(place) {
            Some((other, entry)) if *other == index => Some((index, entry)),
            _ => {
                let (other, entry) = self.entries.get(place.checked_sub(1)?)?;
                Some((*other, entry))
            }
        }
    }

    /// All entries, the earliest first.
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut (u64, T)> {
        self.entries.iter_mut()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_found_by_their_execution_in_whatever_order_they_came() {
        let mut ordered = Ordered::new();
        for index in [5, 9, 2, 7, u64::MAX] {
            ordered.insert(index, index ^ 1);
        }
        ordered.insert(7, 1);
        assert_eq!((ordered.len(), ordered.is_empty()), (5, false));
        assert_eq!((ordered.get(7), ordered.get(8)), (Some(&1), None));
        let before = |index| ordered.at_or_before(index).map(|(index, _)| index);
        assert_eq!([1, 2, 8, 9, 10].map(before), [None, Some(2), Some(7), Some(9), Some(9)]);
        assert_eq!(before(u64::MAX), Some(u64::MAX));
        assert!(ordered.has_any(3, 5) && ordered.has_any(0, u64::MAX));
        assert!(!ordered.has_any(3, 4) && !ordered.has_any(0, 1) && !ordered.has_any(10, 11));
        assert_eq!((ordered.remove(8), ordered.remove(5)), (None, Some(4)));
        let indices: Vec<u64> = ordered.iter_mut().map(|(index, _)| *index).collect();
        assert_eq!(indices, [2, 7, 9, u64::MAX]);
    }
}
