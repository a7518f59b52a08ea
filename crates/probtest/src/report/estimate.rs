//! The words for a violation rate that is measured.

use probtest_facts as form;

use super::Report;
use super::reasons::ended;
use super::words::{Words, plural};
use crate::judge::{Observed, Reason, Verdict};

pub(super) struct Estimate {
    pub(super) width: f64,
    pub(super) confidence: f64,
}

impl Estimate {
    /// The ends, rounded away from each other to what the width can show.
    fn interval(&self, report: &Report) -> (String, String) {
        let Observed::Rate { interval, .. } = &report.observed else {
            return Default::default();
        };
        let digits = (2.0 - self.width.log10()).ceil().clamp(2.0, 15.0) as i32;
        let scale = 10f64.powi(digits);
        let low = (interval.0 * scale).floor() / scale;
        let high = ((interval.1 * scale).ceil() / scale).min(1.0);
        (low.to_string(), high.to_string())
    }

    fn sentence(&self, report: &Report) -> String {
        let (low, high) = self.interval(report);
        format!(
            "the violation rate is between {low} and {high} with confidence {}, after {}",
            self.confidence,
            plural(report.counts.executed, "execution")
        )
    }
}

impl Words for Estimate {
    fn claim_line(&self) -> String {
        format!("width = {}, confidence = {}", self.width, self.confidence)
    }

    fn promise(&self) -> String {
        format!(
            "an interval no wider than {} contains the violation rate with probability >= {}",
            self.width, self.confidence
        )
    }

    fn head(&self, report: &Report) -> String {
        self.sentence(report)
    }

    fn undecided_head(&self, report: &Report) -> Option<String> {
        Some(format!("unfinished: {}", self.sentence(report)))
    }

    fn meaning(&self, report: &Report) -> Option<String> {
        let aimed = report.plan.aimed()?;
        let hoeffding = plural(aimed.hoeffding(), "execution");
        Some(format!(
            "the interval is valid although the executions stopped early: it was valid after each of them\nfor comparison, Hoeffding's inequality needs {hoeffding}"
        ))
    }

    fn observed(&self, report: &Report) -> Option<String> {
        let rate = report.rate()?;
        let mut words = match rate.executions {
            0 => "no execution".to_owned(),
            executions => format!(
                "{} violated of {}, a rate of {:.4}",
                rate.violations,
                plural(executions, "execution"),
                rate.seen()
            ),
        };
        if report.counts.rejected > 0 {
            words.push_str(&format!("; {} rejected", report.counts.rejected));
        }
        words.push_str(&format!(
            "\nthe width is {:.4}; {} was asked for",
            rate.high - rate.low,
            self.width
        ));
        Some(words)
    }

    fn facts(&self, shared: form::Claim) -> form::Claim {
        form::Claim { width: Some(self.width), confidence: Some(self.confidence), ..shared }
    }

    fn why(&self, reason: &Reason, _asked: bool) -> Option<(String, String)> {
        if let Reason::Cancelled = reason {
            return Some((
                "stopped before the interval was narrow enough".into(),
                "the interval so far is valid; start again for a narrower one".into(),
            ));
        }
        let (why, limit) = ended(reason, "the interval was narrow enough")?;
        Some((why, format!("raise {limit} or the width")))
    }

    fn address_words(&self, report: &Report) -> String {
        match report.verdict {
            Verdict::Estimated | Verdict::Inconclusive(_) => ", the first violation".into(),
            _ => String::new(),
        }
    }
}
