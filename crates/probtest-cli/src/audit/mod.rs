//! `probtest audit`: how flaky is each test of a suite, and what does that depend on?
//!
//! options -> words (what was written) -> suite (which tests there are) -> execute (one process for each execution) -> forms
//!
//! Which test is executed when, and what follows from it, says `probtest::audit`.

mod execute;
mod forms;
mod suite;
mod surroundings;
mod words;

pub use surroundings::write_down;

use std::path::{Path, PathBuf};
use std::time::Duration;

use probtest::audit::{Audit, AuditJournal, AuditSettings, Named, accept};
use probtest::report::{audit_limit, audit_text};
use probtest::seed::RunSeed;
use probtest::settings::{parse_duration, read_count};
use probtest_facts::{AuditEnd, AuditFacts, AuditLimit};

use crate::output::{self, Destination, Exit, Failure};

/// What means nothing where nothing is executed.
const EXECUTING: [&str; 8] =
    ["command", "time", "precision", "confidence", "seed", "jobs", "timeout", "journal"];

/// Runs every test of a cargo suite again and again, and shows how flaky each is and what
/// that depends on
#[derive(clap::Args)]
#[command(
    after_help = "Most of the time goes to the tests whose rates are least certain. Each execution runs in its own
process and reads its seed from the environment variable PROBTEST_SEED. Press Ctrl-C to end the
audit with what is known so far.

With --max-rate, the exit code is 1 if a test that is not listed in --known has a higher rate, and
3 if one may have.

Examples:
  probtest audit --time 5m -- cargo test
  probtest audit --max-rate 0.01 --known flaky.txt -- cargo test -p walks
  probtest audit --from audit.json --html audit.html"
)]
pub struct Options {
    /// How long the audit may take, such as 90s or 5m
    #[arg(long, value_name = "TIME", default_value = "60s", allow_negative_numbers = true)]
    time: String,
    /// Exit with code 1 if a test has a higher failure rate than this
    #[arg(long, value_name = "RATE", allow_negative_numbers = true)]
    max_rate: Option<String>,
    /// A file with the names of tests that may have a higher rate, one per line
    #[arg(long, value_name = "FILE")]
    known: Option<String>,
    /// How narrow an interval must be [default: 0.05]
    #[arg(long, value_name = "WIDTH", allow_negative_numbers = true)]
    precision: Option<String>,
    /// The confidence that all intervals together contain the true rates [default: 0.95]
    #[arg(long, value_name = "CONFIDENCE", allow_negative_numbers = true)]
    confidence: Option<String>,
    /// The run seed [default: a fresh one]
    #[arg(long, value_name = "SEED", allow_negative_numbers = true)]
    seed: Option<String>,
    /// How many executions run at the same time
    #[arg(short, long, value_name = "N", default_value = "1", allow_negative_numbers = true)]
    jobs: String,
    /// Kill an execution that takes longer, such as 5s, and count it as failed [default: no limit]
    #[arg(long, value_name = "TIME", allow_negative_numbers = true)]
    timeout: Option<String>,
    /// Record what is observed in a folder, so a stopped audit can continue
    #[arg(long, value_name = "FOLDER")]
    journal: Option<PathBuf>,
    /// Run nothing: report on the JSON of an earlier audit, such as one by pytest
    #[arg(long, value_name = "FILE", conflicts_with_all = EXECUTING)]
    from: Option<PathBuf>,
    /// Write a self-contained HTML page
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write Markdown that fits a pull-request comment, to FILE or stdout
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "-")]
    markdown: Option<PathBuf>,
    /// Write the facts as one JSON object to stdout
    #[arg(long)]
    pub json: bool,
    /// Print nothing while the tests run
    #[arg(short, long)]
    quiet: bool,
    /// The command of the suite, after `--`: cargo test with its options
    #[arg(last = true, value_name = "COMMAND", required_unless_present = "from")]
    command: Vec<String>,
}

pub fn run(options: &Options) -> Result<Exit, Failure> {
    let forms = [("--html", &options.html), ("--markdown", &options.markdown)];
    let is_on_stdout = output::one_on_stdout(&forms, options.json)?;
    let facts = match &options.from {
        Some(file) => read(file, options)?,
        None => audit(options)?,
    };
    if options.json {
        output::print_json(&facts)?;
    } else if !is_on_stdout {
        output::print(&audit_text(&facts))?;
    }
    // Files come last: one that cannot be written must not cost what was found out.
    if let Some(path) = &options.html {
        Destination::new(path, "--html").write(&forms::html(&facts)?)?;
    }
    if let Some(path) = &options.markdown {
        Destination::new(path, "--markdown").write(&forms::markdown(&facts))?;
    }
    Ok(match (audit_limit(&facts), &facts.ended) {
        (AuditLimit::Above, _) => Exit::Violated,
        (_, AuditEnd::Interrupted) | (AuditLimit::Undecided, _) => Exit::Unfinished,
        _ => Exit::Passed,
    })
}

/// Reads what an audit has written, and compares it with what is accepted now.
fn read(file: &Path, options: &Options) -> Result<AuditFacts, Failure> {
    let refuse = |why: String| {
        Failure::given(
            format!("the results of the audit cannot be read: {why}"),
            file.display(),
            "name a file written by pytest --probtest-audit --probtest-json or probtest audit --json",
        )
    };
    let text = std::fs::read_to_string(file).map_err(|error| refuse(error.to_string()))?;
    let facts: Result<AuditFacts, _> = serde_json::from_str(&text);
    let mut facts = facts.map_err(|error| refuse(error.to_string()))?;
    let settings = options.settings(RunSeed(0))?;
    let known = options.known.as_ref().map(|_| settings.known);
    accept(&mut facts, settings.max_rate, known)?;
    Ok(facts)
}

impl Options {
    /// What an audit with this seed is to find out.
    fn settings(&self, seed: RunSeed) -> Result<AuditSettings, Failure> {
        let given = [
            ("time", "--time", Some(&self.time)),
            ("max_rate", "--max-rate", self.max_rate.as_ref()),
            ("known", "--known", self.known.as_ref()),
            ("precision", "--precision", self.precision.as_ref()),
            ("confidence", "--confidence", self.confidence.as_ref()),
        ];
        let mut settings = AuditSettings::new(seed);
        settings.chains = false;
        for (name, flag, text) in given {
            if let Some(text) = text {
                settings.read(name, flag, text)?;
            }
        }
        Ok(settings)
    }
}

/// Executes the suite, as long as there is something to find out.
fn audit(options: &Options) -> Result<AuditFacts, Failure> {
    let seed = options.seed.as_deref().map(str::parse::<RunSeed>);
    let seed = seed.transpose()?;
    let mut settings = options.settings(seed.unwrap_or_else(RunSeed::fresh))?;
    let jobs = read_count(&options.jobs, 4096).map_err(|error| error.about("--jobs"))?;
    let timeout = options.timeout.as_deref().map(parse_duration);
    let timeout = timeout.transpose().map_err(|error| error.about("--timeout"))?;
    let suite = suite::find(&options.command)?;
    let say = |line: &str| {
        if !options.quiet {
            output::say(line);
        }
    };
    let folder = options.journal.as_deref();
    let named = suite.iter().map(|test| test.named(folder.is_some()));
    let tests: Vec<Named> = named.collect();
    let journal = folder.map(|folder| AuditJournal::open(folder, &tests, seed));
    let journal = journal.transpose()?;
    if let (None, Some(left)) = (seed, journal.as_ref().and_then(AuditJournal::seed)) {
        settings.seed = left;
    }
    let time = settings.time.unwrap_or(Duration::MAX);
    let mut audit = Audit::begin(tests, settings)?;
    if let Some(journal) = journal {
        journal.news().iter().for_each(|news| say(news));
        audit.keep(journal)?;
    }
    let limits = execute::Limits { jobs: jobs.max(1) as usize, time, timeout };
    let audit = execute::execute(audit, &suite, &limits, &say)?;
    Ok(audit.finish(|again| Some(suite[again.test].replay(again.seed))))
}
