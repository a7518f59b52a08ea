//! Each bug shows where it should, in the paper's example, and nowhere else.

use super::coin::{self, buggy, correct};
use probtest_paper::skip_list::Bug;
use probtest_paper::skip_list::validity;

#[test]
fn bug_one_deletes_nothing_on_the_top_level_and_all_else() {
    let mut list = buggy(Bug::DeleteLeavesTheTop, &[(12, 3), (13, 2), (14, 1)]);
    for key in [12, 13, 14] {
        list.delete(key);
    }
    assert_eq!(list.list().to_string(), "12 -> None\n12 -> None\n12 -> None");
}

#[test]
fn bug_two_hangs_a_node_below_the_bottom_from_level_three_on() {
    let low = buggy(Bug::BottomPointsBelow, &[(12, 2)]);
    assert_eq!(validity::check(low.list(), &[12]), Ok(()));
    let high = buggy(Bug::BottomPointsBelow, &[(12, 3)]);
    let bottom = high.list().level(1).next().unwrap();
    assert!(bottom.next().is_none());
    assert_eq!(bottom.lower().map(|stray| stray.key()), Some(12));
    let broken = validity::check(high.list(), &[12]);
    assert_eq!(broken, Err("no node of level 1 points to a node below"));
}

#[test]
fn bug_three_drops_the_top_level_when_it_holds_two() {
    let one = buggy(Bug::TopLevelIsDropped, &[(15, 3), (16, 2)]);
    assert_eq!(one.list().height(), 3);
    let two = buggy(Bug::TopLevelIsDropped, &[(15, 3), (16, 3)]);
    assert_eq!(two.list().to_string(), "15 -> 16 -> None\n15 -> 16 -> None");
    assert_eq!(two.list(), &correct(&[(15, 2), (16, 2)]));
}

#[test]
fn bug_four_counts_the_key_of_the_highest_node_down() {
    // With a neighbour, and without.
    for (other, shown, broken) in [
        (15, "15 -> 15 -> None\n15 -> 16 -> None", "each level is ordered"),
        (10, "10 -> 15 -> None\n10 -> 16 -> None", "each level is a part of the level below"),
    ] {
        let mut list = buggy(Bug::SearchCountsKeyDown, &[(other, 2), (16, 2)]);
        assert_eq!(list.search(16), Some(15));
        assert_eq!(list.list().to_string(), shown);
        assert_eq!(validity::check(list.list(), &[other, 16]), Err(broken));
    }
}

#[test]
fn bug_four_spares_level_one_and_a_node_alone_on_its_level() {
    let mut list = buggy(Bug::SearchCountsKeyDown, &[(15, 3), (16, 2), (17, 1)]);
    let before = list.list().clone();
    assert_eq!(list.search(15), Some(15));
    assert_eq!(list.search(17), Some(17));
    assert_eq!(list.list(), &before);
    // 16 is on level 2 together with 15.
    assert_eq!(list.search(16), Some(15));
}

#[test]
fn bug_five_gives_the_top_level_the_number_zero_when_it_holds_three() {
    let two = buggy(Bug::LevelOfTopIsZero, &[(13, 3), (15, 3), (16, 2)]);
    assert_eq!(two.level_of(15), Some(3));
    let three = buggy(Bug::LevelOfTopIsZero, &[(13, 3), (15, 3), (16, 3), (17, 2)]);
    assert_eq!(three.level_of(15), Some(0));
    assert_eq!(three.level_of(17), Some(2));
    assert_eq!(three.level_of(99), None);
}

#[test]
fn bug_six_raises_three_nodes_of_one_level() {
    let list = buggy(Bug::EqualLevelsAreRaised, &[(13, 2), (16, 2), (15, 2)]);
    assert_eq!(list.list(), &correct(&[(13, 3), (15, 3), (16, 3)]));
    let mixed = [(13, 2), (16, 2), (15, 1)];
    let list = buggy(Bug::EqualLevelsAreRaised, &mixed);
    assert_eq!(list.list(), &correct(&mixed));
    // There is no level above the top.
    let top = [(13, 3), (16, 3), (15, 3)];
    let list = buggy(Bug::EqualLevelsAreRaised, &top);
    assert_eq!(list.list(), &correct(&top));
}

#[test]
fn bug_seven_returns_the_next_of_four_nodes_on_the_top_level() {
    let three = [(12, 3), (13, 3), (15, 3), (16, 2)];
    assert_eq!(buggy(Bug::SearchReturnsTheNext, &three).search(13), Some(13));
    let four = [(12, 3), (13, 3), (15, 3), (16, 3), (17, 1)];
    let mut list = buggy(Bug::SearchReturnsTheNext, &four);
    assert_eq!(list.search(13), Some(15));
    assert_eq!(list.search(16), None);
    assert_eq!(list.search(17), Some(17));
}

#[test]
fn bug_eight_misses_the_first_raised_node_of_four() {
    let mut three = buggy(Bug::SearchMissesTheFirst, &[(12, 1), (13, 2), (15, 1)]);
    assert_eq!(three.search(13), Some(13));
    let four = [(12, 1), (13, 2), (15, 2), (16, 1)];
    let mut list = buggy(Bug::SearchMissesTheFirst, &four);
    assert_eq!(list.search(13), None);
    assert_eq!(list.search(12), Some(12));
    assert_eq!(list.search(15), Some(15));
}

#[test]
fn a_key_that_is_there_already_triggers_no_bug() {
    let mut list = buggy(Bug::EqualLevelsAreRaised, &[(1, 1), (2, 1)]);
    let before = list.list().clone();
    list.insert(2, &mut coin::Raises(2));
    assert_eq!(list.list(), &before);
}

#[test]
fn bugs_come_in_pairs_for_one_to_four_insertions() {
    let insertions = Bug::ALL.map(Bug::insertions);
    assert_eq!(insertions, [1, 1, 2, 2, 3, 3, 4, 4]);
    assert_eq!(Bug::ALL.map(Bug::number), [1, 2, 3, 4, 5, 6, 7, 8]);
}
