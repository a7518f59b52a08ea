//! The parts of the paper, and how much work goes into each.

use probtest::seed::RunSeed;
use probtest_paper::page::{Section, sections};
use probtest_paper::reinforcement::study::{self as training, Case, Effort, Row};
use probtest_paper::reinforcement::{World, many, table as agent_table};
use probtest_paper::skip_list::{study as bugs, table as bug_table};
use serde_json::Value;

use crate::progress::Progress;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Every count of the paper, figure 1.
    Executions,
    /// A p that is too large, figure 2.
    Overestimate,
    SkipList,
    /// Agents on the lakes, figure 3.
    FrozenLake,
    CliffWalking,
    /// Other methods, figure 4.
    Comparison,
}

/// How much is measured, and of what.
pub struct Work {
    /// The suite runs of each row of the skip list.
    pub suite_runs: u64,
    pub samples: u64,
    pub repeats: u64,
    /// The agents behind each curve of figure 3.
    pub agents: u64,
    pub lakes: Vec<World>,
    /// How long agents are trained; as in the paper when nothing is said.
    pub episodes: Option<Vec<u64>>,
    /// The threads; no number depends on them.
    pub jobs: usize,
    /// The seed; each study has its own when nothing is said.
    pub seed: Option<RunSeed>,
}

pub struct Finished {
    pub section: Section,
    pub promises_are_kept: bool,
    /// The table of a study, for programs and for people.
    pub table: Option<(Value, String)>,
}

impl Finished {
    /// Nothing was measured.
    fn computed(section: Section) -> Finished {
        Finished { section, promises_are_kept: true, table: None }
    }
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
    pub const FIGURES: [Part; 4] =
        [Part::Executions, Part::Overestimate, Part::FrozenLake, Part::Comparison];

    /// The name in options and messages.
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

    /// How often [`Part::run`] tells of a piece that is done.
    pub fn pieces(self, work: &Work) -> u64 {
        let measured = || work.effort(self).pieces(&work.cases(self));
        match self {
            Part::Executions | Part::Overestimate | Part::Comparison => 0,
            Part::SkipList => work.suite_runs * bugs::Case::all().len() as u64,
            Part::FrozenLake => measured() + work.lakes.len() as u64 * work.agents,
            Part::CliffWalking => measured() + many::AGENTS,
        }
    }

    /// Computes and measures it. Nothing when it was interrupted.
    pub fn run(self, work: &Work, progress: &Progress) -> Option<Finished> {
        let finished = match self {
            Part::Executions => Finished::computed(sections::executions()),
            Part::Overestimate => Finished::computed(sections::overestimate()),
            Part::Comparison => Finished::computed(sections::comparison()),
            Part::SkipList => work.run_skip_list(progress)?,
            Part::FrozenLake => work.run_frozen_lake(progress)?,
            Part::CliffWalking => work.run_cliff_walking(progress)?,
        };
        (!progress.interrupted()).then_some(finished)
    }
}

impl Work {
    pub const LAKES: [World; 2] = [World::SmallLake, World::LargeLake];

    /// The seed of a study: the one that was given, or the paper's.
    pub fn seed_of(&self, part: Part) -> RunSeed {
        self.seed.unwrap_or(match part {
            Part::FrozenLake => World::SmallLake.paper_seed(),
            Part::CliffWalking => World::Cliff.paper_seed(),
            _ => RunSeed(0x5eed),
        })
    }

    fn effort(&self, part: Part) -> Effort {
        Effort {
            seed: self.seed_of(part),
            samples: self.samples,
            repeats: self.repeats,
            jobs: self.jobs,
        }
    }

    /// The rows of the table of a part with agents.
    fn cases(&self, part: Part) -> Vec<Case> {
        let of_world = |&world: &World| match &self.episodes {
            Some(episodes) => Case::of(world, episodes),
            None => Case::of(world, &world.paper_episodes()),
        };
        let worlds = match part {
            Part::CliffWalking => &[World::Cliff],
            _ => &self.lakes[..],
        };
        worlds.iter().flat_map(of_world).collect()
    }

    fn run_skip_list(&self, progress: &Progress) -> Option<Finished> {
        let seed = self.seed_of(Part::SkipList);
        let rows = bugs::run(seed, self.suite_runs, self.jobs, &|| progress.done())?;
        Some(Finished {
            section: sections::skip_list(&rows, seed),
            promises_are_kept: rows.iter().all(bugs::Row::promise_is_kept),
            table: Some((bug_table::json(&rows, seed), bug_table::text(&rows, seed))),
        })
    }

    /// Trains, computes and measures the rows of a part with agents; `section` does the rest
    /// of it.
    fn run_agents(
        &self,
        part: Part,
        progress: &Progress,
        section: impl FnOnce(&[Row], &Effort) -> Option<Section>,
    ) -> Option<Finished> {
        let effort = self.effort(part);
        let rows = training::run(&self.cases(part), &effort, &|| progress.done())?;
        let (seed, kept) = (effort.seed, |row: &Row| row.fits && row.promise_is_kept());
        let json = agent_table::json(part.name(), &rows, seed);
        Some(Finished {
            section: section(&rows, &effort)?,
            promises_are_kept: rows.iter().all(kept),
            table: Some((json, agent_table::text(&rows, seed))),
        })
    }

    fn run_frozen_lake(&self, progress: &Progress) -> Option<Finished> {
        let done = || progress.done();
        self.run_agents(Part::FrozenLake, progress, |rows, effort| {
            let curve = |&world: &World| {
                let episodes = many::curve_episodes(world);
                many::curve(world, &episodes, effort.seed, self.agents, self.jobs, &done)
            };
            let curves: Option<Vec<_>> = self.lakes.iter().map(curve).collect();
            Some(sections::frozen_lake(rows, &curves?, effort.seed))
        })
    }

    fn run_cliff_walking(&self, progress: &Progress) -> Option<Finished> {
        let mut means = Vec::new();
        let done = || progress.done();
        let mut finished = self.run_agents(Part::CliffWalking, progress, |rows, effort| {
            means = many::averages(effort.seed, self.jobs, &done)?;
            Some(sections::cliff_walking(rows, &means, effort.seed))
        })?;
        if let Some((json, text)) = &mut finished.table {
            json["means"] = agent_table::means_json(&means);
            text.push('\n');
            text.push_str(&agent_table::means_text(&means));
        }
        Some(finished)
    }
}
