//! Limits of time and of executions under every kind of claim, with a clock that the
//! test moves.

use std::cell::Cell;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::common::{Body, as_json, endings};
use probtest::judge::{Observed, Reason, Verdict};
use probtest::machine::{Executor, Serial, TestRun};
use probtest::plan::Plan;
use probtest::report::Note;
use probtest::run::{Number, Observation};
use probtest::settings::{Given, GivenBy};
use probtest::{Claim, Error, OnBudget, Report, Settings, TestRng};
use probtest_testing::words::{inconclusive_after, missed_with, seen_with, within_budget};
use rand::RngExt;

fn claim() -> Claim {
    Claim::detect(0.01, 0.02).unwrap()
}

fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}

/// Executes with a clock by which each execution takes a second.
fn cut(
    claim: &Claim,
    limit: impl Fn(Settings<'_>) -> Settings<'_>,
    mut body: impl FnMut(&mut TestRng) -> Observation,
) -> Report {
    let now = Cell::new(5);
    let begun = Settings::new("walk").seed(0x5eed);
    let begun = begun.clock(|| seconds(now.get()));
    let mut run = TestRun::begin(claim, limit(begun)).unwrap();
    Serial::new(&mut |rng| {
        now.set(now.get() + 1);
        body(rng)
    })
    .execute(&mut run);
    run.finish()
}

/// The same for a walk that never violates; returns what the executions drew as well.
fn executed(limit: impl Fn(Settings<'_>) -> Settings<'_>) -> (Report, Vec<u64>) {
    let mut drawn = Vec::new();
    let report = cut(&claim(), limit, |rng| {
        drawn.push(rng.draw_u64());
        Observation::Passed
    });
    (report, drawn)
}

/// A claim of each kind that a hundred executions do not decide, and a program that keeps it.
fn undecided() -> [(Claim, Body); 6] {
    let cases = probtest::cover([0.01, 0.98]);
    let mean = probtest::mean().between(0, 1).within(0.45, 0.55);
    let coin = probtest::fit().label("heads", 0.5).label("tails", 0.5);
    let sometimes: Body = |rng| match rng.random_range(0..10) {
        0 => crate::common::violation(),
        _ => Observation::Passed,
    };
    [
        (claim(), |rng| {
            rng.draw_u64();
            Observation::Passed
        }),
        (cases.claim().unwrap(), |rng| {
            Observation::Outcome(usize::from(rng.random_range(0..50) > 0))
        }),
        (probtest::tolerate(0.1).p(0.2).claim().unwrap(), sometimes),
        (mean.margin(0.02).claim().unwrap(), |rng| Observation::Number(Number(rng.random()))),
        (coin.distance(0.02).claim().unwrap(), |rng| {
            Observation::Label(["heads", "tails"][rng.random_range(0..2)].into())
        }),
        (probtest::estimate(0.05).claim().unwrap(), sometimes),
    ]
}

#[test]
fn what_time_has_cut_is_executed_again_by_its_count_under_any_claim() {
    for (claim, body) in undecided() {
        for most in [1, 37, 100] {
            let by_time = cut(&claim, |settings| settings.max_time(seconds(most)), body);
            let by_count = cut(&claim, |settings| settings.max_executions(most), body);
            let kind = claim.kind();
            assert_eq!(by_time.counts().executed, most, "{kind}");
            assert_eq!(by_time.counts(), by_count.counts(), "{kind}");
            assert_eq!(by_time.observed(), by_count.observed(), "{kind}");
            assert_eq!(by_time.rate(), by_count.rate(), "{kind}");
            assert!(!by_time.accepted() && !by_count.accepted(), "{kind}");
            let Some(Reason::Time { limit }) = by_time.reason() else {
                panic!("{by_time}");
            };
            assert_eq!((limit.duration, limit.of_suite), (seconds(most), false));
            assert_eq!(by_time.facts().attained.unwrap().executions, most, "{kind}");
        }
    }
}

#[test]
fn at_least_one_execution_counts_however_short_the_time() {
    for (claim, body) in undecided() {
        let short = Duration::from_nanos(1);
        let report = cut(&claim, |settings| settings.max_time(short), body);
        assert_eq!(report.counts().executed, 1, "{}", claim.kind());
        let report = cut(&claim, |settings| settings.suite_max_time(seconds(60), short), body);
        assert_eq!(report.counts().executed, 1, "{}", claim.kind());
    }
}

#[test]
fn a_decision_that_comes_in_time_stands_under_any_claim() {
    for (claim, body) in undecided() {
        let whole = cut(&claim, |settings| settings, body);
        let decided = whole.counts().executed;
        assert!(whole.accepted(), "{whole}");
        // The last execution ends when the time does: the plan is executed.
        let in_time = cut(&claim, |settings| settings.max_time(seconds(decided)), body);
        assert_eq!(crate::common::facts(&in_time), crate::common::facts(&whole));
    }
}

#[test]
fn the_limit_that_is_reached_first_is_the_one_that_is_told() {
    for (claim, body) in undecided() {
        let report = cut(
            &claim,
            |settings| settings.max_time(seconds(100)).suite_max_time(seconds(600), seconds(40)),
            body,
        );
        assert_eq!(report.counts().executed, 40);
        let text = report.to_string();
        let words =
            "  reason    this test's share of the suite's max_time = 10m ran out before the ";
        assert!(text.contains(words), "{text}");
        assert!(text.contains("  help      raise the suite's max_time"), "{text}");
    }
}

#[test]
fn a_limit_says_what_was_attained() {
    let head = inconclusive_after(212, 390);
    let (missed, seen) = (missed_with(0.01, 0.1188), seen_with(0.0183, 0.98));
    let (by_time, _) = executed(|settings| settings.max_time(seconds(212)));
    let (by_count, _) = executed(|settings| settings.max_executions(212));
    for (report, limit, reason) in [
        (by_time, "max_time", "max_time = 3m32s ran out before the plan was finished"),
        (by_count, "max_executions", "max_executions = 212 is below the plan"),
    ] {
        let text = format!(
            "{head}
  reason    {reason}
  executed  212 passed, 0 violated, 178 not executed
  claim     p = 0.01, epsilon = 0.02
  achieved  {missed}
            {seen}
  help      raise {limit}, p or epsilon, or accept what was achieved with on_budget = \"pass\"
  seed      0x5eed
"
        );
        assert_eq!(report.to_string(), text);
    }
}

#[test]
fn a_mean_out_of_time_says_what_is_known() {
    let [.., (claim, body), _, _] = undecided();
    let report = cut(&claim, |settings| settings.max_time(seconds(100)), body);
    let Observed::Numbers { mean, interval, .. } = *report.observed() else {
        panic!("{report}");
    };
    // The interval holds with confidence 0.95; this seed is none of the others.
    assert!(interval.0 < 0.5 && 0.5 < interval.1, "{interval:?}");
    let planned = report.counts().planned;
    let head = inconclusive_after(100, format!("at most {planned}"));
    let rest = planned - 100;
    assert_eq!(
        report.to_string(),
        format!(
            "{head}
  reason    max_time = 1m40s ran out before the decision
  executed  100 passed, 0 violated, {rest} not executed
  observed  mean {mean:.4} ({:.4} to {:.4} with confidence 0.95)
  claim     mean 0.45 to 0.55, margin = 0.02, between 0 and 1, epsilon = 0.05, false_alarm = 1e-6
  help      raise max_time, margin, epsilon or false_alarm; on_budget = \"pass\" only works for claims on violations
  seed      0x5eed
",
            interval.0, interval.1
        )
    );
    let words = report.facts().attained.unwrap().words;
    assert!(words.starts_with("mean 0.") && words.ends_with("with confidence 0.95)"));
}

#[test]
fn an_estimate_out_of_its_budget_has_the_interval_so_far() {
    let [.., (claim, body)] = undecided();
    let by_time = cut(&claim, |settings| settings.max_time(seconds(100)), body);
    let by_count = cut(&claim, |settings| settings.max_executions(100), body);
    for (report, limit, reason) in [
        (by_time, "max_time", "max_time = 1m40s ran out"),
        (by_count, "max_executions", "max_executions = 100 was reached"),
    ] {
        let rate = report.rate().unwrap();
        assert!(rate.high - rate.low > 0.05 && rate.high < 0.5);
        let text = report.to_string();
        assert!(text.starts_with("probtest: unfinished: the violation rate is between "));
        for words in [
            format!("  reason    {reason} before the interval was narrow enough\n"),
            format!("  help      raise {limit} or the width\n"),
        ] {
            assert!(text.contains(&words), "{text}");
        }
        assert_eq!(as_json(&report)["verdict"], "inconclusive");
    }
}

#[test]
fn time_that_ends_between_two_looks_lets_the_judge_look() {
    // Beyond execution 512 the judge looks at one in two or fewer.
    let claim = probtest::mean().between(0, 1).below(0.5).margin(0.025);
    let claim = claim.claim().unwrap();
    for seed in 1..=12 {
        let decide = |limit: &dyn Fn(Settings<'_>) -> Settings<'_>| {
            cut(
                &claim,
                |settings| limit(settings).seed(seed),
                |rng| Observation::Number(Number(rng.random())),
            )
        };
        let whole = decide(&|settings| settings);
        let decided = whole.counts().executed;
        for most in decided - 8..=decided {
            let by_time = decide(&|settings| settings.max_time(seconds(most)));
            let by_count = decide(&|settings| settings.max_executions(most));
            assert_eq!(by_time.counts(), by_count.counts());
            assert_eq!(by_time.verdict_name(), by_count.verdict_name());
            assert_eq!(by_time.observed(), by_count.observed());
        }
        let last = decide(&|settings| settings.max_time(seconds(decided)));
        assert_eq!(last.verdict(), whole.verdict());
    }
}

#[test]
fn accepting_a_budget_is_refused_where_nothing_less_is_attained() {
    for (claim, _) in undecided() {
        let settings = Settings::new("refused").on_budget(OnBudget::Pass);
        let begun: Result<TestRun<'_>, Error> = TestRun::begin(&claim, settings);
        if matches!(claim.kind(), "detect" | "cover" | "tolerate") {
            assert!(begun.is_ok());
            continue;
        }
        let error = begun.err().unwrap();
        assert_eq!(
            error.to_string(),
            "estimates and claims on a mean or on labels are decided as a whole, so there is no partial result to accept\n  given  on_budget = \"pass\"\n  help   leave out on_budget; if time or executions run out first, the report says what is known so far"
        );
    }
}

#[test]
fn no_time_and_more_than_a_year_are_refused_under_any_claim() {
    for (claim, _) in undecided() {
        for duration in [Duration::ZERO, Duration::MAX, seconds(366 * 24 * 3600)] {
            let settings = Settings::new("walk").max_time(duration);
            let error = TestRun::begin(&claim, settings).err().unwrap();
            assert_eq!(error.what(), "max_time must be above 0 and at most a year");
        }
    }
}

#[test]
fn an_accepted_budget_is_no_pass_and_says_what_was_attained() {
    for by_time in [true, false] {
        let (report, _) = executed(|settings| {
            let settings = settings.on_budget(OnBudget::Pass);
            match by_time {
                true => settings.max_time(seconds(212)),
                false => settings.max_executions(212),
            }
        });
        assert!(report.accepted() && !report.passed());
        let line = format!("probtest: {}; {}", within_budget(212, 390), seen_with(0.0183, 0.98));
        assert_eq!(report.summary(), line);
        let text = report.to_string();
        assert!(text.starts_with(&format!("{line}\n  reason    max_")), "{text}");
        assert!(text.contains("  accepted  by on_budget = \"pass\"; this is less than the claim"));
        let json = as_json(&report);
        assert_eq!(json["verdict"], "passed_within_budget");
        assert_eq!(json["reason"]["kind"], if by_time { "time" } else { "budget" });
        assert_eq!(json["attained"]["executions"], 212);
        assert_eq!(json["attained"]["epsilon"], 0.02);
    }
}

#[test]
fn nothing_attained_is_never_accepted() {
    // One violation of one execution fits 1 in 10.
    let rate = Claim::tolerate(0.05, 0.1, 0.05, 1e-6).unwrap();
    let none = "with so few executions, no violation rate would have failed";
    for (claim, most, words) in [(claim(), 1, Some("")), (claim(), 2, None), (rate, 1, Some(none))]
    {
        let settings = Settings::new("rate").max_executions(most).on_budget(OnBudget::Pass);
        let report = probtest::check(&claim, settings, |_| true).unwrap();
        assert_eq!(report.accepted(), words.is_none(), "{report}");
        let said = words.map(|words| format!("  achieved  nothing: {words}"));
        assert!(said.is_none_or(|said| report.to_string().contains(&said)), "{report}");
    }
}

#[test]
fn rejected_attempts_take_time_and_it_ends_among_them() {
    let rejecting_until = |accepted: u64| {
        let now = Cell::new(0);
        let settings = Settings::new("walk").max_time(seconds(10));
        let settings = settings.clock(|| seconds(now.get()));
        let report = probtest::check_local(claim(), settings, |rng| {
            rng.draw_u64();
            now.set(now.get() + 1);
            probtest::assume(now.get() > accepted);
        });
        report.unwrap()
    };
    for (accepted, counted) in [(9, (1, 9)), (10, (0, 10)), (100, (0, 10))] {
        let report = rejecting_until(accepted);
        let counts = report.counts();
        assert_eq!((counts.executed, counts.rejected), counted, "{report}");
        let over = matches!(report.verdict(), Verdict::Inconclusive(Reason::Time { .. }));
        assert!(over, "{report}");
    }
    let text = rejecting_until(100).to_string();
    assert!(text.contains(&inconclusive_after(0, 390)), "{text}");
    let reason =
        "max_time = 10s ran out before an execution counted: all 10 attempts were rejected";
    assert!(text.contains(reason), "{text}");
}

#[test]
fn on_several_threads_the_executions_that_count_are_the_first_ones() {
    let executions = AtomicU64::new(0);
    let drawn = Mutex::new(Vec::new());
    let settings = Settings::new("walk").seed(1).jobs(4).max_time(seconds(100));
    let settings = settings.clock(|| seconds(executions.load(Ordering::SeqCst)));
    let big = Claim::detect(1e-6, 0.02).unwrap();
    let report = probtest::check(&big, settings, |rng| {
        executions.fetch_add(1, Ordering::SeqCst);
        let number = rng.draw_u64();
        drawn.lock().unwrap().push((rng.execution(), number));
    })
    .unwrap();
    assert!(report.time_limit().is_some(), "{report}");
    let count = report.counts().executed;
    let mut again = Vec::new();
    let settings = Settings::new("walk").seed(1).max_executions(count);
    let second = probtest::check_local(&big, settings, |rng| {
        let number = rng.draw_u64();
        again.push((rng.execution(), number));
    })
    .unwrap();
    assert_eq!(second.counts(), report.counts());
    let mut drawn = drawn.into_inner().unwrap();
    drawn.sort_unstable();
    assert_eq!(drawn[..count as usize], again);
}

/// A test that tolerates 1 in 1000 and catches 1 in 100, with a violation in each of
/// the executions numbered here.
fn tolerating(violating: &[u64], most: u64, on_budget: OnBudget) -> Report {
    let claim = Claim::tolerate(0.001, 0.01, 0.05, 1e-6).unwrap();
    let settings = Settings::new("rate").seed(1).max_executions(most);
    probtest::check(&claim, settings.on_budget(on_budget), |rng| {
        rng.draw_u64();
        !violating.contains(&rng.execution())
    })
    .unwrap()
}

#[test]
fn a_tolerating_test_that_is_cut_names_the_rate_that_would_not_have_been_accepted() {
    let report = tolerating(&[10, 20], 300, OnBudget::Fail);
    let plan = report.plan();
    let missed = plan.miss_within(300).value();
    // By 300 executions a program at 1 in 100 has seldom violated often enough to fail.
    assert!((0.9..1.0).contains(&missed), "{missed}");
    let text = report.to_string();
    let words =
        "  achieved  a violation rate of 0.0391 or more would have failed with probability 0.95
            a violation rate of 0.01 would have passed with probability 0.9";
    assert!(text.contains(words), "{text}");
    assert!(text.contains("  rate      2 of 300 violated; "), "{text}");
    let accepted = tolerating(&[10, 20], 300, OnBudget::Pass);
    assert!(accepted.accepted() && !accepted.passed());
    let line = accepted.summary();
    assert!(
        line.contains(" of 2727 executions, 2 violations; a violation rate of 0.0391 or more"),
        "{line}"
    );
    let attained = &as_json(&accepted)["attained"];
    assert!((attained["p"].as_f64().unwrap() - 0.0391).abs() < 1e-4);
    assert_eq!(attained["epsilon"], 0.05);
}

/// The chance that a program at this rate passes or is accepted when its plan is cut short.
fn accepted_at(rate: f64, plan: &Plan, most: u64, accepts: &[bool]) -> f64 {
    let endings = endings(plan.sequential().unwrap(), rate, most).into_iter();
    let accepted =
        endings.filter(|(_, x, passed, _)| passed.unwrap_or_else(|| accepts[*x as usize]));
    accepted.map(|(.., chance)| chance).sum()
}

#[test]
fn the_rate_that_an_accepted_budget_names_is_accepted_with_probability_epsilon() {
    for (tolerate, p, most) in [(0.05, 0.1, 60), (0.001, 0.01, 20), (0.02, 0.3, 9), (0.1, 0.2, 250)]
    {
        let claim = Claim::tolerate(tolerate, p, 0.05, 1e-6).unwrap();
        let plan = Plan::new(&claim).unwrap();
        // Violations at the end fail as late as they can; who passes before them is accepted
        // with as many wherever they come.
        let accepts: Vec<bool> = (0..=most)
            .map(|violated| {
                let settings = Settings::new("cut").max_executions(most).on_budget(OnBudget::Pass);
                let report =
                    probtest::check(&claim, settings, |rng| rng.execution() <= most - violated);
                report.unwrap().accepted()
            })
            .collect();
        let named = plan.rate_caught_within(most).unwrap();
        let at = |rate| accepted_at(rate, &plan, most, &accepts);
        assert!(at(named) <= 0.05 + 1e-12, "{tolerate} {p}: {named}");
        assert!(at(named - 1e-5) > 0.05, "{tolerate} {p}: {named}");
        assert!((at(p) - plan.miss_within(most).value()).abs() < 1e-9, "{tolerate} {p}");
        assert!(at(p) < 1.0, "a program at p is not accepted every time");
    }
}

#[test]
fn a_pass_at_a_rate_above_the_tolerated_one_says_so() {
    let claim = Claim::tolerate(0.001, 0.1, 0.05, 1e-6).unwrap();
    let rated = |every: u64| {
        let settings = Settings::new("rate").seed(1);
        let report = probtest::check(&claim, settings, |rng| rng.execution() % every != 7);
        report.unwrap()
    };
    let report = rated(40);
    assert!(report.passed(), "{report}");
    assert!(report.rate().unwrap().low > 0.001, "{report}");
    assert!(report.notes().contains(&Note::AboveTolerate), "{report}");
    let words = "  note      the violation rate is above tolerate: ";
    assert!(report.to_string().contains(words), "{report}");
    let report = rated(1_000_000);
    assert!(report.passed() && !report.notes().contains(&Note::AboveTolerate), "{report}");
}

#[test]
fn what_a_tolerating_test_misses_falls_with_each_execution_to_that_of_its_plan() {
    let claim = Claim::tolerate(0.01, 0.1, 0.05, 1e-3).unwrap();
    let plan = probtest::plan::Plan::new(&claim).unwrap();
    let missed: Vec<f64> = (0..=plan.executions()).map(|n| plan.miss_within(n).value()).collect();
    assert_eq!(missed[0], 1.0);
    // What fits p is a part of 0.975 of all tests, or a little more, before it can fail.
    assert!(missed.windows(2).all(|pair| pair[1] <= pair[0] + 0.025));
    let late = missed.iter().position(|missed| *missed < 0.97).unwrap();
    // The walks are right to nine digits and more.
    assert!(missed[late..].windows(2).all(|pair| pair[1] <= pair[0] + 1e-9));
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
        assert_eq!(as_json(&report)["verdict"], "inconclusive");
        let words = "p or epsilon: on_budget = \"pass\" accepts what was achieved only if a rate below 1 would fail and rates below p still fit";
        assert!(report.to_string().contains(words), "{report}");
    }
}

#[test]
fn a_budget_is_not_accepted_while_an_outcome_is_missing() {
    let claim = Claim::cover(probtest::Outcomes::new([0.5, 0.5]).unwrap(), 0.05).unwrap();
    let cut = |seen: fn(u64) -> usize| {
        let settings = Settings::new("cases").max_executions(3);
        probtest::check(&claim, settings.on_budget(OnBudget::Pass), |rng| seen(rng.execution()))
            .unwrap()
    };
    assert!(cut(|execution| (execution == 2).into()).accepted());
    let report = cut(|_| 0);
    assert!(!report.accepted(), "{report}");
    let words = "raise max_executions, the probabilities or epsilon: on_budget = \"pass\" accepts what was achieved only if every outcome was seen";
    assert!(report.to_string().contains(words), "{report}");
}

#[test]
fn the_time_of_a_suite_is_shared_over_the_tests_that_remain() {
    for (used, remaining, executed) in [(40, 3, 20), (0, 4, 25), (90, 1, 10), (99, 5, 1)] {
        let mut given = Given::default();
        let origin = GivenBy::Variable("PROBTEST_SUITE_MAX_TIME".into());
        given.read("suite_max_time", origin, "100s");
        let clock = Cell::new(0);
        let settings = Settings::new("shares").clock(|| seconds(clock.get()));
        let settings = given.settings(settings, &claim(), seconds(used), remaining);
        let report = probtest::check_local(claim(), settings.unwrap(), |rng| {
            clock.set(clock.get() + 1);
            assert!(rng.draw_u64() != 4);
        });
        let report = report.unwrap();
        assert!(report.time_limit().unwrap().of_suite);
        assert_eq!(report.counts().executed, executed, "{used} {remaining}");
    }
}

#[test]
fn a_test_after_the_time_of_its_suite_is_not_reached_and_executes_nothing() {
    for on_budget in [OnBudget::Fail, OnBudget::Pass] {
        let settings = Settings::new("late").suite_max_time(seconds(9), Duration::ZERO);
        let address = "0x5eed:9".parse().unwrap();
        let settings = settings.on_budget(on_budget).remembered(vec![address]);
        let executed = Cell::new(0);
        let report = probtest::check_local(claim(), settings, |_| {
            executed.set(executed.get() + 1);
        });
        let report = report.unwrap();
        assert!(matches!(report.reason(), Some(Reason::NotReached { .. })), "{report}");
        assert!(!report.accepted());
        assert_eq!((report.counts().executed, executed.get()), (0, 0));
        assert_eq!(as_json(&report)["reason"]["kind"], "not_reached");
        assert_eq!(report.summary(), "probtest: not reached: none of 390 executions ran");
    }
}
