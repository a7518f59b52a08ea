//! The commands in the how-to guides do what the guides say.

use crate::common::probtest;

const CHOOSE: &str = include_str!("../../../docs/how-to/choose-a-claim.md");

#[test]
fn the_commands_of_the_decision_page_take_the_executions_of_its_table() {
    let (_, rest) = CHOOSE.split_once("```sh\n").expect("the page has commands");
    let commands = rest.split("```").next().unwrap();
    // A program without a violation replaces the reader's.
    let executed = commands.lines().map(|line| {
        let given = line.strip_suffix("./simulate --seed {seed}").unwrap();
        let words: Vec<&str> = given.split_whitespace().skip(1).collect();
        let words = [&words[..1], &["--json"], &words[1..], &["true"]].concat();
        let json = probtest(&words).exits(0).json();
        json["executed"].as_u64().unwrap()
    });
    assert_eq!(executed.collect::<Vec<u64>>(), [299, 336, 366]);
}
