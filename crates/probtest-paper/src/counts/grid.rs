//! Figure 1: the number of executions for p and epsilon from 0.001 to 0.1.

use probtest::Probability;

use super::executions;

/// The ends of both axes.
pub const RANGE: (f64, f64) = (0.001, 0.1);

/// A point of the plane, and the executions that it needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    pub p: f64,
    pub epsilon: f64,
    pub executions: u64,
}

/// Places `steps` values evenly on a logarithmic axis, ends included, rounded to
/// four digits.
pub fn axis(steps: usize) -> Vec<f64> {
    let (low, high) = (RANGE.0.ln(), RANGE.1.ln());
    let last = steps.saturating_sub(1).max(1) as f64;
    let value = |step: usize| (low + (high - low) * step as f64 / last).exp();
    // Rounded, so that the plan is for the number that the table shows.
    let rounded = |value: f64| format!("{value:.3e}").parse().unwrap_or(value);
    (0..steps).map(value).map(rounded).collect()
}

/// Computes the executions on a grid of `steps` by `steps` points, p first.
pub fn grid(steps: usize) -> Vec<Point> {
    let axis = axis(steps);
    let row = |&p: &f64| {
        let point = move |&epsilon: &f64| Point {
            p,
            epsilon,
            executions: executions(p, epsilon),
        };
        axis.iter().map(point).collect::<Vec<_>>()
    };
    axis.iter().flat_map(row).collect()
}

/// The epsilon that so many executions attain: the line of equal counts through
/// p. Nothing outside the range of the axes.
pub fn contour(p: f64, executions: u64) -> Option<f64> {
    let p = Probability::from_f64(p).ok()?;
    let attained = probtest::plan::epsilon_attained(&p, executions).ok()?;
    let attained = attained.value();
    (RANGE.0..=RANGE.1).contains(&attained).then_some(attained)
}

/// Writes the grid as comma-separated values.
pub fn csv(grid: &[Point]) -> String {
    let line = |point: &Point| format!("{},{},{}\n", point.p, point.epsilon, point.executions);
    let lines: String = grid.iter().map(line).collect();
    format!("p,epsilon,executions\n{lines}")
}
