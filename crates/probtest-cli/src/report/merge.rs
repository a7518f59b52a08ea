//! `probtest merge`: the shards of a suite, put together and judged by the core.

use std::path::PathBuf;

use probtest::machine::{self, Merged};
use probtest_facts::read::results;
use probtest_facts::{ManyTests, TestFacts, Verdict};

use super::input;
use super::suite::Identity;
use crate::output::{self, Destination, Exit, Failure};

/// Puts the shards of a test or of a whole suite together: the verdict, the counts and the
/// words are those of one run
#[derive(clap::Args)]
#[command(
    after_help = "Run the shards with --shard, --probtest-shard or PROBTEST_SHARD, and the same seed for all of them.
A missing or duplicate shard, or one with a different claim, seed or version, is an error.

Examples:
  probtest run --p 0.001 --seed 7 --shard 3/16 --json-file part-3.json -- ./simulate
  probtest merge part-*.json
  probtest merge parts --json-file whole.json; probtest report whole.json --check"
)]
pub struct MergeOptions {
    /// Files written by shards, folders of them, or - for stdin
    #[arg(value_name = "PARTS", required = true)]
    parts: Vec<PathBuf>,
    /// Write the answer as one JSON object
    #[arg(long)]
    pub json: bool,
    /// Write it to a file too
    #[arg(long, value_name = "FILE")]
    json_file: Option<PathBuf>,
    /// Print nothing for tests that pass
    #[arg(short, long)]
    quiet: bool,
}

/// A test as a whole: its facts, and what is said about it.
struct Whole {
    facts: TestFacts,
    text: String,
    accepted: bool,
}

pub fn merge(options: &MergeOptions) -> Result<Exit, Failure> {
    let place = options.json_file.as_ref();
    let place = place.map(|file| Destination::new(file, "--json-file"));
    let mut sources = input::find(&options.parts)?;
    sources.retain(|source| !source.is_journal);
    if let Some(place) = &place {
        place.is_not_among(sources.iter().filter_map(|source| source.path.as_ref()))?;
    }
    // The results of each test, and the files that they come from.
    let mut groups: Vec<(Identity, Vec<(String, TestFacts)>)> = Vec::new();
    for source in &sources {
        let text = source.text()?;
        let refused = |error| input::refusal(&error, &source.name);
        for result in results(&text).map_err(refused)?.results {
            let facts = result.read().map_err(refused)?;
            let identity = Identity::of(&facts);
            let one = (source.name.clone(), facts);
            match groups.iter_mut().find(|(other, _)| *other == identity) {
                Some((_, all)) => all.push(one),
                None => groups.push((identity, vec![one])),
            }
        }
    }
    let tests = groups.into_iter().map(|(_, all)| whole(all));
    let tests: Vec<Whole> = tests.collect::<Result<_, _>>()?;
    let json = match tests.as_slice() {
        [test] => output::json(&test.facts)?,
        tests => output::json(&ManyTests {
            tests: tests.iter().map(|test| test.facts.clone()).collect(),
            ..ManyTests::default()
        })?,
    };
    if let Some(place) = place {
        place.write(&json)?;
    }
    if options.json {
        output::print(&json)?;
    } else {
        for test in tests.iter().filter(|test| !(test.accepted && options.quiet)) {
            match tests.len() {
                1 => output::print(&test.text)?,
                _ => output::print(&format!("{}\n{}", test.facts.name(), test.text))?,
            }
        }
    }
    Ok(if tests.iter().any(|test| test.facts.verdict == Verdict::Violated) {
        Exit::Violated
    } else if tests.iter().all(|test| test.accepted) {
        Exit::Passed
    } else {
        Exit::Unfinished
    })
}

fn whole(mut all: Vec<(String, TestFacts)>) -> Result<Whole, Failure> {
    let undecided = |facts: &TestFacts| facts.verdict == Verdict::Inconclusive;
    if all.iter().all(|(_, facts)| facts.part.is_none() && undecided(facts)) {
        // It could not be started anywhere, for a reason that each of them gives.
        let (_, facts) = all.swap_remove(0);
        return Ok(Whole { text: format!("{}\n", facts.summary), accepted: false, facts });
    }
    let parts: Vec<Merged<'_>> =
        all.iter().map(|(source, facts)| Merged { source, facts }).collect();
    let report = machine::merge(&parts)?;
    let (_, first) = &all[0];
    // Machines may build the same program in different bytes: then there is no code to add up by.
    let same = all.iter().all(|(_, facts)| facts.code == first.code);
    Ok(Whole {
        text: report.to_string(),
        accepted: report.accepted(),
        facts: TestFacts {
            test: first.test.clone(),
            nodeid: first.nodeid.clone(),
            package: first.package.clone(),
            target: first.target.clone(),
            code: first.code.clone().filter(|_| same),
            ..report.facts()
        },
    })
}
