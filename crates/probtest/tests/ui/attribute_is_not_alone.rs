use probtest::{TestRng, probtest};

#[probtest(p = 0.01, epsilon = 0.02)]
#[probtest(p = 0.5)]
fn attribute_stands_twice(_rng: &mut TestRng) {}

#[probtest(p = 0.01, epsilon = 0.02)]
#[tokio::test]
fn tokio_test_attribute_is_also_present(_rng: &mut TestRng) {}

#[probtest = 1]
fn attribute_is_a_key_and_value(_rng: &mut TestRng) {}

fn main() {}
