//! The frozen lake, with any map: what does Gymnasium's `FrozenLake-v1` do?

use super::board::{Board, Direction};
use super::dynamics::{ACTIONS, Action, Dynamics, Ground, Outcome, State};

/// To the left.
pub const LEFT: Action = 0;
/// Down.
pub const DOWN: Action = 1;
/// To the right.
pub const RIGHT: Action = 2;
/// Up.
pub const UP: Action = 3;

/// What each action means.
const DIRECTIONS: [Direction; ACTIONS] = [
    Direction::Left,
    Direction::Down,
    Direction::Right,
    Direction::Up,
];

/// The lake of four by four that the paper uses.
pub const SMALL: &str = "SFFF FFFF FHFF FFFG";
/// The lake of seven by seven that the paper uses.
pub const LARGE: &str = "SFFFFFH FFFFFFF FFHFFFF FFFFFFF HFHFFFF FFFFFFF FFFFFFG";

/// The largest map: as many states as a table of values has room for.
const MOST_STATES: usize = 1_000_000;

/// What one place of a lake is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tile {
    /// `S`: an episode begins here.
    Start,
    /// `F`: ice that carries.
    Frozen,
    /// `H`: the agent falls in, and the episode ends.
    Hole,
    /// `G`: reward 1, and the episode ends.
    Goal,
}

impl Tile {
    fn ends(self) -> bool {
        matches!(self, Tile::Hole | Tile::Goal)
    }
}

/// A map of a lake that can be walked on.
///
/// ```
/// use probtest_paper::reinforcement::lake::{self, Map, Tile};
///
/// let map = Map::parse(lake::LARGE)?;
/// assert_eq!((map.rows(), map.columns()), (7, 7));
/// let holes: Vec<usize> = (0..49).filter(|&s| map.tile(s) == Tile::Hole).collect();
/// assert_eq!(holes, [6, 16, 28, 30]);
/// assert_eq!(map.to_string(), lake::LARGE);
/// # Ok::<(), probtest_paper::reinforcement::lake::MapError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Map {
    tiles: Vec<Tile>,
    columns: usize,
}

/// Says what is wrong with a map.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MapError {
    /// There is nothing in it.
    #[error(
        "the map of a lake has no rows\n  given  \"{given}\"\n  help   write its rows with a space or a line break between them, such as SF FG"
    )]
    Empty {
        /// The text given.
        given: String,
    },
    /// A letter that means nothing.
    #[error(
        "the map of a lake has the unknown letter {letter:?} in row {row}, column {column}\n  given  {given}\n  help   S is the start, F frozen, H a hole, G the goal"
    )]
    Letter {
        /// The letter.
        letter: char,
        /// Its row, from 1.
        row: usize,
        /// Its column, from 1.
        column: usize,
        /// The row as given.
        given: String,
    },
    /// Rows of different lengths.
    #[error(
        "row {row} of the map has {length} letters, but row 1 has {expected}\n  given  {given}\n  help   give all rows the same length"
    )]
    Ragged {
        /// The row, from 1.
        row: usize,
        /// Its length.
        length: usize,
        /// The length of the first row.
        expected: usize,
        /// The row as given.
        given: String,
    },
    /// An episode has no place to begin.
    #[error(
        "the map of a lake has no start\n  given  {given}\n  help   write S where an episode begins"
    )]
    NoStart {
        /// The map.
        given: String,
    },
    /// An episode has nowhere to go.
    #[error(
        "the map of a lake has no goal\n  given  {given}\n  help   write G where the agent should go"
    )]
    NoGoal {
        /// The map.
        given: String,
    },
    /// More places than are reasonable.
    #[error(
        "the map of a lake has more than {MOST_STATES} places\n  given  {rows} rows, the first of {columns}\n  help   take a smaller lake"
    )]
    TooLarge {
        /// The rows given.
        rows: usize,
        /// The length of the first.
        columns: usize,
    },
}

impl Map {
    /// Reads a map: rows of `S`, `F`, `H` and `G`, with white space between them.
    ///
    /// Several starts are allowed, and are equally likely. Gymnasium takes any
    /// other letter as ice and a map without a start or a goal as well; here that
    /// is an error, since it is a mistake in writing.
    ///
    /// # Errors
    ///
    /// When there is no row, no start or no goal, when the rows differ in length,
    /// or a letter means nothing.
    pub fn parse(text: &str) -> Result<Map, MapError> {
        let rows: Vec<&str> = text.split_whitespace().collect();
        let Some(first) = rows.first() else {
            return Err(MapError::Empty { given: text.into() });
        };
        let columns = first.chars().count();
        if rows.len().saturating_mul(columns) > MOST_STATES {
            let rows = rows.len();
            return Err(MapError::TooLarge { rows, columns });
        }
        let mut tiles = Vec::with_capacity(rows.len() * columns);
        for (row, text) in (1..).zip(&rows) {
            tiles.extend(read_row(row, text)?);
            let length = text.chars().count();
            if length != columns {
                return Err(MapError::Ragged {
                    row,
                    length,
                    expected: columns,
                    given: (*text).into(),
                });
            }
        }
        let given = || rows.join(" ");
        if !tiles.contains(&Tile::Start) {
            return Err(MapError::NoStart { given: given() });
        }
        if !tiles.contains(&Tile::Goal) {
            return Err(MapError::NoGoal { given: given() });
        }
        Ok(Map { tiles, columns })
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.tiles.len() / self.columns
    }

    /// How many columns there are.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// What a place is.
    ///
    /// # Panics
    ///
    /// When there is no such place.
    pub fn tile(&self, state: State) -> Tile {
        self.tiles[state]
    }

    /// Computes what can follow each action, as Gymnasium does.
    pub fn dynamics(&self, ground: Ground) -> Dynamics {
        let is_start = |state: &State| self.tiles[*state] == Tile::Start;
        let starts = (0..self.tiles.len()).filter(is_start).collect();
        Dynamics::new(self.tiles.len(), starts, |state, action| {
            self.outcomes(state, action, ground)
        })
    }

    fn outcomes(&self, state: State, action: Action, ground: Ground) -> Vec<Outcome> {
        if self.tiles[state].ends() {
            return vec![Outcome {
                reward: 0.0,
                ..self.arrival(1.0, state)
            }];
        }
        let slips = ground.slips(action);
        let board = self.board();
        // Gymnasium's way to compute it, so that not even the last bit differs.
        let as_meant = 1.0 / slips.len() as f64;
        let aside = (1.0 - as_meant) / 2.0;
        let outcome = |&slip: &Action| {
            let probability = if slip == action { as_meant } else { aside };
            self.arrival(probability, board.neighbour(state, DIRECTIONS[slip]))
        };
        slips.iter().map(outcome).collect()
    }

    fn board(&self) -> Board {
        Board {
            rows: self.rows(),
            columns: self.columns,
        }
    }

    fn arrival(&self, probability: f64, next: State) -> Outcome {
        let tile = self.tiles[next];
        Outcome {
            probability,
            next,
            reward: if tile == Tile::Goal { 1.0 } else { 0.0 },
            terminated: tile.ends(),
            fell: tile == Tile::Hole,
        }
    }
}

fn read_row(row: usize, text: &str) -> Result<Vec<Tile>, MapError> {
    let read = |(column, letter)| match letter {
        'S' => Ok(Tile::Start),
        'F' => Ok(Tile::Frozen),
        'H' => Ok(Tile::Hole),
        'G' => Ok(Tile::Goal),
        _ => Err(MapError::Letter {
            letter,
            row,
            column,
            given: text.into(),
        }),
    };
    (1..).zip(text.chars()).map(read).collect()
}

/// The rows with a space between them, as [`Map::parse`] reads them.
impl std::fmt::Display for Map {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (number, row) in self.tiles.chunks(self.columns).enumerate() {
            let letter = |tile: &Tile| match tile {
                Tile::Start => 'S',
                Tile::Frozen => 'F',
                Tile::Hole => 'H',
                Tile::Goal => 'G',
            };
            let row: String = row.iter().map(letter).collect();
            let between = if number > 0 { " " } else { "" };
            write!(f, "{between}{row}")?;
        }
        Ok(())
    }
}
