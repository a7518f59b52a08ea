//! What stands in the environment and is not read.

use std::io::Write;

use probtest::Environment;

/// Warns on stderr about names that mean nothing; an empty value counts as not
/// set.
pub fn warn() {
    let set = std::env::vars_os()
        .filter(|(_, value)| !value.to_string_lossy().trim().is_empty())
        .map(|(name, _)| name.to_string_lossy().into_owned());
    if let Some(warning) = warning(set) {
        let _ = writeln!(std::io::stderr(), "{warning}");
    }
}

/// Says that a replay was asked for where none takes place.
pub fn warn_of_replay() {
    let set = std::env::var("PROBTEST_REPLAY").unwrap_or_default();
    let address = set.trim();
    if !address.is_empty() {
        let _ = writeln!(
            std::io::stderr(),
            "probtest: warning: PROBTEST_REPLAY is not read here\n  given  {address}\n  help   write probtest replay {address} -- COMMAND to execute one execution of a program"
        );
    }
}

/// Says which of these names mean nothing, and what does; none when all is well.
fn warning(set: impl Iterator<Item = String>) -> Option<String> {
    let known: Vec<&str> = Environment::variables().map(|v| v.name).collect();
    let mut unknown: Vec<String> = set
        .filter(|name| name.starts_with("PROBTEST_") && !known.contains(&name.as_str()))
        .collect();
    if unknown.is_empty() {
        return None;
    }
    unknown.sort();
    let means = if unknown.len() == 1 {
        "means nothing here and is"
    } else {
        "mean nothing here and are"
    };
    Some(format!(
        "probtest: warning: {} {means} ignored\n  known  {}",
        unknown.join(", "),
        known.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_ours_that_mean_nothing_are_warned_about() {
        let warn = |names: &[&str]| warning(names.iter().map(|name| (*name).to_owned()));
        assert_eq!(warn(&["PATH", "PROBTEST_SEED", "PROBTEST_REPORT"]), None);
        let text = warn(&["PROBTEST_X", "PROBTEST_P", "PROBTEST_SEEDS"]).unwrap();
        let first = "probtest: warning: PROBTEST_SEEDS, PROBTEST_X mean nothing here and are ignored\n  known  PROBTEST_P, ";
        assert!(text.starts_with(first), "{text}");
    }
}
