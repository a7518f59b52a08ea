//! Lines to copy: each executes what it names, and nothing else.

use std::process::Command;

use probtest_testing::words::violated_at;

use crate::fixture::{Fixture, Seen, binary};

#[track_caller]
fn line_of(seen: &Seen, label: &str) -> String {
    let label = format!("  {label:<9} ");
    let (_, after) = seen.text.split_once(&label).expect(&seen.text);
    after.lines().next().unwrap().to_owned()
}

/// Gives a line to a shell, with the fixture in the place of cargo: it fails, and says this.
#[track_caller]
fn follow(line: &str, parts: &[&str]) {
    let script = format!(
        "cargo() {{\n  test \"$1 $2 $3 $4 $5\" = 'test -p probtest --test fixture' || exit 9\n  shift 5\n  name=$1\n  shift 2\n  \"$FIXTURE\" \"$name\" \"$@\"\n}}\n{line}"
    );
    let mut command = Command::new("sh");
    command.args(["-c", &script]).env("FIXTURE", binary());
    Fixture::with(command, "line").fails(parts);
}

#[test]
fn the_line_of_every_kind_of_test_replays_its_violation() {
    for (name, id) in [
        ("violates", "fixture::violates"),
        ("inner::lies_in_a_module", "fixture::inner::lies_in_a_module"),
        ("doors::r#match", "fixture::doors::match"),
        ("doors::builder_has_colons_in_its_id", "x::y::z"),
        ("doors::builder_has_a_hostile_id", "a die's \"id\" with $HOME `x`"),
        ("doors::loops_over_three_ids", "third"),
    ] {
        let seen =
            Fixture::test(name).set("PROBTEST_SEED", "0x5eed").unset("PROBTEST_SHRINK").fails(&[]);
        follow(&line_of(&seen, "replay"), &["running 1 test", &format!("of {id} alone")]);
        // And the one that plays the small execution.
        let told = format!("of {id} alone, with a tape of");
        follow(&line_of(&seen, "small"), &["running 1 test", &told]);
    }
}

#[test]
fn an_address_or_a_tape_that_cannot_be_read_is_an_error() {
    let seen =
        Fixture::test("violates").set("PROBTEST_SEED", "0x5eed").unset("PROBTEST_SHRINK").see();
    let small = line_of(&seen, "small");
    let address = small.split(['=', ' ']).nth(1).unwrap();
    for (tape, says) in [
        (format!("{address}!"), "is not a tape"),
        ("7:3:x".to_owned(), "SEED:INDEX or SEED:INDEX:TEST"),
        (format!("{}:@/no/such.tape", address.rsplit_once(':').unwrap().0), "cannot be read"),
    ] {
        Fixture::test("violates").set("PROBTEST_REPLAY", &tape).fails(&["PROBTEST_REPLAY", says]);
    }
}

#[test]
fn the_line_of_a_test_whose_claim_comes_from_the_run_has_that_claim() {
    let seen = Fixture::test("violates_under_the_claim_of_the_run")
        .set("PROBTEST_P", "0.01")
        .set("PROBTEST_SEED", "0x5eed")
        .fails(&[]);
    let line = line_of(&seen, "replay");
    assert!(line.starts_with("PROBTEST_P=0.01 PROBTEST_REPLAY="), "{line}");
    follow(&line, &["drew a seven", "alone"]);
}

#[test]
fn a_test_that_is_not_named_executes_its_plan_and_says_so() {
    let address = |name, seed| {
        let seen = Fixture::test(name).set("PROBTEST_SEED", seed).see();
        let line = line_of(&seen, "replay");
        let (_, after) = line.split_once('=').unwrap();
        after.split(' ').next().unwrap().to_owned()
    };
    Fixture::test("passes")
        .set("PROBTEST_REPLAY", &address("violates", "0x5eed"))
        .argument("--show-output")
        .passes(&["names another test; fixture::passes runs as usual", "probtest: 390 executions"]);
    // The others have the seed of the replay, so a test inside another is repeated.
    let name = "doors::has_a_test_inside";
    let inside = Fixture::test(name).set("PROBTEST_SEED", "3").see();
    let (_, found) = inside.text.split_once("an eighth").expect(&inside.text);
    assert!(found.contains("PROBTEST_REPLAY=0x3:1:"), "{found}");
    for part in inside.text.split("PROBTEST_REPLAY=").skip(1) {
        let address = part.split(' ').next().unwrap();
        Fixture::test(name)
            .set("PROBTEST_REPLAY", address)
            .fails(&["an eighth", "seed      0x3, execution "]);
    }
}

#[test]
fn a_report_of_a_replay_has_one_execution_and_is_no_pass() {
    let name = "doors::report_is_looked_at";
    Fixture::test(name).set("PROBTEST_REPLAY", "7:3").fails(&[
        "the body returned false",
        &violated_at(3, 6),
        "0 passed, 1 violated",
        "PROBTEST_REPLAY=0x7:3:",
    ]);
}
