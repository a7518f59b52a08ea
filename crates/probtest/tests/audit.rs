//! The machine of an audit, on suites that are simulated: what is asked for, what is concluded.

use std::time::Duration;

use probtest::audit::{
    Audit, AuditJournal, AuditSettings, Exclusion, NamedTest, NextOrder, Order, OrderResult,
    Outcome, Randomness, accept,
};
use probtest::judge::confidence::ConfidenceSequence;
use probtest::report::{audit_entry, audit_text};
use probtest::seed::{RunSeed, Stream};
use probtest_facts::{AuditCause, AuditEnd, AuditFacts, AuditLimit, AuditOutcome, AuditedTest};

/// A test that is simulated: is given its seed, how many executions came before it in its
/// process, and how many in all.
type Body = fn(u64, usize, u64) -> Outcome;

/// A number from 0 to 1 that the seed alone decides.
pub fn drawn(seed: u64) -> f64 {
    Stream::new(RunSeed(seed), "drawn").execution(1).draw_u64() as f64 / 2f64.powi(64)
}

fn failed(fails: bool) -> Outcome {
    match fails {
        true => Outcome::Failed("assertion failed: left == right\nmore".into()),
        false => Outcome::Passed,
    }
}

const SUITE: [(&str, Body); 9] = [
    ("half", |seed, _, _| failed(drawn(seed) < 0.5)),
    ("tenth", |seed, _, _| failed(drawn(seed) < 0.1)),
    ("never", |_, _, _| Outcome::Passed),
    ("always", |_, _, _| failed(true)),
    ("after itself", |_, before, _| failed(before > 0)),
    ("first of all", |_, before, _| failed(before == 0)),
    ("every third", |_, _, count| failed(count.is_multiple_of(3))),
    ("skipped", |_, _, _| Outcome::Skipped("needs a network".into())),
    ("skips first", |seed, before, _| match before == 0 && drawn(seed) < 0.9 {
        true => Outcome::Skipped("coin".into()),
        false => Outcome::Passed,
    }),
];

fn named() -> Vec<NamedTest> {
    SUITE.iter().map(|(name, _)| NamedTest::new(*name)).collect()
}

/// Makes an order.
fn make(order: &Order, counts: &mut [u64]) -> OrderResult {
    let (name, body) = SUITE[order.test];
    let execute = |(before, seed): (usize, &u64)| {
        counts[order.test] += 1;
        body(*seed, before, counts[order.test])
    };
    OrderResult {
        seen: order.seeds.iter().enumerate().map(execute).collect(),
        randomness: (name == "never").then_some(Randomness::Nothing),
        seconds: 1e-3 * order.seeds.len() as f64,
        ..OrderResult::default()
    }
}

/// What is asked for next.
#[track_caller]
fn ordered(audit: &mut Audit) -> Order {
    match audit.next(Duration::ZERO) {
        NextOrder::Order(order) => order,
        other => panic!("nothing is handed out: {other:?}"),
    }
}

/// Begins an audit of one test.
fn begin_one(name: &str, change: fn(&mut AuditSettings)) -> Audit {
    let mut settings = AuditSettings::new(RunSeed(7));
    change(&mut settings);
    Audit::begin(vec![NamedTest::new(name)], settings).unwrap()
}

/// What came of an order, and nothing else.
fn made(seen: impl IntoIterator<Item = Outcome>) -> OrderResult {
    OrderResult { seen: seen.into_iter().collect(), ..OrderResult::default() }
}

/// Makes so many orders, or all of them.
fn drive(audit: &mut Audit, most: usize) -> usize {
    let mut counts = [0; SUITE.len()];
    for count in 0..most {
        match audit.next(Duration::ZERO) {
            NextOrder::Order(order) => {
                let made = make(&order, &mut counts);
                audit.observe(&order, made);
            }
            NextOrder::Wait => panic!("nothing is under way"),
            NextOrder::Done => return count,
        }
    }
    most
}

fn audited(settings: AuditSettings) -> AuditFacts {
    let mut audit = Audit::begin(named(), settings).unwrap();
    let orders = drive(&mut audit, 100_000);
    assert!(orders < 100_000, "it does not come to an end");
    audit.finish(|again| Some(format!("again {} {:#x}", SUITE[again.test].0, again.seed)))
}

#[track_caller]
pub fn test<'a>(facts: &'a AuditFacts, name: &str) -> &'a AuditedTest {
    facts.audited.iter().find(|test| test.test == name).unwrap()
}

#[test]
fn a_process_that_dies_after_its_last_execution_has_failed_in_that() {
    let mut audit = begin_one("dies", |_| {});
    let order = ordered(&mut audit);
    let mut seen = vec![Outcome::Passed; order.seeds.len()];
    seen.push(Outcome::Failed("it was killed by signal 11".into()));
    let count = order.seeds.len() as u64;
    audit.observe(&order, OrderResult { seen, ..OrderResult::default() });
    let facts = audit.finish(|_| None);
    let test = &facts.audited[0];
    assert_eq!(test.message.as_deref(), Some("it was killed by signal 11"));
    // Only the first execution of a process counts.
    assert_eq!(test.failed, u64::from(count == 1));
}

#[test]
fn every_kind_of_test_is_told_from_the_others() {
    let facts = audited(AuditSettings::new(RunSeed(0x5eed)));
    let kind = |name| (test(&facts, name).outcome.clone(), test(&facts, name).depends_on.clone());
    assert_eq!(kind("half"), (AuditOutcome::Fails, Some(AuditCause::Seed)));
    assert_eq!(kind("tenth"), (AuditOutcome::Fails, Some(AuditCause::Seed)));
    assert_eq!(kind("never"), (AuditOutcome::NeverFailed, Some(AuditCause::Nothing)));
    assert_eq!(kind("always"), (AuditOutcome::FailsAlways, None));
    let state = Some(AuditCause::EarlierExecutions);
    assert_eq!(kind("after itself"), (AuditOutcome::NeverFailed, state.clone()));
    assert_eq!(kind("first of all"), (AuditOutcome::FailsAlways, state));
    let other = Some(AuditCause::SomethingElse);
    assert_eq!(kind("every third"), (AuditOutcome::Fails, other));
    assert_eq!(kind("skipped"), (AuditOutcome::Skipped, None));
    assert_eq!(kind("skips first"), (AuditOutcome::NeverFailed, None));
    assert_eq!(facts.ended, AuditEnd::Decided);
    assert!(facts.audited.iter().all(|test| test.decided));
}

#[test]
fn intervals_hold_the_rates_and_are_as_narrow_as_asked() {
    let facts = audited(AuditSettings::new(RunSeed(0x5eed)));
    for (name, rate) in [("half", 0.5), ("tenth", 0.1), ("always", 1.0), ("after itself", 0.0)] {
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
    assert_eq!(half.replay.as_deref(), Some(&*format!("again half {:#x}", seed.0)));
    assert_eq!(test(&facts, "every third").replay, None);
    assert_eq!(test(&facts, "after itself").replay, None);
}

#[test]
fn no_line_to_copy_stands_where_only_some_seeds_decide() {
    let mut audit = begin_one("a", |settings| settings.chains = false);
    let (mut first, mut count) = (None, 0_u64);
    while let NextOrder::Order(order) = audit.next(Duration::ZERO) {
        count += 1;
        // The first seed fails each time, and any other one every other time.
        let fails = *first.get_or_insert(order.seeds[0]) == order.seeds[0] || count % 2 == 0;
        audit.observe(&order, made([failed(fails)]));
    }
    let facts = audit.finish(|_| Some("again".into()));
    let found = &facts.audited[0];
    assert_eq!(found.depends_on, Some(AuditCause::SomethingElse));
    assert_eq!(found.replay, None);
}

#[test]
fn what_is_to_be_looked_at_comes_first_and_the_text_says_why() {
    let facts = audited(AuditSettings::new(RunSeed(7)));
    let names: Vec<&str> = facts.audited.iter().map(|test| &*test.test).collect();
    assert_eq!(names.last(), Some(&"skipped"));
    assert!(names[..3].contains(&"half") && names[..3].contains(&"tenth"), "{names:?}");
    let text = audit_text(&facts);
    assert!(text.starts_with("5 of 9 tests are flaky, 1 always fails\n"), "{text}");
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
    assert_eq!(test(&facts, "never").limit, None);
    assert_eq!(test(&facts, "skipped").limit, None);
    assert_eq!(facts.unknown, ["gone"]);
    // A file that has lost the rate of what failed shows nothing about it.
    let mut damaged = facts;
    damaged.audited.iter_mut().for_each(|test| test.rate = None);
    accept(&mut damaged, None, None).unwrap();
    assert_eq!(test(&damaged, "tenth").limit, Some(AuditLimit::Undecided));
    assert_eq!(test(&damaged, "never").limit, None);
}

#[test]
fn a_known_test_is_named_in_full_where_its_short_name_is_that_of_several() {
    let test = |package: &str, target: &str| NamedTest {
        package: Some(package.into()),
        target: Some(target.into()),
        ..NamedTest::new("half")
    };
    let begin = |known: &str, tests| {
        let mut settings = AuditSettings::new(RunSeed(7));
        settings.known = vec![known.into()];
        Audit::begin(tests, settings).map(|audit| audit.finish(|_| None))
    };
    let two = vec![test("a", "lib"), test("a", "test b")];
    let error = begin("half", two.clone()).unwrap_err().to_string();
    assert!(error.contains("a lib: half, or a test b: half"), "{error}");
    let facts = begin("a test b: half", two.clone()).unwrap();
    let known: Vec<_> = facts.audited.iter().filter(|test| test.known).collect();
    assert_eq!(known.len(), 1);
    assert_eq!(known[0].target.as_deref(), Some("test b"));
    assert!(begin("half", two[..1].to_vec()).unwrap().audited[0].known);
    assert_eq!(begin("other", two).unwrap().unknown, ["other"]);
}

#[test]
fn after_its_time_an_audit_tells_what_is_known() {
    let mut settings = AuditSettings::new(RunSeed(7));
    settings.time = Some(Duration::from_secs(1));
    let mut audit = Audit::begin(named(), settings).unwrap();
    drive(&mut audit, 3);
    assert_eq!(audit.next(Duration::from_secs(1)), NextOrder::Done);
    let facts = audit.finish(|_| None);
    assert_eq!(facts.ended, AuditEnd::Time);
    assert_eq!(test(&facts, "skipped").outcome, AuditOutcome::NotReached);
    assert!(!test(&facts, "half").decided && test(&facts, "half").executed > 0);
}

#[test]
fn an_execution_that_the_audit_ended_is_told_from_one_that_was_not_reached() {
    let mut audit = Audit::begin(named(), AuditSettings::new(RunSeed(7))).unwrap();
    let order = ordered(&mut audit);
    audit.observe(&order, OrderResult { cut: true, ..OrderResult::default() });
    audit.interrupt();
    assert_eq!(audit.next(Duration::ZERO), NextOrder::Done);
    let facts = audit.finish(|_| None);
    assert_eq!(facts.ended, AuditEnd::Interrupted);
    assert_eq!(test(&facts, SUITE[order.test].0).outcome, AuditOutcome::Unfinished);
}

#[test]
fn without_chains_and_where_fixtures_draw_every_execution_is_alone() {
    let mut audit = begin_one("a", |settings| settings.chains = false);
    for _ in 0..50 {
        let NextOrder::Order(order) = audit.next(Duration::ZERO) else {
            break;
        };
        assert_eq!(order.seeds.len(), 1);
        audit.observe(&order, made([Outcome::Passed]));
    }
    let mut audit = begin_one("a", |_| {});
    for place in 0..5 {
        let order = ordered(&mut audit);
        assert_eq!(order.seeds.len() == 1, place > 0);
        let seen = order.seeds.iter().map(|_| Outcome::Passed).collect();
        audit.observe(&order, OrderResult { seen, shares: true, ..OrderResult::default() });
    }
    // Those that share what the first one drew are no executions of their own.
    assert_eq!(audit.finish(|_| None).audited[0].executed, 5);
}

#[test]
fn tests_that_are_not_executed_are_told_and_do_not_widen_the_intervals_of_others() {
    let apart = |name: &str, why| NamedTest { apart: Some(why), ..NamedTest::new(name) };
    let mut audit = Audit::begin(
        vec![
            NamedTest::new("half"),
            apart("off", Exclusion::Ignored("slow".into())),
            apart("claimed", Exclusion::Claimed),
        ],
        AuditSettings::new(RunSeed(7)),
    )
    .unwrap();
    drive(&mut audit, 10_000);
    let facts = audit.finish(|_| None);
    assert_eq!(test(&facts, "off").outcome, AuditOutcome::Skipped);
    assert_eq!(test(&facts, "off").message.as_deref(), Some("slow"));
    assert_eq!(test(&facts, "claimed").outcome, AuditOutcome::Claimed);
    let half = test(&facts, "half");
    let one = ConfidenceSequence::new(0.95).unwrap();
    let rate = half.rate.unwrap();
    assert_eq!((rate.low, rate.high), one.interval(half.failed, half.executed));
}

#[test]
fn an_audit_that_was_stopped_goes_on_where_its_journal_ends() {
    let folder = std::env::temp_dir().join(format!("probtest-audit-{}", std::process::id()));
    // Some of the tests, with what tells their code from other code.
    let begin = |count: usize, code: &str, given: Option<u64>| {
        let mut tests = named()[..count].to_vec();
        for test in &mut tests {
            test.code = code.to_owned();
        }
        let given = given.map(RunSeed);
        let journal = AuditJournal::open(&folder, &tests, given).unwrap();
        let (news, left) = (journal.news(), journal.seed());
        let seed = given.or(left).unwrap_or(RunSeed(7));
        let mut audit = Audit::begin(tests, AuditSettings::new(seed)).unwrap();
        audit.keep(journal).unwrap();
        (audit, news)
    };
    let resumed = |count, code, given| begin(count, code, given).0.finish(|_| None);
    let all = SUITE.len();
    let mut audit = begin(all, "code", None).0;
    drive(&mut audit, 9);
    audit.interrupt();
    let first = audit.finish(|_| None);
    assert!(first.executions > 0);
    assert_eq!(resumed(all, "code", None).audited, first.audited);

    // Neither another seed nor other code takes anything away.
    assert_eq!(resumed(all, "code", Some(8)).executions, 0);
    assert_eq!(resumed(all, "code", Some(7)).audited, first.audited);
    let (audit, news) = begin(all, "other", None);
    assert_eq!(audit.finish(|_| None).executions, 0);
    assert!(news.unwrap().ends_with(&format!("do not count: {}", first.executions)));
    assert_eq!(resumed(all, "code", None).audited, first.audited);

    // A part that has ended is known to the whole, and begins anew by itself.
    let mut audit = begin(2, "code", None).0;
    drive(&mut audit, 100_000);
    let part = audit.finish(|_| None);
    assert_eq!(part.ended, AuditEnd::Decided);
    let known = resumed(all, "code", None);
    assert_eq!(test(&known, "half").executed, test(&part, "half").executed);
    let mut audit = begin(all, "code", None).0;
    drive(&mut audit, 100_000);
    let whole = audit.finish(|_| None);
    assert_eq!((&*whole.seed, &whole.ended), ("0x7", &AuditEnd::Decided));
    assert_eq!(resumed(2, "code", None).executions, 0);
    let known = resumed(all, "code", None);
    assert_eq!(test(&known, "half").executed, 0);
    assert_eq!(test(&known, "always").executed, test(&whole, "always").executed);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_part_of_an_audit_keeps_the_correction_for_all_tests_that_were_audited_together() {
    let folder = std::env::temp_dir().join(format!("probtest-narrowed-{}", std::process::id()));
    // Audits the tests in this range under a seed, and returns the interval of the first of them,
    // with that of one test among `together`.
    let audit = |range: std::ops::Range<usize>, seed: u64, most: usize, together: f64| {
        let tests = named()[range].to_vec();
        let journal = AuditJournal::open(&folder, &tests, Some(RunSeed(seed))).unwrap();
        let mut audit = Audit::begin(tests, AuditSettings::new(RunSeed(seed))).unwrap();
        audit.keep(journal).unwrap();
        drive(&mut audit, most);
        let facts = audit.finish(|_| None);
        let half = test(&facts, "half");
        let sequence = ConfidenceSequence::new(1.0 - (1.0 - 0.95) / together).unwrap();
        let rate = half.rate.unwrap();
        assert!(half.executed > 0);
        assert_eq!((rate.low, rate.high), sequence.interval(half.failed, half.executed));
    };
    audit(0..7, 7, 30, 7.0);
    audit(0..1, 7, 0, 7.0);
    // A further test was not there when the journal began.
    audit(0..9, 7, 10, 9.0);
    audit(0..1, 7, 0, 9.0);
    // Nothing is known yet under another seed. What begins anew under the same one sees the same again.
    audit(0..1, 8, 100_000, 1.0);
    audit(0..2, 8, 100_000, 2.0);
    audit(0..1, 8, 100_000, 2.0);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_name_with_control_characters_is_harmless_for_a_terminal() {
    let name = "half\u{1b}]0;owned\u{7}";
    let mut settings = AuditSettings::new(RunSeed(7));
    settings.known = vec!["gone\u{1b}[2J".into()];
    for apart in [None, Some(Exclusion::Ignored("off".into()))] {
        let tests = vec![NamedTest { apart, ..NamedTest::new(name) }];
        let mut audit = Audit::begin(tests, settings.clone()).unwrap();
        drive(&mut audit, 100_000);
        let news = audit.news();
        let facts = audit.finish(|_| None);
        let mut told: Vec<String> = news.iter().map(audit_entry).collect();
        told.push(audit_text(&facts));
        for text in told {
            assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{text:?}");
            assert!(text.contains(r#""half\u{1b}]0;owned\u{7}""#), "{text}");
        }
    }
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
    settings.read("known", "--known", file.to_str().unwrap()).unwrap();
    assert_eq!(settings.known, ["half", "tests/a.py::b[#1]"]);
    std::fs::remove_file(&file).unwrap();
    let error = settings.read("known", "--known", file.to_str().unwrap()).unwrap_err();
    assert!(error.to_string().contains("known"), "{error}");
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    let refused = |change: fn(&mut AuditSettings), tests: Vec<NamedTest>| {
        let mut settings = AuditSettings::new(RunSeed(7));
        change(&mut settings);
        Audit::begin(tests, settings).unwrap_err().to_string()
    };
    assert!(refused(|_| {}, Vec::new()).contains("no tests"));
    let twice = vec![NamedTest::new("a"), NamedTest::new("a")];
    assert!(refused(|_| {}, twice).contains("two tests have the same id"));
    assert!(refused(|settings| settings.max_rate = Some(1.5), named()).contains("highest rate"));
    assert!(refused(|settings| settings.precision = 0.0, named()).contains("precision"));
    assert!(refused(|settings| settings.confidence = 1.0, named()).contains("confidence"));
}

/// Says whether a test fails, by its seed and whether that is mixed into those of its code.
type Varied = fn(u64, bool) -> bool;

/// Audits tests whose seeds are varied.
fn varied(tests: &[(&str, Varied)], change: fn(&mut AuditSettings)) -> AuditFacts {
    let mut settings = AuditSettings::new(RunSeed(7));
    settings.varies = true;
    change(&mut settings);
    let named = tests.iter().map(|(name, _)| NamedTest::new(*name)).collect();
    let mut audit = Audit::begin(named, settings).unwrap();
    let mut begun = vec![false; tests.len()];
    for _ in 0..10_000 {
        let NextOrder::Order(order) = audit.next(Duration::ZERO) else {
            return audit.finish(|_| None);
        };
        // As it is comes first.
        assert!(begun[order.test] || !order.varies && order.seeds.len() == 1);
        begun[order.test] = true;
        let fails = |seed: &u64| failed(tests[order.test].1(*seed, order.varies));
        let seen = order.seeds.iter().map(fails).collect();
        audit.observe(&order, OrderResult { seen, seconds: 1e-3, ..OrderResult::default() });
    }
    panic!("it does not come to an end");
}

#[test]
fn tests_with_hard_coded_values_pass_with_their_own_seeds_alone_and_are_listed_apart() {
    let tests: [(&str, Varied); 6] = [
        ("expects", |_, varies| varies),
        ("nearly", |seed, varies| varies && drawn(seed) < 0.97),
        ("lucky", |seed, varies| varies && drawn(seed) < 0.5),
        ("always", |_, _| true),
        ("unlucky", |_, varies| !varies),
        // With its own seeds it passes at first, and not each time.
        ("loses", |seed, varies| varies || drawn(seed) < 0.5),
    ];
    let first = varied(&tests, |_| {});
    let kind = |name| {
        let test = test(&first, name);
        (test.outcome.as_str(), test.depends_on.clone(), test.own_seeds)
    };
    let expects = Some(AuditCause::ExpectedValues);
    assert_eq!(kind("expects"), ("fails", expects.clone(), Some(true)));
    assert_eq!(kind("nearly"), ("fails", expects, Some(true)));
    let seed = Some(AuditCause::Seed);
    assert_eq!(kind("lucky"), ("fails", seed, Some(true)));
    assert_eq!(kind("always"), ("fails_always", None, Some(false)));
    assert_eq!(kind("unlucky"), ("never_failed", None, Some(false)));
    assert_ne!(kind("loses").1, Some(AuditCause::ExpectedValues));
    assert!(first.audited.iter().all(|test| test.decided));
    assert!(test(&first, "expects").rate.unwrap().low > 0.8);

    let text = audit_text(&first);
    let (_, listed) = text.split_once("\nHard-coded expected values\n").unwrap();
    assert!(listed.contains("Leave them out when you vary seeds"), "{text}");
    assert!(listed.contains("\nexpects: passes with its own seeds"), "{text}");
    assert!(!listed.contains("lucky"), "{text}");
    assert!(text.contains("2 have hard-coded expected values\n"), "{text}");

    // It did pass, and was asked again.
    let loses = varied(&tests[5..], |_| {});
    let counted = test(&loses, "loses").executed + test(&loses, "loses").repeated;
    assert!(loses.executions - counted > 1, "{loses:?}");

    // They are right, so they are above no rate that is accepted.
    let limited = varied(&tests[..2], |settings| settings.max_rate = Some(0.01));
    assert_eq!(test(&limited, "expects").limit, None);
    assert_eq!(probtest::report::audit_limit(&limited), AuditLimit::Below);
}

/// Says whether a test fails, by the seeds of its process up to its own.
type Kept = fn(&[u64]) -> bool;

/// Audits a test whose executions in one process have something in common.
fn keeping(seed: u64, fails: Kept) -> AuditedTest {
    let mut settings = AuditSettings::new(RunSeed(seed));
    settings.confidence = 1.0 - 1e-11;
    settings.precision = 0.2;
    let mut audit = Audit::begin(vec![NamedTest::new("keeps")], settings).unwrap();
    while let NextOrder::Order(order) = audit.next(Duration::ZERO) {
        let seen = (1..=order.seeds.len()).map(|count| failed(fails(&order.seeds[..count])));
        audit.observe(&order, made(seen));
    }
    audit.finish(|_| None).audited.remove(0)
}

#[test]
fn what_a_process_keeps_does_not_make_an_interval_wrong() {
    let kept: [(&str, Kept, f64); 3] = [
        // A cache, a fixture or a shutdown of the process: all of them fail, or none.
        ("cached", |seeds| drawn(seeds[0]) < 0.1, 0.1),
        ("leaks", |seeds| drawn(seeds[seeds.len() - 1]) < 0.2 || seeds.len() > 5, 0.2),
        ("wears off", |seeds| drawn(seeds[seeds.len() - 1]) < 0.3 && seeds.len() < 3, 0.3),
    ];
    // Each of 30 intervals misses with probability 1e-11 at most: a false alarm in 3e-10 of all cases.
    for (name, fails, rate) in kept {
        for seed in 0..10 {
            let found = keeping(seed, fails).rate.unwrap();
            assert!(found.low <= rate && rate <= found.high, "{name}: {found:?}");
        }
    }
}

#[test]
fn a_failure_that_does_not_count_is_not_forgotten() {
    // Only a later execution has this seed's kind: the rate has none of it, the outcome has.
    let mut audit = begin_one("rare", |settings| settings.precision = 0.2);
    let mut bad = None;
    while let NextOrder::Order(order) = audit.next(Duration::ZERO) {
        if order.seeds.len() > 1 {
            bad.get_or_insert(order.seeds[1]);
        }
        let seen = order.seeds.iter().map(|seed| failed(Some(*seed) == bad));
        audit.observe(&order, made(seen));
    }
    let rare = audit.finish(|_| None).audited.remove(0);
    assert_eq!((rare.outcome, rare.failed), (AuditOutcome::Fails, 0));
    assert_eq!(rare.depends_on, Some(AuditCause::Seed));
    assert!(
        rare.summary.starts_with("never failed as the first execution of a process (0 of "),
        "{}",
        rare.summary
    );
}

/// Executes with new seeds, as many at the same time, and ends those that hang when none is left that ends.
fn hanging(audit: &mut Audit, jobs: usize, hangs: impl Fn(u64) -> bool) {
    let mut under_way = Vec::new();
    while under_way.len() < jobs {
        let NextOrder::Order(order) = audit.next(Duration::ZERO) else {
            break;
        };
        if hangs(order.seeds[0]) {
            under_way.push(order);
            continue;
        }
        audit.observe(&order, made(order.seeds.iter().map(|_| Outcome::Passed)));
    }
    audit.interrupt();
    for order in under_way {
        audit.observe(&order, OrderResult { cut: true, ..OrderResult::default() });
    }
}

#[test]
fn executions_that_do_not_end_are_neither_forgotten_nor_taken_for_passes() {
    let mut audit = begin_one("hangs", |settings| settings.max_rate = Some(0.04));
    hanging(&mut audit, 16, |seed| drawn(seed) < 0.05);
    let facts = audit.finish(|_| None);
    let hangs = test(&facts, "hangs");
    assert_eq!((hangs.failed, hangs.unended), (0, 9));
    assert_eq!(hangs.limit, Some(AuditLimit::Undecided));
    let rate = hangs.rate.unwrap();
    assert!(rate.low == 0.0 && rate.high > 0.05, "{rate:?}");
    assert!(
        (hangs.summary).ends_with("; 9 still running at the end, after up to 0.0 s"),
        "{}",
        hangs.summary
    );
}

#[test]
fn what_did_not_end_is_executed_again_when_an_audit_goes_on() {
    let folder = std::env::temp_dir().join(format!("probtest-unended-{}", std::process::id()));
    let begin = || {
        let settings = AuditSettings::new(RunSeed(7));
        let tests = [NamedTest { code: "code".into(), ..NamedTest::new("hangs") }];
        let mut audit = Audit::begin(tests.to_vec(), settings).unwrap();
        audit.keep(AuditJournal::open(&folder, &tests, None).unwrap()).unwrap();
        audit
    };
    let mut audit = begin();
    hanging(&mut audit, 1, |seed| drawn(seed) < 0.05);
    assert_eq!(audit.finish(|_| None).audited[0].unended, 1);
    let mut audit = begin();
    let order = ordered(&mut audit);
    assert!(order.seeds.len() == 1 && drawn(order.seeds[0]) < 0.05);
    audit.observe(&order, made([Outcome::Passed]));
    audit.interrupt();
    assert_eq!(audit.finish(|_| None).audited[0].unended, 0);
    std::fs::remove_dir_all(&folder).unwrap();

    // It hung for another reason than its seed, which a pass does not undo, nor does going on.
    let told = |seconds, audit: &mut Audit| {
        if let NextOrder::Order(order) = audit.next(Duration::ZERO) {
            let (cut, seen) = match seconds {
                60.0 => (true, vec![]),
                _ => (false, vec![Outcome::Passed]),
            };
            let made = OrderResult { cut, seen, seconds, ..OrderResult::default() };
            audit.observe(&order, made);
        }
    };
    for expected in 1..=3 {
        let mut audit = begin();
        if expected > 1 {
            told(0.1, &mut audit);
        }
        told(60.0, &mut audit);
        audit.interrupt();
        let found = audit.finish(|_| None).audited.remove(0);
        assert_eq!((found.unended, found.unended_seconds), (expected, 60.0), "{found:?}");
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn what_cannot_run_is_given_up_soon_and_never_below_a_limit() {
    for before in [0, 30] {
        let mut audit = begin_one("a", |settings| {
            (settings.chains, settings.precision) = (false, 0.001);
        });
        let mut count = 0;
        while let NextOrder::Order(order) = audit.next(Duration::ZERO) {
            count += 1;
            let seen = match count > before {
                true => Outcome::NotRun("there is no program".into()),
                false => Outcome::Passed,
            };
            audit.observe(&order, made([seen]));
        }
        assert!(count < before + 10, "{count}");
        let mut facts = audit.finish(|_| None);
        accept(&mut facts, Some(0.9), None).unwrap();
        let found = &facts.audited[0];
        assert_eq!((found.executed, found.not_run), (before, count - before));
        assert_eq!(found.limit, Some(AuditLimit::Undecided));
        let text = audit_text(&facts);
        let words = match before {
            0 => "could not run: there is no program",
            _ => "4 more could not run",
        };
        assert!(text.contains(words), "{text}");
        assert!(
            text.starts_with("none of 1 test is known to be flaky, 1 not decided yet\n"),
            "{text}"
        );
    }
}

#[test]
fn nothing_is_said_of_a_test_that_is_not_decided() {
    let told = |outcome: Option<Outcome>| {
        let mut audit = begin_one("a", |_| {});
        if let (Some(outcome), NextOrder::Order(order)) = (outcome, audit.next(Duration::ZERO)) {
            audit.observe(&order, made([outcome]));
        }
        audit.interrupt();
        audit_text(&audit.finish(|_| None))
    };
    for outcome in [None, Some(Outcome::Passed), Some(failed(true))] {
        let text = told(outcome);
        let headline = "none of 1 test is known to be flaky, 1 not decided yet\n";
        assert!(text.starts_with(headline), "{text}");
    }
}
