//! `probtest report`: what a whole suite of tests says, for people. `probtest merge`: the shards of
//! a suite, put together and judged by the core.
//!
//! Reads the JSON that tests under cargo, pytest and `probtest run` have written,
//! puts the results of one test together, sorts them by what needs attention,
//! and writes text, HTML, Markdown, JUnit XML or JSON. Nothing here executes or
//! judges a test; verdicts are those of the files.
//!
//! input -> result -> suite -> promise -> view -> one file for each form

mod evidence;
mod html;
mod input;
mod junit;
mod markdown;
mod promise;
mod result;
mod suite;
mod view;
mod words;

pub use html::{STYLE, policy, render};
pub use markdown::{code, code_free, fill};
pub use words::{NAME, one_line};

use std::fmt::Write;
use std::path::PathBuf;

use probtest::machine::{self, ShardFacts};
use probtest::report::explain_story;
use probtest::seed::Address;
use probtest_facts::json::Value;
use probtest_facts::read::results;
use probtest_facts::{ManyTests, TestFacts, Verdict, Version};

use crate::output::{self, Destination, Exit, Failure};
use promise::Promise;
use result::TestResult;
use suite::{Identity, ReportedTest, Suite};
use words::{DETAILS, many_lines, short_name};

/// Reports on a suite of tests: which tests need attention, what each pass
/// means, and what the suite as a whole promises
#[derive(clap::Args)]
#[command(after_help = "Examples:
  PROBTEST_REPORT=$PWD/results cargo test; probtest report results
  pytest --probtest-json results.json; probtest report results.json --html report.html
  probtest report shards --markdown >> \"$GITHUB_STEP_SUMMARY\"")]
pub struct ReportOptions {
    /// Files written by PROBTEST_REPORT, --probtest-json or `probtest
    /// run --json`, folders of them, or - for stdin; journals of the same
    /// code are added up
    #[arg(value_name = "RESULTS", required = true)]
    results: Vec<PathBuf>,
    /// Results and journals of earlier runs, oldest first. Shows what runs of the
    /// same code prove together, and whether a rate changed with the code
    #[arg(long, value_name = "RESULTS", num_args = 1..)]
    earlier: Vec<PathBuf>,
    /// Write a self-contained HTML page
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write Markdown that fits a pull-request comment, to FILE or stdout
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "-")]
    markdown: Option<PathBuf>,
    /// Write JUnit XML, to FILE or stdout
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "-")]
    junit: Option<PathBuf>,
    /// Write the suite as one JSON object to stdout
    #[arg(long)]
    pub json: bool,
    /// Exit with code 1 if a test was violated, or else with 3 if one
    /// has no verdict or is in doubt
    #[arg(long)]
    check: bool,
}

type Form = fn(&Suite) -> Result<String, Failure>;

pub fn run(options: &ReportOptions) -> Result<Exit, Failure> {
    let named =
        [("--html", &options.html), ("--markdown", &options.markdown), ("--junit", &options.junit)];
    let is_on_stdout = output::one_on_stdout(&named, options.json)?;
    let forms: [Form; 3] =
        [html::html, |suite| Ok(markdown::markdown(suite)), |suite| Ok(junit::junit(suite))];
    let asked: Vec<(Destination, Form)> = std::iter::zip(named, forms)
        .filter_map(|((option, path), form)| Some((Destination::new(path.as_ref()?, option), form)))
        .collect();
    let sources = input::find(&options.results)?;
    if options.check
        && let Some(journal) = sources.iter().find(|source| source.is_journal)
    {
        return Err(Failure::given(
            "a journal has no verdict that --check could look at",
            &journal.name,
            "name the files of results alone, and journals after --earlier",
        ));
    }
    if sources.iter().all(|source| source.is_journal) && asked.is_empty() {
        // Journals alone say nothing about a suite.
        let evidence = evidence::of(&options.earlier, &sources, &[])?;
        match options.json {
            false => output::print(&evidence::text(&evidence))?,
            true => {
                output::print_json(&ManyTests::<TestFacts> { evidence, ..ManyTests::default() })?
            }
        }
        return Ok(Exit::Passed);
    }
    for (place, _) in &asked {
        place.is_not_among(sources.iter().filter_map(|source| source.path.as_ref()))?;
    }
    for (number, (place, _)) in asked.iter().enumerate() {
        for (earlier, _) in &asked[..number] {
            place.is_not_that_of(earlier)?;
        }
    }
    let all = input::read(&sources)?;
    let evidence = evidence::of(&options.earlier, &sources, &all.results)?;
    let suite = Suite::new(all, evidence)?;
    // Every form is made before the first is written.
    let made: Result<Vec<_>, Failure> =
        asked.iter().map(|(place, form)| Ok((place, form(&suite)?))).collect();
    let mut written = Vec::new();
    for (place, text) in made? {
        place.write(&text)?;
        if let Destination::File(path, _) = place {
            written.push(output::shown(path));
        }
    }
    if options.json {
        output::print_json(&facts(&suite))?;
    } else if asked.is_empty() {
        output::print(&view::text(&suite))?;
    } else if !is_on_stdout {
        let head = view::head(&suite);
        output::print(&format!("{head}  written   {}\n", written.join(", ")))?;
    }
    Ok(match options.check {
        true if suite.totals.status.violated > 0 => Exit::Violated,
        true if suite.tests.iter().any(|test| test.result.status.fails()) => Exit::Unfinished,
        _ => Exit::Passed,
    })
}

/// The suite for programs, in pytest's form, so that it can be reported again. The results are
/// written as they were read.
fn facts(suite: &Suite) -> ManyTests<&Value> {
    let results = suite.tests.iter().flat_map(ReportedTest::results);
    ManyTests {
        probtest: Version,
        tests: results.map(|result| &result.object).collect(),
        suite: None,
        suites: suite.read.suites.clone(),
        totals: Some(suite.totals.clone()),
        promise: Some(Promise::of(suite).facts),
        evidence: suite.evidence.clone(),
    }
}

/// `probtest replay --explain`: shows everything that results know about violations, of one
/// execution or of all.
pub fn explain(results: &[PathBuf], address: Option<Address>) -> Result<Exit, Failure> {
    let found = input::read(&input::find(results)?)?.results;
    let address = address.map(|address| address.to_string());
    let asked = |result: &&TestResult| address.is_none() || result.facts.address == address;
    let stories: Vec<String> = found.iter().filter(asked).filter_map(explained).collect();
    if stories.is_empty() {
        return Err(Failure::given(
            "the results contain no story of this violation",
            format!("{}, {} results", address.as_deref().unwrap_or("no address"), found.len()),
            "give the results of a violated run that did not set shrink = false",
        ));
    }
    output::print(&stories.join("\n"))?;
    Ok(Exit::Passed)
}

/// The whole story of one result, where it has one.
fn explained(result: &TestResult) -> Option<String> {
    let facts = &result.facts;
    let story = explain_story(facts.story.as_ref()?)?;
    let message = facts.finding.as_ref().and_then(|finding| finding.message());
    let mut lines = vec![("verdict", result.summary()), ("message", message.unwrap_or_default())];
    lines.extend(facts.labels.iter().map(|label| ("label", label.words.as_str())));
    lines.extend(facts.unusual.iter().map(|words| ("unusual", words.as_str())));
    lines.push(("replay", facts.replay.as_deref().unwrap_or_default()));
    let mut text = format!("{}\n", short_name(&facts.test, NAME));
    for (label, value) in lines.into_iter().filter(|(_, value)| !value.is_empty()) {
        // Whole: a line to copy that is cut does something else.
        let most = if label == "replay" { usize::MAX } else { DETAILS };
        let _ = writeln!(text, "  {label:<9} {}", one_line(value, most));
    }
    text.push_str(&many_lines(&story, usize::MAX));
    if !text.ends_with('\n') {
        text.push('\n');
    }
    Some(text)
}

/// Merges the shards of a test or of a whole suite: the verdict, the counts and the
/// text are the same as for one run on one machine
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
    /// Also write it to this file
    #[arg(long, value_name = "FILE")]
    json_file: Option<PathBuf>,
    /// Print nothing for tests that pass
    #[arg(short, long)]
    quiet: bool,
}

/// A test as a whole: its facts, and what is said about it.
struct MergedTest {
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
    let tests = groups.into_iter().map(|(_, all)| merge_shards(all));
    let tests: Vec<MergedTest> = tests.collect::<Result<_, _>>()?;
    let json = match tests.as_slice() {
        [test] => output::json(&test.facts),
        tests => output::json(&ManyTests {
            tests: tests.iter().map(|test| test.facts.clone()).collect(),
            ..ManyTests::default()
        }),
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

fn merge_shards(mut all: Vec<(String, TestFacts)>) -> Result<MergedTest, Failure> {
    let undecided = |facts: &TestFacts| facts.verdict == Verdict::Inconclusive;
    if all.iter().all(|(_, facts)| facts.part.is_none() && undecided(facts)) {
        // It could not be started anywhere, for a reason that each of them gives.
        let (_, facts) = all.swap_remove(0);
        return Ok(MergedTest { text: format!("{}\n", facts.summary), accepted: false, facts });
    }
    let parts: Vec<ShardFacts<'_>> =
        all.iter().map(|(source, facts)| ShardFacts { source, facts }).collect();
    let report = machine::merge(&parts)?;
    let (_, first) = &all[0];
    // Machines may build the same program in different bytes: then there is no code to add up by.
    let same = all.iter().all(|(_, facts)| facts.code == first.code);
    Ok(MergedTest {
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
