//! Walk: an agent acts, the environment answers, until its time is up.
//!
//! Gymnasium's protocol without its dictionaries.

use probtest::TestRng;

use super::dynamics::{Action, Dynamics, State};

/// What an environment answers to an action.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    pub state: State,
    /// What it got.
    pub reward: f64,
    /// Whether the episode has reached its end.
    pub terminated: bool,
    /// Whether the time is up, which is no property of the state.
    pub truncated: bool,
    /// Whether the agent fell.
    pub fell: bool,
}

impl Step {
    /// Says whether the episode is over, for either reason.
    #[inline]
    pub fn is_last(&self) -> bool {
        self.terminated || self.truncated
    }
}

/// An agent's place in the dynamics of an environment, and the steps it has taken.
///
/// All randomness comes from the source that is handed to it.
#[derive(Clone, Debug)]
pub struct Walk<'a> {
    dynamics: &'a Dynamics,
    state: State,
    limit: u32,
    /// The steps of this episode.
    taken: u32,
    /// The slips that every episode begins with, as digits; later ones are drawn.
    given: &'static [u8],
}

impl<'a> Walk<'a> {
    /// Stands at a start; [`Walk::reset`] draws which. An episode is truncated after the
    /// limit of steps; the first step is taken in any case.
    pub fn new(dynamics: &'a Dynamics, limit: u32) -> Self {
        Walk::with_slips(dynamics, limit, &[])
    }

    /// The same, with slips that are not drawn.
    pub(super) fn with_slips(dynamics: &'a Dynamics, limit: u32, given: &'static [u8]) -> Self {
        Walk {
            dynamics,
            state: dynamics.starts()[0],
            limit,
            taken: 0,
            given,
        }
    }

    #[inline]
    pub fn reset(&mut self, rng: &mut TestRng) -> State {
        self.state = self.dynamics.draw_start(rng);
        self.taken = 0;
        self.state
    }

    /// Takes an action. A step that ends the episode may be the last one allowed: it then
    /// is terminated and truncated, as with Gymnasium.
    #[inline]
    pub fn step(&mut self, action: Action, rng: &mut TestRng) -> Step {
        let outcome = match self.given.get(self.taken as usize) {
            Some(slip) => self.dynamics.slip(self.state, action, *slip),
            None => self.dynamics.draw(self.state, action, rng),
        };
        self.state = outcome.next;
        self.taken = self.taken.saturating_add(1);
        Step {
            state: outcome.next,
            reward: outcome.reward,
            terminated: outcome.terminated,
            truncated: self.taken >= self.limit,
            fell: outcome.fell,
        }
    }
}
