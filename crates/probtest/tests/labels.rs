//! What executions report about themselves: shares, what was unusual, and what is required.

use std::time::Duration;

use probtest::judge::{Doubt, Reason, Verdict};
use probtest::run::LabelValue;
use probtest::{Claim, Report, Settings, TestRng, label};
use rand::RngExt;

fn settings() -> Settings<'static> {
    Settings::new("labels").seed(7).shrink_time(Duration::ZERO)
}

fn check(claim: &Claim, jobs: usize, body: impl Fn(&mut TestRng) + Sync) -> Report {
    probtest::check(claim, settings().jobs(jobs), body).unwrap()
}

fn tower(rng: &mut TestRng) -> u32 {
    (1..20).find(|_| rng.random::<bool>()).unwrap_or(20)
}

#[test]
fn shares_are_counted_over_the_executions_that_count_on_any_number_of_threads() {
    let claim = Claim::detect(0.01, 0.02).unwrap();
    let body = |rng: &mut TestRng| {
        let height = tower(rng);
        probtest::assume(height != 2);
        label("height", height);
        label("kind", if height > 3 { "tall" } else { "low" });
        label("odd", height % 2 == 1);
    };
    let report = check(&claim, 1, body);
    let tally = report.labels();
    assert_eq!(tally.labels.len(), 3);
    let heights = &tally.labels[0];
    assert_eq!(heights.of(&2_u32.into()).all(), 0, "rejected ones do not count");
    let all: u64 = heights.values.iter().map(|known| known.count.all()).sum();
    assert_eq!(all, 390);
    assert_eq!(check(&claim, 3, body).labels(), tally);
    let text = report.to_string();
    for part in ["labels    height", "kind = low in ", "odd in "] {
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn what_was_unusual_about_a_violation_is_said() {
    let claim = Claim::detect(0.001, 0.001).unwrap();
    let report = check(&claim, 1, |rng| {
        let height = tower(rng);
        label("height", height);
        label("weather", "fine");
        assert!(height < 7);
    });
    let index = report.violating_index().unwrap();
    let passed = index - 1;
    let own = &report.labels().of_violation[0];
    let LabelValue::Number(height) = &own.value else {
        panic!("{own:?}");
    };
    let says = format!(
        "unusual   height = {} in this execution; 0 of {passed} that passed had that or more\n",
        height.0
    );
    let text = report.to_string();
    assert!(text.contains(&says), "{text}");
    assert!(!text.contains("weather = fine in this"), "{text}");
}

#[test]
fn labels_that_tell_violations_from_passes_are_named() {
    let claim = Claim::tolerate(0.1, 0.3, 0.001, 0.001).unwrap();
    let report = check(&claim, 1, |rng| {
        let (first, second): (bool, bool) = (rng.random(), rng.random());
        label("first", first);
        label("second", second);
        assert!(!first || rng.random_bool(0.2));
    });
    let text = report.to_string();
    assert!(text.contains("unusual   first = true in "), "{text}");
    assert!(text.contains("the chance of such a difference is"), "{text}");
    assert!(!text.contains("second = true in"), "{text}");
}

#[test]
fn a_label_that_must_be_there_and_is_too_rare_leaves_no_pass() {
    let claim = Claim::detect(0.01, 0.02).unwrap();
    let asked = |share: f64, has: fn(u32) -> bool| {
        check(&claim, 1, move |rng| label("tall", has(tower(rng))).at_least(share))
    };
    // More than 99 % of the towers are below 8.
    let rare = asked(0.2, |height| height > 7);
    assert!(matches!(rare.verdict(), Verdict::Inconclusive(Reason::TooRare(_))));
    assert!(rare.to_string().contains("at least 0.2 of them must have it"), "{rare}");
    let enough = asked(0.2, |height| height > 1);
    assert!(enough.passed() && enough.doubts().is_empty());
    // 390 executions are too few to be certain, and none has it.
    let unseen = asked(0.01, |height| height > 100);
    assert!(unseen.passed());
    assert!(matches!(unseen.doubts(), [Doubt::Unseen(_)]), "{unseen}");
    for nonsense in [0.0, 1.0, -1.0, f64::NAN] {
        let report = asked(nonsense, |_| true);
        assert!(matches!(report.verdict(), Verdict::Inconclusive(Reason::Broken { .. })));
    }
}

#[test]
fn a_share_that_is_asked_for_is_not_lost_among_other_labels() {
    let claim = Claim::detect(0.01, 0.02).unwrap();
    let names: Vec<String> = (0..100).map(|number| format!("name {number}")).collect();
    let among = names.clone();
    let many = check(&claim, 1, move |rng| {
        for name in &among {
            label(name.clone(), rng.random::<bool>());
        }
        label("tall", false).at_least(0.2);
    });
    let again = check(&claim, 1, |rng| {
        label("tall", tower(rng) > 100).at_least(0.2);
        label("tall", false);
    });
    for report in [many, again] {
        assert!(matches!(report.verdict(), Verdict::Inconclusive(Reason::TooRare(_))), "{report}");
    }
    let too_many = check(&claim, 1, move |rng| {
        rng.draw_u64();
        for name in &names {
            label(name.clone(), true).at_least(0.2);
        }
    });
    assert!(too_many.to_string().contains("more than 64 labels ask for a share"), "{too_many}");
}

#[test]
fn a_test_inside_a_test_has_labels_and_costs_of_its_own() {
    let claim = Claim::detect(0.5, 0.5).unwrap();
    let report = check(&claim, 1, |rng| {
        label("outside", true);
        probtest::cost(2.0);
        let inner = Claim::detect(0.5, 0.5).unwrap();
        let inner = probtest::check(&inner, settings(), |rng| {
            label("inside", rng.random::<bool>());
            probtest::cost(1.0);
        });
        let inner = inner.unwrap();
        assert_eq!((inner.labels().labels.len(), inner.cost()), (1, Some(3.0)));
        rng.draw_u64();
    });
    let names: Vec<&str> = report.labels().labels.iter().map(|label| &*label.name).collect();
    assert_eq!((&*names, report.cost()), (&["outside"][..], Some(6.0)));
    assert!(report.passed(), "{report}");
}
