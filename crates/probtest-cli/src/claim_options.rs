//! The options that make a claim, shared by the commands.

use std::fs::File;
use std::io::Read;

use probtest::claim::{Claim, Outcomes, Probability};

use crate::failure::Failure;
use crate::values::{Given, whole};

/// The epsilon of a claim that gives none.
pub const EPSILON: &str = "0.05";
/// The longest file of outcomes; a million outcomes of 30 digits fit.
const LONGEST_FILE: u64 = 32 << 20;

/// What a claim is about.
#[derive(clap::Args, Debug)]
pub struct Subject {
    /// The violation probability that must not go unnoticed: a decimal (0.01,
    /// 1e-3) or a fraction (1/1024) strictly between 0 and 1
    /// [env: PROBTEST_P, for `run`]
    #[arg(long, value_name = "P", allow_negative_numbers = true)]
    pub p: Option<String>,

    /// The probabilities of outcomes that must all be seen, separated by commas
    /// or in several options; `1/6x6` repeats one, `@FILE` reads them from a
    /// file (one a line, or commas). They sum to at most 1
    #[arg(
        long,
        value_name = "LIST",
        allow_negative_numbers = true,
        conflicts_with_all = ["p", "equal"]
    )]
    pub outcomes: Vec<String>,

    /// Short for N outcomes of probability 1/N
    #[arg(
        long,
        value_name = "N",
        allow_negative_numbers = true,
        conflicts_with = "p"
    )]
    pub equal: Option<String>,
}

/// A claim without its epsilon.
pub enum About {
    /// One violation probability.
    P(Probability),
    /// Several outcomes.
    Outcomes(Outcomes),
}

impl Subject {
    /// Reads what was given, if anything was.
    ///
    /// # Errors
    ///
    /// When a number, a list or a file cannot be used.
    pub fn read(&self) -> Result<Option<About>, Failure> {
        if let Some(p) = &self.p {
            return Ok(Some(About::P(read_p(p)?)));
        }
        if let Some(n) = &self.equal {
            let help = "write how many outcomes there are, such as --equal 6";
            let n = whole("--equal", n, 2..=1_000_000, help)?;
            let n = usize::try_from(n).unwrap_or(usize::MAX);
            return Ok(Some(About::Outcomes(Outcomes::equal(n)?)));
        }
        if self.outcomes.is_empty() {
            return Ok(None);
        }
        let mut list = Vec::new();
        for entry in &self.outcomes {
            match entry.trim().strip_prefix('@') {
                Some(path) => list.push(read_list(path)?),
                None => list.push(entry.clone()),
            }
        }
        Ok(Some(About::Outcomes(Outcomes::parse(&list.join(","))?)))
    }
}

impl About {
    /// Adds the epsilon.
    ///
    /// # Errors
    ///
    /// When the text is no probability.
    pub fn with_epsilon(self, epsilon: &str) -> Result<Claim, Failure> {
        Ok(match self {
            About::P(p) => Claim::detect(p, epsilon)?,
            About::Outcomes(outcomes) => Claim::cover(outcomes, epsilon)?,
        })
    }
}

/// Reads p, so that an error calls it p.
///
/// # Errors
///
/// When the text is no probability.
pub fn read_p(text: &str) -> Result<Probability, Failure> {
    match Claim::detect(text, EPSILON)? {
        Claim::Detect { p, .. } => Ok(p),
        Claim::Cover { .. } | Claim::Tolerate { .. } => {
            unreachable!("detect makes a claim about p")
        }
    }
}

/// Reads epsilon, so that an error calls it epsilon.
///
/// # Errors
///
/// When the text is no probability.
pub fn read_epsilon(text: &str) -> Result<Probability, Failure> {
    Ok(Claim::detect(EPSILON, text)?.epsilon().clone())
}

/// Makes the claim of a test, with `PROBTEST_P` and `PROBTEST_EPSILON` behind
/// the options.
///
/// # Errors
///
/// When nothing says what the claim is about, or something cannot be read.
pub fn claim_of_test(subject: &Subject, epsilon: Option<&String>) -> Result<Claim, Failure> {
    let about = match subject.read()? {
        Some(about) => about,
        None => {
            let p = Given::find("--p", None, "PROBTEST_P").ok_or_else(|| {
                Failure::given(
                    "nothing says what must not go unnoticed",
                    "neither --p nor --outcomes, and PROBTEST_P is not set",
                    "add the violation probability to catch, such as --p 0.01",
                )
            })?;
            About::P(p.read(|_, text| read_p(text))?)
        }
    };
    let Some(epsilon) = Given::find("--epsilon", epsilon, "PROBTEST_EPSILON") else {
        return about.with_epsilon(EPSILON);
    };
    epsilon.read(|_, text| about.with_epsilon(text))
}

fn read_list(path: &str) -> Result<String, Failure> {
    let refuse = |why: String| {
        Failure::given(
            format!("the file of outcomes cannot be read: {why}"),
            format!("--outcomes @{path}"),
            "name a text file with one probability a line, or separated by commas",
        )
    };
    let file = File::open(path).map_err(|error| refuse(error.to_string()))?;
    let mut text = String::new();
    file.take(LONGEST_FILE + 1)
        .read_to_string(&mut text)
        .map_err(|error| refuse(error.to_string()))?;
    if text.len() as u64 > LONGEST_FILE {
        return Err(refuse(format!(
            "it is longer than {} MiB",
            LONGEST_FILE >> 20
        )));
    }
    let entries: Vec<&str> = text
        .lines()
        .map(|line| line.split('#').next().unwrap_or_default())
        .flat_map(|line| line.split(','))
        .map(str::trim)
        .filter(|entry| !entry.is_empty())
        .collect();
    if entries.is_empty() {
        return Err(refuse("it names no probability".into()));
    }
    Ok(entries.join(","))
}
