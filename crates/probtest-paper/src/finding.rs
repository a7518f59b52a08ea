//! A published number beside ours.

use crate::table;

/// A statement of the paper, what comes out here, and whether the two agree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub subject: String,
    pub published: String,
    pub ours: String,
    pub agrees: bool,
    /// Why they differ; for a row that agrees, by which rule.
    pub why: String,
}

/// One word for what agrees, and one for what does not.
pub fn verdict(agrees: bool) -> &'static str {
    if agrees { "agrees" } else { "differs" }
}

pub fn csv(findings: &[Finding]) -> String {
    table::csv(findings.iter().map(|finding| {
        vec![
            ("subject", finding.subject.clone()),
            ("published", finding.published.clone()),
            ("ours", finding.ours.clone()),
            ("verdict", verdict(finding.agrees).to_owned()),
            ("why", finding.why.clone()),
        ]
    }))
}
