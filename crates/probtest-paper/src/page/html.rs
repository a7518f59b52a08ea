//! The page as HTML.

use std::fmt::Write;

use crate::draw::Look;
use crate::draw::escaped;

use super::section::Section;
use super::style::STYLE;
use super::table::Verdict;

/// What the page says of itself, so that another page is not taken for ours.
pub const GENERATOR: &str = "<meta name=\"generator\" content=\"probtest-paper\">";

/// Everything that goes onto the page.
pub struct Page<'a> {
    /// Facts about how it was made, as names and values.
    pub about: Vec<(&'static str, String)>,
    /// What is missing and why; empty for a whole page.
    pub missing: String,
    /// The parts.
    pub sections: &'a [Section],
}

impl Page<'_> {
    /// How many rows have a verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        let sections = self.sections.iter();
        sections.map(|section| section.count(verdict)).sum()
    }

    /// The answer in one line.
    pub fn summary(&self) -> String {
        let (agree, differ) = (self.count(Verdict::Agrees), self.count(Verdict::Differs));
        let rows = if agree + differ == 1 { "row" } else { "rows" };
        format!(
            "{agree} of {} {rows} agree with the paper, {differ} differ for a reason that stands beside",
            agree + differ
        )
    }

    /// Writes the page.
    pub fn html(&self) -> String {
        let mut text = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
             {GENERATOR}\n<title>The ProbTest paper, reproduced</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
             <a class=\"skip\" href=\"#content\">to the content</a>\n<header>\n\
             <h1>The ProbTest paper, reproduced</h1>\n<p>{}.</p>\n",
            escaped(&self.summary())
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
            let _ = writeln!(
                text,
                "<li><a href=\"#{}\">{}</a></li>",
                section.id,
                escaped(section.title)
            );
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
        let (name, title) = (escaped(figure.name()), escaped(figure.title()));
        let svg = figure.svg(Look::Inside);
        let _ = writeln!(
            text,
            "<figure>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"{title}\">\n{svg}</div>\n<figcaption>{title}. As <a href=\"{name}.svg\">SVG</a>, <a href=\"{name}.png\">PNG</a>.</figcaption>\n</figure>"
        );
    }
    for table in &section.tables {
        text.push_str(&table.html());
    }
    if !section.files.is_empty() {
        text.push_str("<ul class=\"files\" aria-label=\"files\">\n");
        for file in &section.files {
            let name = escaped(&file.name);
            let _ = writeln!(text, "<li><a href=\"{name}\">{name}</a></li>");
        }
        text.push_str("</ul>\n");
    }
    text.push_str("</section>\n");
    text
}
