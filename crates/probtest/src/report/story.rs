//! Texts about the inputs of an execution, and about the smallest one that shows the same
//! violation.

use probtest_facts::{Decider, Input, Story, StoryRow};

use super::Report;
use super::words::{Section, fitting, legible, plural, round_down, round_up};
use crate::run::Site;
use crate::seed::{Inputs, Tape};

/// The most rows and the most inputs that a report shows.
const SHOWN: usize = 12;
/// The most characters of an input that a report for people shows.
const CHARACTERS: usize = 400;

/// Takes the draws of the smallest execution, and where those come from that are not zero; equal
/// ones are one row.
pub(crate) fn set_small(
    story: &mut Story,
    drawn: &[u64],
    inputs: &Inputs,
    sites: Vec<(usize, Site)>,
) {
    let tape = Tape::new(drawn.to_vec()).with_inputs(inputs.code());
    story.small = drawn.len() as u64;
    story.matter = tape.matter() as u64;
    story.tape = tape.to_string();
    let inputs = inputs_of(inputs);
    story.smaller_inputs |= story.inputs != inputs;
    story.inputs = inputs;
    story.rows.clear();
    for (number, Site { call, gave, share, place }) in sites {
        let new = StoryRow { first: number as u64 + 1, times: 1, call, gave, share, place };
        match story.rows.iter_mut().find(|row| site(row) == site(&new)) {
            Some(row) => row.times += 1,
            None => story.rows.push(new),
        }
    }
}

/// Writes the texts of a story once it is complete, or time is over.
pub(crate) fn with_words(mut story: Story) -> Story {
    for part in &mut story.deciders {
        (part.low, part.high) = fitting(part.passed, part.redrawn);
        part.words = decider_words(part);
    }
    story.lines = shown(&story.rows, row_words);
    story.words = story_words(&story);
    story
}

/// A story that only says why there is none.
pub(crate) fn unexplained(why: String) -> Story {
    with_words(Story { unseen: Some(why), tape: Tape::default().to_string(), ..Story::default() })
}

fn story_words(story: &Story) -> String {
    let draws = plural(story.draws, "draw");
    let why = |usual: &str| story.unseen.clone().unwrap_or_else(|| usual.into());
    let over = match (story.complete, &story.unseen) {
        (false, _) => "; time ran out before the smallest was found".into(),
        (true, Some(why)) => format!("; {why}"),
        (true, None) => String::new(),
    };
    if story.draws == 0 && !story.inputs.is_empty() {
        return match (story.holds, story.smaller_inputs) {
            (false, _) => "the same input did not violate again".into(),
            (true, true) => format!("the input, which decides by itself{over}"),
            (true, false) => format!("nothing: the input is already as small as possible{over}"),
        };
    }
    if story.draws == 0 {
        let usual = "no draws were seen, so none matter, or the program brings its own randomness";
        return format!("nothing: {}", why(usual));
    }
    if !story.holds {
        let usual = "the program uses randomness that probtest cannot see, or depends on time";
        return format!("{draws} were seen, but replaying them does not violate: {}", why(usual));
    }
    match story.matter {
        0 => format!("{draws} to none that matter: the simplest values violate too{over}"),
        1 => format!("{draws} to 1 that matters{over}"),
        left => format!("{draws} to {left} that matter{over}"),
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

fn decider_words(part: &Decider) -> String {
    let Decider { first, last, redrawn, passed, .. } = part;
    let (which, values) = match first == last {
        true => (format!("draw {first} alone"), "another value"),
        false => (format!("draws {first} to {last}"), "other values"),
    };
    let share = 100.0 * *passed as f64 / *redrawn as f64;
    let (low, high) = (round_down(part.low), round_up(part.high));
    format!("{which}: with {values} {share:.0} % pass ({low} to {high})")
}

pub(super) fn write_story(story: &Story, section: &mut Section) {
    write_lines(story, section, &story.lines, story.deciding().into_iter());
}

/// Writes the whole story: each row, which draws aren't zero, and each part of the draws that was
/// replaced. None if the tape can't be read.
#[cfg(feature = "tools")]
pub fn explain_story(story: &Story) -> Option<String> {
    let tape: Tape = story.tape.parse().ok()?;
    // Another version may have had other words.
    let story = &with_words(story.clone());
    let mut section = Section { text: String::new() };
    let mut rows: Vec<String> = story.rows.iter().map(row_words).collect();
    if story.holds && tape.matter() > 0 {
        rows.push(format!("not zero: {} of {}", not_zero(&tape), story.small));
    }
    write_lines(story, &mut section, &rows, story.deciders.iter());
    Some(section.text)
}

fn write_lines<'a>(
    story: &Story,
    section: &mut Section,
    rows: &[String],
    deciders: impl Iterator<Item = &'a Decider>,
) {
    if story.smaller_inputs {
        write_inputs(&story.inputs, "smaller", section);
    }
    section.lines("shrunk", [&story.words].into_iter().chain(rows));
    section.lines("decides", deciders.map(|part| &part.words));
    section.lines("small", &story.replay);
}

/// The numbers of the draws that are not zero.
#[cfg(feature = "tools")]
fn not_zero(tape: &Tape) -> String {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for (place, _) in (1..).zip(tape.words()).filter(|(_, word)| **word != 0) {
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
