//! What can be wrong with a claim, and what to do about it.

use thiserror::Error;

/// Says why a claim was refused: what was given, what is allowed, what to do.
///
/// ```
/// use probtest::claim::Claim;
///
/// let error = Claim::detect(1.5, 0.05).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "p is not strictly between 0 and 1\n  given  1.5\n  help   write a probability such as 0.01, 1e-3 or 1/1024"
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ClaimError {
    /// Nothing but blanks where a probability was expected.
    #[error(
        "{what} is empty\n  given  \"{given}\"\n  help   write a probability such as 0.01, 1e-3 or 1/1024"
    )]
    Empty {
        /// The name of the quantity, such as `p` or `epsilon`.
        what: &'static str,
        /// The text as it was given.
        given: String,
    },
    /// The text is neither a decimal nor a fraction, or the float is NaN.
    #[error(
        "{what} is not a number\n  given  {given}\n  help   write a probability such as 0.01, 1e-3 or 1/1024"
    )]
    NotANumber {
        /// The name of the quantity, such as `p` or `epsilon`.
        what: &'static str,
        /// The text as it was given.
        given: String,
    },
    /// A percent sign, which could be read in two ways next to decimals.
    #[error(
        "{what} is written in percent, but probabilities are written as decimals or fractions\n  given  {given}\n  help   write {meant} instead"
    )]
    Percent {
        /// The name of the quantity, such as `p` or `epsilon`.
        what: &'static str,
        /// The text as it was given.
        given: String,
        /// The same value the way it should be written.
        meant: String,
    },
    /// Zero or less, one or more, or infinite.
    #[error(
        "{what} is not strictly between 0 and 1\n  given  {given}\n  help   write a probability such as 0.01, 1e-3 or 1/1024"
    )]
    OutOfRange {
        /// The name of the quantity, such as `p` or `epsilon`.
        what: &'static str,
        /// The number as it was given.
        given: String,
    },
    /// A fraction over zero.
    #[error("{what} divides by zero\n  given  {given}\n  help   write a fraction such as 1/1024")]
    DividesByZero {
        /// The name of the quantity, such as `p` or `epsilon`.
        what: &'static str,
        /// The text as it was given.
        given: String,
    },
    /// More digits than any probability needs.
    #[error(
        "{what} has {digits} digits, but at most {allowed} are read\n  given  {given}\n  help   {help}"
    )]
    TooManyDigits {
        /// The name of the quantity, such as `p` or `epsilon`.
        what: &'static str,
        /// The beginning of the text.
        given: String,
        /// How many digits there are.
        digits: usize,
        /// How many may be there.
        allowed: usize,
        /// What to do instead.
        help: &'static str,
    },
    /// An exponent far outside any use.
    #[error(
        "the exponent of {what} is beyond {allowed}\n  given  {given}\n  help   write a probability such as 1e-300"
    )]
    ExponentTooLarge {
        /// The name of the quantity, such as `p` or `epsilon`.
        what: &'static str,
        /// The beginning of the text.
        given: String,
        /// The largest exponent, up or down, that is read.
        allowed: u32,
    },
    /// A list of outcomes without an outcome.
    #[error(
        "the list of outcomes is empty\n  given  {given}\n  help   name at least one outcome, such as 1/6 or 1/6 x 6"
    )]
    NoOutcomes {
        /// What stood there instead.
        given: String,
    },
    /// More outcomes than a plan is made for.
    #[error(
        "{given} outcomes are more than the {allowed} a plan is made for\n  given  {given} outcomes\n  help   join outcomes that need not be told apart"
    )]
    TooManyOutcomes {
        /// How many there are.
        given: usize,
        /// How many may be there.
        allowed: usize,
    },
    /// A repetition that is not a whole number from 1 upward.
    #[error(
        "an outcome is repeated by something that is not a count\n  given  {given}\n  help   write the probability first and then how often, such as 1/6 x 6"
    )]
    NotACount {
        /// The entry as it was given.
        given: String,
    },
    /// One program cannot have outcomes that sum to more than one.
    #[error(
        "probabilities sum to {sum}, but the outcomes of one program sum to at most 1\n  given  {given}\n  help   {}",
        lower(sum)
    )]
    SumAboveOne {
        /// The sum, rounded for reading.
        sum: String,
        /// The first outcomes.
        given: String,
    },
    /// A tolerated rate that would also have to be caught.
    #[error(
        "tolerate is not below p, so one rate would have to pass and to fail\n  given  tolerate = {tolerate}, p = {p}\n  help   raise p, the rate that must not go unnoticed, or lower tolerate"
    )]
    NotBelowP {
        /// The tolerated rate.
        tolerate: String,
        /// The rate that must fail.
        p: String,
    },
    /// A tolerated rate beside outcomes.
    #[error(
        "tolerate is about how often a violation comes, and outcomes are about what is seen\n  given  tolerate and outcomes\n  help   keep tolerate, with p, for a rate of violations, or outcomes to see each of them"
    )]
    TolerateAndOutcomes,
    /// A chance of a false alarm where every violation is one to tell about.
    #[error(
        "false_alarm is the chance of failing a program within the tolerated rate, and no rate is tolerated\n  given  false_alarm, no tolerate\n  help   add tolerate, such as tolerate = 0.001, or leave false_alarm out"
    )]
    FalseAlarmAlone,
    /// A rate to ask about that is none.
    #[error(
        "a violation rate lies between 0 and 1\n  given  {given}\n  help   ask about a rate such as 0.001"
    )]
    NotARate {
        /// What was given.
        given: String,
    },
    /// No p was given, and ten times `tolerate` is no probability.
    #[error(
        "p is ten times tolerate when it is not given, and that is 1 or more here\n  given  tolerate = {tolerate}, no p\n  help   give p, the rate that must not go unnoticed"
    )]
    NoRoomForP {
        /// The tolerated rate.
        tolerate: String,
    },
}

impl ClaimError {
    /// Puts the name of the quantity in place of the general word.
    pub(crate) fn about(mut self, name: &'static str) -> Self {
        match &mut self {
            Self::Empty { what, .. }
            | Self::NotANumber { what, .. }
            | Self::Percent { what, .. }
            | Self::OutOfRange { what, .. }
            | Self::DividesByZero { what, .. }
            | Self::TooManyDigits { what, .. }
            | Self::ExponentTooLarge { what, .. } => *what = name,
            _ => {}
        }
        self
    }
}

/// What to do about a sum above one. A sum that is hardly above it was rounded.
fn lower(sum: &str) -> &'static str {
    match sum.parse::<f64>() {
        Ok(sum) if sum > 1.000_001 => "lower a probability or remove an outcome",
        _ => "write fractions such as \"1/6\", which are not rounded, or lower a probability",
    }
}
