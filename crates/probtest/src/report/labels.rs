//! Texts about labels: their shares, what was unusual, and what sets violations apart from passes.

use probtest_facts as form;

use super::Report;
use super::words::{Section, fitting, legible, plural, round_down, round_up, short};
use crate::judge::{LabelCounts, Rare, Split, ValueCount};
use crate::math::fisher::same_share;
use crate::run::{Label, LabelValue};

/// How rare a value must be among executions that passed to be called unusual.
const UNUSUAL: f64 = 0.05;
/// The chance of reporting a difference that doesn't exist, for all labels of a test together.
const DIFFERENT: f64 = 0.05;
/// The most values of a label, and the most sentences, that are shown.
const SHOWN: usize = 5;

impl Rare {
    pub(super) fn words(&self) -> String {
        let Rare { label, seen, executions, at_least, chance } = self;
        let label = legible(label);
        format!(
            "{label} in {seen} of {executions} executions, but at least {} of them must have it; the chance of seeing so few is {}",
            at_least.0,
            round_up(chance.0)
        )
    }
}

impl LabelValue {
    fn words(&self) -> String {
        match self {
            LabelValue::Flag(flag) => flag.to_string(),
            LabelValue::Number(number) => short(number.0),
            LabelValue::Word(word) => legible(word).into_owned(),
        }
    }

    /// A short form for a sentence: only the first digits of a fraction.
    fn brief(&self) -> String {
        match self {
            LabelValue::Number(number) if number.0.fract() != 0.0 => {
                format!("{:.3e}", number.0).parse().map_or_else(|_| self.words(), short)
            }
            _ => self.words(),
        }
    }
}

impl Report {
    pub(super) fn label_facts(&self, section: &mut Section) {
        let labels = self.tally.labels.iter().take(2 * SHOWN);
        section.lines("labels", labels.map(|label| self.label_words(label)));
        section.lines("unusual", self.unusual());
    }

    /// The shares of a label, in one line.
    fn label_words(&self, label: &LabelCounts) -> String {
        let (name, executed) = (legible(&label.name), self.counts.executed);
        if label.values.iter().all(|known| matches!(known.value, LabelValue::Flag(_))) {
            let seen = label.of(&LabelValue::Flag(true)).all();
            return format!("{name} in {}", share(seen, executed));
        }
        if let [least, .., largest] = label.values.as_slice()
            && is_number(least)
            && is_number(largest)
            && label.values.len() > SHOWN
        {
            let (least, largest) = (least.value.brief(), largest.value.brief());
            let [first, third] = [1, 3].map(|quarters| quantile(label, quarters).brief());
            return format!(
                "{name} from {least} to {largest}, half of them from {first} to {third}"
            );
        }
        let values = in_order(label);
        let mut shown: Vec<String> = values
            .iter()
            .take(SHOWN)
            .map(|known| {
                format!("{} in {}", known.value.brief(), share(known.count.all(), executed))
            })
            .collect();
        if values.len() > SHOWN {
            let more = values.len() - SHOWN;
            shown.push(format!("and {}", plural(more as u64, "other value")));
        }
        format!("{name} = {}", shown.join(", "))
    }

    /// What was unusual about the execution that violated; with several violations, what
    /// distinguishes them from those that passed.
    pub(super) fn unusual(&self) -> Vec<String> {
        let (passed, violated) = (self.counts.passed, self.counts.violated);
        if violated == 0 || passed == 0 {
            return Vec::new();
        }
        let mut found: Vec<(f64, String)> = match violated {
            1 => self.unusual_of_one(passed),
            _ => self.different(passed, violated),
        };
        found.sort_by(|one, other| one.0.total_cmp(&other.0));
        found.into_iter().take(SHOWN).map(|(_, words)| words).collect()
    }

    fn unusual_of_one(&self, passed: u64) -> Vec<(f64, String)> {
        let look = |label: &Label| {
            let counts = self.tally.labels.iter().find(|known| known.name == label.name)?;
            let (seen, more) = extreme(counts, &label.value);
            let share = seen as f64 / passed as f64;
            let words = format!(
                "{} = {} in this execution; {seen} of {passed} that passed{more}",
                legible(&label.name),
                label.value.brief()
            );
            (share <= UNUSUAL).then_some((share, words))
        };
        self.tally.of_violation.iter().filter_map(look).collect()
    }

    /// Values whose shares differ, by an exact test corrected for how many are compared.
    fn different(&self, passed: u64, violated: u64) -> Vec<(f64, String)> {
        let cuts: Vec<(String, Split)> = self.tally.labels.iter().flat_map(cuts).collect();
        let looked_at = cuts.len() as f64;
        let look = |(words, with): (String, Split)| {
            let chance = same_share(with.violated, violated, with.passed, passed) * looked_at;
            let words = format!(
                "{words} in {} of {violated} that violated and {} of {passed} that passed; the chance of such a difference is {}",
                with.violated,
                with.passed,
                round_up(chance)
            );
            (chance < DIFFERENT).then_some((chance, words))
        };
        cuts.into_iter().filter_map(look).collect()
    }

    pub(super) fn label_forms(&self) -> Vec<form::LabelFacts> {
        let share = |known: &ValueCount| {
            let (low, high) = fitting(known.count.all(), self.counts.executed);
            form::LabelShare {
                value: known.value.words(),
                passed: known.count.passed,
                violated: known.count.violated,
                low,
                high,
            }
        };
        let label = |label: &LabelCounts| {
            let own = self.tally.of_violation.iter().find(|own| own.name == label.name);
            form::LabelFacts {
                name: label.name.clone(),
                shares: in_order(label).into_iter().map(share).collect(),
                others: label.others.all(),
                grouped: label.grouped,
                at_least: label.at_least,
                of_violation: own.map(|own| own.value.words()),
                words: self.label_words(label),
            }
        };
        self.tally.labels.iter().map(label).collect()
    }
}

fn number(value: &LabelValue) -> Option<f64> {
    match value {
        LabelValue::Number(number) => Some(number.0),
        _ => None,
    }
}

fn is_number(known: &ValueCount) -> bool {
    number(&known.value).is_some()
}

/// The values of a label: numbers in order, others by frequency.
fn in_order(label: &LabelCounts) -> Vec<&ValueCount> {
    let mut values: Vec<&ValueCount> = label.values.iter().collect();
    if !values.iter().all(|known| is_number(known)) {
        values.sort_by_key(|known| std::cmp::Reverse(known.count.all()));
    }
    values
}

/// A share with its interval.
fn share(seen: u64, executed: u64) -> String {
    let (low, high) = fitting(seen, executed);
    let share = 100.0 * seen as f64 / executed.max(1) as f64;
    format!("{share:.1} % ({} to {})", round_down(low), round_up(high))
}

/// The value below which this many quarters of the executions are.
fn quantile(label: &LabelCounts, quarters: u64) -> &LabelValue {
    let all: u64 = label.values.iter().map(|known| known.count.all()).sum();
    let mut below = 0;
    for known in &label.values {
        below += known.count.all();
        if below * 4 >= all * quarters {
            return &known.value;
        }
    }
    &label.values[label.values.len() - 1].value
}

/// How many executions that passed have a value at least this extreme, on the rarer side.
fn extreme(label: &LabelCounts, value: &LabelValue) -> (u64, &'static str) {
    let Some(own) = number(value) else {
        return (label.of(value).passed, "");
    };
    let passed = |keep: fn(&f64, &f64) -> bool| -> u64 {
        let is_kept = |known: &&ValueCount| number(&known.value).is_some_and(|it| keep(&it, &own));
        label.values.iter().filter(is_kept).map(|known| known.count.passed).sum()
    };
    let (below, above) = (passed(f64::le), passed(f64::ge));
    match above <= below {
        true => (above, " had that or more"),
        false => (below, " had that or less"),
    }
}

/// The ways in which a label divides executions: by value or, with many numbers, by quarter.
fn cuts(label: &LabelCounts) -> Vec<(String, Split)> {
    let name = legible(&label.name);
    let numbers = label.values.iter().all(is_number);
    if !numbers || label.values.len() <= 2 {
        let each = label.values.iter().filter(|known| known.value != LabelValue::Flag(false));
        return each
            .map(|known| (format!("{name} = {}", known.value.brief()), known.count))
            .collect();
    }
    let at = |quarters| {
        let bound = quantile(label, quarters);
        let mut above = Split::default();
        for known in label.values.iter().filter(|known| number(&known.value) > number(bound)) {
            above.add(known.count);
        }
        (format!("{name} above {}", bound.brief()), above)
    };
    let mut list: Vec<(String, Split)> = [1, 2, 3].into_iter().map(at).collect();
    list.dedup();
    list
}
