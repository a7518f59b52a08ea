//! The exact answers, next to what can be worked out by hand.

use probtest::judge::interval::clopper_pearson;
use probtest::seed::{RunSeed, Stream};
use probtest_paper::skip_list::exact::{ExactAnswer, walk};
use probtest_paper::skip_list::keys::{self, Class};
use probtest_paper::skip_list::{Bug, Key, Parameters, Property, Scene, Subject};

const PAPER: Parameters = Parameters::PAPER;

fn answer(bug: Bug) -> ExactAnswer {
    ExactAnswer::of(Some(bug), PAPER, bug.insertions())
}

/// The numbers of the properties that see a bug, with their violation
/// probability.
fn seen_by(answer: &ExactAnswer) -> Vec<(usize, f64)> {
    let sights = answer.sights();
    assert!(sights.iter().all(|sight| sight.violation.0 == sight.violation.1));
    let pairs = sights.iter().map(|sight| (sight.property, sight.violation.0));
    pairs.collect()
}

#[track_caller]
fn is_close(given: f64, expected: f64) {
    assert!((given - expected).abs() < 1e-12, "{given} instead of {expected}");
}

#[test]
fn bugs_one_to_six_are_seen_by_few_tests_with_probabilities_by_hand() {
    let quarter = [6, 10, 17, 18, 20, 25].map(|number| (number, 0.25));
    // Two lists, one of which has its node on the top level and the other doesn't.
    let either = [13, 26].map(|number| (number, 2.0 * 0.25 * 0.75));
    let mut of_bug_one = [&quarter[..], &either[..]].concat();
    of_bug_one.sort_by_key(|(number, _)| *number);
    // The node found is raised and the other is as high or higher, whether or not keys are
    // adjacent: 1/4 on level 2 with 1/2, and 1/4 on level 3 with 1/4. Test 22 searches for both
    // keys.
    let three = 3.0 / 16.0;
    let of_bug_four = vec![(4, three), (5, three), (8, three), (22, 0.25)];
    let sixty_fourth = 1.0 / 64.0;
    for (bug, seen, executions, hidden) in [
        (Bug::DeleteLeavesTheTop, of_bug_one, 11, 0.75_f64.powi(66) * 0.625_f64.powi(22)),
        // By two tests that check validity with the key in the list.
        (Bug::BottomPointsBelow, vec![(1, 0.25), (4, 0.25)], 11, 0.75_f64.powi(22)),
        // By one test in one shape.
        (Bug::TopLevelIsDropped, vec![(7, 1.0 / 16.0)], 47, (15.0_f64 / 16.0).powi(47)),
        (Bug::SearchCountsKeyDown, of_bug_four, 47, 0.8125_f64.powi(3 * 47) * 0.75_f64.powi(47)),
        // By two tests in one shape.
        (
            Bug::LevelOfTopIsZero,
            vec![(7, sixty_fourth), (9, sixty_fourth)],
            191,
            (63.0_f64 / 64.0).powi(382),
        ),
        // When all are on level one, or all on level two.
        (
            Bug::EqualLevelsAreRaised,
            vec![(7, 1.0 / 8.0 + sixty_fourth)],
            191,
            (55.0_f64 / 64.0).powi(191),
        ),
    ] {
        let answer = answer(bug);
        assert_eq!(seen_by(&answer), seen, "{bug:?}");
        let found = answer.found(executions);
        assert!((found - (1.0 - hidden)).abs() < 1e-12, "{bug:?}: {found}");
    }
}

#[test]
fn bug_seven_is_seen_by_one_test_and_by_another_if_the_last_key_is_the_largest() {
    let answer = answer(Bug::SearchReturnsTheNext);
    assert_eq!(seen_by(&answer), [(5, 1.0 / 256.0), (17, 1.0 / 256.0)]);
    let keys: Vec<f64> = answer.sights().iter().map(|sight| sight.keys).collect();
    is_close(keys[0], 1.0);
    is_close(keys[1], 0.25);
    let hidden = |tests: i32| (255.0_f64 / 256.0).powi(767 * tests);
    is_close(answer.found(767), 1.0 - 0.75 * hidden(1) - 0.25 * hidden(2));
}

/// The last key is found missing when it is raised and first on its level. With
/// the smallest key that is always when raised; with the largest, when no other
/// is as high: 1/4 * (1/2)^3 + 1/4 * (3/4)^3 = 35/256.
#[test]
fn bug_eight_is_seen_by_two_tests_more_often_for_smaller_keys() {
    let answer = answer(Bug::SearchMissesTheFirst);
    let sights = answer.sights();
    assert_eq!(sights.len(), 2);
    for (sight, number) in sights.iter().zip([5, 17]) {
        assert_eq!(sight.property, number);
        assert_eq!(sight.violation, (35.0 / 256.0, 0.5));
    }
    assert!(answer.found(767) > 1.0 - 1e-12);
}

#[test]
fn no_way_of_the_coin_violates_a_property_of_the_correct_list() {
    for insertions in 1..=4 {
        let answer = ExactAnswer::of(None, PAPER, insertions);
        assert_eq!(answer.sights(), []);
        assert_eq!(answer.found(u64::MAX), 0.0);
    }
    // Nor with an unfair one.
    for (raise, levels) in [(0.1, 1), (0.9, 2), (0.7, 4)] {
        assert_eq!(ExactAnswer::of(None, Parameters::new(raise, levels), 2).sights(), []);
    }
}

#[test]
fn a_walk_takes_each_shape_once() {
    let list = Subject::new(None, PAPER);
    let keys = [3, 1, 2];
    let one_list = Property::named("valid_insertion").unwrap();
    assert_eq!(walk(&one_list, &list, &keys).ways, 27);
    let two_lists = Property::named("equiv_delete").unwrap();
    assert_eq!(walk(&two_lists, &list, &keys).ways, 27 * 27);
    let again = Property::named("meta_insert_delete_same_node_order").unwrap();
    assert_eq!(walk(&again, &list, &keys).ways, 27 * 27 * 3);
}

/// 7/10 of 7/10 raises one key twice; everything else is exact except for rounding.
#[test]
fn an_unfair_coin_weighs_the_ways() {
    let list = Subject::new(Some(Bug::BottomPointsBelow), Parameters::new(0.7, 3));
    let walk = walk(&Property::named("valid_insertion").unwrap(), &list, &[1]);
    is_close(walk.probability, 0.49);
}

#[test]
fn only_the_order_of_the_keys_matters_to_bugs_that_change_none() {
    for bug in Bug::ALL {
        let insertions = bug.insertions().min(3);
        let list = Subject::new(Some(bug), PAPER);
        let coarse = ExactAnswer::over(&keys::classes(insertions, false), &list);
        let fine = ExactAnswer::over(&keys::classes(insertions, true), &list);
        is_close(coarse.found(20), fine.found(20));
    }
}

#[test]
fn a_class_of_keys_stands_for_all_of_its_keys() {
    let list = Subject::new(Some(Bug::SearchCountsKeyDown), PAPER);
    let found = |keys: &[Key]| {
        let class = Class { keys: keys.to_vec(), probability: 1.0 };
        ExactAnswer::over(&[class], &list).found(5)
    };
    for class in keys::classes(2, true) {
        let shift = |by: Key| class.keys.iter().map(|key| key + by).collect::<Vec<_>>();
        for by in [-10, 7, 80] {
            is_close(found(&shift(by)), found(&class.keys));
        }
        let stretched: Vec<Key> = class.keys.iter().map(|key| key * 5 - 50).collect();
        if (class.keys[0] - class.keys[1]).abs() > 1 {
            is_close(found(&stretched), found(&class.keys));
        }
    }
}

/// Walked and drawn answers of all 208 pairs of bug and property. An interval misses with
/// probability at most 1e-12, one of the 208 with 2.1e-10.
#[test]
fn executions_violate_as_often_as_the_walk_says() {
    const EXECUTIONS: u64 = 3000;
    for bug in Bug::ALL {
        let list = Subject::new(Some(bug), PAPER);
        let keys = &[13, 12, 16, 15][..bug.insertions() as usize];
        let stream = Stream::new(RunSeed(9), "walk");
        for property in Property::ALL {
            let violated = (1..=EXECUTIONS)
                .map(|index| stream.execution(index))
                .filter_map(|mut rng| {
                    let mut scene = Scene::new(&list, keys, &mut rng);
                    (property.check)(&mut scene).err()
                })
                .count();
            let exact = walk(&property, &list, keys).probability;
            let (low, high) = clopper_pearson(violated as u64, EXECUTIONS, 1.0 - 1e-12).unwrap();
            assert!(
                (low..=high).contains(&exact),
                "{bug:?}, {}: {violated} of {EXECUTIONS}, exact {exact}",
                property.name
            );
        }
    }
}

#[test]
fn every_bug_needs_as_many_insertions_as_the_paper_says() {
    for bug in Bug::ALL {
        for insertions in 1..bug.insertions() {
            let answer = ExactAnswer::of(Some(bug), PAPER, insertions);
            assert_eq!(answer.sights(), [], "bug {bug:?}, {insertions} insertions");
        }
    }
}

#[test]
fn a_panic_inside_the_list_is_a_violation() {
    let panics = Property {
        number: 27,
        name: "panics_with_a_second_level",
        check: |scene| {
            let list = scene.list_of(&[5]);
            assert_eq!(list.list().height(), 1, "broken inside");
            Ok(())
        },
    };
    let list = Subject::new(None, PAPER);
    assert_eq!(walk(&panics, &list, &[5]).probability, 0.5);
    let claim = probtest::Claim::detect(0.5, 1e-12).unwrap();
    let settings = probtest::Settings::new("panic").seed(1);
    let report =
        probtest::check(&claim, settings, |rng| (panics.check)(&mut Scene::new(&list, &[5], rng)));
    let report = report.unwrap();
    assert!(!report.passed());
    assert!(report.to_string().contains("broken inside"), "{report}");
}

#[test]
fn the_classes_of_any_count_have_probability_one() {
    for count in 1..=4 {
        for neighbours in [false, true] {
            let sum: f64 = keys::classes(count, neighbours).iter().map(|c| c.probability).sum();
            assert!((sum - 1.0).abs() < 1e-12, "{count} {neighbours}: {sum}");
        }
    }
}

#[test]
fn the_share_of_each_class_of_three_keys_is_that_of_a_full_count() {
    let mut counted = [0_u32; 4];
    for a in 0..=keys::LARGEST {
        for b in a + 1..=keys::LARGEST {
            for c in b + 1..=keys::LARGEST {
                counted[usize::from(b - a > 1) + 2 * usize::from(c - b > 1)] += 1;
            }
        }
    }
    let classes = keys::classes(3, true);
    for (pattern, counted) in counted.into_iter().enumerate() {
        let class = &classes[6 * pattern];
        let expected = f64::from(counted) / 166_650.0 / 6.0;
        assert!((class.probability - expected).abs() < 1e-12, "{class:?}");
    }
}

#[test]
fn drawn_keys_are_distinct_and_in_range() {
    let stream = Stream::new(RunSeed(4), "keys");
    for execution in 1..=2000 {
        let drawn = keys::draw(4, &mut stream.execution(execution));
        for (i, key) in drawn.iter().enumerate() {
            assert!((0..=keys::LARGEST).contains(key) && !drawn[..i].contains(key));
        }
    }
    assert_eq!(keys::draw(101, &mut stream.execution(1)).len(), 101);
}
