//! The words for what a given number of executions is worth.

use serde_json::{Map, Value, json};

use super::json::put_chance;
use super::plan_text::{ONE_IS_NOTHING, outcomes_line, round_up};
use super::text::{Section, plural};
use crate::claim::{Outcomes, Probability};
use crate::plan::Chance;

/// Writes the epsilon that some executions attain for a violation probability.
///
/// ```
/// use probtest::claim::Probability;
/// use probtest::{plan, report};
///
/// let p = Probability::parse("0.01")?;
/// let text = report::epsilon_text(&p, 299, &plan::epsilon_attained(&p, 299).unwrap());
/// assert!(text.starts_with("epsilon 0.04954\n"));
/// # Ok::<(), probtest::claim::ClaimError>(())
/// ```
pub fn epsilon_text(p: &Probability, executions: u64, miss: &Chance) -> String {
    let mut section = Section::begin(&format!("epsilon {miss}"));
    if executions == 1 {
        section.fact(
            "claim",
            &format!("1 execution catches nothing: {ONE_IS_NOTHING}"),
        );
        return section.text;
    }
    section.fact(
        "claim",
        &format!(
            "{} a violation probability of {p} with probability {miss}",
            subject(executions, "miss")
        ),
    );
    section.text
}

/// Writes the same for programs.
pub fn epsilon_json(p: &Probability, executions: u64, miss: &Chance) -> Map<String, Value> {
    let mut object = begin(executions);
    object.insert("p".into(), json!(p.as_f64()));
    object.insert("p_exact".into(), json!(p.to_string()));
    object.insert("epsilon".into(), json!(miss.value()));
    put_chance(&mut object, "miss", miss);
    object
}

/// Writes the smallest violation probability that some executions catch, rounded
/// up.
///
/// ```
/// use probtest::claim::Probability;
/// use probtest::{plan, report};
///
/// let epsilon = Probability::parse("0.05")?;
/// let p = plan::smallest_p(299, &epsilon).unwrap();
/// assert!(report::smallest_p_text(299, &epsilon, &p).starts_with("p 0.00997\n"));
/// # Ok::<(), probtest::claim::ClaimError>(())
/// ```
pub fn smallest_p_text(executions: u64, epsilon: &Probability, p: &Probability) -> String {
    let p = round_up(p);
    let mut section = Section::begin(&format!("p {p}"));
    section.fact(
        "claim",
        &format!(
            "{} a violation probability of {p} or more with probability > {}",
            subject(executions, "catch"),
            epsilon.complement()
        ),
    );
    section.text
}

/// Writes the same for programs.
pub fn smallest_p_json(
    executions: u64,
    epsilon: &Probability,
    p: &Probability,
    miss: &Chance,
) -> Map<String, Value> {
    let mut object = begin(executions);
    object.insert("p".into(), json!(p.as_f64()));
    object.insert("p_exact".into(), json!(p.to_string()));
    object.insert("epsilon".into(), json!(epsilon.as_f64()));
    object.insert("epsilon_exact".into(), json!(epsilon.to_string()));
    put_chance(&mut object, "miss", miss);
    object
}

/// Writes the chance that some executions do not see all outcomes.
pub fn unseen_text(outcomes: &Outcomes, executions: u64, miss: &Chance) -> String {
    let mut section = Section::begin(&format!("epsilon {miss}"));
    section.fact(
        "claim",
        &format!(
            "{} some of {} ({}) with probability {miss}",
            subject(executions, "miss"),
            plural(outcomes.len() as u64, "outcome"),
            outcomes_line(outcomes)
        ),
    );
    section.text
}

/// Writes the same for programs.
pub fn unseen_json(outcomes: &Outcomes, executions: u64, miss: &Chance) -> Map<String, Value> {
    let numbers: Vec<f64> = outcomes.iter().map(Probability::as_f64).collect();
    let exact: Vec<String> = outcomes.iter().map(ToString::to_string).collect();
    let mut object = begin(executions);
    object.insert("outcomes".into(), json!(numbers));
    object.insert("outcomes_exact".into(), json!(exact));
    object.insert("epsilon".into(), json!(miss.value()));
    put_chance(&mut object, "miss", miss);
    object
}

fn begin(executions: u64) -> Map<String, Value> {
    Map::from_iter([("executions".to_owned(), json!(executions))])
}

fn subject(executions: u64, verb: &str) -> String {
    let ending = match (executions, verb) {
        (1, "miss" | "catch") => "es",
        _ => "",
    };
    format!("{} {verb}{ending}", plural(executions, "execution"))
}
