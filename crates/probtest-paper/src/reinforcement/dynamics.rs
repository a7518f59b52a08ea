//! Dynamics: what can follow an action, and how likely is it?
//!
//! A table of outcomes for each state and action, the same that Gymnasium keeps
//! for its environments of this kind. In a [`Walk`] an agent acts and the environment
//! answers, until its time is up: Gymnasium's protocol without its dictionaries. Nothing
//! here knows a map or what an agent learns.

use probtest::TestRng;

/// The number of a state: row times columns plus column.
pub type State = usize;
/// The number of an action, below [`ACTIONS`]. What it means is up to the
/// environment.
pub type Action = usize;

pub const ACTIONS: usize = 4;

/// The most outcomes of one action: as intended, or to either side.
const MOST_OUTCOMES: usize = 3;

/// Whether an action has the effect that was meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ground {
    /// One third as meant, one third to either side.
    Slippery,
    /// Always as meant.
    Firm,
}

impl Ground {
    /// The actions that can happen in place of one, in Gymnasium's order.
    pub(super) fn slips(self, action: Action) -> Vec<Action> {
        match self {
            Ground::Slippery => {
                vec![(action + ACTIONS - 1) % ACTIONS, action, (action + 1) % ACTIONS]
            }
            Ground::Firm => vec![action],
        }
    }
}

/// Where a move by so many rows and columns leads in a rectangle of places, numbered row by row;
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
    /// Filled up with the last one.
    outcomes: [Outcome; MOST_OUTCOMES],
    count: usize,
    /// A word below the first means the first outcome, and so on.
    thresholds: [u64; MOST_OUTCOMES - 1],
}

impl Transition {
    fn new(outcomes: &[Outcome]) -> Transition {
        let last = outcomes.len() - 1;
        let mut below = 0.0;
        let mut thresholds = [u64::MAX; MOST_OUTCOMES - 1];
        for (threshold, outcome) in thresholds.iter_mut().zip(&outcomes[..last]) {
            below += outcome.probability;
            // A power of two scales without rounding.
            *threshold = (below * 2.0_f64.powi(64)) as u64;
        }
        let filled = std::array::from_fn(|i| outcomes[i.min(last)]);
        Transition { outcomes: filled, count: outcomes.len(), thresholds }
    }
}

/// What can follow each action in each state, and where an episode begins.
#[derive(Clone, Debug, PartialEq)]
pub struct Dynamics {
    transitions: Vec<Transition>,
    starts: Vec<State>,
}

impl Dynamics {
    /// Asks for the outcomes of each action in each state. There are one to three
    /// of them, and at least one start.
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

    /// The states in which an episode can begin, each as likely as any other.
    pub fn starts(&self) -> &[State] {
        &self.starts
    }

    /// What can follow an action, in Gymnasium's order. The same state may be
    /// there twice: at a wall two ways lead back.
    pub fn outcomes(&self, state: State, action: Action) -> &[Outcome] {
        assert!(action < ACTIONS, "there is no action {action}");
        let transition = &self.transitions[state * ACTIONS + action];
        &transition.outcomes[..transition.count]
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
    taken: u32,
    /// The slips that every episode begins with, as digits: the number of the outcome, 0 to 2.
    /// Later ones are drawn.
    pub(super) given: &'static [u8],
}

impl<'a> Walk<'a> {
    /// Begins at the first start; [`Walk::reset`] draws one. An episode is truncated after the
    /// limit of steps; the first step is taken in any case.
    pub fn new(dynamics: &'a Dynamics, limit: u32) -> Self {
        Walk { dynamics, state: dynamics.starts[0], limit, taken: 0, given: &[] }
    }

    /// Draws the state in which an episode begins. A single start takes no number.
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

    /// Takes an action. Returns what followed, and whether the time is up, which is no property
    /// of the state. The last step that is allowed may also end the episode, as with Gymnasium.
    #[inline]
    pub fn step(&mut self, action: Action, rng: &mut TestRng) -> (&'a Outcome, bool) {
        let transition = &self.dynamics.transitions[self.state * ACTIONS + action];
        let place = match self.given.get(self.taken as usize) {
            Some(digit) => usize::from(digit - b'0'),
            None => {
                let word = rng.draw_u64();
                let [first, second] = transition.thresholds;
                // Sums instead of branches: which way it slips cannot be predicted.
                usize::from(word >= first) + usize::from(word >= second)
            }
        };
        let outcome = &transition.outcomes[place];
        self.state = outcome.next;
        self.taken = self.taken.saturating_add(1);
        (outcome, self.taken >= self.limit)
    }
}
