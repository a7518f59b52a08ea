//! Learning: which action is best in each state?
//!
//! Tabular Q-learning, as defined by Watkins and Dayan.

use probtest::TestRng;
use probtest::seed::{RunSeed, Stream};

use super::dynamics::{ACTIONS, Action, Dynamics, State, Walk};

/// The slips of an episode along the cliff that Gymnasium starts with the seed 42, up to the limit
/// of 100 steps: 0 is to the left of the intended direction, 1 as intended, 2 to its right.
/// `python/tests/test_dynamics.py` compares them with the installed package.
pub const GYMNASIUM_42: &str = "12202220112121010212122201002220110010212202210200\
                                02122110021121110010120000112112000210102110110022";

/// Where the slips of an episode come from in training.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slips {
    /// Every episode starts with the same seed, so the n-th slip goes the same way in each of them.
    /// The paper's agents were trained like that.
    SameInEachEpisode,
    /// Also the same in each episode, with the paper's slips along the cliff: [`GYMNASIUM_42`].
    /// After 100 steps they come from the agent's own seed.
    Gymnasium42,
    /// Every episode has its own slips.
    Fresh,
}

/// What an agent gets instead of a reward of 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shaping {
    /// For a step that doesn't end the episode.
    pub step: f64,
    /// For an end that isn't the goal: a fall, or running out of time.
    pub failure: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Learning {
    pub rate: f64,
    pub discount: f64,
    /// The probability of a random action.
    pub exploration: f64,
    pub shaping: Option<Shaping>,
    pub limit: u32,
    pub slips: Slips,
}

impl Learning {
    pub const SMALL_LAKE: Learning = Learning::lake(-0.1, -1.0);
    pub const LARGE_LAKE: Learning = Learning::lake(-1.0, -60.0);
    /// The paper's parameters for the cliff, and its slips. Only exploration, which had no seed
    /// there, is our own.
    pub const CLIFF: Learning = Learning {
        rate: 0.1,
        discount: 0.99,
        exploration: 0.2,
        shaping: None,
        limit: 100,
        slips: Slips::Gymnasium42,
    };

    const fn lake(step: f64, failure: f64) -> Learning {
        Learning {
            rate: 0.1,
            discount: 0.95,
            exploration: 0.1,
            shaping: Some(Shaping { step, failure }),
            limit: 100,
            slips: Slips::SameInEachEpisode,
        }
    }
}

/// An agent in training. What it knows depends only on the seed and the number of episodes.
#[derive(Clone, Debug)]
pub struct Learner<'a> {
    learning: Learning,
    walk: Walk<'a>,
    values: Vec<[f64; ACTIONS]>,
    /// Explores if a word is below this.
    explores_below: u64,
    exploration: TestRng,
    slips: Stream,
    episodes: u64,
}

impl<'a> Learner<'a> {
    /// Starts with a table of zeros. The name separates agents with the same seed.
    pub fn new(dynamics: &'a Dynamics, learning: Learning, seed: RunSeed, name: &str) -> Self {
        let stream = |part: &str| Stream::new(seed, &format!("{name}/training/{part}"));
        let mut walk = Walk::new(dynamics, learning.limit);
        if learning.slips == Slips::Gymnasium42 {
            walk.given = GYMNASIUM_42.as_bytes();
        }
        Learner {
            learning,
            walk,
            values: vec![[0.0; ACTIONS]; dynamics.states()],
            explores_below: (learning.exploration * 2.0_f64.powi(64)) as u64,
            exploration: stream("exploration").execution(1),
            slips: stream("slips"),
            episodes: 0,
        }
    }

    pub fn episodes(&self) -> u64 {
        self.episodes
    }

    /// Learns from one more episode. Returns the steps it took.
    pub fn episode(&mut self) -> u64 {
        self.episodes += 1;
        let mut slips = self.slips.execution(match self.learning.slips {
            Slips::SameInEachEpisode | Slips::Gymnasium42 => 1,
            Slips::Fresh => self.episodes,
        });
        let mut state = self.walk.reset(&mut slips);
        let mut steps = 0;
        loop {
            let action = self.choose(state);
            let (outcome, truncated) = self.walk.step(action, &mut slips);
            let is_last = outcome.terminated || truncated;
            let reward = match self.learning.shaping {
                Some(shaping) if outcome.reward == 0.0 && is_last => shaping.failure,
                Some(shaping) if outcome.reward == 0.0 => shaping.step,
                _ => outcome.reward,
            };
            // Running out of time isn't a property of the state: what may follow still counts.
            // After an end nothing follows.
            let future = match outcome.terminated {
                true => 0.0,
                false => self.learning.discount * highest(&self.values[outcome.next]).1,
            };
            let value = &mut self.values[state][action];
            *value += self.learning.rate * (reward + future - *value);
            steps += 1;
            if is_last {
                return steps;
            }
            state = outcome.next;
        }
    }

    /// The best known action in each state.
    pub fn policy(&self) -> Vec<Action> {
        self.values.iter().map(|row| highest(row).0).collect()
    }

    /// What it expects of each action in a state.
    pub fn values(&self, state: State) -> [f64; ACTIONS] {
        self.values[state]
    }

    #[inline]
    fn choose(&mut self, state: State) -> Action {
        if self.exploration.draw_u64() < self.explores_below {
            // There are four actions: use the upper two bits.
            (self.exploration.draw_u64() >> 62) as Action
        } else {
            highest(&self.values[state]).0
        }
    }
}

/// The action with the highest value; the lowest action on a tie.
#[inline]
fn highest(values: &[f64; ACTIONS]) -> (Action, f64) {
    let mut best = (0, values[0]);
    for (action, &value) in values.iter().enumerate().skip(1) {
        if value > best.1 {
            best = (action, value);
        }
    }
    best
}
