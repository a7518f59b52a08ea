//! Work done elsewhere: ranges that come back late, twice, before they are requested, or never.

use probtest::machine::{Executor, Next, Range, RangeRecord, Serial, TestRun};
use probtest::run::{Observation, Violation};
use probtest::{Claim, Report, Settings};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

fn settings() -> Settings<'static> {
    Settings::new("elsewhere").seed(7).confirm(false)
}

/// Rejects one execution in eight, and violates one in `rarely`.
fn body(rng: &mut probtest::TestRng, rarely: u64) -> Observation {
    match rng.draw_u64() {
        drawn if drawn % 8 == 0 => Observation::Rejected,
        drawn if drawn / 8 % rarely == 0 => Observation::Violated(Box::new(Violation::new("rare"))),
        _ => Observation::Passed,
    }
}

fn make(range: &Range, rarely: u64) -> RangeRecord {
    let mut work = RangeRecord::new(range);
    for attempt in range.attempts() {
        let mut rng = attempt.rng();
        let observation = body(&mut rng, rarely);
        work.add(attempt.did(observation, rng.has_drawn()));
    }
    work
}

fn in_order(claim: &Claim, rarely: u64) -> Report {
    let mut run = TestRun::begin(claim, settings()).unwrap();
    Serial::new(&mut |rng| body(rng, rarely)).execute(&mut run);
    run.finish()
}

/// Keeps up to twelve ranges running, and answers, loses and repeats them in any order.
fn out_of_order(claim: &Claim, rarely: u64, order: &mut Pcg64) -> Report {
    let mut run = TestRun::begin(claim, settings()).unwrap();
    let (mut open, mut done): (Vec<Range>, Vec<RangeRecord>) = (Vec::new(), Vec::new());
    loop {
        let next = match open.len() < 12 {
            true => run.next_range(order.random_range(1..40)),
            false => Next::Wait,
        };
        match next {
            Next::Attempt(range) => open.push(range),
            Next::Done => return run.finish(),
            Next::Wait => {
                let range = open.swap_remove(order.random_range(0..open.len()));
                if order.random_bool(0.3) {
                    run.lose(range);
                    continue;
                }
                let work = make(&range, rarely);
                let _ = run.take(work.clone());
                done.push(work);
                if order.random_bool(0.2) {
                    let again = done[order.random_range(0..done.len())].clone();
                    let _ = run.take(again);
                }
            }
        }
    }
}

fn facts(report: &Report) -> String {
    format!("{:?} {:?}", report.verdict(), report.counts())
}

#[test]
fn ranges_in_any_order_lost_or_repeated_come_to_the_same() {
    let mut order = Pcg64::seed_from_u64(5);
    for rarely in [50, 2000] {
        for claim in
            [Claim::detect(0.01, 0.02).unwrap(), Claim::tolerate(0.01, 0.03, 0.05, 0.01).unwrap()]
        {
            let expected = facts(&in_order(&claim, rarely));
            for _ in 0..20 {
                assert_eq!(facts(&out_of_order(&claim, rarely, &mut order)), expected);
            }
        }
    }
}

#[test]
fn what_was_answered_before_it_was_asked_for_is_not_handed_out() {
    let claim = Claim::detect(0.01, 0.02).unwrap();
    let ranges: Vec<Range> = {
        let mut run = TestRun::begin(&claim, settings()).unwrap();
        std::iter::from_fn(|| match run.next_range(30) {
            Next::Attempt(range) => Some(range),
            _ => None,
        })
        .collect()
    };
    let mut run = TestRun::begin(&claim, settings()).unwrap();
    // The first one, and ones in the middle, one of them separate.
    for known in [0, 3, 4, 8] {
        let mut work = RangeRecord::new(&ranges[known]);
        for attempt in ranges[known].attempts() {
            work.add(attempt.did(Observation::Passed, true));
        }
        let _ = run.take(work);
    }
    let mut asked = Vec::new();
    while let Next::Attempt(range) = run.next_range(1000) {
        asked.push((range.first, range.last));
    }
    assert_eq!(asked, [(31, 90), (151, 240), (271, 390)]);
}

#[test]
fn a_violation_is_told_as_the_one_that_was_made_again_says_it() {
    let claim = Claim::detect(0.1, 0.05).unwrap();
    let mut run = TestRun::begin(&claim, settings().confirm(true)).unwrap();
    let mut said = ["elsewhere", "here"].into_iter();
    while let Next::Attempt(attempt) = run.next() {
        let violation = Violation::new(said.next().unwrap());
        let _ = run.observe(attempt.did(Observation::Violated(Box::new(violation)), true));
    }
    let report = run.finish();
    assert_eq!(report.confirmed(), Some(true));
    assert_eq!(report.violation().unwrap().message, "here");
}
