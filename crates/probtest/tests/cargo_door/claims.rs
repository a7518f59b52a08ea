//! `#[probtest(claim = ..)]`: what `cargo test` shows, and what the suite divides.

use probtest::settings::Share;

use crate::fixture::{Fixture, Seen};
use crate::suites::tests;

fn test(name: &str) -> Fixture {
    Fixture::test(&format!("claims::{name}")).set("PROBTEST_SEED", "7").argument("--show-output")
}

/// The line to copy, taken apart: its variables, and the words for cargo.
fn line(seen: &Seen) -> (Vec<(String, String)>, String) {
    let found = seen.text.lines().find_map(|line| {
        let line = line.trim();
        let after = line.strip_prefix("replay ");
        after.or_else(|| line.strip_prefix("rerun "))
    });
    let (variables, command) = found.expect(&seen.text).trim().split_once(" cargo ").unwrap();
    let variables = variables.split(' ').map(|set| {
        let (name, value) = set.split_once('=').unwrap();
        (name.to_owned(), value.to_owned())
    });
    (variables.collect(), format!("cargo {command}"))
}

/// What the line to copy says.
fn again(name: &str, first: &Seen) -> Fixture {
    let (variables, command) = line(first);
    let expected = format!("cargo test -p probtest --test fixture claims::{name} -- --exact");
    assert!(command.starts_with(&expected), "{command}");
    let fixture = Fixture::test(&format!("claims::{name}")).argument("--show-output");
    variables.iter().fold(fixture, |fixture, (variable, value)| fixture.set(variable, value))
}

#[test]
fn claims_that_are_kept_pass_and_say_what_that_is_worth() {
    let mean = "a mean of 0.35 or less, or of 0.65 or more would have passed with probability at most 0.05";
    let label = "a label that is off by 0.1 or more would have";
    test("mean_is_kept").passes(&[mean]);
    test("labels_are_kept").passes(&[label]);
    #[cfg(feature = "tokio")]
    test("waits").passes(&[label]);
}

#[test]
fn the_line_of_a_failure_shows_what_was_returned() {
    let edge = "returned the label \"edge\", which has no probability\n";
    let edge_again = format!("{edge}  given     PROBTEST_REPLAY=");
    let (why, help) = (" returned 2, outside between = (0, 1)\n", "  help      widen between");
    let missed: &[&str] = &[
        "probtest: missed: the mean is above 0.3, after ",
        "which returned the largest number, 0.9",
        "epsilon = 0.05, false_alarm = 1e-6",
    ];
    let missed_again: &[&str] = &[
        "of fixture::claims::mean_is_missed alone",
        "probtest: returned 0.9",
        "one execution is not the plan",
    ];
    for (name, words, passes, replayed) in [
        ("mean_is_missed", missed, true, missed_again),
        ("label_cannot_come", &[edge], false, &["probtest: returned edge", &edge_again]),
        ("number_is_outside", &[why, help], false, &["probtest: returned 2\n", why, help]),
        ("number_violates", &[" is large"], false, &[" is large"]),
    ] {
        let first = test(name).fails(words);
        let seen = again(name, &first).see();
        assert_eq!(seen.passed, passes, "{name}: {}", seen.text);
        seen.says(replayed);
    }
    // Although the test passes, and libtest hides what such a test says.
    let (variables, _) = line(&test("mean_is_missed").see());
    let mut quiet = Fixture::test("claims::mean_is_missed").set(&variables[0].0, &variables[0].1);
    quiet.passes(&["probtest: returned 0.9"]);
}

#[test]
fn a_claim_that_lacks_a_part_is_an_error_and_options_beside_it_count() {
    test("lacks_its_margin").fails(&[
        "probtest: error: the test does not say margin\n",
        "  given  between = (0, 1), above = 0.4\n",
        "  help   a mean needs between, margin and one of within, above and below\n",
    ]);
    test("rejects_more_than_it_may").fails(&["rejections, more than the 3 allowed"]);
}

#[test]
fn both_chances_of_the_suite_are_divided_over_all_tests_of_the_binary() {
    let tests = tests() as u64;
    let share = |total: &str| Share::new(total.parse().unwrap(), tests.try_into().unwrap());
    let (epsilon, alarm) = (share("0.05"), share("1e-9"));
    let fixture = test("mean_is_kept")
        .set("PROBTEST_SUITE_EPSILON", "0.05")
        .set("PROBTEST_SUITE_FALSE_ALARM", "1e-9");
    let (seen, report) = fixture.reports();
    assert!(seen.passed, "{}", seen.text);
    let (miss, false_alarm) = (&epsilon.each, &alarm.each);
    seen.says(&[
        &format!("  suite     {tests} tests share epsilon = 0.05, {miss} or less for each\n"),
        "            the probability that any of them passes even though its claim does not hold is at most 0.05\n",
        &format!("  suite     {tests} tests share false_alarm = 1e-9, {false_alarm} or less for each\n"),
        "test that tolerates a rate, or claims a mean or labels, fails even though its program keeps to it is at most 1e-9\n",
    ])
    .lacks("not counted");
    for (name, share) in [("epsilon", &epsilon), ("false_alarm", &alarm)] {
        let each = share.each.to_string();
        assert_eq!(report["suite"][name]["tests"], tests);
        assert_eq!(report["suite"][name]["total_exact"], share.total.to_string());
        assert_eq!(report["suite"][name]["each_exact"], each);
        // What is tested is the part.
        assert_eq!(report["claim"][format!("{name}_exact")], each);
    }
    // Exactly the plan of that part.
    let claim = probtest::mean().between(0, 1).within(0.45, 0.55).margin(0.1);
    let claim = claim.epsilon(&epsilon.each).false_alarm(&alarm.each);
    let plan = probtest::plan::Plan::new(&claim.claim().unwrap()).unwrap();
    assert_eq!(report["planned"], plan.executions());
}

#[test]
fn chances_of_the_environment_count_where_the_claim_gives_none() {
    for (name, epsilon, alarm) in
        [("labels_are_kept", "1e-4", "1e-8"), ("promises_more_than_its_suite", "1e-9", "1e-12")]
    {
        let fixture =
            test(name).set("PROBTEST_EPSILON", "1e-4").set("PROBTEST_FALSE_ALARM", "1e-8");
        let claim = &fixture.reports().1["claim"];
        assert_eq!(claim["epsilon_exact"], epsilon, "{name}");
        assert_eq!(claim["false_alarm_exact"], alarm, "{name}");
    }
}

#[test]
fn the_line_of_missed_labels_has_what_the_claim_came_from_and_fails_again() {
    // Heads come with probability 0.565, between what must pass and what must fail. With
    // the usual epsilon this seed passes; with a smaller one it goes on until it fails.
    let name = "is_off_by_less_than_the_distance";
    test(name).set("PROBTEST_SEED", "1").passes(&[]);
    let words = "probtest: missed: label \"heads\" occurs with probability above";
    for variable in ["PROBTEST_SUITE_EPSILON", "PROBTEST_EPSILON"] {
        let first = test(name).set("PROBTEST_SEED", "1").set(variable, "1e-9").fails(&[words]);
        again(name, &first).fails(&[words]);
    }
}

#[test]
fn labels_that_could_pass_for_other_lines_are_quoted() {
    let name = "labels_have_ends_of_lines";
    let words = "  claim     \"\" 1/2, \"a\\n  verdict   passed\" 1/2, distance = 0.1, ";
    let first = test(name).fails(&[words]);
    let second = again(name, &first).fails(&["probtest: returned \"\\u{1b}[2J\"\n"]);
    for seen in [first, second] {
        seen.lacks("\n  verdict").lacks("\u{1b}");
    }
}
