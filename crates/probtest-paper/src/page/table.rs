//! A table with a verdict in each row.

use std::fmt::Write;

use crate::finding::Finding;

use crate::draw::escaped;

/// Whether a row agrees with the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Ours is what the paper says.
    Agrees,
    /// It is not.
    Differs,
    /// The paper's number is about another policy, so the two say nothing of each
    /// other.
    OtherPolicy,
    /// The paper has no number for it.
    Unpublished,
}

impl Verdict {
    /// From yes or no.
    pub fn of(agrees: bool) -> Self {
        if agrees {
            Verdict::Agrees
        } else {
            Verdict::Differs
        }
    }

    /// The word of the page and of the JSON form.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Agrees => "agrees",
            Verdict::Differs => "differs",
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

/// One row: its cells, its verdict, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The cells, the first is the head of the row.
    pub cells: Vec<String>,
    /// Whether it agrees with the paper.
    pub verdict: Verdict,
    /// Why, in a few words.
    pub why: String,
}

/// A table of the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// What it shows.
    pub caption: String,
    /// The heads of the columns; verdict and reason follow by themselves.
    pub heads: Vec<&'static str>,
    /// The rows.
    pub lines: Vec<Line>,
}

impl Table {
    /// A table of findings.
    pub fn of_findings(caption: &str, findings: &[Finding]) -> Self {
        let line = |finding: &Finding| Line {
            cells: vec![
                finding.subject.clone(),
                finding.published.clone(),
                finding.ours.clone(),
            ],
            verdict: Verdict::of(finding.agrees),
            why: finding.why.clone(),
        };
        Table {
            caption: caption.to_owned(),
            heads: vec!["what", "the paper", "here"],
            lines: findings.iter().map(line).collect(),
        }
    }

    /// How many rows have a verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        let of = self.lines.iter().filter(|line| line.verdict == verdict);
        of.count()
    }

    pub(super) fn html(&self) -> String {
        let mut text = String::from("<div class=\"wide\" tabindex=\"0\" role=\"region\"");
        let caption = escaped(&self.caption);
        // Writing into a text cannot fail.
        let _ = write!(
            text,
            " aria-label=\"{caption}\">\n<table>\n<caption>{caption}</caption>\n<thead><tr>"
        );
        for head in self.heads.iter().chain(&["verdict", "why"]) {
            let _ = write!(text, "<th scope=\"col\">{}</th>", escaped(head));
        }
        text.push_str("</tr></thead>\n<tbody>\n");
        for line in &self.lines {
            text.push_str("<tr>");
            for (place, cell) in line.cells.iter().enumerate() {
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
