//! Two versions on the same seeds: has the new one become worse? How often that is answered wrongly is computed
//! in `examples/calibrate/promises/compare.rs`.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use probtest::claim::{Pairs, Worse};
use probtest::judge::{Doubt, Finding, Observed, Reason, Verdict};
use probtest::machine::{Next, RangeRecord, TestRun};
use probtest::run::{Conclusion, both, once};
use probtest::seed::Address;
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
        Observed::Change(seen) => (seen.worse, seen.better, seen.interval),
        other => panic!("{other:?}"),
    }
}

#[test]
fn versions_that_do_the_same_pass_after_as_many_pairs_whatever_their_rate() {
    for rate in [0.0, 0.01, 0.3, 0.9] {
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

/// The versions in the order in which they ran, twice for each pair.
fn order(settings: Settings<'_>) -> HashMap<u64, Vec<&'static str>> {
    let ran: Mutex<HashMap<u64, Vec<_>>> = Mutex::default();
    let version = |name: &'static str| {
        let ran = &ran;
        move |rng: &mut TestRng| {
            let mut ran = ran.lock().unwrap();
            ran.entry(rng.execution()).or_default().push(name);
            rng.random::<f64>() < 2.0
        }
    };
    let (old, new) = (version("old"), version("new"));
    let _ = check(compare(0.01), settings, |rng| both(rng, &old, &new)).unwrap();
    ran.into_inner().unwrap()
}

#[test]
fn a_fair_coin_of_the_execution_decides_which_version_runs_first() {
    let all = order(settings(7));
    assert_eq!(all.len(), 378);
    let new_first = all.values().filter(|ran| **ran == ["new", "old"]).count();
    let old_first = all.values().filter(|ran| **ran == ["old", "new"]).count();
    assert_eq!(new_first + old_first, 378);
    // A fair coin is this far off with probability 2e-10.
    assert!(new_first.abs_diff(189) <= 62, "{new_first}");
    let on_threads = order(settings(7).jobs(3));
    // They may have begun more than was needed.
    assert!(all.iter().all(|(index, ran)| on_threads[index] == *ran));
    for index in 1..=8 {
        let seed = probtest::seed::RunSeed(7);
        let alone = order(Settings::new("versions").replay(Address { seed, index }));
        assert_eq!(alone[&index], all[&index]);
    }
}

#[test]
fn what_the_first_version_leaves_behind_makes_no_version_worse_than_its_copy() {
    let calls = AtomicU64::new(0);
    // Whichever comes second violates.
    let copy = |rng: &mut TestRng| {
        rng.draw_u64();
        calls.fetch_add(1, Ordering::Relaxed).is_multiple_of(2)
    };
    let limits = settings(7).max_executions(200);
    let report = check_local(compare(0.1), limits, |rng| both(rng, copy, copy)).unwrap();
    assert!(!report.section().starts_with("probtest: worse"), "{report}");
    let (worse, better, _) = seen(&report);
    assert_eq!(worse + better, 200);
    assert_eq!(report.doubts(), [Doubt::Order]);
}

#[test]
fn a_cache_that_both_versions_share_is_a_doubt_and_independent_samples_are_none() {
    let cache: Mutex<HashMap<u64, bool>> = Mutex::default();
    let cached = |rng: &mut TestRng, rate: f64| {
        let held = rng.random::<f64>() >= rate;
        *cache.lock().unwrap().entry(rng.execution()).or_insert(held)
    };
    let report = check(compare(0.02), settings(7), |rng| {
        both(rng, |rng| cached(rng, 0.0), |rng| cached(rng, 0.3))
    })
    .unwrap();
    assert_eq!((seen(&report).0, seen(&report).1), (0, 0), "{report}");
    assert_eq!(report.doubts(), [Doubt::Order]);
    let said = "what the two versions did depends on which of them ran first";
    assert!(report.to_string().contains(said), "{report}");

    // The second number is of its own, and violates as often or more often: no order decides.
    for (old, new) in [(0.2, 0.2), (0.2, 0.6), (0.6, 0.2)] {
        let report = check(compare(0.1), settings(7), |rng| {
            both(rng, flaky(old), |rng| {
                rng.draw_u64();
                rng.random::<f64>() >= new
            })
        });
        assert_eq!(report.unwrap().doubts(), []);
    }
}

#[test]
fn an_old_version_that_leaves_no_room_for_a_worse_one_is_no_pass() {
    let report = compared(1.0, 1.0, settings(7));
    assert_eq!(report.reason(), Some(&Reason::NoRoom { old: 1.0 }));
    let said = "the old version violates at a rate of 1.0000, so no version can be worse by 0.01";
    assert!(report.to_string().contains(said), "{report}");
    // One that holds again is better, whatever the old one did.
    assert!(compared(1.0, 0.3, settings(7)).passed());
    // So are means at the end of what there is.
    let returns = |number: f64, worse| {
        let terms = compare_means().between(0, 10).change(1).worse(worse);
        check(terms, settings(7), |rng| {
            let one = |rng: &mut TestRng| rng.random::<f64>() / 2.0 + number;
            both(rng, one, one)
        })
        .unwrap()
    };
    for (number, worse, passes) in [
        (0.0, Worse::Lower, false),
        (0.0, Worse::Higher, true),
        (9.5, Worse::Higher, false),
        (9.5, Worse::Lower, true),
    ] {
        let report = returns(number, worse);
        assert_eq!(report.passed(), passes, "{report}");
        let has_room = !matches!(report.reason(), Some(Reason::NoRoom { .. }));
        assert_eq!(has_room, passes, "{report}");
    }
}

#[test]
fn the_interval_that_is_written_is_on_the_side_of_the_verdict() {
    let ends = |report: &Report| {
        let text = report.to_string();
        let (_, behind) = text.split_once("on average").unwrap();
        let (interval, _) = behind.split_once(" with confidence").unwrap();
        let (_, ends) = interval.split_once('(').unwrap();
        let (low, high) = ends.split_once(" to ").unwrap();
        (low.parse::<f64>().unwrap(), high.parse::<f64>().unwrap())
    };
    let mut judged = [0, 0];
    for seed in 0..60 {
        let (old, new) = (flaky(0.0), flaky([0.05, 0.2][seed as usize % 2]));
        let report = check(compare(0.1), settings(seed), |rng| both(rng, &old, &new)).unwrap();
        let (low, high) = ends(&report);
        match report.passed() {
            true => assert!(high < 0.1, "{report}"),
            false => assert!(0.0 < low, "{report}"),
        }
        judged[usize::from(report.passed())] += 1;
    }
    assert!(judged[0] > 0 && judged[1] > 0, "{judged:?}");
}

#[test]
fn a_shard_counts_what_the_new_version_violated() {
    let shard = "1/2".parse().unwrap();
    let report = compared(0.3, 0.3, settings(7).max_executions(400).shard(shard));
    assert_eq!(*report.verdict(), Verdict::Partial);
    let counts = report.counts();
    assert!(counts.violated > 0 && counts.passed > 0, "{counts:?}");
    assert_eq!(counts.passed + counts.violated, counts.executed);
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
        "old violates at a rate of ",
        "new violates at a rate of ",
        ", where the new version alone violates: the body returned false\n",
    ] {
        assert!(text.contains(part), "{text}");
    }

    let address = report.address().unwrap();
    let again = compared(0.01, 0.04, Settings::new("versions").replay(address));
    assert_eq!(again.violating_index(), Some(address.index));
    let fixed = compared(0.01, 0.01, Settings::new("versions").replay(address));
    assert_eq!(fixed.reason(), Some(&Reason::Replayed { index: address.index }));
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
    assert!(report.summary().starts_with("probtest: undecided after 100 pairs of at most "));
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
            let mut work = RangeRecord::new(&range);
            for attempt in range.attempts() {
                let mut rng = attempt.rng();
                let did = once(&mut rng, &mut |rng| {
                    let (old, new) = (flaky(old), flaky(new));
                    Conclusion::<Pairs>::conclude(both(rng, &old, &new))
                });
                work.add(attempt.did(did, rng.has_drawn()));
            }
            let sent = work.to_string();
            let _ = run.take(sent.parse().unwrap());
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
        (Worse::Higher, 0.9, "worse: the new version has a higher mean"),
        (Worse::Lower, 0.9, "better: the new version has a higher mean"),
        (Worse::Higher, -0.9, "better: the new version has a lower mean"),
        (Worse::Lower, -0.9, "worse: the new version has a lower mean"),
        (Worse::Lower, 0.0, "not worse by 0.5, after "),
    ] {
        let report = run(worse, shift);
        let expected = format!("probtest: {head}");
        assert!(report.summary().starts_with(&expected), "{report}");
    }
    // The numbers themselves vary by 2.3; that of a pair does not vary at all.
    assert!(run(Worse::Lower, 0.0).counts().executed < 200);

    let outside = run(Worse::Higher, 3.0);
    let Some(Reason::Outside { index, .. }) = outside.reason() else {
        panic!("{outside}");
    };
    // It is not the pair that was worse by most.
    let said = format!("  seed      0x7, execution {index}\n");
    assert!(outside.to_string().contains(&said), "{outside}");
    for (old, new, which) in [(false, true, "new"), (true, false, "old"), (true, true, "old")] {
        let version = |fails| {
            move |rng: &mut TestRng| match fails {
                true => Err("late".to_owned()),
                false => Ok(rng.random::<f64>()),
            }
        };
        let failing =
            check(terms(Worse::Lower), settings(7), |rng| both(rng, version(old), version(new)));
        let failing = failing.unwrap().to_string();
        let said =
            format!("the {which} version returned no number: the body returned Err: \"late\"");
        assert!(failing.contains(&said), "{failing}");
    }
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
    assert!(report.to_string().contains("the new version alone violates: four"), "{report}");
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
        "the change is larger than any version can be worse by"
    );
    assert_eq!(
        what(compare_means().change(1).between(1, 0).worse(Worse::Lower).claim()),
        "between does not go from low to high"
    );
    assert_eq!(
        what(compare_means().between(0, 1).change(0.1).claim()),
        "the comparison does not say which numbers are worse"
    );
    // A body that is no pair.
    let claim = compare(0.1).claim().unwrap();
    let report = check(&claim, settings(1), |rng| rng.random_range(0..6_usize)).unwrap();
    assert!(matches!(report.reason(), Some(Reason::Nothing { index: 1 })), "{report}");
}
