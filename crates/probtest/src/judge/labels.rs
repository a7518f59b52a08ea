//! Counts labels over the executions, in memory that doesn't grow with their number.

use probtest_facts::json_object;

use crate::math::binomial::{self, PreciseRate};
use crate::run::{Label, LabelValue, Number};

/// How many names, and how many values of each, are counted separately.
const NAMES: usize = 64;
const VALUES: usize = 256;
/// The chance of calling a label too rare although its share is as required.
const FALSE_ALARM: f64 = 1e-6;

/// The labels of all executions that count.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LabelTally {
    /// One entry for each name, in order of appearance.
    pub labels: Vec<LabelCounts>,
    /// The labels of the last execution that violated.
    pub of_violation: Vec<Label>,
}

/// How often each value of a label occurred.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LabelCounts {
    /// Its name.
    pub name: String,
    /// Its values: numbers in increasing order, anything else in order of appearance.
    pub values: Vec<ValueCount>,
    /// Executions with a value that isn't listed, because there are too many.
    pub others: Split,
    /// Whether nearby numbers are counted together, under the largest of them.
    pub grouped: bool,
    /// The share of executions that the test requires.
    pub at_least: Option<f64>,
}

/// How often a label had one value.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueCount {
    /// The value.
    pub value: LabelValue,
    /// The executions.
    pub count: Split,
}

/// Executions that passed, and that violated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Split {
    /// Those that passed.
    pub passed: u64,
    /// Those that violated.
    pub violated: u64,
}

impl Split {
    /// All of them.
    pub fn all(&self) -> u64 {
        self.passed + self.violated
    }

    pub(crate) fn add(&mut self, other: Split) {
        self.passed += other.passed;
        self.violated += other.violated;
    }
}

/// A label that is rarer than the test requires.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rare {
    /// Its name.
    pub label: String,
    /// How many executions had it.
    pub seen: u64,
    /// How many executions there were.
    pub executions: u64,
    /// The share of executions that the test requires.
    pub at_least: Number,
    /// The chance of seeing as few, or fewer, if its share were as required.
    pub chance: Number,
}

json_object!(Rare { label, seen, executions, at_least, chance });

impl Rare {
    /// Whether it is too rare by more than chance, and not merely unseen.
    pub(crate) fn is_certain(&self) -> bool {
        self.chance.0 <= FALSE_ALARM
    }
}

impl LabelTally {
    /// Takes the labels of one execution. The error says which share is invalid.
    pub(crate) fn add(&mut self, labels: Vec<Label>, violated: bool) -> Result<(), String> {
        let one = Split { passed: u64::from(!violated), violated: u64::from(violated) };
        for label in &labels {
            if let Some(Number(share)) = label.at_least
                && !(share > 0.0 && share < 1.0 && matches!(label.value, LabelValue::Flag(_)))
            {
                return Err(format!(
                    "the label {} asks for a share of at least {share}\n  help   write a share between 0 and 1, for a label that is true or false",
                    label.name
                ));
            }
            self.count(label, one)?;
        }
        if violated {
            self.of_violation = labels;
        }
        Ok(())
    }

    fn count(&mut self, label: &Label, one: Split) -> Result<(), String> {
        let place = self.labels.iter().position(|known| known.name == label.name);
        if place.is_none() && self.labels.len() >= NAMES {
            if label.at_least.is_none() {
                return Ok(());
            }
            // A required label is counted even if it replaces another one.
            let other = self.labels.iter().rposition(|known| known.at_least.is_none());
            let Some(other) = other else {
                return Err(format!(
                    "more than {NAMES} labels ask for a share\n  given  {}\n  help   ask for fewer of them in one test",
                    label.name
                ));
            };
            self.labels.remove(other);
        }
        let place = place.unwrap_or_else(|| {
            let name = label.name.clone().into_owned();
            self.labels.push(LabelCounts { name, ..LabelCounts::default() });
            self.labels.len() - 1
        });
        let known = &mut self.labels[place];
        if let Some(Number(share)) = label.at_least {
            // The highest share that was required.
            known.at_least = Some(known.at_least.map_or(share, |other| other.max(share)));
        }
        known.count(&label.value, one);
        Ok(())
    }

    /// Labels that occurred less often in this many executions than required.
    pub(crate) fn rare(&self, executions: u64) -> Vec<Rare> {
        let rare = |label: &LabelCounts| {
            let at_least = label.at_least?;
            let seen = label.of(&LabelValue::Flag(true)).all();
            let chance = binomial::at_most(seen, executions, PreciseRate::new(at_least));
            (seen == 0 || chance <= FALSE_ALARM).then(|| Rare {
                label: label.name.clone(),
                seen,
                executions,
                at_least: Number(at_least),
                chance: Number(chance),
            })
        };
        self.labels.iter().filter_map(rare).collect()
    }
}

impl LabelCounts {
    /// How often it had a value.
    pub fn of(&self, value: &LabelValue) -> Split {
        let found = self.values.iter().find(|known| known.value == *value);
        found.map(|known| known.count).unwrap_or_default()
    }

    fn count(&mut self, value: &LabelValue, one: Split) {
        let place = match value {
            // NaN comes last.
            LabelValue::Number(number) => self.values.partition_point(|known| match &known.value {
                LabelValue::Number(other) => other.0.total_cmp(&number.0).is_lt(),
                _ => true,
            }),
            _ => self.values.iter().take_while(|known| known.value != *value).count(),
        };
        let is_number = matches!(value, LabelValue::Number(_));
        let full = self.values.len() >= VALUES;
        match self.values.get_mut(place) {
            Some(known) if known.value == *value || self.grouped && is_number => {
                known.count.add(one)
            }
            _ if full && !is_number => self.others.add(one),
            _ => {
                let value = value.clone();
                self.values.insert(place, ValueCount { value, count: one });
            }
        }
        if self.values.len() > VALUES {
            self.group();
        }
    }

    /// Merges each number with the next one.
    #[cold]
    fn group(&mut self) {
        self.grouped = true;
        let mut grouped: Vec<ValueCount> = Vec::with_capacity(VALUES);
        for (place, known) in std::mem::take(&mut self.values).into_iter().enumerate() {
            match grouped.last_mut() {
                Some(last) if place % 2 == 1 => {
                    last.count.add(known.count);
                    last.value = known.value;
                }
                _ => grouped.push(known),
            }
        }
        self.values = grouped;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn label(value: impl Into<LabelValue>) -> Vec<Label> {
        vec![Label { name: "height".into(), value: value.into(), at_least: None }]
    }

    #[test]
    fn numbers_are_kept_in_order_and_none_is_lost_when_they_are_many() {
        let mut tally = LabelTally::default();
        for number in 0..100_000_u64 {
            tally.add(label(number * 7919 % 100_003), number % 10 == 0).unwrap();
        }
        let counts = &tally.labels[0];
        assert!(counts.grouped && counts.values.len() <= VALUES);
        let all: u64 = counts.values.iter().map(|known| known.count.all()).sum();
        assert_eq!(all, 100_000);
        let violated: u64 = counts.values.iter().map(|known| known.count.violated).sum();
        assert_eq!(violated, 10_000);
        assert!(counts.values.is_sorted_by(|one, other| match (&one.value, &other.value) {
            (LabelValue::Number(one), LabelValue::Number(other)) => one.0 < other.0,
            _ => false,
        }));
    }

    #[test]
    fn a_label_is_too_rare_by_the_exact_chance() {
        let mut tally = LabelTally::default();
        let mut tall = label(true);
        tall[0].at_least = Some(Number(0.1));
        tally.add(tall, false).unwrap();
        // P(Bin(158, 0.1) <= 1) is 1.09e-6, and 9.9e-7 with 159.
        assert_eq!(tally.rare(158), []);
        assert!(tally.rare(159)[0].is_certain());
    }
}
