//! The parts of the paper, how much work goes into each, progress, and Ctrl-C.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use indicatif::{ProgressBar, ProgressFinish, ProgressStyle};
use probtest::seed::RunSeed;
use probtest_paper::page::{Section, sections};
use probtest_paper::reinforcement::study::{self as training, Case, Effort};
use probtest_paper::reinforcement::{World, many};
use probtest_paper::skip_list::study as bugs;
use serde_json::Value;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;

use crate::{Failure, UNFINISHED};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Every count in the paper, figure 1.
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

/// What to measure, and how much.
pub struct Workload {
    /// The suite runs of each row of the skip list.
    pub suite_runs: u64,
    pub samples: u64,
    pub repeats: u64,
    /// The agents per curve of figure 3.
    pub agents: u64,
    pub lakes: Vec<World>,
    /// How long agents are trained; `None` for the paper's lengths.
    pub episodes: Option<Vec<u64>>,
    /// The threads; no number depends on them.
    pub jobs: usize,
    /// The seed; `None` for each study's own.
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

    /// How many pieces of work [`Part::run`] reports as done.
    pub fn pieces(self, work: &Workload) -> u64 {
        let measured = || work.effort(self).pieces(&work.cases(self));
        match self {
            Part::Executions | Part::Overestimate | Part::Comparison => 0,
            Part::SkipList => work.suite_runs * bugs::Case::all().len() as u64,
            Part::FrozenLake => measured() + work.lakes.len() as u64 * work.agents,
            Part::CliffWalking => measured() + many::AGENTS,
        }
    }

    /// Computes and measures it. `None` if it was interrupted.
    pub fn run(self, work: &Workload, progress: &Progress) -> Option<Finished> {
        let finished = match self {
            Part::Executions => Finished::computed(sections::executions()),
            Part::Overestimate => Finished::computed(sections::overestimate()),
            Part::Comparison => Finished::computed(sections::comparison()),
            Part::SkipList => work.run_skip_list(progress)?,
            Part::FrozenLake | Part::CliffWalking => work.run_agents(self, progress)?,
        };
        (!progress.interrupted()).then_some(finished)
    }
}

impl Workload {
    /// The seed of a study: the given one, or the paper's.
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

    /// The table rows of a part with agents.
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
            promises_are_kept: rows.iter().all(bugs::BugRow::promise_is_kept),
            table: Some((bugs::json(&rows, seed), bugs::text(&rows, seed))),
        })
    }

    /// Trains, computes and measures what a part with agents shows.
    fn run_agents(&self, part: Part, progress: &Progress) -> Option<Finished> {
        let (effort, done) = (self.effort(part), || progress.done());
        let seed = effort.seed;
        let rows = training::run(&self.cases(part), &effort, &done)?;
        let mut json = training::json(part.name(), &rows, seed);
        let mut text = training::text(&rows, seed);
        let section = if part == Part::CliffWalking {
            let means = many::averages(seed, self.jobs, &done)?;
            json["means"] = training::means_json(&means);
            text = format!("{text}\n{}", training::means_text(&means));
            sections::cliff_walking(&rows, &means, seed)
        } else {
            let curve = |&world: &World| {
                let episodes = many::curve_episodes(world);
                many::curve(world, &episodes, seed, self.agents, self.jobs, &done)
            };
            let curves: Option<Vec<_>> = self.lakes.iter().map(curve).collect();
            sections::frozen_lake(&rows, &curves?, seed)
        };
        let promises_are_kept = rows.iter().all(|row| row.fits && row.promise_is_kept());
        Some(Finished { section, promises_are_kept, table: Some((json, text)) })
    }
}

/// A line on a terminal, nothing elsewhere; and a switch that a signal turns on.
pub struct Progress {
    line: ProgressBar,
    interrupted: Arc<AtomicBool>,
}

impl Progress {
    /// Starts counting pieces of work and listening to signals. A second signal ends the process
    /// immediately.
    pub fn begin(pieces: u64) -> Result<Progress, Failure> {
        let interrupted = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            let code = i32::from(UNFINISHED);
            flag::register_conditional_shutdown(signal, code, Arc::clone(&interrupted))
                .and_then(|_| flag::register(signal, Arc::clone(&interrupted)))
                .map_err(|error| {
                    Failure::unfinished(format!("can't listen for signals: {error}"))
                })?;
        }
        let template = "{bar:24} {pos} of {len} tasks, {eta} left";
        let style = ProgressStyle::with_template(template).expect("the template can be read");
        let line = ProgressBar::new(pieces).with_style(style.progress_chars("=> "));
        // Cleared when dropped, so that only the answer remains.
        let line = line.with_finish(ProgressFinish::AndClear);
        Ok(Progress { line, interrupted })
    }

    /// Counts a piece, and says whether to continue; from any thread.
    fn done(&self) -> ControlFlow<()> {
        self.line.inc(1);
        match self.interrupted() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }

    fn interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }
}
