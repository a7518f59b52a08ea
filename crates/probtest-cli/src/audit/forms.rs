//! What an audit found, as Markdown and as one HTML page.

use std::fmt::Write;

use askama::Template;
use probtest::report::{
    AuditGroup, AuditLine, audit_groups, audit_headline, audit_lines, audit_name, audit_totals,
};
use probtest_facts::{AuditFacts, AuditedTest};

use crate::output::Failure;
use crate::report::{STYLE, code, code_free, one_line, policy};

/// What a comment may hold, in bytes, less what stands at its end.
const MOST: usize = 65_536 - 200;
/// The longest line of a cell.
const CELL: usize = 400;
/// The most tests that a page lists.
const MOST_LISTED: usize = 5000;

/// Writes the tests to look at with all that is known, and the others in a table.
pub fn markdown(facts: &AuditFacts) -> String {
    let mut page = format!("## probtest audit: {}\n\n", audit_headline(facts));
    for (label, words) in audit_totals(facts) {
        let _ = writeln!(page, "- *{label}:* {}", code_free(&words, CELL));
    }
    let mut pieces = Vec::new();
    for group in audit_groups(facts.audited.iter()) {
        if group.is_loud {
            pieces.extend(group.tests.into_iter().map(details));
        } else if !group.tests.is_empty() {
            let help = group.help.map(|help| format!("\n\n{help}"));
            let (title, help) = (group.title, help.unwrap_or_default());
            pieces.push(format!("\n### {title}{help}\n\n| test | result |\n|---|---|\n"));
            pieces.extend(group.tests.into_iter().map(|test| {
                let name = code(&audit_name(test), CELL);
                format!("| {name} | {} |\n", code_free(&test.summary, CELL))
            }));
        }
    }
    for piece in pieces {
        if page.len() + piece.len() > MOST {
            page.push_str(
                "\n**The rest is left out: a comment takes no more.** The text report has everything.\n",
            );
            break;
        }
        page.push_str(&piece);
    }
    page
}

fn details(test: &AuditedTest) -> String {
    let mut text = format!("\n### {}\n\n", code(&audit_name(test), CELL));
    for AuditLine { label, value, .. } in audit_lines(test) {
        let _ = writeln!(text, "- {label}: {}", code_free(&value, CELL));
    }
    text
}

#[derive(Template)]
#[template(path = "audit.html")]
struct Page<'a> {
    policy: String,
    style: &'static str,
    headline: String,
    totals: Vec<(&'static str, String)>,
    groups: [AuditGroup<'a>; 3],
    left_out: usize,
}

impl Page<'_> {
    fn name(&self, test: &AuditedTest) -> String {
        one_line(&audit_name(test), CELL)
    }

    fn lines(&self, test: &AuditedTest) -> Vec<AuditLine> {
        audit_lines(test)
    }

    fn shown(&self, text: &str) -> String {
        one_line(text, CELL)
    }
}

/// Writes one page that needs nothing else, with what to look at first at its beginning.
pub fn html(facts: &AuditFacts) -> Result<String, Failure> {
    let listed = facts.audited.iter().take(MOST_LISTED);
    let page = Page {
        policy: policy(),
        style: STYLE,
        headline: audit_headline(facts),
        totals: audit_totals(facts),
        groups: audit_groups(listed),
        left_out: facts.audited.len().saturating_sub(MOST_LISTED),
    };
    page.render()
        .map(|page| page + "\n")
        .map_err(|error| Failure::Unfinished(format!("the page cannot be written: {error}")))
}
