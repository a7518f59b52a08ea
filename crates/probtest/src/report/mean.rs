//! The words for the mean of a number.

use probtest_facts as form;

use super::Report;
use super::facts::side;
use super::fit::{decided_head, decided_meaning, pass_head, promise};
use super::reasons::{cut_decision, returned_nothing};
use super::words::{Words, is_everyday, plain, short};
use crate::claim::{self, Chances, Wanted};
use crate::judge::{Direction, Finding, Observed, Reason, Verdict};

pub(super) struct Mean<'a> {
    pub(super) mean: &'a claim::Mean,
    pub(super) chances: &'a Chances,
}

impl Mean<'_> {
    fn wanted(&self) -> String {
        match self.mean.wanted {
            Wanted::Within(low, high) if low == high => plain(low),
            Wanted::Within(low, high) => format!("{} to {}", plain(low), plain(high)),
            Wanted::Above(low) => format!("{} or more", plain(low)),
            Wanted::Below(high) => format!("{} or less", plain(high)),
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

    /// On which side the claim was missed.
    pub(super) fn missed(&self, direction: Direction) -> String {
        let (word, bound) = match direction {
            Direction::High => ("above", self.mean.wanted.high()),
            Direction::Low => ("below", self.mean.wanted.low()),
        };
        format!("the mean is {word} {}", bound.map_or(String::new(), plain))
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

impl Words for Mean<'_> {
    fn claim_line(&self) -> String {
        let (low, high) = self.mean.between;
        format!(
            "mean {}, margin = {}, between {} and {}, epsilon = {}, false_alarm = {}",
            self.wanted(),
            plain(self.mean.margin),
            plain(low),
            plain(high),
            self.chances.epsilon,
            self.chances.false_alarm
        )
    }

    fn promise(&self) -> String {
        promise(&self.kept(), &self.bad(), self.chances)
    }

    fn head(&self, report: &Report) -> String {
        match &report.verdict {
            Verdict::Violated(Finding::Mean { direction }) => {
                decided_head(report, &self.missed(*direction))
            }
            _ => pass_head(report, self),
        }
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

    fn finding(&self, _report: &Report, finding: &Finding) -> Option<form::Finding> {
        let Finding::Mean { direction } = finding else {
            return None;
        };
        Some(form::Finding::Mean { direction: side(*direction), message: self.missed(*direction) })
    }

    fn why(&self, reason: &Reason, _asked: bool) -> Option<(String, String)> {
        if let Reason::Outside { index, value } = reason {
            let (low, high) = self.mean.between;
            let (low, high) = (plain(low), plain(high));
            return Some((
                format!("execution {index} returned {value}, outside between = ({low}, {high})"),
                "widen between to everything that the program can return, or fix the program"
                    .into(),
            ));
        }
        returned_nothing(reason, "number").or_else(|| cut_decision(reason, "margin"))
    }

    fn address_words(&self, report: &Report) -> String {
        let (
            Verdict::Violated(Finding::Mean { direction }),
            Observed::Numbers { extremes: Some((least, largest)), .. },
        ) = (&report.verdict, &report.observed)
        else {
            return String::new();
        };
        match direction {
            Direction::High => {
                format!(", which returned the largest number, {}", short(largest.value))
            }
            Direction::Low => {
                format!(", which returned the smallest number, {}", short(least.value))
            }
        }
    }
}
