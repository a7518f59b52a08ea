//! Properties 11 to 18: two ways of doing things come to the same.

use super::equivalence::{are_equal, are_equivalent};
use super::{Broken, Scene};
use crate::skip_list::Subject;

pub(super) fn meta_insertion_order<S: Subject>(scene: &mut Scene<'_, S>) -> Result<(), Broken> {
    let mut one = scene.list_of(scene.between());
    let mut two = scene.list_of(scene.between());
    scene.insert(&mut one, scene.first());
    scene.insert(&mut one, scene.last());
    scene.insert(&mut two, scene.last());
    scene.insert(&mut two, scene.first());
    are_equivalent(&one, &two)
}

pub(super) fn meta_insertion_order_same_key<S: Subject>(
    scene: &mut Scene<'_, S>,
) -> Result<(), Broken> {
    let mut one = scene.list_of(scene.keys());
    let two = one.clone();
    scene.insert(&mut one, scene.last());
    are_equal(&one, &two)
}

/// The paper deletes the second node from the second list, which leaves the first
/// there and the second in the other list: never equivalent. The first must be
/// the one that goes. With R = 1 there is no second node to insert.
pub(super) fn meta_delete_insert_order<S: Subject>(scene: &mut Scene<'_, S>) -> Result<(), Broken> {
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

pub(super) fn meta_insert_delete_same_node_order<S: Subject>(
    scene: &mut Scene<'_, S>,
) -> Result<(), Broken> {
    let mut one = scene.list_of(scene.keys());
    let mut two = scene.list_of(scene.keys());
    scene.insert(&mut one, scene.last());
    two.delete(scene.last());
    scene.insert(&mut two, scene.last());
    are_equivalent(&one, &two)
}

pub(super) fn meta_delete_delete_order<S: Subject>(scene: &mut Scene<'_, S>) -> Result<(), Broken> {
    let mut one = scene.list_of(scene.keys());
    let mut two = one.clone();
    one.delete(scene.first());
    one.delete(scene.last());
    two.delete(scene.last());
    two.delete(scene.first());
    are_equal(&one, &two)
}

pub(super) fn meta_delete_same_node_twice<S: Subject>(
    scene: &mut Scene<'_, S>,
) -> Result<(), Broken> {
    let mut one = scene.list_of(scene.keys());
    let mut two = one.clone();
    one.delete(scene.last());
    one.delete(scene.last());
    two.delete(scene.last());
    are_equal(&one, &two)
}

pub(super) fn meta_insertion_search_delete<S: Subject>(
    scene: &mut Scene<'_, S>,
) -> Result<(), Broken> {
    let mut one = scene.list_of(scene.keys());
    let mut two = one.clone();
    let key = scene.last();
    two.delete(key);
    let (kept, deleted) = (one.search(key), two.search(key));
    if kept == deleted {
        return Err(Broken::lists(
            format_args!("the search for {key} returned {kept:?} with it and without it"),
            &one,
            &two,
        ));
    }
    Ok(())
}

pub(super) fn meta_search_insertion_delete<S: Subject>(
    scene: &mut Scene<'_, S>,
) -> Result<(), Broken> {
    let mut one = scene.list_of(scene.but_last());
    let mut two = one.clone();
    let key = scene.last();
    scene.insert(&mut one, key);
    one.delete(key);
    let (come_and_gone, never) = (one.search(key), two.search(key));
    if come_and_gone != never {
        return Err(Broken::lists(
            format_args!("the search for {key} returned {come_and_gone:?} and {never:?}"),
            &one,
            &two,
        ));
    }
    Ok(())
}
