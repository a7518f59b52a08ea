//! What can be wrong with a claim on numbers or labels.

use crate::claim::ClaimError;
use thiserror::Error;

/// Says why a claim on numbers or labels was refused.
///
/// ```
/// use probtest::claim::numeric::MeanClaim;
///
/// let error = MeanClaim::above((0.0, 1.0), 0.5, 0.6).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "a mean that misses the claim by the margin does not lie between the least and the largest number\n  given  above = 0.5, margin = 0.6, between = (0, 1)\n  help   lower the margin below 0.5"
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum NumericError {
    /// `epsilon`, `false_alarm` or a probability of a label is none.
    #[error(transparent)]
    Probability(#[from] ClaimError),
    /// A part is missing, or said twice.
    #[error("the test does not say {what}\n  given  {given}\n  help   {help}")]
    Incomplete {
        /// What is lacking.
        what: &'static str,
        /// What is said.
        given: String,
        /// What must be said.
        help: &'static str,
    },
    /// A number that is infinite or not a number.
    #[error("{name} is not a finite number\n  given  {given}\n  help   write a plain number")]
    NotFinite {
        /// The option.
        name: &'static str,
        /// The number given.
        given: String,
    },
    /// The least number is not below the largest.
    #[error(
        "between does not go from a lower to a higher number\n  given  between = ({low}, {high})\n  help   write the least and the largest number that an execution can return"
    )]
    Between {
        /// The first number.
        low: f64,
        /// The second number.
        high: f64,
    },
    /// The least and the largest number are farther apart than a float can say.
    #[error(
        "between is wider than a number can be\n  given  between = ({low:e}, {high:e})\n  help   write the least and the largest number that an execution can return"
    )]
    Wide {
        /// The first number.
        low: f64,
        /// The second number.
        high: f64,
    },
    /// The wanted mean lies outside of what can be returned.
    #[error(
        "the wanted mean does not lie inside of what an execution can return\n  given  {wanted}, between = ({low}, {high})\n  help   write a mean above {low} and below {high}, or assert on each execution"
    )]
    Outside {
        /// The bounds as they were given.
        wanted: String,
        /// The least number.
        low: f64,
        /// The largest number.
        high: f64,
    },
    /// The lower bound of `within` is above the upper one.
    #[error(
        "within does not go from a lower to a higher mean\n  given  within = ({low}, {high})\n  help   write the lower one first"
    )]
    Within {
        /// The first number.
        low: f64,
        /// The second number.
        high: f64,
    },
    /// Nothing is left between what passes and what fails.
    #[error(
        "{name} is not above 0, so the same program would have to pass and to fail\n  given  {name} = {given}\n  help   write how far off a program may be before it must fail"
    )]
    NotPositive {
        /// `margin` or `distance`.
        name: &'static str,
        /// The number given.
        given: f64,
    },
    /// No mean misses the claim by so much.
    #[error(
        "a mean that misses the claim by the margin does not lie between the least and the largest number\n  given  {wanted}, margin = {margin}, between = ({low}, {high})\n  help   lower the margin below {room}"
    )]
    Margin {
        /// The bounds as they were given.
        wanted: String,
        /// The margin given.
        margin: f64,
        /// The least number.
        low: f64,
        /// The largest number.
        high: f64,
        /// How much room there is.
        room: f64,
    },
    /// No label at all.
    #[error(
        "a fit lists no label\n  given  no label\n  help   list the labels with their probabilities"
    )]
    NoLabel,
    /// One label, with nothing beside it.
    #[error(
        "labels that sum to 1 must be two or more\n  given  {given}\n  help   list every label with its probability, or leave room for others"
    )]
    OneLabel {
        /// The labels given.
        given: String,
    },
    /// The same label twice.
    #[error("the label {label:?} is listed twice\n  given  {given}\n  help   list each label once")]
    Twice {
        /// The label.
        label: String,
        /// The labels given.
        given: String,
    },
    /// Labels of one program that sum to more than one.
    #[error(
        "the probabilities of the labels sum to {sum}, but those of one program sum to at most 1\n  given  {given}\n  help   lower a probability or remove a label"
    )]
    Sum {
        /// The sum.
        sum: f64,
        /// The labels given.
        given: String,
    },
    /// No label can be off by so much.
    #[error(
        "no label can be off by the distance\n  given  distance = {distance}, {given}\n  help   lower the distance below {room}"
    )]
    Distance {
        /// The distance given.
        distance: f64,
        /// The labels given.
        given: String,
        /// The most that a label can be off.
        room: f64,
    },
}
