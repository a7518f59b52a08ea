//! The answer: files, the page that shows them, and the output.

use std::collections::BTreeSet;
use std::fs::Permissions;
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use probtest_paper::draw::{Look, png};
use probtest_paper::page::{self, GENERATOR, Section, Table};
use probtest_paper::table::Verdict;
use serde_json::{Value, json};

use crate::parts::{Finished, Progress};
use crate::{Failure, Settings, StudyRequest, print, print_json};

const INDEX: &str = "index.html";
/// The list of the files that this program wrote to a folder, and its first line.
const LIST: &str = ".probtest-paper";
const HEAD: &str = "# written by probtest-paper, which replaces these files and no others";
/// Pixels per unit of a figure: sharp on paper.
const SHARP: f32 = 2.0;

impl StudyRequest {
    /// Runs the parts, and returns whether every promise is kept. A part is written as soon as it
    /// is finished, and the page at the end, even after a signal.
    pub fn run(&self, settings: &Settings) -> Result<bool, Failure> {
        let mut report = Report::begin(&settings.out)?;
        let pieces = self.parts.iter().map(|part| part.pieces(&self.work)).sum();
        let progress = Progress::begin(pieces)?;
        let mut promises_are_kept = true;
        let mut tables = Vec::new();
        for (number, part) in self.parts.iter().enumerate() {
            let Some(finished) = part.run(&self.work, &progress) else {
                drop(progress);
                let left = self.parts[number..].iter().map(|part| part.name());
                let left: Vec<&str> = left.collect();
                return Err(report.interrupted(&self.command, &left.join(", ")));
            };
            let Finished { section, table, .. } = finished;
            report.add(section)?;
            promises_are_kept &= finished.promises_are_kept;
            tables.extend(table);
        }
        drop(progress);
        report.finish(&self.command, "")?;
        match (&self.parts[..], tables.pop()) {
            ([_], Some((json, text))) => report.tell_table(settings.json, json, &text)?,
            _ if settings.json => {
                print_json(&report.summary_json(self, settings.quick, promises_are_kept))?
            }
            _ => print(&report.summary())?,
        }
        Ok(promises_are_kept)
    }
}

struct Report {
    folder: PathBuf,
    sections: Vec<Section>,
    written: Vec<PathBuf>,
    /// A line for each file in the folder that this program wrote: the hash of its content, and its
    /// name. Files that others wrote or changed are never overwritten.
    own: BTreeSet<String>,
    /// The command of an existing page that showed something else.
    replaced: Option<String>,
}

impl Report {
    /// Creates the folder and tries to write to it, so that an error shows before the work, not
    /// after.
    fn begin(folder: &Path) -> Result<Report, Failure> {
        std::fs::create_dir_all(folder).map_err(|error| refused(folder, &error))?;
        tempfile::tempfile_in(folder).map_err(|error| refused(folder, &error))?;
        let list = folder.join(LIST);
        let own = match read(&list) {
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            Ok(text) if text.starts_with(HEAD) => text,
            Ok(_) => return Err(foreign(&list)),
            Err(error) => return Err(refused(&list, &error)),
        };
        Ok(Report {
            folder: folder.to_owned(),
            sections: Vec::new(),
            written: Vec::new(),
            own: own.lines().skip(1).map(str::to_owned).collect(),
            replaced: command_of_page(&folder.join(INDEX))?,
        })
    }

    fn add(&mut self, section: Section) -> Result<(), Failure> {
        for (name, text) in &section.files {
            self.write(name, text)?;
        }
        for figure in &section.figures {
            let name = figure.name;
            self.write(&format!("{name}.svg"), figure.svg(Look::File))?;
            let image = png(figure, SHARP).map_err(Failure::unfinished)?;
            self.write(&format!("{name}.png"), image)?;
        }
        self.sections.push(section);
        Ok(())
    }

    fn write(&mut self, name: &str, content: impl AsRef<[u8]>) -> Result<(), Failure> {
        self.claim(name, content.as_ref())?;
        self.replace(name, content.as_ref())?;
        self.written.push(self.folder.join(name));
        Ok(())
    }

    /// Puts a file on the list before writing it: if the program ends in between, the file is still
    /// known to be ours.
    fn claim(&mut self, name: &str, content: &[u8]) -> Result<(), Failure> {
        let path = self.folder.join(name);
        let there = match std::fs::symlink_metadata(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(refused(&path, &error)),
            Ok(known) if !known.is_file() => return Err(foreign(&path)),
            Ok(_) => Some(std::fs::read(&path).map_err(|error| refused(&path, &error))?),
        };
        let there = there.map(|content| line(name, &content));
        // An index.html is recognized by its content, and was checked before.
        if name != INDEX && there.as_ref().is_some_and(|there| !self.own.contains(there)) {
            return Err(foreign(&path));
        }
        let ending = format!(" {name}");
        self.own.retain(|line| !line.ends_with(&ending) || Some(line) == there.as_ref());
        self.own.insert(line(name, content));
        let lines: String = self.own.iter().map(|line| format!("{line}\n")).collect();
        self.replace(LIST, format!("{HEAD}\n{lines}").as_bytes())
    }

    /// Writes a file atomically: a reader, a second command or a signal in between sees either the
    /// old file or the new one.
    fn replace(&self, name: &str, content: &[u8]) -> Result<(), Failure> {
        let path = self.folder.join(name);
        let written = tempfile::Builder::new()
            .prefix(&format!(".{name}."))
            .suffix(".partial")
            // The system applies the umask of the process.
            .permissions(Permissions::from_mode(0o666))
            .tempfile_in(&self.folder)
            .and_then(|mut file| {
                file.write_all(content)?;
                file.persist(&path).map_err(|error| error.error)
            });
        written.map(drop).map_err(|error| refused(&path, &error))
    }

    /// Writes the page. `missing` says what isn't on it and why; empty for a complete page. It
    /// contains no time and no number of threads: the same seed makes the same page.
    fn finish(&mut self, command: &str, missing: &str) -> Result<(), Failure> {
        let about = [
            ("command", command),
            ("version", env!("CARGO_PKG_VERSION")),
            ("paper", "ProbTest, SEFM 2025, arXiv 2509.02012"),
        ];
        self.write(INDEX, page::html(&about, missing, &self.sections))?;
        // If the same page is written again, nothing is lost.
        self.replaced.take_if(|earlier| missing.is_empty() && earlier == command);
        Ok(())
    }

    /// Shows what is finished, and says so.
    fn interrupted(mut self, command: &str, left: &str) -> Failure {
        if self.written.is_empty() {
            return Failure::unfinished(
                "interrupted before a part was finished; nothing was written",
            );
        }
        let missing =
            format!("This page is incomplete, because the run was interrupted. Missing: {left}.");
        if let Err(failure) = self.finish(command, &missing) {
            return failure;
        }
        let replaced = self.replaced("", " in place of ");
        Failure::unfinished(format!(
            "interrupted; the parts that were finished are in {}{replaced}\n  given  missing: {left}\n  help   run the same command again for the rest",
            self.folder.join(INDEX).display()
        ))
    }

    /// Says which page was replaced, if it showed something else.
    fn replaced(&self, after: &str, before: &str) -> String {
        self.replaced.as_ref().map_or_else(String::new, |earlier| {
            format!("{before}the page of `{earlier}`; its other files were left alone{after}")
        })
    }

    /// Prints the table of one study, and names the files.
    fn tell_table(&self, as_json: bool, mut table: Value, text: &str) -> Result<(), Failure> {
        if as_json {
            table["probtest"] = json!(probtest::report::FORMAT);
            table["files"] = json!(self.written);
            return print_json(&table);
        }
        let name = |path: &PathBuf| path.file_name().unwrap_or_default().display().to_string();
        let names: Vec<String> = self.written.iter().map(name).collect();
        print(&format!(
            "{text}\nwritten to {}: {}{}\n",
            self.folder.join("").display(),
            names.join(", "),
            self.replaced("", "\nreplaced ")
        ))
    }

    fn summary(&self) -> String {
        let mut text = format!(
            "{}\n  open      {}\n{}\nagree  differ  part\n",
            page::summary(&self.sections),
            self.folder.join(INDEX).display(),
            self.replaced("\n", "  replaced  ")
        );
        for section in &self.sections {
            let count = |verdict| page::count(std::slice::from_ref(section), verdict);
            let (agree, differ) = (count(Verdict::Agrees), count(Verdict::Differs));
            text.push_str(&format!("{agree:>5}  {differ:>6}  {}\n", section.title));
        }
        text
    }

    fn summary_json(&self, asked: &StudyRequest, quick: bool, promises_are_kept: bool) -> Value {
        let table = |table: &Table| {
            let rows = table.lines.iter().map(|line| {
                let cells: Vec<&String> = line.cells.iter().map(|(_, cell)| cell).collect();
                json!({ "cells": cells, "verdict": line.verdict.word(), "why": line.why })
            });
            let rows: Vec<Value> = rows.collect();
            json!({ "caption": table.caption, "columns": table.heads(), "rows": rows })
        };
        let section = |section: &Section| {
            let tables: Vec<Value> = section.tables.iter().map(table).collect();
            json!({ "id": section.id, "title": section.title, "tables": tables })
        };
        json!({
            "probtest": probtest::report::FORMAT,
            "study": asked.name,
            "quick": quick,
            "seed": asked.work.seed.map(|seed| seed.to_string()),
            "agree": page::count(&self.sections, Verdict::Agrees),
            "differ": page::count(&self.sections, Verdict::Differs),
            "promise_is_kept": promises_are_kept,
            "sections": self.sections.iter().map(section).collect::<Vec<_>>(),
            "files": self.written,
        })
    }
}

/// The line of a file in the list. 64 bits of FNV-1a distinguish its content from any other, unless
/// that was made to collide.
fn line(name: &str, content: &[u8]) -> String {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    let hash = content.iter().fold(0xcbf2_9ce4_8422_2325, step);
    format!("{hash:016x} {name}")
}

/// Reads a file. Fails with `InvalidInput` if the name isn't a regular file: reading a pipe would
/// wait for a writer.
fn read(path: &Path) -> io::Result<String> {
    match std::fs::metadata(path) {
        Ok(known) if !known.is_file() => Err(ErrorKind::InvalidInput.into()),
        _ => std::fs::read_to_string(path),
    }
}

fn unusable(what: &str, path: &Path, help: &str) -> Failure {
    Failure::usage(format!("{what}\n  given  {}\n  help   choose {help}", path.display()))
}

fn foreign(path: &Path) -> Failure {
    let what = "the folder has a file with that name that probtest-paper didn't write, or that was changed";
    unusable(what, path, "another folder, such as --out reproduction, or move the file")
}

fn refused(path: &Path, error: &io::Error) -> Failure {
    let what = format!("can't write the tables: {error}");
    unusable(&what, path, "a folder that you can write to, such as --out tables")
}

/// Refuses to overwrite a page that isn't ours, and returns the command of one that is.
fn command_of_page(path: &Path) -> Result<Option<String>, Failure> {
    let what = match read(path) {
        Ok(page) if page.contains(GENERATOR) => {
            let command = page.split("<dt>command</dt><dd>").nth(1);
            let command = command.and_then(|rest| rest.split("</dd>").next());
            // The page's command is shown only if this program could have written it.
            let plain = |letter: char| letter.is_ascii_graphic() || letter == ' ';
            let ours = |command: &&str| {
                command.starts_with("probtest-paper") && command.chars().all(plain)
            };
            return Ok(command.filter(ours).map(str::to_owned));
        }
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Ok(_) => "that probtest-paper didn't write".to_owned(),
        Err(error) if error.kind() == ErrorKind::InvalidInput => "that isn't a file".to_owned(),
        Err(error) => format!("that can't be read: {error}"),
    };
    let what = format!("the folder has an index.html {what}");
    Err(unusable(&what, path, "another folder, such as --out reproduction, or move that page"))
}
