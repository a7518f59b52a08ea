//! The paper's own policies, and the curves of figure 3.

use std::ops::ControlFlow;

use probtest_paper::reinforcement::World;
use probtest_paper::reinforcement::many;
use probtest_paper::reinforcement::paper;

/// Exact values from Gymnasium's own tables for the same policies.
#[test]
fn violation_probabilities_of_the_papers_policies_are_those_of_gymnasium() {
    let exact = |world: &str, property: &str, episodes| {
        let rows = paper::rows();
        let row = rows.iter().find(|row| {
            let case = row.case;
            let same = (case.world.name(), case.name()) == (world, property);
            same && case.episodes == episodes && case.property.steps == 100
        });
        row.unwrap().exact
    };
    for (world, property, episodes, expected) in [
        ("4x4", "Q1", 10, 0.5283725760225444),
        ("4x4", "Q1", 40, 0.0),
        ("4x4", "Q2", 30, 0.7167339297012819),
        ("4x4", "Q2", 100, 0.001706956150822535),
        ("7x7", "Q1", 15_000, 0.01195175013998031),
        ("7x7", "Q2", 25_000, 0.06020286097334288),
    ] {
        let exact = exact(world, property, episodes);
        assert!((exact - expected).abs() < 1e-12, "{world} {property} {episodes}: {exact}");
    }
}

#[test]
fn published_numbers_fit_100_steps_and_those_of_q2_do_not_fit_200() {
    for row in paper::rows() {
        let steps = row.case.property.steps;
        // An agent that never falls doesn't fall in 200 steps either.
        let expected = steps == 100 || row.exact == 0.0 && row.published.violation == 0.0;
        if row.case.name() == "Q2" || steps == 100 {
            assert_eq!(row.agrees(), expected, "{row:?}");
        }
    }
    assert_eq!(paper::csv(&paper::rows()).lines().count(), 37);
}

#[test]
fn a_curve_is_the_same_for_any_number_of_threads_and_none_when_it_is_ended() {
    let lake = World::SmallLake;
    let go_on = || ControlFlow::Continue(());
    let curve = |jobs| many::curve(lake, &[10, 50], lake.paper_seed(), 9, jobs, &go_on);
    let one = curve(1).unwrap();
    assert_eq!(Some(&one), curve(3).as_ref());
    assert_eq!((one.points.len(), one.one.len()), (2, 2));
    let csv = many::curves_csv(&[one]);
    assert_eq!(csv.lines().count(), 5);
    let end = || ControlFlow::Break(());
    assert_eq!(many::curve(lake, &[10], lake.paper_seed(), 9, 2, &end), None);
}
