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

/// A function for each line, with a parameter for each of its places.
macro_rules! lines {
    ($($(#[$doc:meta])+ $name:ident($($place:ident),+);)+) => {$(
        $(#[$doc])+
        pub fn $name($($place: impl Display),+) -> String {
            say(stringify!($name), &[$(&$place),+])
        }
    )+};
}

lines! {
    /// How a report on a violation begins.
    violated_at(index, planned);
    /// How a report on a remembered counterexample begins that violates again.
    violated_again(address);
    /// How a report on a claim begins that was not decided.
    inconclusive_after(executed, planned);
    /// How many executions passed.
    no_violation(executed);
    /// What a pass means.
    missed_with(p, chance);
    /// What a pass within budget means, after the noun.
    seen_with(p, chance);
    /// How a pass within budget begins.
    within_budget(executed, planned);
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
