//! Claims about an old and a new version.

use probtest::claim::Worse;
use probtest::judge::{Finding, Verdict};
use probtest::run::both;
use probtest::{Error, Report, Settings, TestRng};
use rand::RngExt;

use super::{Case, Section, library};

const SIMULATIONS: u64 = 20_000;
const EPSILON: f64 = 0.05;
const FALSE_ALARM: f64 = 0.05;
/// The change in those claims for which every path can be followed.
const LARGE: f64 = 0.6;
const SMALL: f64 = 0.05;

pub(super) fn section() -> Section {
    let mut cases = Vec::new();
    for differ in [0.1, 0.3, 0.6, 1.0] {
        cases.push(of_pairs(differ / 2.0, differ / 2.0));
    }
    for differ in [0.6, 0.8, 1.0] {
        cases.push(of_pairs((differ + LARGE) / 2.0, (differ - LARGE) / 2.0));
    }
    // The rates of the two, and of the seeds on which both violate.
    for (old, new, shared) in [
        (0.01, 0.01, 0.0),
        (0.3, 0.3, 0.29),
        (0.3, 0.3, 0.09),
        (0.0, 0.05, 0.0),
        (0.2, 0.25, 0.2),
        (0.2, 0.25, 0.05),
    ] {
        cases.push(of_versions(old, new, shared));
    }
    for (shift, good) in [(0.0, true), (0.1, false)] {
        cases.push(of_means(shift, good));
    }
    Section {
        title: "Two versions on the same seeds",
        about: "A new version that violates as often as the old one must not be called worse; one that violates more often by the change must be. epsilon = 0.05 and false_alarm = 0.05. If the versions violate on different seeds, as programs that bring their own randomness do, more pairs differ by chance.",
        cases,
    }
}

fn error(good: bool) -> (&'static str, f64) {
    match good {
        true => ("is called worse", FALSE_ALARM),
        false => ("passes", EPSILON),
    }
}

/// The chances of pairs in which the new version is worse, and better.
fn of_pairs(worse: f64, better: f64) -> Case {
    let good = worse == better;
    let names = (
        format!("p_change = {LARGE}"),
        format!("worse in {} of the pairs, better in {}", round(worse), round(better)),
    );
    Case::computed(names, error(good), move || {
        let terms = probtest::compare(LARGE).epsilon(EPSILON);
        let ended = library::of_pairs(terms.false_alarm(FALSE_ALARM), worse, better);
        vec![match good {
            true => ended.violated,
            false => ended.passed,
        }]
    })
}

fn round(share: f64) -> f64 {
    (share * 100.0).round() / 100.0
}

fn of_versions(old: f64, new: f64, shared: f64) -> Case {
    let names = (
        format!("p_change = {SMALL}"),
        format!("violates at {old}, then at {new}; both on the same seed at {shared}"),
    );
    case(names, old >= new, move |settings| {
        let terms = probtest::compare(SMALL).epsilon(EPSILON);
        // Both draw the same number: on the lowest ones, both violate.
        let old_holds = move |rng: &mut TestRng| rng.random::<f64>() >= old;
        let new_holds = move |rng: &mut TestRng| {
            let drawn = rng.random::<f64>();
            drawn >= shared && !(old..old + new - shared).contains(&drawn)
        };
        probtest::check(terms.false_alarm(FALSE_ALARM), settings, |rng| {
            both(rng, old_holds, new_holds)
        })
    })
}

fn of_means(shift: f64, good: bool) -> Case {
    let names = (
        "change = 0.1, worse = higher, between 0 and 1".to_owned(),
        format!("numbers up to 0.9, then {shift} more, half of them drawn anew"),
    );
    case(names, good, move |settings| {
        let terms = probtest::compare_means().between(0, 1).change(0.1);
        let terms = terms.worse(Worse::Higher).epsilon(EPSILON);
        let old = |rng: &mut TestRng| 0.9 * rng.random::<f64>();
        let new = move |rng: &mut TestRng| {
            let first = rng.random::<f64>();
            let drawn = match rng.random::<bool>() {
                true => first,
                false => rng.random(),
            };
            (0.9 * drawn + shift).min(1.0)
        };
        probtest::check(terms.false_alarm(FALSE_ALARM), settings, |rng| both(rng, old, new))
    })
}

fn case(
    names: (String, String),
    good: bool,
    test: impl Fn(Settings<'_>) -> Result<Report, Error> + Send + Sync + 'static,
) -> Case {
    Case::simulated(names, error(good), SIMULATIONS, move |number| {
        let report = test(Settings::new("versions").seed(number).confirm(false));
        !report.is_ok_and(|report| match good {
            true => report.passed(),
            false => *report.verdict() == Verdict::Violated(Finding::Worse),
        })
    })
}
