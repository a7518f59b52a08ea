//! Documents stay true: the files they name exist.

use std::fs;
use std::path::{Path, PathBuf};

use probtest::{Claim, Error};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn documents(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && !name.starts_with('.') && name != "target" && name != "ui" {
            found.extend(documents(&path));
        } else if name.ends_with(".md") {
            found.push(path);
        }
    }
    found
}

/// Returns every `code` word and [link](target) in a document.
fn names(text: &str) -> Vec<String> {
    let quoted = text.split('`').skip(1).step_by(2);
    let linked = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    quoted.chain(linked).map(str::to_owned).collect()
}

/// Whether a word is meant as a path in this repository.
fn is_path(word: &str) -> bool {
    let first = word.split('/').next().unwrap_or_default();
    let known = ["crates", "docs", "python", "benches", "README.md", "ARCHITECTURE.md"];
    let known = known.contains(&first) || word.ends_with(".md");
    known && !word.contains([' ', '*', '<', '{']) && !word.starts_with("http")
}

#[test]
fn paths_that_documents_name_exist() {
    let mut seen = 0;
    for document in documents(&root()) {
        let text = fs::read_to_string(&document).unwrap();
        for word in names(&text) {
            let word = word.split('#').next().unwrap();
            if !is_path(word) {
                continue;
            }
            seen += 1;
            let beside = document.parent().unwrap().join(word);
            assert!(
                root().join(word).exists() || beside.exists(),
                "{} names {word}, which does not exist",
                document.display()
            );
        }
    }
    assert!(seen > 10, "only {seen} paths were looked at");
}

#[test]
fn the_executions_of_the_decision_page_are_those_of_plans() {
    use probtest::judge::confidence::AimedSequence;
    use probtest::plan::Plan;

    let plan = |claim: Result<Claim, Error>| Plan::new(&claim.unwrap()).unwrap();
    let most = |claim| plan(claim).executions();
    let tolerate = plan(probtest::tolerate(0.001).claim());
    let expected = |rate| tolerate.expected_executions(rate).unwrap();
    let estimate = AimedSequence::new(0.02, 0.95).unwrap();
    let mean = probtest::mean().between(0, 1).within(0.45, 0.55);
    let coin = probtest::fit().label("heads", 0.5).label("tails", 0.5);
    let cells = [
        most(probtest::detect(0.01).claim()).to_string(),
        format!(
            "{:.0} without a violation, {:.0} expected at 1 in 1000, {} at most",
            expected(0.0),
            expected(0.001),
            tolerate.executions()
        ),
        format!(
            "{} without a violation, {} at most",
            estimate.least_executions(),
            estimate.most_executions()
        ),
        format!("{} at most, often a fraction", most(mean.margin(0.05).claim())),
        format!("{} at most", most(coin.distance(0.1).claim())),
        most(probtest::cover(["1/6"; 6]).claim()).to_string(),
    ];
    let page = fs::read_to_string(root().join("docs/how-to/choose-a-claim.md")).unwrap();
    for cell in cells {
        assert!(page.contains(&format!("| {cell} |")), "the page lacks {cell}");
    }
}
