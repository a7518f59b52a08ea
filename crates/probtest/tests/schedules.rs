//! Concurrent bodies under schedules that are drawn.

use std::sync::Arc;

use probtest::judge::{Doubt, Verdict};
use probtest::schedules::{Schedules, pct, random};
use probtest::{Error, Probtest, Report, TestRng, detect, probtest};
use shuttle::sync::Mutex;
use shuttle::sync::atomic::{AtomicU32, Ordering::SeqCst};
use shuttle::thread;

fn counting(threads: usize, increment: fn(&AtomicU32)) -> u32 {
    let counter = Arc::new(AtomicU32::new(0));
    let started: Vec<_> = (0..threads)
        .map(|_| {
            let counter = counter.clone();
            thread::spawn(move || increment(&counter))
        })
        .collect();
    for thread in started {
        thread.join().unwrap();
    }
    counter.load(SeqCst)
}

/// A write between a read and the write that depends on it.
fn lost_update(_: &mut TestRng) {
    let counted = counting(2, |counter| {
        let before = counter.load(SeqCst);
        counter.store(before + 1, SeqCst);
    });
    assert_eq!(counted, 2, "an update is lost");
}

fn kept_updates(_: &mut TestRng) {
    let counted = counting(2, |counter| _ = counter.fetch_add(1, SeqCst));
    assert_eq!(counted, 2);
}

fn begun(id: &str) -> Probtest {
    Probtest::new(id).epsilon(0.001).seed(1)
}

fn checked(id: &str, schedules: Schedules, body: fn(&mut TestRng)) -> Report {
    begun(id).schedules(schedules).report(body).unwrap()
}

fn refused(test: Probtest, schedules: Schedules, body: fn(&mut TestRng)) -> Error {
    test.schedules(schedules).report(body).unwrap_err()
}

#[test]
fn the_count_is_that_of_the_exact_plan_for_the_depth() {
    for (all, executions) in [(2, 11), (40, 273), (56, 384), (2200, 15_194)] {
        let claim = detect(format!("1/{all}").as_str()).epsilon(0.001);
        let plan = probtest::plan::Plan::new(&claim.claim().unwrap()).unwrap();
        assert_eq!(plan.executions(), executions, "p = 1/{all}");
    }
}

#[test]
fn a_lost_update_is_found_and_is_the_same_on_any_number_of_threads() {
    let alone = checked("lost update", pct(2), lost_update);
    assert!(matches!(alone.verdict(), Verdict::Violated(_)));
    let violation = alone.violation().unwrap();
    assert!(
        violation.message.contains("an update is lost"),
        "{violation:?}"
    );
    assert_ne!(alone.confirmed(), Some(false));
    let jobs = begun("lost update").jobs(3).schedules(pct(2));
    let many = jobs.report(lost_update).unwrap();
    assert_eq!(many.address(), alone.address());
    assert_eq!(many.counts(), alone.counts());
}

#[test]
fn a_correct_program_passes_after_the_executions_that_its_size_takes() {
    let report = checked("kept updates", pct(2), kept_updates);
    assert!(report.passed(), "{report}");
    // Three threads of 11 steps together, and a quarter to spare: 1 in 3 * 14.
    assert!(report.to_string().contains(">= 1/42"), "{report}");
}

#[test]
fn a_deadlock_is_a_violation() {
    let report = checked("deadlock", pct(2), |_| {
        let locks = Arc::new((Mutex::new(()), Mutex::new(())));
        let other = locks.clone();
        let thread = thread::spawn(move || {
            let _second = other.1.lock().unwrap();
            let _first = other.0.lock().unwrap();
        });
        {
            let _first = locks.0.lock().unwrap();
            let _second = locks.1.lock().unwrap();
        }
        thread.join().unwrap();
    });
    let violation = report.violation().expect("a deadlock");
    println!("{report}");
    assert!(violation.message.contains("deadlock"), "{violation:?}");
}

#[test]
fn an_execution_that_is_larger_than_those_that_were_measured_is_a_doubt() {
    let report = checked("sometimes larger", pct(2), |rng| {
        // That none of those that are measured has more threads, and one of those that are
        // executed has, holds for this seed.
        let threads = if rng.draw_u64() % 150 == 0 { 4 } else { 2 };
        let counted = counting(threads, |counter| _ = counter.fetch_add(1, SeqCst));
        assert_eq!(counted as usize, threads);
    });
    assert!(report.passed(), "{report}");
    assert!(
        matches!(report.doubts(), [Doubt::Larger { threads: 5, .. }]),
        "{report}"
    );
}

#[test]
fn random_schedules_take_the_p_that_they_are_given() {
    let report = begun("random").p(0.1).schedules(random());
    assert!(!report.report(lost_update).unwrap().passed());
    let report = begun("random").p(0.1).schedules(random());
    assert!(report.report(kept_updates).unwrap().passed());
}

#[test]
fn what_makes_no_sense_is_refused() {
    let error = refused(begun("depth"), pct(0), kept_updates);
    assert!(error.to_string().contains("from 1 to 10"), "{error}");
    let error = refused(begun("p").p(0.1), pct(2), kept_updates);
    assert!(error.to_string().contains("leave `p` out"), "{error}");
    let error = refused(begun("alone"), pct(2), |_| ());
    assert!(error.to_string().contains("nothing to schedule"), "{error}");
    let error = refused(begun("no p"), random(), kept_updates);
    assert!(error.to_string().contains('p'), "{error}");
}

#[probtest(schedules = pct(depth = 2), epsilon = 0.001)]
fn the_attribute_takes_schedules() {
    let counted = counting(2, |counter| _ = counter.fetch_add(1, SeqCst));
    assert_eq!(counted, 2);
}

#[probtest(schedules = pct(depth = 2))]
#[should_panic(expected = "an update is lost")]
fn the_attribute_finds_a_lost_update(rng: &mut TestRng) {
    lost_update(rng);
}

#[probtest(schedules = random, p = 0.05)]
#[should_panic(expected = "an update is lost")]
fn the_attribute_takes_random_schedules(rng: &mut TestRng) {
    lost_update(rng);
}
