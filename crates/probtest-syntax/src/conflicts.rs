//! Which options of one test do not go together, and why.

use crate::{Error, Probability};

/// Says which of these options of one test cannot stand beside the others, and why.
pub fn conflict<'a>(given: &[&'a str]) -> Option<(&'a str, Error)> {
    let find = |name: &str| given.iter().copied().find(|other| *other == name);
    let pairs = given.iter().enumerate();
    let mut pairs =
        pairs.flat_map(|(place, one)| given[..place].iter().map(move |two| (*one, *two)));
    if let Some(found) = pairs.find_map(|(one, other)| Some((one, apart(one, other)?))) {
        return Some(found);
    }
    if find("claim").is_some() {
        let beside = given.iter().find_map(|name| Some((*name, beside_claim(name)?)));
        return beside;
    }
    let (p, outcomes) = (find("p"), find("outcomes"));
    let (tolerate, false_alarm) = (find("tolerate"), find("false_alarm"));
    if let (Some(inputs), Some(other)) = (find("inputs"), tolerate.or(outcomes)) {
        return Some((inputs, beside_inputs(other)));
    }
    if let (Some(outcomes), Some(_)) = (outcomes, p) {
        let error = Error::new(
            "the test gives both p and outcomes",
            "p and outcomes",
            "keep p to catch violations, or outcomes to see each outcome",
        );
        return Some((outcomes, error));
    }
    if let (Some(tolerate), Some(_)) = (tolerate, outcomes) {
        let error = Error::new(
            "tolerate limits how often violations occur, but outcomes lists what must be seen",
            "tolerate and outcomes",
            "keep tolerate and p for a violation rate, or outcomes to see each outcome",
        );
        return Some((tolerate, error));
    }
    if let (Some(false_alarm), None) = (false_alarm, tolerate) {
        let error = Error::new(
            "false_alarm is the chance of failing a program within the tolerated rate, but this test tolerates no rate",
            "false_alarm without tolerate",
            "add tolerate, such as tolerate = 0.001, or leave false_alarm out",
        );
        return Some((false_alarm, error));
    }
    None
}

/// Why `inputs` cannot stand beside another claim than one on a violation probability.
fn beside_inputs(other: &str) -> Error {
    Error::new(
        format!("inputs means that p is caught for each input, but {other} is a different claim"),
        format!("inputs and {other}"),
        format!(
            "keep p and inputs, or leave out inputs: then {other} covers input and program together"
        ),
    )
}

/// Why an option cannot stand beside `claim`, if it cannot.
fn beside_claim(name: &str) -> Option<Error> {
    let (what, help) = match name {
        "p" | "tolerate" | "outcomes" => (
            format!("the test gives both {name} and claim"),
            format!("keep claim for what the body returns, or {name} for what each execution shows"),
        ),
        "epsilon" | "false_alarm" => (
            format!("{name} belongs inside the claim, not next to it"),
            format!("write it inside, such as claim = probtest::mean()...{name}(0.01)"),
        ),
        "on_budget" => (
            "a claim on a mean or on labels is decided as a whole, so there is no partial result to accept".to_owned(),
            "leave out on_budget; if time or executions run out first, the report says what is known so far".to_owned(),
        ),
        "inputs" => return Some(beside_inputs("claim")),
        _ => return None,
    };
    Some(Error::new(what, format!("{name} and claim"), help))
}

/// Checks that the tolerated rate lies below the one to catch.
///
/// # Errors
/// When it does not: one rate would have to pass and to fail.
pub fn check_tolerate(tolerate: &Probability, p: &Probability) -> Result<(), Error> {
    if tolerate < p {
        return Ok(());
    }
    Err(Error::new(
        "tolerate is not below p, so the same rate would have to both pass and fail",
        format!("tolerate = {tolerate}, p = {p}"),
        "raise p, the rate to catch, or lower tolerate",
    ))
}

const BY_ONE_CALL: &str = "one call makes the whole batch";
const IN_ONE_LOOP: &str = "executions that wait at the same time share one process";

/// Which options about how executions are made do not go together: of each pair one would mean
/// nothing. A test that gives both is refused. What the run gives is for the tests that can:
/// the others go without.
const APART: &[(&str, &str, &str)] = &[
    ("batch", "concurrency", BY_ONE_CALL),
    ("batch", "inputs", BY_ONE_CALL),
    ("batch", "infrastructure", BY_ONE_CALL),
    ("batch", "max_unavailable", BY_ONE_CALL),
    ("batch", "rate", BY_ONE_CALL),
    ("batch", "max_cost", BY_ONE_CALL),
    ("concurrency", "jobs", IN_ONE_LOOP),
    ("concurrency", "isolate", IN_ONE_LOOP),
    ("concurrency", "executor", IN_ONE_LOOP),
];

/// Why two options cannot both be in force, if they cannot.
pub fn apart(one: &str, other: &str) -> Option<Error> {
    let pair = |pair: &&(&str, &str, &str)| {
        (pair.0, pair.1) == (one, other) || (pair.1, pair.0) == (one, other)
    };
    APART.iter().find(pair).map(|(one, other, why)| {
        Error::new(
            format!("{one} and {other} do not go together: {why}"),
            format!("{one} and {other}"),
            format!("leave out {one} or {other}"),
        )
    })
}
