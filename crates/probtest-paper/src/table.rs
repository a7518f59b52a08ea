//! Tables in every format: files, JSON, a terminal, Markdown; and what their rows say about the
//! paper.

use serde_json::Value;

/// A row: the name of each column, and its value.
pub type Cells<T = String> = Vec<(&'static str, T)>;

/// Whether a row agrees with the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Agrees,
    Differs,
    /// The paper's number is about another policy, so the two say nothing about each other.
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

    /// The word used on the page and in JSON.
    pub fn word(self) -> &'static str {
        self.look().0
    }

    /// Its word, the class of its cell, and a mark that needs no colour.
    pub(crate) fn look(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Verdict::Agrees => ("agrees", "agrees", "✓"),
            Verdict::Differs => ("differs", "differs", "≠"),
            Verdict::OtherPolicy => ("another policy", "new", "·"),
            Verdict::Unpublished => ("not in the paper", "new", "·"),
        }
    }
}

/// A statement of the paper, our result, and whether the two agree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub subject: String,
    pub published: String,
    pub ours: String,
    pub agrees: bool,
    /// Why they differ; for a row that agrees, by which rule.
    pub why: String,
}

pub fn findings_csv(findings: &[Finding]) -> String {
    csv(findings.iter().map(|finding| {
        vec![
            ("subject", finding.subject.clone()),
            ("published", finding.published.clone()),
            ("ours", finding.ours.clone()),
            ("verdict", Verdict::of(finding.agrees).word().to_owned()),
            ("why", finding.why.clone()),
        ]
    }))
}

/// Writes comma-separated values, quoted if necessary.
pub(crate) fn csv(rows: impl IntoIterator<Item = Cells>) -> String {
    let quoted = |cell: &String| match cell.contains([',', '"', '\n']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.clone(),
    };
    let rows: Vec<Cells> = rows.into_iter().collect();
    lines(&rows, |cells| cells.iter().map(quoted).collect::<Vec<_>>().join(","))
}

/// Writes JSON values as text; null is empty.
pub(crate) fn texts(row: Cells<Value>) -> Cells {
    let text = |value| match value {
        Value::Null => String::new(),
        Value::String(text) => text,
        number => number.to_string(),
    };
    row.into_iter().map(|(name, value)| (name, text(value))).collect()
}

pub(crate) fn object(row: Cells<Value>) -> Value {
    Value::Object(row.into_iter().map(|(name, value)| (name.into(), value)).collect())
}

pub(crate) fn markdown(rows: &[Cells]) -> String {
    let table = lines(rows, |cells| format!("| {} |", cells.join(" | ")));
    let (heads, rows) = table.split_once('\n').unwrap_or_default();
    let rule = "---|".repeat(heads.matches(" |").count());
    format!("{heads}\n|{rule}\n{rows}")
}

/// Writes a table for a terminal: the first columns are words, aligned left; numbers are aligned
/// right; and the last column may have any length.
pub(crate) fn aligned(rows: &[Cells], words: usize) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].1.chars().count());
        let head = rows[0][column].0.chars().count();
        cells.fold(head, usize::max)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    lines(rows, |cells| {
        let place = |(column, (cell, width)): (usize, (&String, &usize))| match column {
            column if column < words => format!("{cell:<width$}"),
            column if column + 1 == columns => cell.clone(),
            _ => format!("{cell:>width$}"),
        };
        let cells = cells.iter().zip(&widths).enumerate().map(place);
        cells.collect::<Vec<_>>().join("  ")
    })
}

/// Writes the header and the rows, one line each.
fn lines(rows: &[Cells], line: impl Fn(&[String]) -> String) -> String {
    let heads = |row: &Cells| row.iter().map(|(head, _)| (*head).to_owned()).collect();
    let cells = |row: &Cells| row.iter().map(|(_, cell)| cell.clone()).collect();
    let all = rows.first().map(heads).into_iter().chain(rows.iter().map(cells));
    all.map(|cells: Vec<String>| line(&cells) + "\n").collect()
}
