//! The machine: whatever order records come in, the report is that of index order, and
//! nothing runs that is not needed.

use std::cell::{Cell, RefCell};
use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::common::{Body, cases, facts, violation};
use probtest::judge::{Doubt, Reason, Verdict};
use probtest::machine::{Attempt, Executor, Flow, Next, Serial, TestRun, Threads};
use probtest::report::Remembered;
use probtest::run::{Observation, Record};
use probtest::seed::{Address, RunSeed, Stream};
use probtest::settings::{Cancel, Share, Suite};
use probtest::{Claim, Report, Settings, TestRng};
use probtest_facts::json::{FromJson, ToJson};
use rand::RngExt;

fn claim() -> Claim {
    Claim::detect(0.01, 0.02).unwrap()
}

fn settings<'a>() -> Settings<'a> {
    Settings::new("machine").seed(0x5eed)
}

fn begin<'a>(settings: Settings<'a>) -> TestRun<'a> {
    TestRun::begin(&claim(), settings).unwrap()
}

fn serial(claim: &Claim, settings: Settings<'_>, body: Body) -> Report {
    let mut run = TestRun::begin(claim, settings).unwrap();
    Serial::new(&mut |rng| body(rng)).execute(&mut run);
    run.finish()
}

/// The same program, but a third of the attempts at each execution are rejected.
fn with_rejections(body: Body, rng: &mut TestRng) -> Observation {
    match rng.random_range(0..3) {
        0 => Observation::Rejected,
        _ => body(rng),
    }
}

#[track_caller]
fn attempt(run: &mut TestRun<'_>) -> Attempt {
    match run.next() {
        Next::Attempt(attempt) => attempt,
        other => panic!("{other:?}"),
    }
}

/// Hands out this many executions.
fn attempts(run: &mut TestRun<'_>, count: usize) -> Vec<Attempt> {
    (0..count).map(|_| attempt(run)).collect()
}

/// Says that an attempt passed, and returns whether that was enough.
fn pass(run: &mut TestRun<'_>, attempt: Attempt) -> bool {
    run.observe(attempt.did(Observation::Passed, true)).is_done()
}

/// The attempt after this one.
fn after(mut attempt: Attempt) -> Attempt {
    attempt.attempt += 1;
    attempt
}

/// Executes in an order of its own: takes up to 40 attempts, makes any of them, and may
/// tell again what it has told before.
struct Shuffled<'a> {
    body: &'a dyn Fn(&mut TestRng) -> Observation,
    order: TestRng,
    twice: bool,
    /// Whether each record is written and read on its way.
    as_text: bool,
}

impl Shuffled<'_> {
    fn observe(&self, run: &mut TestRun<'_>, record: Record) -> Flow {
        if !self.as_text {
            return run.observe(record);
        }
        let text = record.to_json().to_string();
        let read = Record::from_json(text.parse().unwrap()).unwrap();
        assert_eq!(read, record);
        run.observe(read)
    }
}

impl Executor for Shuffled<'_> {
    fn execute(&mut self, run: &mut TestRun<'_>) {
        let mut open = Vec::new();
        let mut told = Vec::new();
        loop {
            while open.len() < 40 {
                match run.next_range(self.order.random_range(1..8)) {
                    Next::Attempt(range) => open.extend(range.attempts()),
                    Next::Wait => break,
                    Next::Done => return,
                }
            }
            assert!(!open.is_empty(), "waits for nothing");
            let attempt = open.swap_remove(self.order.random_range(0..open.len()));
            let mut rng = attempt.rng();
            let observation = (self.body)(&mut rng);
            let record = attempt.did(observation, rng.has_drawn());
            if self.twice {
                told.push(record.clone());
                let again: Record = told[self.order.random_range(0..told.len())].clone();
                if self.observe(run, again).is_done() {
                    open.clear();
                    continue;
                }
            }
            if self.observe(run, record).is_done() {
                open.clear();
            }
        }
    }
}

fn ordered(seed: u64) -> Settings<'static> {
    let settings = Settings::new("order").seed(seed);
    settings.shrink_time(Duration::ZERO)
}

fn shuffled(claim: &Claim, seed: u64, body: &dyn Fn(&mut TestRng) -> Observation) -> [Report; 3] {
    [(false, false), (true, false), (true, true)].map(|(twice, as_text)| {
        let mut run = TestRun::begin(claim, ordered(seed)).unwrap();
        let order = Stream::new(RunSeed(seed), "shuffle").execution(1);
        let mut executor = Shuffled { body, order, twice, as_text };
        executor.execute(&mut run);
        run.finish()
    })
}

#[test]
fn records_in_any_order_told_twice_or_as_text_give_the_report_of_index_order() {
    for (claim, body) in cases() {
        let mut verdicts = Vec::new();
        for seed in 0..12 {
            for rejects in [false, true] {
                let body = |rng: &mut TestRng| match rejects {
                    true => with_rejections(body, rng),
                    false => body(rng),
                };
                let mut run = TestRun::begin(&claim, ordered(seed)).unwrap();
                Serial::new(&mut |rng| body(rng)).execute(&mut run);
                let expected = run.finish();
                assert_eq!(expected.counts().rejected > 0, rejects);
                verdicts.push(expected.verdict_name());
                for report in shuffled(&claim, seed, &body) {
                    assert_eq!(facts(&report), facts(&expected), "{} {seed}", claim.kind());
                }
            }
        }
        verdicts.sort();
        verdicts.dedup();
        let several = if claim.kind() == "estimate" { 1 } else { 2 };
        assert!(verdicts.len() >= several, "{} is always {verdicts:?}", claim.kind());
    }
}

#[test]
fn any_number_of_threads_gives_the_report_of_one() {
    for (claim, body) in cases() {
        for (seed, rejects) in (0..6).zip([false, true].into_iter().cycle()) {
            let body = |rng: &mut TestRng| match rejects {
                true => with_rejections(body, rng),
                false => body(rng),
            };
            let reports = (0..=8).map(|jobs| {
                let mut run = TestRun::begin(&claim, Settings::new("jobs").seed(seed)).unwrap();
                match jobs {
                    0 => Serial::new(&mut |rng| body(rng)).execute(&mut run),
                    jobs => Threads::new(jobs, &body).execute(&mut run),
                }
                facts(&run.finish())
            });
            let reports: Vec<_> = reports.collect();
            for report in &reports[1..] {
                assert_eq!(*report, reports[0], "{} {seed}", claim.kind());
            }
        }
    }
}

#[test]
fn passes_at_once_come_to_the_same_as_single_passes() {
    let claim = Claim::detect(0.1, 0.05).unwrap();
    let runs: [&[u64]; 8] =
        [&[29], &[28], &[28, 1], &[30], &[1, 27, 1], &[10, 10, 10], &[10, 19], &[12, 1, 1]];
    for max_executions in [None, Some(1), Some(13), Some(29), Some(100)] {
        for lengths in runs {
            let observed = |at_once: bool| {
                let mut settings = settings();
                if let Some(most) = max_executions {
                    settings = settings.max_executions(most);
                }
                let mut run = TestRun::begin(&claim, settings).unwrap();
                let Next::Attempt(range) = run.next_range(u64::MAX) else {
                    panic!("nothing to do");
                };
                let stream = range.attempts().next().unwrap().stream();
                let mut first = 1;
                let mut flows = Vec::new();
                for &count in lengths {
                    let mut flow = Flow::Continue;
                    if at_once {
                        flow = run.observe_passes(first, count, count);
                    } else {
                        for index in first..first + count {
                            flow = run.observe(Record {
                                seed: stream.seed(),
                                index,
                                attempt: 0,
                                has_drawn: true,
                                observation: Observation::Passed,
                            });
                        }
                    }
                    flows.push(flow);
                    first += count;
                }
                (flows, facts(&run.finish()))
            };
            assert_eq!(observed(true), observed(false), "{max_executions:?}, {lengths:?}");
        }
    }
}

#[test]
fn passes_at_once_that_overlap_what_is_known_are_taken_one_by_one() {
    // Execution 5 has violated before: it is not passed over.
    let mut run = begin(settings());
    let taken = attempts(&mut run, 10);
    assert!(!run.observe(taken[4].did(violation(), true)).is_done());
    assert!(run.observe_passes(1, 10, 10).is_done());
    assert_eq!(run.finish().violating_index(), Some(5));
    // Those that are known already are not counted again, the others are.
    let mut run = begin(settings());
    attempts(&mut run, 10);
    assert!(!run.observe_passes(1, 4, 4).is_done());
    assert!(!run.observe_passes(3, 5, 5).is_done());
    assert_eq!(run.counts().executed, 7);
}

/// Observes this of execution 3, once more when it is delivered, waiting, or drawn again.
fn told_again(state: &str, first: Observation, again: Observation) -> Report {
    let mut run = begin(settings());
    let taken = attempts(&mut run, 5);
    if state == "delivered" {
        pass(&mut run, taken[0]);
        pass(&mut run, taken[1]);
    }
    let third = taken[2];
    let mut told = vec![third.did(first.clone(), true)];
    if first == Observation::Rejected {
        told.push(after(third).did(Observation::Passed, true));
    }
    for record in told {
        assert!(!run.observe(record).is_done());
    }
    let _ = run.observe(third.did(again, true));
    let rest = [taken[0], taken[1], taken[3], taken[4]];
    for attempt in rest {
        pass(&mut run, attempt);
    }
    run.finish()
}

#[test]
fn two_results_of_one_execution_are_no_verdict_and_one_told_twice_is_harmless() {
    let same = |one: &Observation, other: &Observation| one == other;
    let seen = [Observation::Passed, Observation::Rejected];
    let told = [Observation::Passed, Observation::Rejected, violation()];
    for state in ["delivered", "waiting"] {
        for first in &seen {
            for again in &told {
                let report = told_again(state, first.clone(), again.clone());
                let expected = match same(first, again) {
                    true => Reason::Cancelled,
                    false => Reason::TwoResults { index: 3 },
                };
                assert_eq!(
                    *report.verdict(),
                    Verdict::Inconclusive(expected),
                    "{state}: {first:?}, then {again:?}"
                );
            }
        }
    }
    let report = told_again("waiting", violation(), Observation::Passed);
    let text = report.to_string();
    let words = "  reason    execution 3 gave two different results\n";
    assert!(text.contains(words), "{text}");
    assert_eq!(report.address().unwrap().index, 3);
    // The words of a violation may name a time: they are no result of their own.
    let mut run = begin(settings());
    let taken = attempts(&mut run, 2);
    for words in ["at 12:01", "at 12:02"] {
        let violation = probtest::run::Violation::new(words);
        let observation = Observation::Violated(Box::new(violation));
        assert!(!run.observe(taken[1].did(observation, true)).is_done());
    }
    assert!(pass(&mut run, taken[0]));
    assert_eq!(run.finish().violation().unwrap().message, "at 12:01");
}

#[test]
fn an_attempt_that_was_rejected_before_cannot_have_passed() {
    let mut run = begin(settings());
    let first = attempt(&mut run);
    assert!(!run.observe(first.did(Observation::Rejected, true)).is_done());
    assert!(!run.observe(first.did(Observation::Rejected, true)).is_done());
    let again = attempt(&mut run);
    assert_eq!((again.index, again.attempt), (1, 1));
    assert_ne!(again.rng().draw_u64(), first.rng().draw_u64());
    assert!(pass(&mut run, first));
    let verdict = Verdict::Inconclusive(Reason::TwoResults { index: 1 });
    assert_eq!(*run.finish().verdict(), verdict);
}

#[test]
fn rejected_executions_are_handed_out_again_first_and_once() {
    let mut run = begin(settings());
    let taken = attempts(&mut run, 4);
    for place in [3, 1] {
        let record = taken[place].did(Observation::Rejected, true);
        assert!(!run.observe(record).is_done());
    }
    let found: Vec<_> =
        attempts(&mut run, 3).iter().map(|attempt| (attempt.index, attempt.attempt)).collect();
    assert_eq!(found, [(2, 1), (4, 1), (5, 0)]);
    // Rejections count with their execution, in index order.
    pass(&mut run, taken[0]);
    assert_eq!(run.counts().rejected, 0);
    pass(&mut run, after(taken[1]));
    let counts = run.counts();
    assert_eq!((counts.executed, counts.rejected), (2, 1));
}

#[test]
fn what_a_rejected_attempt_drew_counts_for_its_execution() {
    let claim = Claim::detect(0.5, 0.05).unwrap();
    for drew in [false, true] {
        let mut run = TestRun::begin(&claim, settings()).unwrap();
        while let Next::Attempt(attempt) = run.next() {
            let observation = match attempt.attempt {
                0 => Observation::Rejected,
                _ => Observation::Passed,
            };
            let record = attempt.did(observation, drew && attempt.attempt == 0);
            if run.observe(record).is_done() {
                break;
            }
        }
        let report = run.finish();
        assert_eq!(report.counts().rejected, 6);
        assert_eq!(report.doubts() == [Doubt::NeverDrew], !drew);
    }
}

#[test]
fn a_thousand_rejections_of_one_execution_decide_although_earlier_ones_are_open() {
    let mut run = begin(settings());
    let taken = attempts(&mut run, 2);
    let mut current = taken[1];
    for _ in 0..probtest::machine::REJECTIONS_IN_A_ROW {
        assert_eq!(current.index, 2);
        assert!(!run.observe(current.did(Observation::Rejected, true)).is_done());
        if current.attempt + 1 < probtest::machine::REJECTIONS_IN_A_ROW {
            current = attempt(&mut run);
        }
    }
    // Nothing after the second execution is needed.
    assert_eq!(run.next(), Next::Wait);
    assert!(pass(&mut run, taken[0]));
    let report = run.finish();
    let verdict = Verdict::Inconclusive(Reason::Rejections { allowed: 1000, in_a_row: true });
    assert_eq!(*report.verdict(), verdict);
    assert_eq!((report.counts().executed, report.counts().rejected), (1, 1000));
}

#[test]
fn what_waits_for_a_slow_execution_is_bounded() {
    let claim = Claim::detect(1e-6, 0.05).unwrap();
    let mut run = TestRun::begin(&claim, settings()).unwrap();
    let slow = attempt(&mut run);
    let mut waiting = 0;
    while let Next::Attempt(attempt) = run.next() {
        assert!(!pass(&mut run, attempt));
        waiting += 1;
    }
    assert_eq!(waiting, 1 << 16);
    assert_eq!(run.next(), Next::Wait);
    assert_eq!(run.counts().executed, 0);
    assert!(!pass(&mut run, slow));
    assert_eq!(run.counts().executed, 1 + (1 << 16));
    assert_eq!(attempt(&mut run).index, 2 + (1 << 16));
}

#[test]
fn no_execution_after_a_deciding_one_is_handed_out_and_the_executor_is_told() {
    let told = RefCell::new(Vec::new());
    let decided = |index| told.borrow_mut().push(index);
    let mut run = begin(settings().confirm(false).decided(decided));
    let horizon = run.horizon();
    let taken = attempts(&mut run, 30);
    for (index, last) in [(24, 24), (27, 24), (10, 10), (24, 10)] {
        let record = taken[index - 1].did(violation(), true);
        assert!(!run.observe(record).is_done());
        assert_eq!(run.next(), Next::Wait, "after {index}");
        assert_eq!(horizon.load(Ordering::SeqCst), last);
    }
    // One that was rejected is drawn again only where it is still needed.
    for index in [20, 5] {
        let record = taken[index - 1].did(Observation::Rejected, true);
        assert!(!run.observe(record).is_done());
    }
    let again = attempt(&mut run);
    assert_eq!((again.index, again.attempt), (5, 1));
    assert_eq!(run.next(), Next::Wait);
    pass(&mut run, again);
    for attempt in &taken[..9] {
        if attempt.index != 5 {
            let done = pass(&mut run, *attempt);
            assert_eq!(done, attempt.index == 9);
        }
    }
    assert_eq!(run.next(), Next::Done);
    let report = run.finish();
    assert_eq!(report.summary(), probtest_testing::words::violated_at(10, 390));
    assert_eq!(report.counts().executed, 10);
    assert_eq!(*told.borrow(), [24, 10, 10], "lower each time, and at the end");
}

#[test]
fn a_tolerated_violation_decides_nothing() {
    let told = Cell::new(None);
    let tolerate = probtest::tolerate(0.01).p(0.1).claim().unwrap();
    let settings = settings().decided(|index| told.set(Some(index)));
    let mut run = TestRun::begin(&tolerate, settings).unwrap();
    let taken = attempts(&mut run, 30);
    assert!(!run.observe(taken[9].did(violation(), true)).is_done());
    assert_eq!(told.get(), None);
    assert_eq!(attempt(&mut run).index, 31);
}

fn address(text: &str) -> Address {
    text.parse().unwrap()
}

#[test]
fn remembered_counterexamples_come_first_and_do_not_count() {
    let remembered = vec![address("0x7:3"), address("0x8:1")];
    let mut run = begin(settings().remembered(remembered.clone()));
    assert!(!run.is_planned());
    for expected in &remembered {
        let attempt = attempt(&mut run);
        assert_eq!(attempt.address(), *expected);
        assert_eq!(attempt.rng().draw_u64(), {
            let stream = Stream::new(expected.seed, "machine");
            stream.execution(expected.index).draw_u64()
        });
        assert_eq!(run.next(), Next::Wait, "one after the other");
        assert!(!pass(&mut run, attempt));
        // Said twice, it is not taken for the next one.
        assert!(!pass(&mut run, attempt));
    }
    let planned = attempt(&mut run);
    assert_eq!(planned.address(), address("0x5eed:1"));
    // A late answer to one of them is no execution of the plan.
    let late = Record { seed: remembered[1].seed, ..planned.did(violation(), true) };
    assert!(!run.observe(late).is_done());
    assert_eq!(run.counts().executed, 0);
    assert_eq!(*run.finish().remembered(), Remembered::Fixed(remembered));
}

#[test]
fn remembered_counterexamples_are_looked_at_on_any_number_of_threads() {
    // The second one lies behind the last execution of the plan.
    let remembered = vec![address("0x7:3"), address("0x7:5000")];
    for jobs in [1, 2, 4] {
        let mut run = begin(settings().remembered(remembered.clone()));
        Threads::new(jobs, &|rng| match rng.draw_u64() {
            0 => violation(),
            _ => Observation::Passed,
        })
        .execute(&mut run);
        let report = run.finish();
        assert!(report.passed(), "{report}");
        assert_eq!(*report.remembered(), Remembered::Fixed(remembered.clone()));
        assert_eq!(report.counts().executed, 390);
    }
}

#[test]
fn a_remembered_counterexample_that_violates_again_ends_the_test() {
    let remembered = vec![address("0x7:3"), address("0x8:1")];
    let mut run = begin(settings().remembered(remembered.clone()));
    let first = attempt(&mut run);
    assert!(!run.observe(first.did(Observation::Rejected, true)).is_done());
    let again = attempt(&mut run);
    assert_eq!((again.address(), again.attempt), (remembered[0], 1));
    assert!(run.observe(again.did(violation(), true)).is_done());
    assert_eq!(run.next(), Next::Done);
    let report = run.finish();
    assert_eq!(*report.remembered(), Remembered::Again(remembered[0]));
    assert_eq!(report.address(), Some(remembered[0]));
    assert_eq!((report.counts().executed, report.counts().rejected), (1, 1));
}

#[test]
fn only_claims_that_one_execution_breaks_look_at_remembered_ones() {
    for (claim, _) in cases() {
        let settings = settings().remembered(vec![address("0x7:3")]);
        let mut run = TestRun::begin(&claim, settings).unwrap();
        let breaks = matches!(claim.kind(), "detect" | "cover");
        let expected = if breaks { "0x7:3" } else { "0x5eed:1" };
        assert_eq!(attempt(&mut run).address(), address(expected), "{}", claim.kind());
    }
}

#[test]
fn one_execution_alone_is_shown_and_never_a_pass_under_any_claim() {
    for (claim, body) in cases() {
        let report = serial(&claim, settings().replay(address("0x9:4")), body);
        let kind = claim.kind();
        assert!(!report.accepted(), "{kind}");
        assert_eq!(report.counts().executed, 1, "{kind}");
        assert_eq!(report.seed(), RunSeed(9), "{kind}");
        let mut rng = Stream::new(RunSeed(9), "machine").execution(4);
        let returned = match body(&mut rng) {
            Observation::Number(number) => Some(number.0.to_string()),
            Observation::Label(label) => Some(label.to_string()),
            _ => None,
        };
        assert_eq!(report.returned(), returned.as_deref(), "{kind}");
        assert!(report.rate().is_none() || kind == "estimate", "{kind}");
        let violated = serial(&claim, settings().replay(address("0x9:4")), |_| violation());
        assert_eq!(violated.violating_index(), Some(4), "{kind}");
        assert_eq!(violated.address(), Some(address("0x9:4")), "{kind}");
    }
}

#[test]
fn an_execution_alone_is_drawn_again_when_it_is_rejected() {
    let mut run = begin(settings().replay(address("0x9:4")));
    let first = attempt(&mut run);
    assert_eq!(run.next(), Next::Wait);
    assert!(!run.observe(first.did(Observation::Rejected, true)).is_done());
    let again = attempt(&mut run);
    assert_eq!((again.address(), again.attempt), (address("0x9:4"), 1));
    assert!(pass(&mut run, again));
    let report = run.finish();
    let verdict = Verdict::Inconclusive(Reason::Replayed { index: 4 });
    assert_eq!(*report.verdict(), verdict);
    assert_eq!(report.counts().rejected, 1);
}

#[test]
fn time_is_looked_at_before_an_execution_is_handed_out() {
    let now = Cell::new(0);
    let limited =
        settings().max_time(Duration::from_secs(10)).clock(|| Duration::from_secs(now.get()));
    let mut run = begin(limited);
    let taken = attempts(&mut run, 3);
    now.set(100);
    // Nothing counts yet: one execution does in any case.
    let fourth = attempt(&mut run);
    assert!(!pass(&mut run, fourth));
    assert!(!pass(&mut run, taken[1]));
    assert!(!pass(&mut run, taken[0]), "observing takes no time");
    assert_eq!(run.next(), Next::Done);
    assert!(pass(&mut run, taken[2]), "too late");
    let report = run.finish();
    assert!(report.time_limit().is_some());
    assert_eq!(report.counts().executed, 2);
}

#[test]
fn no_more_executions_are_handed_out_than_a_budget_allows() {
    let mut run = begin(settings().max_executions(5));
    assert_eq!((run.last(), run.left()), (5, 5));
    let taken = attempts(&mut run, 5);
    assert_eq!((run.next(), run.left()), (Next::Wait, 0));
    for attempt in taken.into_iter().rev() {
        let index = attempt.index;
        assert_eq!(pass(&mut run, attempt), index == 1);
    }
    assert_eq!(run.finish().reason(), Some(&Reason::Budget { max_executions: 5 }));
}

#[test]
fn a_test_has_its_share_of_what_the_suite_may_get_wrong() {
    let suite = Suite {
        epsilon: Some(Share::new("0.04".parse().unwrap(), 4.try_into().unwrap())),
        false_alarm: Some(Share::new("4e-8".parse().unwrap(), 4.try_into().unwrap())),
    };
    for (claim, _) in cases() {
        let run = TestRun::begin(&claim, settings().suite(suite.clone())).unwrap();
        let text = |p: Option<&probtest::Probability>| p.map(ToString::to_string);
        let kind = claim.kind();
        let epsilon = (kind != "estimate").then(|| "0.01".to_owned());
        let alarm = matches!(kind, "tolerate" | "mean" | "fit").then(|| "1e-8".to_owned());
        assert_eq!(text(run.claim().epsilon()), epsilon, "{kind}");
        assert_eq!(text(run.claim().false_alarm()), alarm, "{kind}");
    }
}

#[test]
fn a_run_that_is_stopped_hands_out_nothing_and_has_no_verdict() {
    for (claim, _) in cases() {
        let mut run = TestRun::begin(&claim, settings()).unwrap();
        let taken = attempts(&mut run, 2);
        run.stop();
        assert_eq!(run.next(), Next::Done);
        assert!(pass(&mut run, taken[0]));
        let verdict = Verdict::Inconclusive(Reason::Cancelled);
        assert_eq!(*run.finish().verdict(), verdict, "{}", claim.kind());
    }
}

#[test]
fn done_stays_done_after_the_switch_was_turned() {
    let cancel = Cancel::new();
    let mut run = begin(settings().cancel(cancel.clone()));
    let mut handed_out = 0;
    let mut done = 0;
    for round in 0..300 {
        if round == 100 {
            cancel.cancel();
        }
        match run.next() {
            Next::Attempt(_) if done > 0 => panic!("handed out after the end"),
            Next::Attempt(_) => handed_out += 1,
            _ => done += 1,
        }
    }
    assert!(handed_out >= 100 && done > 0, "{handed_out}, {done}");
    assert_eq!(run.finish().reason(), Some(&Reason::Cancelled));
}

#[test]
fn every_record_is_read_as_it_was_written() {
    let attempt = attempt(&mut begin(settings()));
    let number = |value: f64| Observation::Number(probtest::run::Number(value));
    for observation in [
        Observation::Passed,
        Observation::Outcome(3),
        Observation::Unlisted,
        number(0.022_630_124_363_284_154),
        number(f64::NAN),
        number(-f64::NAN),
        number(f64::NEG_INFINITY),
        number(-0.0),
        Observation::Label("heads".into()),
        Observation::Rejected,
        violation(),
        Observation::Broken("no more files".into()),
    ] {
        let record = attempt.did(observation, true);
        let text = record.to_json().to_string();
        let read = Record::from_json(text.parse().unwrap());
        assert_eq!(read, Some(record), "{text}");
    }
}

#[test]
fn a_report_without_records_is_no_verdict() {
    let report = begin(settings()).finish();
    assert_eq!(report.reason(), Some(&Reason::Cancelled));
    assert_eq!(report.counts().executed, 0);
}
