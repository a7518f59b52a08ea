//! What needs attention, and how much?

/// The verdict of a test as the reader should take it, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// A counterexample was found, or an outcome was not.
    Violated,
    /// No verdict: fewer executions than planned.
    Inconclusive,
    /// A verdict that this version does not know.
    Unknown,
    /// Passed, but something speaks against the promise.
    Doubtful,
    /// A limit ended before the plan, and the test accepts that: less than its claim.
    WithinBudget,
    /// Nothing was claimed; a rate was estimated.
    Estimated,
    /// Passed.
    Passed,
}

impl Status {
    /// Every status, the worst first.
    pub const ALL: [Status; 7] = [
        Status::Violated,
        Status::Inconclusive,
        Status::Unknown,
        Status::Doubtful,
        Status::WithinBudget,
        Status::Estimated,
        Status::Passed,
    ];

    /// How people call it.
    pub fn words(self) -> &'static str {
        match self {
            Status::Violated => "violated",
            Status::Inconclusive => "inconclusive",
            Status::Unknown => "unknown verdict",
            Status::Doubtful => "in doubt",
            Status::WithinBudget => "passed within budget",
            Status::Estimated => "estimated",
            Status::Passed => "passed",
        }
    }

    /// One word, for programs and style sheets.
    pub fn name(self) -> &'static str {
        match self {
            Status::Violated => "violated",
            Status::Inconclusive => "inconclusive",
            Status::Unknown => "unknown",
            Status::Doubtful => "doubtful",
            Status::WithinBudget => "within_budget",
            Status::Estimated => "estimated",
            Status::Passed => "passed",
        }
    }

    /// A sign beside the words: colour alone does not reach everybody.
    pub fn sign(self) -> &'static str {
        match self {
            Status::Violated => "\u{2715}",
            Status::Inconclusive => "\u{25d0}",
            Status::Unknown => "?",
            Status::Doubtful => "!",
            Status::WithinBudget => "\u{25d4}",
            Status::Estimated => "\u{2248}",
            Status::Passed => "\u{2713}",
        }
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
