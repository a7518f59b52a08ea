//! What needs attention, and how much?

use probtest_facts::Verdict;

/// The verdict of a test as the reader should take it, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// There is evidence against the claim.
    Violated,
    /// No verdict: fewer executions than planned.
    Inconclusive,
    /// A verdict that this version does not know.
    Unknown,
    /// One shard of a test: no verdict until all of them are merged.
    Partial,
    /// Passed, but there is a reason to doubt it.
    Doubtful,
    /// A limit ended before the plan, and the test accepts that: less than its claim.
    WithinBudget,
    /// Nothing was claimed; a rate was estimated.
    Estimated,
    Passed,
}

impl Status {
    pub const ALL: [Status; 8] = [
        Status::Violated,
        Status::Inconclusive,
        Status::Unknown,
        Status::Partial,
        Status::Doubtful,
        Status::WithinBudget,
        Status::Estimated,
        Status::Passed,
    ];

    /// The status of a verdict that nothing contradicts.
    pub fn of(verdict: &Verdict) -> Status {
        match verdict {
            Verdict::Violated => Status::Violated,
            Verdict::Inconclusive => Status::Inconclusive,
            Verdict::Passed => Status::Passed,
            Verdict::PassedWithinBudget => Status::WithinBudget,
            Verdict::Estimated => Status::Estimated,
            Verdict::Partial => Status::Partial,
            _ => Status::Unknown,
        }
    }

    /// One word for programs and style sheets, what people call it, and a sign beside
    /// the words: colour alone does not reach everybody.
    fn names(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Status::Violated => ("violated", "violated", "\u{2715}"),
            Status::Inconclusive => ("inconclusive", "inconclusive", "\u{25d0}"),
            Status::Unknown => ("unknown", "unknown verdict", "?"),
            Status::Partial => ("partial", "partial", "\u{25cb}"),
            Status::Doubtful => ("doubtful", "in doubt", "!"),
            Status::WithinBudget => ("within_budget", "passed within budget", "\u{25d4}"),
            Status::Estimated => ("estimated", "estimated", "\u{2248}"),
            Status::Passed => ("passed", "passed", "\u{2713}"),
        }
    }

    pub fn name(self) -> &'static str {
        self.names().0
    }

    pub fn words(self) -> &'static str {
        self.names().1
    }

    pub fn sign(self) -> &'static str {
        self.names().2
    }

    /// Says whether somebody should look.
    pub fn needs_attention(self) -> bool {
        self < Status::Estimated
    }

    /// Says whether it is a failure. A pass within budget was accepted by its test.
    pub fn fails(self) -> bool {
        self < Status::WithinBudget
    }
}
