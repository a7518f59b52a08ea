//! The published numbers of the cliff, next to the mean of many agents.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use probtest::seed::RunSeed;
use probtest_paper::reinforcement::many::{AGENTS, Average, averages};
use probtest_paper::reinforcement::study::{self, Case};
use probtest_paper::reinforcement::{Demand, World};

/// A row as it might be. Its margin is 0.0005 + 3.2905 sqrt(2 * 0.0015^2 / 100 +
/// 0.006951 / 299500): 0.0013594.
fn row(violation: f64, found: f64) -> Average {
    let case = Case::of(World::Cliff, &[20_000])[1];
    assert_eq!(case.property.demand, Demand::NeverFallsPastTheEnd);
    Average {
        case,
        published: case.published().unwrap(),
        agents: 100,
        violation,
        deviation: 0.0015,
        found,
        never: 0,
    }
}

#[test]
fn a_row_agrees_within_rounding_and_the_chance_in_both_means() {
    let margin = row(0.007, 1.0).margin();
    assert!((margin - 0.001_359_4).abs() < 1e-6, "{margin}");
    assert!(row(0.0083, 1.0).agrees() && row(0.0057, 1.0).agrees());
    assert!(!row(0.0085, 1.0).agrees() && !row(0.0055, 1.0).agrees());
    assert!((row(0.007, 1.0).error() - 0.00015).abs() < 1e-15);
}

/// 100 of 100 has probability below 0.0005 from 0.9268 on down.
#[test]
fn a_row_agrees_only_if_the_mean_explains_that_every_test_found_it() {
    assert!(row(0.007, 0.93).agrees());
    assert!(row(0.007, 0.92).violation_fits() && !row(0.007, 0.92).agrees());
}

/// The seeds are fixed: these facts can't change by chance.
#[test]
fn published_numbers_fit_a_walk_past_the_goal_and_not_the_property_of_the_text() {
    let calls = AtomicU64::new(0);
    let count = || {
        calls.fetch_add(1, Ordering::Relaxed);
        ControlFlow::Continue(())
    };
    let one = averages(RunSeed(42), 2, &count).unwrap();
    assert_eq!(calls.load(Ordering::Relaxed), AGENTS);
    assert_eq!(one.len(), 6);
    for (place, row) in one.iter().enumerate() {
        assert_eq!(row.agents, 100);
        if place < 3 {
            assert_eq!((row.violation, row.found, row.never), (0.0, 0.0, 100));
            assert!(!row.violation_fits() && !row.found_fits(), "{row:?}");
            assert!(row.why().contains("after the goal was reached"));
        } else {
            assert!(row.agrees() && row.never == 0, "{row:?}");
            assert!((row.violation - 0.007).abs() < 0.0005, "{row:?}");
        }
    }

    let csv = study::means_csv(&one);
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(
        lines[0],
        "environment,property,episodes,steps,p,executions,agents,published,mean,standard_error,margin,published_found,found_mean,never_violate,verdict"
    );
    assert!(lines[1].starts_with(
        "cliffwalk,Q,15000,30,0.001,2995,100,0.007,0.0,0.0,0.0005,1.0,0.0,100,differs"
    ));
    assert!(lines[4].starts_with("cliffwalk,Q past the goal,15000,30,0.001,2995,100,0.007,0.007"));
    assert!(lines.iter().all(|line| line.split(',').count() == 15));
    let text = study::means_text(&one);
    assert!(text.starts_with("3 of 6 rows agree with the paper in the mean of 100 agents\n"));
    assert_eq!(text.lines().filter(|line| line.ends_with("  agrees")).count(), 3);
    let json = study::means_json(&one);
    assert_eq!((&json[0]["verdict"], &json[3]["verdict"]), (&"differs".into(), &"agrees".into()));
}

#[test]
fn training_many_agents_can_be_ended() {
    assert_eq!(averages(RunSeed(42), 2, &|| ControlFlow::Break(())), None);
}
