//! `probtest reproduce`: everything, or the parts with a figure.

use probtest_figures::page::{Section, Table, Verdict};
use serde_json::{Value, json};

use super::parts::{Part, Work};
use super::report::{Report, about};
use super::settings::Settings;
use super::watch::Watch;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output;

/// What the command without a study is called in its answers.
pub const EVERYTHING: &str = "all";

/// What all of it can be told.
#[derive(clap::Args, Debug)]
pub struct Parts {
    /// Measure less: everything in under two minutes on two cores
    #[arg(long)]
    quick: bool,

    #[command(flatten)]
    pub settings: Settings,
}

impl Parts {
    /// Carries out some parts. `what` is what the command is called.
    ///
    /// # Errors
    ///
    /// When an option cannot be used, a file cannot be written, or a signal ended
    /// it; what was finished by then is on the page.
    pub fn carry_out(&self, what: &str, parts: &[Part]) -> Result<Exit, Failure> {
        let jobs = self.settings.jobs()?;
        let work = Work::new(self.quick, jobs, self.settings.seed()?);
        let mut report = Report::begin(&self.settings.out)?;

        let pieces = parts.iter().map(|part| part.pieces(&work)).sum();
        let watch = Watch::begin("pieces of work", pieces)?;
        let mut promises_kept = true;
        for (number, part) in parts.iter().enumerate() {
            let finished = part.carry_out(&work, &watch);
            let Some((section, kept)) = finished.filter(|_| !watch.interrupted()) else {
                drop(watch);
                return Err(self.interrupted(what, report, &parts[number..], &work));
            };
            report.add(section)?;
            promises_kept &= kept;
        }
        drop(watch);

        let index = report.finish(about(&self.command(what, &work)), "")?;
        let page = report.page(Vec::new(), "");
        if self.settings.json {
            output::print_json(&json!({
                "probtest": probtest::report::FORMAT,
                "study": what,
                "quick": self.quick,
                "seed": work.seed.map(|seed| seed.to_string()),
                "agree": page.count(Verdict::Agrees),
                "differ": page.count(Verdict::Differs),
                "promise_is_kept": promises_kept,
                "sections": report.sections().iter().map(section).collect::<Vec<_>>(),
                "files": report.written(),
            }))?;
        } else {
            let mut text = format!("{}\n", page.summary());
            text.push_str(&format!("  look at   {}\n", index.display()));
            if let Some(page) = report.replaced() {
                text.push_str(&format!("  replaced  {page}\n"));
            }
            text.push_str("\nagree  differ  part\n");
            for section in report.sections() {
                text.push_str(&format!(
                    "{:>5}  {:>6}  {}\n",
                    section.count(Verdict::Agrees),
                    section.count(Verdict::Differs),
                    section.title
                ));
            }
            output::print(&text)?;
        }
        Ok(if promises_kept {
            Exit::Passed
        } else {
            Exit::Violated
        })
    }

    /// The words that make the same page again.
    fn command(&self, what: &str, work: &Work) -> String {
        let mut words = Vec::new();
        if what != EVERYTHING {
            words.push(what.to_owned());
        }
        if self.quick {
            words.push("--quick".to_owned());
        }
        words.extend(work.seed.map(|seed| format!("--seed {seed}")));
        words.join(" ")
    }

    /// Shows what is finished, and says so.
    fn interrupted(&self, what: &str, mut report: Report, left: &[Part], work: &Work) -> Failure {
        let left: Vec<&str> = left.iter().map(|part| part.name()).collect();
        let left = left.join(", ");
        let files = report.written().len();
        if files == 0 {
            return Failure::unfinished(
                "interrupted before a part was complete; nothing was written",
            );
        }
        let missing = format!("This page is not whole: it was interrupted. Missing: {left}.");
        match report.finish(about(&self.command(what, work)), &missing) {
            Ok(index) => {
                let replaced = report.replaced();
                let replaced =
                    replaced.map_or_else(String::new, |page| format!(" in place of {page}"));
                Failure::unfinished(format!(
                    "interrupted; the parts that were complete are in {}{replaced}\n  given  missing: {left}\n  help   start the same command again for the rest",
                    index.display()
                ))
            }
            Err(failure) => failure,
        }
    }
}

fn section(section: &Section) -> Value {
    json!({
        "id": section.id,
        "title": section.title,
        "tables": section.tables.iter().map(table).collect::<Vec<_>>(),
    })
}

fn table(table: &Table) -> Value {
    let rows = table.lines.iter().map(
        |line| json!({ "cells": line.cells, "verdict": line.verdict.word(), "why": line.why }),
    );
    json!({
        "caption": table.caption,
        "columns": table.heads,
        "rows": rows.collect::<Vec<_>>(),
    })
}
