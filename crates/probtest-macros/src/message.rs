//! Message: every word the attribute says when it refuses.
//!
//! A headline tells what was given and what is allowed, a help line what to
//! write instead. No other file makes an error, and a test fails when a text
//! of this file stands in no `tests/ui/*.stderr`.

use crate::options::NAMES;
use crate::problem::{Problem, Subject};
use quote::ToTokens;

impl Problem {
    /// Makes the error that points at `tokens`.
    pub fn at(self, tokens: impl ToTokens) -> syn::Error {
        let text = format!("{}\n  help   {}", self.headline(), self.help());
        syn::Error::new_spanned(tokens, text)
    }

    fn headline(&self) -> String {
        match self {
            Self::Unnamed { given } => {
                format!("`{given}` has no name, but options are written `name = value`")
            }
            Self::Unknown { name, .. } => format!("there is no option `{name}`"),
            Self::Twice { name } => {
                format!("`{name}` is given twice, but each option counts once")
            }
            Self::NoValue { name } => format!("`{name}` has no value"),
            Self::NotEquals { name, found } => {
                format!(
                    "`{name}` is followed by `{found}`, but options are written \
                    `{name} = value`"
                )
            }
            Self::NoComma { found } => {
                format!("`{found}` comes where a `,` between options is expected")
            }
            Self::Unreadable { name, reason } => {
                format!("the value of `{name}` is no expression: {reason}")
            }
            Self::BothPAndOutcomes => {
                "`p` and `outcomes` are both given, but a claim is about one violation \
                    or about several outcomes"
                    .into()
            }
            Self::TolerateAndOutcomes => {
                "`tolerate` and `outcomes` are both given, but a rate is about violations \
                    and not about what is seen"
                    .into()
            }
            Self::FalseAlarmAlone => {
                "`false_alarm` is the chance of failing a program within the tolerated \
                    rate, and no rate is tolerated"
                    .into()
            }
            Self::BesideClaim {
                name: name @ ("epsilon" | "false_alarm"),
            } => {
                format!("`{name}` stands beside `claim`, but it is a part of that claim")
            }
            Self::BesideClaim { name: "on_budget" } => {
                "`on_budget` stands beside `claim`, but a mean or labels are decided as a \
                    whole: nothing less can be accepted"
                    .into()
            }
            Self::BesideClaim { name } => {
                format!("`{name}` and `claim` are both given, but a test has one claim")
            }
            Self::TolerateNotBelowP { tolerate, p } => {
                format!(
                    "`tolerate` is {tolerate} and `p` is {p}, but a tolerated rate lies below \
                    the one that must not go unnoticed"
                )
            }
            Self::Zero {
                subject: Subject::Option("tolerate"),
            } => "`tolerate` is 0, which is what a test does without it".into(),
            Self::Zero { subject } => {
                format!(
                    "{subject} is 0, but a probability lies strictly between 0 and \
                    1: no number of executions is enough for 0"
                )
            }
            Self::One { subject } => {
                format!("{subject} is 1, but a probability lies strictly between 0 and 1")
            }
            Self::Above { subject, given } | Self::WholeAbove { subject, given } => {
                format!("{subject} is {given}, but a probability lies strictly between 0 and 1")
            }
            Self::Negative { subject, given } => {
                format!("{subject} is {given}, but a probability is never negative")
            }
            Self::Percent { subject, given } => {
                format!("{subject} is {given}, but a probability is no percentage")
            }
            Self::NoLeadingDigit { subject } => {
                format!("{subject} starts with a point, but Rust numbers start with a digit")
            }
            Self::DividedByZero { subject, given } => {
                format!("{subject} is {given}, a division by zero")
            }
            Self::NoNumber { subject, given } => {
                format!("{subject} is {given}, which is no number")
            }
            Self::Rounds { subject, given, to } => {
                format!("{subject} is {given}, which rounds to {to} as an `f64`")
            }
            Self::WholeArithmetic { subject, given } => {
                format!("{subject} is {given}, which Rust computes in whole numbers")
            }
            Self::ProbabilitySuffix { given, .. } => {
                format!(
                    "`{given}` has a type suffix, but a probability is an `f64` or \
                    exact text"
                )
            }
            Self::NoList { given } => {
                format!("`outcomes` is {given}, but it takes a list of probabilities")
            }
            Self::EmptyList => "`outcomes` is empty, but a program has at least one outcome".into(),
            Self::SumAboveOne { sum, given } => {
                format!(
                    "probabilities sum to {sum}, but the outcomes of one program \
                    sum to at most 1\n  given  {given}"
                )
            }
            Self::NoClaim { given } => {
                format!("`claim` is {given}, but it takes a claim on what the body returns")
            }
            Self::NamedArgument { name } => {
                format!("`{name}` is an argument with a name, but in Rust it is a method")
            }
            Self::CountIsZero { name } => format!("`{name}` is 0, but it must be at least 1"),
            Self::NegativeCount { name, given } => {
                format!("`{name}` is {given}, but it is never negative")
            }
            Self::NoWholeNumber { name, given } => {
                format!("`{name}` is {given}, but it takes a whole number")
            }
            Self::TooLarge { name, given } => {
                format!("`{name}` is {given}, but the largest is 18446744073709551615")
            }
            Self::CountSuffix { name, given, .. } => {
                format!(
                    "`{name}` is {given}, but its type is known and another suffix \
                    does not fit"
                )
            }
            Self::NoTime { given } => {
                format!("`max_time` is {given}, but it takes a span of time as text")
            }
            Self::BareTime { given } => format!("`max_time` is {given}, which has no unit"),
            Self::UnknownUnit { unit } => format!("`max_time` has the unknown unit `{unit}`"),
            Self::UnitOrder { given } => {
                format!("`max_time` is {given}, but units go from large to small, each once")
            }
            Self::TimeRange { given } => {
                format!("`max_time` is {given}, but it must be above 0 and at most a year")
            }
            Self::NoOnBudget { given } => {
                format!("`on_budget` is {given}, but it is \"pass\" or \"fail\"")
            }
            Self::NoPath { given } => {
                format!("`crate` is {given}, but it takes the path of probtest")
            }
            Self::NoFunction { keyword } => {
                format!("`#[probtest]` stands on `{keyword}`, but it tests a function")
            }
            Self::NoBody => "`#[probtest]` stands on a function without a body".into(),
            Self::AnotherTest { attribute } => {
                format!(
                    "`#[{attribute}]` stands next to `#[probtest]`, but one of them \
                    makes the test"
                )
            }
            Self::ProbtestTwice => "`#[probtest]` stands twice on this function".into(),
            Self::Generic => "the function is generic, but the test harness calls it without type \
                    arguments"
                .into(),
            Self::Const => "the function is `const`, but an execution draws random numbers".into(),
            Self::Unsafe => {
                "the function is `unsafe`, but probtest cannot keep its safety contract".into()
            }
            Self::Extern => "the function is `extern`, but only probtest calls it".into(),
            Self::SelfArgument => {
                "the function takes `self`, but there is no value to call it on".into()
            }
            Self::ManyArguments { count } => {
                format!(
                    "the function takes {count} arguments, but an execution is lent \
                    one generator or nothing"
                )
            }
            Self::NotLent { given, .. } => {
                format!(
                    "the argument's type is `{given}`, but the generator is lent to \
                    each execution by `&mut`"
                )
            }
            Self::AsyncWithoutTokio => {
                "async fn needs probtest's feature `tokio`: probtest = { .., features = \
                    [\"tokio\"] }"
                    .into()
            }
            Self::ReturnsNothing => {
                "the function returns nothing, but `claim` is about what it returns".into()
            }
        }
    }

    fn help(&self) -> String {
        match self {
            Self::Unnamed { given } => format!("write `p = {given}`; the options are {}", list()),
            Self::Unknown {
                meant: Some(meant), ..
            } => {
                format!("did you mean `{meant}`? the options are {}", list())
            }
            Self::Unknown { meant: None, .. } => format!("the options are {}", list()),
            Self::Twice { name } => format!("remove one `{name}`"),
            Self::NoValue { name }
            | Self::NotEquals { name, .. }
            | Self::Unreadable { name, .. } => {
                format!("write `{name} = {}`", example(name))
            }
            Self::NoComma { .. } => "separate options by commas: `p = 0.01, epsilon = 0.02`".into(),
            Self::BothPAndOutcomes => {
                "keep `p` to find violations of an assertion, or `outcomes` to see \
                    every outcome"
                    .into()
            }
            Self::TolerateAndOutcomes => {
                "keep `tolerate` for a rate of violations, or `outcomes` to see every \
                    outcome"
                    .into()
            }
            Self::TolerateNotBelowP { .. } => {
                "raise `p`, lower `tolerate`, or leave `p` out for ten times `tolerate`".into()
            }
            Self::BesideClaim {
                name: name @ ("epsilon" | "false_alarm"),
            } => {
                format!(
                    "write it inside: `claim = probtest::mean()...{name}({})`",
                    example(name)
                )
            }
            Self::BesideClaim { name: "on_budget" } => {
                "remove `on_budget`: where executions or time end first, the test fails and \
                    says what is known so far"
                    .into()
            }
            Self::BesideClaim { name } => {
                format!(
                    "keep `claim` for a mean or labels that the body returns, or `{name}` for \
                    what each execution shows"
                )
            }
            Self::FalseAlarmAlone => "add `tolerate = 0.001`, or remove `false_alarm`".into(),
            Self::Zero {
                subject: Subject::Option("tolerate"),
            } => "remove it: the first violation then fails the test".into(),
            Self::Zero { .. }
            | Self::Above { .. }
            | Self::Negative { .. }
            | Self::NoNumber { .. }
            | Self::DividedByZero { .. } => {
                "write a number such as `0.01`, `\"0.01\"` or `1/100`".into()
            }
            Self::One {
                subject: Subject::Option("p"),
            } => "for a violation in every execution use `#[test]`".into(),
            Self::One { .. } => "write a number below 1, such as `0.99`".into(),
            Self::WholeAbove { given, .. } => format!("for once in {given} write `1/{given}`"),
            Self::Percent { .. } => "write 1 percent as `0.01` or `1/100`".into(),
            Self::NoLeadingDigit { .. } => "put a 0 before the point: `0.5`".into(),
            Self::Rounds { given, .. } => {
                format!("write it as text, which is exact: `\"{given}\"`")
            }
            Self::WholeArithmetic { .. } => {
                "write one fraction such as `1/12`, or numbers with a point such as \
                    `1.0 / 12.0`"
                    .into()
            }
            Self::ProbabilitySuffix { plain, .. } => format!("write `{plain}` or `\"{plain}\"`"),
            Self::NoList { .. } => "write a list such as `[0.5, 0.25]` or `[1/6; 6]`".into(),
            Self::EmptyList => {
                "list the probability of each outcome: `[0.5, 0.25]` or `[1/6; 6]`".into()
            }
            Self::NoClaim { .. } => {
                "write `probtest::mean().between(0, 1).within(0.45, 0.55).margin(0.05)` or \
                    `probtest::fit().label(\"heads\", 0.5).label(\"tails\", 0.5).distance(0.1)`"
                    .into()
            }
            Self::NamedArgument { name } => {
                format!("write `probtest::mean().{name}(..)`, and so on for each part")
            }
            Self::SumAboveOne { .. } => "lower a probability or remove an outcome".into(),
            Self::CountIsZero { name } => {
                format!("write at least `{name} = 1`, or leave it out for the default")
            }
            Self::NegativeCount { name, .. } | Self::NoWholeNumber { name, .. } => {
                format!(
                    "write a whole number without quotes, such as `{name} = {}`",
                    example(name)
                )
            }
            Self::TooLarge { name, .. } => {
                format!(
                    "write a smaller number, such as `{name} = {}`",
                    example(name)
                )
            }
            Self::CountSuffix { name, plain, .. } => format!("write `{name} = {plain}`"),
            Self::NoTime { .. } | Self::TimeRange { .. } => {
                "write a text such as `\"30s\"`, `\"500ms\"` or `\"1m30s\"`, or a `Duration`".into()
            }
            Self::BareTime { given } => {
                format!("write `\"{given}s\"` for seconds; ms, s, m, min and h are known")
            }
            Self::UnknownUnit { .. } => "the units are ms, s, m, min and h: `\"30s\"`".into(),
            Self::UnitOrder { .. } => "write such as `\"1h30m\"` or `\"1m30s\"`".into(),
            Self::NoOnBudget { .. } => {
                "write `on_budget = \"pass\"` to accept what was attained when a budget \
                    ends before the plan"
                    .into()
            }
            Self::NoPath { .. } => {
                "write a path without quotes, such as `crate = ::my_probtest`".into()
            }
            Self::NoFunction { .. } => "put it on `fn name(rng: &mut TestRng) { .. }`".into(),
            Self::NoBody => "write the assertion between `{` and `}`".into(),
            Self::AnotherTest { attribute } => {
                format!(
                    "remove `#[{attribute}]`: `#[probtest]` already makes the \
                    function a test"
                )
            }
            Self::ProbtestTwice => "put all options into one `#[probtest(..)]`".into(),
            Self::Generic => {
                "remove the part in `<..>`; for any generator write `rng: &mut impl Rng`".into()
            }
            Self::Const => "remove `const`".into(),
            Self::Unsafe => "remove `unsafe` and put an `unsafe` block into the body".into(),
            Self::Extern => "remove `extern`".into(),
            Self::SelfArgument => {
                "move the function out of its `impl` or `trait`, and write `rng: &mut \
                    TestRng`"
                    .into()
            }
            Self::ManyArguments { .. } => {
                "keep `rng: &mut TestRng` and make the other values in the body".into()
            }
            Self::NotLent { lent, .. } => format!("write `{lent}`"),
            Self::AsyncWithoutTokio => "enable the feature in Cargo.toml, or remove `async`".into(),
            Self::ReturnsNothing => {
                "return the number, as `-> f64`, or the label, as `-> &'static str`".into()
            }
        }
    }
}

/// All options, for a message.
fn list() -> String {
    NAMES.map(|name| format!("`{name}`")).join(", ")
}

/// A value that fits the option, for a message.
fn example(name: &str) -> &'static str {
    match name {
        "p" => "0.01",
        "epsilon" => "0.02",
        "tolerate" => "0.001",
        "false_alarm" => "1e-6",
        "outcomes" => "[1/6; 6]",
        "claim" => "probtest::mean().between(0, 1).within(0.45, 0.55).margin(0.05)",
        "jobs" => "4",
        "seed" => "0x5eed",
        "max_time" => "\"30s\"",
        "on_budget" => "\"pass\"",
        "crate" => "::probtest",
        _ => "10_000",
    }
}
