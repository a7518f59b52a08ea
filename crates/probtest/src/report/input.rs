//! The inputs of an execution, in words.

use probtest_facts as form;

use super::Report;
use super::words::{Section, legible};
use crate::seed::Inputs;

/// The most characters of an input that a report for people shows, and the most inputs.
const SHOWN: usize = 400;
const MOST: usize = 12;

/// An input of an execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// What it is called: the parameter, or the number of the draw. Nothing for what the body noted.
    pub name: String,
    /// Its value, as people read it.
    pub text: String,
}

impl Input {
    pub(crate) fn of(inputs: &Inputs) -> Vec<Input> {
        let input = inputs
            .drawn
            .iter()
            .map(|input| Input { name: input.name.clone(), text: input.text.clone() });
        input.collect()
    }

    pub(crate) fn read(forms: &[form::Input]) -> Vec<Input> {
        let input =
            forms.iter().map(|input| Input { name: input.name.clone(), text: input.text.clone() });
        input.collect()
    }

    pub(super) fn facts(inputs: &[Input]) -> Vec<form::Input> {
        let input = inputs
            .iter()
            .map(|input| form::Input { name: input.name.clone(), text: input.text.clone() });
        input.collect()
    }

    fn words(&self) -> String {
        let text = legible(&self.text);
        let short = match text.char_indices().nth(SHOWN) {
            Some((end, _)) => format!("{} ..", &text[..end]),
            None => text.into_owned(),
        };
        match self.name.as_str() {
            "" => short,
            name => format!("{name} = {short}"),
        }
    }

    /// Writes a line for each input.
    pub(super) fn write(inputs: &[Input], label: &str, section: &mut Section) {
        for (place, input) in inputs.iter().take(MOST).enumerate() {
            section.line(if place == 0 { label } else { "" }, &input.words());
        }
        if inputs.len() > MOST {
            section.line("", &format!("and {} more", inputs.len() - MOST));
        }
    }
}

impl Report {
    /// Writes the inputs of the execution to look at below a line; nothing where it drew none.
    pub(crate) fn inputs_below(&self, head: &str) -> Option<String> {
        let mut section = Section::begin(head);
        Input::write(&self.inputs, "input", &mut section);
        (!self.inputs.is_empty()).then_some(section.text)
    }
}
