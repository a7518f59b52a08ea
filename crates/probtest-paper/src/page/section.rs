//! A part of the paper.

use crate::draw::Canvas;

use super::table::{Table, Verdict};

/// A text file of a section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its name, with the ending.
    pub name: String,
    /// What stands in it.
    pub text: String,
}

impl File {
    /// Makes a file.
    pub fn new(name: &str, text: String) -> Self {
        File {
            name: name.to_owned(),
            text,
        }
    }
}

/// A part of the paper: words, figures, tables, and the files of both.
pub struct Section {
    /// A short name without spaces: the target of links, and the JSON name.
    pub id: &'static str,
    /// The head.
    pub title: &'static str,
    /// What is shown, in paragraphs.
    pub words: Vec<String>,
    /// The figures, as they were drawn.
    pub figures: Vec<Canvas>,
    /// The tables, beside the published numbers.
    pub tables: Vec<Table>,
    /// The files with all numbers.
    pub files: Vec<File>,
}

impl Section {
    /// How many rows of all tables have a verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.tables.iter().map(|table| table.count(verdict)).sum()
    }
}
