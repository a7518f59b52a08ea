//! The page: `index.html`, everything beside the published numbers.
//!
//! [`sections`] makes the parts of the paper from the numbers of the studies, with tables
//! that have a verdict in each row; [`Page`] is the whole as HTML. One file, nothing is
//! fetched, everything that is not ours is escaped.

pub mod sections;

use std::fmt::Write;

use crate::draw::{Canvas, Look, escaped};
use crate::finding::{self, Finding};
use crate::table::Cells;

const STYLE: &str = include_str!("style.css");

/// What the page says of itself, so that another page is not taken for ours.
pub const GENERATOR: &str = "<meta name=\"generator\" content=\"probtest-paper\">";

pub struct Page<'a> {
    /// Facts about how it was made, as names and values.
    pub about: Vec<(&'static str, String)>,
    /// What is missing and why; empty for a whole page.
    pub missing: String,
    pub sections: &'a [Section],
}

/// How many rows of all sections have a verdict.
pub fn count(sections: &[Section], verdict: Verdict) -> usize {
    let tables = sections.iter().flat_map(|section| &section.tables);
    let lines = tables.flat_map(|table| &table.lines);
    lines.filter(|line| line.verdict == verdict).count()
}

/// The answer in one line.
pub fn summary(sections: &[Section]) -> String {
    let agree = count(sections, Verdict::Agrees);
    let differ = count(sections, Verdict::Differs);
    let rows = if agree + differ == 1 { "row" } else { "rows" };
    format!(
        "{agree} of {} {rows} agree with the paper, {differ} differ, each with the reason",
        agree + differ
    )
}

impl Page<'_> {
    pub fn html(&self) -> String {
        let mut text = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
             {GENERATOR}\n<title>The ProbTest paper, reproduced</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
             <a class=\"skip\" href=\"#content\">skip to content</a>\n<header>\n\
             <h1>The ProbTest paper, reproduced</h1>\n<p>{}.</p>\n",
            escaped(&summary(self.sections))
        );
        if !self.missing.is_empty() {
            let missing = escaped(&self.missing);
            let _ = writeln!(text, "<p class=\"note\" role=\"note\">{missing}</p>");
        }
        text.push_str("<dl>\n");
        for (name, value) in &self.about {
            let (name, value) = (escaped(name), escaped(value));
            let _ = writeln!(text, "<dt>{name}</dt><dd>{value}</dd>");
        }
        text.push_str("</dl>\n<nav aria-label=\"parts\"><ul>\n");
        for section in self.sections {
            let (id, title) = (section.id, escaped(section.title));
            let _ = writeln!(text, "<li><a href=\"#{id}\">{title}</a></li>");
        }
        text.push_str("</ul></nav>\n</header>\n<main id=\"content\">\n");
        for section in self.sections {
            text.push_str(&part(section));
        }
        text.push_str("</main>\n</body>\n</html>\n");
        text
    }
}

fn part(section: &Section) -> String {
    let (id, title) = (section.id, escaped(section.title));
    let mut text = format!(
        "<section id=\"{id}\" aria-labelledby=\"{id}-head\">\n<h2 id=\"{id}-head\">{title}</h2>\n"
    );
    for words in &section.words {
        let _ = writeln!(text, "<p>{}</p>", escaped(words));
    }
    for figure in &section.figures {
        let (name, title) = (escaped(&figure.name), escaped(&figure.title));
        let svg = figure.svg(Look::Inside);
        let _ = writeln!(
            text,
            "<figure>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"{title}\">\n{svg}</div>\n<figcaption>{title}. As <a href=\"{name}.svg\">SVG</a>, <a href=\"{name}.png\">PNG</a>.</figcaption>\n</figure>"
        );
    }
    for table in &section.tables {
        text.push_str(&table.html());
    }
    text.push_str("<ul class=\"files\" aria-label=\"files\">\n");
    for file in &section.files {
        let name = escaped(file.name);
        let _ = writeln!(text, "<li><a href=\"{name}\">{name}</a></li>");
    }
    text.push_str("</ul>\n</section>\n");
    text
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    pub name: &'static str,
    pub text: String,
}

/// A part of the paper: words, figures, tables, and the files of both.
pub struct Section {
    /// A short name without spaces: the target of links, and the JSON name.
    pub id: &'static str,
    pub title: &'static str,
    pub words: Vec<String>,
    pub figures: Vec<Canvas>,
    pub tables: Vec<Table>,
    pub files: Vec<File>,
}

/// Whether a row agrees with the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Agrees,
    Differs,
    /// The paper's number is about another policy, so the two say nothing of each
    /// other.
    OtherPolicy,
    /// The paper has no number for it.
    Unpublished,
}

impl Verdict {
    pub fn of(agrees: bool) -> Self {
        match agrees {
            true => Verdict::Agrees,
            false => Verdict::Differs,
        }
    }

    /// The word of the page and of the JSON form.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Agrees => finding::verdict(true),
            Verdict::Differs => finding::verdict(false),
            Verdict::OtherPolicy => "another policy",
            Verdict::Unpublished => "not in the paper",
        }
    }

    /// The class of its cell, and a mark that needs no colour.
    fn look(self) -> (&'static str, &'static str) {
        match self {
            Verdict::Agrees => ("agrees", "✓"),
            Verdict::Differs => ("differs", "≠"),
            Verdict::OtherPolicy | Verdict::Unpublished => ("new", "·"),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The first cell is the head of the row.
    pub cells: Cells,
    pub verdict: Verdict,
    pub why: String,
}

/// A table of the page. Verdict and reason follow behind its cells by themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    pub caption: String,
    pub lines: Vec<Line>,
}

impl Table {
    pub fn of_findings(caption: &str, findings: &[Finding]) -> Self {
        let line = |finding: &Finding| Line {
            cells: vec![
                ("what", finding.subject.clone()),
                ("the paper", finding.published.clone()),
                ("here", finding.ours.clone()),
            ],
            verdict: Verdict::of(finding.agrees),
            why: finding.why.clone(),
        };
        Table { caption: caption.to_owned(), lines: findings.iter().map(line).collect() }
    }

    pub fn heads(&self) -> Vec<&'static str> {
        let cells = self.lines.iter().take(1).flat_map(|line| &line.cells);
        cells.map(|(head, _)| *head).collect()
    }

    fn html(&self) -> String {
        let mut text = String::from("<div class=\"wide\" tabindex=\"0\" role=\"region\"");
        let caption = escaped(&self.caption);
        // Writing into a text cannot fail.
        let _ = write!(
            text,
            " aria-label=\"{caption}\">\n<table>\n<caption>{caption}</caption>\n<thead><tr>"
        );
        for head in self.heads().iter().chain(&["verdict", "why"]) {
            let _ = write!(text, "<th scope=\"col\">{}</th>", escaped(head));
        }
        text.push_str("</tr></thead>\n<tbody>\n");
        for line in &self.lines {
            text.push_str("<tr>");
            for (place, (_, cell)) in line.cells.iter().enumerate() {
                let cell = escaped(cell);
                let _ = match place {
                    0 => write!(text, "<th scope=\"row\">{cell}</th>"),
                    _ => write!(text, "<td>{cell}</td>"),
                };
            }
            let (class, mark) = line.verdict.look();
            let (word, why) = (line.verdict.word(), escaped(&line.why));
            let _ = writeln!(
                text,
                "<td class=\"{class}\"><span aria-hidden=\"true\">{mark}</span> {word}</td><td class=\"why\">{why}</td></tr>"
            );
        }
        text.push_str("</tbody>\n</table>\n</div>\n");
        text
    }
}
