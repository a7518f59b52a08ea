//! Inputs that a body draws: where they come from, and what becomes of them.

use crate::common::as_json;
use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use probtest::judge::{Doubt, Reason, Verdict};
use probtest::machine::{ShardFacts, merge};
use probtest::run::Conclusion;
use probtest::seed::{Address, RunSeed};
use probtest::{Claim, Report, Settings, TestRng, assume, detect, probtest};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

fn claim() -> Claim {
    Claim::detect(0.1, 0.05).unwrap()
}

fn check<C: Conclusion>(id: &str, body: impl Fn(&mut TestRng) -> C + Sync) -> Report {
    probtest::check(claim(), Settings::new(id).seed(7), body).unwrap()
}

/// Runs a body, and returns what it noted in each call.
fn noting<T>(
    claim: &Claim,
    settings: Settings<'_>,
    body: impl Fn(&mut TestRng) -> T,
) -> (Report, Vec<T>) {
    let notes = RefCell::new(Vec::new());
    let report = probtest::check_local(claim, settings, |rng| {
        let note = body(rng);
        notes.borrow_mut().push(note);
    });
    (report.unwrap(), notes.into_inner())
}

#[test]
fn an_input_is_the_same_again_and_leaves_the_programs_numbers_alone() {
    let settings = || Settings::new("apart").seed(7);
    let (_, with) = noting(&claim(), settings(), |rng| {
        let xs = probtest::draw(vec(0..100u32, 0..50));
        (xs, rng.draw_u64())
    });
    let (_, again) = noting(&claim(), settings(), |rng| {
        let number = rng.draw_u64();
        (probtest::draw(vec(0..100u32, 0..50)), number)
    });
    let (_, without) = noting(&claim(), settings(), TestRng::draw_u64);
    assert_eq!(with, again);
    assert_eq!(with.len(), 29);
    assert!(with.iter().map(|(_, number)| number).eq(&without));
    // Two of 29 lists are the same with probability below 29^2 / 50 / 100: they are pinned.
    let mut lists: Vec<&Vec<u32>> = with.iter().map(|(xs, _)| xs).collect();
    lists.sort();
    lists.dedup();
    assert!(lists.len() > 20, "{lists:?}");
}

/// What `#[probtest]` makes of a function that takes its source and an input.
fn forgets(rng: &mut TestRng) {
    let _ = probtest::__private::lent(rng);
    assert!(probtest::draw(0..100u32) < 100);
}

#[test]
fn an_input_does_not_count_for_a_source_that_is_never_used() {
    let report = check("forgets", forgets);
    assert_eq!(report.doubts(), [Doubt::NeverDrew]);
    let report = check("uses", |rng| {
        rng.draw_u64();
        forgets(rng);
    });
    assert_eq!(report.doubts(), []);
}

#[test]
fn an_input_is_a_draw_unless_it_is_always_the_same() {
    let constant = |strategy: &BoxedStrategy<u32>| {
        let report = probtest::check_local(claim(), Settings::new("just").seed(7), |_| {
            probtest::draw(strategy);
        });
        report.unwrap().doubts() == [Doubt::NeverDrew]
    };
    assert!(constant(&Just(5).boxed()));
    assert!(!constant(&(0..10u32).boxed()));
    assert!(!constant(&(Just(5), 0..10u32).prop_map(|(x, _)| x).boxed()));
}

#[test]
fn an_input_that_cannot_be_made_is_said_although_the_body_catches_it() {
    let report = check("catches", |rng| {
        rng.draw_u64();
        let strategy = (0..9u32).prop_map(|x| if x > 3 { panic!("boom") } else { x });
        let _ = std::panic::catch_unwind(|| probtest::draw(strategy));
    });
    let text = report.to_string();
    let words = "its input draw 1 could not be made: boom";
    assert!(text.contains(words), "{text}");
}

#[test]
fn an_input_that_cannot_be_written_is_no_violation() {
    #[derive(Clone)]
    struct Silent;
    impl std::fmt::Debug for Silent {
        fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            panic!("no words");
        }
    }
    let body = |rng: &mut TestRng| {
        probtest::draw(Just(Silent));
        assert!(rng.draw_u64() < 1 << 63, "the program");
    };
    let report = check("silent", body);
    let text = report.to_string();
    assert!(text.contains("(its Debug panics: no words)"), "{text}");
    assert!(report.violation().unwrap().message.contains("the program"));
    // One of an earlier run that passes by now is not taken for a violation.
    let address = report.address().unwrap();
    let settings = Settings::new("silent").seed(7).remembered(vec![address]);
    let fixed = probtest::check(claim(), settings, |rng| {
        probtest::draw(Just(Silent));
        rng.draw_u64();
    });
    assert!(fixed.unwrap().passed());
}

/// A violation that needs a list with a number above 50, and a program that draws above a half.
fn fails_for_large(xs: &[u32], rng: &mut TestRng) {
    let draws: Vec<u64> = (0..3).map(|_| rng.draw_u64()).collect();
    assert!(!xs.iter().any(|x| *x > 50) || draws[1] < 1 << 63, "found");
}

#[test]
fn a_violation_shows_its_input_and_the_smallest_one() {
    let body = |rng: &mut TestRng| {
        let xs = probtest::draw(vec(0..100u32, 5..20));
        let other = probtest::draw(0..1000i64);
        fails_for_large(&xs, rng);
        assert!(other < 1000);
    };
    let report = check("large", body);
    let story = report.story().unwrap();
    assert!(story.holds && story.complete && story.smaller_inputs);
    assert_eq!(report.inputs().len(), 2);
    assert_eq!(report.inputs()[0].name, "draw 1");
    assert!(report.inputs()[0].text.len() > story.inputs[0].text.len());
    assert_eq!(story.inputs[0].text, "[0, 0, 0, 0, 51]");
    assert_eq!(story.inputs[1].text, "0");
    assert_eq!(report.small_tape().unwrap().words(), [0, 1 << 63]);
    let text = report.to_string();
    assert!(text.contains("  input     draw 1 = ["), "{text}");
    assert!(
        text.contains("  smaller   draw 1 = [0, 0, 0, 0, 51]\n            draw 2 = 0\n"),
        "{text}"
    );
    let facts = as_json(&report);
    assert_eq!(facts["inputs"][1]["name"], "draw 2");
    assert_eq!(facts["story"]["inputs"][0]["text"], "[0, 0, 0, 0, 51]");

    // What it took to explain it changes nothing else.
    let plain = Settings::new("large").seed(7).shrink_time(Duration::ZERO);
    let plain = probtest::check(claim(), plain, body).unwrap();
    assert_eq!(plain.counts(), report.counts());
    assert_eq!(plain.address(), report.address());
    assert_eq!(plain.inputs(), report.inputs());

    // The line to copy makes the small execution.
    let tape = story.tape.clone();
    assert!(tape.starts_with("t2."), "{tape}");
    let replay =
        Settings::new("large").replay(report.address().unwrap()).tape(tape.parse().unwrap());
    let small = probtest::check(claim(), replay, body).unwrap();
    assert_eq!(small.inputs(), story.inputs);
    assert!(matches!(small.verdict(), Verdict::Violated(_)));
}

#[test]
fn an_input_after_rejected_ones_is_made_smaller_and_replayed() {
    let body = |rng: &mut TestRng| {
        let xs = probtest::draw(vec(0..100u32, 5..20));
        assume(xs[0] > 90);
        fails_for_large(&xs, rng);
    };
    for inputs in [None, Some(5)] {
        let claim = match inputs {
            Some(inputs) => detect(0.1).inputs(inputs).claim().unwrap(),
            None => claim(),
        };
        let report = probtest::check(&claim, Settings::new("late").seed(7), body).unwrap();
        let story = report.story().unwrap();
        assert_eq!(story.inputs[0].text, "[91, 0, 0, 0, 0]", "{report}");
        let replay = Settings::new("late")
            .replay(report.address().unwrap())
            .tape(story.tape.parse().unwrap());
        let small = probtest::check(&claim, replay, body).unwrap();
        assert_eq!(small.inputs(), story.inputs);
        assert!(small.violation().is_some());
        assert_eq!(small.counts().rejected, 0);
    }
}

#[test]
fn an_input_that_decides_alone_is_made_smaller() {
    let report = check("alone", |_| {
        let number = probtest::draw(0..1000u32);
        prop_assert!(number < 321, "{number} is too much");
        Ok(())
    });
    let story = report.story().unwrap();
    assert_eq!(story.inputs[0].text, "321");
    assert!(story.words.contains("decides by itself"), "{}", story.words);
    let message = &report.violation().unwrap().message;
    assert!(message.contains("is too much"), "{message}");
    assert!(!message.contains("Reason("), "{message}");
}

#[test]
fn prop_assume_rejects() {
    let (report, _) = noting(&claim(), Settings::new("assume").seed(7), |_| ());
    assert!(report.passed());
    let report = check("assume", |rng| {
        let number = probtest::draw(0..10u32);
        rng.draw_u64();
        prop_assume!(number < 5);
        prop_assert!(number < 5);
        Ok::<(), TestCaseError>(())
    });
    let counts = report.counts();
    assert_eq!(counts.passed, 29);
    // All 29 are below 5 at once with probability 2^-29 = 2e-9; the seed is fixed.
    assert!(counts.rejected > 0);
}

#[test]
fn a_strategy_that_refuses_everything_has_no_verdict() {
    let shared = detect(0.1).inputs(3).claim().unwrap();
    for claim in [claim(), shared] {
        let calls = Cell::new(0);
        let report = probtest::check_local(&claim, Settings::new("never").seed(7), |_| {
            calls.set(calls.get() + 1);
            probtest::draw((0..10u32).prop_filter("never", |_| false));
        });
        let text = report.unwrap().to_string();
        assert!(text.contains("its filters rejected 65536 values in one draw"), "{text}");
        // It is found out once, and not in a thousand attempts.
        assert_eq!(calls.get(), 1);
    }
}

#[test]
fn filters_within_a_strategy_do_not_make_large_inputs_rare() {
    let lists = || vec((0..1000u32).prop_filter("tens", |x| x % 10 == 0), 0..50);
    let claim = Claim::detect(0.01, 0.05).unwrap();
    let settings = Settings::new("tens").seed(7).shrink_time(Duration::ZERO);
    let report = probtest::check(claim, settings, |rng| {
        rng.draw_u64();
        assert!(probtest::draw(lists()).len() < 40, "long");
    });
    // 10 of 50 lengths: none in 299 lists with probability 0.8^299 = 1e-29. Where a draw may be
    // refused 256 times there are hardly any, as such a list takes 360.
    assert!(report.unwrap().violation().is_some());
}

#[test]
fn a_strategy_that_fails_has_no_verdict() {
    let report = check("fails", |_| {
        let number = probtest::draw((0..10u32).prop_map(|number| 10 / (number - number)));
        assert!(number < 10);
    });
    assert!(matches!(report.verdict(), Verdict::Inconclusive(Reason::Broken { .. })));
    let text = report.to_string();
    let words = "its input draw 1 could not be made: attempt to divide by zero";
    assert!(text.contains(words), "{text}");
}

#[test]
#[should_panic(expected = "outside a test body")]
fn an_input_is_drawn_in_a_body() {
    probtest::draw(0..10u32);
}

#[test]
fn inputs_take_turns_and_each_gets_the_whole_plan() {
    let claim = detect(0.1).inputs(4).claim().unwrap();
    let settings = || Settings::new("turns").seed(7);
    let (report, noted) =
        noting(&claim, settings(), |rng| (probtest::draw(any::<u64>()), rng.draw_u64()));
    assert!(report.passed());
    assert_eq!(report.counts().executed, 4 * 29);
    for (place, (input, _)) in noted.iter().enumerate() {
        assert_eq!(*input, noted[place % 4].0);
    }
    let (_, plain) = noting(&self::claim(), settings(), TestRng::draw_u64);
    assert!(plain.iter().zip(&noted).all(|(plain, (_, number))| plain == number));
    let text = report.to_string();
    let words = "116 executions, no violation; a violation probability >= 0.1 for any of the 4 inputs would have been missed with probability at most 0.04710; this says nothing about inputs that were not drawn";
    assert!(text.contains(words), "{text}");
}

#[test]
fn a_program_that_rejects_keeps_its_input_and_an_input_that_does_not_apply_is_drawn_again() {
    let claim = detect(0.1).inputs(3).claim().unwrap();
    let noted = RefCell::new(Vec::new());
    let report = probtest::check_local(&claim, Settings::new("keeps").seed(7), |rng| {
        let number = probtest::draw(0..1000u32);
        assume(number % 2 == 0);
        let accepted = rng.draw_u64() % 2 == 0;
        noted.borrow_mut().push((rng.execution(), number));
        assume(accepted);
    });
    let report = report.unwrap();
    assert!(report.passed());
    assert_eq!(report.counts().executed, 3 * 29);
    // Half of the executions are rejected by the program: none with probability 2^-87.
    assert!(report.counts().rejected > 0);
    let noted = noted.into_inner();
    let of = |input: u64| noted.iter().find(|(index, _)| (index - 1) % 3 == input).unwrap().1;
    for (index, number) in &noted {
        assert_eq!(*number, of((index - 1) % 3));
        assert_eq!(number % 2, 0);
    }
}

#[test]
fn an_input_that_is_not_applicable_is_rejected_once_for_all_and_counted() {
    let claim = detect(0.1).inputs(10).claim().unwrap();
    let run = |settings: Settings<'_>| {
        let calls = AtomicU64::new(0);
        let report = probtest::check(&claim, settings.seed(7), |rng| {
            calls.fetch_add(1, Ordering::SeqCst);
            assume(probtest::draw(0..1000u32) % 50 == 0);
            rng.draw_u64();
        });
        (report.unwrap(), calls.into_inner())
    };
    let (report, calls) = run(Settings::new("once"));
    let counts = report.counts();
    assert!(report.passed());
    assert_eq!(counts.executed, 290);
    // One input in 50 is applicable: at most one rejection before 10 of them has probability
    // (1/50)^10 (1 + 10 * 49/50) = 1e-16.
    assert!(counts.rejected > 1);
    assert_eq!(calls, counts.executed + counts.rejected);
    assert_eq!(run(Settings::new("once").jobs(4)).0.counts(), counts);
    let (limited, _) = run(Settings::new("once").max_rejections(1));
    assert!(matches!(
        limited.verdict(),
        Verdict::Inconclusive(Reason::Rejections { allowed: 1, .. })
    ));
}

#[test]
fn executions_that_disagree_on_an_input_have_no_verdict() {
    let claim = detect(0.1).inputs(2).claim().unwrap();
    // The fourth call rejects what the second has accepted; if only the second rejects, all that
    // share its input have the one that it comes to.
    for rejects in [4, 2] {
        let calls = Cell::new(0);
        let report = probtest::check_local(&claim, Settings::new("luck").seed(7), |rng| {
            calls.set(calls.get() + 1);
            probtest::draw(0..1000u32);
            assume(calls.get() != rejects);
            rng.draw_u64();
        });
        let report = report.unwrap();
        match rejects {
            2 => assert!(report.passed(), "{report}"),
            _ => {
                let text = report.to_string();
                assert!(
                    text.contains("execution 4 could not run: executions with the same input"),
                    "{text}"
                );
            }
        }
        assert_eq!(report.counts().rejected, u64::from(rejects == 2));
    }
}

#[test]
fn shards_that_disagree_on_an_input_have_no_verdict() {
    let claim = detect(0.5).inputs(1).claim().unwrap();
    let shard = |number: u64| {
        let shard = format!("{number}/2").parse().unwrap();
        let settings = Settings::new("luck").seed(7).shard(shard);
        let report = probtest::check(&claim, settings, |rng| {
            let source = probtest::run::next_input().unwrap();
            assume(number == 1 || source.attempt() == 1);
            rng.draw_u64();
        });
        report.unwrap().facts()
    };
    let shards = [shard(1), shard(2)];
    let parts = shards.each_ref().map(|facts| ShardFacts { source: "", facts });
    let text = merge(&parts).unwrap().to_string();
    assert!(text.contains("disagree on whether"), "{text}");
}

#[test]
fn time_is_looked_at_between_inputs_that_are_rejected() {
    let claim = detect(0.1).inputs(3).claim().unwrap();
    let calls = Cell::new(0);
    let settings = Settings::new("late").max_time(Duration::from_secs(20));
    let settings = settings.clock(|| Duration::from_secs(calls.get()));
    let report = probtest::check_local(&claim, settings, |_| {
        calls.set(calls.get() + 1);
        probtest::draw(0..1000u32);
        // One that counts there is in any case.
        assume(calls.get() == 1);
    });
    let report = report.unwrap();
    let time = matches!(report.verdict(), Verdict::Inconclusive(Reason::Time { .. }));
    assert!(time, "{report}");
    assert_eq!((calls.get(), report.counts().executed), (20, 1));
}

#[test]
fn inputs_that_are_not_drawn_have_no_verdict() {
    let claim = detect(0.1).inputs(3).claim().unwrap();
    let report = probtest::check(&claim, Settings::new("none").seed(7), |rng| {
        rng.draw_u64();
    });
    let report = report.unwrap();
    assert!(matches!(report.verdict(), Verdict::Inconclusive(Reason::Broken { .. })));
    let text = report.to_string();
    assert!(text.contains("the test sets inputs, but the body drew none"), "{text}");
}

#[test]
fn a_program_that_draws_nothing_is_in_doubt_where_inputs_repeat() {
    let claim = detect(0.1).inputs(3).claim().unwrap();
    let report = probtest::check(&claim, Settings::new("idle").seed(7), |_| {
        probtest::draw(0..10u32);
    });
    assert_eq!(report.unwrap().doubts().len(), 1);
}

#[test]
fn an_input_that_fails_rarely_is_found_and_named() {
    let claim = detect(0.1).inputs(7).claim().unwrap();
    let body = |rng: &mut TestRng| {
        let number = probtest::draw(0..100u32);
        assert!(number < 80 || !rng.draw_u64().is_multiple_of(5));
    };
    let run = |settings: Settings<'_>| probtest::check(&claim, settings, body).unwrap();
    let report = run(Settings::new("rare").seed(3));
    let index = report.violating_index().unwrap();
    let line = format!("execution {index}, input {} of 7", (index - 1) % 7 + 1);
    let text = report.to_string();
    assert!(text.contains(&line), "{text}");
    assert_eq!(report.story().unwrap().inputs[0].text, "80");

    let on_threads = run(Settings::new("rare").seed(3).jobs(4));
    assert_eq!(on_threads.counts(), report.counts());
    assert_eq!(on_threads.inputs(), report.inputs());
    let address = Address { seed: RunSeed(3), index };
    let replayed = run(Settings::new("rare").replay(address));
    assert_eq!(replayed.inputs(), report.inputs());
    assert!(replayed.violation().is_some());
}

#[test]
fn shards_have_the_inputs_of_the_whole_run() {
    let claim = detect(0.1).inputs(4).claim().unwrap();
    let body = |rng: &mut TestRng| {
        let number = probtest::draw(0..1_000_000u32);
        probtest::assume(number.is_multiple_of(2));
        (rng.execution(), number, rng.draw_u64())
    };
    let settings = || Settings::new("shards").seed(5);
    let (report, whole) = noting(&claim, settings(), body);
    assert_eq!(report.counts().executed, 4 * 29);
    let shard = |number: u64| {
        let shard = format!("{number}/3").parse().unwrap();
        noting(&claim, settings().shard(shard), body).1
    };
    let mut parts: Vec<_> = (1..=3).flat_map(shard).collect();
    parts.sort_unstable();
    assert_eq!(parts, whole);
}

#[test]
fn a_budget_counts_what_each_input_got() {
    let claim = detect(0.1).inputs(10).claim().unwrap();
    let run = |most: u64| {
        let settings = Settings::new("cut").seed(7).max_executions(most);
        let report = probtest::check(&claim, settings, |rng| {
            probtest::draw(0..10u32);
            rng.draw_u64();
        });
        report.unwrap().to_string()
    };
    let (few, some) = (run(9), run(109));
    assert!(few.contains("nothing: some inputs did not run"), "{few}");
    // 10 for each input: 0.9^10 = 0.3487.
    assert!(some.contains("missed with probability at most 0.3487"), "{some}");
}

#[test]
fn inputs_go_with_a_violation_probability_alone() {
    for (terms, other) in [
        (probtest::tolerate(0.01).inputs(3), "tolerate"),
        (probtest::cover([0.5, 0.5]).inputs(3), "outcomes"),
    ] {
        let error = terms.claim().unwrap_err();
        assert!(error.what().contains(other), "{error}");
    }
    for inputs in [0, 1_000_001] {
        let error = detect(0.1).inputs(inputs).claim().unwrap_err();
        assert!(error.what().contains("1 to 1000000"), "{error}");
    }
}

#[probtest(p = 0.05, inputs = 3)]
fn parameters_are_drawn(
    rng: &mut TestRng,
    #[strategy(vec(0..100u32, 1..50))] mut xs: Vec<u32>,
    at: usize,
    #[strategy("[a-z]{3}")] word: String,
) -> Result<(), TestCaseError> {
    prop_assume!(at > 7);
    xs.push(rng.draw_u32() % 100);
    prop_assert!(xs[at % xs.len()] < 100);
    prop_assert_eq!(word.len(), 3);
    Ok(())
}

#[probtest(p = 0.05)]
#[should_panic(expected = "too large")]
fn a_parameter_alone_is_enough(#[strategy(0..100u32)] number: u32) {
    assert!(number < 10, "too large");
}

#[cfg(feature = "tokio")]
#[probtest(p = 0.05, concurrency = 8)]
async fn parameters_of_async_bodies_are_drawn(rng: &mut TestRng, #[strategy(0..9u8)] n: u8) {
    tokio::task::yield_now().await;
    assert!(u64::from(n) < 9 + rng.draw_u64());
}

#[cfg(feature = "tokio")]
#[test]
fn executions_that_wait_at_the_same_time_have_the_inputs_of_those_that_do_not() {
    use probtest::machine::{AtOnce, Executor, TestRun};
    use probtest::run::Observation;
    use std::rc::Rc;

    let claim = detect(0.1).inputs(4).claim().unwrap();
    let seen = Rc::new(RefCell::new(Vec::new()));
    let mut run = TestRun::begin(&claim, Settings::new("waits").seed(7)).unwrap();
    AtOnce::new(5, &|rng| {
        let seen = Rc::clone(&seen);
        Box::pin(async move {
            let first = probtest::draw(0..1000u32);
            tokio::task::yield_now().await;
            assume(first % 3 > 0);
            let second = probtest::draw(0..1000u32);
            rng.draw_u64();
            seen.borrow_mut().push((rng.execution(), first, second));
            Observation::Passed
        })
    })
    .execute(&mut run);
    assert!(run.finish().passed());
    let mut waiting = seen.take();
    waiting.sort_unstable();
    let (_, serial) = noting(&claim, Settings::new("waits").seed(7), |rng| {
        let first = probtest::draw(0..1000u32);
        assume(first % 3 > 0);
        let second = probtest::draw(0..1000u32);
        rng.draw_u64();
        (rng.execution(), first, second)
    });
    assert_eq!(waiting, serial);
}

#[cfg(feature = "arbitrary")]
mod arbitrary_types {
    use super::*;

    #[derive(Clone, Debug, PartialEq, arbitrary::Arbitrary)]
    struct Order {
        items: Vec<u8>,
        express: bool,
    }

    #[probtest(p = 0.05)]
    fn a_parameter_of_such_a_type_is_drawn(#[arbitrary] order: Order, #[arbitrary] many: [u8; 4]) {
        assert!(order.items.len() < 1000 && many.len() == 4);
    }

    #[test]
    fn its_bytes_are_made_smaller() {
        let body = |rng: &mut TestRng| {
            let order: Order = probtest::arbitrary();
            rng.draw_u64();
            assert!(!order.items.iter().any(|item| *item > 100), "too dear");
        };
        let report = check("bytes", body);
        let story = report.story().unwrap();
        assert_eq!(story.inputs[0].text, "Order { items: [101], express: false }");
        let replay = Settings::new("bytes")
            .replay(report.address().unwrap())
            .tape(story.tape.parse().unwrap());
        let small = probtest::check(claim(), replay, body).unwrap();
        assert_eq!(small.inputs(), story.inputs);
    }
}
