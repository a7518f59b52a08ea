//! The studies of agents: their names, what many agents show, files and sections.

use probtest_figures::page::{File, Section, agents};
use probtest_studies::reinforcement::World;
use probtest_studies::reinforcement::average::{self, Average};
use probtest_studies::reinforcement::curve::{self, Curve};
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

/// What many agents show that one does not.
pub enum Many {
    /// How they learn: figure 3.
    Curves(Vec<Curve>),
    /// Their means beside the published numbers.
    Averages(Vec<Average>),
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

    /// How often [`Study::many`] tells of a piece that is done.
    pub fn many_pieces(self, worlds: &[World], agents: u64) -> u64 {
        match self {
            Study::FrozenLake => worlds.len() as u64 * agents,
            Study::CliffWalking => average::AGENTS,
        }
    }

    /// Trains many agents: so many for each curve of the lakes, and as many as the
    /// paper beside the cliff. Nothing when that was interrupted.
    pub fn many(
        self,
        worlds: &[World],
        effort: &Effort,
        agents: u64,
        done: &Done<'_>,
    ) -> Option<Many> {
        if self == Study::CliffWalking {
            let rows = average::rows(effort.seed, effort.jobs, done)?;
            return Some(Many::Averages(rows));
        }
        let curve = |&world: &World| {
            let episodes = curve::episodes(world);
            curve::mean(world, &episodes, effort.seed, agents, effort.jobs, done)
        };
        let curves: Option<Vec<_>> = worlds.iter().map(curve).collect();
        Some(Many::Curves(curves?))
    }

    /// Its section, with the files.
    pub fn section(self, rows: &[Row], many: &Many, effort: &Effort) -> Section {
        let files = self.files(rows, effort);
        match many {
            Many::Curves(curves) => agents::frozen_lake(rows, curves, files),
            Many::Averages(averages) => agents::cliff_walking(rows, averages, files),
        }
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
