//! Maps of lakes, and the environments made from them.

use probtest::seed::{RunSeed, Stream};
use probtest_paper::reinforcement::{ACTIONS, Dynamics, Ground, Walk, cliff, lake};

fn lake(map: &str, ground: Ground) -> Dynamics {
    lake::Map::parse(map).unwrap().dynamics(ground)
}

#[test]
fn a_map_that_is_wrong_is_refused_with_what_is_wrong() {
    for (map, words) in [
        ("", "a lake has a start S and a goal G"),
        (" \n ", "a lake has a start S and a goal G"),
        ("SFF FXG", "'X' in FXG is none of S, F, H and G"),
        ("sfg", "'s' in sfg is none"),
        ("SF✗G", "'✗' in SF✗G is none"),
        ("SFF FG", "FG is not as long as the first row, SFF"),
        ("FF FG", "a lake has a start S and a goal G: \"FF FG\""),
        ("SF FH", "a lake has a start S and a goal G"),
    ] {
        let error = lake::Map::parse(map).unwrap_err();
        assert!(error.contains(words), "{map:?} is refused with {error}");
    }
}

#[test]
fn a_map_may_have_line_breaks_and_any_shape() {
    let dynamics = lake("\n  SFF\n  HFG\n", Ground::Firm);
    assert_eq!(dynamics.states(), 6);
    let below = |state: usize| dynamics.outcomes(state, lake::DOWN)[0];
    assert!(below(0).fell && below(0).next == 3);
    assert!(below(2).reward == 1.0 && below(2).next == 5);
}

#[test]
fn the_outcomes_of_every_action_have_probability_one() {
    for ground in [Ground::Slippery, Ground::Firm] {
        let small = lake(lake::SMALL, ground);
        let large = lake(lake::LARGE, ground);
        for dynamics in [small, large, cliff::dynamics(ground)] {
            for state in 0..dynamics.states() {
                for action in 0..ACTIONS {
                    let outcomes = dynamics.outcomes(state, action);
                    let sum: f64 = outcomes.iter().map(|o| o.probability).sum();
                    assert!((sum - 1.0).abs() < 1e-15, "{state} {action}: {sum}");
                }
            }
        }
    }
}

/// Each share of 30 000 draws is within 0.0283 of its probability, except with probability 2 exp(-2
/// n d^2) = 3e-21 (Hoeffding); there are 216 of them, so a false alarm has probability below 1e-18.
#[test]
fn each_outcome_is_drawn_as_often_as_its_probability_says() {
    let draws = 30_000;
    for dynamics in [lake("SFF HFG", Ground::Slippery), cliff::dynamics(Ground::Slippery)] {
        let mut rng = Stream::new(RunSeed(3), "draws").execution(1);
        // Only the first start, and what follows from there.
        let start = dynamics.starts()[0];
        for action in 0..ACTIONS {
            let mut counted = vec![0_u32; dynamics.states()];
            let mut walk = Walk::new(&dynamics, 100);
            for _ in 0..draws {
                walk.reset(&mut rng);
                counted[walk.step(action, &mut rng).0.next] += 1;
            }
            for (state, counted) in counted.into_iter().enumerate() {
                let leading = dynamics.outcomes(start, action).iter();
                let leading = leading.filter(|outcome| outcome.next == state);
                let expected: f64 = leading.map(|outcome| outcome.probability).sum();
                let share = f64::from(counted) / f64::from(draws);
                assert!(
                    (share - expected).abs() < 0.0283,
                    "{action} to {state}: {share}, not {expected}"
                );
            }
        }
    }
}

/// Two starts: each within 0.03 of one half in 30 000 draws, 2 exp(-54) = 7e-24.
#[test]
fn every_start_is_equally_likely() {
    let dynamics = lake("SGS", Ground::Firm);
    assert_eq!(dynamics.starts(), [0, 2]);
    let mut rng = Stream::new(RunSeed(4), "starts").execution(1);
    let mut walk = Walk::new(&dynamics, 100);
    let first = (0..30_000).filter(|_| walk.reset(&mut rng) == 0).count();
    assert!((14_100..=15_900).contains(&first), "{first} of 30000");
}

#[test]
fn the_time_limit_truncates_and_begins_anew_with_each_episode() {
    let dynamics = lake("SFFG", Ground::Firm);
    let mut rng = Stream::new(RunSeed(1), "limit").execution(1);
    let mut walk = Walk::new(&dynamics, 3);
    for _ in 0..2 {
        walk.reset(&mut rng);
        for number in 1..=3 {
            let (outcome, truncated) = walk.step(lake::LEFT, &mut rng);
            assert_eq!(truncated, number == 3);
            assert!(!outcome.terminated);
        }
    }
    // The last allowed step may reach the goal: then both are true.
    walk.reset(&mut rng);
    let steps = [(); 3].map(|()| walk.step(lake::RIGHT, &mut rng));
    let (last, truncated) = steps[2];
    assert!(last.terminated && truncated && last.reward == 1.0);
    assert!(!steps[1].0.terminated && !steps[1].1);
}

#[test]
fn a_fall_off_the_cliff_leads_to_the_start_and_a_hole_ends_the_episode() {
    let mut rng = Stream::new(RunSeed(1), "falls").execution(1);
    let dynamics = cliff::dynamics(Ground::Firm);
    let mut walk = Walk::new(&dynamics, 100);
    walk.reset(&mut rng);
    let (outcome, _) = walk.step(cliff::RIGHT, &mut rng);
    assert!(outcome.fell && !outcome.terminated);
    assert_eq!((outcome.next, outcome.reward), (cliff::START, -100.0));

    let dynamics = lake("SHG", Ground::Firm);
    let mut walk = Walk::new(&dynamics, 100);
    walk.reset(&mut rng);
    let (outcome, _) = walk.step(lake::RIGHT, &mut rng);
    assert!(outcome.fell && outcome.terminated);
    assert_eq!((outcome.next, outcome.reward), (1, 0.0));
}
