//! The machine of an audit whose processes are forked from interpreters: what all of one share is no
//! observation of its own.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::audit::{drawn, test};
use probtest::audit::{
    Audit, AuditSettings, NamedTest, NextOrder, Order, OrderResult, Outcome, Randomness, Replayed,
};
use probtest::report::audit_text;
use probtest::seed::RunSeed;
use probtest_facts::{AuditCause, AuditEnd, AuditFacts, AuditLimit, AuditOutcome};

/// Says whether a test fails, by its seed, its interpreter and how many executions there were before.
type Body = fn(u64, u64, u64) -> bool;

fn settings(seed: u64) -> AuditSettings {
    let mut settings = AuditSettings::new(RunSeed(seed));
    (settings.interpreters, settings.max_rate) = (8, Some(0.9));
    settings
}

/// Makes an order; tests whose name ends so have no randomness.
fn make(name: &str, body: Body, order: &Order, count: &mut u64) -> OrderResult {
    let execute = |seed: &u64| {
        *count += 1;
        match body(*seed, order.interpreter, *count) {
            true => Outcome::Failed("tails".into()),
            false => Outcome::Passed,
        }
    };
    OrderResult {
        seen: order.seeds.iter().map(execute).collect(),
        randomness: name.ends_with("copy").then_some(Randomness::Nothing),
        seconds: 1e-3 * order.seeds.len() as f64,
        ..OrderResult::default()
    }
}

/// Audits with one interpreter after the other, each for so many orders.
fn audited(tests: &[(&str, Body)], settings: AuditSettings, worn: usize) -> AuditFacts {
    let named = tests.iter().map(|(name, _)| NamedTest::new(*name)).collect();
    let mut audit = Audit::begin(named, settings).unwrap();
    let (mut present, mut made, mut count) = (None, 0, 0);
    for _ in 0..100_000 {
        present = present.filter(|_| made < worn);
        let NextOrder::Order(order) = audit.next_in(Duration::ZERO, present, &[]) else {
            return audit.finish(|again| Some(format!("again {:?}", again.interpreter)));
        };
        made = if present == Some(order.interpreter) { made + 1 } else { 1 };
        present = Some(order.interpreter);
        let (name, body) = tests[order.test];
        audit.observe(&order, make(name, body, &order, &mut count));
    }
    panic!("it does not come to an end");
}

const SUITE: [(&str, Body); 7] = [
    ("seed", |seed, _, _| drawn(seed) < 0.5),
    ("hash", |_, interpreter, _| drawn(interpreter) < 0.5),
    ("hash copy", |_, interpreter, _| drawn(interpreter + 1) < 0.5),
    ("both", |seed, interpreter, _| drawn(seed) < drawn(interpreter)),
    ("every third", |_, _, count| count.is_multiple_of(3)),
    ("never", |_, _, _| false),
    ("copy", |_, _, _| false),
];

#[test]
fn what_depends_on_the_interpreter_is_told_from_what_depends_on_the_seed() {
    for worn in [1, 3, 50, 1000] {
        let facts = audited(&SUITE, settings(7), worn);
        let kind = |name| {
            let test = test(&facts, name);
            (test.outcome.clone(), test.depends_on.clone())
        };
        let fails = AuditOutcome::Fails;
        let interpreter = (fails.clone(), Some(AuditCause::Interpreter));
        assert_eq!(kind("seed"), (fails.clone(), Some(AuditCause::Seed)));
        assert_eq!(kind("hash"), interpreter);
        assert_eq!(kind("hash copy"), interpreter);
        assert_eq!(kind("both"), interpreter);
        assert_eq!(kind("every third"), (fails, Some(AuditCause::SomethingElse)));
        assert_eq!(kind("never"), (AuditOutcome::NeverFailed, None));
        let copies = Some(AuditCause::Nothing);
        assert_eq!(kind("copy"), (AuditOutcome::NeverFailed, copies));
        assert_eq!(facts.ended, AuditEnd::Decided);
        assert!(facts.audited.iter().all(|test| test.interpreters >= 8));
    }
}

/// One that fails in a chain passes alone, and in other interpreters. A rate of 0.01 fails five times more in
/// the same chain with 0.01^5, so in one of eight audits with less than 1e-9.
#[test]
fn what_fails_rarely_for_no_reason_does_not_depend_on_earlier_executions() {
    let rarely: [(&str, Body); 1] = [("rarely", |seed, _, count| drawn(seed ^ count) < 0.01)];
    for seed in 0..8 {
        let mut settings = settings(seed);
        settings.max_rate = Some(0.005);
        let facts = audited(&rarely, settings, 20);
        let cause = facts.audited[0].depends_on.clone();
        assert_eq!(cause, Some(AuditCause::SomethingElse), "{seed}");
    }
}

#[test]
fn the_line_of_a_failure_names_the_interpreter_where_it_decides() {
    let mut audit = Audit::begin(vec![NamedTest::new("hash")], settings(7)).unwrap();
    let mut failed = BTreeSet::new();
    while let NextOrder::Order(order) = audit.next_in(Duration::ZERO, None, &[]) {
        if drawn(order.interpreter) < 0.5 {
            failed.insert(audit.interpreter_seed(order.interpreter));
        }
        let made = make("hash", SUITE[1].1, &order, &mut 0);
        audit.observe(&order, made);
    }
    let named = |again: Replayed| Some(again.interpreter?.to_string());
    let facts = audit.finish(named);
    let line = facts.audited[0].replay.as_ref().unwrap();
    assert!(failed.contains(&line.parse().unwrap()));

    let facts = audited(&SUITE, settings(7), 50);
    assert_eq!(test(&facts, "seed").replay.as_deref(), Some("again None"));
    let text = audit_text(&facts);
    assert!(text.contains("depends on the hash seed or on what is drawn on import"), "{text}");
    let never = &test(&facts, "never").summary;
    assert!(never.contains(" in 8 interpreters: a rate below"), "{never}");
}

#[test]
fn what_an_interpreter_shares_does_not_make_an_interval_wrong() {
    let shared: [(&str, Body, f64); 3] = [
        ("hash", |_, interpreter, _| drawn(interpreter) < 0.3, 0.3),
        ("hash copy", |_, interpreter, _| drawn(interpreter) < 0.3, 0.3),
        // The interpreter decides how often the seed does.
        ("both", |seed, interpreter, _| drawn(seed) < drawn(interpreter), 0.5),
    ];
    // Each of 30 intervals misses with probability 1e-11 at most: a false alarm in 3e-10 of all cases.
    for (name, body, rate) in shared {
        for seed in 0..10 {
            let mut settings = settings(seed);
            (settings.max_rate, settings.precision) = (None, 0.4);
            settings.confidence = 1.0 - 1e-11;
            // Interpreters of another audit are others.
            let mut audit = Audit::begin(vec![NamedTest::new(name)], settings).unwrap();
            let (mut present, mut count) = (None, 0);
            while let NextOrder::Order(mut order) = audit.next_in(Duration::ZERO, present, &[]) {
                let asked = order.clone();
                present = Some(order.interpreter).filter(|_| count % 5 > 0);
                order.interpreter = audit.interpreter_seed(order.interpreter).into();
                let made = make(name, body, &order, &mut count);
                audit.observe(&asked, made);
            }
            let found = audit.finish(|_| None).audited.remove(0);
            assert_eq!(found.depends_on, Some(AuditCause::Interpreter), "{name}");
            let fits = found.rate.unwrap();
            assert!(fits.low <= rate && rate <= fits.high, "{name}: {fits:?}");
            assert_eq!(found.executed, found.interpreters, "{name}");
        }
    }
}

#[test]
fn one_interpreter_alone_is_below_no_rate_and_its_copies_are_told_as_its_own() {
    let tests = ["never", "copy"].map(NamedTest::new).to_vec();
    let mut audit = Audit::begin(tests, settings(7)).unwrap();
    for _ in 0..100 {
        let NextOrder::Order(order) = audit.next_in(Duration::ZERO, Some(1), &[]) else {
            panic!("it is decided by one interpreter");
        };
        if order.interpreter > 1 {
            audit.take_back(&order);
            break;
        }
        let name = ["never", "copy"][order.test];
        audit.observe(&order, make(name, |_, _, _| false, &order, &mut 0));
    }
    audit.interrupt();
    let facts = audit.finish(|_| None);
    for name in ["never", "copy"] {
        let test = test(&facts, name);
        assert_eq!(test.limit, Some(AuditLimit::Undecided), "{name}");
        assert!(!test.decided && test.interpreters == 1, "{name}");
    }
    assert!(test(&facts, "never").summary.contains(" in 1 interpreter: "));
}

#[test]
fn a_test_that_some_interpreters_do_not_collect_is_told_as_such() {
    let tests = ["some", "none"].map(NamedTest::new).to_vec();
    let mut audit = Audit::begin(tests, settings(7)).unwrap();
    while let NextOrder::Order(order) = audit.next_in(Duration::ZERO, None, &[]) {
        let made = match order.test == 1 || order.interpreter % 2 == 0 {
            true => OrderResult { uncollected: true, ..OrderResult::default() },
            false => make("some", |_, _, _| false, &order, &mut 0),
        };
        audit.observe(&order, made);
    }
    let facts = audit.finish(|_| None);
    let some = test(&facts, "some");
    assert_eq!(some.outcome, AuditOutcome::NeverFailed);
    assert!(some.interpreters >= 8 && some.uncollected > 0);
    assert!(some.summary.contains(" did not collect it"), "{}", some.summary);
    let none = test(&facts, "none");
    assert_eq!(none.outcome, AuditOutcome::Skipped);
    assert_eq!(none.summary, "skipped: no interpreter has collected it");
    // Nobody knows what they would have done there.
    assert_eq!(some.limit, Some(AuditLimit::Undecided));
    assert_eq!(none.limit, Some(AuditLimit::Undecided));
}
