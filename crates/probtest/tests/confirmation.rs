//! An execution that decides by violating runs again.

use std::cell::Cell;
use std::sync::atomic::Ordering;
use std::time::Duration;

use probtest::{Claim, OnBudget, Settings, TestRng};
use rand::RngExt;

#[test]
fn an_execution_that_decides_runs_once_more_before_it_is_reported() {
    let claim = Claim::detect(0.01, 0.05).unwrap();
    let violates = |rng: &mut TestRng| rng.random_range(0..50) != 0;
    for jobs in [1, 3] {
        let again = || Settings::new("again").shrink_time(Duration::ZERO);
        let settings = || again().seed(11).jobs(jobs);
        let calls = std::sync::atomic::AtomicU64::new(0);
        let steady = probtest::check(&claim, settings(), |rng| {
            calls.fetch_add(1, Ordering::Relaxed);
            violates(rng)
        })
        .unwrap();
        let index = steady.violating_index().unwrap();
        assert_eq!(steady.confirmed(), Some(true));
        assert_eq!(steady.address().unwrap().index, index);
        // The repetition doesn't count.
        assert_eq!(steady.counts().executed, index);
        if jobs == 1 {
            assert_eq!(calls.into_inner(), index + 1);
        }
        // The second time it passes: something other than its source made it violate.
        let seen = std::sync::atomic::AtomicBool::new(false);
        let unsteady = probtest::check(&claim, settings(), |rng| {
            violates(rng) || (rng.execution() == index && seen.swap(true, Ordering::Relaxed))
        });
        let unsteady = unsteady.unwrap();
        assert_eq!(unsteady.violating_index(), Some(index));
        assert_eq!(unsteady.confirmed(), Some(false));
        assert_eq!(unsteady.address(), None);
        let text = unsteady.to_string();
        assert!(text.contains("did not violate when it ran again"));

        let left_out = probtest::check(&claim, settings().confirm(false), violates).unwrap();
        assert_eq!((left_out.confirmed(), left_out.address()), (None, steady.address()));
        let own = probtest::check(&claim, settings().own_randomness(), violates).unwrap();
        assert_eq!(own.confirmed(), None);
    }
}

#[test]
fn a_limit_of_time_does_not_come_between_a_violation_and_its_confirmation() {
    let claim = Claim::detect(0.01, 0.05).unwrap();
    let seconds = Cell::new(0);
    let settings = Settings::new("late")
        .max_time(Duration::from_secs(3))
        .on_budget(OnBudget::Pass)
        .clock(|| Duration::from_secs(seconds.get()));
    let report = probtest::check_local(&claim, settings, |rng| {
        seconds.set(seconds.get() + 10);
        rng.execution() != 1
    });
    let report = report.unwrap();
    assert_eq!(report.violating_index(), Some(1));
    assert_eq!(report.confirmed(), Some(true));
}
