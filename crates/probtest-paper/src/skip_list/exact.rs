//! Exact: how likely is a test to see a bug? Without sampling.
//!
//! A list after R insertions has finitely many shapes, one for each sequence of coin tosses. A test
//! is executed once for each sequence, and the probabilities of those that violate it are added up.
//! Tests that build two lists go through the shapes of both, and additional tosses of a bug are
//! followed too. For a fair coin all sums are of powers of two, without rounding errors.

use std::convert::Infallible;
use std::panic::{AssertUnwindSafe, catch_unwind};

use rand::TryRng;

use super::keys::{self, Class};
use super::{Bug, Key, Parameters, Property, Scene, Subject};

/// A source that determines the coin tosses: as listed, then always heads.
#[derive(Default)]
struct Script {
    tosses: Vec<bool>,
    tossed: usize,
}

impl Script {
    fn toss(&mut self) -> bool {
        if self.tossed == self.tosses.len() {
            self.tosses.push(true);
        }
        self.tossed += 1;
        self.tosses[self.tossed - 1]
    }
}

impl TryRng for Script {
    type Error = Infallible;

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(if self.toss() { 0 } else { u64::MAX })
    }

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        unreachable!("a list tosses with 64 bits")
    }

    fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Infallible> {
        unreachable!("a list tosses with 64 bits")
    }
}

/// The result of a walk through all sequences of coin tosses.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AllWays {
    /// The number of sequences.
    pub ways: u64,
    /// The probability of those in which the test is violated.
    pub probability: f64,
}

/// Executes a property once for each sequence of coin tosses. A panic is a violation.
pub fn walk(property: &Property, empty: &Subject, keys: &[Key]) -> AllWays {
    let raise = empty.list().parameters().raise;
    let mut script = Script::default();
    let mut walk = AllWays::default();
    loop {
        script.tossed = 0;
        let mut scene = Scene::new(empty, keys, &mut script);
        // The lists of an execution end with it, so a broken one is never seen.
        let result = catch_unwind(AssertUnwindSafe(|| (property.check)(&mut scene)));
        walk.ways += 1;
        if !matches!(result, Ok(Ok(()))) {
            // A violation may come before the last planned toss.
            walk.probability += script.tosses[..script.tossed]
                .iter()
                .map(|&heads| if heads { raise } else { 1.0 - raise })
                .product::<f64>();
        }
        script.tosses.truncate(script.tossed);
        while script.tosses.pop_if(|heads| !*heads).is_some() {}
        match script.tosses.last_mut() {
            Some(heads) => *heads = false,
            None => return walk,
        }
    }
}

/// How likely one property is to see a bug.
#[derive(Clone, Debug, PartialEq)]
pub struct Sight {
    pub property: usize,
    pub name: &'static str,
    /// The probability that the drawn keys let it see the bug at all.
    pub keys: f64,
    /// Its violation probability in one execution, for keys that do: the lowest and the highest.
    pub violation: (f64, f64),
}

#[derive(Clone, Debug, PartialEq)]
pub struct ExactAnswer {
    /// For each class of keys, its probability and the violation probability of each property.
    classes: Vec<(f64, Vec<f64>)>,
}

impl ExactAnswer {
    /// Computes the answer for a bug, or for the correct list, after some insertions.
    pub fn of(bug: Option<Bug>, parameters: Parameters, insertions: u32) -> ExactAnswer {
        // This bug changes keys, so it matters which keys are adjacent.
        let changes_keys = bug == Some(Bug::SearchCountsKeyDown);
        ExactAnswer::over(&keys::classes(insertions, changes_keys), &Subject::new(bug, parameters))
    }

    /// Computes the answer for any classes of keys.
    pub fn over(classes: &[Class], empty: &Subject) -> ExactAnswer {
        let answer = |class: &Class| {
            let violation = |property| walk(property, empty, &class.keys).probability;
            let violations = Property::ALL.iter().map(violation).collect();
            (class.probability, violations)
        };
        ExactAnswer { classes: classes.iter().map(answer).collect() }
    }

    /// The probability that a suite run finds the bug if each property is executed this often.
    ///
    /// Given the keys, all executions are independent, so the bug stays hidden with the product of
    /// (1 - q)^k over the properties. The keys are drawn once for all of them, so this is averaged
    /// over the keys, not raised to a power.
    pub fn found(&self, executions: u64) -> f64 {
        let found_with = |violations: &[f64]| {
            let log: f64 = violations.iter().map(|q| (-q).ln_1p()).sum();
            -(log * executions as f64).exp_m1()
        };
        self.classes.iter().map(|(p, violations)| p * found_with(violations)).sum()
    }

    pub fn sights(&self) -> Vec<Sight> {
        let sight = |(index, property): (usize, &Property)| {
            let pairs = self.classes.iter().map(|(p, q)| (*p, q[index]));
            let seeing = || pairs.clone().filter(|(_, q)| *q > 0.0);
            let least = seeing().map(|(_, q)| q).reduce(f64::min)?;
            let most = seeing().map(|(_, q)| q).reduce(f64::max)?;
            Some(Sight {
                property: property.number,
                name: property.name,
                keys: seeing().map(|(p, _)| p).sum(),
                violation: (least, most),
            })
        };
        Property::ALL.iter().enumerate().filter_map(sight).collect()
    }
}
