//! Properties 1 to 4: after an operation the list is a skip list.

use super::{Broken, Scene};
use crate::skip_list::{Key, Subject, validity};

pub(super) fn valid_insertion<S: Subject>(scene: &mut Scene<'_, S>) -> Result<(), Broken> {
    let mut list = scene.list_of(scene.but_last());
    scene.insert(&mut list, scene.last());
    is_valid(&list, scene.keys())
}

pub(super) fn valid_delete<S: Subject>(scene: &mut Scene<'_, S>) -> Result<(), Broken> {
    let mut list = scene.list_of(scene.keys());
    list.delete(scene.last());
    is_valid(&list, scene.but_last())
}

pub(super) fn valid_delete_all<S: Subject>(scene: &mut Scene<'_, S>) -> Result<(), Broken> {
    let mut list = scene.list_of(scene.keys());
    for &key in scene.keys() {
        list.delete(key);
    }
    is_valid(&list, &[])
}

pub(super) fn valid_search<S: Subject>(scene: &mut Scene<'_, S>) -> Result<(), Broken> {
    let mut list = scene.list_of(scene.keys());
    list.search(scene.last());
    is_valid(&list, scene.keys())
}

fn is_valid<S: Subject>(list: &S, inserted: &[Key]) -> Result<(), Broken> {
    validity::check(list.list(), inserted)
        .map_err(|rule| Broken::list(format_args!("not a skip list: broken is that {rule}"), list))
}
