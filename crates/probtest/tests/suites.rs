//! What all tests of a suite promise together, in words and facts.

use crate::common::as_json;
use probtest::claim::Claim;
use probtest::machine::{Executor, Serial, TestRun};
use probtest::report::{Report, suite_promises};
use probtest::run::Observation;
use probtest::settings::{Share, Suite};
use probtest::{OnBudget, Settings, TestRng};
use probtest_facts::{
    self as facts, Attained, Kind, Shares, SuiteEpsilon, SuiteFalseAlarm, TestFacts, Verdict,
};

fn share(total: &str, tests: u64) -> Option<facts::Share> {
    Some(facts::Share { total_exact: total.into(), tests, ..Default::default() })
}

/// What tests promise together of which some were executed, the first of them within budget,
/// and some once more.
fn suite(tests: u64, executed: u64, within_budget: &[f64], repeated: u64) -> SuiteEpsilon {
    let one = |number: u64| TestFacts {
        test: number.to_string(),
        verdict: Verdict::Passed,
        suite: Some(Shares { epsilon: share("0.05", tests), false_alarm: None }),
        ..TestFacts::default()
    };
    let mut all: Vec<TestFacts> = (0..executed).map(one).collect();
    for (test, miss) in all.iter_mut().zip(within_budget) {
        test.verdict = Verdict::PassedWithinBudget;
        test.attained = Some(Attained { miss: Some(*miss), ..Attained::default() });
    }
    all.extend((0..repeated).map(one));
    suite_promises(&all).unwrap().epsilon.unwrap()
}

#[test]
fn a_suite_says_what_its_tests_promise_together() {
    let promise = "the probability that any of them passes even though its claim does not hold is at most 0.05";
    assert_eq!(
        suite(12, 12, &[], 0).words,
        [format!("suite: 12 tests share epsilon = 0.05, 1/240 or less for each: {promise}")]
    );
    assert_eq!(suite(1, 1, &[], 0).words, [format!("suite: 1 test has epsilon = 0.05: {promise}")]);
    assert_eq!(
        suite(10, 8, &[], 0).words,
        [
            format!("suite: 10 tests share epsilon = 0.05, 0.005 or less for each: {promise}"),
            "suite: 2 of them did not run".into()
        ]
    );
}

#[test]
fn a_suite_with_tests_within_budget_says_what_it_attained() {
    // 8 of 10 parts of 0.05 are 0.04; 0.1 and 0.2 come on top: 0.34.
    let cut = suite(10, 10, &[0.1, 0.2], 0);
    let bound = cut.bound.unwrap();
    assert!((0.34..0.340_001).contains(&bound), "{bound}");
    assert_eq!(
        cut.words,
        [
            "suite: 10 tests share epsilon = 0.05, 0.005 or less for each",
            "suite: 2 of them passed within budget and achieved less",
            "suite: the probability that any of them passes even though its claim does not hold is at most 0.341, not 0.05",
        ]
    );
    assert_eq!(cut.within_budget, 2);
    let much = suite(2, 2, &[0.6, 0.7], 0);
    assert_eq!(much.bound, None);
    assert!(much.words[2].starts_with("suite: there is no bound on the probability"));
}

#[test]
fn a_suite_with_tests_that_try_again_promises_nothing() {
    let again = suite(10, 10, &[], 1);
    assert_eq!(again.bound, None);
    assert_eq!(
        again.words[1..],
        [
            "suite: 1 of them ran more than once; a test that is retried until it passes promises nothing",
            "suite: there is no bound on the probability that any of them passes even though its claim does not hold",
        ]
    );
}

/// What ten tests promise together of which some were executed, the first of them undecided.
fn alarms(tolerating: usize, numeric: usize, strict: usize, undecided: usize) -> SuiteFalseAlarm {
    let kinds =
        [(Kind::Tolerate, tolerating), (Kind::Mean, numeric), (Kind::Detect, strict)].into_iter();
    let kinds = kinds.flat_map(|(kind, count)| std::iter::repeat_n(kind, count));
    let tests = kinds.enumerate().map(|(number, kind)| TestFacts {
        test: number.to_string(),
        kind: Some(kind),
        verdict: if number < undecided { Verdict::Inconclusive } else { Verdict::Passed },
        suite: Some(Shares { epsilon: None, false_alarm: share("0.001", 10) }),
        ..TestFacts::default()
    });
    let tests: Vec<TestFacts> = tests.collect();
    suite_promises(&tests).unwrap().false_alarm.unwrap()
}

#[test]
fn claims_on_means_and_labels_are_among_the_tests_whose_false_alarms_are_bounded() {
    for (tolerating, numeric, words) in [
        (0, 1, "the one that claims a mean or labels fails even though its program keeps to it"),
        (
            0,
            3,
            "any of the 3 that claim a mean or labels fails even though its program keeps to it",
        ),
        (
            2,
            1,
            "any of the 2 with a tolerated rate or the 1 with a claim on a mean or labels fails even though its program keeps to it",
        ),
    ] {
        let suite = alarms(tolerating, numeric, 4, 0);
        let lines = suite.words;
        let promise = format!("the probability that {words} is at most 0.001");
        assert!(lines[0].ends_with(&promise), "{}", lines[0]);
        assert!(lines[1].contains("the other 4 tolerate nothing"));
        assert_eq!(suite.numeric, numeric as u64);
    }
}

#[test]
fn a_claim_has_the_smaller_one_of_its_chances_and_its_parts() {
    let share = |total: &str| Some(Share::new(total.parse().unwrap(), 10.try_into().unwrap()));
    let suite = Suite { epsilon: share("0.05"), false_alarm: share("1e-7") };
    let rate = probtest::tolerate(0.01);
    let mean = probtest::mean().between(0, 1).above(0.9).margin(0.05);
    let coin = probtest::fit().label("heads", 0.5).label("tails", 0.5);
    let coin = coin.distance(0.1);
    for (claim, strong) in [
        (rate.clone().claim(), rate.epsilon("1e-4").claim()),
        (mean.clone().claim(), mean.epsilon("1e-4").claim()),
        (coin.clone().claim(), coin.epsilon("1e-4").claim()),
    ] {
        let part = |claim: Claim| {
            let part = suite.limit(claim);
            let chances = (part.epsilon().unwrap(), part.false_alarm().unwrap());
            (chances.0.to_string(), chances.1.to_string())
        };
        assert_eq!(part(claim.unwrap()), ("0.005".into(), "1e-8".into()));
        assert_eq!(part(strong.unwrap()), ("1e-4".into(), "1e-8".into()));
    }
}

#[test]
fn a_suite_says_for_which_tests_false_alarms_are_bounded() {
    let shared = "suite: 10 tests share false_alarm = 0.001, 0.0001 or less for each";
    assert_eq!(
        alarms(1, 0, 1, 0).words,
        [
            format!(
                "{shared}: the probability that the one that tolerates a rate fails even though its program stays within it is at most 0.001"
            ),
            "suite: the other 1 tolerates nothing and fails at its first violation, so it promises nothing about false alarms".into(),
        ]
    );
    assert_eq!(alarms(10, 0, 0, 0).words.len(), 1);
    assert_eq!(
        alarms(10, 0, 0, 2).words[1],
        "suite: 2 ended without a verdict, which does not count as an alarm"
    );
    assert_eq!(
        alarms(0, 0, 10, 0).words,
        [format!(
            "{shared}, but none of those that ran tolerates a rate, and a test that fails at its first violation promises nothing about false alarms"
        )]
    );
    assert_eq!(alarms(4, 0, 6, 1).strict, 6);
}

/// Tests a claim as one of four that share both chances.
fn one_of_four(claim: Claim, rate: u64, most: Option<u64>) -> Report {
    let share = |total: &str| Some(Share::new(total.parse().unwrap(), 4.try_into().unwrap()));
    let suite = Suite { epsilon: share("0.04"), false_alarm: share("4e-8") };
    let mut settings = Settings::new("one of four").seed(1).suite(suite);
    if let Some(most) = most {
        settings = settings.max_executions(most).on_budget(OnBudget::Pass);
    }
    probtest::check(&claim, settings, |rng| rng.draw_u64() % rate != 0).unwrap()
}

const MISSES: &str = "  suite     4 tests share epsilon = 0.04, 0.01 or less for each\n            the probability that any of them passes even though its claim does not hold is at most 0.04\n";
const ALARMS: &str = "  suite     4 tests share false_alarm = 4e-8, 1e-8 or less for each\n";

#[test]
fn a_tolerating_test_has_its_parts_of_both_chances_and_says_so() {
    let claim = || Claim::tolerate(0.01, 0.1, 0.05, 1e-6).unwrap();
    let passed = one_of_four(claim(), 1_000_000, None);
    assert!(passed.passed(), "{passed}");
    let text = passed.to_string();
    assert!(text.contains(MISSES) && text.contains(ALARMS), "{text}");
    let claimed = passed.claim();
    assert_eq!(claimed.false_alarm().unwrap().to_string(), "1e-8");
    assert_eq!(claimed.epsilon().unwrap().to_string(), "0.01");
    assert!(passed.plan().false_alarm().unwrap().value() <= 1e-8);
    let json = as_json(&passed);
    assert_eq!(json["suite"]["false_alarm"]["each_exact"], "1e-8");
    // Every second execution violates: stopped soon, and never a false alarm.
    let violated = one_of_four(claim(), 2, None);
    let text = violated.to_string();
    assert!(text.starts_with("the body returned false"), "{text}");
    let words = "the probability that any test that tolerates a rate fails even though its program stays within it is at most 4e-8";
    assert!(text.contains(ALARMS) && text.contains(words), "{text}");
    assert!(!text.contains("share epsilon"), "a failure misses nothing: {text}");
}

#[test]
fn a_test_that_tolerates_nothing_says_that_its_alarms_are_not_bounded() {
    let report = one_of_four(Claim::detect(0.1, 0.05).unwrap(), 2, None);
    let words = "this one tolerates nothing and fails at its first violation, so it promises nothing about false alarms\n";
    assert!(report.to_string().contains(&format!("{ALARMS}            {words}")), "{report}");
}

#[test]
fn a_pass_within_budget_keeps_no_part_of_epsilon() {
    let report = one_of_four(Claim::detect(0.1, 0.05).unwrap(), 1_000_000, Some(5));
    assert!(report.is_within_budget());
    let text = report.to_string();
    assert!(
        text.contains("share epsilon = 0.04, 0.01 or less for each; this one achieved less\n"),
        "{text}"
    );
    assert!(!text.contains(MISSES), "{text}");
}

#[test]
fn the_facts_of_tests_say_what_they_promise_together() {
    let suite = Suite {
        epsilon: Some(Share::new("0.05".parse().unwrap(), 4.try_into().unwrap())),
        false_alarm: Some(Share::new("1e-3".parse().unwrap(), 4.try_into().unwrap())),
    };
    let facts = |test: &str, claim: Claim| {
        let settings = Settings::new(test).seed(7).suite(suite.clone());
        let body = |_: &mut TestRng| Observation::Passed;
        let run = TestRun::begin(&suite.limit(claim), settings).unwrap();
        on_one_thread(run, body).facts()
    };
    let strict = facts("strict", Claim::detect(0.1, 0.05).unwrap());
    let rate = facts("rate", probtest::tolerate(0.01).p(0.1).claim().unwrap());
    let mean = probtest::mean().between(0, 1).below(0.5).margin(0.1);
    let mean = facts("mean", mean.claim().unwrap());
    let found = suite_promises(&[strict.clone(), rate, mean, strict]).unwrap();
    let (epsilon, alarms) = (found.epsilon.unwrap(), found.false_alarm.unwrap());
    assert_eq!((epsilon.executed, epsilon.repeated, epsilon.bound), (3, 1, None));
    assert_eq!((alarms.tolerating, alarms.numeric, alarms.strict), (1, 1, 1));
    // Nothing was returned that has a mean.
    assert_eq!(alarms.undecided, 1);
    assert_eq!(suite_promises(&[]).unwrap(), Default::default());
}

fn on_one_thread(
    mut run: TestRun<'_>,
    mut body: impl FnMut(&mut TestRng) -> Observation,
) -> Report {
    Serial::new(&mut body).execute(&mut run);
    run.finish()
}
