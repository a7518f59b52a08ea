//! Executions that wait: failing infrastructure, a rate of starts, a cost budget, with an injected
//! clock.

use crate::common::as_json;
use std::cell::{Cell, RefCell};
use std::time::Duration;

use probtest::judge::{Doubt, Reason, Verdict};
use probtest::machine::{Attempt, Executor, Next, Serial, TestRun, Threads};
use probtest::run::{Number, Observation, Violation};
use probtest::{Claim, Report, Settings, TestRng};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

fn unavailable(kind: &str) -> Observation {
    Observation::Unavailable { kind: kind.to_owned(), message: format!("{kind} said no") }
}

fn costing(cost: f64, otherwise: Observation) -> Observation {
    Observation::Noted { cost: Some(Number(cost)), recorded: None, otherwise: Box::new(otherwise) }
}

/// Rejects one execution in eight, violates one in `rarely`, and reports a cost.
fn body(rng: &mut TestRng, rarely: u64) -> Observation {
    let drawn = rng.draw_u64();
    let cost = (drawn >> 40) as f64 / f64::from(1 << 24);
    costing(
        cost,
        match drawn {
            _ if drawn.is_multiple_of(8) => Observation::Rejected,
            _ if (drawn / 8).is_multiple_of(rarely) => {
                Observation::Violated(Box::new(Violation::new("rare")))
            }
            _ => Observation::Passed,
        },
    )
}

fn make(attempt: &Attempt, rarely: u64) -> Observation {
    body(&mut attempt.rng(), rarely)
}

/// Runs executions one after the other with its own clock, and answers with what `answer` returns.
/// Returns the report and the times of all starts.
fn by_clock(
    claim: &Claim,
    settings: impl FnOnce(Settings<'_>) -> Settings<'_>,
    mut answer: impl FnMut(&Attempt) -> Observation,
) -> (Report, Vec<Duration>) {
    let now = Cell::new(Duration::from_secs(1000));
    let starts = RefCell::new(Vec::new());
    let clocked = Settings::new("waits").seed(7).clock(|| now.get());
    let mut run = TestRun::begin(claim, settings(clocked)).unwrap();
    loop {
        match run.next() {
            Next::Attempt(attempt) => {
                starts.borrow_mut().push(now.get());
                let _ = run.observe(attempt.did(answer(&attempt), true));
            }
            Next::Wait => now.set(now.get() + run.pause().expect("nothing is under way")),
            Next::Done => break,
        }
    }
    (run.finish(), starts.into_inner())
}

/// The same for a claim of 390 executions, with default settings.
fn answered(answer: impl FnMut(&Attempt) -> Observation) -> (Report, Vec<Duration>) {
    by_clock(&detect(), |settings| settings, answer)
}

/// Keeps up to `most` attempts running, and answers them in any order, some with a failure first.
fn at_once(
    claim: &Claim,
    rarely: u64,
    most: usize,
    max_cost: Option<f64>,
    order: &mut Pcg64,
) -> Report {
    let now = Cell::new(Duration::ZERO);
    let mut settings = Settings::new("waits").seed(7).clock(|| now.get());
    if let Some(cost) = max_cost {
        settings = settings.max_cost(cost);
    }
    let mut run = TestRun::begin(claim, settings.max_unavailable(1_000_000)).unwrap();
    let mut open: Vec<Attempt> = Vec::new();
    loop {
        let next = match open.len() < most {
            true => run.next(),
            false => Next::Wait,
        };
        match next {
            Next::Attempt(attempt) => open.push(attempt),
            Next::Done => return run.finish(),
            Next::Wait if open.is_empty() => now.set(now.get() + run.pause().unwrap()),
            Next::Wait => {
                let attempt = open.swap_remove(order.random_range(0..open.len()));
                let observation = match order.random_bool(0.2) {
                    true => unavailable("busy"),
                    false => make(&attempt, rarely),
                };
                let _ = run.observe(attempt.did(observation, true));
            }
        }
    }
}

fn facts(report: &Report) -> String {
    let (verdict, counts, address) = (report.verdict(), report.counts(), report.address());
    format!("{verdict:?} {counts:?} {address:?} {:?}", report.confirmed())
}

fn detect() -> Claim {
    Claim::detect(0.01, 0.02).unwrap()
}

#[test]
fn executions_at_once_with_failures_come_to_the_same_as_one_after_the_other() {
    let mut order = Pcg64::seed_from_u64(11);
    let tolerate = Claim::tolerate(0.01, 0.03, 0.05, 0.01).unwrap();
    for claim in [detect(), tolerate] {
        for rarely in [50, 2000] {
            for max_cost in [None, Some(30.0), Some(0.001)] {
                let mut serial = Settings::new("waits").seed(7);
                serial = match max_cost {
                    Some(cost) => serial.max_cost(cost),
                    None => serial,
                };
                let mut run = TestRun::begin(&claim, serial).unwrap();
                Serial::new(&mut |rng| body(rng, rarely)).execute(&mut run);
                let expected = facts(&run.finish());
                for most in [1, 2, 50] {
                    // One attempt fails more than ten times in a row with probability 0.2^11 =
                    // 2e-8; the seed is fixed, and none does with it.
                    let report = at_once(&claim, rarely, most, max_cost, &mut order);
                    assert_eq!(facts(&report), expected, "{most} at once, {max_cost:?}");
                }
            }
        }
    }
}

#[test]
fn a_failure_of_infrastructure_is_made_again_under_its_own_number_after_a_while() {
    let mut attempts = Vec::new();
    let (report, starts) = answered(|attempt| {
        attempts.push((attempt.index, attempt.attempt));
        let third = attempts.iter().filter(|(index, _)| *index == 390).count();
        match attempt.index == 390 && third < 4 {
            true => unavailable("RateLimitError"),
            false => Observation::Passed,
        }
    });
    assert!(report.passed());
    assert_eq!(report.counts().executed, 390);
    assert_eq!(report.unavailable(), [("RateLimitError".to_owned(), 3)]);
    assert_eq!(attempts[389..], [(390, 0); 4]);
    // Between half and all of 200, 400 and 800 milliseconds.
    let waits: Vec<Duration> = starts[389..].windows(2).map(|pair| pair[1] - pair[0]).collect();
    for (wait, whole) in waits.iter().zip([200, 400, 800]) {
        let whole = Duration::from_millis(whole);
        assert!((whole / 2..=whole).contains(wait), "{waits:?}");
    }
    let text = report.section();
    assert!(
        text.contains("3 attempts proved nothing and did not count: RateLimitError, 3 times"),
        "{text}"
    );
}

#[test]
fn one_attempt_that_fails_too_often_ends_the_test_without_a_verdict() {
    let mut tries = 0;
    let (report, _) = answered(|attempt| {
        tries += u64::from(attempt.index == 5);
        match attempt.index {
            5 => unavailable("ConnectionError"),
            _ => Observation::Passed,
        }
    });
    assert_eq!(tries, 11);
    let Verdict::Inconclusive(Reason::Unavailable { index, allowed, in_a_row, .. }) =
        report.verdict()
    else {
        panic!("{report}");
    };
    assert_eq!((*index, *allowed, *in_a_row), (5, 10, true));
    assert_eq!(report.counts().executed, 4);
    let said = "more than 10 times in a row, last with ConnectionError said no";
    assert!(report.to_string().contains(said), "{report}");
}

#[test]
fn too_many_failures_of_all_end_the_test_without_a_verdict() {
    let mut failed = 0;
    let mut failing = |attempt: &Attempt| match attempt.attempt == 0 && failed % 4 != 3 {
        true => {
            failed += 1;
            unavailable("503")
        }
        false => {
            failed += 1;
            Observation::Passed
        }
    };
    let (report, _) = by_clock(&detect(), |settings| settings.max_unavailable(20), &mut failing);
    let Verdict::Inconclusive(Reason::Unavailable { allowed, in_a_row, .. }) = report.verdict()
    else {
        panic!("{report}");
    };
    assert_eq!((*allowed, *in_a_row), (20, false));
    assert_eq!(report.unavailable(), [("503".to_owned(), 21)]);
}

#[test]
fn the_execution_that_decided_is_confirmed_also_where_its_infrastructure_fails_first() {
    // If it always fails, it can't be found out whether it violates again; the violation itself
    // stands.
    for (last, confirmed) in [(2, Some(true)), (u64::MAX, None)] {
        let mut calls = 0;
        let (report, _) = answered(|attempt| {
            calls += u64::from(attempt.index == 9);
            match attempt.index {
                9 if (2..=last).contains(&calls) => unavailable("503"),
                9 => Observation::Violated(Box::new(Violation::new("wrong"))),
                _ => Observation::Passed,
            }
        });
        assert_eq!((report.violating_index(), report.confirmed()), (Some(9), confirmed));
        assert!(confirmed.is_none() || calls == 3, "{calls}");
    }
}

#[test]
fn a_service_that_never_answers_is_asked_by_one_execution_after_the_other() {
    let now = Cell::new(Duration::ZERO);
    let settings = Settings::new("dead").seed(7).clock(|| now.get());
    let mut run = TestRun::begin(&detect(), settings).unwrap();
    let (mut open, mut starts) = (Vec::new(), Vec::new());
    loop {
        let next = match open.len() < 50 {
            true => run.next(),
            false => Next::Wait,
        };
        match next {
            Next::Attempt(attempt) => {
                starts.push(now.get());
                open.push(attempt);
            }
            Next::Done => break,
            Next::Wait if open.is_empty() => now.set(now.get() + run.pause().unwrap()),
            Next::Wait => {
                let attempt = open.remove(0);
                let _ = run.observe(attempt.did(unavailable("refused"), true));
            }
        }
    }
    let report = run.finish();
    assert!(matches!(report.verdict(), Verdict::Inconclusive(Reason::Unavailable { .. })));
    // The first fifty start before anything is known; then one at a time, up to two seconds apart.
    assert_eq!(starts[49], Duration::ZERO);
    let gaps: Vec<Duration> = starts[50..].windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(gaps.iter().all(|gap| *gap >= Duration::from_millis(200)), "{gaps:?}");
    assert!(gaps.iter().all(|gap| *gap <= Duration::from_secs(2)), "{gaps:?}");
}

#[test]
fn starts_are_spread_evenly_and_never_come_sooner() {
    let (report, starts) = by_clock(
        &detect(),
        |settings| settings.rate("20/s".parse().unwrap()),
        |attempt| make(attempt, 100_000),
    );
    assert!(report.passed());
    for pair in starts.windows(2) {
        assert_eq!(pair[1] - pair[0], Duration::from_millis(50));
    }
    assert_eq!(starts.len() as u64, 390 + report.counts().rejected);
}

#[test]
fn a_start_that_came_late_is_caught_up_with_by_the_coarseness_of_a_timer_only() {
    let now = Cell::new(Duration::ZERO);
    let settings = Settings::new("late").rate("1000/s".parse().unwrap()).clock(|| now.get());
    let mut run = TestRun::begin(&detect(), settings).unwrap();
    let mut begun = || {
        let mut count = 0;
        while let Next::Attempt(_) = run.next() {
            count += 1;
        }
        count
    };
    assert_eq!(begun(), 1);
    now.set(Duration::from_secs(60));
    // One, and those of the last five milliseconds.
    assert_eq!(begun(), 6);
    now.set(Duration::from_secs(60) + Duration::from_millis(3));
    assert_eq!(begun(), 3);
}

#[test]
fn a_cost_ends_the_test_after_the_first_execution_that_uses_it_up() {
    let (report, starts) = by_clock(
        &detect(),
        |settings| settings.max_cost(1.0),
        |_| costing(0.25, Observation::Passed),
    );
    assert_eq!((report.counts().executed, starts.len()), (4, 4));
    assert_eq!(report.verdict(), &Verdict::Inconclusive(Reason::Cost { max_cost: 1.0 }));
    assert_eq!(report.cost(), Some(1.0));
    let text = report.to_string();
    assert!(text.contains("max_cost = 1 was spent before the plan was finished"), "{text}");
    assert!(text.contains("cost      1, max_cost = 1"), "{text}");
    let facts = as_json(&report);
    assert_eq!((&facts["cost"]["spent"], &facts["reason"]["kind"]), (&1.0.into(), &"cost".into()));
}

#[test]
fn attempts_that_are_rejected_use_the_cost_up() {
    let cut = |accepted: u64| {
        let mut calls = 0;
        let (report, starts) = by_clock(
            &detect(),
            |settings| settings.max_cost(10.0),
            |_| {
                calls += 1;
                let applies = accepted == calls;
                costing(1.0, if applies { Observation::Passed } else { Observation::Rejected })
            },
        );
        let counts = report.counts();
        (report.to_string(), counts.executed, starts.len())
    };
    let (text, executed, calls) = cut(0);
    assert_eq!((executed, calls), (0, 10), "{text}");
    let reason =
        "max_cost = 10 was spent before an execution counted: all 10 attempts were rejected";
    assert!(text.contains(reason), "{text}");
    // The second execution starts, and the money runs out during its attempts.
    let (text, executed, calls) = cut(4);
    assert_eq!((executed, calls), (1, 10), "{text}");
    assert!(text.contains("max_cost = 10 was spent before the plan was finished"), "{text}");
}

#[test]
fn what_is_spent_is_known_also_of_attempts_that_do_not_count() {
    let mut calls = 0;
    let (report, _) = by_clock(
        &Claim::detect(0.5, 0.05).unwrap(),
        |settings| settings,
        |_| {
            calls += 1;
            costing(
                0.5,
                match calls {
                    1 => unavailable("503"),
                    2 => Observation::Rejected,
                    _ => Observation::Passed,
                },
            )
        },
    );
    assert_eq!((report.counts().executed, report.cost()), (6, Some(4.0)));
}

#[test]
fn nothing_new_begins_while_what_is_under_way_may_have_used_the_cost_up() {
    let mut run = TestRun::begin(&detect(), Settings::new("dear").max_cost(1.0)).unwrap();
    let mut open = Vec::new();
    while open.len() < 4
        && let Next::Attempt(attempt) = run.next()
    {
        open.push(attempt);
    }
    let late = open.remove(0);
    for attempt in open {
        let _ = run.observe(attempt.did(costing(0.5, Observation::Passed), true));
    }
    assert_eq!(run.next(), Next::Wait);
    assert_eq!(run.pause(), None);
    let _ = run.observe(late.did(costing(0.5, Observation::Passed), true));
    let report = run.finish();
    // In index order, the second one used it up.
    assert_eq!((report.counts().executed, report.cost()), (2, Some(2.0)));
}

#[test]
fn neighbours_that_record_the_same_are_a_doubt() {
    let recorded = |what: u64| Observation::Noted {
        cost: None,
        recorded: Some(what),
        otherwise: Box::new(Observation::Passed),
    };
    let (report, _) = answered(|_| recorded(1));
    assert_eq!(report.doubts(), [Doubt::Repeated { equal: 195, pairs: 195 }]);
    assert!(report.passed() && report.summary().contains("in doubt"), "{report}");
    let (report, _) = by_clock(&detect(), |settings| settings.strict(true), |_| recorded(1));
    assert!(!report.passed());
    let (report, _) = answered(|attempt| recorded(attempt.index));
    assert_eq!(report.doubts(), []);
}

#[test]
fn bodies_say_what_they_cost_and_record_on_any_number_of_threads() {
    let body = |rng: &mut TestRng| {
        probtest::cost(0.25);
        probtest::record("the same answer");
        probtest::record(rng.draw_u64() % 4);
        probtest::cost(0.25);
        probtest::assume(!rng.draw_u64().is_multiple_of(4));
        Observation::Passed
    };
    let mut seen = Vec::new();
    for jobs in [1, 4] {
        let mut run =
            TestRun::begin(&detect(), Settings::new("told").seed(3).max_cost(40.0)).unwrap();
        Threads::new(jobs, &body).execute(&mut run);
        let report = run.finish();
        assert_eq!(report.doubts(), []);
        assert_eq!(report.verdict(), &Verdict::Inconclusive(Reason::Cost { max_cost: 40.0 }));
        seen.push((report.counts(), report.cost() >= Some(40.0)));
    }
    assert_eq!(seen[0], seen[1]);
    // 80 attempts, at half each; those at the execution that isn't judged any more don't count.
    assert!((75..=80).contains(&(seen[0].0.executed + seen[0].0.rejected)));
}

#[test]
fn a_body_on_a_thread_is_made_again_where_its_infrastructure_fails() {
    use std::sync::atomic::{AtomicU64, Ordering};
    let calls = AtomicU64::new(0);
    let body = |rng: &mut TestRng| {
        let drawn = rng.draw_u64();
        let call = calls.fetch_add(1, Ordering::Relaxed);
        let answer = match call % 5 {
            0 => Err("503 Service Unavailable"),
            _ => Ok(drawn),
        };
        assert_ne!(probtest::infrastructure(answer) % 100_000, 0);
        Observation::Passed
    };
    for jobs in [1, 3] {
        let settings = Settings::new("busy").seed(3).backoff(Duration::ZERO);
        let mut run = TestRun::begin(&detect(), settings).unwrap();
        Threads::new(jobs, &body).execute(&mut run);
        let report = run.finish();
        assert!(report.passed(), "{report}");
        assert_eq!((report.counts().executed, report.counts().rejected), (390, 0));
        assert!(report.unavailable()[0].1 >= 97, "{report}");
    }
}
