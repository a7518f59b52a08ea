//! Figure 1: how many executions for p and epsilon from 0.001 to 0.1.

use super::grouped;
use crate::counts::{GridPoint, RANGE, contour};
use crate::draw::{
    Anchor, Area, Axis, Canvas, Paint, Scale, Stroke, Text, panel, ramp, readable_on,
};

const AREA: Area = Area { left: 90.0, top: 50.0, right: 690.0, bottom: 590.0 };
const LEVELS: [u64; 7] = [50, 100, 250, 500, 1000, 2500, 5000];
const BLACK: Paint = Paint::Fixed([0, 0, 0]);
const WHITE: Paint = Paint::Fixed([255, 255, 255]);

/// Claims named in the paper: p, epsilon, the text next to it, and on which side.
const NAMED: [(f64, f64, &str, Anchor); 5] = [
    (0.001, 0.05, "2995, frozen lake Q2", Anchor::Start),
    (0.0039, 0.05, "767, skip list", Anchor::Start),
    (0.01, 0.05, "299, frozen lake Q1", Anchor::Start),
    (0.01, 0.02, "390, random walk", Anchor::Start),
    (0.056, 0.024, "65 (the paper: 60)", Anchor::End),
];

/// Draws the executions of a grid as a heat map, with lines of equal counts.
pub fn executions(grid: &[GridPoint]) -> Canvas {
    let mut canvas = Canvas::new(
        "figure1_executions",
        (830.0, 660.0),
        "Figure 1: executions for p and epsilon from 0.001 to 0.1",
        "A heat map with logarithmic axes. The number of executions grows from 22 at p and epsilon \
         0.1 to 6905 at p and epsilon 0.001. Lines of equal counts run from 50 to 5000. It depends \
         mostly on p: a tenth of p needs ten times the executions, a tenth of epsilon at most twice.",
    );
    let x = Scale::logarithmic(RANGE, (AREA.left, AREA.right));
    let y = Scale::logarithmic(RANGE, (AREA.bottom, AREA.top));
    cells(&mut canvas, grid, &x, &y);
    for level in LEVELS {
        line(&mut canvas, level, &x, &y);
    }
    for (p, epsilon, text, anchor) in NAMED {
        let at = (x.at(p), y.at(epsilon));
        canvas.circle(at, 5.5, WHITE);
        canvas.circle(at, 4.0, Paint::Fixed([200, 82, 0]));
        let gap = if anchor == Anchor::Start { 10.0 } else { -10.0 };
        let look = Text::sized(13.0).anchor(anchor).paint(BLACK).rim(WHITE);
        canvas.text(text, (at.0 + gap, at.1), look);
    }
    let ticks = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1].map(|v| (v, v.to_string()));
    let axis = |scale, name| Axis { scale, name, ticks: ticks.to_vec() };
    let x = axis(x, "violation probability p");
    let y = axis(y, "chance of missing it, epsilon");
    panel(&mut canvas, AREA, "Executions that are enough", &x, &y, false);
    legend(&mut canvas, grid);
    canvas
}

/// A count's position on the colour ramp.
fn part(executions: f64, grid: &[GridPoint]) -> f64 {
    // The first point has the smallest p and epsilon, the last one the largest.
    let (high, low) = (grid[0].executions as f64, grid[grid.len() - 1].executions as f64);
    (executions / low).ln() / (high / low).ln()
}

fn cells(canvas: &mut Canvas, grid: &[GridPoint], x: &Scale, y: &Scale) {
    let mut axis: Vec<f64> = grid.iter().map(|point| point.p).collect();
    axis.dedup();
    // A cell reaches halfway to its neighbours; at an edge it ends there.
    let edge = |i: usize| match i {
        0 => axis[0],
        i if i == axis.len() => axis[i - 1],
        i => (axis[i - 1] * axis[i]).sqrt(),
    };
    for (place, point) in grid.iter().enumerate() {
        let (column, row) = (place / axis.len(), place % axis.len());
        let (left, right) = (x.at(edge(column)), x.at(edge(column + 1)));
        let (bottom, top) = (y.at(edge(row)), y.at(edge(row + 1)));
        let colour = Paint::Fixed(ramp(part(point.executions as f64, grid)));
        // A slight overlap, so that no seams are visible.
        let wide = (right - left + 0.5).min(AREA.right - left);
        let high = (bottom - top + 0.5).min(AREA.bottom - top);
        canvas.rectangle((left, top), (wide, high), colour);
    }
}

/// A line of equal counts, with the count on it.
fn line(canvas: &mut Canvas, level: u64, x: &Scale, y: &Scale) {
    let (low, high) = (RANGE.0.ln(), RANGE.1.ln());
    let steps = 2000;
    let point = |step| {
        let p = (low + (high - low) * f64::from(step) / f64::from(steps)).exp();
        Some((x.at(p), y.at(contour(p, level)?)))
    };
    let points: Vec<(f64, f64)> = (0..=steps).filter_map(point).collect();
    canvas.line(&points, Stroke::new(WHITE, 3.0));
    canvas.line(&points, Stroke::new(BLACK, 1.2));
    // All labels are at one height, below the claims that the paper names; a line that is too close
    // to a side there has its label elsewhere.
    let height = AREA.top + 0.62 * (AREA.bottom - AREA.top);
    let free = |&(x, y): &(f64, f64)| {
        let beside = (AREA.left + 22.0..=AREA.right - 22.0).contains(&x);
        beside && (AREA.top + 30.0..=AREA.bottom - 30.0).contains(&y)
    };
    let far = |(_, y): &(f64, f64)| (y - height).abs();
    let places = (3..points.len().saturating_sub(3)).filter(|i| free(&points[*i]));
    let nearest = places.min_by(|i, j| far(&points[*i]).total_cmp(&far(&points[*j])));
    if let Some(i) = nearest {
        let ((x0, y0), (x1, y1)) = (points[i - 3], points[i + 3]);
        let slope = (y1 - y0).atan2(x1 - x0).to_degrees();
        let look = Text::sized(14.0).bold().turned(slope);
        canvas.text(&grouped(level), points[i], look.paint(BLACK).rim(WHITE));
    }
}

/// The colours and their counts, on the right.
fn legend(canvas: &mut Canvas, grid: &[GridPoint]) {
    let (left, wide, steps) = (AREA.right + 25.0, 22.0, 108);
    let height = (AREA.bottom - AREA.top) / f64::from(steps);
    for step in 0..steps {
        let colour = ramp(1.0 - (f64::from(step) + 0.5) / f64::from(steps));
        let top = AREA.top + f64::from(step) * height;
        let size = (wide, (height + 0.5).min(AREA.bottom - top));
        canvas.rectangle((left, top), size, Paint::Fixed(colour));
    }
    let scale = Scale::linear((0.0, 1.0), (AREA.bottom, AREA.top));
    for level in [30, 100, 300, 1000, 3000] {
        let part = part(level as f64, grid);
        let (at, on) = (scale.at(part), Paint::Fixed(readable_on(part)));
        let across = [(left + wide - 6.0, at), (left + wide, at)];
        canvas.line(&across, Stroke::new(on, 1.0));
        let look = Text::sized(13.0).anchor(Anchor::Start);
        canvas.text(&grouped(level), (left + wide + 6.0, at), look);
    }
    let look = Text::sized(14.0).anchor(Anchor::End);
    canvas.text("executions", (818.0, AREA.top - 16.0), look);
}
