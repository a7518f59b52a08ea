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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Left,
    Down,
    Right,
    Up,
}

/// A rectangle of places with walls around it, numbered row by row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Grid {
    pub rows: usize,
    pub columns: usize,
}

impl Grid {
    /// Where a move leads; at the edge it leads nowhere.
    pub fn neighbour(self, place: State, direction: Direction) -> State {
        let (row, column) = (place / self.columns, place % self.columns);
        match direction {
            Direction::Left if column > 0 => place - 1,
            Direction::Down if row + 1 < self.rows => place + self.columns,
            Direction::Right if column + 1 < self.columns => place + 1,
            Direction::Up if row > 0 => place - self.columns,
            _ => place,
        }
    }
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
        Transition {
            outcomes: std::array::from_fn(|i| outcomes[i.min(last)]),
            count: outcomes.len(),
            thresholds,
        }
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
        let pairs = (0..states).flat_map(|state| (0..ACTIONS).map(move |action| (state, action)));
        let transition = |(state, action)| Transition::new(&outcomes(state, action));
        Dynamics { transitions: pairs.map(transition).collect(), starts }
    }

    pub fn states(&self) -> usize {
        self.transitions.len() / ACTIONS
    }

    /// The states in which an episode can begin, each as likely as any other.
    pub fn starts(&self) -> &[State] {
        &self.starts
    }

    /// What can follow an action, in Gymnasium's order. The same state may stand
    /// there twice: at a wall two ways lead back.
    pub fn outcomes(&self, state: State, action: Action) -> &[Outcome] {
        assert!(action < ACTIONS, "there is no action {action}");
        let transition = &self.transitions[state * ACTIONS + action];
        &transition.outcomes[..transition.count]
    }

    /// Draws the state in which an episode begins. A single start takes no number.
    #[inline]
    fn draw_start(&self, rng: &mut TestRng) -> State {
        match self.starts[..] {
            [only] => only,
            // The bias is below the number of starts over 2^64.
            ref starts => {
                let place = u128::from(rng.draw_u64()) * starts.len() as u128;
                starts[(place >> 64) as usize]
            }
        }
    }

    /// What follows an action when it slips one way: the digit 0, 1 or 2 is the
    /// number of the outcome.
    #[inline]
    fn slip(&self, state: State, action: Action, digit: u8) -> &Outcome {
        let place = usize::from(digit.saturating_sub(b'0')).min(MOST_OUTCOMES - 1);
        &self.transitions[state * ACTIONS + action].outcomes[place]
    }

    /// Draws what follows an action; one number.
    #[inline]
    fn draw(&self, state: State, action: Action, rng: &mut TestRng) -> &Outcome {
        let transition = &self.transitions[state * ACTIONS + action];
        let word = rng.draw_u64();
        let [first, second] = transition.thresholds;
        // Sums instead of branches: which way it slips cannot be predicted.
        &transition.outcomes[usize::from(word >= first) + usize::from(word >= second)]
    }
}

/// What an environment answers to an action.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    pub state: State,
    pub reward: f64,
    pub terminated: bool,
    /// Whether the time is up, which is no property of the state.
    pub truncated: bool,
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
        Walk { dynamics, state: dynamics.starts()[0], limit, taken: 0, given }
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
