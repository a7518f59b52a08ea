use probtest::{TestRng, probtest};

#[probtest(p = 0.01, epsilon = 0.02)]
extern "C" fn function_is_extern(_rng: &mut TestRng) {}

#[probtest(p = 0.01, epsilon = 0.02)]
fn function_is_generic<T: Default>(_rng: &mut TestRng) {}

struct Steps;

impl Steps {
    #[probtest(p = 0.01)]
    fn function_takes_self(&self, _rng: &mut TestRng) {}
}

#[probtest(p = 0.01, epsilon = 0.02)]
fn generator_is_taken_as_impl_trait(_rng: impl Iterator<Item = u32>) {}

#[probtest(p = 0.01, epsilon = 0.02)]
fn generator_is_taken_by_shared_reference(_rng: &TestRng) {}

trait Walk {
    #[probtest(p = 0.01)]
    fn function_has_no_body(_rng: &mut TestRng);
}

#[probtest(p = 0.01, epsilon = 0.02)]
#[test]
const unsafe fn function_has_several_mistakes(_rng: TestRng) {}

fn main() {}
