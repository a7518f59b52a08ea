//! A published number beside ours.

/// A statement of the paper, what comes out here, and whether the two agree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What the statement is about.
    pub subject: String,
    pub published: String,
    pub ours: String,
    pub agrees: bool,
    /// Why they differ; for a row that agrees, by which rule.
    pub why: String,
}

impl Finding {
    /// One word: `agrees` or `differs`.
    pub fn verdict(&self) -> &'static str {
        if self.agrees { "agrees" } else { "differs" }
    }
}

/// Writes findings as comma-separated values.
pub fn csv(findings: &[Finding]) -> String {
    let mut text = String::from("subject,published,ours,verdict,why\n");
    for finding in findings {
        let cells = [
            &finding.subject,
            &finding.published,
            &finding.ours,
            &finding.verdict().to_owned(),
            &finding.why,
        ];
        text.push_str(&cells.map(|cell| quoted(cell)).join(","));
        text.push('\n');
    }
    text
}

/// Puts a cell into quotes where it needs them.
pub fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_owned()
    }
}
