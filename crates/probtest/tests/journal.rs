//! A run that dies goes on where its journal ends, and comes to the same.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::programs::{Program, programs};
use probtest::judge::{Doubt, Reason, Verdict};
use probtest::machine::{Executor, Journal, Next, Serial, TestRun, Threads};
use probtest::run::{Observation, Violation};
use probtest::{Claim, Error, Report, Settings};
use probtest_facts::TestFacts;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("probtest-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        Folder(path)
    }

    fn journal(&self, code: &str) -> Result<Journal, Error> {
        let journal = Journal::open(&self.0, "here", "shards", None, Some(code.into()));
        // Each execution for itself, so that every moment is one that a run can die at.
        journal.map(|journal| journal.every(Duration::ZERO))
    }

    fn files(&self) -> Vec<PathBuf> {
        let files = fs::read_dir(&self.0).unwrap();
        let mut files: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
        files.sort();
        files
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn begin<'a>(
    claim: &Claim,
    settings: Settings<'a>,
    journal: Journal,
) -> Result<TestRun<'a>, Error> {
    let settings = match journal.seed() {
        Some(seed) => settings.seed(seed.0),
        None => settings,
    };
    let mut run = TestRun::begin(claim, settings)?;
    run.keep(journal)?;
    Ok(run)
}

fn execute(program: &Program, mut run: TestRun<'_>, jobs: usize) -> Report {
    let body = program.body;
    match jobs {
        1 => Serial::new(&mut |rng| body(rng)).execute(&mut run),
        _ => Threads::new(jobs, &|rng| body(rng)).execute(&mut run),
    }
    run.finish()
}

/// All that a report says, but for the time.
fn told(report: Report) -> (String, String) {
    let facts = TestFacts { seconds: 0.0, ..report.facts() };
    (report.to_string(), serde_json::to_string_pretty(&facts).unwrap())
}

fn uninterrupted(program: &Program) -> (String, String) {
    told(execute(program, TestRun::begin(&program.claim, program.settings().seed(7)).unwrap(), 1))
}

/// Writes the journal of a whole run.
fn write(program: &Program, folder: &Folder, jobs: usize) -> (PathBuf, Vec<u8>) {
    let journal = folder.journal("1").unwrap();
    let run = begin(&program.claim, program.settings().seed(7), journal).unwrap();
    assert_eq!(told(execute(program, run, jobs)), uninterrupted(program), "{}", program.name);
    let file = folder.files().remove(0);
    let bytes = fs::read(&file).unwrap();
    (file, bytes)
}

fn resume(program: &Program, folder: &Folder, jobs: usize) -> Report {
    // Nothing dies from here on, and each time that it writes takes the disk some time.
    let journal = folder.journal("1").unwrap().every(Duration::from_secs(60));
    let run = begin(&program.claim, program.settings(), journal).unwrap();
    execute(program, run, jobs)
}

/// Where the first line of a journal ends, and where the last one begins.
fn lines(bytes: &[u8]) -> (usize, usize) {
    let is_end = |byte: &u8| *byte == b'\n';
    let head = bytes.iter().position(is_end).unwrap() + 1;
    let end = bytes[..bytes.len() - 1].iter().rposition(is_end).unwrap() + 1;
    (head, end)
}

#[test]
fn a_run_that_dies_at_any_moment_goes_on_and_comes_to_the_same() {
    let mut choice = Pcg64::seed_from_u64(13);
    for program in programs() {
        let expected = uninterrupted(&program);
        let folder = Folder::new("moments");
        let (file, bytes) = write(&program, &folder, 1);
        let (head, end) = lines(&bytes);
        let times = match program.name {
            "detect, violated" => 100,
            _ => 10,
        };
        for _ in 0..times {
            // Torn within a line, or between two, and perhaps twice.
            fs::write(&file, &bytes[..choice.random_range(head..=end)]).unwrap();
            execute_until(&program, &folder, choice.random_range(0..10));
            let report = resume(&program, &folder, choice.random_range(1..3));
            assert_eq!(told(report), expected, "{}", program.name);
            assert_eq!(folder.files().len(), 1);
        }
    }
}

/// Goes on for some executions, and dies.
fn execute_until(program: &Program, folder: &Folder, most: u64) {
    let journal = folder.journal("1").unwrap();
    let run = begin(&program.claim, program.settings(), journal).unwrap();
    make(program, run, most);
}

/// Makes so many executions, and drops the run without an end, as a kill does.
fn make(program: &Program, mut run: TestRun<'_>, most: u64) {
    for _ in 0..most {
        let Next::Attempt(attempt) = run.next() else {
            break;
        };
        let mut rng = attempt.rng();
        let observation = (program.body)(&mut rng);
        let _ = run.observe(attempt.did(observation, rng.has_drawn()));
    }
}

#[test]
fn a_line_that_is_torn_at_any_byte_is_dropped() {
    let program = &programs()[1];
    let expected = uninterrupted(program);
    let folder = Folder::new("bytes");
    let (file, bytes) = write(program, &folder, 1);
    let lines: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at] == b'\n').collect();
    let violating = lines.len() - 2;
    for cut in lines[violating - 1] + 1..=lines[violating] {
        fs::write(&file, &bytes[..cut]).unwrap();
        assert_eq!(told(resume(program, &folder, 1)), expected, "cut at {cut}");
    }
}

#[test]
fn a_head_that_is_torn_at_any_byte_begins_a_new_file() {
    let program = &programs()[2];
    let folder = Folder::new("head");
    let (file, bytes) = write(program, &folder, 1);
    let head = bytes.iter().position(|byte| *byte == b'\n').unwrap();
    for cut in 0..head {
        for old in folder.files() {
            fs::remove_file(old).unwrap();
        }
        fs::write(&file, &bytes[..cut]).unwrap();
        let journal = folder.journal("1").unwrap();
        assert_eq!(journal.seed(), None, "cut at {cut}");
        let run = begin(&program.claim, program.settings().seed(7), journal).unwrap();
        assert_eq!(told(execute(program, run, 1)), uninterrupted(program));
        assert_eq!(folder.files().len(), 2);
    }
}

#[test]
fn any_byte_that_is_changed_costs_its_line_and_nothing_else() {
    let program = &programs()[1];
    let expected = uninterrupted(program);
    let folder = Folder::new("changed");
    let (file, bytes) = write(program, &folder, 1);
    let (head, end) = lines(&bytes);
    let mut choice = Pcg64::seed_from_u64(17);
    for _ in 0..300 {
        let mut changed = bytes[..end].to_vec();
        changed[choice.random_range(head..end)] ^= choice.random_range(1..=255u8);
        fs::write(&file, &changed).unwrap();
        assert_eq!(told(resume(program, &folder, 1)), expected);
    }
}

#[test]
fn on_several_threads_and_in_another_order_it_is_the_same() {
    for program in programs() {
        let folder = Folder::new("threads");
        let (file, bytes) = write(&program, &folder, 2);
        let mut lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
        lines.pop();
        lines[1..].reverse();
        fs::write(&file, lines.concat()).unwrap();
        let report = resume(&program, &folder, 2);
        assert_eq!(told(report), uninterrupted(&program), "{}", program.name);
    }
}

#[test]
fn a_run_that_was_stopped_goes_on_and_one_that_ended_begins_anew() {
    let program = &programs()[0];
    let folder = Folder::new("stopped");
    let journal = folder.journal("1").unwrap();
    assert_eq!(journal.seed(), None);
    let mut run = begin(&program.claim, program.settings(), journal).unwrap();
    let seed = run.seed();
    run.stop();
    assert!(!run.finish().accepted());
    assert_eq!(
        folder.journal("1").unwrap().seed(),
        Some(seed),
        "a fresh seed is that of the journal"
    );
    assert!(resume(program, &folder, 1).passed());
    let journal = folder.journal("1").unwrap();
    assert_eq!(journal.seed(), None);
    assert_eq!(journal.news(), None);
    let run = begin(&program.claim, program.settings(), journal).unwrap();
    assert_ne!(run.seed(), seed);
    assert_eq!(folder.files().len(), 2);
}

#[test]
fn a_doubt_about_the_first_part_stays_a_doubt_about_the_whole() {
    let folder = Folder::new("doubts");
    let claim = Claim::detect(0.1, 0.05).unwrap();
    let begin = |most: u64| {
        let settings = Settings::new("shards").seed(7).strict(true);
        let settings = settings.clock(|| Duration::ZERO);
        let mut run = begin(&claim, settings, folder.journal("1").unwrap()).unwrap();
        for _ in 0..most {
            let Next::Attempt(attempt) = run.next() else {
                panic!("there are {most} to make");
            };
            let _ = run.observe(attempt.did(Observation::Passed, true));
        }
        run
    };
    let mut first = begin(28);
    let places = |line: u32| vec![format!("Random(42), walk.py:{line}")];
    first.doubt(Doubt::FixedSeeds { places: places(3) });
    first.stop();
    let _ = first.finish();

    let mut second = begin(1);
    second.doubt(Doubt::FixedSeeds { places: places(5) });
    let report = second.finish();
    assert_eq!(report.counts().executed, 29, "{report}");
    let strict = Verdict::Inconclusive(Reason::Doubt);
    assert_eq!(report.verdict(), &strict, "{report}");
    let both = Doubt::FixedSeeds { places: [places(3), places(5)].concat() };
    assert_eq!(report.doubts(), [both]);
}

#[test]
fn a_panic_after_the_last_execution_of_a_part_keeps_a_strict_run_from_passing() {
    let folder = Folder::new("late-panic");
    let claim = Claim::detect(0.1, 0.05).unwrap();
    let begin = || {
        let settings = Settings::new("late").seed(7).strict(true).clock(|| Duration::ZERO);
        begin(&claim, settings, folder.journal("1").unwrap()).unwrap()
    };
    let mut first = begin();
    let Next::Attempt(attempt) = first.next() else { panic!("there is one to make") };
    let _ = first.observe(attempt.did(Observation::Passed, true));
    let panic = Box::new(Violation::new("a thread fell"));
    first.doubt(Doubt::Panicked { index: 1, panic });
    first.stop();
    let _ = first.finish();

    let mut second = begin();
    while let Next::Attempt(attempt) = second.next() {
        let _ = second.observe(attempt.did(Observation::Passed, true));
    }
    let report = second.finish();
    assert_eq!(report.verdict(), &Verdict::Inconclusive(Reason::Doubt), "{report}");
}

#[test]
fn an_execution_that_could_not_run_is_made_again() {
    let program = &programs()[0];
    let folder = Folder::new("broken");
    let mut calls = 0;
    let journal = folder.journal("1").unwrap();
    let cancel = probtest::settings::Cancel::new();
    let settings = program.settings().seed(7).cancel(cancel.clone());
    let mut run = begin(&program.claim, settings, journal).unwrap();
    // What a signal that ends the run does to the execution under way.
    Serial::new(&mut |rng| {
        calls += 1;
        if calls == 20 {
            cancel.cancel();
            return probtest::run::Observation::Broken("it was interrupted".into());
        }
        (program.body)(rng)
    })
    .execute(&mut run);
    assert!(!run.finish().accepted());
    let report = resume(program, &folder, 1);
    assert_eq!(told(report), uninterrupted(program));
    assert_eq!(folder.files().len(), 1);
}

#[test]
fn other_code_begins_a_new_file_and_says_so() {
    let program = &programs()[0];
    let folder = Folder::new("code");
    execute_until(program, &folder, 10);
    let journal = folder.journal("2").unwrap();
    assert_eq!(journal.seed(), None);
    let said = "is from different code, which does not count here";
    assert!(journal.news().unwrap().contains(said));
    // Even where the claim is another one by now.
    let claim = Claim::detect(0.1, 0.1).unwrap();
    assert!(begin(&claim, program.settings(), journal).is_ok());
}

#[test]
fn a_journal_of_another_claim_seed_or_budget_is_refused() {
    let program = &programs()[0];
    let folder = Folder::new("refused");
    {
        let journal = folder.journal("1").unwrap();
        let mut run = begin(&program.claim, program.settings().seed(7), journal).unwrap();
        run.stop();
        let _ = run.finish();
    }
    let refused = |claim: &Claim, settings: Settings<'static>| {
        let mut run = TestRun::begin(claim, settings).unwrap();
        run.keep(folder.journal("1").unwrap()).unwrap_err()
    };
    let claim = &program.claim;
    let other = Claim::detect(0.02, 0.02).unwrap();
    let settings = || program.settings().seed(7);
    for (error, what, had, has) in [
        (refused(&other, settings()), "claim", "p = 0.01, epsilon = 0.02", "p = 0.02"),
        (refused(claim, program.settings().seed(8)), "seed", "0x7", "0x8"),
        (refused(claim, settings().max_executions(9)), "max_executions", "none", "9"),
        (refused(claim, settings().batch(9)), "batch", "1", "9"),
        (refused(claim, Settings::new("other").seed(7)), "test", "shards", "other"),
        (refused(claim, settings().shard("1/2".parse().unwrap())), "shard", "none", "1/2"),
    ] {
        let words = format!("different {what}: it has {had}, and this run has {has}");
        assert!(error.what().contains(&words), "{error}");
        assert!(error.given().ends_with(".1.journal"), "{error}");
    }
}

#[test]
fn a_shard_with_a_journal_hands_on_what_it_did_before_it_died() {
    let program = programs().into_iter().find(|program| program.name == "mean, passed").unwrap();
    let folder = Folder::new("shard");
    let shard = "2/3".parse().unwrap();
    let settings = || program.settings().seed(7).shard(shard);
    let whole = execute(&program, TestRun::begin(&program.claim, settings()).unwrap(), 1);
    let open = || {
        Journal::open(&folder.0, "here", "shards", Some(shard), None).unwrap().every(Duration::ZERO)
    };
    make(&program, begin(&program.claim, settings(), open()).unwrap(), 50);
    let mut made = 0;
    let mut run = begin(&program.claim, settings(), open()).unwrap();
    Serial::new(&mut |rng| {
        made += 1;
        (program.body)(rng)
    })
    .execute(&mut run);
    let report = run.finish();
    assert_eq!(made, whole.counts().executed - 50);
    assert_eq!(report.counts(), whole.counts());
}

#[test]
fn a_folder_that_cannot_be_written_is_refused() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    let error = Journal::open(&file, "", "test", None, None).unwrap_err();
    assert!(error.what().starts_with("the journal cannot be used"), "{error}");
}
