//! A board with walls around it: where does a move lead?

use super::dynamics::State;

/// Where a move goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Left,
    Down,
    Right,
    Up,
}

/// A rectangle of places, numbered row by row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Board {
    pub rows: usize,
    pub columns: usize,
}

impl Board {
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
