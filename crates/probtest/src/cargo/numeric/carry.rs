//! One test of a claim on what the body returns, from the environment to the report.

use std::fmt::Display;

use crate::cargo::builder::fail;
use crate::cargo::error::SetupError;
use crate::cargo::way::Way;
use crate::cargo::{process, records, registry, replay, terminal};
use crate::check::numeric::carry_out;
use crate::claim::numeric::NumericClaim;
use crate::judge::numeric::NumericVerdict;
use crate::report::{Note, NumericReport, refused_words};
use crate::run::Observation;
use crate::seed::TestRng;

impl Way {
    /// Executes until the claim, with its part of what the suite may get wrong, is
    /// decided. `attribute` is how the test is written to be counted.
    pub(super) fn decide(
        &self,
        claim: NumericClaim,
        attribute: &'static str,
        body: impl Fn(&mut TestRng) -> Observation + Sync,
    ) -> Result<NumericReport, SetupError> {
        let environment = process::environment()?;
        let suite = registry::suite(environment, &self.id, &self.origin, attribute)?;
        let claim = suite.limit_numeric(claim);
        // Not what becomes of a test that is cut: this one is then not decided.
        let options = self.options(environment)?.suite(suite);
        if let Some(folder) = &environment.report {
            records::begin_report(folder, &self.origin, &self.id);
        }
        let mut report = carry_out(claim, options, body)?;
        if !report.passed() && !self.own_randomness {
            let cut = report.time_limit().map(|_| report.counts.executed);
            report.replay = Some(self.line(report.address, report.seed, cut));
        }
        if let Some(folder) = &environment.report {
            let (accepted, facts) = (report.passed(), report.facts());
            records::write_report(folder, &self.origin, &self.id, accepted, facts);
        }
        Ok(report)
    }

    /// Executes the one execution that `PROBTEST_REPLAY` selects, or decides, and fails
    /// the test unless it passed.
    pub(super) fn check<C: Clone + Into<NumericClaim>>(
        &self,
        claim: Result<C, SetupError>,
        alone: impl Fn(&C, &mut TestRng) -> Observation,
        decide: impl FnOnce(C) -> Result<NumericReport, SetupError>,
    ) {
        let guard = self.guard();
        let selected = self.selected();
        let result = match (claim, selected) {
            (Err(error), _) | (_, Err(error)) => Err(error),
            (Ok(claim), Ok(Some(selection))) => {
                let whole = claim.clone().into();
                let index = selection.address.index;
                let refuse = |returned: &Observation| refused_words(&whole, index, returned);
                let body = |rng: &mut TestRng| alone(&claim, rng);
                let replayed = replay::alone(&self.id, selection, refuse, body);
                drop(guard);
                if let Err(text) = replayed {
                    fail(&text, self.should_panic);
                }
                return;
            }
            (Ok(claim), Ok(None)) => decide(claim),
        };
        drop(guard);
        self.tell(result);
    }

    /// Says what a test is worth, or fails it.
    fn tell(&self, result: Result<NumericReport, SetupError>) {
        match result {
            Ok(report) if report.passed() => {
                if report.notes.contains(&Note::NeverDrew) {
                    let words = Note::NeverDrew.words();
                    terminal::shout(&format!("probtest: warning: {}: {words}", report.test));
                }
                terminal::say(&report.to_string());
            }
            Ok(report) => {
                let undecided = matches!(report.verdict, NumericVerdict::Inconclusive(_));
                fail(&report.to_string(), self.should_panic && undecided);
            }
            Err(error) => self.refuse(&error),
        }
    }
}

/// Says what an execution that is executed alone has returned. libtest would hide it
/// in a test that passes, and it is what one replays for.
pub(super) fn show(returned: &impl Display) {
    terminal::shout(&format!("probtest: returned {returned}"));
}
