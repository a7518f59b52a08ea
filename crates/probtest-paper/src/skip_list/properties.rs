//! The 26 properties: what must hold for every list, whatever the coin says.
//!
//! Each property is a test of its own with a name from the paper. It builds its
//! lists from the keys of the [`Scene`], does something to them, and says what is
//! broken. A panic inside a list is a violation as well; whoever calls
//! [`Property::check`] catches it, as probtest does.
//!
//! How the words of the paper became tests: a list that a property takes as given
//! holds all R keys, except those that the property itself inserts; where it
//! speaks of one node, that is the last key, where of two, the first and the last.
//! With R = 1 both are the same key. So no list ever holds more than R keys.

use std::fmt;

use rand::Rng;

use super::{Key, Subject, validity};

/// What one check of a property says: nothing, or what is broken and the lists that show it.
type Checked = Result<(), String>;

/// One of the 26 properties, as a test of the list `S`.
#[derive(Debug)]
pub struct Property<S: 'static> {
    /// The number in the paper, from 1.
    pub number: usize,
    /// The name in the paper, without `test_`.
    pub name: &'static str,
    body: fn(&mut Scene<'_, S>) -> Checked,
}

impl<S> Clone for Property<S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S> Copy for Property<S> {}

macro_rules! table {
    ($($number:literal $name:ident,)*) => {
        [$(Property {
            number: $number,
            name: stringify!($name),
            body: $name,
        }),*]
    };
}

impl<S: Subject> Property<S> {
    /// All properties in the order of the paper.
    pub const ALL: [Property<S>; 26] = table![
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

    pub fn named(name: &str) -> Option<Property<S>> {
        Property::ALL
            .into_iter()
            .find(|property| property.name == name)
    }

    /// Checks the property once.
    ///
    /// # Errors
    ///
    /// With what is broken, and the list that shows it.
    pub fn check(&self, scene: &mut Scene<'_, S>) -> Result<(), String> {
        (self.body)(scene)
    }
}

/// An empty list to start from, the keys of the suite run, and the randomness of
/// one execution.
pub struct Scene<'a, S> {
    empty: &'a S,
    keys: &'a [Key],
    rng: &'a mut dyn Rng,
}

impl<'a, S: Subject> Scene<'a, S> {
    /// Sets the scene for one execution.
    ///
    /// # Panics
    ///
    /// When there is no key.
    pub fn new(empty: &'a S, keys: &'a [Key], rng: &'a mut dyn Rng) -> Self {
        assert!(!keys.is_empty(), "a property needs at least one key");
        Scene { empty, keys, rng }
    }

    /// All keys, in the order in which they are inserted.
    fn keys(&self) -> &'a [Key] {
        self.keys
    }

    /// The key inserted first.
    fn first(&self) -> Key {
        self.keys[0]
    }

    /// The key inserted last.
    fn last(&self) -> Key {
        self.keys[self.keys.len() - 1]
    }

    /// All keys but the last.
    fn but_last(&self) -> &'a [Key] {
        &self.keys[..self.keys.len() - 1]
    }

    /// All keys but the first and the last.
    fn between(&self) -> &'a [Key] {
        self.but_last().get(1..).unwrap_or_default()
    }

    fn insert(&mut self, list: &mut S, key: Key) {
        list.insert(key, self.rng);
    }

    /// Builds a list by inserting keys one after the other.
    fn list_of(&mut self, keys: &[Key]) -> S {
        let mut list = self.empty.clone();
        for &key in keys {
            list.insert(key, self.rng);
        }
        list
    }
}

/// Says what is broken in one list.
fn broken<S: Subject>(what: impl fmt::Display, list: &S) -> String {
    format!("{what}\n{}", list.list())
}

/// Says what is broken between two lists.
fn broken_between<S: Subject>(what: impl fmt::Display, one: &S, two: &S) -> String {
    format!("{what}\n{}\nand\n{}", one.list(), two.list())
}

// Properties 1 to 4: after an operation the list is a skip list.

fn valid_insertion<S: Subject>(scene: &mut Scene<'_, S>) -> Checked {
    let mut list = scene.list_of(scene.but_last());
    scene.insert(&mut list, scene.last());
    is_valid(&list, scene.keys())
}

fn valid_delete<S: Subject>(scene: &mut Scene<'_, S>) -> Checked {
    let mut list = scene.list_of(scene.keys());
    list.delete(scene.last());
    is_valid(&list, scene.but_last())
}

fn valid_delete_all<S: Subject>(scene: &mut Scene<'_, S>) -> Checked {
    let mut list = scene.list_of(scene.keys());
    for &key in scene.keys() {
        list.delete(key);
    }
    is_valid(&list, &[])
}

fn valid_search<S: Subject>(scene: &mut Scene<'_, S>) -> Checked {
    let mut list = scene.list_of(scene.keys());
    list.search(scene.last());
    is_valid(&list, scene.keys())
}

fn is_valid<S: Subject>(list: &S, inserted: &[Key]) -> Checked {
    validity::check(list.list(), inserted)
        .map_err(|rule| broken(format_args!("not a skip list: broken is that {rule}"), list))
}

// Properties 5 to 10: an operation does what it is for.

fn post_insertion_search<S: Subject>(scene: &mut Scene<'_, S>) -> Checked {
    let mut list = scene.list_of(scene.keys());
    let key = scene.last();
    let contained = list.list().contains(key);
    let found = list.search(key);
    if contained && found != Some(key) {
        return Err(broken(
            format_args!("the search for {key} returned {found:?}"),
            &list,
        ));
    }
    Ok(())
}

fn post_deletion_search<S: Subject>(scene: &mut Scene<'_, S>) -> Checked {
    let mut list = scene.list_of(scene.keys());
    let key = scene.last();
    list.delete(key);
    match list.search(key) {
        None => Ok(()),
        Some(found) => Err(broken(
            format_args!("the search for {key} returned {found} after it was deleted"),
            &list,
        )),
    }
}

fn post_level_of_nodes_unchanged_after_insertion<S: Subject>(scene: &mut Scene<'_, S>) -> Checked {
    let mut list = scene.list_of(scene.but_last());
    let before = levels(&list, scene.but_last());
    scene.insert(&mut list, scene.last());
    are_same(&before, &levels(&list, scene.but_last()), &list)
}

fn post_level_of_nodes_unchanged_after_search<S: Subject>(scene: &mut Scene<'_, S>) -> Checked {
    let mut list = scene.list_of(scene.keys());
    let before = levels(&list, scene.keys());
    list.search(scene.last());
    are_same(&before, &levels(&list, scene.keys()), &list)
}

fn post_level_of_other_nodes_unchanged_after_deletion<S: Subject>(
    scene: &mut Scene<'_, S>,
) -> Checked {
    let mut list = scene.list_of(scene.keys());
    let before = levels(&list, scene.but_last());
    list.delete(scene.last());
    are_same(&before, &levels(&list, scene.but_last()), &list)
}

fn post_level_of_deleted_nodes_changed_after_deletion<S: Subject>(
    scene: &mut Scene<'_, S>,
) -> Checked {
    let mut list = scene.list_of(scene.keys());
    let key = scene.last();
    let before = list.level_of(key);
    list.delete(key);
    if before == list.level_of(key) {
        return Err(broken(
            format_args!("{key} has the level {before:?} before and after it was deleted"),
            &list,
        ));
    }
    Ok(())
}

fn levels<S: Subject>(list: &S, keys: &[Key]) -> Vec<Option<usize>> {
    keys.iter().map(|&key| list.level_of(key)).collect()
}

fn are_same<S: Subject>(before: &[Option<usize>], after: &[Option<usize>], list: &S) -> Checked {
    if before == after {
        return Ok(());
    }
    Err(broken(
        format_args!("the levels {before:?} became {after:?}"),
        list,
    ))
}

// Properties 11 to 18: two ways of doing things come to the same.

fn meta_insertion_order<S: Subject>(scene: &mut Scene<'_, S>) -> Checked {
    let mut one = scene.list_of(scene.between());
    let mut two = scene.list_of(scene.between());
    scene.insert(&mut one, scene.first());
    scene.insert(&mut one, scene.last());
    scene.insert(&mut two, scene.last());
    scene.insert(&mut two, scene.first());
    are_equivalent(&one, &two)
}

fn meta_insertion_order_same_key<S: Subject>(scene: &mut Scene<'_, S>) -> Checked {
    let mut one = scene.list_of(scene.keys());
    let two = one.clone();
    scene.insert(&mut one, scene.last());
    are_equal(&one, &two)
}

/// The paper deletes the second node from the second list, which leaves the first
/// there and the second in the other list: never equivalent. The first must be
/// the one that goes. With R = 1 there is no second node to insert.
fn meta_delete_insert_order<S: Subject>(scene: &mut Scene<'_, S>) -> Checked {
    let mut one = scene.list_of(scene.between());
    let mut two = scene.list_of(scene.between());
    let second = (scene.keys().len() > 1).then(|| scene.last());
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

fn meta_insert_delete_same_node_order<S: Subject>(scene: &mut Scene<'_, S>) -> Checked {
    let mut one = scene.list_of(scene.keys());
    let mut two = scene.list_of(scene.keys());
    scene.insert(&mut one, scene.last());
    two.delete(scene.last());
    scene.insert(&mut two, scene.last());
    are_equivalent(&one, &two)
}

fn meta_delete_delete_order<S: Subject>(scene: &mut Scene<'_, S>) -> Checked {
    let mut one = scene.list_of(scene.keys());
    let mut two = one.clone();
    one.delete(scene.first());
    one.delete(scene.last());
    two.delete(scene.last());
    two.delete(scene.first());
    are_equal(&one, &two)
}

fn meta_delete_same_node_twice<S: Subject>(scene: &mut Scene<'_, S>) -> Checked {
    let mut one = scene.list_of(scene.keys());
    let mut two = one.clone();
    one.delete(scene.last());
    one.delete(scene.last());
    two.delete(scene.last());
    are_equal(&one, &two)
}

fn meta_insertion_search_delete<S: Subject>(scene: &mut Scene<'_, S>) -> Checked {
    let mut one = scene.list_of(scene.keys());
    let mut two = one.clone();
    let key = scene.last();
    two.delete(key);
    let (kept, deleted) = (one.search(key), two.search(key));
    if kept == deleted {
        return Err(broken_between(
            format_args!("the search for {key} returned {kept:?} with it and without it"),
            &one,
            &two,
        ));
    }
    Ok(())
}

fn meta_search_insertion_delete<S: Subject>(scene: &mut Scene<'_, S>) -> Checked {
    let mut one = scene.list_of(scene.but_last());
    let mut two = one.clone();
    let key = scene.last();
    scene.insert(&mut one, key);
    one.delete(key);
    let (come_and_gone, never) = (one.search(key), two.search(key));
    if come_and_gone != never {
        return Err(broken_between(
            format_args!("the search for {key} returned {come_and_gone:?} and {never:?}"),
            &one,
            &two,
        ));
    }
    Ok(())
}

// Properties 19 to 26: operations keep or break the equality of two lists. The paper
// states 19 to 22 for all nodes: here for every key of the list, each on copies of its
// own. An insertion breaks equality only if the key is new, so 19 and 24 insert the one
// that the list lacks.

fn eq_inserts_break_eq<S: Subject>(scene: &mut Scene<'_, S>) -> Checked {
    let mut one = scene.list_of(scene.but_last());
    let two = one.clone();
    scene.insert(&mut one, scene.last());
    are_not_equal(&one, &two)
}

fn eq_delete_break_eq<S: Subject>(scene: &mut Scene<'_, S>) -> Checked {
    let two = scene.list_of(scene.keys());
    for &key in scene.keys() {
        let mut one = two.clone();
        one.delete(key);
        are_not_equal(&one, &two)?;
    }
    Ok(())
}

fn eq_delete<S: Subject>(scene: &mut Scene<'_, S>) -> Checked {
    let list = scene.list_of(scene.keys());
    for &key in scene.keys() {
        let (mut one, mut two) = (list.clone(), list.clone());
        one.delete(key);
        two.delete(key);
        are_equal(&one, &two)?;
    }
    Ok(())
}

fn eq_search<S: Subject>(scene: &mut Scene<'_, S>) -> Checked {
    let two = scene.list_of(scene.keys());
    for &key in scene.keys() {
        let mut one = two.clone();
        one.search(key);
        are_equal(&one, &two)?;
    }
    Ok(())
}

fn equiv_insert<S: Subject>(scene: &mut Scene<'_, S>) -> Checked {
    let mut one = scene.list_of(scene.but_last());
    let mut two = scene.list_of(scene.but_last());
    scene.insert(&mut one, scene.last());
    scene.insert(&mut two, scene.last());
    are_equivalent(&one, &two)
}

fn equiv_inserts_break_equiv<S: Subject>(scene: &mut Scene<'_, S>) -> Checked {
    let mut one = scene.list_of(scene.but_last());
    let two = scene.list_of(scene.but_last());
    scene.insert(&mut one, scene.last());
    are_not_equivalent(&one, &two)
}

fn equiv_delete_break_equiv<S: Subject>(scene: &mut Scene<'_, S>) -> Checked {
    let mut one = scene.list_of(scene.keys());
    let two = scene.list_of(scene.keys());
    one.delete(scene.last());
    are_not_equivalent(&one, &two)
}

fn equiv_delete<S: Subject>(scene: &mut Scene<'_, S>) -> Checked {
    let mut one = scene.list_of(scene.keys());
    let mut two = scene.list_of(scene.keys());
    one.delete(scene.last());
    two.delete(scene.last());
    are_equivalent(&one, &two)
}

fn are_equal<S: Subject>(one: &S, two: &S) -> Checked {
    if one.list() == two.list() {
        return Ok(());
    }
    Err(broken_between("not equal:", one, two))
}

fn are_not_equal<S: Subject>(one: &S, two: &S) -> Checked {
    if one.list() != two.list() {
        return Ok(());
    }
    Err(broken("still equal to what it was before:", one))
}

fn are_equivalent<S: Subject>(one: &S, two: &S) -> Checked {
    if one.list().is_equivalent(two.list()) {
        return Ok(());
    }
    Err(broken_between("not equivalent:", one, two))
}

fn are_not_equivalent<S: Subject>(one: &S, two: &S) -> Checked {
    if !one.list().is_equivalent(two.list()) {
        return Ok(());
    }
    Err(broken_between("still equivalent:", one, two))
}
