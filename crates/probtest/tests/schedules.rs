//! Concurrent bodies under random schedules.

use std::sync::Arc;

use probtest::judge::{Doubt, Verdict};
use probtest::schedules::{Schedules, pct, random};
use probtest::{Probtest, Report, TestRng, detect, probtest};
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
    let alone = checked("a lost update 0", pct(2), lost_update);
    assert!(matches!(alone.verdict(), Verdict::Violated(_)));
    let violation = alone.violation().unwrap();
    assert!(violation.message.contains("an update is lost"), "{violation:?}");
    assert_ne!(alone.confirmed(), Some(false));
    let jobs = begun("a lost update 0").jobs(3).schedules(pct(2));
    let many = jobs.report(lost_update).unwrap();
    assert_eq!(many.address(), alone.address());
    assert_eq!(many.counts(), alone.counts());
}

#[test]
fn a_correct_program_passes_after_the_executions_that_its_size_takes() {
    let report = checked("kept updates", pct(2), kept_updates);
    assert!(report.passed(), "{report}");
    // Three threads with 11 steps together, and a quarter to spare: 1 in 3 * 14.
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
    assert!(violation.message.contains("deadlock"), "{violation:?}");
}

#[test]
fn an_execution_that_is_larger_than_those_that_were_measured_is_a_doubt() {
    let report = checked("larger 0", pct(2), |rng| {
        // For this seed, none of the measured executions has more threads, but one of the later
        // ones does.
        let threads = if rng.draw_u64() % 150 == 0 { 4 } else { 2 };
        let counted = counting(threads, |counter| _ = counter.fetch_add(1, SeqCst));
        assert_eq!(counted as usize, threads);
    });
    assert!(report.passed(), "{report}");
    assert!(matches!(report.doubts(), [Doubt::Larger { threads: 5, .. }]), "{report}");
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
    let kept: fn(&mut TestRng) = kept_updates;
    for (test, schedules, body, words) in [
        (begun("depth"), pct(0), kept, "from 1 to 10"),
        (begun("p").p(0.1), pct(2), kept, "leave `p` out"),
        (begun("alone"), pct(2), (|_| ()) as fn(&mut TestRng), "nothing to schedule"),
        (begun("no p"), random(), kept, "p"),
    ] {
        let error = test.schedules(schedules).report(body).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
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

/// The flag is read before it is written, which half of all priorities do but few random schedules:
/// the first thread does something else before it checks.
fn reads_in_time(_: &mut TestRng) -> bool {
    let (flag, other) = (Arc::new(AtomicU32::new(0)), AtomicU32::new(0));
    let writer = flag.clone();
    let thread = thread::spawn(move || writer.store(1, SeqCst));
    for _ in 0..5 {
        other.fetch_add(1, SeqCst);
    }
    let seen = flag.load(SeqCst);
    thread.join().unwrap();
    seen == 1
}

fn read_too_early(rng: &mut TestRng) {
    assert!(reads_in_time(rng));
}

#[test]
fn a_violation_while_executions_are_measured_is_one() {
    // A plan of 6 executions misses with probability 1/64, and with nearly all of these seeds one
    // of the 50 measured executions violated: a run that forgot those passed in 130 of 200.
    let passed = |seed: u64| {
        let test = Probtest::new("measured").seed(seed).shrink(false);
        let report = test.schedules(pct(1)).report(read_too_early).unwrap();
        report.passed()
    };
    assert_eq!((0..40).filter(|seed| passed(*seed)).count(), 0);
    // It is also one if the body returns it instead of panicking.
    for seed in 0..10 {
        let test = Probtest::new("measured").seed(seed).shrink(false).schedules(pct(1));
        let verdict = test.report(reads_in_time).unwrap().verdict().clone();
        assert!(matches!(verdict, Verdict::Violated(_)), "{verdict:?}");
    }
    // A limit that accepts what was reached doesn't accept that.
    let limited = Probtest::new("measured").seed(1).shrink(false);
    let limited = limited.max_executions(50).on_budget(probtest::OnBudget::Pass);
    assert!(!limited.schedules(pct(1)).report(read_too_early).unwrap().passed());
}

#[test]
fn measuring_counts_where_time_and_cost_are_limited() {
    let dear = |_: &mut TestRng| {
        probtest::cost(1.0);
        assert_eq!(counting(2, |counter| _ = counter.fetch_add(1, SeqCst)), 2);
    };
    let error = begun("dear").max_cost(3.0).schedules(pct(2)).report(dear);
    assert_eq!(error.unwrap_err().given(), "max_cost = 3, 3 executions made");
    let report = begun("dear").max_cost(60.0).schedules(pct(2)).report(dear);
    assert_eq!(report.unwrap().counts().executed, 10);

    // Inputs that don't apply have a cost as well, and none may continue forever.
    let picky = |_: &mut TestRng| {
        probtest::cost(1.0);
        probtest::draw(0..100u32);
        probtest::assume(false);
    };
    let begin = || begun("picky").inputs(3);
    let error = begin().max_cost(30.0).schedules(pct(2)).report(picky);
    let made = "0 executions made, 30 attempts rejected";
    assert_eq!(error.unwrap_err().given(), format!("max_cost = 30, {made}"));
    let error = begin().max_rejections(20).schedules(pct(2)).report(picky);
    let made = "0 executions made, 21 attempts rejected";
    assert_eq!(error.unwrap_err().given(), format!("max_rejections = 20, {made}"));
    let moment = std::time::Duration::from_nanos(1);
    let error = begin().max_time(moment).schedules(pct(2)).report(picky);
    let error = error.unwrap_err();
    assert!(error.what().contains("max_time is too small"), "{error}");
    let made = "0 executions made, 1 attempt rejected";
    assert!(error.given().ends_with(made), "{error}");
}

#[test]
fn a_schedule_without_a_choice_is_no_randomness() {
    let one = |_: &mut TestRng| assert_eq!(AtomicU32::new(1).load(SeqCst), 1);
    let report = begun("one thread").p(0.1).schedules(random()).report(one).unwrap();
    assert!(!report.doubts().is_empty(), "{report}");
    let report = begun("two").p(0.1).schedules(random()).report(kept_updates).unwrap();
    assert!(report.doubts().is_empty(), "{report}");
}

#[test]
fn inputs_that_are_rejected_and_schedules_go_together() {
    // Of two threads that count up to an input, one loses an update; odd inputs don't apply, and of
    // the even ones the program rejects some by its own coin.
    let body = |increment: fn(&AtomicU32)| {
        move |rng: &mut TestRng| {
            let wanted: u32 = probtest::draw(0..100u32);
            probtest::assume(wanted.is_multiple_of(2));
            probtest::assume(!rng.draw_u64().is_multiple_of(3));
            assert_eq!(counting(2, increment), 2, "an update is lost of {wanted}");
        }
    };
    let lost = body(|counter| {
        let before = counter.load(SeqCst);
        counter.store(before + 1, SeqCst);
    });
    let kept = body(|counter| _ = counter.fetch_add(1, SeqCst));
    let begin = |jobs: usize| begun("both").inputs(4).jobs(jobs).shrink(false);
    let test = |jobs: usize| begin(jobs).schedules(pct(2));

    // Each input gets the plan for the measured size.
    let passed = test(1).report(kept).unwrap();
    let plan = checked("alone", pct(2), kept_updates).counts().executed;
    assert!(passed.passed(), "{passed}");
    assert_eq!(passed.counts().executed, 4 * plan, "{passed}");
    assert!(passed.counts().rejected > 0, "{passed}");

    // A violation is the same on any number of threads, and again when its execution runs alone.
    let failed = test(1).report(lost).unwrap();
    let violation = failed.violation().expect("a violation");
    let said = "an update is lost of ";
    assert!(violation.message.contains(said), "{failed}");
    let many = test(3).report(lost).unwrap();
    assert_eq!(many.address(), failed.address());
    assert_eq!(many.violation(), Some(violation));
    assert_eq!(failed.confirmed(), Some(true), "{failed}");
}
