//! Properties 19 to 26: operations keep or break the equality of two lists.
//!
//! The paper states 19 to 22 for all nodes: here for every key of the list, each
//! on copies of its own. An insertion breaks equality only if the key is new, so
//! 19 and 24 insert the one that the list lacks.

use super::{Broken, Scene};
use crate::skip_list::Subject;

pub(super) fn eq_inserts_break_eq<S: Subject>(scene: &mut Scene<'_, S>) -> Result<(), Broken> {
    let mut one = scene.list_of(scene.but_last());
    let two = one.clone();
    scene.insert(&mut one, scene.last());
    are_not_equal(&one, &two)
}

pub(super) fn eq_delete_break_eq<S: Subject>(scene: &mut Scene<'_, S>) -> Result<(), Broken> {
    let two = scene.list_of(scene.keys());
    for &key in scene.keys() {
        let mut one = two.clone();
        one.delete(key);
        are_not_equal(&one, &two)?;
    }
    Ok(())
}

pub(super) fn eq_delete<S: Subject>(scene: &mut Scene<'_, S>) -> Result<(), Broken> {
    let list = scene.list_of(scene.keys());
    for &key in scene.keys() {
        let (mut one, mut two) = (list.clone(), list.clone());
        one.delete(key);
        two.delete(key);
        are_equal(&one, &two)?;
    }
    Ok(())
}

pub(super) fn eq_search<S: Subject>(scene: &mut Scene<'_, S>) -> Result<(), Broken> {
    let two = scene.list_of(scene.keys());
    for &key in scene.keys() {
        let mut one = two.clone();
        one.search(key);
        are_equal(&one, &two)?;
    }
    Ok(())
}

pub(super) fn equiv_insert<S: Subject>(scene: &mut Scene<'_, S>) -> Result<(), Broken> {
    let mut one = scene.list_of(scene.but_last());
    let mut two = scene.list_of(scene.but_last());
    scene.insert(&mut one, scene.last());
    scene.insert(&mut two, scene.last());
    are_equivalent(&one, &two)
}

pub(super) fn equiv_inserts_break_equiv<S: Subject>(
    scene: &mut Scene<'_, S>,
) -> Result<(), Broken> {
    let mut one = scene.list_of(scene.but_last());
    let two = scene.list_of(scene.but_last());
    scene.insert(&mut one, scene.last());
    are_not_equivalent(&one, &two)
}

pub(super) fn equiv_delete_break_equiv<S: Subject>(scene: &mut Scene<'_, S>) -> Result<(), Broken> {
    let mut one = scene.list_of(scene.keys());
    let two = scene.list_of(scene.keys());
    one.delete(scene.last());
    are_not_equivalent(&one, &two)
}

pub(super) fn equiv_delete<S: Subject>(scene: &mut Scene<'_, S>) -> Result<(), Broken> {
    let mut one = scene.list_of(scene.keys());
    let mut two = scene.list_of(scene.keys());
    one.delete(scene.last());
    two.delete(scene.last());
    are_equivalent(&one, &two)
}

pub(super) fn are_equal<S: Subject>(one: &S, two: &S) -> Result<(), Broken> {
    if one.list() == two.list() {
        return Ok(());
    }
    Err(Broken::lists("not equal:", one, two))
}

fn are_not_equal<S: Subject>(one: &S, two: &S) -> Result<(), Broken> {
    if one.list() != two.list() {
        return Ok(());
    }
    Err(Broken::list("still equal to what it was before:", one))
}

pub(super) fn are_equivalent<S: Subject>(one: &S, two: &S) -> Result<(), Broken> {
    if one.list().is_equivalent(two.list()) {
        return Ok(());
    }
    Err(Broken::lists("not equivalent:", one, two))
}

fn are_not_equivalent<S: Subject>(one: &S, two: &S) -> Result<(), Broken> {
    if !one.list().is_equivalent(two.list()) {
        return Ok(());
    }
    Err(Broken::lists("still equivalent:", one, two))
}
