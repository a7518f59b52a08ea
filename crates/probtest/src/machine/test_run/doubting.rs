//! Reasons to believe that executions were not independent, not random, or not what they seemed.

use super::{Phase, TestRun};
use crate::judge::Doubt;
use crate::run::{Observation, Violation};

impl TestRun<'_> {
    /// Takes a panic that the body did not see: a violation where the run is strict, else a
    /// doubt about what the execution did otherwise.
    #[cold]
    pub(super) fn take_panic(
        &mut self,
        index: u64,
        panic: Box<Violation>,
        otherwise: Observation,
    ) -> Observation {
        if self.settings.strict {
            return Observation::Violated(panic);
        }
        if matches!(self.phase, Phase::Remembered { .. }) {
            // A strict run may have found it: that it passes here does not mean that it is fixed.
            return Observation::Broken(panic.message);
        }
        // The first one, in whatever order they come in.
        let earlier = |doubt: &Doubt| matches!(doubt, Doubt::Panicked { index: known, .. } if *known <= index);
        if !self.doubts.iter().any(earlier) {
            self.doubts.retain(|doubt| !matches!(doubt, Doubt::Panicked { .. }));
            self.doubt(Doubt::Panicked { index, panic });
        }
        otherwise
    }

    /// Doubts the executions because of a panic that came after the last of them.
    pub(in crate::machine) fn doubt_panic(&mut self, panic: Violation) {
        let index = self.counts.executed;
        let known = |doubt: &Doubt| matches!(doubt, Doubt::Panicked { .. });
        if index > 0 && !self.doubts.iter().any(known) {
            let panic = Box::new(panic);
            self.doubt(Doubt::Panicked { index, panic });
        }
    }

    /// Adds a reason to believe that the executions were not independent or not random. What an
    /// earlier part of the run has seen of it stays.
    pub fn doubt(&mut self, doubt: Doubt) {
        for known in &mut self.doubts {
            match (known, &doubt) {
                (Doubt::FixedSeeds { places }, Doubt::FixedSeeds { places: more }) => {
                    let news = more.iter().filter(|place| !places.contains(place));
                    let news: Vec<String> = news.cloned().collect();
                    return places.extend(news);
                }
                (Doubt::FewDrew { .. }, Doubt::FewDrew { .. }) => return,
                (known, doubt) if known == doubt => return,
                _ => {}
            }
        }
        self.doubts.push(doubt);
    }

    /// Doubts that the number of executions was enough for one of this size.
    #[cold]
    pub(super) fn doubt_size(&mut self, threads: u64, steps: u64) {
        for known in &mut self.doubts {
            if let Doubt::Larger { executions, threads: most_threads, steps: most_steps } = known {
                *executions += 1;
                *most_threads = threads.max(*most_threads);
                *most_steps = steps.max(*most_steps);
                return;
            }
        }
        self.doubts.push(Doubt::Larger { executions: 1, threads, steps });
    }

    /// Adds a doubt that came up elsewhere: of panics the first one.
    pub(in crate::machine) fn take_doubt(&mut self, doubt: Doubt) {
        match doubt {
            Doubt::Panicked { index, panic } => {
                let _ = self.take_panic(index, panic, Observation::Passed);
            }
            doubt => self.doubt(doubt),
        }
    }
}
