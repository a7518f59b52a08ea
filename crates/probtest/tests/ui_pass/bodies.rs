//! Every kind of argument and return type.

use probtest::{TestRng, probtest};
use rand_core::Rng;
use std::num::ParseIntError;

type Generator = TestRng;

#[probtest(p = 0.1, epsilon = 0.1)]
fn nothing_is_returned(rng: &mut TestRng) {
    assert!(u64::from(rng.next_u32()) < 1 << 32);
}

#[probtest(p = 0.1, epsilon = 0.1)]
#[allow(clippy::unused_unit)]
fn unit_is_returned(rng: &mut TestRng) -> () {
    let _word = rng.next_u64();
}

#[probtest(p = 0.1, epsilon = 0.1)]
fn a_boolean_is_returned(rng: &mut TestRng) -> bool {
    u64::from(rng.next_u32()) < 1 << 32
}

#[probtest(p = 0.1, epsilon = 0.1)]
fn a_result_is_returned(rng: &mut TestRng) -> Result<(), ParseIntError> {
    let word = rng.next_u32();
    let read: u32 = word.to_string().parse()?;
    assert_eq!(read, word);
    Ok(())
}

#[probtest(p = 0.1, epsilon = 0.1)]
fn a_boxed_error_is_returned(rng: &mut TestRng) -> Result<(), Box<dyn std::error::Error>> {
    let _read: u32 = rng.next_u32().to_string().parse()?;
    Ok(())
}

#[probtest(p = 0.1, epsilon = 0.1)]
fn early_return(rng: &mut TestRng) {
    if rng.next_u32().is_multiple_of(2) {
        return;
    }
    assert_ne!(1, 2);
}

#[probtest(p = 0.1, epsilon = 0.1)]
fn no_argument() {
    assert_eq!(1 + 1, 2);
}

#[probtest(p = 0.1, epsilon = 0.1)]
fn no_argument_but_a_boolean() -> bool {
    true
}

#[probtest(p = 0.1, epsilon = 0.1)]
fn any_generator(rng: &mut impl Rng) {
    let _word = rng.next_u32();
}

#[probtest(p = 0.1, epsilon = 0.1)]
fn a_generator_behind_dyn(rng: &mut dyn Rng) {
    let _word = rng.next_u32();
}

#[probtest(p = 0.1, epsilon = 0.1)]
#[allow(unused_qualifications)]
fn a_generator_by_its_full_path(rng: &mut probtest::TestRng) {
    let _word = rng.next_u32();
}

#[probtest(p = 0.1, epsilon = 0.1)]
fn a_generator_by_another_name(rng: &mut Generator) {
    let _word = rng.next_u32();
}

#[probtest(p = 0.1, epsilon = 0.1)]
fn an_ignored_generator(_: &mut TestRng) {}

#[probtest(p = 0.1, epsilon = 0.1)]
fn a_generator_that_is_moved(mut rng: &mut TestRng) {
    let _word = Rng::next_u32(&mut rng);
}

#[probtest(p = 0.1, epsilon = 0.1)]
fn another_name_for_the_argument(coin: &mut TestRng) {
    let rng = coin.next_u32();
    let test = rng;
    assert_eq!(rng, test);
}

#[probtest(p = 0.1, epsilon = 0.1)]
fn inner_attributes_and_items(rng: &mut TestRng) {
    #![allow(clippy::items_after_statements)]
    let drawn = draw(rng);
    fn draw(rng: &mut TestRng) -> u32 {
        rng.next_u32()
    }
    assert_eq!(drawn, drawn);
}

#[probtest(p = 0.1, epsilon = 0.1)]
fn calls_itself(rng: &mut TestRng) -> bool {
    rng.next_u32().is_multiple_of(2) || calls_itself(rng)
}
