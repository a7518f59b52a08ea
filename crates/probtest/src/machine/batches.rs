//! What is known of batches that one call makes: only whole ones are gone on with.

use super::ledger::{Done, Entry};

/// Keeps what is known of batches that are known as a whole. One that is not is made again,
/// as one call.
pub(super) fn whole(entries: Vec<Entry>, batch: u64, last: u64) -> Vec<Entry> {
    if batch <= 1 {
        return entries;
    }
    let (mut dones, mut others): (Vec<Done>, Vec<Entry>) = (Vec::new(), Vec::new());
    for entry in entries {
        match entry {
            Entry::Done(done) => dones.push(done),
            entry => others.push(entry),
        }
    }
    let mut kept = Vec::new();
    let Some(end) = dones.iter().map(Done::last).max() else {
        return others;
    };
    dones.sort_by_key(Done::first);
    let (mut first, mut begin) = (1, 0);
    while first <= end {
        let until = first.saturating_add(batch - 1).min(last);
        while dones.get(begin).is_some_and(|done| done.last() < first) {
            begin += 1;
        }
        let parts: Vec<Done> = dones[begin..]
            .iter()
            .take_while(|done| done.first() <= until)
            .filter(|done| done.last() >= first)
            .map(|done| done.within(done.first().max(first), done.last().min(until)))
            .collect();
        let settled = |index: u64| {
            let mut about = parts.iter();
            about
                .any(|part| (part.first()..=part.last()).contains(&index) && part.is_settled(index))
        };
        if (first..=until).all(settled) {
            kept.extend(parts.into_iter().map(Entry::Done));
        }
        first = match until.checked_add(1) {
            Some(next) if next > first => next,
            _ => break,
        };
    }
    kept.extend(others);
    kept
}
