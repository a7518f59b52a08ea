//! Two versions on the same seeds: has the new one become worse? How often that is answered wrongly is computed
//! in `examples/calibrate/promises/compare.rs`.

use std::sync::atomic::{AtomicU64, Ordering};

use probtest::claim::{Pairs, Worse};
use probtest::judge::{Finding, Observed, Reason, Verdict};
use probtest::machine::{Next, TestRun, Work};
use probtest::run::{Conclusion, both, once};
use probtest::{
    Probtest, Report, Settings, TestRng, assume, check, check_local, compare, compare_means,
};
use rand::RngExt;

/// Violates with this probability, by the first number that is drawn: what violates at a lower
/// rate violates at a higher one too.
fn flaky(rate: f64) -> impl Fn(&mut TestRng) -> bool + Sync {
    move |rng| rng.random::<f64>() >= rate
}

fn settings(seed: u64) -> Settings<'static> {
    Settings::new("versions").seed(seed)
}

fn compared(old: f64, new: f64, settings: Settings<'_>) -> Report {
    let (old, new) = (flaky(old), flaky(new));
    check(compare(0.01), settings, |rng| both(rng, &old, &new)).unwrap()
}

/// How many pairs were worse and better, and the changes that fit.
fn seen(report: &Report) -> (u64, u64, (f64, f64)) {
    match report.observed() {
        Observed::Change {
            worse,
            better,
            interval,
            ..
        } => (*worse, *better, *interval),
        other => panic!("{other:?}"),
    }
}

#[test]
fn versions_that_do_the_same_pass_after_as_many_pairs_whatever_their_rate() {
    for rate in [0.0, 0.01, 0.3, 1.0] {
        let report = compared(rate, rate, settings(7));
        assert!(report.passed(), "{report}");
        assert_eq!((seen(&report).0, seen(&report).1), (0, 0));
        // 299 is the least that there can be: 0.99^299 is just below 0.05.
        assert_eq!(report.counts().executed, 378);
        let said =
            "probtest: not worse by 0.01, after 378 pairs\n  observed  0 of 378 pairs differ";
        assert!(report.to_string().starts_with(said), "{report}");
    }
}

#[test]
fn a_new_version_that_violates_more_often_is_worse_and_one_such_seed_is_shown() {
    let report = compared(0.01, 0.04, settings(7));
    assert_eq!(*report.verdict(), Verdict::Violated(Finding::Worse));
    assert_eq!(report.confirmed(), Some(true));
    let (worse, better, (low, high)) = seen(&report);
    assert!(worse >= 7 && better == 0, "{report}");
    assert!(0.0 < low && low < 0.03 && 0.03 < high, "{report}");
    let text = report.to_string();
    for part in [
        "probtest: worse: the new version violates more often, by ",
        "old violates with a rate of ",
        "new violates with a rate of ",
        ", where the new version alone violates: the body returned false\n",
    ] {
        assert!(text.contains(part), "{text}");
    }

    let address = report.address().unwrap();
    let again = compared(0.01, 0.04, Settings::new("versions").replay(address));
    assert_eq!(again.violating_index(), Some(address.index));
    let fixed = compared(0.01, 0.01, Settings::new("versions").replay(address));
    assert_eq!(
        fixed.reason(),
        Some(&Reason::Replayed {
            index: address.index
        })
    );
}

#[test]
fn a_new_version_that_violates_less_often_is_better() {
    let report = compared(0.2, 0.0, settings(7));
    assert!(report.passed(), "{report}");
    let (worse, better, (_, high)) = seen(&report);
    assert!(worse == 0 && better > 0 && high < 0.0, "{report}");
    assert!(report.summary().starts_with("probtest: better: "));
}

#[test]
fn a_budget_that_ends_first_leaves_it_undecided() {
    let report = compared(0.01, 0.015, settings(7).max_executions(100));
    let max_executions = 100;
    assert_eq!(report.reason(), Some(&Reason::Budget { max_executions }));
    assert!(
        report
            .summary()
            .starts_with("probtest: undecided after 100 pairs of at most ")
    );
}

#[test]
fn threads_and_other_processes_give_the_same_report() {
    for (old, new) in [(0.01, 0.04), (0.05, 0.05), (0.3, 0.0)] {
        let alone = compared(old, new, settings(11));
        let threads = compared(old, new, settings(11).jobs(3));
        assert_eq!(alone.to_string(), threads.to_string());

        let claim = compare(0.01).claim().unwrap();
        let mut run = TestRun::begin(&claim, settings(11)).unwrap();
        while let Next::Attempt(range) = run.next_range(50) {
            let mut work = Work::new(&range);
            for attempt in range.attempts() {
                let mut rng = attempt.rng();
                let did = once(&mut rng, &mut |rng| {
                    let (old, new) = (flaky(old), flaky(new));
                    Conclusion::<Pairs>::conclude(both(rng, &old, &new))
                });
                work.add(attempt.did(did, rng.has_drawn()));
            }
            let sent = serde_json::to_string(&work).unwrap();
            let _ = run.take(serde_json::from_str(&sent).unwrap());
        }
        assert_eq!(run.finish().to_string(), alone.to_string());
    }
}

#[test]
fn versions_whose_seed_does_not_decide_are_compared_as_independent_samples() {
    let calls = AtomicU64::new(0);
    // Violates in one call of four or two, whatever the seed.
    let every = |rng: &mut TestRng, odds: u64| {
        rng.draw_u64();
        // A permutation of the calls that looks random.
        let call = calls.fetch_add(1, Ordering::Relaxed);
        !(call.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32).is_multiple_of(odds)
    };
    let report = check_local(compare(0.1), settings(7), |rng| {
        both(rng, |rng| every(rng, 4), |rng| every(rng, 2))
    })
    .unwrap();
    assert_eq!(*report.verdict(), Verdict::Violated(Finding::Worse));
    assert_eq!(report.confirmed(), Some(false));
    assert_eq!(report.address(), None);
    let said = "the versions are compared as independent samples";
    assert!(report.to_string().contains(said), "{report}");
}

#[test]
fn means_are_compared_by_the_differences_of_pairs() {
    let terms = |worse| {
        let terms = compare_means().between(0, 10);
        terms.worse(worse).change(0.5)
    };
    let run = |worse, shift: f64| {
        check(terms(worse), settings(7), move |rng| {
            let score = |rng: &mut TestRng| rng.random_range(1.0..9.0);
            both(rng, score, move |rng| score(rng) + shift)
        })
        .unwrap()
    };
    for (worse, shift, head) in [
        (
            Worse::Higher,
            0.9,
            "worse: the new version has a higher mean",
        ),
        (
            Worse::Lower,
            0.9,
            "better: the new version has a higher mean",
        ),
        (
            Worse::Higher,
            -0.9,
            "better: the new version has a lower mean",
        ),
        (
            Worse::Lower,
            -0.9,
            "worse: the new version has a lower mean",
        ),
        (Worse::Lower, 0.0, "not worse by 0.5, after "),
    ] {
        let report = run(worse, shift);
        let expected = format!("probtest: {head}");
        assert!(report.summary().starts_with(&expected), "{report}");
    }
    // The numbers themselves vary by 2.3; that of a pair does not vary at all.
    assert!(run(Worse::Lower, 0.0).counts().executed < 200);

    let outside = run(Worse::Higher, 3.0);
    assert!(
        matches!(outside.reason(), Some(Reason::Outside { .. })),
        "{outside}"
    );
    let failing = check(terms(Worse::Lower), settings(7), |rng| {
        both(
            rng,
            |rng| Ok::<_, String>(rng.random::<f64>()),
            |_| Err::<f64, _>("late".to_owned()),
        )
    });
    let said = "the new version returned no number: the body returned Err: \"late\"";
    assert!(failing.unwrap().to_string().contains(said));
}

#[test]
fn a_pair_is_rejected_where_one_version_is_and_panics_are_violations() {
    let report = check(compare(0.1), settings(7), |rng| {
        both(
            rng,
            |rng| assume(rng.random_range(0..10) < 8),
            |rng| {
                let face = rng.random_range(0..10);
                assume(face > 1);
                assert!(face != 4, "four");
            },
        )
    })
    .unwrap();
    assert_eq!(*report.verdict(), Verdict::Violated(Finding::Worse));
    assert!(report.counts().rejected > 0);
    assert!(
        report
            .to_string()
            .contains("the new version alone violates: four"),
        "{report}"
    );
}

#[test]
fn the_builder_compares_two_bodies() {
    let (old, new) = (flaky(0.0), flaky(0.5));
    let test = || Probtest::new("builder").claim(compare(0.1)).seed(3);
    let report = test().report_both(&old, &new).unwrap();
    assert_eq!(*report.verdict(), Verdict::Violated(Finding::Worse));
    assert!(report.replay().unwrap().starts_with("PROBTEST_REPLAY=0x3:"));
    test().check_both(&new, &old);
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let what = |terms: Result<_, probtest::Error>| terms.unwrap_err().what().to_owned();
    assert!(what(compare(1.5).claim()).starts_with("p_change "));
    assert!(what(compare(0.0).claim()).starts_with("p_change "));
    let means = || compare_means().between(0, 1).worse(Worse::Lower);
    assert_eq!(what(means().claim()), "the comparison does not say change");
    assert_eq!(
        what(means().change(2).claim()),
        "no version can be worse by as much as the change"
    );
    assert_eq!(
        what(
            compare_means()
                .change(1)
                .between(1, 0)
                .worse(Worse::Lower)
                .claim()
        ),
        "between does not go from a lower to a higher number"
    );
    assert_eq!(
        what(compare_means().between(0, 1).change(0.1).claim()),
        "the comparison does not say which numbers are the worse ones"
    );
    // A body that is no pair.
    let claim = compare(0.1).claim().unwrap();
    let report = check(&claim, settings(1), |rng| rng.random_range(0..6_usize)).unwrap();
    assert!(
        matches!(report.reason(), Some(Reason::Nothing { index: 1 })),
        "{report}"
    );
}
