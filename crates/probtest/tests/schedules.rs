//! Concurrent bodies under schedules that are drawn.

use std::sync::Arc;

use probtest::judge::{Doubt, Verdict};
use probtest::schedules::{pct, random};
use probtest::{Probtest, Report, TestRng, probtest};
use shuttle::sync::Mutex;
use shuttle::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use shuttle::thread;

fn increment(counter: &AtomicU32) {
    let before = counter.load(Ordering::SeqCst);
    counter.store(before + 1, Ordering::SeqCst);
}

/// A write between a check and the act that depends on it: depth 2.
fn lost_update(_: &mut TestRng) {
    let counter = Arc::new(AtomicU32::new(0));
    let threads: Vec<_> = (0..2)
        .map(|_| {
            let counter = counter.clone();
            thread::spawn(move || increment(&counter))
        })
        .collect();
    threads
        .into_iter()
        .for_each(|thread| thread.join().unwrap());
    assert_eq!(counter.load(Ordering::SeqCst), 2, "an update is lost");
}

fn kept_updates(_: &mut TestRng) {
    let counter = Arc::new(AtomicU32::new(0));
    let threads: Vec<_> = (0..2)
        .map(|_| {
            let counter = counter.clone();
            thread::spawn(move || counter.fetch_add(1, Ordering::SeqCst))
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(counter.load(Ordering::SeqCst), 2);
}

fn checked(id: &str, depth: u32, body: fn(&mut TestRng)) -> Report {
    let test = Probtest::new(id).epsilon(0.001).seed(1);
    test.schedules(pct(depth)).report(body).unwrap()
}

#[test]
fn a_lost_update_is_found_and_replays() {
    let report = checked("lost update", 2, lost_update);
    assert!(matches!(report.verdict(), Verdict::Violated(_)));
    println!("{report}");
    let violation = report.violation().unwrap();
    assert!(
        violation.message.contains("an update is lost"),
        "{violation:?}"
    );
    assert_eq!(report.confirmed(), Some(true));
}

#[test]
fn a_correct_counter_passes_with_the_count_that_follows_from_its_size() {
    let report = checked("kept updates", 2, kept_updates);
    assert!(report.passed());
    println!("{report}");
}

#[probtest(schedules = pct(depth = 1), epsilon = 0.001)]
fn the_attribute_takes_schedules() {
    let flag = Arc::new(AtomicBool::new(false));
    let other = flag.clone();
    thread::spawn(move || other.store(true, Ordering::SeqCst))
        .join()
        .unwrap();
    assert!(flag.load(Ordering::SeqCst));
}
