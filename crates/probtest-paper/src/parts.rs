//! The parts of the paper, and how much work goes into each.

use probtest::seed::RunSeed;
use probtest_paper::page::{File, Section, agents, sections};
use probtest_paper::reinforcement::study::{self as training, Case, Effort, Row};
use probtest_paper::reinforcement::{World, many, table as agent_table};
use probtest_paper::skip_list::{study as bugs, table as bug_table};
use serde_json::Value;

use crate::progress::Progress;

/// A part of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Every count of the paper, figure 1.
    Executions,
    /// A p that is too large, figure 2.
    Overestimate,
    /// How often the bugs of a skip list are found.
    SkipList,
    /// Agents on the lakes, figure 3.
    FrozenLake,
    /// Agents beside the cliff.
    CliffWalking,
    /// Other methods, figure 4.
    Comparison,
}

/// How much is measured, and of what.
pub struct Work {
    /// The suite runs of each row of the skip list.
    pub suite_runs: u64,
    /// The samples of each policy.
    pub samples: u64,
    /// The tests of each policy.
    pub repeats: u64,
    /// The agents behind each curve of figure 3.
    pub agents: u64,
    /// The lakes that agents are trained on.
    pub lakes: Vec<World>,
    /// How long agents are trained; as in the paper when nothing is said.
    pub episodes: Option<Vec<u64>>,
    /// The threads; no number depends on them.
    pub jobs: usize,
    /// The seed; each study has its own when nothing is said.
    pub seed: Option<RunSeed>,
}

/// What came out of a part.
pub struct Finished {
    pub section: Section,
    pub promises_are_kept: bool,
    /// The table of a study, for programs and for people.
    pub table: Option<(Value, String)>,
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
            Part::Executions => computed(sections::executions()),
            Part::Overestimate => computed(sections::overestimate()),
            Part::Comparison => computed(sections::comparison()),
            Part::SkipList => work.run_skip_list(progress)?,
            Part::FrozenLake => work.run_frozen_lake(progress)?,
            Part::CliffWalking => work.run_cliff_walking(progress)?,
        };
        (!progress.interrupted()).then_some(finished)
    }
}

fn computed(section: Section) -> Finished {
    Finished {
        section,
        promises_are_kept: true,
        table: None,
    }
}

impl Work {
    /// The lakes of the paper.
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
        let files = vec![
            File::new("skip_list.csv", bug_table::csv(&rows)),
            File::new("skip_list.md", bug_table::markdown(&rows, seed)),
        ];
        Some(Finished {
            section: sections::skip_list(&rows, files),
            promises_are_kept: rows.iter().all(bugs::Row::promise_is_kept),
            table: Some((bug_table::json(&rows, seed), bug_table::text(&rows, seed))),
        })
    }

    fn run_frozen_lake(&self, progress: &Progress) -> Option<Finished> {
        let (part, done) = (Part::FrozenLake, || progress.done());
        let effort = self.effort(part);
        let rows = training::run(&self.cases(part), &effort, &done)?;
        let curve = |&world: &World| {
            let episodes = many::curve_episodes(world);
            many::curve(
                world,
                &episodes,
                effort.seed,
                self.agents,
                effort.jobs,
                &done,
            )
        };
        let curves: Option<Vec<_>> = self.lakes.iter().map(curve).collect();
        let title = "Frozen lake: the probability of finding that an agent fails";
        let files = agent_files("frozen_lake", title, &rows, effort.seed);
        let section = agents::frozen_lake(&rows, &curves?, files);
        Some(of_agents(part, section, &rows, effort.seed))
    }

    fn run_cliff_walking(&self, progress: &Progress) -> Option<Finished> {
        let (part, done) = (Part::CliffWalking, || progress.done());
        let effort = self.effort(part);
        let rows = training::run(&self.cases(part), &effort, &done)?;
        let means = many::averages(effort.seed, effort.jobs, &done)?;
        let title = "Cliff walking: the probability of finding that an agent falls";
        let files = agent_files("cliff_walking", title, &rows, effort.seed);
        let section = agents::cliff_walking(&rows, &means, files);
        let mut finished = of_agents(part, section, &rows, effort.seed);
        if let Some((json, text)) = &mut finished.table {
            json["means"] = agent_table::means_json(&means);
            text.push('\n');
            text.push_str(&agent_table::means_text(&means));
        }
        Some(finished)
    }
}

fn agent_files(name: &str, title: &str, rows: &[Row], seed: RunSeed) -> Vec<File> {
    let markdown = agent_table::markdown(title, rows, seed);
    vec![
        File::new(&format!("{name}.csv"), agent_table::csv(rows)),
        File::new(&format!("{name}.md"), markdown),
    ]
}

fn of_agents(part: Part, section: Section, rows: &[Row], seed: RunSeed) -> Finished {
    let kept = |row: &Row| row.fits && row.promise_is_kept();
    Finished {
        section,
        promises_are_kept: rows.iter().all(kept),
        table: Some((
            agent_table::json(part.name(), rows, seed),
            agent_table::text(rows, seed),
        )),
    }
}
