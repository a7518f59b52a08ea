//! The exact violation probability of a policy: by hand, and compared with a walk through all
//! paths, a matrix power, and samples.

use probtest::judge::interval::clopper_pearson;
use probtest::seed::{RunSeed, Stream};
use probtest_paper::reinforcement::{
    ACTIONS, Action, Agent, Demand, Dynamics, Ground, Property, State, cliff, lake,
};

const DEMANDS: [Demand; 3] = [Demand::NeverFalls, Demand::NeverFallsPastTheEnd, Demand::Ends];

fn lake(map: &str, ground: Ground) -> Dynamics {
    lake::Map::parse(map).unwrap().dynamics(ground)
}

fn violation(dynamics: &Dynamics, policy: Vec<Action>, demand: Demand, steps: u32) -> f64 {
    let agent = Agent::new(dynamics, policy);
    Property { demand, steps }.violation(&agent)
}

#[track_caller]
fn assert_close(given: f64, expected: f64) {
    let close = (given - expected).abs() <= 1e-12 * expected;
    assert!(close, "{given} instead of {expected}");
}

/// Some policies of an environment, the same each time.
fn policies(dynamics: &Dynamics, count: u64) -> Vec<Vec<Action>> {
    let stream = Stream::new(RunSeed(9), "policies");
    let policy = |index| -> Vec<Action> {
        let mut rng = stream.execution(index);
        let actions = (0..dynamics.states()).map(|_| rng.draw_u32() as usize % ACTIONS);
        actions.collect()
    };
    (1..=count).map(policy).collect()
}

#[test]
fn violation_probabilities_of_small_policies_are_those_by_hand() {
    // Against the wall: it never ends, and never falls.
    let dynamics = lake("SFG", Ground::Firm);
    let left = vec![lake::LEFT; 3];
    assert_eq!(violation(&dynamics, left.clone(), Demand::Ends, 1000), 1.0);
    assert_eq!(violation(&dynamics, left, Demand::NeverFalls, 1000), 0.0);

    // Two steps to the goal: one is too few, two are enough.
    let right = vec![lake::RIGHT; 3];
    assert_eq!(violation(&dynamics, right.clone(), Demand::Ends, 1), 1.0);
    assert_eq!(violation(&dynamics, right, Demand::Ends, 2), 0.0);

    // Between a hole and the goal, up against the wall: a third each way.
    let dynamics = lake("HSG", Ground::Slippery);
    let up = vec![lake::UP; 3];
    for steps in 0..=30 {
        let stays = (1.0_f64 / 3.0).powi(steps as i32);
        assert_close(violation(&dynamics, up.clone(), Demand::Ends, steps), stays);
        let falls = violation(&dynamics, up.clone(), Demand::NeverFalls, steps);
        assert_close(falls, (1.0 - stays) / 2.0);
    }

    // From the start of the cliff to the right: a third falls, a third stays, and
    // above, up is safe.
    let dynamics = cliff::dynamics(Ground::Slippery);
    let mut policy = vec![cliff::UP; dynamics.states()];
    policy[cliff::START] = cliff::RIGHT;
    for steps in 0..=30 {
        let stays = (1.0_f64 / 3.0).powi(steps as i32);
        let falls = violation(&dynamics, policy.clone(), Demand::NeverFalls, steps);
        assert_close(falls, (1.0 - stays) / 2.0);
    }

    // On firm ground the goal is the 13th step. A walk that continues from there to the left falls
    // with the 14th; upwards it only comes back.
    let dynamics = cliff::dynamics(Ground::Firm);
    let mut policy = vec![cliff::RIGHT; dynamics.states()];
    (policy[cliff::START], policy[cliff::GOAL - 12]) = (cliff::UP, cliff::DOWN);
    for (at_goal, after_14) in [(cliff::LEFT, 1.0), (cliff::UP, 0.0)] {
        policy[cliff::GOAL] = at_goal;
        let falls = |demand, steps| violation(&dynamics, policy.clone(), demand, steps);
        assert_eq!(falls(Demand::NeverFallsPastTheEnd, 13), 0.0);
        assert_eq!(falls(Demand::NeverFallsPastTheEnd, 14), after_14);
        assert_eq!(falls(Demand::NeverFalls, 100), 0.0);
    }

    // Two starts, one of them next to the hole.
    let dynamics = lake("SGSH", Ground::Firm);
    let right = vec![lake::RIGHT; 4];
    assert_eq!(violation(&dynamics, right, Demand::NeverFalls, 5), 0.5);
}

/// Follows every path of an episode, one after the other.
fn follow(agent: &Agent<'_>, property: Property, state: State, steps: u32) -> f64 {
    if steps == 0 {
        return f64::from(u8::from(property.demand == Demand::Ends));
    }
    let outcomes = agent.dynamics().outcomes(state, agent.action(state)).iter();
    outcomes
        .map(|outcome| {
            let violated = match property.demand {
                Demand::NeverFalls | Demand::NeverFallsPastTheEnd if outcome.fell => 1.0,
                Demand::NeverFalls | Demand::Ends if outcome.terminated => 0.0,
                _ => follow(agent, property, outcome.next, steps - 1),
            };
            outcome.probability * violated
        })
        .sum()
}

#[test]
fn exact_probabilities_are_those_of_a_walk_through_all_ways() {
    let mut seen = 0;
    for map in ["SFH FFG", "SFF HFF FFG", "FSF FFF HGH"] {
        let dynamics = lake(map, Ground::Slippery);
        for policy in policies(&dynamics, 20) {
            let agent = Agent::new(&dynamics, policy);
            for demand in DEMANDS {
                for steps in [1, 2, 5, 9] {
                    let property = Property { demand, steps };
                    let start = dynamics.starts()[0];
                    let expected = follow(&agent, property, start, steps);
                    assert_close(property.violation(&agent), expected);
                    seen += u32::from(expected > 0.0 && expected < 1.0);
                }
            }
        }
    }
    assert!(seen > 200, "only {seen} of 720 are neither 0 nor 1");
}

type Matrix = Vec<Vec<f64>>;

fn product(a: &Matrix, b: &Matrix) -> Matrix {
    let cell = |row: &Vec<f64>, column: usize| -> f64 {
        let pairs = row.iter().zip(b);
        pairs.map(|(x, line)| x * line[column]).sum()
    };
    let row = |row: &Vec<f64>| (0..b.len()).map(|column| cell(row, column)).collect();
    a.iter().map(row).collect()
}

fn power(matrix: &Matrix, exponent: u32) -> Matrix {
    if exponent == 1 {
        return matrix.clone();
    }
    let half = power(matrix, exponent / 2);
    let whole = product(&half, &half);
    if exponent % 2 == 1 { product(&whole, matrix) } else { whole }
}

/// Two additional absorbing states: fallen and ended.
#[test]
fn exact_probabilities_are_those_of_a_power_of_the_transition_matrix() {
    for dynamics in [
        lake(lake::SMALL, Ground::Slippery),
        lake(lake::LARGE, Ground::Slippery),
        cliff::dynamics(Ground::Slippery),
    ] {
        let states = dynamics.states();
        let (fallen, ended) = (states, states + 1);
        for policy in policies(&dynamics, 5) {
            let mut matrix = vec![vec![0.0; states + 2]; states + 2];
            (matrix[fallen][fallen], matrix[ended][ended]) = (1.0, 1.0);
            let mut endless = matrix.clone();
            for (state, &action) in policy.iter().enumerate() {
                for outcome in dynamics.outcomes(state, action) {
                    let next = match outcome {
                        outcome if outcome.fell => fallen,
                        outcome if outcome.terminated => ended,
                        outcome => outcome.next,
                    };
                    matrix[state][next] += outcome.probability;
                    let next = if outcome.fell { fallen } else { outcome.next };
                    endless[state][next] += outcome.probability;
                }
            }
            for steps in [30, 100, 200] {
                let row = &power(&matrix, steps)[dynamics.starts()[0]];
                let falls = violation(&dynamics, policy.clone(), Demand::NeverFalls, steps);
                assert!((falls - row[fallen]).abs() < 1e-12, "{falls}");
                // If nothing is an end, only a fall is absorbing.
                let walked = &power(&endless, steps)[dynamics.starts()[0]];
                let past = Demand::NeverFallsPastTheEnd;
                let falls = violation(&dynamics, policy.clone(), past, steps);
                assert!((falls - walked[fallen]).abs() < 1e-12, "{falls}");
                // On a lake a fall is an end as well.
                if states != 48 {
                    let open: f64 = row[..states].iter().sum();
                    let ends = violation(&dynamics, policy.clone(), Demand::Ends, steps);
                    assert!((ends - open).abs() < 1e-12, "{ends}");
                }
            }
        }
    }
}

/// If samples follow the exact probability, an interval misses it with probability at most 1e-11,
/// and one of the 63 with 6.3e-10. The last policy leads to the goal: the other policies are drawn,
/// and hardly ever do.
#[test]
fn samples_violate_as_often_as_the_exact_probability_says() {
    let samples = 20_000;
    let mut seen = 0;
    for (dynamics, steps) in [
        (lake(lake::SMALL, Ground::Slippery), 12),
        (lake("SFSF FHFF FFFG", Ground::Slippery), 7),
        (lake(lake::LARGE, Ground::Slippery), 40),
        (cliff::dynamics(Ground::Slippery), 30),
    ] {
        let mut policies = policies(&dynamics, 5);
        if dynamics.states() == 48 {
            policies.push(over_the_cliff());
        }
        for (number, policy) in policies.into_iter().enumerate() {
            let agent = Agent::new(&dynamics, policy);
            for demand in DEMANDS {
                let property = Property { demand, steps };
                let stream = Stream::new(RunSeed(6), &format!("{number}/{demand:?}"));
                let holds = |index: &u64| property.holds(&agent, &mut stream.execution(*index));
                let violated = samples - (1..=samples).filter(holds).count() as u64;
                let exact = property.violation(&agent);
                let (low, high) = clopper_pearson(violated, samples, 1.0 - 1e-11).unwrap();
                assert!(
                    (low..=high).contains(&exact),
                    "{demand:?}: {violated} of {samples}, exact {exact}"
                );
                seen += u32::from(exact > 0.01 && exact < 0.99);
            }
        }
    }
    assert!(seen >= 15, "only {seen} of 63 could tell anything");
}

/// Like trained agents: up to the highest row, along it, and down at its end.
fn over_the_cliff() -> Vec<Action> {
    let mut policy = vec![cliff::UP; 48];
    policy[..11].fill(cliff::RIGHT);
    for row in [11, 23, 35] {
        policy[row] = cliff::DOWN;
    }
    policy[cliff::START] = cliff::LEFT;
    policy
}

/// A fall past the goal is a fall of the walk, but not of the episode.
#[test]
fn a_walk_past_the_goal_falls_where_the_episode_does_not() {
    let dynamics = cliff::dynamics(Ground::Slippery);
    let falls = |demand, steps| violation(&dynamics, over_the_cliff(), demand, steps);
    // Below the next-to-last column is the cliff: at the end of the third row, down slips to the
    // left, and up from there is safe.
    assert_eq!(falls(Demand::NeverFalls, 30), 0.0);
    let past = falls(Demand::NeverFallsPastTheEnd, 30);
    assert!(past > 0.001 && past < 0.1, "{past}");
    // The goal is at least 13 steps away; the next one can be a fall.
    assert_eq!(falls(Demand::NeverFallsPastTheEnd, 13), 0.0);
    assert!(falls(Demand::NeverFallsPastTheEnd, 14) > 0.0);
}

#[test]
fn no_step_at_all_never_falls_and_never_ends() {
    let dynamics = lake("SG", Ground::Firm);
    let agent = Agent::new(&dynamics, vec![lake::RIGHT; 2]);
    let mut rng = Stream::new(RunSeed(1), "nothing").execution(1);
    for demand in DEMANDS {
        let holds = demand != Demand::Ends;
        let property = Property { demand, steps: 0 };
        assert_eq!(property.holds(&agent, &mut rng), holds);
        assert_eq!(property.violation(&agent), f64::from(u8::from(!holds)));
    }
}
