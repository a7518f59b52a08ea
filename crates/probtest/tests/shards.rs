//! Shards that ran separately give the same verdict, counts and words as one run.

use crate::programs::{Program, programs};
use probtest::Settings;
use probtest::judge::Verdict;
use probtest::machine::{Executor, Serial, ShardFacts, TestRun, Threads, merge};
use probtest::{Claim, Report};
use probtest_facts::TestFacts;

fn settings(program: &Program) -> Settings<'static> {
    program.settings().seed(7)
}

fn serial(program: &Program, settings: Settings<'static>) -> Report {
    let mut run = TestRun::begin(&program.claim, settings).unwrap();
    let body = program.body;
    Serial::new(&mut |rng| body(rng)).execute(&mut run);
    run.finish()
}

fn shards(program: &Program, of: u64, jobs: usize) -> Vec<TestFacts> {
    shards_of_batches(program, of, jobs, 1)
}

fn shards_of_batches(program: &Program, of: u64, jobs: usize, batch: u64) -> Vec<TestFacts> {
    let shard = |number: u64| {
        let settings = settings(program).batch(batch);
        let shard = format!("{number}/{of}").parse().unwrap();
        let mut run = TestRun::begin(&program.claim, settings.shard(shard)).unwrap();
        let body = program.body;
        match jobs {
            1 => Serial::new(&mut |rng| body(rng)).execute(&mut run),
            _ => Threads::new(jobs, &|rng| body(rng)).execute(&mut run),
        }
        let mut report = run.finish();
        assert!(!report.passed());
        report.set_part_lines(Some("replay 18446744073709551557".into()), None, false);
        // As read from a file.
        let text = serde_json::to_string(&report.facts()).unwrap();
        serde_json::from_str(&text).unwrap()
    };
    (1..=of).map(shard).collect()
}

fn merged(shards: &[TestFacts]) -> Result<Report, probtest::Error> {
    let names: Vec<String> = (1..=shards.len()).map(|number| format!("{number}.json")).collect();
    let parts: Vec<ShardFacts<'_>> =
        names.iter().zip(shards).map(|(source, facts)| ShardFacts { source, facts }).collect();
    merge(&parts)
}

/// Everything in a report, except for the time.
fn told(mut report: Report) -> (String, String) {
    report.set_replay(report.address().map(|address| format!("replay {}", address.index)));
    let facts = TestFacts { seconds: 0.0, ..report.facts() };
    (report.to_string(), serde_json::to_string_pretty(&facts).unwrap())
}

#[test]
fn merged_shards_say_what_one_run_says_for_every_claim() {
    for program in programs() {
        let expected = told(serial(&program, settings(&program)));
        for (of, jobs) in [(1, 1), (2, 1), (3, 1), (16, 1), (3, 2)] {
            let report = merged(&shards(&program, of, jobs)).unwrap();
            assert_eq!(told(report), expected, "{} in {of} on {jobs}", program.name);
            // The deciding execution may be in the middle of a batch.
            let report = merged(&shards_of_batches(&program, of, jobs, 20)).unwrap();
            assert_eq!(told(report), expected, "{} in {of} on {jobs}, in batches", program.name);
        }
    }
}

#[test]
fn a_shard_without_a_violation_is_partial_and_never_passed() {
    let program = &programs()[0];
    let shard = settings(program).shard("2/3".parse().unwrap());
    let report = serial(program, shard);
    assert_eq!(report.verdict(), &Verdict::Partial);
    assert!(report.accepted() && !report.passed());
    assert_eq!(
        report.summary(),
        "probtest: partial: shard 2/3 executed 129 of 390, no violation; merge all shards for the verdict"
    );
}

#[test]
fn more_shards_than_executions_leave_some_with_nothing_to_do() {
    let mut program = programs().remove(0);
    program.claim = Claim::detect(0.5, 0.05).unwrap();
    let shards = shards(&program, 16, 1);
    assert_eq!(shards.iter().map(|facts| facts.executed).sum::<u64>(), 6);
    assert!(merged(&shards).unwrap().passed());
}

#[test]
fn a_violation_in_a_shard_is_told_at_once_and_confirmed_there() {
    let program =
        programs().into_iter().find(|program| program.name == "detect, violated").unwrap();
    let shards = shards(&program, 3, 1);
    let violated: Vec<&TestFacts> = shards.iter().filter(|facts| facts.index.is_some()).collect();
    assert!(!violated.is_empty());
    for facts in violated {
        assert_eq!(facts.verdict, probtest_facts::Verdict::Violated);
        assert_eq!(facts.confirmed, Some(true));
    }
}

#[test]
fn shards_that_are_missing_double_or_of_another_run_are_refused_by_name() {
    let program = &programs()[0];
    let all = shards(program, 3, 1);
    let refused = |shards: &[TestFacts]| merged(shards).unwrap_err();
    let error = refused(&all[..1]);
    assert_eq!(error.what(), "shards 2/3, 3/3 of shards are missing");
    let error = refused(&[all[0].clone(), all[2].clone(), all[2].clone()]);
    assert_eq!(error.what(), "shard 3/3 of shards is given twice");
    assert_eq!(error.given(), "2.json, 3.json");
    let shard = "2/3".parse().unwrap();
    let other = serial(program, program.settings().seed(8).shard(shard)).facts();
    let mut program = programs().remove(0);
    let of_two = shards(&program, 2, 1).remove(1);
    program.claim = Claim::detect(0.02, 0.02).unwrap();
    let claimed = shards(&program, 3, 1).remove(1);
    type Change = Box<dyn Fn(&mut Vec<TestFacts>)>;
    let changed = |change: fn(&mut probtest_facts::Part), place: usize| -> Change {
        Box::new(move |all| change(all[place].part.as_mut().unwrap()))
    };
    let cases: [(Change, &str); 8] = [
        (
            Box::new(move |all| all[1] = other.clone()),
            "shard 1/3 and shard 2/3 of shards are from different runs: the seed is 0x7 in one and 0x8 in the other",
        ),
        (
            Box::new(move |all| *all = vec![all[0].clone(), of_two.clone()]),
            "the number of shards is 3 in one and 2 in the other",
        ),
        (
            Box::new(move |all| all[1] = claimed.clone()),
            "the claim is p = 0.01, epsilon = 0.02 in one",
        ),
        (
            changed(|part| part.version = "0.0.9".into(), 2),
            "shard 3/3 of shards was written by probtest 0.0.9",
        ),
        (
            changed(|part| part.ledger[1] = part.ledger[1].replace("\"drew\":", "\"drew\": "), 1),
            "shard 2/3 of shards has changed since it was written",
        ),
        // A shard with another's number, and one without its last line.
        (changed(|part| part.shard = 1, 1), "has changed"),
        (changed(|part| part.ledger.truncate(1), 2), "executions of"),
        (Box::new(|all| all[0].part = None), "the result of shards is not from a shard"),
    ];
    for (change, words) in cases {
        let mut shards = all.clone();
        change(&mut shards);
        let error = refused(&shards);
        assert!(error.what().contains(words), "{words}: {error}");
    }
}

#[test]
fn a_shard_that_ran_out_of_time_is_named() {
    let program = &programs()[0];
    let mut all = shards(program, 3, 1);
    let mut now = 0;
    let late = settings(program)
        .shard("2/3".parse().unwrap())
        .max_time(std::time::Duration::from_secs(9))
        .clock(move || {
            now += 1;
            std::time::Duration::from_secs(now)
        });
    all[1] = serial(program, late).facts();
    let error = merged(&all).unwrap_err();
    assert!(
        error.what().starts_with("shard 2/3 of shards did not finish: max_time = 9s"),
        "{error}"
    );
}

#[test]
fn a_shard_needs_a_seed_and_an_estimate_an_end() {
    let claim = Claim::detect(0.01, 0.02).unwrap();
    let begin = |claim: &Claim, settings: Settings<'static>| {
        TestRun::begin(claim, settings.shard("1/2".parse().unwrap())).map(drop).unwrap_err()
    };
    let error = begin(&claim, Settings::new("shards"));
    assert_eq!(error.given(), "shard 1/2, no seed");
    let estimate = probtest::estimate(0.1).claim().unwrap();
    let error = begin(&estimate, Settings::new("shards").seed(7));
    assert_eq!(error.given(), "shard 1/2, no max_executions");
    for bad in ["0/2", "3/2", "1", "1/0", "a/b", "1/2/3", "-1/2", "+1/2", ""] {
        assert!(bad.parse::<probtest::settings::Shard>().is_err(), "{bad}");
    }
}

#[test]
fn a_cost_that_all_shards_may_have_together_ends_the_whole_where_one_run_ends() {
    let claim = Claim::detect(0.1, 0.05).unwrap();
    let make = |shard: Option<&str>| {
        let mut settings = Settings::new("costly").seed(7).max_cost(20.0);
        if let Some(shard) = shard {
            settings = settings.shard(shard.parse().unwrap());
        }
        let report = probtest::check(&claim, settings, |rng| {
            probtest::cost(1.0);
            rng.draw_u64() != 4
        });
        report.unwrap()
    };
    let whole = make(None);
    // Of 29 executions, 14 and 15 stay below it in each shard.
    let shards = ["1/2", "2/2"].map(|shard| make(Some(shard)).facts());
    assert!(shards.iter().all(|facts| facts.verdict == probtest_facts::Verdict::Partial));
    let report = merged(&shards).unwrap();
    assert_eq!(report.verdict(), whole.verdict());
    assert_eq!(report.counts(), whole.counts());
    assert_eq!(report.counts().executed, 20);
}
