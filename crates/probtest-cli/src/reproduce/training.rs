//! The studies of agents: their names, files and sections.

use probtest_figures::page::{File, Section, agents};
use probtest_studies::reinforcement::World;
use probtest_studies::reinforcement::curve;
use probtest_studies::reinforcement::study::{Done, Effort, Row};
use probtest_studies::reinforcement::table;

/// A study of agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Study {
    /// On the lakes.
    FrozenLake,
    /// Beside the cliff.
    CliffWalking,
}

impl Study {
    /// Its name as a command.
    pub fn name(self) -> &'static str {
        match self {
            Study::FrozenLake => "frozen-lake",
            Study::CliffWalking => "cliff-walking",
        }
    }

    fn title(self) -> &'static str {
        match self {
            Study::FrozenLake => "Frozen lake: the probability of finding that an agent fails",
            Study::CliffWalking => "Cliff walking: the probability of finding that an agent falls",
        }
    }

    /// How often the curves of its figure tell of a piece that is done.
    pub fn curve_pieces(self, worlds: &[World], agents: u64) -> u64 {
        match self {
            Study::FrozenLake => worlds.len() as u64 * agents,
            Study::CliffWalking => 0,
        }
    }

    /// Its section, with the files. The lakes have a figure, for which so many
    /// agents are trained; nothing when that was interrupted.
    pub fn section(
        self,
        worlds: &[World],
        rows: &[Row],
        effort: &Effort,
        agents: u64,
        done: &Done<'_>,
    ) -> Option<Section> {
        let files = self.files(rows, effort);
        if self == Study::CliffWalking {
            return Some(agents::cliff_walking(rows, files));
        }
        let curve = |&world: &World| {
            let episodes = curve::episodes(world);
            curve::mean(world, &episodes, effort.seed, agents, effort.jobs, done)
        };
        let curves: Option<Vec<_>> = worlds.iter().map(curve).collect();
        Some(agents::frozen_lake(rows, &curves?, files))
    }

    fn files(self, rows: &[Row], effort: &Effort) -> Vec<File> {
        let name = self.name().replace('-', "_");
        let markdown = table::markdown(self.title(), rows, effort.seed);
        vec![
            File::new(&format!("{name}.csv"), table::csv(rows)),
            File::new(&format!("{name}.md"), markdown),
        ]
    }
}
