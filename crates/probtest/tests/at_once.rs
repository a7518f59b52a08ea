//! Concurrent executions of an async body give the same results as sequential ones.

use std::cell::Cell;
use std::time::Duration;

use probtest::machine::{AtOnce, Executor, Serial, TestRun};
use probtest::run::{Observation, Pending};
use probtest::{Claim, Report, Settings, TestRng, probtest};
use rand::RngExt;

type Body = for<'r> fn(&'r mut TestRng) -> Pending<'r>;

/// Everything that must be the same. Not the backtrace of a violation, which names other callers.
fn facts(report: &Report) -> String {
    let said = report.violation().map(|violation| (&violation.message, &violation.location));
    let decided = (report.verdict_name(), report.violating_index(), report.confirmed());
    let rest = (report.counts(), report.address(), report.doubts());
    format!("{decided:?} {said:?} {rest:?}")
}

async fn pausing(count: u64) {
    for _ in 0..count {
        tokio::task::yield_now().await;
    }
}

/// Waits depending on its draws, rejects one in eight, and panics once in `rarely`.
async fn body(rng: &mut TestRng, rarely: u64) {
    pausing(rng.random_range(0..12)).await;
    probtest::assume(rng.random_range(0..8) > 0);
    let drawn = rng.random_range(0..rarely);
    pausing(rng.random_range(0..12)).await;
    assert_ne!(drawn, 0, "drew nothing at {}", rng.draw_u64());
}

fn waiting<const RARELY: u64>(rng: &mut TestRng) -> Pending<'_> {
    Box::pin(async move {
        body(rng, RARELY).await;
        Observation::Passed
    })
}

fn at_once(claim: &Claim, settings: Settings<'_>, most: usize, body: Body) -> Report {
    let mut run = TestRun::begin(claim, settings).unwrap();
    AtOnce::new(most, &body).execute(&mut run);
    run.finish()
}

fn one_by_one(claim: &Claim, settings: Settings<'_>, body: Body) -> Report {
    let mut run = TestRun::begin(claim, settings).unwrap();
    let mut called = |rng: &mut TestRng| {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(body(rng))
    };
    Serial::new(&mut called).execute(&mut run);
    run.finish()
}

#[test]
fn verdict_index_counts_address_and_words_are_those_of_one_after_the_other() {
    for claim in
        [Claim::detect(0.01, 0.02).unwrap(), Claim::tolerate(0.01, 0.05, 0.05, 0.01).unwrap()]
    {
        for body in [waiting::<20> as Body, waiting::<100>, waiting::<10_000>] {
            let settings = || Settings::new("waits").seed(7);
            let expected = facts(&one_by_one(&claim, settings(), body));
            for most in [1, 2, 50] {
                let report = at_once(&claim, settings(), most, body);
                assert_eq!(facts(&report), expected, "{most} at once");
            }
        }
    }
}

thread_local! {
    /// Executions that have started, that have ended, and the most that ran at the same time.
    static SEEN: Cell<[u64; 3]> = const { Cell::new([0; 3]) };
}

struct Leaves;

impl Drop for Leaves {
    fn drop(&mut self) {
        let [begun, left, most] = SEEN.get();
        SEEN.set([begun, left + 1, most]);
    }
}

fn ends_at_the_seventh(_: &mut TestRng) -> Pending<'_> {
    Box::pin(async {
        let _leaves = Leaves;
        let [begun, left, most] = SEEN.get();
        let index = begun + 1;
        SEEN.set([index, left, most.max(index - left)]);
        match index {
            ..7 => pausing(20).await,
            7 => {
                pausing(1).await;
                panic!("the seventh")
            }
            _ => std::future::pending().await,
        }
        Observation::Passed
    })
}

#[test]
fn as_many_are_under_way_as_may_be_and_those_that_are_not_needed_are_ended() {
    let claim = Claim::detect(0.01, 0.02).unwrap();
    let report = at_once(&claim, Settings::new("slow").confirm(false), 20, ends_at_the_seventh);
    assert_eq!((report.violating_index(), report.counts().executed), (Some(7), 7));
    let [begun, left, most] = SEEN.get();
    assert_eq!((most, begun - left), (20, 0));
}

fn says_much(rng: &mut TestRng) -> Pending<'_> {
    Box::pin(async move {
        probtest::cost(0.25);
        let drawn = rng.draw_u64();
        probtest::label("even", drawn.is_multiple_of(2));
        pausing(drawn % 7).await;
        let [calls, ..] = SEEN.get();
        SEEN.set([calls + 1, 0, 0]);
        let answer = match calls % 10 {
            9 => Err("503 Service Unavailable"),
            _ => Ok(drawn),
        };
        probtest::record(probtest::infrastructure(answer));
        probtest::cost(0.25);
        Observation::Passed
    })
}

#[test]
fn what_an_execution_says_belongs_to_it() {
    let settings = Settings::new("dear").seed(2).backoff(Duration::ZERO);
    let report = at_once(&Claim::detect(0.1, 0.05).unwrap(), settings, 8, says_much);
    assert!(report.passed() && report.doubts().is_empty(), "{report}");
    // Three attempts failed before they reported the second half.
    assert_eq!(report.unavailable(), [("&str".to_owned(), 3)]);
    assert_eq!(report.cost(), Some(29.0 * 0.5 + 3.0 * 0.25));
    let settings = Settings::new("dear").seed(2).backoff(Duration::ZERO);
    SEEN.set([0, 0, 0]);
    let alone = one_by_one(&Claim::detect(0.1, 0.05).unwrap(), settings, says_much);
    assert_eq!(report.labels().labels, alone.labels().labels);
}

#[probtest(p = 0.05, concurrency = 50, rate = "100000/s", max_cost = 1000)]
async fn the_attribute_takes_an_async_function(rng: &mut TestRng) -> Result<(), String> {
    probtest::cost(1.0);
    tokio::time::sleep(Duration::ZERO).await;
    match rng.draw_u64() {
        4 => Err("four".into()),
        _ => Ok(()),
    }
}

#[probtest(p = 0.05, concurrency = 50)]
#[should_panic(expected = "drew nothing")]
async fn a_violation_fails_the_test(rng: &mut TestRng) {
    body(rng, 5).await;
}
