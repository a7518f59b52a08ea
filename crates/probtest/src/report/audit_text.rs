//! What an audit says, in words.

use std::fmt::Write;

use probtest_facts::{
    AuditCause, AuditEnd, AuditFacts, AuditLimit, AuditOutcome, AuditedTest, Rate,
};

use super::words::{Section, plural, round_down, round_up};

/// One fact about a test, for text, Markdown and HTML.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditLine {
    /// What it is about.
    pub label: &'static str,
    /// The fact. What a test said stands in it as it was.
    pub value: String,
    /// Whether it is a line to copy, without a change.
    pub is_copied: bool,
}

/// Orders tests by what to look at first: the smallest number.
pub fn audit_rank(test: &AuditedTest) -> f64 {
    let rank = match (&test.outcome, &test.depends_on) {
        _ if fails_limit(test) => 0.0,
        (AuditOutcome::Fails, _) => 1.0,
        (AuditOutcome::FailsAlways, _) => 2.0,
        (AuditOutcome::NeverFailed, Some(AuditCause::EarlierExecutions)) => 3.0,
        (AuditOutcome::Unfinished, _) => 4.0,
        (AuditOutcome::NeverFailed, Some(AuditCause::Nothing)) => 7.0,
        (AuditOutcome::NeverFailed, _) => 5.0,
        (AuditOutcome::NotReached, _) => 6.0,
        (AuditOutcome::Claimed, _) => 8.0,
        _ => 9.0,
    };
    let within = test.rate.as_ref().map_or(0.0, |rate| match test.failed {
        0 => rate.high,
        _ => rate.low,
    });
    rank + 0.9 * (1.0 - within)
}

/// Whether a test is above the highest rate that is accepted, and was not known to be.
pub fn fails_limit(test: &AuditedTest) -> bool {
    test.limit == Some(AuditLimit::Above) && !test.known
}

/// How all tests that were not known compare with the highest rate that is accepted; below
/// where none is given.
pub fn audit_limit(facts: &AuditFacts) -> AuditLimit {
    let open = |test: &AuditedTest| test.limit == Some(AuditLimit::Undecided) && !test.known;
    match facts {
        facts if facts.audited.iter().any(fails_limit) => AuditLimit::Above,
        facts if facts.audited.iter().any(open) => AuditLimit::Undecided,
        _ => AuditLimit::Below,
    }
}

fn interval(rate: &Rate) -> String {
    format!("[{}, {}]", round_down(rate.low), round_up(rate.high))
}

fn counted(test: &AuditedTest) -> String {
    format!("{} of {}", test.failed, plural(test.executed, "execution"))
}

/// Says in one line how flaky a test is.
pub fn audit_summary(test: &AuditedTest) -> String {
    let alone = match test.depends_on {
        Some(AuditCause::EarlierExecutions) => " alone",
        _ => "",
    };
    let copies = test.depends_on == Some(AuditCause::Nothing);
    let mut text = match (&test.outcome, &test.rate) {
        (AuditOutcome::Fails, Some(rate)) => {
            let seen = round_down(rate.seen.unwrap_or_default());
            let (interval, counted) = (interval(rate), counted(test));
            format!("fails{alone} with rate {seen} {interval}: {counted} failed")
        }
        (AuditOutcome::FailsAlways, _) if copies => "fails always".into(),
        (AuditOutcome::FailsAlways, Some(rate)) if !test.decided => {
            let low = round_down(rate.low);
            format!(
                "has failed{alone} so far in {}: a rate above {low}",
                counted(test)
            )
        }
        (AuditOutcome::FailsAlways, Some(rate)) => {
            let low = round_down(rate.low);
            format!(
                "fails always{alone}: {} failed, a rate above {low}",
                counted(test)
            )
        }
        (AuditOutcome::NeverFailed, _) if copies => "passes".into(),
        (AuditOutcome::NeverFailed, Some(rate)) => {
            let (times, high) = (plural(test.executed, "execution"), round_up(rate.high));
            format!("never failed{alone} in {times}: a rate below {high}")
        }
        (AuditOutcome::Unfinished, _) => "did not end before the audit did".into(),
        (AuditOutcome::NotReached, _) => "not reached: the audit ended before".into(),
        (AuditOutcome::Skipped, _) => "skipped".into(),
        (AuditOutcome::Claimed, _) => {
            "has a claim of its own, which says how often it is executed".into()
        }
        (outcome, _) => outcome.to_string(),
    };
    let cause = match test.depends_on {
        Some(AuditCause::Seed) => "; depends on the seed",
        Some(AuditCause::EarlierExecutions) => "; depends on earlier executions",
        Some(AuditCause::SomethingElse) => "; depends on something else than the seed",
        Some(AuditCause::Nothing) => ", and all executions are copies: once is enough",
        _ => "",
    };
    text.push_str(cause);
    if test.expected > 0 {
        let _ = write!(text, "; {} failed as expected", test.expected);
    }
    text
}

/// What the result of a test depends on, in a sentence.
fn cause(test: &AuditedTest) -> Option<String> {
    let again = plural(test.repeated, "more execution");
    Some(match test.depends_on.as_ref()? {
        AuditCause::Seed => {
            format!("the seed: the same seed gave the same result in {again}")
        }
        AuditCause::EarlierExecutions => {
            "earlier executions: the same seed has one result alone in a fresh process, and another \
             after other executions of this test: look for state that outlives one"
                .into()
        }
        AuditCause::SomethingElse => {
            "something else: the same seed gave different results: look for time, threads, order, \
             files, the network, or randomness that has no seed"
                .into()
        }
        AuditCause::Nothing if test.fixed_seeds.is_empty() => {
            "nothing: no randomness was used".into()
        }
        AuditCause::Nothing => format!(
            "nothing: all randomness has the same seed in every execution ({})",
            test.fixed_seeds.join(", ")
        ),
        other => other.to_string(),
    })
}

/// Every fact about a test, in the order in which they are read.
pub fn audit_lines(test: &AuditedTest) -> Vec<AuditLine> {
    let mut lines = Vec::new();
    let mut put = |label, value: Option<String>, is_copied| {
        if let Some(value) = value {
            lines.push(AuditLine {
                label,
                value,
                is_copied,
            });
        }
    };
    put("result", Some(test.summary.clone()), false);
    put("depends", cause(test), false);
    let limit = match (&test.limit, test.known) {
        (Some(AuditLimit::Above), true) => {
            Some("above the highest rate that is accepted, and known")
        }
        (Some(AuditLimit::Above), false) => Some("above the highest rate that is accepted"),
        (Some(AuditLimit::Undecided), _) => {
            Some("not known to be below the highest rate that is accepted")
        }
        (Some(AuditLimit::Below), true) => {
            Some("known as flaky, and below the highest rate that is accepted")
        }
        _ => None,
    };
    put("limit", limit.map(String::from), false);
    put("message", test.message.clone(), false);
    put("seed", test.seed.clone(), false);
    put("replay", test.replay.clone(), true);
    if test.skipped > 0 && test.executed > 0 {
        put("skipped", Some(plural(test.skipped, "execution")), false);
    }
    lines
}

/// The answer in one line.
pub fn audit_headline(facts: &AuditFacts) -> String {
    let count = |wanted: fn(&AuditedTest) -> bool| {
        facts.audited.iter().filter(|test| wanted(test)).count() as u64
    };
    let flaky = count(|test| {
        test.outcome == AuditOutcome::Fails
            || (test.depends_on == Some(AuditCause::EarlierExecutions))
    });
    let all = plural(facts.audited.len() as u64, "test");
    let mut text = match flaky {
        0 => format!("no test of {all} was seen to be flaky"),
        1 => format!("1 of {all} is flaky"),
        _ => format!("{flaky} of {all} are flaky"),
    };
    match count(|test| {
        test.outcome == AuditOutcome::FailsAlways
            && test.depends_on != Some(AuditCause::EarlierExecutions)
    }) {
        0 => {}
        1 => text.push_str(", 1 fails always"),
        always => {
            let _ = write!(text, ", {always} fail always");
        }
    }
    text
}

/// What holds for the audit as a whole: label and words.
pub fn audit_totals(facts: &AuditFacts) -> Vec<(&'static str, String)> {
    let percent = 100.0 * facts.confidence;
    let mut totals = vec![
        (
            "executed",
            format!(
                "{} in {}, {:.1} s",
                plural(facts.executions, "execution"),
                match facts.processes {
                    1 => "1 process".into(),
                    count => format!("{count} processes"),
                },
                facts.seconds
            ),
        ),
        (
            "intervals",
            format!("all of them together hold the true rates with {percent} % confidence"),
        ),
    ];
    let open = facts.audited.iter().filter(|test| !test.decided).count() as u64;
    match facts.ended {
        AuditEnd::Time if open > 0 => totals.push((
            "ended",
            format!(
                "the time was over: {} not known as well as asked",
                plural(open, "test")
            ),
        )),
        AuditEnd::Interrupted => totals.push((
            "ended",
            format!(
                "interrupted: {} not known as well as asked",
                plural(open, "test")
            ),
        )),
        _ => {}
    }
    if let Some(most) = facts.max_rate {
        let above = facts
            .audited
            .iter()
            .filter(|test| fails_limit(test))
            .count() as u64;
        let undecided =
            |test: &&AuditedTest| test.limit == Some(AuditLimit::Undecided) && !test.known;
        let undecided = facts.audited.iter().filter(undecided).count() as u64;
        let words = match (above, undecided) {
            (0, 0) => "no test that was not known has a higher rate".into(),
            (0, open) => format!("{} may have a higher rate", plural(open, "test")),
            (1, _) => "1 test that was not known has a higher rate".into(),
            (above, _) => format!("{above} tests that were not known have a higher rate"),
        };
        totals.push(("max rate", format!("{most}: {words}")));
    }
    for name in &facts.unknown {
        totals.push((
            "known",
            format!("{name} is named as flaky, and there is no such test"),
        ));
    }
    totals.push(("seed", facts.seed.clone()));
    totals
}

/// Writes an audit for a terminal: the answer, the tests to look at, and the others in a line each.
pub fn audit_text(facts: &AuditFacts) -> String {
    let mut text = Section::begin(&audit_headline(facts));
    for (label, words) in audit_totals(facts) {
        text.fact(label, &words);
    }
    let mut text = text.text;
    let (loud, quiet): (Vec<_>, Vec<_>) = facts.audited.iter().partition(|test| needs_look(test));
    for test in loud {
        let mut section = Section::begin(&format!("\n{}", audit_name(test)));
        for line in audit_lines(test) {
            match line.is_copied {
                true => section.line(line.label, &line.value),
                false => section.fact(line.label, &short(&line.value)),
            }
        }
        text.push_str(&section.text);
    }
    for (number, test) in quiet.into_iter().enumerate() {
        let gap = if number == 0 { "\n" } else { "" };
        let _ = writeln!(text, "{gap}{}: {}", audit_name(test), test.summary);
    }
    text
}

/// Whether a test is told about in more than a line.
pub fn needs_look(test: &AuditedTest) -> bool {
    audit_rank(test) < 5.0
}

/// The name of a test, behind its place where it has one.
pub fn audit_name(test: &AuditedTest) -> String {
    match (&test.package, &test.target) {
        (Some(package), Some(target)) => format!("{package} {target}: {}", test.test),
        _ => test.test.clone(),
    }
}

/// What a test said, as far as a line goes, harmless for a terminal.
fn short(text: &str) -> String {
    const MOST: usize = 300;
    let line = text.trim().lines().next().unwrap_or_default();
    let shown = line
        .chars()
        .take(MOST)
        .map(|c| if c.is_control() { ' ' } else { c });
    shown.collect()
}
