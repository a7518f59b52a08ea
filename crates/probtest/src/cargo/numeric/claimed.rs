//! From the value of `claim = ..` to the test of it.

use std::panic::Location;

use super::{Fit, Mean};
use crate::cargo::place::Place;
use crate::cargo::way::Way;
use crate::claim::numeric::{FitClaim, FitTerms, MeanClaim, MeanTerms};

/// What `claim = ..` of the attribute may be.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no claim on a mean or on labels",
    label = "not a claim",
    note = "write `probtest::mean().between(0, 1).within(0.45, 0.55).margin(0.05)`",
    note = "or `probtest::fit().label(\"heads\", 0.5).label(\"tails\", 0.5).distance(0.1)`"
)]
pub trait Claimed {
    /// The builder that tests it.
    type Test;

    /// Begins the test.
    fn test(self, place: Place, file: &'static str) -> Self::Test;
}

impl Claimed for MeanTerms {
    type Test = Mean;

    fn test(self, place: Place, file: &'static str) -> Mean {
        let way = Way::new(place.id.to_owned(), Some(place), file);
        Mean { way, terms: self }
    }
}

impl Claimed for FitTerms {
    type Test = Fit;

    fn test(self, place: Place, file: &'static str) -> Fit {
        let way = Way::new(place.id.to_owned(), Some(place), file);
        Fit { way, terms: self }
    }
}

impl Claimed for MeanClaim {
    type Test = Mean;

    fn test(self, place: Place, file: &'static str) -> Mean {
        MeanTerms::from(self).test(place, file)
    }
}

impl Claimed for FitClaim {
    type Test = Fit;

    fn test(self, place: Place, file: &'static str) -> Fit {
        FitTerms::from(self).test(place, file)
    }
}

/// Begins a test of a claim on what the body returns, for the attribute.
// `T` and not `C::Test`: with that the compiler says twice what is no claim.
#[track_caller]
pub fn claimed<T>(place: Place, claim: impl Claimed<Test = T>) -> T {
    claim.test(place, Location::caller().file())
}
