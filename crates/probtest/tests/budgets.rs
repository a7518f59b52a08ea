//! Limits of time and of executions, with a clock that the test moves.

use std::cell::Cell;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use probtest::claim::{Claim, Outcomes};
use probtest::judge::{Reason, Verdict};
use probtest::report::Report;
use probtest::{Error, OnBudget, Options};

fn claim() -> Claim {
    Claim::detect(0.01, 0.02).unwrap()
}

fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}

/// Executes with a clock by which each execution takes a second; returns what the
/// executions drew as well.
fn executed(options: impl FnOnce(Options<'_>) -> Options<'_>) -> (Report, Vec<u64>) {
    let now = Cell::new(5);
    let mut drawn = Vec::new();
    let begun = Options::new("walk")
        .seed(0x5eed)
        .clock(|| seconds(now.get()));
    let report = probtest::run_local(&claim(), options(begun), |rng| {
        now.set(now.get() + 1);
        drawn.push(rng.draw_u64());
    })
    .unwrap();
    (report, drawn)
}

#[test]
fn a_test_ends_with_the_execution_in_which_its_time_is_over() {
    let (report, drawn) = executed(|options| options.max_time(seconds(212)));
    assert_eq!((report.counts.executed, drawn.len()), (212, 212));
    let Verdict::Inconclusive(Reason::Time { limit }) = report.verdict else {
        panic!("{report}");
    };
    assert_eq!((limit.span, limit.of_suite), (seconds(212), false));
}

#[test]
fn a_run_cut_by_time_replays_to_the_same_executions() {
    let (cut, first) = executed(|options| options.max_time(seconds(212)));
    let count = cut.counts.executed;
    let (again, second) = executed(|options| options.max_executions(count));
    assert_eq!(first, second);
    assert_eq!(cut.counts, again.counts);
    assert_eq!(cut.seed, again.seed);
}

#[test]
fn at_least_one_execution_counts_however_short_the_time() {
    let (report, drawn) = executed(|options| options.max_time(Duration::from_nanos(1)));
    assert_eq!((report.counts.executed, drawn.len()), (1, 1));
    let (report, _) = executed(|options| options.suite_max_time(seconds(60), Duration::ZERO));
    assert_eq!(report.counts.executed, 1);
}

#[test]
fn a_plan_that_is_executed_in_time_passes() {
    let (report, _) = executed(|options| options.max_time(seconds(391)));
    assert!(report.passed(), "{report}");
    // The last execution ends when the time does: the plan is executed.
    let (report, _) = executed(|options| options.max_time(seconds(390)));
    assert!(report.passed(), "{report}");
}

#[test]
fn the_limit_that_is_reached_first_is_the_one_that_is_told() {
    let (report, _) = executed(|options| {
        options
            .max_time(seconds(100))
            .suite_max_time(seconds(600), seconds(40))
    });
    assert_eq!(report.counts.executed, 40);
    let text = report.to_string();
    assert!(
        text.contains("  reason    the suite's max_time = 10m was over before the plan\n"),
        "{text}"
    );
}

#[test]
fn time_says_what_was_attained() {
    let (report, _) = executed(|options| options.max_time(seconds(212)));
    assert_eq!(
        report.to_string(),
        "probtest: inconclusive after 212 of 390 executions
  reason    max_time = 3m32s was over before the plan
  executed  212 passed, 0 violated, 178 not executed
  claim     p = 0.01, epsilon = 0.02
  attained  a violation probability >= 0.01 would have been missed with probability 0.1188
            one of 0.0183 or more would have been seen with probability 0.98
  help      raise max_time, p or epsilon, or accept what was attained with on_budget = \"pass\"
  seed      0x5eed
"
    );
}

#[test]
fn an_accepted_budget_is_no_pass_and_says_what_was_attained() {
    for by_time in [true, false] {
        let (report, _) = executed(|options| {
            let options = options.on_budget(OnBudget::Pass);
            match by_time {
                true => options.max_time(seconds(212)),
                false => options.max_executions(212),
            }
        });
        assert!(report.accepted() && !report.passed());
        let line = "probtest: passed within budget after 212 of 390 executions, no violation; a violation probability of 0.0183 or more would have been seen with probability 0.98";
        assert_eq!(report.summary(), line);
        let text = report.to_string();
        assert!(
            text.starts_with(&format!("{line}\n  reason    max_")),
            "{text}"
        );
        assert!(text.contains("  accepted  by on_budget = \"pass\"; this is less than the claim"));
        let json = report.to_json();
        assert_eq!(json["verdict"], "passed_within_budget");
        assert_eq!(
            json["reason"]["kind"],
            if by_time { "time" } else { "budget" }
        );
        assert_eq!(json["attained"]["executions"], 212);
        assert_eq!(json["attained"]["epsilon"], 0.02);
    }
}

#[test]
fn nothing_attained_is_never_accepted() {
    let (report, _) = executed(|options| options.max_executions(1).on_budget(OnBudget::Pass));
    assert!(!report.accepted());
    assert!(report.to_string().contains("  attained  nothing: "));
    let (report, _) = executed(|options| options.max_executions(2).on_budget(OnBudget::Pass));
    assert!(report.accepted());
}

#[test]
fn a_violation_in_the_execution_that_ends_the_time_is_a_violation() {
    let now = Cell::new(0);
    let options = Options::new("walk")
        .max_time(seconds(5))
        .clock(|| seconds(now.get()));
    let options = options.on_budget(OnBudget::Pass);
    let report = probtest::run_local(&claim(), options, |_| {
        now.set(now.get() + 1);
        now.get() < 5
    })
    .unwrap();
    assert_eq!(report.index(), Some(5));
}

#[test]
fn rejected_executions_take_time_and_the_next_that_counts_is_the_last() {
    let now = Cell::new(0);
    let options = Options::new("walk")
        .max_time(seconds(10))
        .clock(|| seconds(now.get()));
    let report = probtest::run_local(&claim(), options, |_| {
        now.set(now.get() + 1);
        probtest::assume(now.get() > 100);
    })
    .unwrap();
    assert_eq!((report.counts.executed, report.counts.rejected), (1, 100));
}

#[test]
fn on_several_threads_the_executions_that_count_are_the_first_ones() {
    let executions = AtomicU64::new(0);
    let drawn = Mutex::new(Vec::new());
    let options = Options::new("walk").seed(1).jobs(4).max_time(seconds(100));
    let options = options.clock(|| seconds(executions.load(Ordering::SeqCst)));
    let big = Claim::detect(1e-6, 0.02).unwrap();
    let report = probtest::run(&big, options, |rng| {
        executions.fetch_add(1, Ordering::SeqCst);
        let number = rng.draw_u64();
        drawn.lock().unwrap().push((rng.execution(), number));
    })
    .unwrap();
    assert!(report.time_limit().is_some(), "{report}");
    let count = report.counts.executed;
    let mut again = Vec::new();
    let options = Options::new("walk").seed(1).max_executions(count);
    let second = probtest::run_local(&big, options, |rng| {
        let number = rng.draw_u64();
        again.push((rng.execution(), number));
    })
    .unwrap();
    assert_eq!(second.counts, report.counts);
    let mut drawn = drawn.into_inner().unwrap();
    drawn.sort_unstable();
    assert_eq!(drawn[..count as usize], again);
}

#[test]
fn no_time_and_more_than_a_year_are_refused() {
    for span in [Duration::ZERO, Duration::MAX, seconds(366 * 24 * 3600)] {
        let options = Options::new("walk").max_time(span);
        let error = probtest::run(&claim(), options, |_| ()).unwrap_err();
        assert!(matches!(error, Error::Time(_)));
        let words = "max_time is not above 0 and at most a year\n  given  ";
        assert!(error.to_string().starts_with(words), "{error}");
    }
}

/// A test that tolerates 1 in 1000 and catches 1 in 100, with a violation in each of
/// the executions numbered here.
fn tolerating(violating: &[u64], most: u64, on_budget: OnBudget) -> Report {
    let claim = Claim::tolerate(0.001, 0.01, 0.05, 1e-6).unwrap();
    let options = Options::new("rate").seed(1).max_executions(most);
    probtest::run(&claim, options.on_budget(on_budget), |rng| {
        rng.draw_u64();
        !violating.contains(&rng.execution())
    })
    .unwrap()
}

#[test]
fn a_tolerating_test_that_is_cut_says_how_far_a_bad_program_would_have_come() {
    let report = tolerating(&[10, 20], 300, OnBudget::Fail);
    let plan = &report.plan;
    let missed = plan.miss_within(300).value();
    // By 300 executions a program at 1 in 100 has seldom violated often enough to fail.
    assert!((0.9..1.0).contains(&missed), "{missed}");
    let text = report.to_string();
    let words = "  attained  a violation rate of 0.01 or more would have come this far without failing with probability 0.9";
    assert!(text.contains(words), "{text}");
    assert!(text.contains("  rate      2 of 300 violated; "), "{text}");
    let accepted = tolerating(&[10, 20], 300, OnBudget::Pass);
    assert!(accepted.accepted() && !accepted.passed());
    let line = accepted.summary();
    assert!(
        line.contains(" of 2727 executions, 2 violations; a violation rate of 0.01 or more"),
        "{line}"
    );
}

#[test]
fn executions_that_could_not_have_failed_are_worth_nothing() {
    let report = tolerating(&[], 3, OnBudget::Pass);
    assert!(!report.accepted());
    let words = "  attained  nothing: so few executions could not have failed";
    assert!(report.to_string().contains(words), "{report}");
}

#[test]
fn what_a_tolerating_test_misses_falls_with_each_execution_to_that_of_its_plan() {
    let claim = Claim::tolerate(0.01, 0.1, 0.05, 1e-3).unwrap();
    let plan = probtest::plan::Plan::new(&claim).unwrap();
    let missed: Vec<f64> = (0..=plan.executions())
        .map(|n| plan.miss_within(n).value())
        .collect();
    assert_eq!(missed[0], 1.0);
    // The walks are right to nine digits and more.
    assert!(missed.windows(2).all(|pair| pair[1] <= pair[0] + 1e-9));
    let last = missed[plan.executions() as usize];
    assert!(last <= 0.05 && last == plan.miss().value());
    // At the end nobody is undecided: who has not failed has passed.
    let before = missed[plan.executions() as usize - 1];
    assert!(before - last < 0.01, "{before} {last}");
}

#[test]
fn a_budget_is_not_accepted_where_all_rates_that_fit_lie_above_p() {
    // One of 20 fits 1 in 100 (0.0013 to 0.249), two do not (0.0123 to 0.317).
    assert!(tolerating(&[7], 20, OnBudget::Pass).accepted());
    for violating in [&[7, 9][..], &[3, 5, 7, 9, 11]] {
        let report = tolerating(violating, 20, OnBudget::Pass);
        assert!(!report.accepted(), "{report}");
        assert_eq!(report.to_json()["verdict"], "inconclusive");
        let words =
            "or accept what was attained with on_budget = \"pass\", if rates below p still fit";
        assert!(report.to_string().contains(words), "{report}");
    }
}

#[test]
fn a_budget_is_not_accepted_while_an_outcome_is_missing() {
    let claim = Claim::cover(Outcomes::new([0.5, 0.5]).unwrap(), 0.05).unwrap();
    let cut = |seen: fn(u64) -> usize| {
        let options = Options::new("cases").max_executions(3);
        probtest::run(&claim, options.on_budget(OnBudget::Pass), |rng| {
            seen(rng.execution())
        })
        .unwrap()
    };
    assert!(cut(|execution| (execution == 2).into()).accepted());
    let report = cut(|_| 0);
    assert!(!report.accepted(), "{report}");
    let words = "on_budget = \"pass\", if every outcome was seen";
    assert!(report.to_string().contains(words), "{report}");
}
