//! `probtest audit`: how flaky is each test of a suite, and what does that depend on?
//!
//! `suite` finds the tests; here are the options, the executions, one process each, and the forms of
//! what was found. `probtest::audit` decides which test runs next, and what follows from it.

mod suite;

pub use suite::write_down;

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use askama::Template;
use probtest::audit::{
    Audit, AuditJournal, AuditSettings, NextOrder, Order, OrderResult, Outcome, accept,
};
use probtest::report::{
    AuditGroup, audit_entry, audit_groups, audit_headline, audit_limit, audit_lines, audit_name,
    audit_text, audit_totals,
};
use probtest::seed::RunSeed;
use probtest::settings::{parse_duration, read_count};
use probtest_facts::{AuditEnd, AuditFacts, AuditLimit, AuditedTest};

use crate::output::{self, Destination, Exit, Failure, unfinished};
use crate::program::{Background, Capture, Ending, ExecutionSeed, Reports, Running, Watchdog};
use crate::report::{STYLE, code, code_free, fill, one_line, policy, render};
use suite::CargoSuite;

/// The options that need executions.
const EXECUTING: [&str; 8] =
    ["command", "time", "precision", "confidence", "seed", "jobs", "timeout", "journal"];
/// How often the clock is looked at.
const TICK: Duration = Duration::from_millis(20);
/// What a comment may hold, in bytes, less its end.
const MOST: usize = 65_536 - 200;
/// The longest line of a cell.
const CELL: usize = 400;
/// The most tests that a page lists.
const MOST_LISTED: usize = 5000;

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
pub struct AuditOptions {
    /// How long the audit may take, such as 90s or 5m
    #[arg(long, value_name = "TIME", default_value = "60s", allow_negative_numbers = true)]
    time: String,
    /// Exit with code 1 if a test has a higher failure rate than this
    #[arg(long, value_name = "RATE", allow_negative_numbers = true)]
    max_rate: Option<String>,
    /// A file with the names of tests that may have a higher rate, one per line
    #[arg(long, value_name = "FILE")]
    known: Option<String>,
    /// How wide the interval of each test may be [default: 0.05]
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

pub fn run(options: &AuditOptions) -> Result<Exit, Failure> {
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
        Destination::new(path, "--html").write(&html(&facts)?)?;
    }
    if let Some(path) = &options.markdown {
        Destination::new(path, "--markdown").write(&markdown(&facts))?;
    }
    Ok(match (audit_limit(&facts), &facts.ended) {
        (AuditLimit::Above, _) => Exit::Violated,
        (_, AuditEnd::Interrupted) | (AuditLimit::Undecided, _) => Exit::Unfinished,
        _ => Exit::Passed,
    })
}

/// Reads what an audit has written, and compares it with what is accepted now.
fn read(file: &Path, options: &AuditOptions) -> Result<AuditFacts, Failure> {
    let refuse = |why: String| {
        Failure::given(
            format!("the results of the audit cannot be read: {why}"),
            file.display(),
            "name a file written by pytest --probtest-audit --probtest-json or probtest audit --json",
        )
    };
    let text = std::fs::read_to_string(file).map_err(|error| refuse(error.to_string()))?;
    // As in results, there may be a mark for the encoding before the text.
    let facts: Result<AuditFacts, _> = serde_json::from_str(text.trim_start_matches('\u{feff}'));
    let mut facts = facts.map_err(|error| refuse(error.to_string()))?;
    let settings = options.settings(RunSeed(0))?;
    let known = options.known.as_ref().map(|_| settings.known);
    accept(&mut facts, settings.max_rate, known)?;
    Ok(facts)
}

impl AuditOptions {
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
fn audit(options: &AuditOptions) -> Result<AuditFacts, Failure> {
    let seed = options.seed.as_deref().map(str::parse::<RunSeed>);
    let seed = seed.transpose()?;
    let mut settings = options.settings(seed.unwrap_or_else(RunSeed::fresh))?;
    let jobs = read_count(&options.jobs, 4096).map_err(|error| error.about("--jobs"))?;
    let timeout = options.timeout.as_deref().map(parse_duration);
    let timeout = timeout.transpose().map_err(|error| error.about("--timeout"))?;
    let suite = CargoSuite::find(&options.command)?;
    let say = |line: &str| {
        if !options.quiet {
            output::say(line);
        }
    };
    let folder = options.journal.as_deref();
    let tests = suite.named(folder.is_some());
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
    let running = Running::new(timeout);
    let audit = execute(audit, &suite, jobs.max(1), time, &running, &say)?;
    Ok(audit.finish(|again| Some(suite.replay(again.test, again.seed))))
}

/// Executes until the audit is done, its time is over or it is interrupted.
fn execute(
    audit: Audit,
    suite: &CargoSuite,
    jobs: u64,
    time: Duration,
    running: &Arc<Running>,
    say: &dyn Fn(&str),
) -> Result<Audit, Failure> {
    let _watch =
        Watchdog::start(running, false).map_err(unfinished("the audit could not start"))?;
    let began = Instant::now();
    let (shared, ended) = (Mutex::new(audit), Condvar::new());
    let changed = OnceLock::new();
    let locked = || shared.lock().unwrap_or_else(PoisonError::into_inner);
    let work = || {
        let mut audit = locked();
        loop {
            match audit.next(began.elapsed()) {
                NextOrder::Done => return,
                NextOrder::Wait => {
                    let waited = ended.wait_timeout(audit, TICK);
                    audit = waited.unwrap_or_else(PoisonError::into_inner).0;
                }
                NextOrder::Order(order) => {
                    drop(audit);
                    let made = make(suite, &order, running);
                    audit = locked();
                    match made {
                        Ok(made) => audit.observe(&order, made),
                        Err(binary) => {
                            audit.take_back(&order);
                            audit.interrupt();
                            running.stop();
                            let _ = changed.set(binary);
                        }
                    }
                    ended.notify_all();
                }
            }
        }
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..jobs).map(|_| scope.spawn(work)).collect();
        while !workers.iter().all(|worker| worker.is_finished()) {
            if running.cancel.is_cancelled() {
                locked().interrupt();
            }
            if began.elapsed() >= time {
                running.stop();
            }
            for test in locked().news() {
                say(&audit_entry(&test));
            }
            std::thread::sleep(TICK);
        }
    });
    if let Some(binary) = changed.get() {
        // Who asked for silence wants to know why there is so little.
        output::say(format_args!(
            "{} changed while the audit ran, so the audit stopped; start the audit again to measure the new code",
            binary.display()
        ));
    }
    Ok(shared.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// Executes an order: one execution, since each has a process of its own. Where the binary was
/// changed before or during it, nobody knows whose code was executed, and that binary is returned.
fn make<'a>(
    suite: &'a CargoSuite,
    order: &Order,
    running: &Arc<Running>,
) -> Result<OrderResult, &'a Path> {
    let is_same = || suite.changed(order.test).map_or(Ok(()), Err);
    is_same()?;
    let began = Instant::now();
    let told = ExecutionSeed { seed: order.seeds[0], execution: 1 };
    let executed = suite.program(order.test).map_err(|error| error.to_string());
    let executed = executed.and_then(|program| {
        Background::new(program, Arc::clone(running), Reports::default())
            .and_then(|background| background.execute(told, look))
            .map_err(|error| error.to_string())
    });
    let seen = executed.unwrap_or_else(|why| Some(Outcome::NotRun(why)));
    is_same()?;
    Ok(OrderResult {
        cut: seen.is_none(),
        seen: seen.into_iter().collect(),
        seconds: began.elapsed().as_secs_f64(),
        ..OrderResult::default()
    })
}

/// What an execution did; none where the audit has ended it.
fn look(ending: Ending, capture: &Capture) -> Option<Outcome> {
    if matches!(ending, Ending::Stopped) {
        return None;
    }
    if let Some(why) = ending.broken() {
        return Some(Outcome::NotRun(why));
    }
    let wrote = String::from_utf8_lossy(&capture.bytes()).into_owned();
    Some(match ending.violation(None) {
        Some(words) => Outcome::Failed(message(&wrote).unwrap_or(words)),
        None => passed(&capture.stdout_text()),
    })
}

/// What an execution did that ended with exit code 0, by what its harness wrote.
fn passed(stdout: &str) -> Outcome {
    // The harness has the last word: a test may write lines of others that it has started.
    let mut results = stdout.lines().rev();
    let result = results.find_map(|line| line.strip_prefix("test result: "));
    let begin = stdout.lines().find(|line| !line.is_empty());
    match (result, begin) {
        // A binary that knows no such test has executed nothing.
        (Some(result), _) if result.starts_with("ok. 0 passed") => {
            Outcome::NotRun("the binary lists the test but does not run it".into())
        }
        (None, Some("running 1 test")) => {
            Outcome::Failed("it exited with code 0 before the test had a result".into())
        }
        // Other harnesses may say nothing.
        _ => Outcome::Passed,
    }
}

/// What a test said when it failed, in one line: its panic with the place and with what another one
/// was expected to contain, or the error that it returned.
fn message(wrote: &str) -> Option<String> {
    let mut lines = wrote.lines();
    let panic = lines.find_map(|line| line.split_once("panicked at "));
    if let Some((_, place)) = panic {
        let said = lines.next().unwrap_or_default().trim();
        let expected = expected_panic(wrote)
            .map(|expected| format!("; the panic was expected to contain {expected}"));
        let (place, expected) = (place.trim_end_matches(':'), expected.unwrap_or_default());
        return Some(format!("{said}, at {place}{expected}"));
    }
    let said = ["Error: ", "note: test did not panic"];
    let is_said = |line: &&str| said.iter().any(|begin| line.starts_with(begin));
    wrote.lines().rev().find(is_said).map(|line| line.trim_start_matches("note: ").to_owned())
}

/// What the panic of a `should_panic` test did not contain, in quotes, as the harness writes it.
fn expected_panic(wrote: &str) -> Option<&str> {
    let begins =
        ["note: panic did not contain expected string", "note: expected panic with string"];
    let begin = begins.iter().filter_map(|begin| wrote.rfind(begin)).max()?;
    let mut lines = wrote[begin..].lines().take(4);
    let expected = lines.find_map(|line| line.trim_start().strip_prefix("expected substring: "))?;
    // Older harnesses put it in backticks.
    Some(expected.trim_matches('`'))
}

/// Writes the tests to look at with all that is known, and the others in a table.
fn markdown(facts: &AuditFacts) -> String {
    let mut page = format!("## probtest audit: {}\n\n", audit_headline(facts));
    for (label, words) in audit_totals(facts) {
        let _ = writeln!(page, "- *{label}:* {}", code_free(&words, CELL));
    }
    let mut pieces = Vec::new();
    for group in audit_groups(facts.audited.iter()) {
        if group.is_loud {
            pieces.extend(group.tests.into_iter().map(details));
        } else if !group.tests.is_empty() {
            let help = group.help.map(|help| format!("\n\n{help}"));
            let (title, help) = (group.title, help.unwrap_or_default());
            pieces.push(format!("\n### {title}{help}\n\n| test | result |\n|---|---|\n"));
            pieces.extend(group.tests.into_iter().map(|test| {
                let name = code(&audit_name(test), CELL);
                format!("| {name} | {} |\n", code_free(&test.summary, CELL))
            }));
        }
    }
    if fill(&mut page, MOST, pieces.into_iter()) > 0 {
        page.push_str(
            "\n**The rest is left out: a comment has no room for more.** The text report has everything.\n",
        );
    }
    page
}

fn details(test: &AuditedTest) -> String {
    let mut text = format!("\n### {}\n\n", code(&audit_name(test), CELL));
    for line in audit_lines(test) {
        let _ = writeln!(text, "- {}: {}", line.label, code_free(&line.value, CELL));
    }
    text
}

#[derive(Template)]
#[template(path = "audit.html")]
struct AuditPage<'a> {
    policy: String,
    style: &'static str,
    headline: String,
    totals: Vec<(&'static str, String)>,
    groups: [AuditGroup<'a>; 3],
    left_out: usize,
}

fn shown(text: impl AsRef<str>) -> String {
    one_line(text.as_ref(), CELL)
}

/// Writes one page that needs nothing else, with what to look at first at its beginning.
fn html(facts: &AuditFacts) -> Result<String, Failure> {
    let listed = facts.audited.iter().take(MOST_LISTED);
    render(&AuditPage {
        policy: policy(),
        style: STYLE,
        headline: audit_headline(facts),
        totals: audit_totals(facts),
        groups: audit_groups(listed),
        left_out: facts.audited.len().saturating_sub(MOST_LISTED),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_harness_did_not_say_is_not_made_up() {
        let none = "\nrunning 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored\n";
        assert!(matches!(passed(none), Outcome::NotRun(_)));
        assert_eq!(passed(""), Outcome::Passed);
        assert_eq!(message("nothing"), None);
    }
}
