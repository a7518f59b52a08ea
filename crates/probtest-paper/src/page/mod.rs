//! The page: `index.html`, with everything next to the published numbers.
//!
//! [`sections`] turns the numbers of the studies into the parts of the paper, with tables that have
//! a verdict in each row; [`html`] is the whole page. It is one file, fetches nothing, and escapes
//! everything that isn't ours.

pub mod sections;

use std::fmt::Write;

use crate::draw::{Canvas, Look, escaped};
use crate::table::{Cells, Finding, Verdict};

const STYLE: &str = include_str!("style.css");

/// Marks our pages, so that another page isn't mistaken for one.
pub const GENERATOR: &str = "<meta name=\"generator\" content=\"probtest-paper\">";

/// How many rows in all sections have this verdict.
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

/// Writes the page. `about` says how it was made, as names and values; `missing` says what is
/// missing and why, and is empty for a complete page.
pub fn html(about: &[(&str, &str)], missing: &str, sections: &[Section]) -> String {
    let mut text = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         {GENERATOR}\n<title>The ProbTest paper, reproduced</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
         <a class=\"skip\" href=\"#content\">skip to content</a>\n<header>\n\
         <h1>The ProbTest paper, reproduced</h1>\n<p>{}.</p>\n",
        escaped(&summary(sections))
    );
    if !missing.is_empty() {
        let _ = writeln!(text, "<p class=\"note\" role=\"note\">{}</p>", escaped(missing));
    }
    text.push_str("<dl>\n");
    for (name, value) in about {
        let _ = writeln!(text, "<dt>{}</dt><dd>{}</dd>", escaped(name), escaped(value));
    }
    text.push_str("</dl>\n<nav aria-label=\"parts\"><ul>\n");
    for section in sections {
        let (id, title) = (section.id, escaped(section.title));
        let _ = writeln!(text, "<li><a href=\"#{id}\">{title}</a></li>");
    }
    text.push_str("</ul></nav>\n</header>\n<main id=\"content\">\n");
    text.extend(sections.iter().map(part));
    text.push_str("</main>\n</body>\n</html>\n");
    text
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
        let (name, title) = (figure.name, escaped(figure.title));
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
    for (name, _) in &section.files {
        let _ = writeln!(text, "<li><a href=\"{name}\">{name}</a></li>");
    }
    text.push_str("</ul>\n</section>\n");
    text
}

/// A part of the paper: text, figures, tables, and the files of both.
pub struct Section {
    /// A short name without spaces: the target of links, and the JSON name.
    pub id: &'static str,
    pub title: &'static str,
    pub words: Vec<String>,
    pub figures: Vec<Canvas>,
    pub tables: Vec<Table>,
    /// Names and contents.
    pub files: Vec<(&'static str, String)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableLine {
    /// The first cell is the row header.
    pub cells: Cells,
    pub verdict: Verdict,
    pub why: String,
}

/// A table on the page. Verdict and reason are added after its cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    pub caption: String,
    pub lines: Vec<TableLine>,
}

impl Table {
    pub fn new<R>(caption: &str, rows: &[R], line: impl Fn(&R) -> TableLine) -> Self {
        Table { caption: caption.to_owned(), lines: rows.iter().map(line).collect() }
    }

    pub fn of_findings(caption: &str, findings: &[Finding]) -> Self {
        Table::new(caption, findings, |finding| TableLine {
            cells: vec![
                ("what", finding.subject.clone()),
                ("the paper", finding.published.clone()),
                ("here", finding.ours.clone()),
            ],
            verdict: Verdict::of(finding.agrees),
            why: finding.why.clone(),
        })
    }

    pub fn heads(&self) -> Vec<&'static str> {
        self.lines.iter().take(1).flat_map(|line| &line.cells).map(|(head, _)| *head).collect()
    }

    fn html(&self) -> String {
        let caption = escaped(&self.caption);
        let mut text = format!(
            "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"{caption}\">\n<table>\n<caption>{caption}</caption>\n<thead><tr>"
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
            let (word, class, mark) = line.verdict.look();
            let why = escaped(&line.why);
            let _ = writeln!(
                text,
                "<td class=\"{class}\"><span aria-hidden=\"true\">{mark}</span> {word}</td><td class=\"why\">{why}</td></tr>"
            );
        }
        text.push_str("</tbody>\n</table>\n</div>\n");
        text
    }
}
