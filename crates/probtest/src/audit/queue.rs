//! Which test comes next, without a look at all of them.

use std::collections::BTreeSet;

use super::AuditSettings;
use super::tried::{Tried, Wanted};

/// The tests that something is wanted of, in the order in which they come.
#[derive(Debug, Default)]
pub(super) struct Queue {
    /// The place in the order of those that are not decided, where it is known.
    keys: Vec<Option<u64>>,
    ordered: BTreeSet<(u64, usize)>,
    /// Those of which it is not known what their result depends on.
    unexplained: BTreeSet<usize>,
}

impl Queue {
    /// Puts a test where it belongs after a change.
    pub(super) fn put(&mut self, place: usize, test: &Tried, settings: &AuditSettings) {
        if self.keys.len() <= place {
            self.keys.resize(place + 1, None);
        }
        // Numbers that are not negative are ordered as their bits are.
        let key = (test.is_open(settings)).then(|| test.urgency().max(0.0).to_bits());
        if let Some(old) = std::mem::replace(&mut self.keys[place], key) {
            self.ordered.remove(&(old, place));
        }
        self.ordered.extend(key.map(|key| (key, place)));
        match key.is_some() && !test.is_explained(settings) {
            true => self.unexplained.insert(place),
            false => self.unexplained.remove(&place),
        };
    }

    /// Finds what is to be executed next in an interpreter: tests that nothing is known of, causes,
    /// then those that had least time.
    pub(super) fn first(
        &self,
        tests: &[Tried],
        settings: &AuditSettings,
        interpreter: u64,
    ) -> Option<(usize, Wanted)> {
        let explains = |place: &usize| {
            let wanted = tests[*place].explaining(settings, interpreter)?;
            Some((*place, wanted))
        };
        let new = |place: usize| {
            let is_new = tests[place].wants_new(settings, interpreter);
            is_new.then_some((place, Wanted::New))
        };
        let (_, first) = self.ordered.first()?;
        if tests[*first].executions == 0 {
            return explains(first).or_else(|| new(*first));
        }
        self.unexplained
            .iter()
            .find_map(explains)
            .or_else(|| self.ordered.iter().find_map(|(_, place)| new(*place)))
    }

    /// The interpreters that one test or other has to be executed in.
    pub(super) fn targets(&self, tests: &[Tried]) -> impl Iterator<Item = u64> {
        self.unexplained.iter().flat_map(move |place| tests[*place].targets())
    }
}
