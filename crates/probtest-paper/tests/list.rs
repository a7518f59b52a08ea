//! The data structure alone: against a set from the standard library, and shape by shape.

use std::collections::BTreeSet;

use probtest::TestRng;
use probtest::seed::{RunSeed, Stream};
use probtest_paper::skip_list::{Key, Parameters, SkipList, validity};

fn rng(execution: u64) -> TestRng {
    Stream::new(RunSeed(0x5eed), "skip list").execution(execution)
}

fn list_of(parameters: Parameters, keys: &[Key], rng: &mut TestRng) -> SkipList {
    let mut list = SkipList::new(parameters);
    for &key in keys {
        list.insert(key, rng);
    }
    list
}

#[test]
fn a_long_life_of_a_list_is_that_of_a_set() {
    for (execution, levels) in [(1, 1), (2, 2), (3, 3), (4, 12)] {
        let mut rng = rng(execution);
        let parameters = Parameters::new(0.4, levels);
        let (mut list, mut set) = (SkipList::new(parameters), BTreeSet::new());
        for step in 0..4000 {
            let key = (rng.draw_u32() % 128) as Key;
            if rng.draw_u32().is_multiple_of(2) {
                list.insert(key, &mut rng);
                set.insert(key);
            } else {
                list.delete(key);
                set.remove(&key);
            }
            assert!(list.keys().eq(set.iter().copied()), "step {step}");
            assert_eq!(list.len(), set.len());
            assert_eq!(list.search(key).is_some(), set.contains(&key));
            assert_eq!(list.level_of(key).is_some(), set.contains(&key));
            if step % 50 == 0 {
                let keys: Vec<Key> = set.iter().copied().collect();
                assert_eq!(validity::check(&list, &keys), Ok(()), "step {step}\n{list}");
            }
        }
    }
}

#[test]
fn a_search_finds_the_highest_node_of_each_key() {
    let keys: Vec<Key> = (0..200).rev().collect();
    let list = list_of(Parameters::new(0.5, 8), &keys, &mut rng(1));
    for &key in &keys {
        let highest = (1..=list.height())
            .rev()
            .find(|&level| list.level(level).any(|node| node.key() == key));
        assert_eq!(list.level_of(key), highest);
        let found = list.search(key).unwrap();
        let on_level = list.level(highest.unwrap());
        assert!(on_level.into_iter().any(|node| node.is(&found)));
    }
    assert_eq!(list.level_of(200), None);
}

/// Of 40 000 keys with p_r = 1/2 and M = 3, level 2 is the highest level of a quarter, and so is
/// level 3. The bounds are 6.5 standard deviations (87 keys) away: by the normal tail, a false
/// alarm has probability 2 * 2 * 4e-11.
#[test]
fn levels_are_as_likely_as_the_coin_says() {
    let mut rng = rng(7);
    let mut highest = [0_u32; 4];
    for _ in 0..40_000 {
        let list = list_of(Parameters::PAPER, &[1], &mut rng);
        highest[list.level_of(1).unwrap()] += 1;
    }
    for level in [2, 3] {
        let count = highest[level];
        assert!((9437..=10_563).contains(&count), "level {level}: {count}");
    }
    assert_eq!(highest[0], 0);
}

#[test]
fn a_deleted_key_leaves_room_for_the_next() {
    let mut rng = rng(1);
    let mut list = list_of(Parameters::PAPER, &[1, 2, 3], &mut rng);
    let clean = list.clone();
    for _ in 0..50 {
        list.insert(9, &mut rng);
        assert_ne!(list, clean);
        list.delete(9);
        assert_eq!(list, clean);
    }
    for key in [2, 1, 3, 3] {
        list.delete(key);
    }
    assert!(list.is_empty());
    assert_eq!(list, SkipList::new(Parameters::PAPER));
}

#[test]
fn lists_with_the_same_keys_on_other_levels_are_equivalent_and_not_equal() {
    let mut shapes: Vec<SkipList> = Vec::new();
    for execution in 1..=400 {
        let list = list_of(Parameters::PAPER, &[5, 3], &mut rng(execution));
        if !shapes.contains(&list) {
            shapes.push(list);
        }
    }
    // All nine are missed together with probability below 9 * (15/16)^400 < 1e-9.
    assert_eq!(shapes.len(), 9);
    for one in &shapes {
        assert!(shapes.iter().all(|two| one.is_equivalent(two)));
    }
    let other = list_of(Parameters::PAPER, &[5, 4], &mut rng(1));
    assert!(!other.is_equivalent(&shapes[0]));
}

#[test]
fn levels_print_from_the_highest_to_the_lowest() {
    assert_eq!(SkipList::new(Parameters::PAPER).to_string(), "None");
    let shapes: Vec<String> = (1..=400)
        .map(|execution| list_of(Parameters::PAPER, &[16, 15], &mut rng(execution)).to_string())
        .collect();
    // Each is missed with probability (15/16)^400 < 1e-11 at most.
    for shape in [
        "15 -> 16 -> None",
        "16 -> None\n15 -> 16 -> None",
        "15 -> 16 -> None\n15 -> 16 -> None\n15 -> 16 -> None",
    ] {
        assert!(shapes.iter().any(|other| other == shape), "{shape}");
    }
}

#[test]
fn nodes_have_neighbours() {
    let list = list_of(Parameters::new(0.999, 2), &[12, 13], &mut rng(1));
    let found = list.search(12).unwrap();
    let neighbours = [found.next(), found.lower()].map(|node| node.unwrap().key());
    assert_eq!((found.key(), neighbours), (12, [13, 12]));
    let last = list.level(1).last().unwrap();
    assert!(last.key() == 13 && last.next().is_none() && last.lower().is_none());
}

#[test]
fn a_key_that_was_inserted_and_is_not_there_breaks_a_rule() {
    let empty = SkipList::new(Parameters::PAPER);
    assert_eq!(validity::check(&empty, &[1]), Err("all inserted keys are on level 1"));
}

/// Level i below M has probability p_r^(i-1) (1 - p_r), level M p_r^(M-1).
#[test]
fn equation_two_is_the_least_probability_of_a_level_to_the_power_of_the_insertions() {
    for (insertions, p) in (1..).zip([0.25, 0.0625, 0.015625, 0.00390625]) {
        assert_eq!(Parameters::PAPER.least_likely_shape(insertions), p);
    }
    for raise in [0.01, 0.25, 0.5, 0.500001, 0.6, 0.75, 0.99] {
        for levels in 1..=8 {
            let parameters = Parameters::new(raise, levels);
            let top = raise.powi(levels as i32 - 1);
            let least = (1..levels)
                .map(|level| raise.powi(level as i32 - 1) * (1.0 - raise))
                .fold(top, f64::min);
            for insertions in 0..5 {
                let expected = least.powi(insertions as i32);
                let given = parameters.least_likely_shape(insertions);
                assert!(
                    (given - expected).abs() <= 1e-12 * expected,
                    "p_r {raise}, M {levels}, R {insertions}: {given} instead of {expected}"
                );
            }
        }
    }
}
