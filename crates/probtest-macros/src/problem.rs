//! Problem: what can be wrong with an attribute or its function.
//!
//! The kinds alone, with what their messages need; the words are in `message`.

/// What is wrong with an attribute or its function.
#[derive(Debug)]
pub enum Problem {
    // The shape of the options.
    Unnamed {
        given: String,
    },
    Unknown {
        name: String,
        meant: Option<&'static str>,
    },
    Twice {
        name: &'static str,
    },
    NoValue {
        name: &'static str,
    },
    NotEquals {
        name: &'static str,
        found: String,
    },
    NoComma {
        found: String,
    },
    Unreadable {
        name: &'static str,
        reason: String,
    },
    BothPAndOutcomes,
    TolerateAndOutcomes,
    FalseAlarmAlone,
    BesideClaim {
        name: &'static str,
    },
    TolerateNotBelowP {
        tolerate: String,
        p: String,
    },
    // A probability.
    Zero {
        subject: Subject,
    },
    One {
        subject: Subject,
    },
    Above {
        subject: Subject,
        given: String,
    },
    WholeAbove {
        subject: Subject,
        given: String,
    },
    Negative {
        subject: Subject,
        given: String,
    },
    Percent {
        subject: Subject,
        given: String,
    },
    NoLeadingDigit {
        subject: Subject,
    },
    DividedByZero {
        subject: Subject,
        given: String,
    },
    NoNumber {
        subject: Subject,
        given: String,
    },
    Rounds {
        subject: Subject,
        given: String,
        to: u8,
    },
    WholeArithmetic {
        subject: Subject,
        given: String,
    },
    ProbabilitySuffix {
        given: String,
        plain: String,
    },
    // Outcomes.
    NoList {
        given: String,
    },
    EmptyList,
    SumAboveOne {
        sum: String,
        given: String,
    },
    // A claim on what the body returns.
    NoClaim {
        given: String,
    },
    NamedArgument {
        name: String,
    },
    // A count, a seed, a span of time, a word, a path.
    CountIsZero {
        name: &'static str,
    },
    NegativeCount {
        name: &'static str,
        given: String,
    },
    NoWholeNumber {
        name: &'static str,
        given: String,
    },
    TooLarge {
        name: &'static str,
        given: String,
    },
    CountSuffix {
        name: &'static str,
        given: String,
        plain: String,
    },
    NoTime {
        given: String,
    },
    BareTime {
        given: String,
    },
    UnknownUnit {
        unit: String,
    },
    UnitOrder {
        given: String,
    },
    TimeRange {
        given: String,
    },
    NoOnBudget {
        given: String,
    },
    NoPath {
        given: String,
    },
    // The item below the attribute.
    NoFunction {
        keyword: String,
    },
    NoBody,
    AnotherTest {
        attribute: String,
    },
    ProbtestTwice,
    Generic,
    Const,
    Unsafe,
    Extern,
    SelfArgument,
    ManyArguments {
        count: usize,
    },
    NotLent {
        given: String,
        lent: String,
    },
    AsyncWithoutTokio,
    ReturnsNothing,
}

/// Which number a message is about.
#[derive(Clone, Copy, Debug)]
pub enum Subject {
    /// The value of an option.
    Option(&'static str),
    /// An element of `outcomes`.
    Outcome,
}

impl std::fmt::Display for Subject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Option(name) => write!(f, "`{name}`"),
            Self::Outcome => f.write_str("an outcome"),
        }
    }
}
