//! Training, and the table of the study.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use probtest::seed::RunSeed;
use probtest_paper::reinforcement::study::{self, AgentRow, Case, Effort, FALSE_ALARM, run};
use probtest_paper::reinforcement::{
    Agent, Demand, Ground, Learner, Learning, PublishedShares, Shaping, Slips, World, lake,
};

const EFFORT: Effort = Effort { seed: RunSeed(317), samples: 2500, repeats: 20, jobs: 2 };

fn rows(cases: &[Case], effort: &Effort) -> Vec<AgentRow> {
    let go_on = || ControlFlow::Continue(());
    run(cases, effort, &go_on).expect("nobody ends it")
}

fn policy(learner: &mut Learner<'_>, episodes: u64) -> Vec<usize> {
    while learner.episodes() < episodes {
        learner.episode();
    }
    learner.policy()
}

/// Changes with the generator, the order of draws, the parameters or the shaping.
#[test]
fn the_policies_of_the_papers_seeds_are_pinned() {
    for (world, episodes, expected) in [
        (World::SmallLake, 100, "3120310200223110"),
        (World::LargeLake, 10_000, "3202000333222100021023012121000212111120203212210"),
        (World::Cliff, 1000, "021110111113110011310013000000000002300000000000"),
    ] {
        let dynamics = world.dynamics();
        let mut learner = world.learner(&dynamics, world.paper_seed());
        let policy = policy(&mut learner, episodes);
        let policy: String = policy.iter().map(|action| action.to_string()).collect();
        assert_eq!(policy, expected, "{}", world.name());
    }
}

#[test]
fn training_depends_on_seed_and_name_alone_and_goes_on_where_it_was() {
    let dynamics = World::SmallLake.dynamics();
    let learner = |seed, name| Learner::new(&dynamics, Learning::SMALL_LAKE, RunSeed(seed), name);
    let at_once = policy(&mut learner(5, "a"), 60);
    let mut slowly = learner(5, "a");
    policy(&mut slowly, 20);
    let before = slowly.clone();
    assert_eq!(policy(&mut slowly, 60), at_once);
    assert_eq!(before.episodes(), 20);
    assert_ne!(policy(&mut learner(6, "a"), 60), at_once);
    assert_ne!(policy(&mut learner(5, "b"), 60), at_once);
}

#[test]
fn the_same_slips_in_each_episode_and_fresh_ones_teach_different_things() {
    let dynamics = World::LargeLake.dynamics();
    let learn = |slips| {
        let learning = Learning { slips, ..Learning::LARGE_LAKE };
        policy(&mut Learner::new(&dynamics, learning, RunSeed(1), "slips"), 500)
    };
    assert_ne!(learn(Slips::SameInEachEpisode), learn(Slips::Fresh));
}

/// Without exploration, only the slips are random, and the policy is the one that Gymnasium, seeded
/// with 42 in every episode, teaches in Python: the same world, slips, rule and ties.
#[test]
fn an_agent_that_never_explores_learns_beside_the_cliff_what_it_learns_in_gymnasium() {
    let dynamics = World::Cliff.dynamics();
    let learn = |slips, seed| {
        let greedy = Learning { exploration: 0.0, slips, ..Learning::CLIFF };
        let mut learner = Learner::new(&dynamics, greedy, RunSeed(seed), "greedy");
        let policy = policy(&mut learner, 1000);
        policy.iter().map(usize::to_string).collect::<String>()
    };
    let gymnasium = "021221112111200021111112300000000001300000000000";
    for seed in [1, 2] {
        assert_eq!(learn(Slips::Gymnasium42, seed), gymnasium);
        assert_ne!(learn(Slips::SameInEachEpisode, seed), gymnasium);
    }
}

/// 200 seeds. The median of an agent's exact probability of falling falls from above 0.4 after 10
/// episodes to below 0.3 after 100. Seeds are fixed, so this can't fail by chance.
#[test]
fn longer_training_makes_agents_better_on_the_whole() {
    let world = World::SmallLake;
    let dynamics = world.dynamics();
    let property = Case::of(world, &[0])[0].property;
    let median = |episodes| {
        let violation = |seed| {
            let mut learner = world.learner(&dynamics, RunSeed(seed));
            let policy = policy(&mut learner, episodes);
            property.violation(&Agent::new(&dynamics, policy))
        };
        let mut violations: Vec<f64> = (1..=200).map(violation).collect();
        violations.sort_by(f64::total_cmp);
        violations[100]
    };
    let (early, late) = (median(10), median(100));
    assert!(early > 0.4 && late < 0.3, "{early}, then {late}");
}

/// The large lake has two numbers of steps, and the cliff also has the walk past the goal.
fn is_second(case: &Case) -> bool {
    let property = case.property;
    property.steps == 200 || property.demand == Demand::NeverFallsPastTheEnd
}

#[test]
fn the_paper_has_31_rows_and_those_whose_text_and_numbers_differ_stand_there_twice() {
    let of = |world: World| Case::of(world, &world.paper_episodes());
    let (small, large, cliff) = (of(World::SmallLake), of(World::LargeLake), of(World::Cliff));
    assert_eq!((small.len(), large.len(), cliff.len()), (20, 16, 6));
    let all: Vec<Case> = [small, large, cliff].concat();
    assert!(all.iter().all(|case| case.published().is_some()));
    let twice = all.iter().filter(|case| is_second(case));
    assert_eq!(all.len() - twice.count(), 31);

    let published = |world, name: &str, episodes| {
        let cases = Case::of(world, &[episodes]);
        let case = cases.iter().find(|case| case.name() == name).unwrap();
        case.published().map(|PublishedShares { violation, found }| (violation, found))
    };
    let (small, large) = (World::SmallLake, World::LargeLake);
    assert_eq!(published(small, "Q1", 10), Some((0.530, 1.0)));
    assert_eq!(published(small, "Q2", 60), Some((0.002, 0.99)));
    assert_eq!(published(large, "Q1", 15_000), Some((0.012, 0.99)));
    assert_eq!(published(large, "Q2", 25_000), Some((0.060, 1.0)));
    for name in ["Q", "Q past the goal"] {
        assert_eq!(published(World::Cliff, name, 20_000), Some((0.007, 1.0)));
    }
    assert_eq!(published(small, "Q1", 11), None);
    assert_eq!(published(World::Cliff, "Q", 1), None);
}

/// Includes rows of neither 0 nor 1, for all three worlds. A false alarm has the
/// probability that the study itself allows, 1e-9 for the table.
#[test]
fn estimates_and_tests_fit_the_exact_values_in_every_row() {
    let cases = [
        Case::of(World::SmallLake, &[10, 50, 80, 100]),
        Case::of(World::LargeLake, &[500, 1500]),
        Case::of(World::Cliff, &[20, 100, 500]),
    ];
    let rows = rows(&cases.concat(), &EFFORT);
    assert_eq!(rows.len(), 8 + 8 + 6);
    assert_eq!(FALSE_ALARM, 1e-9);
    for row in &rows {
        assert!(row.fits && row.promise_is_kept(), "{row:?}");
        assert_eq!(row.verdict(), "another policy");
        let missed = (1.0 - row.exact).powf(row.case.executions() as f64);
        assert!((row.found_exact - (1.0 - missed)).abs() < 1e-9, "{row:?}");
    }
    let tell = |row: &&AgentRow| row.exact > 0.01 && row.exact < 0.99;
    assert!(rows.iter().filter(tell).count() >= 8, "{rows:?}");
    let doubtful = |row: &&AgentRow| row.found_exact > 0.01 && row.found_exact < 0.99;
    assert!(rows.iter().any(|row| doubtful(&row)), "{rows:?}");
}

/// On firm ground and against the wall: no episode ever ends.
#[test]
fn every_sample_is_counted_once() {
    let map = lake::Map::parse(lake::SMALL).unwrap();
    let dynamics = map.dynamics(Ground::Firm);
    let agent = Agent::new(&dynamics, vec![lake::LEFT; 16]);
    let [never_falls, ends] = Case::of(World::SmallLake, &[0])[..] else {
        panic!("the small lake has two properties");
    };
    for samples in [1, 999, 1000, 1001, 2500] {
        let effort = Effort { samples, ..EFFORT };
        let count = |case: Case| case.sample(&agent, &effort, &|| ControlFlow::Continue(()));
        assert_eq!(count(ends), Some(samples));
        assert_eq!(count(never_falls), Some(0));
    }
}

#[test]
fn rows_do_not_depend_on_the_number_of_threads_or_on_other_rows() {
    let cases = Case::of(World::SmallLake, &[10, 50, 80]);
    let expected = rows(&cases, &EFFORT);
    for jobs in [1, 3] {
        let effort = Effort { jobs, ..EFFORT };
        assert_eq!(rows(&cases, &effort), expected);
    }
    let alone = rows(&cases[4..5], &EFFORT);
    assert_eq!(alone[0], expected[4]);
    let other = Effort { seed: RunSeed(1), ..EFFORT };
    assert_ne!(rows(&cases, &other), expected);
}

#[test]
fn the_number_of_pieces_is_that_of_the_calls_and_any_of_them_can_end_the_study() {
    let mut cases = Case::of(World::SmallLake, &[10]);
    cases.extend(Case::of(World::LargeLake, &[2500, 300]));
    let calls = AtomicU64::new(0);
    let count = || {
        calls.fetch_add(1, Ordering::Relaxed);
        ControlFlow::Continue(())
    };
    assert!(run(&cases, &EFFORT, &count).is_some());
    // 2 thousands of training; 10 rows of 3 pieces of samples and 20 tests.
    assert_eq!(calls.load(Ordering::Relaxed), 2 + 10 * 23);
    assert_eq!(EFFORT.pieces(&cases), 232);

    for last in [0, 1, 2, 5, 20] {
        let left = AtomicU64::new(last);
        let end = || match left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_sub(1))
        {
            Ok(_) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        };
        assert_eq!(run(&cases, &EFFORT, &end), None, "after {last}");
    }
}

fn row() -> AgentRow {
    AgentRow {
        case: Case::of(World::SmallLake, &[20])[1],
        exact: 0.25,
        samples: 1000,
        violated: 240,
        interval: (0.2138, 0.2677),
        found_exact: 1.0,
        repeats: 100,
        found: 99,
        fits: true,
    }
}

#[test]
fn the_file_has_the_columns_of_the_study() {
    let mut untold = row();
    untold.case = Case::of(World::SmallLake, &[21])[1];
    (untold.exact, untold.found_exact) = (1.0 / 3.0 * 1e-20, 1.0 / 3.0);
    let csv = study::csv(&[row(), untold]);
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines[0], crate::command::COLUMNS);
    assert_eq!(
        lines[1],
        "4x4,Q2,20,100,0.001,0.05,2995,0.095,0.25,0.24,0.2138,0.2677,1000,1.0,1.0,0.99,100,another policy"
    );
    assert_eq!(
        lines[2],
        "4x4,Q2,21,100,0.001,0.05,2995,,3.33333333333e-21,0.24,0.2138,0.2677,1000,,0.333333333333,0.99,100,another policy"
    );
    assert_eq!(lines.len(), 3);
}

#[test]
fn a_row_that_differs_from_its_exact_values_says_so() {
    let mut other = row();
    other.fits = false;
    assert_eq!(other.verdict(), "differs from exact");
    let text = study::text(&[row(), other.clone()], RunSeed(7));
    assert!(text.contains("fits the exact values in 1 of 2 rows"), "{text}");
    assert!(text.contains("seed 0x7"), "{text}");
    assert!(text.lines().last().unwrap().ends_with("differs from exact"));
    let json = study::json("frozen-lake", &[other], RunSeed(7));
    assert_eq!(json["measured_fits"], false);
    assert_eq!(json["rows"][0]["found"], 99);

    let mut missed = row();
    missed.found_exact = 0.94;
    assert!(missed.must_be_found() && !missed.promise_is_kept());
    missed.exact = 0.000999;
    assert!(!missed.must_be_found() && missed.promise_is_kept());
}

#[test]
fn every_property_asks_what_the_paper_asks() {
    let asked = |world| -> Vec<(&str, Demand, u32, &str)> {
        let of = |case: &Case| {
            let property = case.property;
            (case.name(), property.demand, property.steps, case.p())
        };
        Case::of(world, &[1]).iter().map(of).collect()
    };
    let (falls, ends) = (Demand::NeverFalls, Demand::Ends);
    assert_eq!(asked(World::SmallLake), [("Q1", falls, 100, "0.01"), ("Q2", ends, 100, "0.001")]);
    assert_eq!(
        asked(World::LargeLake)[2..],
        [("Q1", falls, 200, "0.01"), ("Q2", ends, 200, "0.001")]
    );
    let past = Demand::NeverFallsPastTheEnd;
    assert_eq!(
        asked(World::Cliff),
        [("Q", falls, 30, "0.001"), ("Q past the goal", past, 30, "0.001")]
    );
}

const GREEDY: Learning = Learning {
    rate: 0.5,
    discount: 0.9,
    exploration: 0.0,
    shaping: None,
    limit: 2,
    slips: Slips::Fresh,
};
const SHAPED: Learning =
    Learning { shaping: Some(Shaping { step: -1.0, failure: -3.0 }), ..GREEDY };

/// Two actions lead nowhere, one to the goal: every value is computed by hand.
#[test]
fn values_after_an_episode_are_those_of_the_rule() {
    let dynamics = lake::Map::parse("SFG").unwrap().dynamics(Ground::Firm);
    let mut greedy = Learner::new(&dynamics, GREEDY, RunSeed(1), "hand");
    // Rewards of 0 and ties to the lowest action: left forever, 2 steps.
    assert_eq!(greedy.episode(), 2);
    assert_eq!(greedy.values(0), [0.0; 4]);

    let mut learner = Learner::new(&dynamics, SHAPED, RunSeed(1), "hand");
    // Left: 0.5 (-1 + 0.9 * 0). Then down, truncated: 0.5 (-3 + 0.9 * 0).
    learner.episode();
    assert_eq!(learner.values(0), [-0.5, -1.5, 0.0, 0.0]);
    // Right, the lowest of two that tie: 0.5 (-1 + 0.9 * 0). In state 1 left leads back,
    // truncated, and the future of state 0 is kept: its best value is 0 (up).
    learner.episode();
    assert_eq!(learner.values(0), [-0.5, -1.5, -0.5, 0.0]);
    assert_eq!(learner.values(1), [-1.5, 0.0, 0.0, 0.0]);
    // Up: -0.5. Then left: -0.5 + 0.5 (-3 + 0.9 * -0.5 + 0.5) = -1.975. The future of -0.5 counts
    // even though the time is up.
    learner.episode();
    assert_eq!(learner.values(0), [-1.975, -1.5, -0.5, -0.5]);
}

/// Even if a reward of 0 is shaped: the goal's isn't.
#[test]
fn nothing_follows_after_an_end() {
    let dynamics = lake::Map::parse("SG").unwrap().dynamics(Ground::Firm);
    for learning in [GREEDY, SHAPED] {
        let exploring = Learning { exploration: 1.0, limit: 100, ..learning };
        let mut learner = Learner::new(&dynamics, exploring, RunSeed(1), "end");
        for _ in 0..100 {
            learner.episode();
        }
        // The goal's own value stays 0, and that of going there approaches its reward.
        assert_eq!(learner.values(1), [0.0; 4]);
        assert!((learner.values(0)[lake::RIGHT] - 1.0).abs() < 1e-12);
    }
}

#[test]
fn agents_on_the_large_lake_pay_1_for_a_step_and_60_for_a_failure_and_beside_the_cliff_nothing() {
    let paid = Shaping { step: -1.0, failure: -60.0 };
    assert_eq!(Learning::LARGE_LAKE.shaping, Some(paid));
    assert_eq!(Learning::CLIFF.shaping, None);
}

#[test]
fn every_row_of_the_appendix_is_a_case_with_its_p() {
    let file = include_str!("../../../../python/examples/policies/published.csv");
    let cases: Vec<String> = World::ALL
        .into_iter()
        .flat_map(|world| Case::of(world, &world.paper_episodes()))
        .map(|case| {
            let (world, p, name) = (case.world.name(), case.p(), case.name());
            let PublishedShares { violation, found } = case.published().unwrap();
            let episodes = case.episodes;
            format!("{world},{p},{name},{episodes},{violation:.3},{found:.3}")
        })
        .collect();
    assert_eq!(file.lines().skip(1).count(), 31);
    for line in file.lines().skip(1) {
        assert!(cases.iter().any(|case| case == line), "{line}");
    }
}

/// A row for a policy with violation probability q in a table of `rows` rows.
fn counted(q: f64, of: (u64, u64), counts: (u64, u64), rows: usize) -> AgentRow {
    let effort = Effort { samples: of.0, repeats: of.1, ..EFFORT };
    AgentRow::new(Case::of(World::SmallLake, &[50])[1], q, &effort, counts, rows)
}

/// q = 0.001 is found with probability 1 - 0.999^2995 = 0.95004.
#[test]
fn a_row_fits_when_both_counts_do() {
    let row = |violated, found| counted(0.001, (100_000, 1000), (violated, found), 36);
    assert_eq!(format!("{:.5}", row(100, 950).found_exact), "0.95004");
    assert!(row(100, 950).fits);
    // Within six standard deviations, 10 and 6.9, and at seven or beyond.
    assert!(row(150, 910).fits);
    assert!(!row(200, 950).fits && !row(30, 950).fits);
    assert!(!row(100, 880).fits && !row(100, 1000).fits);
}

#[test]
fn what_cannot_happen_fits_when_it_was_never_counted() {
    let never = |violated, found| counted(0.0, (100, 100), (violated, found), 36).fits;
    assert!(never(0, 0) && !never(1, 0) && !never(0, 1));
    let always = |violated, found| counted(1.0, (100, 100), (violated, found), 36).fits;
    assert!(always(100, 100) && !always(99, 100) && !always(100, 99));
}

/// 0 of 100 has probability (1 - q)^100: below 1e-9 / 4 from q = 0.198 on for one row, and below
/// 1e-9 / 400 from q = 0.235 on for a hundred. All tests find such a q.
#[test]
fn rows_share_the_probability_of_a_false_alarm() {
    let fits = |q, rows| counted(q, (100, 100), (0, 100), rows).fits;
    assert!(fits(0.19, 1) && !fits(0.21, 1));
    assert!(fits(0.21, 100) && !fits(0.24, 100));
}
