//! What probtest says, in the words of `words.txt`, which the tests in Python read too.

use std::fmt::Display;

const WORDS: &str = include_str!("../words.txt");

/// Finds a line by its name and fills its places in, from left to right.
fn say(name: &str, places: &[&dyn Display]) -> String {
    let mut lines = WORDS.lines().filter_map(|line| line.split_once(' '));
    let (_, line) = lines.find(|(found, _)| *found == name).expect(name);
    let mut parts = line.trim_start().split('{');
    let mut said = parts.next().unwrap_or_default().to_owned();
    for (part, place) in parts.zip(places) {
        let (_, rest) = part.split_once('}').expect("a place has two braces");
        said += &format!("{place}{rest}");
    }
    said
}

/// How a report on a violation begins.
pub fn violated_at(index: impl Display, planned: impl Display) -> String {
    say("violated_at", &[&index, &planned])
}

/// Reads the number of the execution from a report on a violation.
#[track_caller]
pub fn violating_index(text: &str) -> u64 {
    let line = violated_at('|', "");
    let (head, _) = line.split_once('|').expect("a place");
    let (_, after) = text.split_once(head).expect(text);
    let digits: String = after.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().expect(text)
}

/// How a report on a remembered counterexample begins that violates again.
pub fn violated_again(address: impl Display) -> String {
    say("violated_again", &[&address])
}

/// How a report on a claim begins that was not decided.
pub fn inconclusive_after(executed: impl Display, planned: impl Display) -> String {
    say("inconclusive_after", &[&executed, &planned])
}

/// How many executions passed.
pub fn no_violation(executed: impl Display) -> String {
    say("no_violation", &[&executed])
}

/// What a pass is worth.
pub fn missed_with(p: impl Display, chance: impl Display) -> String {
    say("missed_with", &[&p, &chance])
}

/// What a pass within budget is worth, behind the noun.
pub fn seen_with(p: impl Display, chance: impl Display) -> String {
    say("seen_with", &[&p, &chance])
}

/// How a pass within budget begins.
pub fn within_budget(executed: impl Display, planned: impl Display) -> String {
    say("within_budget", &[&executed, &planned])
}
