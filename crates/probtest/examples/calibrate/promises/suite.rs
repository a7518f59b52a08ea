//! One promise for a whole suite.

use std::num::NonZeroU64;

use probtest::settings::{Share, Suite};
use probtest::{Claim, Probability, TestRng};
use rand::RngExt;

use super::library::{is_right, tested};
use super::{Case, Section};

const SIMULATIONS: u64 = 50_000;
const EPSILON: f64 = 0.05;
const FALSE_ALARM: f64 = 0.05;

pub(super) fn section() -> Section {
    Section {
        title: "One promise for a whole suite",
        about: "Five tests share epsilon = 0.05 and false_alarm = 0.05; three of them tolerate a rate. A simulation runs all five.",
        cases: vec![
            case(
                "every program violates at its p",
                ("one test or more passes", EPSILON),
                |member| (member.p, false),
            ),
            case(
                "every program violates at its tolerated rate, or never",
                ("one test or more fails", FALSE_ALARM),
                |member| (member.tolerate.unwrap_or(0.0), true),
            ),
        ],
    }
}

/// A test of the suite.
#[derive(Clone, Copy)]
struct Member {
    tolerate: Option<f64>,
    p: f64,
}

const fn member(tolerate: Option<f64>, p: f64) -> Member {
    Member { tolerate, p }
}

const SUITE: [Member; 5] = [
    member(Some(0.01), 0.1),
    member(Some(0.1), 0.3),
    member(Some(0.05), 0.2),
    member(None, 0.05),
    member(None, 0.1),
];

/// Every test has an equal share, as in a real run: also of the chance of a false alarm, which
/// tests that tolerate nothing can't use.
fn share(total: f64) -> Option<Share> {
    let total = Probability::from_f64(total).ok()?;
    let tests = NonZeroU64::new(SUITE.len() as u64)?;
    Some(Share::new(total, tests))
}

/// The claims of the tests, each with its share of both promises.
fn claims() -> Vec<Claim> {
    let suite = Suite { epsilon: share(EPSILON), false_alarm: share(FALSE_ALARM) };
    let claim = |member: &Member| match member.tolerate {
        Some(tolerate) => Claim::tolerate(tolerate, member.p, 0.2, 0.2),
        None => Claim::detect(member.p, 0.2),
    };
    let own = SUITE.iter().map(claim);
    own.map(|claim| suite.limit(claim.expect("a claim of the suite"))).collect()
}

/// Runs the suite with programs of known rates, and returns whether one or more tests gave the
/// wrong answer. `rate` also says whether a pass is the right one.
fn case(program: &str, error: (&'static str, f64), rate: fn(&Member) -> (f64, bool)) -> Case {
    let claims = claims();
    let names = ("a suite of five tests".to_owned(), program.to_owned());
    Case::simulated(names, error, SIMULATIONS, move |number| {
        let mut tests = SUITE.iter().zip(&claims).enumerate();
        tests.any(|(place, (member, claim))| {
            let (rate, good) = rate(member);
            let passes = |rng: &mut TestRng| rng.random::<f64>() >= rate;
            let name = format!("suite {place}");
            !is_right(tested(claim, &name, number, passes), good)
        })
    })
}
