//! Dynamics: what can follow an action, and how likely is it?
//!
//! A table of outcomes for each state and action, the same as Gymnasium's for environments of this
//! kind. In a [`Walk`], an agent acts and the environment answers until its time is up: Gymnasium's
//! protocol without its dictionaries. An [`Agent`] is a policy for it, and a [`Property`] says what
//! the agent must not do: checked in one episode, by sampling, and as the exact probability of a
//! violation. Nothing here knows about maps or about learning.

use probtest::TestRng;

/// The number of a state: row times columns plus column.
pub type State = usize;
/// The number of an action, below [`ACTIONS`]. Its meaning depends on the environment.
pub type Action = usize;

pub const ACTIONS: usize = 4;

/// The most outcomes of one action: as intended, or to either side.
const MOST_OUTCOMES: usize = 3;

/// Whether an action has the intended effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ground {
    /// One third as intended, one third to either side.
    Slippery,
    /// Always as intended.
    Firm,
}

impl Ground {
    /// The actions that can happen instead of one, in Gymnasium's order.
    pub(super) fn slips(self, action: Action) -> Vec<Action> {
        match self {
            Ground::Slippery => {
                vec![(action + ACTIONS - 1) % ACTIONS, action, (action + 1) % ACTIONS]
            }
            Ground::Firm => vec![action],
        }
    }
}

/// Where a move by this many rows and columns leads in a rectangle of fields, numbered row by row;
/// at the edge it leads nowhere.
pub(super) fn neighbour(
    (rows, columns): (usize, usize),
    place: State,
    (down, right): (isize, isize),
) -> State {
    let row = (place / columns).saturating_add_signed(down).min(rows - 1);
    let column = (place % columns).saturating_add_signed(right).min(columns - 1);
    row * columns + column
}

/// One thing that can follow an action.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    pub probability: f64,
    pub next: State,
    pub reward: f64,
    pub terminated: bool,
    /// Whether the agent fell: into a hole, or off the cliff.
    pub fell: bool,
}

#[derive(Clone, Debug, PartialEq)]
struct Transition {
    /// Padded with the last one.
    outcomes: [Outcome; MOST_OUTCOMES],
    count: usize,
    /// A word below the first threshold means the first outcome, and so on.
    thresholds: [u64; MOST_OUTCOMES - 1],
}

impl Transition {
    fn new(outcomes: &[Outcome]) -> Transition {
        let last = outcomes.len() - 1;
        let mut below = 0.0;
        let mut thresholds = [u64::MAX; MOST_OUTCOMES - 1];
        for (threshold, outcome) in thresholds.iter_mut().zip(&outcomes[..last]) {
            below += outcome.probability;
            // Scaling by a power of two doesn't round.
            *threshold = (below * 2.0_f64.powi(64)) as u64;
        }
        let filled = std::array::from_fn(|i| outcomes[i.min(last)]);
        Transition { outcomes: filled, count: outcomes.len(), thresholds }
    }
}

/// What can follow each action in each state, and where an episode starts.
#[derive(Clone, Debug, PartialEq)]
pub struct Dynamics {
    transitions: Vec<Transition>,
    starts: Vec<State>,
}

impl Dynamics {
    /// `outcomes` returns what can follow each action in each state: one to three outcomes. There
    /// must be at least one start.
    pub(super) fn new(
        states: usize,
        starts: Vec<State>,
        outcomes: impl Fn(State, Action) -> Vec<Outcome>,
    ) -> Dynamics {
        let transition = |pair| Transition::new(&outcomes(pair / ACTIONS, pair % ACTIONS));
        Dynamics { transitions: (0..states * ACTIONS).map(transition).collect(), starts }
    }

    pub fn states(&self) -> usize {
        self.transitions.len() / ACTIONS
    }

    /// The states in which an episode can start, all equally likely.
    pub fn starts(&self) -> &[State] {
        &self.starts
    }

    /// What can follow an action, in Gymnasium's order. The same state may occur twice: at a wall,
    /// two ways lead back.
    pub fn outcomes(&self, state: State, action: Action) -> &[Outcome] {
        assert!(action < ACTIONS, "there is no action {action}");
        let transition = &self.transitions[state * ACTIONS + action];
        &transition.outcomes[..transition.count]
    }
}

/// An agent's place in the dynamics of an environment, and the steps it has taken.
#[derive(Clone, Debug)]
pub struct Walk<'a> {
    dynamics: &'a Dynamics,
    state: State,
    limit: u32,
    taken: u32,
    /// The slips that every episode starts with, as digits: the number of the outcome, 0 to 2.
    /// Later ones are drawn.
    pub(super) given: &'static [u8],
}

impl<'a> Walk<'a> {
    /// Starts at the first start; [`Walk::reset`] draws one. An episode is truncated after the
    /// limit of steps; the first step is always taken.
    pub fn new(dynamics: &'a Dynamics, limit: u32) -> Self {
        Walk { dynamics, state: dynamics.starts[0], limit, taken: 0, given: &[] }
    }

    /// Draws the state in which an episode starts. A single start takes no random number.
    #[inline]
    pub fn reset(&mut self, rng: &mut TestRng) -> State {
        self.taken = 0;
        self.state = match self.dynamics.starts[..] {
            [only] => only,
            // The bias is below the number of starts over 2^64.
            ref starts => {
                let place = u128::from(rng.draw_u64()) * starts.len() as u128;
                starts[(place >> 64) as usize]
            }
        };
        self.state
    }

    /// Takes an action. Returns what followed, and whether the time is up, which isn't a property
    /// of the state. The last allowed step may also end the episode, as with Gymnasium.
    #[inline]
    pub fn step(&mut self, action: Action, rng: &mut TestRng) -> (&'a Outcome, bool) {
        let transition = &self.dynamics.transitions[self.state * ACTIONS + action];
        let place = match self.given.get(self.taken as usize) {
            Some(digit) => usize::from(digit - b'0'),
            None => {
                let word = rng.draw_u64();
                let [first, second] = transition.thresholds;
                // Sums instead of branches: the direction of a slip can't be predicted.
                usize::from(word >= first) + usize::from(word >= second)
            }
        };
        let outcome = &transition.outcomes[place];
        self.state = outcome.next;
        self.taken = self.taken.saturating_add(1);
        (outcome, self.taken >= self.limit)
    }
}

/// An environment and the action taken in each of its states.
#[derive(Clone, Debug, PartialEq)]
pub struct Agent<'a> {
    dynamics: &'a Dynamics,
    policy: Vec<Action>,
}

impl<'a> Agent<'a> {
    /// Panics if there are more or fewer actions than states, or one doesn't exist.
    pub fn new(dynamics: &'a Dynamics, policy: Vec<Action>) -> Self {
        assert_eq!(policy.len(), dynamics.states(), "one action for each state");
        assert!(policy.iter().all(|&action| action < ACTIONS), "an action is below 4");
        Agent { dynamics, policy }
    }

    pub fn dynamics(&self) -> &'a Dynamics {
        self.dynamics
    }

    #[inline]
    pub fn action(&self, state: State) -> Action {
        self.policy[state]
    }

    pub fn policy(&self) -> &[Action] {
        &self.policy
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Demand {
    /// The agent never falls: Q1 of the lakes, Q of the cliff. Nothing follows the end of an
    /// episode.
    NeverFalls,
    /// The agent never falls, and the end of the episode doesn't stop it: all steps are taken. This
    /// is how the published numbers of the cliff were made.
    NeverFallsPastTheEnd,
    /// The episode ends: Q2 of the lakes.
    Ends,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Property {
    pub demand: Demand,
    pub steps: u32,
}

impl Property {
    /// Walks through one episode, and returns whether the property holds.
    #[inline]
    pub fn holds(&self, agent: &Agent<'_>, rng: &mut TestRng) -> bool {
        // A limit of 0 would still allow one step.
        if self.steps == 0 {
            return self.demand != Demand::Ends;
        }
        let mut walk = Walk::new(agent.dynamics, self.steps);
        let mut state = walk.reset(rng);
        loop {
            let (outcome, truncated) = walk.step(agent.policy[state], rng);
            match self.demand {
                Demand::NeverFalls | Demand::NeverFallsPastTheEnd if outcome.fell => return false,
                Demand::NeverFalls if outcome.terminated || truncated => return true,
                Demand::NeverFallsPastTheEnd if truncated => return true,
                Demand::Ends if outcome.terminated => return true,
                Demand::Ends if truncated => return false,
                _ => state = outcome.next,
            }
        }
    }

    /// Computes the probability that an episode violates the property.
    ///
    /// With its policy fixed, an agent is a Markov chain. Its distribution over the states is
    /// carried forward step by step; agents that fall or end leave it. All terms are positive, so
    /// the relative error of the result is below 5 s 2^-53, which is 2e-13 for 200 steps.
    pub fn violation(&self, agent: &Agent<'_>) -> f64 {
        let dynamics = agent.dynamics();
        let starts = dynamics.starts();
        let mut here = vec![0.0; dynamics.states()];
        for &start in starts {
            here[start] = 1.0 / starts.len() as f64;
        }
        let mut fallen = 0.0;
        for _ in 0..self.steps {
            let mut next = vec![0.0; here.len()];
            for (state, &reached) in here.iter().enumerate() {
                if reached == 0.0 {
                    continue;
                }
                for outcome in dynamics.outcomes(state, agent.action(state)) {
                    let part = reached * outcome.probability;
                    match self.demand {
                        Demand::NeverFalls | Demand::NeverFallsPastTheEnd if outcome.fell => {
                            fallen += part;
                        }
                        Demand::NeverFalls | Demand::Ends if outcome.terminated => (),
                        _ => next[outcome.next] += part,
                    }
                }
            }
            here = next;
        }
        let violation = match self.demand {
            Demand::NeverFalls | Demand::NeverFallsPastTheEnd => fallen,
            Demand::Ends => here.iter().sum(),
        };
        // Thirds round up: a certain event must not come out above 1.
        violation.min(1.0)
    }
}
