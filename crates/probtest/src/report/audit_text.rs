//! Texts about an audit.

use std::fmt::Write;

use probtest_facts::{
    AuditCause, AuditEnd, AuditFacts, AuditLimit, AuditOutcome, AuditedTest, Rate,
};

use super::words::{Section, legible, plural, round_down, round_up};

/// One fact about a test, for text, Markdown and HTML.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditLine {
    /// What it is about.
    pub label: &'static str,
    /// The fact. What a test said is in it as it was.
    pub value: String,
    /// Whether it is a line to copy, without a change.
    pub is_copied: bool,
}

/// Tests that are listed together.
#[derive(Clone, Debug)]
pub struct AuditGroup<'a> {
    /// What they have in common.
    pub title: &'static str,
    /// What to do about them.
    pub help: Option<&'static str>,
    /// Whether each gets more than one line.
    pub is_loud: bool,
    /// The tests.
    pub tests: Vec<&'a AuditedTest>,
}

/// The rank of tests with expected values: after those to look at, before all others.
const EXPECTED_VALUES: f64 = 5.0;

/// Lists tests: those to look at first, those with expected values, all others.
pub fn audit_groups<'a>(tests: impl Iterator<Item = &'a AuditedTest>) -> [AuditGroup<'a>; 3] {
    let group = |title, help, is_loud| AuditGroup { title, help, is_loud, tests: Vec::new() };
    let help = "These tests pass with the seeds in their code but fail with nearly all others: their expected \
                values came from those seeds. Leave them out when you vary seeds, or assert what \
                holds for every seed.";
    let mut groups = [
        group("Needs attention", None, true),
        group("Hard-coded expected values", Some(help), false),
        group("All others", None, false),
    ];
    for test in tests {
        let place = match audit_rank(test) {
            rank if rank < EXPECTED_VALUES => 0,
            rank if rank < EXPECTED_VALUES + 1.0 => 1,
            _ => 2,
        };
        groups[place].tests.push(test);
    }
    groups
}

/// Orders tests by what to look at first: the smallest number.
pub fn audit_rank(test: &AuditedTest) -> f64 {
    let rank = match (&test.outcome, &test.depends_on) {
        _ if fails_limit(test) => 0.0,
        (_, Some(AuditCause::ExpectedValues)) => EXPECTED_VALUES,
        (AuditOutcome::Fails, _) => 1.0,
        (AuditOutcome::FailsAlways, _) => 2.0,
        _ if test.own_seeds == Some(false) => 2.0,
        (AuditOutcome::NeverFailed, Some(AuditCause::EarlierExecutions)) => 3.0,
        _ if test.unnoticed > 0 => 3.0,
        (AuditOutcome::Unfinished | AuditOutcome::CouldNotRun, _) => 4.0,
        (AuditOutcome::NeverFailed, Some(AuditCause::Nothing)) => 8.0,
        (AuditOutcome::NeverFailed, _) => 6.0,
        (AuditOutcome::NotReached, _) => 7.0,
        (AuditOutcome::Claimed, _) => 9.0,
        _ => 10.0,
    };
    let within = test.rate.as_ref().map_or(0.0, |rate| match test.failed {
        0 => rate.high,
        _ => rate.low,
    });
    rank + 0.9 * (1.0 - within)
}

/// Whether a test is above the accepted rate, and was not known to be.
fn fails_limit(test: &AuditedTest) -> bool {
    test.limit == Some(AuditLimit::Above) && !test.known
}

/// Whether a test may be above the accepted rate, and was not known to be.
fn may_fail_limit(test: &AuditedTest) -> bool {
    test.limit == Some(AuditLimit::Undecided) && !test.known
}

/// How all tests that were not known compare with the highest rate that is accepted; below
/// where none is given.
pub fn audit_limit(facts: &AuditFacts) -> AuditLimit {
    // Where nothing was looked at, nothing is known.
    let is_empty = facts.audited.is_empty() && facts.max_rate.is_some();
    if facts.audited.iter().any(fails_limit) {
        AuditLimit::Above
    } else if is_empty || facts.audited.iter().any(may_fail_limit) {
        AuditLimit::Undecided
    } else {
        AuditLimit::Below
    }
}

/// Counts executions, and the interpreters that they were spread over.
fn executions(test: &AuditedTest) -> String {
    let times = plural(test.executed, "execution");
    match test.interpreters {
        0 => times,
        _ if test.depends_on == Some(AuditCause::Interpreter) => {
            plural(test.executed, "interpreter")
        }
        count => format!("{times} in {}", plural(count, "interpreter")),
    }
}

/// Says in one line how flaky a test is.
pub fn audit_summary(test: &AuditedTest) -> String {
    let alone = match test.depends_on {
        Some(AuditCause::EarlierExecutions) => " alone",
        _ => "",
    };
    let copies = test.depends_on == Some(AuditCause::Nothing);
    let Rate { seen, low, high, .. } = test.rate.unwrap_or_default();
    let (low, high) = (round_down(low), round_up(high));
    let times = executions(test);
    let counted = format!("{} of {times}", test.failed);
    let mut text = match (&test.outcome, &test.rate) {
        (_, Some(_)) if test.depends_on == Some(AuditCause::ExpectedValues) => format!(
            "passes with its own seeds but fails with nearly all others: {counted} failed, a rate above {low}"
        ),
        (AuditOutcome::Fails, Some(_)) if test.failed == 0 => format!(
            "never failed as the first execution of a process ({counted} failed, a rate below {high}), but did as a later one"
        ),
        (AuditOutcome::Fails, Some(_)) => {
            let seen = round_down(seen.unwrap_or_default());
            let failed = match test.depends_on {
                Some(AuditCause::Interpreter) => format!("it failed in {counted}"),
                _ => format!("{counted} failed"),
            };
            format!("fails{alone} with rate {seen} [{low}, {high}]: {failed}")
        }
        (AuditOutcome::FailsAlways, _) if copies => "always fails".into(),
        (AuditOutcome::FailsAlways, Some(_)) if !test.decided => {
            format!("has failed{alone} so far in {counted}: a rate above {low}")
        }
        (AuditOutcome::FailsAlways, Some(_)) => {
            format!("always fails{alone}: {counted} failed, a rate above {low}")
        }
        (AuditOutcome::NeverFailed, _) if copies => "passes".into(),
        (AuditOutcome::NeverFailed, Some(_)) => {
            format!("never failed{alone} in {times}: a rate below {high}")
        }
        (AuditOutcome::Unfinished, _) => "did not finish before the audit ended".into(),
        (AuditOutcome::NotReached, _) => "not reached before the audit ended".into(),
        (outcome @ (AuditOutcome::Skipped | AuditOutcome::CouldNotRun), _) => {
            let what = match outcome {
                AuditOutcome::Skipped => "skipped",
                _ => "could not run",
            };
            test.message.as_deref().map_or(what.into(), |why| format!("{what}: {}", short(why)))
        }
        (AuditOutcome::Claimed, _) => "has its own claim, which decides how often it runs".into(),
        (outcome, _) => outcome.to_string(),
    };
    text.push_str(match test.depends_on {
        Some(AuditCause::Seed) => "; depends on the seed",
        Some(AuditCause::EarlierExecutions) => "; depends on earlier executions",
        Some(AuditCause::SomethingElse) => "; depends on something other than the seed",
        Some(AuditCause::Interpreter) => "; depends on the hash seed or on what is drawn on import",
        Some(AuditCause::Nothing) => ", and all executions are the same",
        _ => "",
    });
    if copies && test.interpreters > 0 {
        let _ = write!(text, " in {}", plural(test.interpreters, "interpreter"));
    }
    if test.not_run > 0 && test.executed > 0 {
        let _ = write!(text, "; {} more could not run", test.not_run);
    }
    if test.unended > 0 && test.executed > 0 {
        let (count, seconds) = (test.unended, test.unended_seconds);
        let after = if count > 1 { "up to " } else { "" };
        let _ = write!(text, "; {count} still running at the end, after {after}{seconds:.1} s");
    }
    if test.uncollected > 0 && test.interpreters > 0 {
        let count = plural(test.uncollected, "more interpreter");
        let _ = write!(text, "; {count} did not collect it");
    }
    if test.unnoticed > 0 {
        let times = plural(test.unnoticed, "execution");
        let _ = write!(text, "; something failed unnoticed in {times}");
    }
    if test.expected > 0 {
        let _ = write!(text, "; {} failed as expected", test.expected);
    }
    text
}

/// Says in how many interpreters a test did something.
fn spread(test: &AuditedTest, did: &str) -> String {
    match test.interpreters {
        0 => String::new(),
        1 => "; only 1 interpreter ran it, so the hash seed and what is drawn on import were not varied".into(),
        count => format!("; {did} in {count} interpreters"),
    }
}

/// What the result of a test depends on, in a sentence.
fn cause(test: &AuditedTest) -> Option<String> {
    let same = spread(test, "it did the same");
    Some(match test.depends_on.as_ref()? {
        AuditCause::Seed => {
            let (again, ran) = (plural(test.repeated, "more execution"), spread(test, "the test ran"));
            format!("the seed: the same seed gave the same result in {again}{ran}")
        }
        AuditCause::Interpreter => {
            "the hash seed, or what is drawn on import: within an interpreter the same seed always gave \
             the same result, but interpreters differ; look for code that depends on the order of a \
             set, and for random numbers at module level"
                .into()
        }
        AuditCause::EarlierExecutions => {
            "earlier executions: in a fresh process the same seed gives a different result than \
             after other executions of this test; look for state that survives an execution"
                .into()
        }
        AuditCause::SomethingElse => {
            "something else: the same seed gave different results; look for time, threads, \
             order, files, the network, or randomness without a seed"
                .into()
        }
        AuditCause::ExpectedValues => {
            "the seeds in its code: it passes with them but fails with nearly all others".into()
        }
        AuditCause::Nothing if test.fixed_seeds.is_empty() => {
            format!("nothing: no randomness was used{same}")
        }
        AuditCause::Nothing => format!(
            "nothing: all randomness has the same seed in every execution ({}){same}",
            test.fixed_seeds.join(", ")
        ),
        other => other.to_string(),
    })
}

/// Every fact about a test, in the order in which they are read.
pub fn audit_lines(test: &AuditedTest) -> Vec<AuditLine> {
    let limit = match (&test.limit, test.known) {
        (Some(AuditLimit::Above), true) => Some("above the accepted rate, but listed as known"),
        (Some(AuditLimit::Above), false) => Some("above the accepted rate"),
        (Some(AuditLimit::Undecided), _) => Some("may be above the accepted rate"),
        (Some(AuditLimit::Below), true) => Some("listed as known, but below the accepted rate"),
        _ => None,
    };
    let own = match test.own_seeds {
        Some(true) if test.failed > 0 => Some("passes with the seeds in its code"),
        Some(false) => Some("fails with the seeds in its code"),
        _ => None,
    };
    let skipped = test.skipped > 0 && test.executed > 0;
    let lines = [
        ("result", Some(test.summary.clone())),
        ("depends", cause(test)),
        ("limit", limit.map(String::from)),
        ("own seeds", own.map(String::from)),
        ("message", test.message.clone()),
        ("unnoticed", test.unnoticed_message.clone()),
        ("seed", test.seed.clone()),
        ("replay", test.replay.clone()),
        ("skipped", skipped.then(|| plural(test.skipped, "execution"))),
    ];
    let line = |(label, value): (&'static str, Option<String>)| {
        Some(AuditLine { label, value: value?, is_copied: label == "replay" })
    };
    lines.into_iter().filter_map(line).collect()
}

/// The answer in one line.
pub fn audit_headline(facts: &AuditFacts) -> String {
    let count = |wanted: fn(&AuditedTest) -> bool| {
        facts.audited.iter().filter(|test| wanted(test)).count() as u64
    };
    let flaky = count(|test| match test.depends_on {
        Some(AuditCause::EarlierExecutions) => true,
        Some(AuditCause::ExpectedValues) => false,
        _ => test.outcome == AuditOutcome::Fails,
    });
    let all = plural(facts.audited.len() as u64, "test");
    // These may still turn out to be flaky, or not to fail always.
    let open = count(|test| match test.outcome {
        AuditOutcome::NotReached | AuditOutcome::Unfinished | AuditOutcome::CouldNotRun => true,
        AuditOutcome::FailsAlways | AuditOutcome::NeverFailed => {
            (!test.decided || test.not_run > 0)
                && test.depends_on != Some(AuditCause::EarlierExecutions)
        }
        _ => false,
    });
    let mut text = match flaky {
        0 if open > 0 => format!("none of {all} is known to be flaky"),
        0 => format!("none of {all} was flaky"),
        1 => format!("1 of {all} is flaky"),
        _ => format!("{flaky} of {all} are flaky"),
    };
    let always = count(|test| {
        test.outcome == AuditOutcome::FailsAlways
            && test.decided
            && test.depends_on != Some(AuditCause::EarlierExecutions)
    });
    let values = count(|test| test.depends_on == Some(AuditCause::ExpectedValues));
    for (count, one, more) in [
        (always, "always fails", "always fail"),
        (values, "has hard-coded expected values", "have hard-coded expected values"),
        (open, "not decided yet", "not decided yet"),
    ] {
        if count > 0 {
            let _ = write!(text, ", {count} {}", if count == 1 { one } else { more });
        }
    }
    text
}

/// What holds for the audit as a whole: label and words.
pub fn audit_totals(facts: &AuditFacts) -> Vec<(&'static str, String)> {
    let percent = 100.0 * facts.confidence;
    // What an interpreter decides that was not started is not known.
    let among = match facts.interpreters {
        0 => "",
        _ => ", among the interpreters that ran the tests",
    };
    let (executions, seconds) = (plural(facts.executions, "execution"), facts.seconds);
    let (processes, es) = (facts.processes, if facts.processes == 1 { "" } else { "es" });
    let mut totals = vec![
        ("executed", format!("{executions} in {processes} process{es}, {seconds:.1} s")),
        (
            "intervals",
            format!("with {percent} % confidence, every interval contains its true rate{among}"),
        ),
    ];
    totals.extend(started(facts).map(|words| ("started", words)));
    let open = facts.audited.iter().filter(|test| !test.decided).count() as u64;
    let ended = match facts.ended {
        AuditEnd::Time if open > 0 => Some("out of time"),
        AuditEnd::Interrupted => Some("interrupted"),
        _ => None,
    };
    totals.extend(ended.map(|why| {
        let open = plural(open, "test");
        ("ended", format!("{why}: {open} not yet measured to the precision you asked for"))
    }));
    if let Some(most) = facts.max_rate {
        let above = facts.audited.iter().filter(|test| fails_limit(test)).count() as u64;
        let undecided = facts.audited.iter().filter(|test| may_fail_limit(test)).count() as u64;
        // Besides those that are known to be flaky, where some are.
        let test = match facts.audited.iter().any(|test| test.known) {
            true => "other test",
            false => "test",
        };
        let words = match (above, undecided) {
            (0, 0) => format!("no {test} has a higher rate"),
            (0, open) => format!("{} may have a higher rate", plural(open, test)),
            (1, _) => format!("1 {test} has a higher rate"),
            (above, _) => format!("{} have a higher rate", plural(above, test)),
        };
        totals.push(("max rate", format!("{most}: {words}")));
    }
    totals.extend(facts.unknown.iter().map(|name| {
        let name = legible(name);
        ("known", format!("{name} is listed as known, but no test with this name was audited"))
    }));
    totals.push(("seed", facts.seed.clone()));
    totals
}

/// Says what was varied by starting interpreters, where that was done.
fn started(facts: &AuditFacts) -> Option<String> {
    let imports = "its own random numbers on import";
    Some(match (facts.interpreters, facts.hash_seed) {
        (0, _) => return None,
        (1, _) => "only 1 interpreter, so the hash seed and the random numbers drawn on import were not varied".into(),
        (count, Some(seed)) => {
            format!("{count} interpreters, each with {imports}; all have your PYTHONHASHSEED={seed}")
        }
        (count, None) => format!("{count} interpreters, each with its own hash seed and {imports}"),
    })
}

/// Writes an audit for a terminal: the answer, the tests to look at, and the others in a line each.
pub fn audit_text(facts: &AuditFacts) -> String {
    let mut section = Section::begin(&audit_headline(facts));
    for (label, words) in audit_totals(facts) {
        section.fact(label, &words);
    }
    let [loud, expecting, others] = audit_groups(facts.audited.iter());
    for test in loud.tests {
        let _ = writeln!(section.text, "\n{}", legible(&audit_name(test)));
        for line in audit_lines(test) {
            match line.is_copied {
                true => section.line(line.label, &line.value),
                false => section.fact(line.label, &short(&line.value)),
            }
        }
    }
    let mut text = section.text;
    for group in [expecting, others].iter().filter(|group| !group.tests.is_empty()) {
        text.push('\n');
        if let Some(help) = group.help {
            let _ = writeln!(text, "{}\n  {help}", group.title);
        }
        for test in &group.tests {
            let _ = writeln!(text, "{}", audit_entry(test));
        }
    }
    text
}

/// Says in one line which test it is and how flaky, harmless for a terminal.
pub fn audit_entry(test: &AuditedTest) -> String {
    let summary = test.summary.replace(char::is_control, " ");
    format!("{}: {summary}", legible(&audit_name(test)))
}

/// The full name of a test: after its package and target where they are known.
pub fn audit_name(test: &AuditedTest) -> String {
    full_name(test.package.as_deref(), test.target.as_deref(), &test.test)
}

/// The full name of a test in a target of a package.
pub fn full_name(package: Option<&str>, target: Option<&str>, test: &str) -> String {
    match (package, target) {
        (Some(package), Some(target)) => format!("{package} {target}: {test}"),
        _ => test.to_owned(),
    }
}

/// What a test said, as far as a line goes, harmless for a terminal.
fn short(text: &str) -> String {
    const MOST: usize = 300;
    let line = text.trim().lines().next().unwrap_or_default();
    let shown = line.chars().take(MOST).map(|c| if c.is_control() { ' ' } else { c });
    shown.collect()
}
