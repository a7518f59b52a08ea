//! Suggest: which option did the user mean?

/// Names that others use for an option of ours.
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

/// Finds the option that `given` most likely stands for.
pub fn closest<'a>(given: &str, options: &[&'a str]) -> Option<&'a str> {
    let given = given.to_lowercase();
    let synonym = SYNONYMS.iter().find(|(other, _)| *other == given);
    let exact = synonym.map_or(given.as_str(), |(_, ours)| ours);
    if let Some(option) = options.iter().find(|option| **option == exact) {
        return Some(option);
    }
    options
        .iter()
        .map(|option| (distance(&given, option), *option))
        // One slip in three letters; so nothing of one letter is close to `p`.
        .filter(|(slips, option)| slips * 3 <= option.len())
        .min_by_key(|(slips, _)| *slips)
        .map(|(_, option)| option)
}

/// Counts the insertions, deletions, replacements and swaps of neighbours
/// that turn one word into the other.
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
    use super::{SYNONYMS, closest};
    use crate::options::names;

    #[test]
    fn slips_of_the_finger_find_their_option() {
        assert_eq!(closest("epsilom", &names()), Some("epsilon"));
        assert_eq!(closest("espilon", &names()), Some("epsilon"));
        assert_eq!(closest("job", &names()), Some("jobs"));
        assert_eq!(closest("seeed", &names()), Some("seed"));
        assert_eq!(closest("outcome", &names()), Some("outcomes"));
        assert_eq!(closest("max_execution", &names()), Some("max_executions"));
        assert_eq!(closest("P", &names()), Some("p"));
        assert_eq!(closest("tolerance", &names()), Some("tolerate"));
    }

    #[test]
    fn unrelated_words_find_nothing() {
        for word in ["k", "n", "variance", "repeat", "", "e"] {
            assert_eq!(closest(word, &names()), None, "{word}");
        }
    }

    #[test]
    fn every_synonym_leads_to_an_option() {
        for (other, ours) in SYNONYMS {
            assert_eq!(closest(other, &names()), Some(ours));
        }
    }
}
