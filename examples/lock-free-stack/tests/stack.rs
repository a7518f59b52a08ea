//! No slot has two owners, whatever the threads do to each other.

use std::sync::Arc;

use lock_free_stack::{Stack, Tag};
use probtest::probtest;
use shuttle::thread;

/// One thread takes a slot and keeps it; another takes two and returns the first.
fn each_slot_has_one_owner(tag: Tag) {
    let stack = Arc::new(Stack::full(3, tag));
    let shared = stack.clone();
    let other = thread::spawn(move || {
        let first = shared.pop();
        let second = shared.pop();
        if let Some(first) = first {
            shared.push(first);
        }
        second
    });
    let mut owned = vec![stack.pop()];
    owned.push(other.join().unwrap());
    while let Some(slot) = stack.pop() {
        owned.push(Some(slot));
    }
    let mut slots: Vec<u32> = owned.into_iter().flatten().collect();
    slots.sort();
    assert_eq!(slots, [0, 1, 2]);
}

// A thread stops between reading the top and exchanging it, and the other one runs to its end: two
// ordering constraints, so a depth of 2.
#[probtest(schedules = pct(depth = 2), epsilon = 0.001)]
#[should_panic(expected = "left == right")]
fn without_a_tag_a_slot_gets_two_owners() {
    each_slot_has_one_owner(Tag::None);
}

#[probtest(schedules = pct(depth = 2), epsilon = 0.001)]
fn with_a_tag_each_slot_has_one_owner() {
    each_slot_has_one_owner(Tag::Counter);
}
