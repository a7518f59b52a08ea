//! The inputs of an execution, and the smallest one that shows the same violation, in words.

use probtest_facts::{self as form, Input, StoryRow};

use super::Report;
use super::words::{Section, fitting, legible, plural, round_down, round_up};
use crate::run::Site;
use crate::seed::{Inputs, Tape};

/// The most rows and the most inputs that a report shows.
const SHOWN: usize = 12;
/// The most characters of an input that a report for people shows.
const CHARACTERS: usize = 400;

/// The smallest execution that was found to show the same violation.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Story {
    /// How many numbers the execution itself drew.
    pub draws: u64,
    /// How many the small one draws.
    pub small: u64,
    /// The draws of the small one.
    pub tape: Tape,
    /// Why some draws were not seen, where that is known.
    pub unseen: Option<String>,
    /// Whether the tape itself shows the violation; otherwise there is nothing to tell.
    pub holds: bool,
    /// Whether nothing more can be taken away; otherwise time was over.
    pub complete: bool,
    /// The executions that it took.
    pub executions: u64,
    /// The draws of the small one that are not zero; equal ones are one row.
    pub rows: Vec<StoryRow>,
    /// The inputs of the small one.
    pub inputs: Vec<Input>,
    /// Whether they are smaller than those of the execution itself.
    pub smaller_inputs: bool,
    /// How often the execution passes when a part of its own draws is drawn again.
    pub deciders: Vec<Decider>,
    /// The line to copy that runs the small execution.
    pub(crate) replay: Option<String>,
}

/// Draws of the execution itself that were drawn again, with all others kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decider {
    /// The first of them, from 1.
    pub first: u64,
    /// The last of them.
    pub last: u64,
    /// How often they were drawn again.
    pub redrawn: u64,
    /// How often the execution passed then.
    pub passed: u64,
}

impl Story {
    pub(crate) fn new(drawn: Vec<u64>) -> Self {
        Story {
            draws: drawn.len() as u64,
            small: drawn.len() as u64,
            tape: Tape::new(drawn),
            unseen: None,
            holds: true,
            complete: false,
            executions: 0,
            rows: Vec::new(),
            inputs: Vec::new(),
            smaller_inputs: false,
            deciders: Vec::new(),
            replay: None,
        }
    }

    /// Says why nothing can be told.
    pub(crate) fn untold(why: String) -> Self {
        Story { unseen: Some(why), holds: false, ..Story::new(Vec::new()) }
    }

    /// Takes the inputs of the execution itself.
    pub(crate) fn set_inputs(&mut self, inputs: &Inputs) {
        self.inputs = inputs_of(inputs);
        self.tape = std::mem::take(&mut self.tape).with_inputs(inputs.code());
    }

    /// Takes the draws of the smallest execution, and where those come from that are not zero.
    pub(crate) fn set_small(&mut self, drawn: &[u64], inputs: &Inputs, sites: Vec<(usize, Site)>) {
        self.small = drawn.len() as u64;
        self.tape = Tape::new(drawn.to_vec());
        self.smaller_inputs |= self.inputs != inputs_of(inputs);
        self.set_inputs(inputs);
        self.rows.clear();
        for (number, Site { call, gave, share, place }) in sites {
            let new = StoryRow { first: number as u64 + 1, times: 1, call, gave, share, place };
            match self.rows.iter_mut().find(|row| site(row) == site(&new)) {
                Some(row) => row.times += 1,
                None => self.rows.push(new),
            }
        }
    }

    /// Counts an execution in which some draws were drawn again.
    pub(crate) fn redrawn(&mut self, first: u64, last: u64, counted: bool, passed: bool) {
        if self.deciders.last().is_none_or(|part| part.first != first) {
            self.deciders.push(Decider { first, last, redrawn: 0, passed: 0 });
        }
        if let Some(part) = self.deciders.last_mut() {
            part.redrawn += u64::from(counted);
            part.passed += u64::from(passed);
        }
    }

    /// Says what was made of the execution.
    pub fn words(&self) -> String {
        let draws = plural(self.draws, "draw");
        let why = |usual: &str| self.unseen.clone().unwrap_or_else(|| usual.into());
        if self.draws == 0 && !self.inputs.is_empty() {
            return match (self.holds, self.smaller_inputs) {
                (false, _) => "the same input did not violate again".into(),
                (true, true) => format!("the input, which decides by itself{}", self.over()),
                (true, false) => {
                    format!("nothing: the input is already as small as possible{}", self.over())
                }
            };
        }
        if self.draws == 0 {
            let usual = "no draws were seen, so it depends on none, or on its own randomness";
            return format!("nothing: {}", why(usual));
        }
        if !self.holds {
            let usual = "the program uses randomness that probtest cannot see, or depends on time";
            return format!(
                "{draws} were seen, but replaying them does not violate: {}",
                why(usual)
            );
        }
        let left = self.tape.matter() as u64;
        let over = self.over();
        match left {
            0 => format!(
                "{draws} to none that matter: everything at its simplest value violates too{over}"
            ),
            1 => format!("{draws} to 1 that matters{over}"),
            _ => format!("{draws} to {left} that matter{over}"),
        }
    }

    /// Says where something is left open.
    fn over(&self) -> String {
        match (self.complete, &self.unseen) {
            (false, _) => "; time ran out before the smallest was found".into(),
            (true, Some(why)) => format!("; {why}"),
            (true, None) => String::new(),
        }
    }

    /// Reads a story from a report; none where its tape is not one.
    pub fn of(form: &form::Story) -> Option<Self> {
        let decider = |part: &form::Decider| Decider {
            first: part.first,
            last: part.last,
            redrawn: part.redrawn,
            passed: part.passed,
        };
        Some(Story {
            draws: form.draws,
            small: form.small,
            tape: form.tape.parse().ok()?,
            holds: form.holds,
            unseen: form.unseen.clone(),
            complete: form.complete,
            executions: form.executions,
            rows: form.rows.clone(),
            inputs: form.inputs.clone(),
            smaller_inputs: form.smaller_inputs,
            deciders: form.deciders.iter().map(decider).collect(),
            replay: form.replay.clone(),
        })
    }

    pub(super) fn write(&self, section: &mut Section) {
        let facts = self.facts();
        let deciding = facts.deciding();
        self.tell(section, facts.lines.clone(), deciding.into_iter());
    }

    /// Tells everything, as text: each row, which draws are not zero, and each part of the draws
    /// that was drawn again.
    pub fn explain(&self) -> String {
        let mut section = Section { text: String::new() };
        let mut lines: Vec<String> = self.rows.iter().map(row_words).collect();
        if self.holds && self.tape.matter() > 0 {
            let (which, small) = (self.which(), self.small);
            lines.push(format!("not zero: {which} of {small}"));
        }
        let facts = self.facts();
        self.tell(&mut section, lines, facts.deciders.iter());
        section.text
    }

    fn tell<'a>(
        &self,
        section: &mut Section,
        rows: Vec<String>,
        deciders: impl Iterator<Item = &'a form::Decider>,
    ) {
        if self.smaller_inputs {
            write_inputs(&self.inputs, "smaller", section);
        }
        section.lines("shrunk", [self.words()].into_iter().chain(rows));
        section.lines("decides", deciders.map(|part| &part.words));
        section.lines("small", &self.replay);
    }

    /// The numbers of the draws that are not zero.
    fn which(&self) -> String {
        let mut runs: Vec<(usize, usize)> = Vec::new();
        for (place, _) in (1..).zip(self.tape.words()).filter(|(_, word)| **word != 0) {
            match runs.last_mut() {
                Some((_, last)) if *last + 1 == place => *last = place,
                _ => runs.push((place, place)),
            }
        }
        let words = runs.iter().map(|(first, last)| match first == last {
            true => format!("draw {first}"),
            false => format!("draws {first} to {last}"),
        });
        words.collect::<Vec<_>>().join(", ")
    }

    pub(super) fn facts(&self) -> form::Story {
        form::Story {
            draws: self.draws,
            small: self.small,
            matter: self.tape.matter() as u64,
            tape: self.tape.to_string(),
            holds: self.holds,
            unseen: self.unseen.clone(),
            complete: self.complete,
            executions: self.executions,
            words: self.words(),
            lines: shown(&self.rows, row_words),
            rows: self.rows.clone(),
            inputs: self.inputs.clone(),
            smaller_inputs: self.smaller_inputs,
            deciders: self.deciders.iter().map(Decider::facts).collect(),
            replay: self.replay.clone(),
        }
    }
}

/// Where a draw comes from, and what it gave.
fn site(row: &StoryRow) -> (&str, Option<&str>, &str, Option<&str>) {
    (&row.call, row.gave.as_deref(), &row.share, row.place.as_deref())
}

fn row_words(row: &StoryRow) -> String {
    let which = match row.times {
        1 => format!("draw {}", row.first),
        times => format!("{times} times"),
    };
    let call = if row.call.is_empty() { "a draw" } else { &row.call };
    let what = match &row.gave {
        Some(gave) => format!("{call} gave {gave}"),
        None => format!("{call} drew {} of 1", row.share),
    };
    match &row.place {
        Some(place) => format!("{what}, {which}, {place}"),
        None => format!("{what}, {which}"),
    }
}

impl Decider {
    fn facts(&self) -> form::Decider {
        let Decider { first, last, redrawn, passed } = *self;
        let (low, high) = fitting(passed, redrawn);
        let (which, values) = match first == last {
            true => (format!("draw {first} alone"), "another value"),
            false => (format!("draws {first} to {last}"), "other values"),
        };
        let share = 100.0 * passed as f64 / redrawn as f64;
        let (least, most) = (round_down(low), round_up(high));
        let words = format!("{which}: with {values} {share:.0} % pass ({least} to {most})");
        form::Decider { first, last, redrawn, passed, low, high, words }
    }
}

/// The inputs of an execution, as a report has them.
pub(crate) fn inputs_of(inputs: &Inputs) -> Vec<Input> {
    let drawn = inputs.drawn.iter();
    drawn.map(|input| Input { name: input.name.clone(), text: input.text.clone() }).collect()
}

/// Writes a line for each input. What the body noted has no name.
pub(super) fn write_inputs(inputs: &[Input], label: &str, section: &mut Section) {
    let words = |input: &Input| {
        let text = legible(&input.text);
        let short = match text.char_indices().nth(CHARACTERS) {
            Some((end, _)) => format!("{} ..", &text[..end]),
            None => text.into_owned(),
        };
        match input.name.as_str() {
            "" => short,
            name => format!("{name} = {short}"),
        }
    };
    section.lines(label, shown(inputs, words));
}

/// The first of many in words, and how many more there are.
fn shown<T>(all: &[T], words: impl Fn(&T) -> String) -> Vec<String> {
    let mut lines: Vec<String> = all.iter().take(SHOWN).map(words).collect();
    if all.len() > SHOWN {
        lines.push(format!("and {} more", all.len() - SHOWN));
    }
    lines
}

impl Report {
    /// Writes the inputs of the execution to look at below a line; nothing where it drew none.
    pub(crate) fn inputs_below(&self, head: &str) -> Option<String> {
        let mut section = Section::begin(head);
        write_inputs(&self.inputs, "input", &mut section);
        (!self.inputs.is_empty()).then_some(section.text)
    }
}
