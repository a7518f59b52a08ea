//! The files of a study, and the page that shows them.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use probtest_figures::draw::{Canvas, Look, png};
use probtest_figures::page::{GENERATOR, Page, Section};
use serde_json::{Value, json};

use super::files::Folder;
use crate::failure::Failure;
use crate::output;

/// The name of the page.
const INDEX: &str = "index.html";
/// Pixels for each unit of a figure: sharp on paper.
const SHARP: f32 = 2.0;

/// Writes each part as soon as it is there, and the page at the end.
pub struct Report {
    folder: Folder,
    sections: Vec<Section>,
    written: Vec<PathBuf>,
    /// The command of a page that was there.
    earlier: Option<String>,
}

impl Report {
    /// Makes the folder.
    ///
    /// # Errors
    ///
    /// When it cannot be written to, or has a page that is not ours.
    pub fn begin(path: &Path) -> Result<Report, Failure> {
        let folder = Folder::make(path)?;
        let earlier = spare(&folder.path(INDEX))?;
        Ok(Report {
            earlier,
            folder,
            sections: Vec::new(),
            written: Vec::new(),
        })
    }

    /// Writes the files and figures of a part.
    ///
    /// # Errors
    ///
    /// When one cannot be written.
    pub fn add(&mut self, section: Section) -> Result<(), Failure> {
        for file in &section.files {
            let path = self.folder.write(&file.name, &file.text)?;
            self.written.push(path);
        }
        for figure in &section.figures {
            self.draw(figure)?;
        }
        self.sections.push(section);
        Ok(())
    }

    fn draw(&mut self, figure: &Canvas) -> Result<(), Failure> {
        let name = figure.name();
        let svg = figure.svg(Look::File);
        let path = self.folder.write(&format!("{name}.svg"), svg)?;
        self.written.push(path);
        let image = png(figure, SHARP).map_err(Failure::unfinished)?;
        let path = self.folder.write(&format!("{name}.png"), image)?;
        self.written.push(path);
        Ok(())
    }

    /// Writes the page, and returns its path.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn finish(
        &mut self,
        about: Vec<(&'static str, String)>,
        missing: &str,
    ) -> Result<PathBuf, Failure> {
        // The same page again replaces nothing that anybody could miss.
        let again = |earlier: &String| about.iter().any(|(_, value)| value == earlier);
        self.earlier
            .take_if(|earlier| missing.is_empty() && again(earlier));
        let html = self.page(about, missing).html();
        let path = self.folder.write(INDEX, html)?;
        self.written.push(path.clone());
        Ok(path)
    }

    /// The page as it is so far.
    pub fn page(&self, about: Vec<(&'static str, String)>, missing: &str) -> Page<'_> {
        Page {
            about,
            missing: missing.to_owned(),
            sections: &self.sections,
        }
    }

    /// Says which page is no longer there, if one was that showed something else.
    pub fn replaced(&self) -> Option<String> {
        let earlier = self.earlier.as_ref()?;
        Some(format!(
            "the page of `{earlier}`; its other files are as they were"
        ))
    }

    /// Prints the table of a study and names its files, as text or as one JSON object.
    ///
    /// # Errors
    ///
    /// When stdout cannot be written.
    pub fn tell(&self, as_json: bool, mut table: Value, text: &str) -> Result<(), Failure> {
        if as_json {
            table["probtest"] = json!(probtest::report::FORMAT);
            table["files"] = json!(self.written);
            output::print_json(&table)
        } else {
            output::print(&format!("{text}\n{}\n", self.written_to()))
        }
    }

    /// Says where the files are.
    fn written_to(&self) -> String {
        let name = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default();
            name.to_string_lossy().into_owned()
        };
        let names: Vec<String> = self.written.iter().map(name).collect();
        let folder = self.folder.path("");
        let replaced = self.replaced();
        let replaced = replaced.map_or_else(String::new, |page| format!("\nreplaced {page}"));
        let names = names.join(", ");
        format!("written to {}: {names}{replaced}", folder.display())
    }

    /// The parts so far.
    pub fn sections(&self) -> &[Section] {
        &self.sections
    }

    /// The files so far.
    pub fn written(&self) -> &[PathBuf] {
        &self.written
    }
}

/// How a page was made. Not when and on how many threads: the same seed makes the
/// same page.
pub fn about(command: &str) -> Vec<(&'static str, String)> {
    let command = format!("probtest reproduce {command}");
    vec![
        ("command", command.trim_end().to_owned()),
        ("version", env!("CARGO_PKG_VERSION").to_owned()),
        ("paper", "ProbTest, SEFM 2025, arXiv 2509.02012".to_owned()),
    ]
}

/// Refuses to write over a page that is not ours, and returns the command of one that
/// is.
fn spare(path: &Path) -> Result<Option<String>, Failure> {
    let read = match std::fs::metadata(path) {
        // To read a pipe is to wait until somebody writes.
        Ok(known) if !known.is_file() => Err(ErrorKind::InvalidInput.into()),
        _ => std::fs::read_to_string(path),
    };
    let what = match read {
        Ok(text) if text.contains(GENERATOR) => return Ok(command_of(&text)),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Ok(_) => "the folder has an index.html that probtest did not write".to_owned(),
        Err(error) if error.kind() == ErrorKind::InvalidInput => {
            "the folder has an index.html that is no file".to_owned()
        }
        Err(error) => format!("the folder has an index.html that cannot be read: {error}"),
    };
    Err(Failure::given(
        what,
        path.display(),
        "name another folder, such as --out reproduction, or move that page away",
    ))
}

/// The command that a page says it was made by, where it is one to be shown.
fn command_of(page: &str) -> Option<String> {
    let (_, rest) = page.split_once("<dt>command</dt><dd>")?;
    let (command, _) = rest.split_once("</dd>")?;
    let plain = |letter: char| letter.is_ascii_graphic() || letter == ' ';
    let known = command.starts_with("probtest reproduce") && command.chars().all(plain);
    known.then(|| command.to_owned())
}
