//! Why there is no verdict, and what to do.

use super::Report;
use super::fit::impossible;
use super::words::{legible, words};
use crate::judge::{Doubt, Finding, Reason, Verdict};
use crate::settings::{TimeLimit, duration_text};

impl Report {
    /// Says why there is no verdict, and what to do about this claim.
    pub(super) fn why(&self, reason: &Reason) -> (String, String) {
        if self.counts.executed == 0 && self.counts.rejected > 0 {
            // The same for every claim: nothing was seen that one could judge.
            let before = match self.counts.rejected {
                1 => "an execution counted: the only attempt was rejected".to_owned(),
                count => format!("an execution counted: all {count} attempts were rejected"),
            };
            let ended = match reason {
                Reason::Time { limit } => Some((time_over(limit, &before), time_name(limit))),
                Reason::Cost { max_cost } => Some((spent(*max_cost, &before), "max_cost")),
                _ => None,
            };
            if let Some((why, limit)) = ended {
                let help = "draw inputs that meet the assumption, weaken it, or raise";
                return (why, format!("{help} {limit}"));
            }
        }
        if let Some(words) = words(self.claim()).why(reason, self.asked) {
            return words;
        }
        let (why, help): (String, &str) = match reason {
            // The claim has told how a budget ends it.
            Reason::Budget { .. } | Reason::Time { .. } | Reason::Cancelled => {
                ("stopped before the plan was finished".into(), "start the test again")
            }
            Reason::Cost { max_cost } => (
                format!("max_cost = {max_cost} was spent before the plan was finished"),
                "raise max_cost",
            ),
            Reason::Unavailable { index, kind, message, allowed, in_a_row } => {
                return unavailable(*index, kind, message, *allowed, *in_a_row);
            }
            Reason::Rejections { allowed, in_a_row: true } => (
                format!("one execution was rejected {allowed} times in a row"),
                match self.claim().inputs() {
                    None => "draw inputs that meet the assumption, or weaken it",
                    // After its first draw, a program that is rejected keeps its input.
                    Some(_) => {
                        "draw inputs that meet the assumption, or weaken it; check it before the program draws its first random number, because after that an execution keeps its input"
                    }
                },
            ),
            Reason::Rejections { allowed, .. } => (
                format!("{} rejections, {allowed} allowed", self.counts.rejected),
                "draw inputs that meet the assumption, weaken it, or raise max_rejections",
            ),
            Reason::Replayed { index } => (
                format!("execution {index} ran alone and did not violate"),
                "unset PROBTEST_REPLAY to test the claim",
            ),
            Reason::Broken { index, message } => (
                format!("execution {index} could not run: {message}"),
                "this says nothing about the program; fix the cause and start again",
            ),
            Reason::UnknownOutcome { index, outcome, listed } => {
                return unknown_outcome(*index, *outcome, *listed);
            }
            // A comparison has told how bad it is.
            Reason::NoRoom { .. } => (
                "the old version leaves no room for a worse one".into(),
                "compare with an old version that does better",
            ),
            // A claim on what is returned has told what it cannot read.
            Reason::Outside { index, .. } | Reason::Nothing { index } => (
                format!("execution {index} did not return what the claim is about"),
                "return what the claim is about from each execution",
            ),
            Reason::Doubt => {
                let what: Vec<String> = self.doubts.iter().map(Doubt::what).collect();
                return (
                    format!("it would pass in doubt, and the run is strict: {}", what.join("; ")),
                    "remove the cause of the doubt, or leave out strict".into(),
                );
            }
            Reason::TooRare(rare) => {
                return (
                    rare.words(),
                    format!(
                        "the test rarely reaches the case that it is about: draw it more often, or require less than {}",
                        rare.at_least.0
                    ),
                );
            }
            Reason::NotReached { limit } => {
                return (
                    over_before(time_name(limit), limit, "the first execution of this test"),
                    format!(
                        "this says nothing about the program; raise {}, or run fewer tests",
                        time_name(limit)
                    ),
                );
            }
            Reason::NoOutcome => (
                "the claim lists outcomes, but no execution reported one".into(),
                "report the number of the outcome, from 0, in each execution; to claim something without outcomes, give p",
            ),
            Reason::TwoResults { index } => (
                format!("the same execution gave two results: execution {index}"),
                "the program has randomness that its seed does not control, such as time, threads or the order of a hash; take it from `rng`",
            ),
        };
        (why, help.into())
    }

    /// Says why an execution that ran alone could not be judged, and what to do.
    pub fn refusal(&self) -> (String, String) {
        match &self.verdict {
            Verdict::Violated(Finding::Impossible { index, label }) => (
                format!(
                    "execution {index} returned {}, which has no probability",
                    impossible(label.as_deref())
                ),
                "list the label, leave room for others, or fix the program".into(),
            ),
            _ => self.reason().map_or_else(Default::default, |reason| self.why(reason)),
        }
    }
}

fn unavailable(
    index: u64,
    kind: &str,
    message: &str,
    allowed: u64,
    in_a_row: bool,
) -> (String, String) {
    let last = match message.lines().next().unwrap_or_default() {
        "" => kind.to_owned(),
        message => legible(message).into_owned(),
    };
    match in_a_row {
        true => (
            format!(
                "execution {index} failed because of its infrastructure more than {allowed} times in a row, last with {last}"
            ),
            "this says nothing about the program; try again when the service is up".into(),
        ),
        false => (
            format!(
                "more than {allowed} attempts failed because of their infrastructure, the last with {last}"
            ),
            "this says nothing about the program; lower rate or concurrency, or raise max_unavailable".into(),
        ),
    }
}

fn unknown_outcome(index: u64, outcome: Option<usize>, listed: usize) -> (String, String) {
    let returned = match outcome {
        Some(outcome) => format!("outcome {outcome}"),
        None => "an outcome that is not listed".into(),
    };
    if listed == 0 {
        return (
            format!("execution {index} returned {returned}, but the claim has no outcomes"),
            "list the probabilities of all outcomes in `outcomes`, or report none".into(),
        );
    }
    (
        format!(
            "execution {index} returned {returned}, but the claim lists the outcomes 0 to {}",
            listed - 1
        ),
        "list the outcome, or return None if it is not listed".into(),
    )
}

/// Why a budget ended a claim on violations, and what to do; `accept` says when what was
/// achieved can be accepted, and `asked` whether the test would.
pub(super) fn cut_plan(
    reason: &Reason,
    asked: bool,
    raise: &str,
    accept: &str,
) -> Option<(String, String)> {
    let help = |limit: &str| match (asked, accept) {
        (false, _) => format!(
            "raise {limit}, {raise} or epsilon, or accept what was achieved with on_budget = \"pass\"{accept}"
        ),
        (true, "") => format!(
            "raise {limit}, {raise} or epsilon: nothing was achieved that on_budget = \"pass\" could accept"
        ),
        (true, _) => format!(
            "raise {limit}, {raise} or epsilon: on_budget = \"pass\" accepts what was achieved only{}",
            accept.trim_start_matches(',')
        ),
    };
    match reason {
        Reason::Budget { max_executions } => Some((
            format!("max_executions = {max_executions} is below the plan"),
            help("max_executions"),
        )),
        Reason::Time { limit } => {
            Some((time_over(limit, "the plan was finished"), help(time_name(limit))))
        }
        Reason::Cost { max_cost } => {
            Some((spent(*max_cost, "the plan was finished"), help("max_cost")))
        }
        _ => None,
    }
}

/// Why a budget ended a claim that is decided as a whole, and what to do.
pub(super) fn cut_decision(reason: &Reason, raise: &str) -> Option<(String, String)> {
    let raise = |limit: &str| {
        format!(
            "raise {limit}, {raise}, epsilon or false_alarm; on_budget = \"pass\" is for claims on violations"
        )
    };
    match reason {
        Reason::Budget { max_executions } => Some((
            format!("max_executions = {max_executions} was reached before the decision"),
            raise("max_executions"),
        )),
        Reason::Time { limit } => Some((time_over(limit, "the decision"), raise(time_name(limit)))),
        Reason::Cost { max_cost } => Some((spent(*max_cost, "the decision"), raise("max_cost"))),
        _ => None,
    }
}

/// Why an execution without what the claim is about cannot be judged, and what to do.
pub(super) fn returned_nothing(reason: &Reason, noun: &str) -> Option<(String, String)> {
    let Reason::Nothing { index } = reason else {
        return None;
    };
    Some((
        format!("execution {index} returned no {noun}"),
        format!("return the {noun} that the claim is about from each execution"),
    ))
}

pub(super) fn spent(max_cost: f64, before: &str) -> String {
    format!("max_cost = {max_cost} was spent before {before}")
}

pub(super) fn time_over(limit: &TimeLimit, before: &str) -> String {
    // The time of a suite is shared: others may have some left.
    let share = match limit.of_suite {
        true => "this test's share of ",
        false => "",
    };
    over_before(&format!("{share}{}", time_name(limit)), limit, before)
}

fn over_before(name: &str, limit: &TimeLimit, before: &str) -> String {
    let duration = duration_text(limit.duration);
    format!("{name} = {duration} ran out before {before}")
}

pub(super) fn time_name(limit: &TimeLimit) -> &'static str {
    match limit.of_suite {
        true => "the suite's max_time",
        false => "max_time",
    }
}
