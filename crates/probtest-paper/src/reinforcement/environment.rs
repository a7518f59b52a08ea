//! Environment: an agent acts, the environment answers.
//!
//! Gymnasium's protocol without its dictionaries. The time limit is a wrapper
//! around any environment, as it is there.

use probtest::TestRng;

use super::dynamics::{Action, Dynamics, State};

/// What an environment answers to an action.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Where the agent is now.
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

/// Something that an agent acts in. All randomness comes from the source that is
/// handed to it.
pub trait Environment {
    /// Begins an episode.
    fn reset(&mut self, rng: &mut TestRng) -> State;

    /// Carries out an action.
    ///
    /// # Panics
    ///
    /// When there is no such action.
    fn step(&mut self, action: Action, rng: &mut TestRng) -> Step;
}

/// An agent's place in the dynamics of an environment, without a limit of time.
///
/// ```
/// use probtest::seed::{RunSeed, Stream};
/// use probtest_paper::reinforcement::{Environment, Ground, TimeLimit, Walk, lake};
///
/// let mut rng = Stream::new(RunSeed(1), "walk").execution(1);
/// let dynamics = lake::Map::parse("SFFG")?.dynamics(Ground::Firm);
/// let mut walk = TimeLimit::new(Walk::new(&dynamics), 2);
/// assert_eq!(walk.reset(&mut rng), 0);
/// assert!(!walk.step(lake::RIGHT, &mut rng).is_last());
/// let second = walk.step(lake::RIGHT, &mut rng);
/// assert!(second.truncated && !second.terminated && second.state == 2);
/// # Ok::<(), probtest_paper::reinforcement::lake::MapError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Walk<'a> {
    dynamics: &'a Dynamics,
    state: State,
    /// The slips of an episode that are not drawn, as digits, and how many of them
    /// were taken.
    given: &'static [u8],
    taken: usize,
}

impl<'a> Walk<'a> {
    /// Stands at a start; [`Environment::reset`] draws which.
    pub fn new(dynamics: &'a Dynamics) -> Self {
        Walk::with_slips(dynamics, &[])
    }

    /// The same, with slips that every episode begins with; later ones are drawn.
    pub(super) fn with_slips(dynamics: &'a Dynamics, given: &'static [u8]) -> Self {
        Walk {
            dynamics,
            state: dynamics.starts()[0],
            given,
            taken: 0,
        }
    }
}

impl Environment for Walk<'_> {
    #[inline]
    fn reset(&mut self, rng: &mut TestRng) -> State {
        self.state = self.dynamics.draw_start(rng);
        self.taken = 0;
        self.state
    }

    #[inline]
    fn step(&mut self, action: Action, rng: &mut TestRng) -> Step {
        let outcome = match self.given.get(self.taken) {
            Some(slip) => {
                self.taken += 1;
                self.dynamics.slip(self.state, action, *slip)
            }
            None => self.dynamics.draw(self.state, action, rng),
        };
        self.state = outcome.next;
        Step {
            state: outcome.next,
            reward: outcome.reward,
            terminated: outcome.terminated,
            truncated: false,
            fell: outcome.fell,
        }
    }
}

/// An environment that truncates an episode after some steps.
///
/// A step that ends the episode in time may be the last one allowed: it then is
/// terminated and truncated, as with Gymnasium's wrapper.
#[derive(Clone, Debug)]
pub struct TimeLimit<E> {
    inner: E,
    limit: u32,
    taken: u32,
}

impl<E> TimeLimit<E> {
    /// Allows this many steps. The first step of an episode is taken in any case.
    pub fn new(inner: E, limit: u32) -> Self {
        TimeLimit {
            inner,
            limit,
            taken: 0,
        }
    }
}

impl<E: Environment> Environment for TimeLimit<E> {
    #[inline]
    fn reset(&mut self, rng: &mut TestRng) -> State {
        self.taken = 0;
        self.inner.reset(rng)
    }

    #[inline]
    fn step(&mut self, action: Action, rng: &mut TestRng) -> Step {
        let mut step = self.inner.step(action, rng);
        self.taken = self.taken.saturating_add(1);
        step.truncated |= self.taken >= self.limit;
        step
    }
}
