//! One test of a claim on what the body returns, from the environment to the report.

use crate::cargo::builder::fail;
use crate::cargo::error::SetupError;
use crate::cargo::memory::file_name;
use crate::cargo::way::Way;
use crate::cargo::{process, records, registry, replay, terminal};
use crate::check::numeric::carry_out;
use crate::claim::numeric::NumericClaim;
use crate::judge::numeric::NumericVerdict;
use crate::report::{Note, NumericReport};
use crate::run::Observation;
use crate::seed::TestRng;

/// What one execution alone has returned.
pub(super) struct Returned {
    pub(super) observation: Observation,
    /// In words, unless nothing was returned.
    pub(super) shown: Option<String>,
}

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
        let mut report = carry_out(claim, options, body)?;
        if !report.passed() && !self.own_randomness {
            let cut = report.time_limit().map(|_| report.counts.executed);
            report.replay = Some(self.line(report.address, report.seed, cut));
        }
        if let Some(folder) = &environment.report {
            let name = file_name(&self.origin.key(), &self.id);
            records::write_json(folder, &name, report.passed(), &report.to_json());
        }
        Ok(report)
    }

    /// Executes the one execution that `PROBTEST_REPLAY` selects, or decides, and fails
    /// the test unless it passed.
    pub(super) fn check(
        &self,
        alone: impl Fn(&mut TestRng) -> Returned,
        decide: impl FnOnce() -> Result<NumericReport, SetupError>,
    ) {
        let guard = self.guard();
        let result = match self.selected() {
            Err(error) => Err(error),
            Ok(Some(selection)) => {
                let told = |rng: &mut TestRng| {
                    let returned = alone(rng);
                    if let Some(shown) = &returned.shown {
                        terminal::say(&format!("probtest: returned {shown}"));
                    }
                    returned.observation
                };
                let replayed = replay::alone(&self.id, selection, 0, told);
                drop(guard);
                if let Err(text) = replayed {
                    fail(&text, self.should_panic);
                }
                return;
            }
            Ok(None) => decide(),
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
            Err(error) => fail(&format!("probtest: error: {error}"), self.should_panic),
        }
    }
}
