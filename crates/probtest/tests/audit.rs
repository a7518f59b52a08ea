//! The machine of an audit, on suites that are simulated: what is asked for, what is concluded.

use std::path::Path;
use std::time::Duration;

use probtest::audit::{
    Apart, Audit, AuditJournal, AuditSettings, Made, Named, NextOrder, Order, Outcome, Randomness,
};
use probtest::report::audit_text;
use probtest::seed::{RunSeed, Stream};
use probtest_facts::{AuditCause, AuditEnd, AuditFacts, AuditLimit, AuditOutcome, AuditedTest};

/// A test that is simulated: is given its seed, how many executions came before it in its
/// process, and how many in all.
type Body = fn(u64, usize, u64) -> Outcome;

/// A number from 0 to 1 that the seed alone decides.
fn drawn(seed: u64) -> f64 {
    Stream::new(RunSeed(seed), "drawn").execution(1).draw_u64() as f64 / 2f64.powi(64)
}

fn failed(fails: bool) -> Outcome {
    match fails {
        true => Outcome::Failed("assertion failed: left == right\nmore".into()),
        false => Outcome::Passed,
    }
}

const SUITE: [(&str, Body); 8] = [
    ("half", |seed, _, _| failed(drawn(seed) < 0.5)),
    ("tenth", |seed, _, _| failed(drawn(seed) < 0.1)),
    ("never", |_, _, _| Outcome::Passed),
    ("always", |_, _, _| failed(true)),
    ("after itself", |_, before, _| failed(before > 0)),
    ("first of all", |_, before, _| failed(before == 0)),
    ("every third", |_, _, count| failed(count.is_multiple_of(3))),
    ("skipped", |_, _, _| {
        Outcome::Skipped("needs a network".into())
    }),
];

fn named() -> Vec<Named> {
    SUITE.iter().map(|(name, _)| Named::new(*name)).collect()
}

/// Makes an order.
fn make(order: &Order, counts: &mut [u64]) -> Made {
    let (name, body) = SUITE[order.test];
    let execute = |(before, seed): (usize, &u64)| {
        counts[order.test] += 1;
        body(*seed, before, counts[order.test])
    };
    Made {
        seen: order.seeds.iter().enumerate().map(execute).collect(),
        randomness: (name == "never").then_some(Randomness::Nothing),
        seconds: 1e-3 * order.seeds.len() as f64,
        ..Made::default()
    }
}

/// Makes so many orders, or all of them.
fn drive(audit: &mut Audit, most: usize) -> usize {
    let mut counts = [0; SUITE.len()];
    for made in 0..most {
        match audit.next(Duration::ZERO) {
            NextOrder::Order(order) => {
                let made = make(&order, &mut counts);
                audit.observe(&order, made);
            }
            NextOrder::Wait => panic!("nothing is under way"),
            NextOrder::Done => return made,
        }
    }
    most
}

fn audited(settings: AuditSettings) -> AuditFacts {
    let mut audit = Audit::begin(named(), settings).unwrap();
    let orders = drive(&mut audit, 100_000);
    assert!(orders < 100_000, "it does not come to an end");
    audit.finish(|test, seed| Some(format!("again {} {seed:#x}", SUITE[test].0)))
}

#[track_caller]
fn test<'a>(facts: &'a AuditFacts, name: &str) -> &'a AuditedTest {
    facts.audited.iter().find(|test| test.test == name).unwrap()
}

#[test]
fn every_kind_of_test_is_told_from_the_others() {
    let facts = audited(AuditSettings::new(RunSeed(0x5eed)));
    let kind = |name| {
        (
            test(&facts, name).outcome.clone(),
            test(&facts, name).depends_on.clone(),
        )
    };
    assert_eq!(kind("half"), (AuditOutcome::Fails, Some(AuditCause::Seed)));
    assert_eq!(kind("tenth"), (AuditOutcome::Fails, Some(AuditCause::Seed)));
    assert_eq!(
        kind("never"),
        (AuditOutcome::NeverFailed, Some(AuditCause::Nothing))
    );
    assert_eq!(kind("always"), (AuditOutcome::FailsAlways, None));
    let state = Some(AuditCause::EarlierExecutions);
    assert_eq!(
        kind("after itself"),
        (AuditOutcome::NeverFailed, state.clone())
    );
    assert_eq!(kind("first of all"), (AuditOutcome::FailsAlways, state));
    let other = Some(AuditCause::SomethingElse);
    assert_eq!(kind("every third"), (AuditOutcome::Fails, other));
    assert_eq!(kind("skipped"), (AuditOutcome::Skipped, None));
    assert_eq!(facts.ended, AuditEnd::Decided);
    assert!(facts.audited.iter().all(|test| test.decided));
}

#[test]
fn intervals_hold_the_rates_and_are_as_narrow_as_asked() {
    let facts = audited(AuditSettings::new(RunSeed(0x5eed)));
    for (name, rate) in [
        ("half", 0.5),
        ("tenth", 0.1),
        ("always", 1.0),
        ("after itself", 0.0),
    ] {
        let found = test(&facts, name).rate.unwrap();
        assert!(found.low <= rate && rate <= found.high, "{name}: {found:?}");
        let enough = 0.05_f64.max(found.seen.unwrap() / 2.0);
        assert!(found.high - found.low <= enough, "{name}: {found:?}");
    }
    // Once is enough, so nothing is said about a rate.
    assert_eq!(test(&facts, "never").rate, None);
}

#[test]
fn a_line_to_copy_stands_where_the_seed_makes_it_fail_again() {
    let facts = audited(AuditSettings::new(RunSeed(7)));
    let half = test(&facts, "half");
    let seed: RunSeed = half.seed.as_ref().unwrap().parse().unwrap();
    assert!(drawn(seed.0) < 0.5);
    assert_eq!(
        half.replay.as_deref(),
        Some(&*format!("again half {:#x}", seed.0))
    );
    assert_eq!(test(&facts, "every third").replay, None);
    assert_eq!(test(&facts, "after itself").replay, None);
}

#[test]
fn what_is_to_be_looked_at_comes_first_and_the_text_says_why() {
    let facts = audited(AuditSettings::new(RunSeed(7)));
    let names: Vec<&str> = facts.audited.iter().map(|test| &*test.test).collect();
    assert_eq!(names.last(), Some(&"skipped"));
    assert!(
        names[..3].contains(&"half") && names[..3].contains(&"tenth"),
        "{names:?}"
    );
    let text = audit_text(&facts);
    assert!(
        text.starts_with("5 of 8 tests are flaky, 1 fails always\n"),
        "{text}"
    );
    assert!(text.contains("assertion failed: left == right\n"), "{text}");
    assert!(!text.contains("\nmore"), "{text}");
}

#[test]
fn with_a_highest_rate_each_test_is_on_one_side_and_known_ones_are_told() {
    let mut settings = AuditSettings::new(RunSeed(7));
    settings.max_rate = Some(0.25);
    settings.known = vec!["half".into(), "gone".into()];
    let facts = audited(settings);
    assert_eq!(test(&facts, "half").limit, Some(AuditLimit::Above));
    assert!(test(&facts, "half").known && !test(&facts, "tenth").known);
    assert_eq!(test(&facts, "tenth").limit, Some(AuditLimit::Below));
    assert_eq!(test(&facts, "never").limit, Some(AuditLimit::Below));
    assert_eq!(test(&facts, "skipped").limit, None);
    assert_eq!(facts.unknown, ["gone"]);
}

#[test]
fn after_its_time_an_audit_tells_what_is_known() {
    let mut settings = AuditSettings::new(RunSeed(7));
    settings.time = Some(Duration::from_secs(1));
    let mut audit = Audit::begin(named(), settings).unwrap();
    drive(&mut audit, 3);
    assert_eq!(audit.next(Duration::from_secs(1)), NextOrder::Done);
    let facts = audit.finish(|_, _| None);
    assert_eq!(facts.ended, AuditEnd::Time);
    assert_eq!(test(&facts, "skipped").outcome, AuditOutcome::NotReached);
    assert!(!test(&facts, "half").decided && test(&facts, "half").executed > 0);
}

#[test]
fn an_execution_that_the_audit_ended_is_told_from_one_that_was_not_reached() {
    let mut audit = Audit::begin(named(), AuditSettings::new(RunSeed(7))).unwrap();
    let NextOrder::Order(order) = audit.next(Duration::ZERO) else {
        panic!("nothing is handed out");
    };
    audit.observe(
        &order,
        Made {
            cut: true,
            ..Made::default()
        },
    );
    audit.interrupt();
    assert_eq!(audit.next(Duration::ZERO), NextOrder::Done);
    let facts = audit.finish(|_, _| None);
    assert_eq!(facts.ended, AuditEnd::Interrupted);
    assert_eq!(
        test(&facts, SUITE[order.test].0).outcome,
        AuditOutcome::Unfinished
    );
}

#[test]
fn without_chains_and_where_fixtures_draw_every_execution_is_alone() {
    let mut settings = AuditSettings::new(RunSeed(7));
    settings.chains = false;
    let mut audit = Audit::begin(vec![Named::new("a")], settings).unwrap();
    for _ in 0..50 {
        let NextOrder::Order(order) = audit.next(Duration::ZERO) else {
            break;
        };
        assert_eq!(order.seeds.len(), 1);
        audit.observe(
            &order,
            Made {
                seen: vec![Outcome::Passed],
                ..Made::default()
            },
        );
    }
    let mut audit = Audit::begin(vec![Named::new("a")], AuditSettings::new(RunSeed(7))).unwrap();
    for place in 0..5 {
        let NextOrder::Order(order) = audit.next(Duration::ZERO) else {
            panic!("decided after {place} orders");
        };
        assert_eq!(order.seeds.len() == 1, place > 0);
        let seen = order.seeds.iter().map(|_| Outcome::Passed).collect();
        audit.observe(
            &order,
            Made {
                seen,
                shares: true,
                ..Made::default()
            },
        );
    }
    // Those that share what the first one drew are no executions of their own.
    assert_eq!(audit.finish(|_, _| None).audited[0].executed, 5);
}

#[test]
fn tests_that_are_not_executed_are_told_and_do_not_widen_the_intervals_of_others() {
    let apart = |name: &str, why| Named {
        apart: Some(why),
        ..Named::new(name)
    };
    let mut audit = Audit::begin(
        vec![
            Named::new("half"),
            apart("off", Apart::Ignored("slow".into())),
            apart("claimed", Apart::Claimed),
        ],
        AuditSettings::new(RunSeed(7)),
    )
    .unwrap();
    drive(&mut audit, 10_000);
    let facts = audit.finish(|_, _| None);
    assert_eq!(test(&facts, "off").outcome, AuditOutcome::Skipped);
    assert_eq!(test(&facts, "off").message.as_deref(), Some("slow"));
    assert_eq!(test(&facts, "claimed").outcome, AuditOutcome::Claimed);
    let half = test(&facts, "half");
    let one = probtest::judge::confidence::ConfidenceSequence::new(0.95).unwrap();
    let rate = half.rate.unwrap();
    assert_eq!(
        (rate.low, rate.high),
        one.interval(half.failed, half.executed)
    );
}

#[test]
fn an_audit_that_was_stopped_goes_on_where_its_journal_ends() {
    let folder = std::env::temp_dir().join(format!("probtest-audit-{}", std::process::id()));
    let begin = |folder: &Path, code: &str| {
        let journal = AuditJournal::open(folder, code).unwrap();
        let seed = journal.seed().unwrap_or(RunSeed(7));
        let mut audit = Audit::begin(named(), AuditSettings::new(seed)).unwrap();
        audit.keep(journal).unwrap();
        audit
    };
    let mut audit = begin(&folder, "code");
    drive(&mut audit, 9);
    audit.interrupt();
    let first = audit.finish(|_, _| None);
    let resumed = begin(&folder, "code").finish(|_, _| None);
    assert_eq!(resumed.audited, first.audited);
    // Nothing counts that was seen of other code, and after its end an audit begins anew.
    let other = begin(&folder, "other").finish(|_, _| None);
    assert_eq!(other.executions, 0);
    let mut audit = begin(&folder, "other");
    drive(&mut audit, 100_000);
    assert_eq!(audit.finish(|_, _| None).ended, AuditEnd::Decided);
    assert_eq!(begin(&folder, "other").finish(|_, _| None).executions, 0);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn options_are_read_with_their_names_and_a_file_of_known_tests_line_by_line() {
    let mut settings = AuditSettings::new(RunSeed(7));
    settings.read("time", "--time", "90s").unwrap();
    settings.read("max_rate", "--max-rate", "1/100").unwrap();
    assert_eq!(settings.time, Some(Duration::from_secs(90)));
    assert_eq!(settings.max_rate, Some(0.01));
    let error = settings.read("precision", "--precision", "2").unwrap_err();
    assert!(error.to_string().contains("--precision"), "{error}");
    let file = std::env::temp_dir().join(format!("probtest-known-{}", std::process::id()));
    std::fs::write(&file, "# flaky\n\n  half \ntests/a.py::b[#1]\n").unwrap();
    settings
        .read("known", "--known", file.to_str().unwrap())
        .unwrap();
    assert_eq!(settings.known, ["half", "tests/a.py::b[#1]"]);
    std::fs::remove_file(&file).unwrap();
    let error = settings
        .read("known", "--known", file.to_str().unwrap())
        .unwrap_err();
    assert!(error.to_string().contains("known"), "{error}");
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    let refused = |change: fn(&mut AuditSettings), tests: Vec<Named>| {
        let mut settings = AuditSettings::new(RunSeed(7));
        change(&mut settings);
        Audit::begin(tests, settings).unwrap_err().to_string()
    };
    assert!(refused(|_| {}, Vec::new()).contains("no test"));
    let twice = vec![Named::new("a"), Named::new("a")];
    assert!(refused(|_| {}, twice).contains("two tests have one id"));
    assert!(refused(|settings| settings.max_rate = Some(1.5), named()).contains("highest rate"));
    assert!(refused(|settings| settings.precision = 0.0, named()).contains("precision"));
    assert!(refused(|settings| settings.confidence = 1.0, named()).contains("confidence"));
}
