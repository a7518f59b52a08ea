//! The options of `probtest report`, and the order of its work.

use std::path::PathBuf;

use probtest_facts::{EvidenceFacts, ManyTests, TestFacts};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::output;

use super::destination::Destination;
use super::status::Status;
use super::suite::Suite;
use super::words::{NAME, one_line};
use super::{evidence, html, input, json, junit, markdown, read, text};

/// Reports on a suite of tests: which tests need attention, what each pass
/// means, and what the suite as a whole promises
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  PROBTEST_REPORT=$PWD/results cargo test; probtest report results
  pytest --probtest-json results.json; probtest report results.json --html report.html
  probtest report shards --markdown >> \"$GITHUB_STEP_SUMMARY\"")]
pub struct Options {
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

pub fn run(options: &Options) -> Result<Exit, Failure> {
    let forms: [(Option<&PathBuf>, &'static str, Form); 3] = [
        (options.html.as_ref(), "--html", html::html),
        (options.markdown.as_ref(), "--markdown", |suite| Ok(markdown::markdown(suite))),
        (options.junit.as_ref(), "--junit", |suite| Ok(junit::junit(suite))),
    ];
    let asked: Vec<(Destination, Form)> = forms
        .into_iter()
        .filter_map(|(path, option, form)| Some((Destination::new(path?, option), form)))
        .collect();
    let dash = |path: &&PathBuf| path.as_os_str() == "-";
    let on_stdout = [
        options.html.as_ref().filter(dash).map(|_| "--html -"),
        options.markdown.as_ref().filter(dash).map(|_| "--markdown"),
        options.junit.as_ref().filter(dash).map(|_| "--junit"),
        options.json.then_some("--json"),
    ];
    let is_on_stdout = Destination::one_on_stdout(&on_stdout)?;
    let sources = input::find(&options.results)?;
    if sources.iter().all(|source| source.is_journal) && asked.is_empty() {
        // Journals alone say nothing about a suite.
        let evidence = evidence::of(&options.earlier, &sources, &[])?;
        return told_alone(options.json, evidence);
    }
    let paths: Vec<PathBuf> = sources.iter().filter_map(|one| one.path.clone()).collect();
    for (place, _) in &asked {
        place.is_not_among(&paths)?;
    }
    for (number, (place, _)) in asked.iter().enumerate() {
        for (earlier, _) in &asked[..number] {
            place.is_not_that_of(earlier)?;
        }
    }
    let all = read::read(&sources)?;
    let evidence = evidence::of(&options.earlier, &sources, &all.results)?;
    let suite = Suite::new(all, evidence)?;
    // Every form is made before the first is written.
    let made: Result<Vec<_>, Failure> =
        asked.iter().map(|(place, form)| Ok((place, form(&suite)?))).collect();
    let mut written = Vec::new();
    for (place, text) in made? {
        place.write(&text)?;
        if let Destination::File(path, _) = place {
            written.push(one_line(&path.display().to_string(), NAME));
        }
    }
    if options.json {
        output::print_json(&json::facts(&suite))?;
    } else if asked.is_empty() {
        output::print(&text::text(&suite))?;
    } else if !is_on_stdout {
        let head = text::head(&suite);
        output::print(&format!("{head}  written   {}\n", written.join(", ")))?;
    }
    Ok(if options.check { checked(&suite) } else { Exit::Passed })
}

fn told_alone(as_json: bool, evidence: Vec<EvidenceFacts>) -> Result<Exit, Failure> {
    match as_json {
        false => output::print(&evidence::text(&evidence))?,
        true => output::print_json(&ManyTests::<TestFacts> { evidence, ..ManyTests::default() })?,
    }
    Ok(Exit::Passed)
}

fn checked(suite: &Suite) -> Exit {
    if suite.count(Status::Violated) > 0 {
        Exit::Violated
    } else if suite.tests.iter().any(|test| test.result.status.fails()) {
        Exit::Unfinished
    } else {
        Exit::Passed
    }
}
