//! The smallest execution that shows a violation, and the draws that decide.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use probtest::run::Conclusion;
use probtest::seed::Tape;
use probtest::{Claim, Report, Settings, TestRng};
use rand::RngExt;
use rand::seq::SliceRandom;

/// More time than any of these programs takes: what is found does not depend on the machine.
const ENOUGH: Duration = Duration::from_secs(600);

fn check<C: Conclusion>(body: impl Fn(&mut TestRng) -> C + Sync) -> Report {
    let claim = Claim::detect(0.001, 0.001).unwrap();
    let settings = Settings::new("story").seed(7).shrink_time(ENOUGH);
    probtest::check(&claim, settings, body).unwrap()
}

/// A walk of twenty steps that must not end at ten or above.
fn walk(rng: &mut TestRng, up: impl Fn(bool) -> bool) {
    let steps = (0..20).map(|_| if up(rng.random()) { 1 } else { -1 });
    let end: i32 = steps.sum();
    assert!(end < 10, "it ended at {end}");
}

#[test]
fn fifteen_steps_up_are_what_is_left_of_a_walk() {
    let report = check(|rng| walk(rng, |drawn| drawn));
    let story = report.story().unwrap();
    assert_eq!((story.draws, story.small, story.matter), (20, 20, 15));
    assert!(story.holds && story.complete);
    let text = report.to_string();
    assert!(text.contains("20 draws to 15 that matter\n"), "{text}");
    let [row] = story.rows.as_slice() else {
        panic!("equal rows fold: {:?}", story.rows);
    };
    assert_eq!((row.times, row.call.as_str()), (15, "random"));
    let place = row.place.as_deref().unwrap();
    assert!(place.contains("tests/story.rs:"), "{place}");
}

#[test]
fn where_everything_at_its_simplest_violates_that_is_said() {
    let report = check(|rng| walk(rng, |drawn| !drawn));
    let story = report.story().unwrap();
    assert_eq!(story.matter, 0);
    assert!(report.to_string().contains("to none that matter"));
}

#[test]
fn the_execution_that_was_found_stays_what_is_reported() {
    let without = Settings::new("story").seed(7).shrink_time(Duration::ZERO);
    let claim = Claim::detect(0.001, 0.001).unwrap();
    let body = |rng: &mut TestRng| walk(rng, |drawn| drawn);
    let plain = probtest::check(&claim, without, body).unwrap();
    assert!(plain.story().is_none());
    let shrunk = check(body);
    assert_eq!(plain.verdict(), shrunk.verdict());
    assert_eq!(plain.counts(), shrunk.counts());
    assert_eq!(plain.address(), shrunk.address());
    let threads = Settings::new("story").seed(7).jobs(3).shrink_time(ENOUGH);
    let threads = probtest::check(&claim, threads, body).unwrap();
    assert_eq!(threads.story(), shrunk.story());
}

#[test]
fn the_tape_of_the_small_execution_violates_when_it_is_played_alone() {
    let report = check(|rng| walk(rng, |drawn| drawn));
    let tape = report.story().unwrap().tape.clone();
    let claim = Claim::detect(0.001, 0.001).unwrap();
    for (tape, violates) in [(tape.as_str(), true), ("t1.", false)] {
        let settings = Settings::new("story").replay(report.address().unwrap());
        let settings = settings.tape(tape.parse().unwrap());
        let alone = probtest::check(&claim, settings, |rng| walk(rng, |drawn| drawn)).unwrap();
        assert_eq!(alone.violation().is_some(), violates);
    }
}

/// Sorts by random pivots, and forgets the pivot where it is the largest of exactly three.
fn quicksort(rng: &mut TestRng, list: &[u32]) -> Vec<u32> {
    if list.len() < 2 {
        return list.to_vec();
    }
    let pivot = list[rng.random_range(0..list.len())];
    let part = |keep: &dyn Fn(u32) -> bool| -> Vec<u32> {
        list.iter().copied().filter(|other| keep(*other)).collect()
    };
    let low = quicksort(rng, &part(&|other| other < pivot));
    let high = quicksort(rng, &part(&|other| other > pivot));
    let bug = list.len() == 3 && high.is_empty();
    let middle = if bug { vec![] } else { vec![pivot] };
    [low, middle, high].concat()
}

#[test]
fn the_pivots_that_show_a_bug_are_as_few_as_any_that_do() {
    let list: Vec<u32> = (0..8).collect();
    let shows = |rng: &mut TestRng| quicksort(rng, &list).len() < list.len();
    let report = check(|rng| assert!(!shows(rng)));
    let matter = report.story().unwrap().matter;
    // With every pivot the first one, lists of three have the largest one last: one draw
    // that is not zero is needed, and one is enough.
    assert_eq!(matter, 1);
    assert!(!quicksort_on_zeros(&list));
}

fn quicksort_on_zeros(list: &[u32]) -> bool {
    let claim = Claim::detect(0.5, 0.5).unwrap();
    let settings = Settings::new("zeros").replay("1:1".parse().unwrap());
    let settings = settings.tape("t1.".parse().unwrap());
    let report = probtest::check(&claim, settings, |rng| quicksort(rng, list).len() == list.len());
    report.unwrap().violation().is_some()
}

#[test]
fn two_keys_that_collide_are_lowered_together() {
    // The keys of a filter of 64 bits: two of eight are the same place, which is not the first.
    let report = check(|rng| {
        let keys: Vec<u64> = (0..8).map(|_| rng.random_range(0..64)).collect();
        let mut seen = HashSet::new();
        assert!(keys.iter().all(|key| *key < 5 || seen.insert(*key)), "{keys:?}");
    });
    let story = report.story().unwrap();
    assert_eq!(story.matter, 2);
    let message = |report: &Report| report.violation().unwrap().message.clone();
    assert!(message(&report).starts_with('['));
    let tape: Tape = story.tape.parse().unwrap();
    let words: Vec<u64> = tape.words().iter().copied().filter(|word| *word != 0).collect();
    // The fifth of 64 places begins at 5/64 of the range.
    assert_eq!(words, [5 << 58; 2]);
}

#[test]
fn another_violation_does_not_count_as_the_same() {
    let report = check(|rng| {
        let (first, second) = (rng.random_range(0..100), rng.random_range(0..100));
        assert!(first != 0 || second == 0, "the first one");
        assert!(first < 90, "the second one");
    });
    let violation = report.violation().unwrap();
    let matter = report.story().unwrap().matter;
    // Which of the two was found is up to the seed; the other one never takes its place.
    match violation.message.as_str() {
        "the first one" => assert_eq!(matter, 1),
        _ => assert_eq!(report.small_tape().unwrap().words().len(), 1),
    }
}

#[test]
fn a_loop_that_zeros_make_endless_is_given_up() {
    let report = check(|rng| {
        let mut sum = 0;
        while sum < 100 {
            sum += rng.random_range(0..10_u32);
        }
        assert!(sum < 105, "{sum}");
    });
    let story = report.story().unwrap();
    assert!(story.holds && story.complete);
    assert!(story.small <= 2 * story.draws + 64);
    assert!(story.matter >= 12, "twelve nines come to 108: {story:?}");
}

#[test]
fn what_does_not_depend_on_the_draws_says_so_in_one_line() {
    // It violates twice at execution 9, and never again.
    let calls = AtomicU64::new(0);
    let report = check(|rng| {
        rng.draw_u64();
        rng.execution() != 9 || calls.fetch_add(1, Ordering::Relaxed) > 1
    });
    assert_eq!(report.confirmed(), Some(true));
    let story = report.story().unwrap();
    assert!(!story.holds);
    assert!(report.to_string().contains("replaying them does not violate"));
}

#[test]
fn shuffles_and_bytes_are_on_the_tape_too() {
    let report = check(|rng| {
        let mut cards: Vec<u8> = (0..5).collect();
        cards.shuffle(rng);
        let bytes: [u8; 16] = rng.random();
        assert!(cards[0] != 0 || bytes[0] < 250);
    });
    let story = report.story().unwrap();
    assert!(story.holds && story.complete && story.matter > 0);
    assert!(story.matter <= 6, "{story:?}");
}

#[test]
fn the_draw_that_decides_is_named_with_an_interval() {
    let report = check(|rng| {
        let drawn: Vec<u32> = (0..12).map(|_| rng.random_range(0..1000)).collect();
        assert!(drawn[6] < 990);
    });
    let story = report.story().unwrap();
    let deciding = report.facts().story.unwrap();
    let [decider] = deciding.deciding()[..] else {
        panic!("one draw decides: {:?}", story.deciders);
    };
    assert_eq!((decider.first, decider.last, decider.redrawn), (7, 7, 40));
    // The true share is 0.99. All other draws never pass, whatever the seed; for this one to
    // pass in under 20 of 40 has a chance below 1e-28.
    assert!(decider.passed >= 20 && decider.low < 0.99 && decider.high > 0.9);
    assert!(report.to_string().contains("draw 7 alone: with another value"));
}

#[test]
fn an_execution_that_takes_long_is_not_repeated_for_longer_than_it_may_be() {
    // Each takes 2 ms: at most ten fit into the time for the smallest, five into that for the draws
    // that decide, and one more each; and three that come once.
    let executions = AtomicU64::new(0);
    let claim = Claim::detect(0.001, 0.001).unwrap();
    let settings = Settings::new("long").seed(7).shrink_time(Duration::from_millis(20));
    let report = probtest::check(&claim, settings, |rng| {
        let holds = rng.random::<f64>() + rng.random::<f64>() < 1.9;
        if !holds || executions.load(Ordering::Relaxed) > 0 {
            executions.fetch_add(1, Ordering::Relaxed);
            let begun = Instant::now();
            while begun.elapsed() < Duration::from_millis(2) {}
        }
        holds
    });
    assert!(report.unwrap().story().unwrap().holds);
    let executions = executions.into_inner();
    assert!(executions <= 21, "{executions} executions");
}

#[test]
fn where_executions_cost_something_one_line_says_that_none_is_repeated() {
    let report = check(|rng| {
        probtest::cost(1.0);
        rng.random::<f64>() < 0.9
    });
    assert!(report.to_string().ends_with(
        "shrunk    nothing: executions cost something, so probtest does not repeat any just to explain this one\n"
    ));
    let report = check(|rng| {
        probtest::record(rng.draw_u64());
        rng.random::<f64>() < 0.9
    });
    assert_eq!(report.story().unwrap().matter, 1);
}
