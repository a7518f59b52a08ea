//! Cliff walking: what does Gymnasium's `CliffWalkingSlippery-v1` do?
//!
//! Four rows of twelve. The last row has the start, ten fields of cliff, and the goal. Each step
//! costs 1. An agent that steps onto the cliff falls, pays 100 and is back at the start; the
//! episode continues.

use super::dynamics::{ACTIONS, Action, Dynamics, Ground, Outcome, State, neighbour};

pub const UP: Action = 0;
pub const RIGHT: Action = 1;
pub const DOWN: Action = 2;
pub const LEFT: Action = 3;
/// By how many rows and columns each action moves.
const MOVES: [(isize, isize); ACTIONS] = [(-1, 0), (0, 1), (1, 0), (0, -1)];

const SIZE: (usize, usize) = (4, 12);
/// Where an episode starts, and where a fall leads.
pub const START: State = 36;
/// Where an episode ends.
pub const GOAL: State = 47;

/// Computes what can follow each action, like Gymnasium.
pub fn dynamics(ground: Ground) -> Dynamics {
    Dynamics::new(GOAL + 1, vec![START], |state, action| {
        let slips = ground.slips(action);
        let probability = 1.0 / slips.len() as f64;
        let arrivals = slips.iter().map(|&slip| neighbour(SIZE, state, MOVES[slip]));
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
