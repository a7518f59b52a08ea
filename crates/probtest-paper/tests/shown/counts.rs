//! The paper's counts, its first two figures, and its sentences.

use probtest_paper::counts::{PublishedCount, cells, cells_csv, contour, grid, grid_csv, remarks};
use probtest_paper::table;

#[test]
fn every_published_count_is_the_least_that_is_enough() {
    let all = PublishedCount::all();
    assert_eq!(all.len(), 8);
    for row in all {
        assert_eq!(row.computed(), row.executions, "{}", row.place);
        assert!(row.finding().agrees, "{}", row.place);
    }
}

#[test]
fn the_file_of_published_counts_is_read_whole() {
    let first = PublishedCount::all()[0];
    assert_eq!(
        (first.p, first.epsilon, first.executions, first.place),
        ("0.01", "0.02", 390, "random walk, requirement")
    );
    let fraction = PublishedCount::all()[1];
    assert_eq!((fraction.p, fraction.executions), ("1/1024", 4004));
}

#[test]
fn counts_of_figure_one_fall_with_p_and_with_epsilon() {
    let steps = 21;
    let grid = grid(steps);
    assert_eq!(grid.len(), steps * steps);
    for (place, point) in grid.iter().enumerate() {
        if place % steps > 0 {
            assert!(point.executions <= grid[place - 1].executions, "{point:?}");
        }
        if place >= steps {
            assert!(point.executions < grid[place - steps].executions, "{point:?}");
        }
    }
    let csv = grid_csv(&grid);
    assert_eq!(csv.lines().nth(1), Some("0.001,0.001,6905"));
    assert_eq!(csv.lines().last(), Some("0.1,0.1,22"));
}

/// On the line of k executions, k are enough on one side and not on the other.
#[test]
fn lines_of_equal_counts_lie_where_the_count_changes() {
    for (p, k) in [(0.003, 1000), (0.01, 500), (0.04, 100)] {
        let epsilon = contour(p, k).unwrap();
        let needed = |epsilon: f64| {
            let claim = probtest::Claim::detect(p, epsilon).unwrap();
            probtest::plan::Plan::new(&claim).unwrap().executions()
        };
        assert_eq!(needed(epsilon * 1.000_001), k);
        assert_eq!(needed(epsilon * 0.999_999), k + 1);
    }
    assert_eq!(contour(0.1, 5000), None);
}

#[test]
fn cells_of_figure_two_are_empty_exactly_where_the_overestimate_passes_one_half() {
    for cell in cells() {
        let p: f64 = cell.p.parse().unwrap();
        let passes = p * (1.0 + cell.factor) > 0.5;
        assert_eq!(cell.effect.is_none(), passes, "{cell:?}");
    }
    let csv = cells_csv(&cells());
    assert_eq!(csv.lines().count(), 1 + 160);
    assert!(csv.contains("\n0.001,0.001,1.673333,6905,2581,4324,0.07"));
    assert!(csv.contains("\n0.01,0.2,5.000000,,,,\n"));
}

#[test]
fn sentences_of_the_paper_that_do_not_hold_are_named_with_what_does() {
    let findings = remarks(&cells());
    let verdicts: Vec<bool> = findings.iter().map(|finding| finding.agrees).collect();
    assert_eq!(verdicts, [false, true, true, true, true, false, false]);
    assert_eq!(findings[0].ours, "65");
    assert_eq!(findings[1].ours, "6905");
    let csv = table::findings_csv(&findings);
    assert!(csv.starts_with("subject,published,ours,verdict,why\n"));
    assert_eq!(csv.lines().count(), 8);
}
