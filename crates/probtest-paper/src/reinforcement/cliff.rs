//! Cliff walking: what does Gymnasium's `CliffWalkingSlippery-v1` do?
//!
//! Four rows of twelve. The last row is the start, ten places of cliff, the goal.
//! Every step costs 1. Whoever steps onto the cliff falls, pays 100 and is back
//! at the start; the episode goes on.

use super::board::{Board, Direction};
use super::dynamics::{ACTIONS, Action, Dynamics, Ground, Outcome, State};

/// Up.
pub const UP: Action = 0;
/// To the right.
pub const RIGHT: Action = 1;
/// Down.
pub const DOWN: Action = 2;
/// To the left.
pub const LEFT: Action = 3;

/// What each action means.
const DIRECTIONS: [Direction; ACTIONS] = [
    Direction::Up,
    Direction::Right,
    Direction::Down,
    Direction::Left,
];

const BOARD: Board = Board {
    rows: 4,
    columns: 12,
};
/// Where an episode begins, and where a fall leads to.
pub const START: State = (BOARD.rows - 1) * BOARD.columns;
/// Where an episode ends.
pub const GOAL: State = BOARD.rows * BOARD.columns - 1;

/// Computes what can follow each action, as Gymnasium does.
///
/// ```
/// use probtest_paper::reinforcement::{Ground, cliff};
///
/// let dynamics = cliff::dynamics(Ground::Slippery);
/// // From the start to the right: it slips up, falls, or stays at the wall.
/// let outcomes = dynamics.outcomes(cliff::START, cliff::RIGHT);
/// let rewards: Vec<f64> = outcomes.iter().map(|outcome| outcome.reward).collect();
/// assert_eq!(rewards, [-1.0, -100.0, -1.0]);
/// assert_eq!(outcomes[1].next, cliff::START);
/// ```
pub fn dynamics(ground: Ground) -> Dynamics {
    Dynamics::new(GOAL + 1, vec![START], |state, action| {
        let slips = ground.slips(action);
        let probability = 1.0 / slips.len() as f64;
        let arrivals = slips
            .iter()
            .map(|&slip| BOARD.neighbour(state, DIRECTIONS[slip]));
        arrivals.map(|place| arrival(probability, place)).collect()
    })
}

fn arrival(probability: f64, place: State) -> Outcome {
    let fell = (START + 1..GOAL).contains(&place);
    Outcome {
        probability,
        next: if fell { START } else { place },
        reward: if fell { -100.0 } else { -1.0 },
        terminated: place == GOAL,
        fell,
    }
}
