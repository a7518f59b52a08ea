//! What this process has seen before, as text.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// A set of texts that only grows.
#[derive(Debug)]
pub(super) struct Seen(Vec<String>);

impl Seen {
    pub(super) const fn none() -> Mutex<Self> {
        Mutex::new(Seen(Vec::new()))
    }

    pub(super) fn of(all: &Mutex<Self>) -> MutexGuard<'_, Self> {
        all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn place(&self, text: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|other| other.as_str().cmp(text))
    }

    pub(super) fn contains(&self, text: &str) -> bool {
        self.place(text).is_ok()
    }

    /// Takes a text, and says whether it is new.
    pub(super) fn insert(&mut self, text: &str) -> bool {
        let place = self.place(text);
        if let Err(place) = place {
            self.0.insert(place, text.to_owned());
        }
        place.is_err()
    }
}
