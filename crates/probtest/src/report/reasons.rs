//! Besides the verdict: why there is none, doubts, notes, and earlier counterexamples.

use std::borrow::Cow;

use probtest_facts::{self as form, DoubtKind, NoteKind, ReasonKind};

use super::facts::violation_facts;
use super::returned::returned_impossible;
use super::words::{legible, plural, words};
use super::{Note, Remembered, Report};
use crate::judge::{Doubt, Finding, Reason, Verdict};
use crate::seed::Address;
use crate::settings::{TimeLimit, duration_text};

impl Report {
    /// Says why there is no verdict, and what to do about this claim.
    pub(super) fn why(&self, reason: &Reason) -> (String, String) {
        let names = self.names;
        if let Reason::Time { .. } | Reason::Cost { .. } = reason
            && self.counts.executed == 0
            && self.counts.rejected > 0
        {
            // The same for every claim: nothing was seen that one could judge.
            let before = match self.counts.rejected {
                1 => "an execution counted: the only attempt was rejected".to_owned(),
                count => format!("an execution counted: all {count} attempts were rejected"),
            };
            let (why, limit) = ended(reason, &before, names).unwrap_or_default();
            let help = "draw inputs that meet the assumption, weaken it, or raise";
            return (why, format!("{help} {limit}"));
        }
        if let Some(words) = words(self.claim()).why(reason, self) {
            return words;
        }
        let (why, help): (String, &str) = match reason {
            // All but the last have words of the claim.
            Reason::Budget { .. }
            | Reason::Time { .. }
            | Reason::Cost { .. }
            | Reason::NoRoom { .. }
            | Reason::Cancelled => {
                ("stopped before the plan was finished".into(), "run the test again")
            }
            Reason::Unavailable { index, kind, message, allowed, in_a_row } => {
                let last = match message.lines().next().unwrap_or_default() {
                    "" => kind.into(),
                    message => legible(message),
                };
                match in_a_row {
                    true => (
                        format!(
                            "the infrastructure of execution {index} failed more than {allowed} times in a row, last with {last}"
                        ),
                        "this says nothing about the program; try again when the service is up",
                    ),
                    false => {
                        let help = format!(
                            "this says nothing about the program; lower {} or {}, or raise {}",
                            names.name("rate"),
                            names.name(if names.flags { "jobs" } else { "concurrency" }),
                            names.name("max_unavailable"),
                        );
                        let why = format!(
                            "the infrastructure failed in more than {allowed} attempts, last with {last}"
                        );
                        return (why, help);
                    }
                }
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
                format!("{} rejections, more than the {allowed} allowed", self.counts.rejected),
                "draw inputs that meet the assumption, weaken it, or raise max_rejections",
            ),
            Reason::Replayed { index } => (
                format!("execution {index} ran alone and did not violate"),
                "unset PROBTEST_REPLAY to test the claim",
            ),
            Reason::Broken { index, message } => (
                format!("execution {index} could not run: {message}"),
                "this says nothing about the program; fix the cause and run it again",
            ),
            Reason::UnknownOutcome { index, outcome, listed } => {
                let returned = match outcome {
                    Some(outcome) => format!("outcome {outcome}"),
                    None => "an outcome that is not listed".into(),
                };
                match listed.checked_sub(1) {
                    None => (
                        format!(
                            "execution {index} returned {returned}, but the claim has no outcomes"
                        ),
                        "list the probabilities of all outcomes in `outcomes`, or report no outcome",
                    ),
                    Some(last) => (
                        format!(
                            "execution {index} returned {returned}, but the claim lists the outcomes 0 to {last}"
                        ),
                        "add it to the list, or return None for an outcome that is not listed",
                    ),
                }
            }
            // A claim on what is returned has words for what it cannot read.
            Reason::Outside { index, .. } | Reason::Nothing { index } => (
                format!("execution {index} did not return what the claim is about"),
                "make each execution return what the claim is about",
            ),
            Reason::Doubt => {
                let what: Vec<String> = self.doubts.iter().map(Doubt::what).collect();
                return (
                    format!("it would pass in doubt, and the run is strict: {}", what.join("; ")),
                    format!("remove the cause of the doubt, or leave out {}", names.name("strict")),
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
                let name = time_name(limit, names);
                return (
                    over_before(limit, "the first execution of this test", names),
                    format!(
                        "this says nothing about the program; raise {name}, or run fewer tests"
                    ),
                );
            }
            Reason::NoOutcome => (
                "the claim lists outcomes, but no execution reported one".into(),
                "report the number of the outcome, from 0, in each execution; for a claim without outcomes, give p",
            ),
            Reason::TwoResults { index } => (
                format!("execution {index} gave two different results"),
                "the result depends on something that the seed does not control, such as time, threads or hash order; draw it from `rng`",
            ),
        };
        (why, help.into())
    }

    /// Says why a replayed execution couldn't be judged, and what to do.
    pub fn refusal(&self) -> (String, String) {
        match &self.verdict {
            Verdict::Violated(Finding::Impossible { index, label }) => (
                returned_impossible(*index, label.as_deref()),
                "list the label, leave room for others, or fix the program".into(),
            ),
            _ => self.reason().map_or_else(Default::default, |reason| self.why(reason)),
        }
    }
}

/// How options are called: `max_time`, or `--max-time` where they are flags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct OptionNames {
    pub(crate) flags: bool,
}

impl OptionNames {
    pub(super) fn name(self, name: &'static str) -> Cow<'static, str> {
        match self.flags {
            true => format!("--{}", name.replace('_', "-")).into(),
            false => name.into(),
        }
    }

    fn set(self, name: &'static str, value: impl std::fmt::Display) -> String {
        let between = if self.flags { " " } else { " = " };
        format!("{}{between}{value}", self.name(name))
    }

    /// The option that accepts what was achieved.
    pub(super) fn accepting(self) -> String {
        self.set("on_budget", if self.flags { "pass" } else { "\"pass\"" })
    }
}

/// Why a budget ended a claim on violations, and what to do. `raise` is what to raise besides the
/// limit; `accept` says when what was achieved can be accepted.
pub(super) fn cut_plan(
    reason: &Reason,
    report: &Report,
    raise: &str,
    accept: &str,
) -> Option<(String, String)> {
    let names = report.names;
    let (epsilon, pass) = (names.name("epsilon"), names.accepting());
    let (why, limit) = match reason {
        Reason::Budget { max_executions } => {
            let given = names.set("max_executions", max_executions);
            (format!("{given} is below the plan"), names.name("max_executions"))
        }
        _ => ended(reason, "the plan was finished", names)?,
    };
    let raise = format!("raise {limit}, {raise} or {epsilon}");
    let help = match (report.asked, accept) {
        (false, "") if report.counts.executed < 2 => raise,
        (false, _) => format!("{raise}, or accept what was achieved with {pass}{accept}"),
        (true, "") => format!("{raise}; so far there is nothing for {pass} to accept"),
        (true, _) => {
            let only = accept.trim_start_matches(',');
            format!("{raise}: {pass} accepts what was achieved only{only}")
        }
    };
    Some((why, help))
}

/// Why a budget ended a claim that is decided as a whole, and what to do.
pub(super) fn cut_decision(
    reason: &Reason,
    report: &Report,
    raise: &str,
) -> Option<(String, String)> {
    let names = report.names;
    let (why, limit) = ended(reason, "the decision", names)?;
    let (epsilon, alarm, pass) =
        (names.name("epsilon"), names.name("false_alarm"), names.accepting());
    let help = format!(
        "raise {limit}, {raise}, {epsilon} or {alarm}; {pass} only works for claims on violations"
    );
    Some((why, help))
}

/// Which limit ended a test before something, and its name.
pub(super) fn ended(
    reason: &Reason,
    before: &str,
    names: OptionNames,
) -> Option<(String, Cow<'static, str>)> {
    Some(match reason {
        Reason::Budget { max_executions } => {
            let given = names.set("max_executions", max_executions);
            (format!("{given} was reached before {before}"), names.name("max_executions"))
        }
        Reason::Time { limit } => {
            // The time of a suite is shared: others may have some left.
            let share = if limit.of_suite { "this test's share of " } else { "" };
            (format!("{share}{}", over_before(limit, before, names)), time_name(limit, names))
        }
        Reason::Cost { max_cost } => {
            let given = names.set("max_cost", max_cost);
            (format!("{given} was spent before {before}"), names.name("max_cost"))
        }
        _ => return None,
    })
}

fn over_before(limit: &TimeLimit, before: &str, names: OptionNames) -> String {
    let duration = duration_text(limit.duration);
    match limit.of_suite {
        true => format!("the suite's max_time = {duration} ran out before {before}"),
        false => format!("{} ran out before {before}", names.set("max_time", duration)),
    }
}

fn time_name(limit: &TimeLimit, names: OptionNames) -> Cow<'static, str> {
    if limit.of_suite { "the suite's max_time".into() } else { names.name("max_time") }
}

/// Why an execution without what the claim is about cannot be judged, and what to do.
pub(super) fn returned_nothing(reason: &Reason, noun: &str) -> Option<(String, String)> {
    let Reason::Nothing { index } = reason else {
        return None;
    };
    Some((
        format!("execution {index} returned no {noun}"),
        format!("make each execution return the {noun} that the claim is about"),
    ))
}

pub(super) fn reason_kind(reason: &Reason) -> ReasonKind {
    match reason {
        Reason::Budget { .. } => ReasonKind::Budget,
        Reason::Time { .. } => ReasonKind::Time,
        Reason::Cost { .. } => ReasonKind::Cost,
        Reason::Unavailable { .. } => ReasonKind::Unavailable,
        Reason::Cancelled => ReasonKind::Cancelled,
        Reason::Rejections { .. } => ReasonKind::Rejections,
        Reason::Replayed { .. } => ReasonKind::Replayed,
        Reason::Broken { .. } => ReasonKind::Broken,
        Reason::UnknownOutcome { .. } => ReasonKind::UnknownOutcome,
        Reason::Outside { .. } => ReasonKind::Outside,
        Reason::Nothing { .. } => ReasonKind::Nothing,
        Reason::NoOutcome => ReasonKind::NoOutcome,
        Reason::TwoResults { .. } => ReasonKind::TwoResults,
        Reason::Doubt => ReasonKind::Doubt,
        Reason::TooRare(_) => ReasonKind::TooRare,
        Reason::NotReached { .. } => ReasonKind::NotReached,
        Reason::NoRoom { .. } => ReasonKind::NoRoom,
    }
}

impl Note {
    /// The note as a sentence.
    pub fn words(&self) -> Cow<'static, str> {
        self.kind_and_words().1
    }

    pub(super) fn facts(&self) -> form::Note {
        let (kind, words) = self.kind_and_words();
        form::Note { kind, words: words.into() }
    }

    fn kind_and_words(&self) -> (NoteKind, Cow<'static, str>) {
        let (kind, words) = match self {
            Note::Schedules { depth, threads, steps } => {
                let words = format!(
                    "with {threads} threads and {steps} steps, an execution shows a bug of depth {depth} with probability at least p"
                );
                return (NoteKind::Schedules, words.into());
            }
            Note::OwnRandomness => (
                NoteKind::OwnRandomness,
                "the body takes no random source, so its executions cannot be replayed",
            ),
            Note::AboveTolerate => (
                NoteKind::AboveTolerate,
                "the violation rate is above tolerate: the test only tells tolerate and p apart, so a rate between them may pass",
            ),
            Note::JournalLost => (
                NoteKind::JournalLost,
                "the journal could not be written completely, so a stopped run cannot continue from it",
            ),
            Note::SharedGenerators => (
                NoteKind::SharedGenerators,
                "executions ran at the same time and shared `random` or another global generator, so they cannot be replayed. Draw from probtest_rng: each execution has its own",
            ),
            Note::LargeP => (
                NoteKind::LargeP,
                "p is above 1/2: the plan covers both outcomes, so it also waits for an execution that passes; a violation alone would be seen sooner",
            ),
        };
        (kind, words.into())
    }
}

impl Doubt {
    /// The doubt in a few words.
    pub fn what(&self) -> String {
        self.kind_words_and_help().1
    }

    /// The doubt, and what to do about it.
    pub fn words(&self) -> String {
        let (_, what, help) = self.kind_words_and_help();
        format!("{what}; {help}")
    }

    pub(super) fn facts(&self) -> form::Doubt {
        let (kind, words) = (self.kind_words_and_help().0, self.words());
        let mut facts = form::Doubt { kind, words, ..form::Doubt::default() };
        match self {
            Doubt::FewDrew { drew, looked_at } => {
                (facts.drew, facts.looked_at) = (Some(*drew), Some(*looked_at));
            }
            Doubt::FixedSeeds { places } => facts.places.clone_from(places),
            Doubt::Unseen(rare) => {
                (facts.label, facts.looked_at) = (Some(rare.label.clone()), Some(rare.executions));
            }
            Doubt::Repeated { equal, pairs } => {
                (facts.equal, facts.pairs) = (Some(*equal), Some(*pairs));
            }
            Doubt::Panicked { index, panic } => {
                (facts.index, facts.panic) = (Some(*index), Some(violation_facts(panic)));
            }
            _ => {}
        }
        facts
    }

    /// The kind, what was seen, and what to do about it.
    fn kind_words_and_help(&self) -> (DoubtKind, String, &'static str) {
        match self {
            Doubt::NeverDrew => (
                DoubtKind::NeverDrew,
                "no execution drew from its random source".into(),
                "executions that draw nothing may all be the same. Pass `rng` on to the program, or leave out the argument if the program brings its own randomness. With `schedules`, start threads that can run at the same time",
            ),
            Doubt::FewDrew { drew, looked_at } => (
                DoubtKind::FewDrew,
                format!("{drew} of {looked_at} executions drew a random number"),
                "the others reuse what an earlier one left behind, such as a cache or a value that is created once, so they add no evidence. Create it afresh in each execution",
            ),
            Doubt::FixedSeeds { places } => {
                let mut what = "every execution draws the same numbers".to_owned();
                if let Some(first) = places.first() {
                    what.push_str(&format!(": {first}"));
                }
                if places.len() > 1 {
                    what.push_str(&format!(" and {} more", places.len() - 1));
                }
                (
                    DoubtKind::FixedSeeds,
                    what,
                    "the program seeds its own generator, so every execution repeats the first one. Remove the seed, or take it from the test",
                )
            }
            Doubt::Copies => (
                DoubtKind::Copies,
                "every execution that was checked did the same thing".into(),
                "no random number was drawn, so every execution repeats the first one; a program without randomness needs only one",
            ),
            Doubt::Unseen(rare) => (
                DoubtKind::Unseen,
                rare.words(),
                "the test may never have reached the case that it is about. Run it more often, or draw that case more often",
            ),
            Doubt::Repeated { equal, pairs } => (
                DoubtKind::Repeated,
                format!("{equal} of {pairs} pairs of neighbours recorded exactly the same values"),
                "executions that repeat each other add no evidence; the cause may be a cache, or a model at temperature 0. Turn it off in the test, or record something that should differ",
            ),
            Doubt::Clock => (
                DoubtKind::Clock,
                "executions that started within the same second wrote the same output".into(),
                "the program seems to take its seed from the clock, so executions only differ from one second to the next. Give it {seed} as an argument, or let it read PROBTEST_SEED",
            ),
            Doubt::Order => (
                DoubtKind::Order,
                "what the two versions did depends on which of them ran first".into(),
                "the second one finds what the first one left behind, such as a cache or a file, so a pair says little about the versions. Give each version its own copy, or clear it before each execution",
            ),
            Doubt::Larger { executions, threads, steps } => (
                DoubtKind::Larger,
                format!(
                    "{} had more threads or steps than measured beforehand: up to {threads} threads and {steps} steps",
                    plural(*executions, "execution")
                ),
                "a bug in the longer ones may be too rare for this test to catch. Give all executions the same threads and about the same work, or use `schedules = random` with a `p`",
            ),
            Doubt::Panicked { index, panic } => {
                let place = panic.location.as_deref();
                let at = place.map(|place| format!(" at {place}")).unwrap_or_default();
                let message = legible(panic.message.lines().next().unwrap_or_default());
                (
                    DoubtKind::Panicked,
                    format!(
                        "a thread or a task failed during execution {index}, which passed anyway: {message}{at}"
                    ),
                    "join the thread or await the task, and let its failure fail the body",
                )
            }
            Doubt::Returned(value) => (
                DoubtKind::Returned,
                format!("the body returned {value}, which is not checked"),
                "assert what you mean to check, or return a bool",
            ),
            Doubt::UnreportedOutcomes => (
                DoubtKind::UnreportedOutcomes,
                "no execution reported an outcome, so probtest could not check whether each of them occurred; there were enough executions to see them all".into(),
                "report the number of the outcome, from 0: return it from the body, or have a program write it to the file named by PROBTEST_OUTCOME_FILE",
            ),
        }
    }
}

impl Remembered {
    pub(super) fn facts(&self) -> Option<form::Remembered> {
        let texts = |all: &[Address]| all.iter().map(ToString::to_string).collect();
        let (which, s) = match self.did_not_violate().len() {
            1 => ("the counterexample from an earlier run".to_owned(), "s"),
            count => (format!("{count} counterexamples from earlier runs"), ""),
        };
        match self {
            Remembered::None => None,
            Remembered::Again(address) => {
                Some(form::Remembered::Again { address: address.to_string() })
            }
            Remembered::Fixed(all) => Some(form::Remembered::Fixed {
                addresses: texts(all),
                words: format!("{which} ran first and no longer violate{s}"),
            }),
            Remembered::Unsteady(all) => Some(form::Remembered::Unsteady {
                addresses: texts(all),
                words: format!(
                    "{which} ran first and did not violate, although the program has not changed: the result depends on something other than the seed"
                ),
            }),
        }
    }
}
