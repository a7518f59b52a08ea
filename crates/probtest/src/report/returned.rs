//! The words for claims about what executions return: a mean, labels, or what two versions did.

use probtest_facts as form;

use super::Report;
use super::reasons::{cut_decision, returned_nothing};
use super::words::{ClaimWords, is_everyday, legible, plain, plural, round_down, round_up, short};
use crate::claim::{self, Chances, Probability, WantedMean, Worse};
use crate::judge::{Change, Direction, Finding, Level, Observed, Reason, Verdict};

pub(super) struct MeanWords<'a> {
    pub(super) mean: &'a claim::Mean,
    pub(super) chances: &'a Chances,
}

impl MeanWords<'_> {
    fn wanted(&self) -> String {
        match self.mean.wanted {
            WantedMean::Within(low, high) if low == high => plain(low),
            WantedMean::Within(low, high) => format!("{} to {}", plain(low), plain(high)),
            WantedMean::Above(low) => format!("{} or more", plain(low)),
            WantedMean::Below(high) => format!("{} or less", plain(high)),
        }
    }

    /// The programs that must pass.
    fn kept(&self) -> String {
        format!("a mean of {}", self.wanted())
    }

    /// The programs that must fail.
    fn bad(&self) -> String {
        let (wanted, margin) = (self.mean.wanted, self.mean.margin);
        let low = wanted.low().map(|low| format!("{} or less", short(low - margin)));
        let high = wanted.high().map(|high| format!("{} or more", short(high + margin)));
        let both: Vec<String> = low.into_iter().chain(high).collect();
        format!("a mean of {}", both.join(", or of "))
    }

    /// A number with as many digits as the margin deserves.
    fn precise(&self, value: f64) -> String {
        let margin = self.mean.margin;
        if is_everyday(margin) {
            let digits = (2.0 - margin.log10()).ceil().clamp(0.0, 15.0) as usize;
            return format!("{value:.digits$}");
        }
        let (low, high) = self.mean.between;
        let digits = (low.abs().max(high.abs()) / margin).log10() + 2.0;
        format!("{value:.*e}", digits.ceil().clamp(0.0, 15.0) as usize)
    }
}

impl ClaimWords for MeanWords<'_> {
    fn claim_line(&self) -> String {
        let (wanted, chances) = (self.wanted(), options(self.chances));
        let (low, high) = self.mean.between;
        let [margin, low, high] = [self.mean.margin, low, high].map(plain);
        format!("mean {wanted}, margin = {margin}, between {low} and {high}, {chances}")
    }

    fn promise(&self) -> String {
        promise(&self.kept(), &self.bad(), self.chances)
    }

    fn head(&self, report: &Report) -> String {
        returned_head(report, self)
    }

    fn missed(&self, report: &Report) -> Option<String> {
        let (word, bound) = match &report.verdict {
            Verdict::Violated(Finding::Mean { direction: Direction::High }) => {
                ("above", self.mean.wanted.high())
            }
            Verdict::Violated(Finding::Mean { direction: Direction::Low }) => {
                ("below", self.mean.wanted.low())
            }
            _ => return None,
        };
        Some(format!("the mean is {word} {}", bound.map_or(String::new(), plain)))
    }

    fn meaning(&self, report: &Report) -> Option<String> {
        decided_meaning(report, &self.kept(), &self.bad(), self.chances)
    }

    fn observed(&self, report: &Report) -> Option<String> {
        let Observed::Numbers { mean, interval, .. } = &report.observed else {
            return None;
        };
        // A violation in the first execution leaves no mean behind.
        if report.counts.executed <= report.counts.violated {
            return None;
        }
        let [mean, low, high] = [*mean, interval.0, interval.1].map(|x| self.precise(x));
        Some(format!("mean {mean} ({low} to {high} with confidence 0.95)"))
    }

    fn facts(&self, shared: form::Claim) -> form::Claim {
        form::Claim {
            between: Some([self.mean.between.0, self.mean.between.1]),
            low: self.mean.wanted.low(),
            high: self.mean.wanted.high(),
            margin: Some(self.mean.margin),
            ..shared
        }
    }

    fn why(&self, reason: &Reason, report: &Report) -> Option<(String, String)> {
        if let Reason::Outside { index, value } = reason {
            let (low, high) = (plain(self.mean.between.0), plain(self.mean.between.1));
            return Some((
                format!("execution {index} returned {value}, outside between = ({low}, {high})"),
                "widen between to cover everything that the program can return, or fix the program"
                    .into(),
            ));
        }
        returned_nothing(reason, "number").or_else(|| cut_decision(reason, report, "margin"))
    }

    fn address_words(&self, report: &Report) -> String {
        let (
            Verdict::Violated(Finding::Mean { direction }),
            Observed::Numbers { extremes: Some((least, largest)), .. },
        ) = (&report.verdict, &report.observed)
        else {
            return String::new();
        };
        let (word, extreme) = match direction {
            Direction::High => ("largest", largest),
            Direction::Low => ("smallest", least),
        };
        format!(", which returned the {word} number, {}", short(extreme.value))
    }
}

/// The most labels that are listed with their counts.
const COUNTED: usize = 12;
/// The most labels that are listed with their probabilities.
const LISTED: usize = 8;
/// The programs that must pass.
const KEPT: &str = "exactly these probabilities";

pub(super) struct FitWords<'a> {
    pub(super) fit: &'a claim::Fit,
    pub(super) chances: &'a Chances,
}

impl FitWords<'_> {
    /// The first labels with their probabilities.
    fn listed(&self) -> String {
        let labels = self.fit.labels();
        let mut words: Vec<String> = labels
            .iter()
            .take(LISTED)
            .map(|(label, p)| format!("{} {p}", legible(label)))
            .collect();
        if labels.len() > LISTED {
            words.push(format!("{} more labels", labels.len() - LISTED));
        } else if self.fit.rest() > 0.0 {
            words.push(format!("others {}", short(self.fit.rest())));
        }
        words.join(", ")
    }

    fn bad(&self) -> String {
        format!("a label that is off by {} or more", plain(self.fit.distance()))
    }
}

impl ClaimWords for FitWords<'_> {
    fn claim_line(&self) -> String {
        let (distance, chances) = (plain(self.fit.distance()), options(self.chances));
        format!("{}, distance = {distance}, {chances}", self.listed())
    }

    fn promise(&self) -> String {
        promise(KEPT, &self.bad(), self.chances)
    }

    fn head(&self, report: &Report) -> String {
        match &report.verdict {
            Verdict::Violated(Finding::Impossible { index, label }) => {
                format!("missed: {}", returned_impossible(*index, label.as_deref()))
            }
            _ => returned_head(report, self),
        }
    }

    fn missed(&self, report: &Report) -> Option<String> {
        let Verdict::Violated(Finding::Label { label, direction }) = &report.verdict else {
            return None;
        };
        let word = match direction {
            Direction::Low => "below",
            Direction::High => "above",
        };
        let (label, p) = match self.fit.labels().get(*label) {
            Some((label, p)) => (format!("label {label:?}"), p.to_string()),
            None => ("a label that is not listed".into(), short(self.fit.rest())),
        };
        Some(format!("{label} occurs with probability {word} {p}"))
    }

    fn meaning(&self, report: &Report) -> Option<String> {
        decided_meaning(report, KEPT, &self.bad(), self.chances)
    }

    fn observed(&self, report: &Report) -> Option<String> {
        let Observed::Labels(seen) = &report.observed else {
            return None;
        };
        if report.counts.executed <= report.counts.violated {
            return None;
        }
        let mut words: Vec<String> = seen
            .iter()
            .enumerate()
            .take(COUNTED)
            .map(|(of, count)| match self.fit.labels().get(of) {
                Some((label, _)) => format!("{} {count}", legible(label)),
                None => format!("others {count}"),
            })
            .collect();
        if seen.len() > COUNTED {
            words.push(format!("{} more labels", seen.len() - COUNTED));
        }
        Some(words.join(", "))
    }

    fn facts(&self, shared: form::Claim) -> form::Claim {
        let label = |(label, p): &(String, Probability)| form::LabelClaim {
            label: label.clone(),
            p: p.as_f64(),
            p_exact: p.to_string(),
        };
        form::Claim {
            labels: Some(self.fit.labels().iter().map(label).collect()),
            others: Some(self.fit.rest()),
            distance: Some(self.fit.distance()),
            ..shared
        }
    }

    fn why(&self, reason: &Reason, report: &Report) -> Option<(String, String)> {
        returned_nothing(reason, "label").or_else(|| cut_decision(reason, report, "distance"))
    }
}

/// A label that cannot come, or that one came.
pub(super) fn impossible(label: Option<&str>) -> String {
    match label {
        Some(label) => format!("the label {label:?}"),
        None => "a label that is not listed".into(),
    }
}

/// That an execution returned a label that cannot come.
pub(super) fn returned_impossible(index: u64, label: Option<&str>) -> String {
    format!("execution {index} returned {}, which has no probability", impossible(label))
}

/// Both chances as the options that make them.
fn options(chances: &Chances) -> String {
    format!("epsilon = {}, false_alarm = {}", chances.epsilon, chances.false_alarm)
}

/// What passes and what fails, and how often that is wrong.
fn promise(kept: &str, bad: &str, chances: &Chances) -> String {
    let (epsilon, false_alarm) = (&chances.epsilon, &chances.false_alarm);
    format!(
        "a program with {kept} fails with probability at most {false_alarm}; one with {bad} passes with probability at most {epsilon}"
    )
}

/// The head line of a claim that was kept, or missed.
fn returned_head(report: &Report, words: &dyn ClaimWords) -> String {
    let (executed, planned) = (report.counts.executed, report.counts.planned);
    match words.missed(report) {
        Some(missed) => {
            format!("missed: {missed}, after {executed} of at most {planned} executions")
        }
        None => format!(
            "{} of at most {planned}, {}; {}",
            plural(executed, "execution"),
            words.observed(report).unwrap_or_default(),
            words.meaning(report).unwrap_or_default()
        ),
    }
}

/// What the verdict on a claim about what is returned means.
fn decided_meaning(report: &Report, kept: &str, bad: &str, chances: &Chances) -> Option<String> {
    let (epsilon, false_alarm) = (&chances.epsilon, &chances.false_alarm);
    match &report.verdict {
        Verdict::Passed => Some(format!(
            "{bad} would have passed with probability at most {epsilon}"
        )),
        Verdict::Violated(Finding::Mean { .. } | Finding::Label { .. }) => Some(format!(
            "a program with {kept} would have failed with probability at most {false_alarm}"
        )),
        Verdict::Violated(Finding::Impossible { .. }) => {
            Some("the probabilities of the listed labels sum to 1, so no other label can occur".into())
        }
        Verdict::Violated(Finding::Execution { .. }) => Some(
            "an execution failed before it returned a number or label, so the claim was not decided"
                .into(),
        ),
        _ => None,
    }
}

pub(super) struct CompareWords<'a> {
    pub(super) compare: &'a claim::Compare,
    pub(super) chances: &'a Chances,
}

impl CompareWords<'_> {
    /// What a version that is worse, or better, does.
    fn does(&self, is_worse: bool) -> &'static str {
        match self.compare.numbers {
            None if is_worse => "violates more often",
            None => "violates less often",
            Some((_, worse)) if is_worse == (worse == Worse::Higher) => "has a higher mean",
            Some(_) => "has a lower mean",
        }
    }

    fn change(&self) -> String {
        plain(self.compare.change)
    }

    /// A change with as many digits as the one to notice deserves.
    fn precise(&self, value: f64) -> String {
        self.rounded(value, f64::round, |_| true)
    }

    /// An end of an interval, rounded by `round` with more digits where fewer would put it onto
    /// the other side of what decides: no change, and the change to notice.
    fn end(&self, value: f64, round: fn(f64) -> f64) -> String {
        let change = self.compare.change;
        self.rounded(value, round, |rounded| {
            let side = |edge: f64| value.total_cmp(&edge) == rounded.total_cmp(&edge);
            [-change, 0.0, change].into_iter().all(side)
        })
    }

    fn rounded(&self, value: f64, round: fn(f64) -> f64, fits: impl Fn(f64) -> bool) -> String {
        let digits = (2.0 - self.compare.change.log10()).ceil();
        if !(0.0..=15.0).contains(&digits) {
            return short(value);
        }
        let rounded = |digits: usize| {
            let scale = 10f64.powi(digits as i32);
            // Adding 0 turns -0 into 0.
            (digits, round(value * scale) / scale + 0.0)
        };
        let mut tried = (digits as usize..=15).map(rounded);
        let fitting = tried.find(|(_, rounded)| fits(*rounded));
        let (digits, rounded) = fitting.unwrap_or_else(|| rounded(digits as usize));
        format!("{rounded:.digits$}")
    }

    /// By how much the new version was worse, or better, and what fits.
    fn by(&self, report: &Report) -> String {
        let Some(seen) = seen(report) else {
            return String::new();
        };
        let (low, high) = seen.interval;
        let (change, low, high) = match seen.change < 0.0 {
            false => (seen.change, low, high),
            true => (-seen.change, -high, -low),
        };
        let (low, high) = (self.end(low, f64::floor), self.end(high, f64::ceil));
        let (change, confidence) = (self.precise(change), short(seen.confidence));
        format!("{change} ({low} to {high} with confidence {confidence})")
    }

    fn level(&self, name: &str, level: &Level) -> String {
        match level.interval {
            Some((low, high)) => format!(
                "{name} violates at a rate of {:.4} ({} to {} with confidence 0.95)",
                level.mean,
                round_down(low),
                round_up(high)
            ),
            None => format!("{name} has a mean of {}", self.precise(level.mean)),
        }
    }
}

/// What was seen of the pairs.
fn seen(report: &Report) -> Option<&Change> {
    match &report.observed {
        Observed::Change(change) => Some(change),
        _ => None,
    }
}

/// Whether a pass says more than that the new version is not worse.
fn is_better(report: &Report) -> bool {
    seen(report).is_some_and(|seen| seen.interval.1 < 0.0) && report.passed()
}

impl ClaimWords for CompareWords<'_> {
    fn claim_line(&self) -> String {
        let (change, chances) = (self.change(), options(self.chances));
        let Some(((low, high), worse)) = self.compare.numbers else {
            return format!("p_change = {change}, {chances}");
        };
        let (low, high) = (plain(low), plain(high));
        let worse = if worse == Worse::Higher { "higher" } else { "lower" };
        format!("change = {change}, between {low} and {high}, worse = {worse}, {chances}")
    }

    fn promise(&self) -> String {
        let (epsilon, false_alarm) = (&self.chances.epsilon, &self.chances.false_alarm);
        let (worsens, change) = (self.does(true), self.change());
        format!(
            "a new version that is as good as the old one is called worse with probability at most {false_alarm}; one that {worsens} by {change} or more passes with probability at most {epsilon}"
        )
    }

    fn head(&self, report: &Report) -> String {
        let pairs = format!("after {}", plural(report.counts.executed, "pair"));
        if let Some(missed) = self.missed(report) {
            return format!("worse: {missed}, {pairs}");
        }
        if is_better(report) {
            let (improves, by) = (self.does(false), self.by(report));
            return format!("better: the new version {improves}, by {by}, {pairs}");
        }
        format!("not worse by {}, {pairs}", self.change())
    }

    fn missed(&self, report: &Report) -> Option<String> {
        matches!(report.verdict, Verdict::Violated(Finding::Worse))
            .then(|| format!("the new version {}, by {}", self.does(true), self.by(report)))
    }

    fn undecided_head(&self, report: &Report) -> Option<String> {
        let executed = plural(report.counts.executed, "pair");
        Some(format!("undecided after {executed} of at most {}", report.counts.planned))
    }

    fn meaning(&self, report: &Report) -> Option<String> {
        let (epsilon, false_alarm) = (&self.chances.epsilon, &self.chances.false_alarm);
        let (worsens, change) = (self.does(true), self.change());
        match &report.verdict {
            Verdict::Passed => Some(format!(
                "a version that {worsens} by {change} or more would have passed with probability at most {epsilon}"
            )),
            Verdict::Violated(Finding::Worse) => Some(format!(
                "a version as good as the old one would have been called worse with probability at most {false_alarm}"
            )),
            _ => None,
        }
    }

    fn observed(&self, report: &Report) -> Option<String> {
        let seen = seen(report)?;
        if report.counts.executed == 0 {
            return None;
        }
        let by = match seen.change {
            0.0 => "on average it has not changed: worse",
            change if change < 0.0 => "on average it is better",
            _ => "on average it is worse",
        };
        let Change { worse, better, old, new, .. } = seen;
        let (differ, pairs) = (worse + better, plural(report.counts.executed, "pair"));
        Some(format!(
            "{differ} of {pairs} differ: the new version is worse in {worse}, better in {better}\n{}\n{}\n{by} by {}",
            self.level("old", old),
            self.level("new", new),
            self.by(report)
        ))
    }

    fn facts(&self, shared: form::Claim) -> form::Claim {
        form::Claim {
            change: Some(self.compare.change),
            between: self.compare.numbers.map(|((low, high), _)| [low, high]),
            worse: self.compare.numbers.map(|(_, worse)| match worse {
                Worse::Higher => form::Direction::High,
                Worse::Lower => form::Direction::Low,
            }),
            ..shared
        }
    }

    fn why(&self, reason: &Reason, report: &Report) -> Option<(String, String)> {
        match reason {
            Reason::NoRoom { old } => {
                let (old, change) = (self.precise(*old), self.change());
                let does = match self.compare.numbers {
                    None => "violates at a rate",
                    Some(_) => "has a mean",
                };
                Some((
                    format!("the old version {does} of {old}, so no version can be worse by {change}"),
                    "check that both versions run as they should; compare with a better old version, or lower the change".into(),
                ))
            }
            Reason::Outside { index, value } => {
                let ((low, high), _) = self.compare.numbers?;
                let between = format!("between = ({}, {})", plain(low), plain(high));
                Some((
                    format!("in pair {index} a version returned {value}, outside {between}"),
                    "widen between to cover everything that both versions can return".into(),
                ))
            }
            Reason::Nothing { index } => Some((
                format!("execution {index} did not return a pair of an old and a new version"),
                "run both versions: probtest::run::both in Rust, probtest.compare in Python".into(),
            )),
            _ => cut_decision(reason, report, "the change"),
        }
    }

    fn address_words(&self, report: &Report) -> String {
        let shown = seen(report).and_then(|seen| seen.shown.as_ref());
        let index = report.address.map(|address| address.index);
        match shown.filter(|(shown, _)| Some(*shown) == index) {
            Some((_, Some(violation))) => format!(
                ", where the new version alone violates: {}",
                legible(violation.message.lines().next().unwrap_or_default())
            ),
            Some((_, None)) => ", where the new version is worst".into(),
            None => String::new(),
        }
    }
}

/// What was observed, for programs.
pub(super) fn change_facts(report: &Report) -> Option<form::Change> {
    let seen = seen(report)?;
    let level = |level: &Level| form::Level {
        mean: level.mean,
        low: level.interval.map(|(low, _)| low),
        high: level.interval.map(|(_, high)| high),
    };
    Some(form::Change {
        answer: match &report.verdict {
            Verdict::Violated(Finding::Worse) => form::Answer::Worse,
            Verdict::Passed if is_better(report) => form::Answer::Better,
            Verdict::Passed => form::Answer::NotWorse,
            _ => form::Answer::Undecided,
        },
        old: level(&seen.old),
        new: level(&seen.new),
        worse: seen.worse,
        better: seen.better,
        by: seen.change,
        low: seen.interval.0,
        high: seen.interval.1,
        confidence: seen.confidence,
    })
}
