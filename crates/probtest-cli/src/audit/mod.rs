//! `probtest audit`: how flaky is each test of a suite, and what does that depend on?
//!
//! options -> suite (which tests there are) -> execute (one process for each execution) -> forms
//!
//! Which test is executed when, and what follows from it, says `probtest::audit`.

mod execute;
mod forms;
mod suite;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use probtest::audit::{Audit, AuditJournal, AuditSettings};
use probtest::machine::code_key;
use probtest::report::{audit_limit, audit_text};
use probtest::seed::RunSeed;
use probtest::settings::{parse_duration, read_count};
use probtest_facts::{AuditEnd, AuditFacts, AuditLimit};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::output;
use crate::report::Destination;

/// Executes every test of a cargo suite again and again, and says how flaky each is and what
/// that depends on
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Time goes to the tests that are not yet known well enough. Each execution is a process of its
own and finds its seed in the environment as PROBTEST_SEED. Ctrl-C ends the audit with what is known.

With --max-rate the exit code is 1 if a test has a higher rate and is not in the file of --known, and
3 if one may have.

Examples:
  probtest audit --time 5m -- cargo test
  probtest audit --max-rate 0.01 --known flaky.txt -- cargo test -p walks
  probtest audit --from audit.json --html audit.html"
)]
pub struct Options {
    /// How long the audit may take, such as 90s or 5m
    #[arg(
        long,
        value_name = "TIME",
        default_value = "60s",
        allow_negative_numbers = true
    )]
    time: String,
    /// End with exit code 1 if a test has a higher failure rate than this
    #[arg(long, value_name = "RATE", allow_negative_numbers = true)]
    max_rate: Option<String>,
    /// A file of tests that may have a higher rate, the name of one in each line
    #[arg(long, value_name = "FILE")]
    known: Option<String>,
    /// The width of an interval that is narrow enough [default: 0.05]
    #[arg(long, value_name = "WIDTH", allow_negative_numbers = true)]
    precision: Option<String>,
    /// How often all intervals together hold the true rates, at least [default: 0.95]
    #[arg(long, value_name = "CONFIDENCE", allow_negative_numbers = true)]
    confidence: Option<String>,
    /// The seed that those of all executions are derived from [default: a fresh one]
    #[arg(long, value_name = "SEED", allow_negative_numbers = true)]
    seed: Option<String>,
    /// How many executions run at the same time
    #[arg(
        short,
        long,
        value_name = "N",
        default_value = "1",
        allow_negative_numbers = true
    )]
    jobs: String,
    /// Kill an execution that takes longer, such as 5s; it has failed [default: no limit]
    #[arg(long, value_name = "TIME", allow_negative_numbers = true)]
    timeout: Option<String>,
    /// Keep what is observed in a folder, and go on there after an audit that was stopped
    #[arg(long, value_name = "FOLDER")]
    journal: Option<PathBuf>,
    /// Execute nothing: tell what an audit has written as JSON, such as that of pytest
    #[arg(long, value_name = "FILE", conflicts_with = "command")]
    from: Option<PathBuf>,
    /// Write one HTML page that needs nothing else
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write Markdown that fits a pull-request comment, to FILE or stdout
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "-")]
    markdown: Option<PathBuf>,
    /// Write the facts as one JSON object to stdout
    #[arg(long)]
    pub json: bool,
    /// Say nothing while the tests are executed
    #[arg(short, long)]
    quiet: bool,
    /// The command of the suite, behind `--`: cargo test with its options
    #[arg(last = true, value_name = "COMMAND", required_unless_present = "from")]
    command: Vec<String>,
}

pub fn run(options: &Options) -> Result<Exit, Failure> {
    let dash = |path: &Option<PathBuf>| path.as_ref().is_some_and(|path| path.as_os_str() == "-");
    let on_stdout = [
        dash(&options.html).then_some("--html -"),
        dash(&options.markdown).then_some("--markdown"),
        options.json.then_some("--json"),
    ];
    let is_on_stdout = Destination::one_on_stdout(&on_stdout)?;
    let facts = match &options.from {
        Some(file) => read(file)?,
        None => audit(options)?,
    };
    if let Some(path) = &options.html {
        Destination::new(path, "--html").write(&forms::html(&facts)?)?;
    }
    if let Some(path) = &options.markdown {
        Destination::new(path, "--markdown").write(&forms::markdown(&facts))?;
    }
    if options.json {
        output::print_json(&facts)?;
    } else if !is_on_stdout {
        output::print(&audit_text(&facts))?;
    }
    Ok(match (audit_limit(&facts), &facts.ended) {
        (AuditLimit::Above, _) => Exit::Violated,
        (_, AuditEnd::Interrupted) | (AuditLimit::Undecided, _) => Exit::Unfinished,
        _ => Exit::Passed,
    })
}

/// Reads what an audit has written.
fn read(file: &Path) -> Result<AuditFacts, Failure> {
    let refuse = |why: String| {
        Failure::given(
            format!("the facts of an audit cannot be read: {why}"),
            file.display(),
            "name a file that pytest --probtest-audit --probtest-json or probtest audit --json wrote",
        )
    };
    let text = std::fs::read_to_string(file).map_err(|error| refuse(error.to_string()))?;
    serde_json::from_str(&text).map_err(|error| refuse(error.to_string()))
}

/// Executes the suite, as long as there is something to find out.
fn audit(options: &Options) -> Result<AuditFacts, Failure> {
    let given = [
        ("time", "--time", Some(&options.time)),
        ("max_rate", "--max-rate", options.max_rate.as_ref()),
        ("known", "--known", options.known.as_ref()),
        ("precision", "--precision", options.precision.as_ref()),
        ("confidence", "--confidence", options.confidence.as_ref()),
    ];
    let seed = options.seed.as_deref().map(str::parse::<RunSeed>);
    let seed = seed.transpose()?;
    let mut settings = AuditSettings::new(seed.unwrap_or_else(RunSeed::fresh));
    settings.chains = false;
    for (name, flag, text) in given {
        if let Some(text) = text {
            settings.read(name, flag, text)?;
        }
    }
    let jobs = read_count(&options.jobs, 4096).map_err(|error| error.about("--jobs"))?;
    let timeout = options.timeout.as_deref().map(parse_duration);
    let timeout = timeout
        .transpose()
        .map_err(|error| error.about("--timeout"))?;
    let suite = suite::find(&options.command)?;
    let journal = open_journal(options, &suite)?;
    if let (None, Some(left)) = (seed, journal.as_ref().and_then(AuditJournal::seed)) {
        settings.seed = left;
    }
    let time = settings.time.unwrap_or(Duration::MAX);
    let mut audit = Audit::begin(suite.iter().map(suite::Test::named).collect(), settings)?;
    if let Some(journal) = journal {
        audit.keep(journal)?;
    }
    let say = |line: &str| {
        if !options.quiet {
            // A closed stderr is no reason to stop.
            let _ = writeln!(std::io::stderr(), "probtest: {line}");
        }
    };
    let limits = execute::Limits {
        jobs: jobs.max(1) as usize,
        time,
        timeout,
    };
    let audit = execute::execute(audit, &suite, &limits, &say)?;
    Ok(audit.finish(|test, seed| suite[test].replay(seed)))
}

/// Opens the journal; what it holds counts as long as the binaries are the same.
fn open_journal(options: &Options, suite: &[suite::Test]) -> Result<Option<AuditJournal>, Failure> {
    let Some(folder) = &options.journal else {
        return Ok(None);
    };
    let mut binaries: Vec<PathBuf> = suite.iter().map(|test| test.binary().to_owned()).collect();
    binaries.dedup();
    let code = code_key(&binaries).map_err(|error| {
        Failure::unfinished(format!("a binary of the suite cannot be read: {error}"))
    })?;
    Ok(Some(AuditJournal::open(folder, &code)?))
}
