//! The 26 properties of the correct list, for one to four insertions.
//!
//! Each is its own test, with the p and epsilon of the paper. Keys are drawn in each execution, so
//! the replay line of a violation is all you need to see it again.

use probtest::{TestRng, probtest};
use probtest_paper::skip_list::{Parameters, Property, Scene, Subject, keys};

fn check(name: &str, insertions: u32, rng: &mut TestRng) -> Result<(), String> {
    let property = Property::named(name).expect("a property of this name");
    let keys = keys::draw(insertions, rng);
    let list = Subject::new(None, Parameters::PAPER);
    (property.check)(&mut Scene::new(&list, &keys, rng))
}

macro_rules! insertions {
    ($($module:ident: $insertions:literal, $p:tt;)*) => {$(
        mod $module {
            use super::*;
            properties!($insertions, $p,
                valid_insertion
                valid_delete
                valid_delete_all
                valid_search
                post_insertion_search
                post_deletion_search
                post_level_of_nodes_unchanged_after_insertion
                post_level_of_nodes_unchanged_after_search
                post_level_of_other_nodes_unchanged_after_deletion
                post_level_of_deleted_nodes_changed_after_deletion
                meta_insertion_order
                meta_insertion_order_same_key
                meta_delete_insert_order
                meta_insert_delete_same_node_order
                meta_delete_delete_order
                meta_delete_same_node_twice
                meta_insertion_search_delete
                meta_search_insertion_delete
                eq_inserts_break_eq
                eq_delete_break_eq
                eq_delete
                eq_search
                equiv_insert
                equiv_inserts_break_equiv
                equiv_delete_break_equiv
                equiv_delete
            );
        }
    )*};
}

macro_rules! properties {
    ($insertions:tt, $p:tt, $($name:ident)*) => {
        $(
            #[probtest(p = $p, epsilon = 0.05)]
            fn $name(rng: &mut TestRng) -> Result<(), String> {
                check(stringify!($name), $insertions, rng)
            }
        )*

        #[test]
        fn every_property_is_tested_in_the_papers_order() {
            let named = [$(stringify!($name)),*];
            assert_eq!(named, Property::ALL.map(|property| property.name));
        }
    };
}

insertions! {
    one_insertion: 1, 0.25;
    two_insertions: 2, 0.0625;
    three_insertions: 3, 0.0156;
    four_insertions: 4, 0.0039;
}

#[test]
fn properties_are_numbered_as_in_the_paper_in_groups_of_four_six_eight_and_eight() {
    let all = Property::ALL;
    for (index, property) in all.iter().enumerate() {
        assert_eq!(property.number, index + 1);
        let group = match property.number {
            1..=4 => "valid_",
            5..=10 => "post_",
            11..=18 => "meta_",
            _ => "eq",
        };
        assert!(property.name.starts_with(group), "{}", property.name);
    }
}
