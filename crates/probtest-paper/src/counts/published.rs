//! Every number of executions that the paper names, computed again.

use super::executions;
use crate::finding::Finding;

/// The file of published counts.
const FILE: &str = include_str!("../../data/published_k.csv");

/// A number of executions, and where the paper names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Published {
    /// The violation probability, as printed.
    pub p: &'static str,
    /// The chance of missing it, as printed.
    pub epsilon: &'static str,
    /// The published number of executions.
    pub executions: u64,
    /// The example of the paper.
    pub place: &'static str,
}

impl Published {
    /// Every count that the paper names, in its order.
    ///
    /// ```
    /// use probtest_paper::counts::published::Published;
    ///
    /// assert!(Published::all().iter().all(|row| row.executions == row.computed()));
    /// ```
    ///
    /// # Panics
    ///
    /// Never: the file is part of the program, and a test reads it.
    pub fn all() -> Vec<Published> {
        FILE.lines().skip(1).map(read).collect()
    }

    /// The number of executions for the same p and epsilon.
    pub fn computed(&self) -> u64 {
        executions(self.p, self.epsilon)
    }

    /// The published count beside the computed one.
    pub fn finding(&self) -> Finding {
        let computed = self.computed();
        let agrees = computed == self.executions;
        let why = match (agrees, self.p) {
            (true, "0.0039") => {
                "for p rounded as printed; for p = 1/256 exactly it is 766".to_owned()
            }
            (true, _) => "the same number".to_owned(),
            (false, _) => "the least k with p^k + (1-p)^k < epsilon is another".to_owned(),
        };
        Finding {
            subject: format!(
                "{}: executions for p = {}, epsilon = {}",
                self.place, self.p, self.epsilon
            ),
            published: self.executions.to_string(),
            ours: computed.to_string(),
            agrees,
            why,
        }
    }
}

fn read(line: &'static str) -> Published {
    let mut cells = line.splitn(4, ',');
    let mut cell = || cells.next().expect("four cells in a line");
    Published {
        p: cell(),
        epsilon: cell(),
        executions: cell().parse().expect("a whole number"),
        place: cell().trim_matches('"'),
    }
}
