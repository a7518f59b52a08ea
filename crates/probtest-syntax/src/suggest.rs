//! Suggest: which option did the user mean?
//!
//! The attribute, marker, flags, ini keys and variables all use this.

use crate::options::{OPTIONS, Spec};

/// Other tools' names for our options.
const SYNONYMS: [(&str, &str); 13] = [
    ("probability", "p"),
    ("minp", "p"),
    ("pbug", "p"),
    ("eps", "epsilon"),
    ("threads", "jobs"),
    ("workers", "jobs"),
    ("krate", "crate"),
    ("timeout", "max_time"),
    ("time", "max_time"),
    ("probabilities", "outcomes"),
    ("labels", "claim"),
    ("mean", "claim"),
    ("fit", "claim"),
];

/// Finds the name that `given` most likely means. Both may be written as flags, ini keys or
/// variables: only what distinguishes options is compared.
///
/// ```
/// use probtest_syntax::options::closest;
///
/// assert_eq!(closest("--epsilom", &["--p", "--epsilon"]), Some("--epsilon"));
/// assert_eq!(closest("PROBTEST_EPS", &["PROBTEST_P", "PROBTEST_EPSILON"]), Some("PROBTEST_EPSILON"));
/// assert_eq!(closest("repeat", &["p", "epsilon"]), None);
/// ```
pub fn closest<'a>(given: &str, names: &[&'a str]) -> Option<&'a str> {
    let given = bare(given);
    let synonym = SYNONYMS.iter().find(|(other, _)| *other == given);
    let exact = synonym.map_or(given.as_str(), |(_, ours)| ours);
    let options = names.iter().map(|name| (bare(name), *name));
    if let Some((_, name)) = options.clone().find(|(option, _)| option == exact) {
        return Some(name);
    }
    let close = |(option, name): (String, &'a str)| {
        let (given, option) = apart(&given, &option);
        let slips = match given.len() {
            // A truncated word counts as one slip.
            3.. if option.starts_with(&given) => 1,
            _ => distance(&given, &option),
        };
        // One slip per three letters, so no single letter is close to `p`.
        (slips * 3 <= option.len()).then_some((slips, name))
    };
    let closest = options.clone().filter_map(close).min_by_key(|(slips, _)| *slips);
    // Or one with an extra word before it.
    let longer = |option: &str| option.len() > 2 && given.ends_with(&format!("_{option}"));
    let longer = options.clone().filter(|(option, _)| longer(option));
    closest.map(|(_, name)| name).or_else(|| longer.map(|(_, name)| name).next())
}

/// What remains of two names without the words that both start or end with: `audit_json` isn't
/// close to `audit_known`, however long the word they share.
fn apart(one: &str, other: &str) -> (String, String) {
    let (one, other): (Vec<&str>, Vec<&str>) =
        (one.split('_').collect(), other.split('_').collect());
    let shortest = one.len().min(other.len()) - 1;
    let same = |(one, other): &(&&str, &&str)| one == other;
    let first = one.iter().zip(&other).take_while(same).count().min(shortest);
    let last = one.iter().rev().zip(other.iter().rev()).take_while(same).count();
    let last = last.min(shortest - first);
    let rest = |words: &[&str]| words[first..words.len() - last].join("_");
    (rest(&one), rest(&other))
}

/// An option's name without prefixes of its place: `--probtest-max-time` is `max_time`.
fn bare(name: &str) -> String {
    let name = name.to_lowercase().replace('-', "_");
    let name = name.trim_start_matches('_');
    name.strip_prefix("probtest_").unwrap_or(name).to_owned()
}

/// The help for names that don't exist: the ones that were probably meant, or all existing ones.
pub fn suggestion<'a>(given: &[impl AsRef<str>], kind: &str, names: &[&'a str]) -> String {
    let meant: Option<Vec<&'a str>> =
        given.iter().map(|name| closest(name.as_ref(), names)).collect();
    match meant {
        Some(meant) => format!("did you mean `{}`?", meant.join("`, `")),
        None => format!("the {kind} are `{}`", names.join("`, `")),
    }
}

/// The warning about variables that have no effect; `None` if there are no such variables. `read`
/// says which options are read from variables.
pub fn ignored_variables(given: &[String], read: impl Fn(&Spec) -> bool) -> Option<String> {
    let has = match given {
        [] => return None,
        [_] => "has no effect here and is",
        _ => "have no effect here and are",
    };
    let known = OPTIONS.iter().filter(|spec| read(spec));
    let known: Vec<&str> = known.filter_map(|spec| spec.variable).collect();
    let help = suggestion(given, "variables", &known);
    let given = given.join(", ");
    Some(format!("warning: {given} {has} ignored\n  help   {help}"))
}

/// Counts the insertions, deletions, replacements and swaps of neighbours that turn one word into
/// the other.
fn distance(left: &str, right: &str) -> usize {
    let left: Vec<char> = left.chars().collect();
    let right: Vec<char> = right.chars().collect();
    let mut table = vec![vec![0; right.len() + 1]; left.len() + 1];
    for i in 0..=left.len() {
        for j in 0..=right.len() {
            table[i][j] = if i == 0 || j == 0 {
                i.max(j)
            } else {
                let replaced = table[i - 1][j - 1] + usize::from(left[i - 1] != right[j - 1]);
                let mut least = replaced.min(table[i - 1][j] + 1).min(table[i][j - 1] + 1);
                let swapped =
                    i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1];
                if swapped {
                    least = least.min(table[i - 2][j - 2] + 1);
                }
                least
            };
        }
    }
    table[left.len()][right.len()]
}

#[cfg(test)]
mod tests {
    use super::{SYNONYMS, closest, ignored_variables, suggestion};
    use crate::options::OPTIONS;

    fn names() -> Vec<&'static str> {
        let of_tests = OPTIONS.iter().filter(|spec| spec.attribute);
        of_tests.map(|spec| spec.name).chain(["crate"]).collect()
    }

    #[test]
    fn slips_of_the_finger_find_their_option() {
        for (given, meant) in [
            ("epsilom", "epsilon"),
            ("espilon", "epsilon"),
            ("job", "jobs"),
            ("seeed", "seed"),
            ("outcome", "outcomes"),
            ("max_execution", "max_executions"),
            ("--max-tiem", "max_time"),
            ("probtest_max_tim", "max_time"),
            ("P", "p"),
            ("tolerance", "tolerate"),
        ] {
            assert_eq!(closest(given, &names()), Some(meant), "{given}");
        }
    }

    #[test]
    fn words_in_common_bring_no_name_closer() {
        let names = ["--probtest-audit-known", "--probtest-json", "--probtest-suite-epsilon"];
        let meant = |given| closest(given, &names);
        assert_eq!(meant("--probtest-audit-json"), Some("--probtest-json"));
        assert_eq!(meant("--probtest-audit-page"), None);
        assert_eq!(meant("--probtest-audit-knwon"), Some("--probtest-audit-known"));
        assert_eq!(meant("--probtest-suite-eps"), Some("--probtest-suite-epsilon"));
    }

    #[test]
    fn unrelated_words_find_nothing() {
        for word in ["k", "n", "variance", "repeat", "", "e", "--", "PROBTEST_X"] {
            assert_eq!(closest(word, &names()), None, "{word}");
        }
    }

    #[test]
    fn every_synonym_leads_to_an_option() {
        for (other, ours) in SYNONYMS {
            assert_eq!(closest(other, &names()), Some(ours));
        }
    }

    #[test]
    fn the_help_names_what_was_meant_or_everything_that_there_is() {
        let help = |given: &[&str]| suggestion(given, "options", &["p", "epsilon"]);
        assert_eq!(help(&["epsilom"]), "did you mean `epsilon`?");
        assert_eq!(help(&["eps", "P"]), "did you mean `epsilon`, `p`?");
        assert_eq!(help(&["eps", "n"]), "the options are `p`, `epsilon`");
    }

    #[test]
    fn a_variable_that_means_nothing_is_told_with_the_one_that_was_meant() {
        let warning = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(ToString::to_string).collect();
            ignored_variables(&names, |spec| spec.pytest)
        };
        assert_eq!(warning(&[]), None);
        assert_eq!(
            warning(&["PROBTEST_SEEDS"]).unwrap(),
            "warning: PROBTEST_SEEDS has no effect here and is ignored\n  help   did you mean `PROBTEST_SEED`?"
        );
        let several = warning(&["PROBTEST_SEEDS", "PROBTEST_X"]).unwrap();
        assert!(several.contains("PROBTEST_X have no effect here"), "{several}");
        assert!(several.contains("the variables are `PROBTEST_P`, "), "{several}");
        assert!(!several.contains("PROBTEST_REPORT"), "{several}");
    }
}
