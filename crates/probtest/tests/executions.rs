//! Facts about executing: what a body does, and what follows.
//!
//! Every test fixes its seed, so none can fail by chance.

use std::sync::atomic::{AtomicU64, Ordering};

use probtest::judge::{Doubt, Finding, Reason, Verdict};
use probtest::report::{Note, Remembered};
use probtest::run::{Conclusion, Observation};
use probtest::settings::Cancel;
use probtest::{Claim, Report, Settings, TestRng, assume};
use rand::RngExt;

fn claim(p: f64, epsilon: f64) -> Claim {
    Claim::detect(p, epsilon).unwrap()
}

/// Checks a body with a valid claim.
fn check<C: Conclusion>(
    claim: Claim,
    settings: Settings<'_>,
    body: impl Fn(&mut TestRng) -> C + Sync,
) -> Report {
    probtest::check(claim, settings, body).unwrap()
}

#[test]
fn the_first_violation_in_index_order_decides_although_a_later_one_comes_first() {
    // Execution 3 violates slowly, every later one immediately.
    let body = |rng: &mut TestRng| {
        let index = rng.execution();
        let rounds = if index == 3 { 2_000_000 } else { 1 };
        let sum = (0..rounds).fold(0, |sum: u64, _| sum ^ rng.draw_u64());
        assert!(index < 3, "execution {index}, {}", sum % 2);
    };
    for jobs in [1, 2, 8] {
        let settings = Settings::new("slow").seed(1).jobs(jobs);
        let report = check(claim(0.01, 0.02), settings, body);
        assert_eq!(report.violating_index(), Some(3));
        assert_eq!((report.counts().passed, report.counts().violated), (2, 1));
        assert!(report.violation().unwrap().message.starts_with("execution 3,"));
    }
}

#[test]
fn a_test_that_passes_executes_exactly_its_plan() {
    for jobs in [1, 2, 5] {
        let executed = AtomicU64::new(0);
        let settings = Settings::new("counted").jobs(jobs);
        let report = check(claim(0.01, 0.02), settings, |rng| {
            executed.fetch_add(1, Ordering::Relaxed);
            rng.draw_u32();
        });
        assert!(report.passed());
        assert_eq!(executed.into_inner(), 390);
    }
}

#[test]
fn every_execution_draws_numbers_of_its_own() {
    let drawn = std::sync::Mutex::new(std::collections::BTreeSet::new());
    let settings = Settings::new("distinct").seed(1).jobs(2);
    let report = check(claim(0.001, 0.05), settings, |rng: &mut TestRng| {
        drawn.lock().unwrap().insert(rng.draw_u64())
    });
    assert!(report.passed());
    assert_eq!(drawn.into_inner().unwrap().len(), 2995);
}

#[test]
fn a_violation_carries_message_and_place_of_the_panic() {
    let settings = Settings::new("place").seed(1);
    let report = check(claim(0.5, 0.05), settings, |_| {
        assert_eq!(1 + 1, 3, "sums");
    });
    let violation = report.violation().unwrap();
    assert!(violation.message.contains("sums"), "{violation:?}");
    assert!(violation.message.contains("left: 2"), "{violation:?}");
    let location = violation.location.as_deref().unwrap();
    assert!(location.contains("executions.rs:"), "{location}");
}

#[test]
fn false_and_err_are_violations() {
    let settings = || Settings::new("returned").seed(1);
    let report = check(claim(0.5, 0.05), settings(), |_| false);
    assert_eq!(report.violation().unwrap().message, "the body returned false");
    let report = check(claim(0.5, 0.05), settings(), |_| Err::<(), _>("torn"));
    assert_eq!(report.violation().unwrap().message, "the body returned Err: \"torn\"");
}

#[test]
fn rejected_executions_are_drawn_again_and_do_not_count() {
    let settings = Settings::new("halves").seed(3);
    let report = check(claim(0.01, 0.02), settings, |rng| {
        assume(rng.random_bool(0.5));
    });
    assert!(report.passed());
    assert_eq!(report.counts().executed, 390);
    // Negative binomial: 390 +- 28; ten standard deviations are 279.
    assert!((111..669).contains(&report.counts().rejected), "{report}");
}

#[test]
fn assume_outside_a_body_is_an_ordinary_panic() {
    let panic = std::panic::catch_unwind(|| assume(false)).unwrap_err();
    let message = panic.downcast_ref::<&str>().unwrap();
    assert!(message.contains("outside a test body"), "{message}");
    assume(true);
}

#[test]
fn an_outcome_never_seen_is_a_violation() {
    let outcomes = probtest::Outcomes::equal(6).unwrap();
    let claim = Claim::cover(outcomes, 0.05).unwrap();
    let settings = Settings::new("no six").seed(1);
    let report =
        probtest::check(&claim, settings, |rng: &mut TestRng| rng.random_range(0..5_usize));
    let report = report.unwrap();
    let expected = Verdict::Violated(Finding::Unseen { outcomes: vec![5] });
    assert_eq!(*report.verdict(), expected);
    assert_eq!(report.counts().executed, 27);
    assert_eq!(report.address(), None);
}

#[test]
fn a_body_that_reports_none_of_the_listed_outcomes_never_passes() {
    let certain = || probtest::cover(["1/6"; 6]);
    // By its type: before the first execution.
    let refused = [
        probtest::check(certain(), Settings::new("unit"), |_| ()),
        probtest::check(certain(), Settings::new("bool"), |_| true),
        probtest::check_local(certain(), Settings::new("result"), |_| Ok::<(), String>(())),
    ];
    for result in refused {
        let error = result.unwrap_err();
        assert!(error.what().contains("the body returns none"), "{error}");
    }
    // By what it does: at the end of the plan, or as soon as there is no other explanation.
    for (claim, executed) in
        [(certain(), 27), (probtest::cover([0.001, 0.4]), 41), (probtest::cover([1e-9, 0.9]), 30)]
    {
        for jobs in [1, 3] {
            let settings = Settings::new("silent").jobs(jobs);
            let report = probtest::check(claim.clone(), settings, |rng: &mut TestRng| {
                rng.draw_u64();
                Observation::Passed
            });
            let report = report.unwrap();
            let expected = Verdict::Inconclusive(Reason::NoOutcome);
            assert_eq!(*report.verdict(), expected, "{report}");
            assert_eq!(report.counts().executed, executed, "{report}");
        }
    }
}

#[test]
fn a_body_may_report_only_the_executions_that_show_a_listed_outcome() {
    let settings = || Settings::new("rare").seed(1);
    let report =
        probtest::check(probtest::cover([0.1]), settings(), |rng| match rng.random_range(0..10) {
            0 => Observation::Outcome(0),
            _ => Observation::Passed,
        });
    assert!(report.unwrap().passed());
    let report = probtest::check(probtest::cover([0.2, 0.3]), settings(), |rng| {
        match rng.random_range(0..10) {
            0..2 => Some(0),
            2..5 => Some(1),
            _ => None,
        }
    });
    assert!(report.unwrap().passed());
}

#[test]
fn outcomes_that_nobody_is_asked_for_are_said_to_be_unseen() {
    let settings = || Settings::new("program").seed(1).unreported_outcomes();
    let report = probtest::check(probtest::cover(["1/6"; 6]), settings(), |rng| rng.draw_u64() > 0);
    let report = report.unwrap();
    assert!(report.passed());
    assert_eq!(report.doubts(), [Doubt::UnreportedOutcomes]);
    // A body that reports one outcome must show all of them.
    let report = probtest::check(probtest::cover(["1/6"; 6]), settings(), |rng| {
        rng.random_range(0..5_usize)
    });
    let expected = Verdict::Violated(Finding::Unseen { outcomes: vec![5] });
    assert_eq!(*report.unwrap().verdict(), expected);
}

#[test]
fn an_outcome_that_is_not_listed_is_no_pass() {
    let cover = probtest::cover(["1/6"; 6]).claim().unwrap();
    for claim in [cover, claim(0.01, 0.02)] {
        let report = check(claim, Settings::new("seven"), |_| 6_usize);
        let Some(Reason::UnknownOutcome { index: 1, .. }) = report.reason() else {
            panic!("{report}");
        };
    }
}

#[test]
fn cancelling_is_inconclusive_with_what_was_done() {
    for jobs in [1, 2] {
        let cancel = Cancel::new();
        let switch = cancel.clone();
        let settings = Settings::new("cancelled").jobs(jobs).cancel(cancel);
        // The plan has 2 995 732 273 executions: only the switch can end it in time.
        let report = check(claim(1e-9, 0.05), settings, |rng: &mut TestRng| {
            if rng.execution() == 1000 {
                switch.cancel();
            }
        });
        assert_eq!(*report.verdict(), Verdict::Inconclusive(Reason::Cancelled));
        assert!(report.counts().executed < 2_995_732_273);
        assert!(!report.passed());
    }
}

#[test]
fn progress_is_told_in_growing_numbers_and_at_the_end() {
    for jobs in [1, 2] {
        let mut told = Vec::new();
        let settings = Settings::new("told").jobs(jobs);
        let settings =
            settings.progress(|progress| told.push((progress.executed, progress.planned)));
        let report = check(claim(0.01, 0.02), settings, |rng| {
            rng.draw_u32();
        });
        assert!(report.passed());
        assert!(told.is_sorted());
        assert_eq!(told.last(), Some(&(390, 390)));
    }
}

#[test]
fn a_body_that_never_draws_is_noted() {
    let report = check(claim(0.01, 0.02), Settings::new("copies"), |_| ());
    assert_eq!(report.doubts(), [Doubt::NeverDrew]);
    let own = Settings::new("own").own_randomness();
    let report = check(claim(0.01, 0.02), own, |_| ());
    assert_eq!(report.notes(), [Note::OwnRandomness]);
}

#[test]
fn executions_that_live_on_the_draw_of_the_first_one_are_in_doubt() {
    let once = std::sync::OnceLock::new();
    let body = |rng: &mut TestRng| assert!(*once.get_or_init(|| rng.draw_u64()) != 4);
    let report = check(claim(0.01, 0.05), Settings::new("once"), body);
    let (drew, looked_at) = (1, 299);
    assert!(report.passed());
    assert_eq!(report.doubts(), [Doubt::FewDrew { drew, looked_at }]);
    let summary = report.summary();
    assert!(summary.ends_with("in doubt: 1 of 299 executions drew a random number"), "{summary}");

    let strict = Settings::new("once").strict(true);
    let body = |rng: &mut TestRng| assert!(*once.get_or_init(|| rng.draw_u64()) != 4);
    let report = check(claim(0.01, 0.05), strict, body);
    assert_eq!(report.verdict(), &Verdict::Inconclusive(Reason::Doubt));
}

#[test]
fn a_copy_of_the_source_draws_for_its_execution() {
    let body = |rng: &mut TestRng| assert!(rng.clone().draw_u64() != 4);
    let report = check(claim(0.01, 0.05), Settings::new("copy"), body);
    assert_eq!(report.doubts(), []);
}

#[test]
fn a_panic_that_the_body_does_not_see_is_a_doubt_and_a_violation_where_the_run_is_strict() {
    // Joined, so that it has happened; its result is ignored.
    let body = |rng: &mut TestRng| {
        if rng.draw_u64().is_multiple_of(8) {
            let thread = std::thread::spawn(|| panic!("lost in a thread"));
            drop(thread.join());
        }
    };
    let settings = || Settings::new("lost").seed(7);
    let report = check(claim(0.01, 0.05), settings(), body);
    assert!(report.passed());
    let [Doubt::Panicked { index, panic }] = report.doubts() else {
        panic!("{:?}", report.doubts());
    };
    assert_eq!(panic.message, "lost in a thread");
    assert!(panic.location.as_ref().unwrap().contains("executions.rs"));
    let first = *index;
    for jobs in [1, 3] {
        let strict = settings().strict(true).jobs(jobs);
        let report = check(claim(0.01, 0.05), strict, body);
        assert_eq!(report.violating_index(), Some(first));
        assert_eq!(report.violation().unwrap().message, "lost in a thread");
    }
}

#[cfg(feature = "tokio")]
#[test]
fn a_panic_of_a_task_that_nobody_awaits_is_a_doubt() {
    let body = |rng: &mut TestRng| {
        let unlucky = rng.draw_u64().is_multiple_of(8);
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        runtime.unwrap().block_on(async {
            drop(tokio::spawn(async move { assert!(!unlucky, "lost in a task") }));
            tokio::task::yield_now().await;
        });
    };
    let report = check(claim(0.01, 0.05), Settings::new("task").seed(7), body);
    assert!(report.passed());
    let [Doubt::Panicked { panic, .. }] = report.doubts() else {
        panic!("{:?}", report.doubts());
    };
    assert_eq!(panic.message, "lost in a task");
}

#[test]
fn a_panic_that_the_body_catches_or_passes_on_is_no_doubt() {
    let caught = |rng: &mut TestRng| {
        let odd = rng.draw_u64() % 2 == 1;
        assert_eq!(std::panic::catch_unwind(|| assert!(odd)).is_ok(), odd);
    };
    let report = check(claim(0.1, 0.05), Settings::new("caught"), caught);
    assert!(report.passed());
    assert_eq!(report.doubts(), []);
    let passed_on = |rng: &mut TestRng| {
        let number = rng.draw_u64();
        let thread = std::thread::spawn(move || assert!(!number.is_multiple_of(8)));
        thread.join().unwrap();
    };
    let report = check(claim(0.01, 0.05), Settings::new("joined"), passed_on);
    assert!(report.violation().is_some());
    assert_eq!(report.doubts(), []);
    // Nor if violations are tolerated, and executions that pass follow them.
    let tolerated = probtest::tolerate(0.2).p(0.3);
    let settings = Settings::new("joined").seed(7);
    let report = probtest::check(tolerated, settings, passed_on).unwrap();
    assert!(report.passed() && report.counts().violated > 0);
    assert_eq!(report.doubts(), []);
}

#[test]
fn a_panic_after_the_last_execution_is_a_doubt() {
    for jobs in [1, 3] {
        let (go, waits) = std::sync::mpsc::channel::<()>();
        let waits = std::sync::Mutex::new(Some(waits));
        let thread = std::sync::Mutex::new(None);
        let body = |rng: &mut TestRng| {
            rng.draw_u64();
            if let Some(waits) = waits.lock().unwrap().take() {
                let lost = std::thread::spawn(move || {
                    waits.recv().unwrap();
                    panic!("lost at the end");
                });
                *thread.lock().unwrap() = Some(lost);
            }
        };
        // The plan is finished, but the test hasn't ended.
        let settings = Settings::new("late").jobs(jobs).decided(|_| {
            go.send(()).unwrap();
            let lost = thread.lock().unwrap().take();
            drop(lost.unwrap().join());
        });
        let report = check(claim(0.1, 0.05), settings, body);
        assert!(report.passed());
        let [Doubt::Panicked { panic, .. }] = report.doubts() else {
            panic!("{:?}", report.doubts());
        };
        assert_eq!(panic.message, "lost at the end");
    }
}

#[test]
fn panics_that_the_body_expects_are_no_doubt() {
    let body = |rng: &mut TestRng| {
        probtest::expect_panics();
        let number = rng.draw_u64();
        let thread = std::thread::spawn(move || panic!("cannot do {number}"));
        assert!(thread.join().is_err());
    };
    for jobs in [1, 3] {
        let strict = Settings::new("expected").strict(true).jobs(jobs);
        let report = check(claim(0.1, 0.05), strict, body);
        assert!(report.passed());
        assert_eq!(report.doubts(), []);
    }
    probtest::expect_panics();
    let lost = |rng: &mut TestRng| {
        rng.draw_u64();
        drop(std::thread::spawn(|| panic!("lost")).join());
    };
    let report = check(claim(0.1, 0.05), Settings::new("lost"), lost);
    assert!(matches!(report.doubts(), [Doubt::Panicked { .. }]));
}

#[test]
fn a_counterexample_of_a_strict_run_is_not_fixed_because_another_run_is_not_strict() {
    let body = |rng: &mut TestRng| {
        rng.draw_u64();
        drop(std::thread::spawn(|| panic!("lost")).join());
    };
    for jobs in [1, 3] {
        let remembered = || vec!["2:5".parse().unwrap()];
        let settings = || {
            let settings = Settings::new("lost").remembered(remembered());
            settings.unchanged(true).jobs(jobs)
        };
        let report = check(claim(0.1, 0.05), settings(), body);
        assert!(report.passed());
        assert_eq!(*report.remembered(), Remembered::None);
        let strict = settings().strict(true);
        let report = check(claim(0.1, 0.05), strict, body);
        assert_eq!(*report.remembered(), Remembered::Again(remembered()[0]));
    }
}

#[test]
fn an_execution_that_cannot_run_is_no_violation() {
    for jobs in [1, 2] {
        let settings = Settings::new("broken").jobs(jobs);
        let report = check(claim(0.01, 0.02), settings, |rng| match rng.execution() {
            7 => Observation::Broken("no more processes".into()),
            _ => Observation::Passed,
        });
        assert_eq!(report.counts().executed, 6);
        assert!(matches!(report.verdict(), Verdict::Inconclusive(Reason::Broken { index: 7, .. })));
    }
}

#[test]
fn a_local_body_may_keep_state_and_stays_on_its_thread() {
    let home = std::thread::current().id();
    let mut executed = 0;
    let state = std::rc::Rc::new(());
    let settings = Settings::new("local").jobs(4);
    let report = probtest::check_local(claim(0.01, 0.02), settings, |rng: &mut TestRng| {
        let _ = state.clone();
        assert_eq!(std::thread::current().id(), home);
        executed += 1;
        rng.draw_u32();
    });
    assert!(report.unwrap().passed());
    assert_eq!(executed, 390);
}

#[test]
fn options_out_of_range_are_errors_before_anything_is_executed() {
    let never = |_: &mut TestRng| -> bool { panic!("executed") };
    for settings in [
        Settings::new("jobs").jobs(0),
        Settings::new("jobs").jobs(1025),
        Settings::new("executions").max_executions(0),
        Settings::new("rejections").max_rejections(0),
    ] {
        let error = probtest::check(claim(0.5, 0.05), settings, never).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("given") && text.contains("help"), "{text}");
    }
}

#[test]
fn a_panicking_observer_ends_the_run_instead_of_hanging_it() {
    let settings = Settings::new("observer").jobs(2);
    let settings = settings.progress(|_| panic!("observer"));
    let run = std::panic::AssertUnwindSafe(|| {
        probtest::check(claim(0.01, 0.02), settings, |rng| {
            rng.draw_u32();
        })
    });
    assert!(std::panic::catch_unwind(run).is_err());
}

#[test]
fn a_remembered_execution_that_is_rejected_now_is_not_fixed() {
    let remembered = || vec!["2:5".parse().unwrap()];
    let settings = Settings::new("rejected").seed(1).remembered(remembered());
    let report = check(claim(0.5, 0.05), settings, |rng| {
        assume(rng.selection().address.seed.0 != 2);
        rng.draw_u32();
    });
    assert!(report.passed());
    assert_eq!(*report.remembered(), Remembered::None);
}

#[test]
fn a_test_inside_an_execution_leaves_the_outer_execution_as_it_was() {
    let settings = Settings::new("outer").seed(1);
    let report = check(claim(0.5, 0.05), settings, |rng| {
        let mut inner =
            probtest::seed::Stream::new(probtest::seed::RunSeed(3), "inner").execution(2);
        probtest::run::uncaught(&mut inner, &mut |_| Observation::Passed).unwrap();
        probtest::run::once(&mut inner, &mut |_| {
            assume(false);
            Observation::Passed
        });
        // Only the outer execution may reject; the inner one has restored it.
        assume(rng.random_bool(0.5));
    });
    assert!(report.passed(), "{report}");
    assert!(report.counts().rejected > 0);
}
