//! Properties 5 to 10: an operation does what it is for.

use super::{Broken, Scene};
use crate::skip_list::{Key, Subject};

pub(super) fn post_insertion_search<S: Subject>(scene: &mut Scene<'_, S>) -> Result<(), Broken> {
    let mut list = scene.list_of(scene.keys());
    let key = scene.last();
    let contained = list.list().contains(key);
    let found = list.search(key);
    if contained && found != Some(key) {
        return Err(Broken::list(
            format_args!("the search for {key} returned {found:?}"),
            &list,
        ));
    }
    Ok(())
}

pub(super) fn post_deletion_search<S: Subject>(scene: &mut Scene<'_, S>) -> Result<(), Broken> {
    let mut list = scene.list_of(scene.keys());
    let key = scene.last();
    list.delete(key);
    match list.search(key) {
        None => Ok(()),
        Some(found) => Err(Broken::list(
            format_args!("the search for {key} returned {found} after it was deleted"),
            &list,
        )),
    }
}

pub(super) fn post_level_of_nodes_unchanged_after_insertion<S: Subject>(
    scene: &mut Scene<'_, S>,
) -> Result<(), Broken> {
    let mut list = scene.list_of(scene.but_last());
    let before = levels(&list, scene.but_last());
    scene.insert(&mut list, scene.last());
    are_same(&before, &levels(&list, scene.but_last()), &list)
}

pub(super) fn post_level_of_nodes_unchanged_after_search<S: Subject>(
    scene: &mut Scene<'_, S>,
) -> Result<(), Broken> {
    let mut list = scene.list_of(scene.keys());
    let before = levels(&list, scene.keys());
    list.search(scene.last());
    are_same(&before, &levels(&list, scene.keys()), &list)
}

pub(super) fn post_level_of_other_nodes_unchanged_after_deletion<S: Subject>(
    scene: &mut Scene<'_, S>,
) -> Result<(), Broken> {
    let mut list = scene.list_of(scene.keys());
    let before = levels(&list, scene.but_last());
    list.delete(scene.last());
    are_same(&before, &levels(&list, scene.but_last()), &list)
}

pub(super) fn post_level_of_deleted_nodes_changed_after_deletion<S: Subject>(
    scene: &mut Scene<'_, S>,
) -> Result<(), Broken> {
    let mut list = scene.list_of(scene.keys());
    let key = scene.last();
    let before = list.level_of(key);
    list.delete(key);
    if before == list.level_of(key) {
        return Err(Broken::list(
            format_args!("{key} has the level {before:?} before and after it was deleted"),
            &list,
        ));
    }
    Ok(())
}

fn levels<S: Subject>(list: &S, keys: &[Key]) -> Vec<Option<usize>> {
    keys.iter().map(|&key| list.level_of(key)).collect()
}

fn are_same<S: Subject>(
    before: &[Option<usize>],
    after: &[Option<usize>],
    list: &S,
) -> Result<(), Broken> {
    if before == after {
        return Ok(());
    }
    Err(Broken::list(
        format_args!("the levels {before:?} became {after:?}"),
        list,
    ))
}
