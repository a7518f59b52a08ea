//! Properties of plans over many decades, against an independent oracle: direct powers with 2000
//! bits, or exact fractions if those are small.

use dashu_float::{FBig, round::mode::HalfEven};
use dashu_int::UBig;
use dashu_ratio::RBig;
use probtest::claim::{Claim, Outcomes, Probability};
use probtest::plan::{self, Certainty, Plan, smallest_p};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

type Wide = FBig<HalfEven>;
const BITS: usize = 2000;

/// The same cases every time, so that a failure is never a matter of luck.
fn fixed(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(0x5eed),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// A number as `digits * 10^-power`.
#[derive(Debug, Clone, Copy)]
struct Decimal {
    digits: u64,
    power: usize,
}

impl Decimal {
    fn text(self) -> String {
        format!("{}e-{}", self.digits, self.power)
    }

    fn exact(self) -> RBig {
        RBig::from_parts(self.digits.into(), UBig::from(10u8).pow(self.power))
    }
}

fn wide(value: &RBig) -> Wide {
    let top = Wide::from(value.numerator().clone()).with_precision(BITS).value();
    let bottom = Wide::from(value.denominator().clone()).with_precision(BITS).value();
    top / bottom
}

fn wide_power(base: &Wide, mut exponent: u64) -> Wide {
    let mut result = Wide::ONE.with_precision(BITS).value();
    let mut square = base.clone();
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = &result * &square;
        }
        exponent >>= 1;
        if exponent > 0 {
            square = &square * &square;
        }
    }
    result
}

/// Whether `p^k + (1 - p)^k < epsilon`.
fn is_below(p: &RBig, k: u64, epsilon: &RBig) -> bool {
    let rest = RBig::ONE - p;
    if k < 200 {
        return p.pow(k as isize) + rest.pow(k as isize) < *epsilon;
    }
    wide_power(&wide(p), k) + wide_power(&wide(&rest), k) < wide(epsilon)
}

fn small() -> impl Strategy<Value = Decimal> {
    (1..=9999u64, 4..=22usize).prop_map(|(digits, power)| Decimal { digits, power })
}

fn any_p() -> impl Strategy<Value = Decimal> {
    let ten = |power: usize| 10u64.pow(power as u32);
    prop_oneof![
        6 => small(),
        1 => small().prop_map(move |small| {
            // Close to one.
            let power = small.power.min(18);
            Decimal { digits: ten(power) - small.digits.min(ten(power) - 1), power }
        }),
        1 => small().prop_map(move |small| {
            // Close to one half.
            let power = small.power.clamp(5, 18);
            Decimal { digits: ten(power) / 2 + small.digits, power }
        }),
    ]
}

fn any_epsilon() -> impl Strategy<Value = Decimal> {
    (1..=9999u64, prop_oneof![4..=12usize, 4..=320usize])
        .prop_map(|(digits, power)| Decimal { digits, power })
}

fn executions(p: &Decimal, epsilon: &Decimal) -> Option<u64> {
    let plan = Plan::new(&Claim::detect(p.text(), epsilon.text()).unwrap());
    match plan {
        Ok(plan) => {
            assert_eq!(plan.certainty(), Certainty::Exact);
            Some(plan.executions())
        }
        Err(error) => {
            assert!(error.what().ends_with("a plan holds fewer than 2^63"), "{error}");
            None
        }
    }
}

proptest! {
    #![proptest_config(fixed(1500))]

    #[test]
    fn the_count_is_enough_and_one_fewer_is_not(p in any_p(), epsilon in any_epsilon()) {
        let (exact_p, exact_epsilon) = (p.exact(), epsilon.exact());
        match executions(&p, &epsilon) {
            Some(k) => {
                prop_assert!(is_below(&exact_p, k, &exact_epsilon), "{k} is not enough");
                prop_assert!(!is_below(&exact_p, k - 1, &exact_epsilon), "{k} is too many");
            }
            None => prop_assert!(!is_below(&exact_p, (1 << 63) - 1, &exact_epsilon)),
        }
    }

    #[test]
    fn a_smaller_p_or_epsilon_never_needs_fewer_executions(
        (a, b) in (small(), small()), (d, e) in (any_epsilon(), any_epsilon()),
    ) {
        let (a, b) = if a.exact() < b.exact() { (a, b) } else { (b, a) };
        let (d, e) = if d.exact() < e.exact() { (d, e) } else { (e, d) };
        prop_assume!(b.exact() * RBig::from(2u8) <= RBig::ONE);
        let count = |p: &Decimal, epsilon: &Decimal| executions(p, epsilon).unwrap_or(u64::MAX);
        prop_assert!(count(&a, &d) >= count(&b, &d));
        prop_assert!(count(&a, &d) >= count(&a, &e));
    }

    #[test]
    fn the_smallest_p_is_enough_and_the_next_float_below_is_not(
        (n, shift) in (2..=u64::MAX / 4, 0..62u32), epsilon in any_epsilon(),
    ) {
        let n = (n >> shift).max(2);
        let epsilon = Probability::parse(&epsilon.text()).unwrap();
        let count = |p: f64| Plan::new(&Claim::detect(p, &epsilon).unwrap()).map(|plan| plan.executions());
        match smallest_p(n, &epsilon) {
            Ok(p) => {
                prop_assert!(count(p.as_f64()).unwrap() <= n);
                prop_assert!(count(p.as_f64().next_down()).is_ok_and(|k| k > n) || n > 1 << 61);
            }
            Err(error) => {
                let needed = count(0.5).unwrap();
                prop_assert!(needed > n);
                let words = format!(" nothing: even p = 1/2 needs {needed}");
                prop_assert!(error.what().ends_with(&words), "{}", error);
            }
        }
    }

    #[test]
    fn an_outcome_and_its_complement_are_two_outcomes(p in any_p(), epsilon in any_epsilon()) {
        let p = Probability::parse(&p.text()).unwrap();
        let both = Outcomes::new([p.clone(), p.complement()]).unwrap();
        let cover = Plan::new(&Claim::cover(both, epsilon.text()).unwrap());
        let detect = Plan::new(&Claim::detect(&p, epsilon.text()).unwrap());
        prop_assert_eq!(
            cover.ok().map(|plan| plan.executions()),
            detect.ok().map(|plan| plan.executions())
        );
    }
}

/// The chance that some outcome is unseen after each number of executions, by
/// following the set of outcomes seen so far.
fn tails_by_states(weights: &[u32], total: u32, most: usize) -> Vec<f64> {
    let all = (1usize << weights.len()) - 1;
    let mut state = vec![0.0; all + 1];
    state[0] = 1.0;
    let spare = total - weights.iter().sum::<u32>();
    let mut tails = vec![1.0];
    for _ in 0..most {
        let mut next = vec![0.0; all + 1];
        for (seen, chance) in state.iter().enumerate() {
            next[seen] += chance * f64::from(spare) / f64::from(total);
            for (outcome, weight) in weights.iter().enumerate() {
                next[seen | 1 << outcome] += chance * f64::from(*weight) / f64::from(total);
            }
        }
        state = next;
        tails.push(state[..all].iter().sum());
    }
    tails
}

proptest! {
    #![proptest_config(fixed(150))]

    #[test]
    fn the_count_for_many_outcomes_agrees_with_following_the_states(
        weights in prop::collection::vec(1..=30u32, 2..=6),
        spare in prop_oneof![Just(0u32), 0..60u32],
        epsilon in prop_oneof![Just(0.05), Just(0.5), Just(0.9), Just(1e-3)],
    ) {
        let total = weights.iter().sum::<u32>() + spare;
        let outcomes = weights.iter().map(|weight| format!("{weight}/{total}"));
        let claim = Claim::cover(Outcomes::new(outcomes).unwrap(), epsilon).unwrap();
        let plan = Plan::new(&claim).unwrap();
        prop_assert_eq!(plan.certainty(), Certainty::Exact);
        let k = plan.executions() as usize;
        let tails = tails_by_states(&weights, total, k);
        prop_assert!(tails[k] < epsilon * (1.0 + 1e-12));
        prop_assert!(tails[k - 1] > epsilon * (1.0 - 1e-12));
        let miss = plan::miss(&claim, k as u64).value();
        prop_assert!((miss / tails[k] - 1.0).abs() < 1e-11, "{} {}", miss, tails[k]);
    }
}
