//! The parts of the reproduction, and how much work goes into each.

use probtest::seed::RunSeed;
use probtest_figures::page::{File, Section, sections};
use probtest_studies::reinforcement::World;
use probtest_studies::reinforcement::study::{
    self as training, Case, Done, Effort, Row as Trained,
};
use probtest_studies::skip_list::study::{self as bugs, Row as Bug};
use probtest_studies::skip_list::table as bug_table;

use super::training::Study;
use super::watch::Watch;

/// The seed of the skip list study when nothing is said.
pub const SKIP_LIST_SEED: RunSeed = RunSeed(0x5eed);
const LAKES: [World; 2] = [World::SmallLake, World::LargeLake];

/// A part of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Every count of the paper, figure 1.
    Executions,
    /// A p that is too large, figure 2.
    Overestimate,
    /// The skip list.
    SkipList,
    /// The lakes, figure 3.
    FrozenLake,
    /// The cliff.
    CliffWalking,
    /// Other methods, figure 4.
    Comparison,
}

impl Part {
    /// Everything, in the order of the paper.
    pub const ALL: [Part; 6] = [
        Part::Executions,
        Part::Overestimate,
        Part::SkipList,
        Part::FrozenLake,
        Part::CliffWalking,
        Part::Comparison,
    ];
    /// The parts that have a figure.
    pub const FIGURES: [Part; 4] = [
        Part::Executions,
        Part::Overestimate,
        Part::FrozenLake,
        Part::Comparison,
    ];

    /// The name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Part::Executions => "executions",
            Part::Overestimate => "overestimate",
            Part::SkipList => "skip-list",
            Part::FrozenLake => "frozen-lake",
            Part::CliffWalking => "cliff-walking",
            Part::Comparison => "comparison",
        }
    }

    /// How often the part tells the watch of a piece that is done.
    pub fn pieces(self, work: &Work) -> u64 {
        match self {
            Part::Executions | Part::Overestimate | Part::Comparison => 0,
            Part::SkipList => work.suite_runs * bugs::Case::all().len() as u64,
            Part::FrozenLake => work.pieces(Study::FrozenLake, &LAKES),
            Part::CliffWalking => work.pieces(Study::CliffWalking, &[World::Cliff]),
        }
    }

    /// Carries it out, and says whether every promise is kept. Nothing when it was
    /// interrupted.
    pub fn carry_out(self, work: &Work, watch: &Watch) -> Option<(Section, bool)> {
        let done = || watch.done();
        match self {
            Part::Executions => Some((sections::executions(), true)),
            Part::Overestimate => Some((sections::overestimate(), true)),
            Part::Comparison => Some((sections::comparison(), true)),
            Part::SkipList => {
                let seed = work.seed.unwrap_or(SKIP_LIST_SEED);
                let rows = bugs::carry_out(seed, work.suite_runs, work.jobs, &done)?;
                let kept = rows.iter().all(Bug::promise_is_kept);
                Some((skip_list(&rows, seed), kept))
            }
            Part::FrozenLake => work.train(Study::FrozenLake, &LAKES, &done),
            Part::CliffWalking => work.train(Study::CliffWalking, &[World::Cliff], &done),
        }
    }
}

/// How much is measured.
pub struct Work {
    /// The suite runs of each row of the skip list.
    pub suite_runs: u64,
    /// The samples of each policy.
    pub samples: u64,
    /// The tests of each policy.
    pub repeats: u64,
    /// The agents behind each curve of figure 3.
    pub agents: u64,
    /// The threads; no number depends on them.
    pub jobs: usize,
    /// The seed; each study has its own when nothing is said.
    pub seed: Option<RunSeed>,
}

impl Work {
    /// As much as the paper measured, or enough to see it.
    pub fn new(quick: bool, jobs: usize, seed: Option<RunSeed>) -> Self {
        let (suite_runs, samples, agents) = if quick {
            (200, 20_000, 50)
        } else {
            (1000, 100_000, 100)
        };
        Work {
            suite_runs,
            samples,
            repeats: 100,
            agents,
            jobs,
            seed,
        }
    }

    fn effort(&self, world: World) -> Effort {
        Effort {
            seed: self.seed.unwrap_or_else(|| world.paper_seed()),
            samples: self.samples,
            repeats: self.repeats,
            jobs: self.jobs,
        }
    }

    fn pieces(&self, study: Study, worlds: &[World]) -> u64 {
        let measured = self.effort(worlds[0]).pieces(&cases(worlds));
        measured + study.many_pieces(worlds, self.agents)
    }

    /// Trains and measures the agents of some worlds.
    fn train(&self, study: Study, worlds: &[World], done: &Done<'_>) -> Option<(Section, bool)> {
        let effort = self.effort(worlds[0]);
        let rows = training::carry_out(&cases(worlds), &effort, done)?;
        let many = study.many(worlds, &effort, self.agents, done)?;
        let section = study.section(&rows, &many, &effort);
        let kept = |row: &Trained| row.fits && row.promise_is_kept();
        Some((section, rows.iter().all(kept)))
    }
}

fn cases(worlds: &[World]) -> Vec<Case> {
    let of = |world: &World| Case::of(*world, &world.paper_episodes());
    worlds.iter().flat_map(of).collect()
}

/// The section of the skip list, with its files.
pub fn skip_list(rows: &[Bug], seed: RunSeed) -> Section {
    let files = vec![
        File::new("skip_list.csv", bug_table::csv(rows)),
        File::new("skip_list.md", bug_table::markdown(rows, seed)),
    ];
    sections::skip_list(rows, files)
}
