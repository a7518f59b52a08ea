//! The frozen lake, with any map: what does Gymnasium's `FrozenLake-v1` do?

use super::dynamics::{ACTIONS, Action, Dynamics, Ground, Outcome, State, neighbour};

pub const LEFT: Action = 0;
pub const DOWN: Action = 1;
pub const RIGHT: Action = 2;
pub const UP: Action = 3;
/// By how many rows and columns each action moves.
const MOVES: [(isize, isize); ACTIONS] = [(0, -1), (1, 0), (0, 1), (-1, 0)];

pub const SMALL: &str = "SFFF FFFF FHFF FFFG";
pub const LARGE: &str = "SFFFFFH FFFFFFF FFHFFFF FFFFFFF HFHFFFF FFFFFFF FFFFFFG";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tile {
    /// `S`: an episode starts here.
    Start,
    /// `F`: solid ice.
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

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Map {
    tiles: Vec<Tile>,
    columns: usize,
}

impl Map {
    /// Reads a map: rows of `S`, `F`, `H` and `G`, with white space between them.
    ///
    /// Several starts are equally likely. Gymnasium also accepts other letters, as ice, and maps
    /// without a start or a goal; here they are errors, and so are rows of different lengths.
    pub fn parse(text: &str) -> Result<Map, String> {
        let rows: Vec<&str> = text.split_whitespace().collect();
        let columns = rows.first().map_or(0, |row| row.len());
        let mut tiles = Vec::new();
        for row in &rows {
            for letter in row.chars() {
                tiles.push(match letter {
                    'S' => Tile::Start,
                    'F' => Tile::Frozen,
                    'H' => Tile::Hole,
                    'G' => Tile::Goal,
                    _ => return Err(format!("{letter:?} in {row} is none of S, F, H and G")),
                });
            }
            if row.len() != columns {
                return Err(format!("{row} is not as long as the first row, {}", rows[0]));
            }
        }
        if !(tiles.contains(&Tile::Start) && tiles.contains(&Tile::Goal)) {
            return Err(format!("a lake has a start S and a goal G: {text:?}"));
        }
        Ok(Map { tiles, columns })
    }

    /// Computes what can follow each action, like Gymnasium.
    pub fn dynamics(&self, ground: Ground) -> Dynamics {
        let is_start = |state: &State| self.tiles[*state] == Tile::Start;
        let starts = (0..self.tiles.len()).filter(is_start).collect();
        Dynamics::new(self.tiles.len(), starts, |state, action| {
            self.outcomes(state, action, ground)
        })
    }

    fn outcomes(&self, state: State, action: Action, ground: Ground) -> Vec<Outcome> {
        if self.tiles[state].ends() {
            return vec![Outcome { reward: 0.0, ..self.arrival(1.0, state) }];
        }
        let slips = ground.slips(action);
        let size = (self.tiles.len() / self.columns, self.columns);
        // Computed like Gymnasium, so that not even the last bit differs.
        let as_meant = 1.0 / slips.len() as f64;
        let aside = (1.0 - as_meant) / 2.0;
        let outcome = |&slip: &Action| {
            let probability = if slip == action { as_meant } else { aside };
            self.arrival(probability, neighbour(size, state, MOVES[slip]))
        };
        slips.iter().map(outcome).collect()
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
