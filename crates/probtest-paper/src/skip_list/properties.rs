//! The 26 properties: what must hold for every list, whatever the coin decides.
//!
//! Each property is its own test with a name from the paper. It builds its lists from the keys of
//! the [`Scene`], does something to them, and says what is broken. A panic inside a list is a
//! violation too, which the caller catches.
//!
//! How the text of the paper became tests: a list that a property takes as given has all R keys,
//! except those that the property itself inserts; one node means the last key, two nodes mean the
//! first and the last. With R = 1 both are the same key. So no list ever has more than R keys.

use std::fmt;

use rand::Rng;

use super::{Key, Subject, validity};

/// The result of checking a property: nothing, or what is broken and the lists that show it.
type Checked = Result<(), String>;

#[derive(Clone, Copy, Debug)]
pub struct Property {
    /// The number in the paper, from 1.
    pub number: usize,
    /// The name in the paper, without `test_`.
    pub name: &'static str,
    /// Checks it once. Fails with what is broken, and the lists that show it.
    pub check: fn(&mut Scene<'_>) -> Checked,
}

macro_rules! table {
    ($($number:literal $name:ident,)*) => {
        [$(Property {
            number: $number,
            name: stringify!($name),
            check: $name,
        }),*]
    };
}

impl Property {
    pub const ALL: [Property; 26] = table![
        1 valid_insertion,
        2 valid_delete,
        3 valid_delete_all,
        4 valid_search,
        5 post_insertion_search,
        6 post_deletion_search,
        7 post_level_of_nodes_unchanged_after_insertion,
        8 post_level_of_nodes_unchanged_after_search,
        9 post_level_of_other_nodes_unchanged_after_deletion,
        10 post_level_of_deleted_nodes_changed_after_deletion,
        11 meta_insertion_order,
        12 meta_insertion_order_same_key,
        13 meta_delete_insert_order,
        14 meta_insert_delete_same_node_order,
        15 meta_delete_delete_order,
        16 meta_delete_same_node_twice,
        17 meta_insertion_search_delete,
        18 meta_search_insertion_delete,
        19 eq_inserts_break_eq,
        20 eq_delete_break_eq,
        21 eq_delete,
        22 eq_search,
        23 equiv_insert,
        24 equiv_inserts_break_equiv,
        25 equiv_delete_break_equiv,
        26 equiv_delete,
    ];

    pub fn named(name: &str) -> Option<Property> {
        Property::ALL.into_iter().find(|property| property.name == name)
    }
}

/// An empty list to start from, the keys of the suite run, and the randomness of one execution.
pub struct Scene<'a> {
    empty: &'a Subject,
    /// In insertion order.
    keys: &'a [Key],
    rng: &'a mut dyn Rng,
}

impl<'a> Scene<'a> {
    /// Sets the scene for one execution. Panics if there is no key.
    pub fn new(empty: &'a Subject, keys: &'a [Key], rng: &'a mut dyn Rng) -> Self {
        assert!(!keys.is_empty(), "a property needs at least one key");
        Scene { empty, keys, rng }
    }

    fn first(&self) -> Key {
        self.keys[0]
    }

    fn last(&self) -> Key {
        self.keys[self.keys.len() - 1]
    }

    fn but_last(&self) -> &'a [Key] {
        &self.keys[..self.keys.len() - 1]
    }

    /// All keys except the first and the last.
    fn between(&self) -> &'a [Key] {
        self.but_last().get(1..).unwrap_or_default()
    }

    fn insert(&mut self, list: &mut Subject, key: Key) {
        list.insert(key, self.rng);
    }

    /// Builds a list by inserting keys one after the other.
    pub fn list_of(&mut self, keys: &[Key]) -> Subject {
        let mut list = self.empty.clone();
        for &key in keys {
            list.insert(key, self.rng);
        }
        list
    }

    /// Builds two lists, each with its own coin tosses.
    fn two_lists_of(&mut self, keys: &[Key]) -> [Subject; 2] {
        [self.list_of(keys), self.list_of(keys)]
    }
}

/// Passes if `holds`; otherwise says what is broken, and shows one or two lists.
fn check(holds: bool, what: impl fmt::Display, lists: &[&Subject]) -> Checked {
    if holds {
        return Ok(());
    }
    let lists: Vec<String> = lists.iter().map(|list| list.list().to_string()).collect();
    Err(format!("{what}\n{}", lists.join("\nand\n")))
}

// Properties 1 to 4: after an operation the list is still a skip list.

fn valid_insertion(scene: &mut Scene<'_>) -> Checked {
    let mut list = scene.list_of(scene.but_last());
    scene.insert(&mut list, scene.last());
    is_valid(&list, scene.keys)
}

fn valid_delete(scene: &mut Scene<'_>) -> Checked {
    let mut list = scene.list_of(scene.keys);
    list.delete(scene.last());
    is_valid(&list, scene.but_last())
}

fn valid_delete_all(scene: &mut Scene<'_>) -> Checked {
    let mut list = scene.list_of(scene.keys);
    for &key in scene.keys {
        list.delete(key);
    }
    is_valid(&list, &[])
}

fn valid_search(scene: &mut Scene<'_>) -> Checked {
    let mut list = scene.list_of(scene.keys);
    list.search(scene.last());
    is_valid(&list, scene.keys)
}

fn is_valid(list: &Subject, inserted: &[Key]) -> Checked {
    let Err(rule) = validity::check(list.list(), inserted) else {
        return Ok(());
    };
    check(false, format_args!("not a skip list: it breaks the rule that {rule}"), &[list])
}

// Properties 5 to 10: an operation has its intended effect.

fn post_insertion_search(scene: &mut Scene<'_>) -> Checked {
    let mut list = scene.list_of(scene.keys);
    let key = scene.last();
    let contained = list.list().contains(key);
    let found = list.search(key);
    check(
        !contained || found == Some(key),
        format_args!("the search for {key} returned {found:?}"),
        &[&list],
    )
}

fn post_deletion_search(scene: &mut Scene<'_>) -> Checked {
    let mut list = scene.list_of(scene.keys);
    let key = scene.last();
    list.delete(key);
    let Some(found) = list.search(key) else {
        return Ok(());
    };
    check(
        false,
        format_args!("the search for {key} returned {found} after it was deleted"),
        &[&list],
    )
}

fn post_level_of_nodes_unchanged_after_insertion(scene: &mut Scene<'_>) -> Checked {
    let mut list = scene.list_of(scene.but_last());
    let before = levels(&list, scene.but_last());
    scene.insert(&mut list, scene.last());
    are_same(&before, &levels(&list, scene.but_last()), &list)
}

fn post_level_of_nodes_unchanged_after_search(scene: &mut Scene<'_>) -> Checked {
    let mut list = scene.list_of(scene.keys);
    let before = levels(&list, scene.keys);
    list.search(scene.last());
    are_same(&before, &levels(&list, scene.keys), &list)
}

fn post_level_of_other_nodes_unchanged_after_deletion(scene: &mut Scene<'_>) -> Checked {
    let mut list = scene.list_of(scene.keys);
    let before = levels(&list, scene.but_last());
    list.delete(scene.last());
    are_same(&before, &levels(&list, scene.but_last()), &list)
}

fn post_level_of_deleted_nodes_changed_after_deletion(scene: &mut Scene<'_>) -> Checked {
    let mut list = scene.list_of(scene.keys);
    let key = scene.last();
    let before = list.level_of(key);
    list.delete(key);
    check(
        before != list.level_of(key),
        format_args!("{key} has the level {before:?} before and after it was deleted"),
        &[&list],
    )
}

fn levels(list: &Subject, keys: &[Key]) -> Vec<Option<usize>> {
    keys.iter().map(|&key| list.level_of(key)).collect()
}

fn are_same(before: &[Option<usize>], after: &[Option<usize>], list: &Subject) -> Checked {
    check(before == after, format_args!("the levels {before:?} became {after:?}"), &[list])
}

// Properties 11 to 18: two ways of doing things have the same result.

fn meta_insertion_order(scene: &mut Scene<'_>) -> Checked {
    let [mut one, mut two] = scene.two_lists_of(scene.between());
    scene.insert(&mut one, scene.first());
    scene.insert(&mut one, scene.last());
    scene.insert(&mut two, scene.last());
    scene.insert(&mut two, scene.first());
    are_equivalent(&one, &two)
}

fn meta_insertion_order_same_key(scene: &mut Scene<'_>) -> Checked {
    let mut one = scene.list_of(scene.keys);
    let two = one.clone();
    scene.insert(&mut one, scene.last());
    are_equal(&one, &two)
}

/// The paper deletes the second node from the second list, which leaves the first there and the
/// second in the other list: never equivalent. The first one must be deleted instead. With R = 1
/// there is no second node to insert.
fn meta_delete_insert_order(scene: &mut Scene<'_>) -> Checked {
    let [mut one, mut two] = scene.two_lists_of(scene.between());
    let second = (scene.keys.len() > 1).then(|| scene.last());
    scene.insert(&mut one, scene.first());
    one.delete(scene.first());
    scene.insert(&mut two, scene.first());
    if let Some(second) = second {
        scene.insert(&mut one, second);
        scene.insert(&mut two, second);
    }
    two.delete(scene.first());
    are_equivalent(&one, &two)
}

fn meta_insert_delete_same_node_order(scene: &mut Scene<'_>) -> Checked {
    let [mut one, mut two] = scene.two_lists_of(scene.keys);
    scene.insert(&mut one, scene.last());
    two.delete(scene.last());
    scene.insert(&mut two, scene.last());
    are_equivalent(&one, &two)
}

fn meta_delete_delete_order(scene: &mut Scene<'_>) -> Checked {
    let mut one = scene.list_of(scene.keys);
    let mut two = one.clone();
    one.delete(scene.first());
    one.delete(scene.last());
    two.delete(scene.last());
    two.delete(scene.first());
    are_equal(&one, &two)
}

fn meta_delete_same_node_twice(scene: &mut Scene<'_>) -> Checked {
    let mut one = scene.list_of(scene.keys);
    let mut two = one.clone();
    one.delete(scene.last());
    one.delete(scene.last());
    two.delete(scene.last());
    are_equal(&one, &two)
}

fn meta_insertion_search_delete(scene: &mut Scene<'_>) -> Checked {
    let mut one = scene.list_of(scene.keys);
    let mut two = one.clone();
    let key = scene.last();
    two.delete(key);
    let (kept, deleted) = (one.search(key), two.search(key));
    check(
        kept != deleted,
        format_args!("the search for {key} returned {kept:?} with it and without it"),
        &[&one, &two],
    )
}

fn meta_search_insertion_delete(scene: &mut Scene<'_>) -> Checked {
    let mut one = scene.list_of(scene.but_last());
    let mut two = one.clone();
    let key = scene.last();
    scene.insert(&mut one, key);
    one.delete(key);
    let (come_and_gone, never) = (one.search(key), two.search(key));
    check(
        come_and_gone == never,
        format_args!("the search for {key} returned {come_and_gone:?} and {never:?}"),
        &[&one, &two],
    )
}

// Properties 19 to 26: operations keep or break the equality of two lists. The paper states 19 to
// 22 for all nodes: here for every key of the list, each on its own copies. An insertion breaks
// equality only if the key is new, so 19 and 24 insert the one that the list lacks.

fn eq_inserts_break_eq(scene: &mut Scene<'_>) -> Checked {
    let mut one = scene.list_of(scene.but_last());
    let two = one.clone();
    scene.insert(&mut one, scene.last());
    are_not_equal(&one, &two)
}

fn eq_delete_break_eq(scene: &mut Scene<'_>) -> Checked {
    let two = scene.list_of(scene.keys);
    for &key in scene.keys {
        let mut one = two.clone();
        one.delete(key);
        are_not_equal(&one, &two)?;
    }
    Ok(())
}

fn eq_delete(scene: &mut Scene<'_>) -> Checked {
    let list = scene.list_of(scene.keys);
    for &key in scene.keys {
        let (mut one, mut two) = (list.clone(), list.clone());
        one.delete(key);
        two.delete(key);
        are_equal(&one, &two)?;
    }
    Ok(())
}

fn eq_search(scene: &mut Scene<'_>) -> Checked {
    let two = scene.list_of(scene.keys);
    for &key in scene.keys {
        let mut one = two.clone();
        one.search(key);
        are_equal(&one, &two)?;
    }
    Ok(())
}

fn equiv_insert(scene: &mut Scene<'_>) -> Checked {
    let [mut one, mut two] = scene.two_lists_of(scene.but_last());
    scene.insert(&mut one, scene.last());
    scene.insert(&mut two, scene.last());
    are_equivalent(&one, &two)
}

fn equiv_inserts_break_equiv(scene: &mut Scene<'_>) -> Checked {
    let [mut one, two] = scene.two_lists_of(scene.but_last());
    scene.insert(&mut one, scene.last());
    are_not_equivalent(&one, &two)
}

fn equiv_delete_break_equiv(scene: &mut Scene<'_>) -> Checked {
    let [mut one, two] = scene.two_lists_of(scene.keys);
    one.delete(scene.last());
    are_not_equivalent(&one, &two)
}

fn equiv_delete(scene: &mut Scene<'_>) -> Checked {
    let [mut one, mut two] = scene.two_lists_of(scene.keys);
    one.delete(scene.last());
    two.delete(scene.last());
    are_equivalent(&one, &two)
}

fn are_equal(one: &Subject, two: &Subject) -> Checked {
    check(one.list() == two.list(), "not equal:", &[one, two])
}

fn are_not_equal(one: &Subject, two: &Subject) -> Checked {
    check(one.list() != two.list(), "still equal to what it was before:", &[one])
}

fn are_equivalent(one: &Subject, two: &Subject) -> Checked {
    check(one.list().is_equivalent(two.list()), "not equivalent:", &[one, two])
}

fn are_not_equivalent(one: &Subject, two: &Subject) -> Checked {
    check(!one.list().is_equivalent(two.list()), "still equivalent:", &[one, two])
}
