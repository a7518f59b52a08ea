//! Figure 3: does probtest find that agents on a lake haven't learned enough?

use super::grouped;
use crate::draw::{Anchor, Area, Axis, Canvas, Paint, Scale, Stroke, Text, panel};
use crate::reinforcement::many::{Curve, CurvePoint, STEPS};
use crate::reinforcement::paper::PublishedRow;
use crate::reinforcement::{Demand, Property};

/// The violation probability to catch, and 1 - epsilon.
const P: f64 = 0.01;
const PROMISE: f64 = 0.95;
/// The upper limit of the magnified view.
const NEAR_P: f64 = 0.03;
/// The space for a lake, and for what is below it.
const TALL: f64 = 310.0;
const NEXT: f64 = TALL + 100.0;
const MEAN: &str = "5 4";
/// The sizes of published values. If both are 0, the larger one is visible around the smaller one,
/// which is drawn later.
const VIOLATION: f64 = 8.0;
const FOUND: f64 = 12.0;

/// Draws a row for each lake: the paper's agent, exact and as published, and the mean of many of
/// our agents.
pub fn learning(curves: &[Curve], papers: &[PublishedRow]) -> Canvas {
    let lakes = curves.len() as f64;
    let mut canvas = Canvas::new(
        "figure3_learning",
        (880.0, lakes * NEXT + 130.0),
        "Figure 3: violation probability and probability of finding it, while agents learn",
        "A row for each lake, 4 by 4 and 7 by 7. Training episodes run to the right, probability \
         upward. The probability that the paper's agent falls into a hole goes down with training, \
         to 0 after 40 episodes on the small lake and 20 000 on the large one. Where it is above \
         p = 0.01, probtest finds it with a probability of 0.95 or more; where it is 0, never. The \
         means of many agents, dashed, go down at first and then stay above p. A second view beside \
         it shows the violation probabilities close to p. All numbers are in the CSV files.",
    );
    for (number, curve) in curves.iter().enumerate() {
        let property = Property { demand: Demand::NeverFalls, steps: STEPS };
        let asked =
            |row: &&PublishedRow| row.case.world == curve.world && row.case.property == property;
        let view = View { curve, papers: papers.iter().filter(asked).collect() };
        view.draw(&mut canvas, 50.0 + number as f64 * NEXT);
    }
    let agents = curves.first().map_or(0, |curve| curve.agents);
    key(&mut canvas, lakes * NEXT + 20.0, agents);
    canvas
}

struct View<'a> {
    curve: &'a Curve,
    papers: Vec<&'a PublishedRow>,
}

/// Where it is drawn.
struct Plot {
    area: Area,
    x: Scale,
    y: Scale,
    with_found: bool,
}

impl View<'_> {
    fn draw(&self, canvas: &mut Canvas, top: f64) {
        let whole = Area { left: 80.0, top, right: 560.0, bottom: top + TALL };
        let title = format!("Frozen lake {}: the agent falls (Q1)", self.curve.world.name());
        let ticks = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0];
        let main = self.panel(canvas, whole, &title, (-0.03, 1.05), &ticks);
        mark(canvas, whole, main.y.at(PROMISE), Paint::Green, "8 4");
        mark(canvas, whole, main.y.at(P), Paint::Purple, "2 3");
        self.data(canvas, &main);
        let look = Text::sized(12.5).anchor(Anchor::End).rim(Paint::Paper);
        let (green, purple) = (look.paint(Paint::Green), look.paint(Paint::Purple));
        canvas.text("1 − epsilon = 0.95", (whole.right - 8.0, main.y.at(0.90)), green);
        let beside = (whole.left + 6.0, main.y.at(P) - 11.0);
        canvas.text("p = 0.01", beside, purple.anchor(Anchor::Start));

        let near = Area { left: 660.0, right: 860.0, ..whole };
        // From the magnified strip to where it is.
        let faint = Stroke::new(Paint::Faint, 1.0).dashed("1 3");
        for (value, end) in [(0.0, near.bottom), (NEAR_P, near.top)] {
            canvas.line(&[(whole.right, main.y.at(value)), (near.left, end)], faint);
        }
        let ticks = [0.0, 0.01, 0.02, 0.03];
        let zoom = self.panel(canvas, near, "close to p", (-0.001, NEAR_P), &ticks);
        mark(canvas, near, zoom.y.at(P), Paint::Purple, "2 3");
        self.data(canvas, &zoom);
        canvas.text("p = 0.01", (near.right - 6.0, zoom.y.at(P) - 12.0), purple);
    }

    fn panel(
        &self,
        canvas: &mut Canvas,
        area: Area,
        title: &str,
        range: (f64, f64),
        ticks: &[f64],
    ) -> Plot {
        let points = self.curve.points.iter().map(|point| point.episodes);
        let points = points.chain(self.papers.iter().map(|row| row.case.episodes));
        let last = points.max().unwrap_or(1);
        let with_found = range.1 > PROMISE;
        // The last mark stays within its view, even in the narrow one.
        let (parts, room) = if with_found { (5, 1.03) } else { (2, 1.06) };
        let x = Axis {
            scale: Scale::linear((0.0, last as f64 * room), (area.left, area.right)),
            name: "training episodes",
            ticks: (0..=parts)
                .map(|part| last * part / parts)
                .map(|episodes| (episodes as f64, grouped(episodes)))
                .collect(),
        };
        let y = Axis {
            scale: Scale::linear(range, (area.bottom, area.top)),
            name: if with_found { "probability" } else { "" },
            ticks: ticks.iter().map(|tick| (*tick, tick.to_string())).collect(),
        };
        panel(canvas, area, title, &x, &y, true);
        Plot { area, x: x.scale, y: y.scale, with_found }
    }

    /// The means first, then the paper's agent, so that it is on top.
    fn data(&self, canvas: &mut Canvas, plot: &Plot) {
        if plot.with_found {
            let paper = |row: &PublishedRow| (row.found_exact, row.published.found);
            self.quantity(canvas, plot, |point| point.found, paper, (Paint::Orange, FOUND));
        }
        let paper = |row: &PublishedRow| (row.exact, row.published.violation);
        self.quantity(canvas, plot, |point| point.violation, paper, (Paint::Blue, VIOLATION));
    }

    /// The mean, and the paper's agent: exact, and as published.
    fn quantity(
        &self,
        canvas: &mut Canvas,
        plot: &Plot,
        mean: fn(&CurvePoint) -> f64,
        paper: fn(&PublishedRow) -> (f64, f64),
        (paint, size): (Paint, f64),
    ) {
        let at = |episodes: u64, value| (plot.x.at(episodes as f64), plot.y.at(value));
        let is_inside = |place: &&(f64, f64)| place.1 >= plot.area.top;
        let points = self.curve.points.iter();
        let means: Vec<_> = points.map(|point| at(point.episodes, mean(point))).collect();
        canvas.line_inside(plot.area, &means, Stroke::new(paint, 1.4).dashed(MEAN));
        let papers = self.papers.iter().map(|row| (row.case.episodes, paper(row)));
        let (exact, published): (Vec<_>, Vec<_>) =
            papers.map(|(x, (exact, published))| (at(x, exact), at(x, published))).unzip();
        canvas.line_inside(plot.area, &exact, Stroke::new(paint, 2.4));
        for place in exact.iter().filter(is_inside) {
            canvas.circle(*place, 4.5, paint);
        }
        for place in published.iter().filter(is_inside) {
            diamond(canvas, *place, size, paint);
        }
    }
}

fn mark(canvas: &mut Canvas, area: Area, at: f64, paint: Paint, dashes: &'static str) {
    let line = Stroke::new(paint, 1.6).dashed(dashes);
    canvas.line(&[(area.left, at), (area.right, at)], line);
}

fn diamond(canvas: &mut Canvas, (x, y): (f64, f64), size: f64, paint: Paint) {
    let top = (x, y - size);
    canvas.line(&[top, (x + size, y), (x, y + size), (x - size, y), top], Stroke::new(paint, 1.6));
}

/// What the marks mean: one column per quantity.
fn key(canvas: &mut Canvas, top: f64, agents: u64) {
    let look = Text::sized(12.5).anchor(Anchor::Start);
    let heads = ["violation probability", "probability that probtest finds it"];
    let mean = format!("mean of {agents} agents of ours, exact");
    let lines = ["the paper's agent, exact", "the paper's agent, as published", &mean];
    let looks = [(Paint::Blue, VIOLATION), (Paint::Orange, FOUND)];
    for (column, (head, (paint, size))) in heads.into_iter().zip(looks).enumerate() {
        let left = 80.0 + column as f64 * 320.0;
        canvas.text(head, (left, top), look.bold().paint(paint));
        for (row, text) in lines.iter().enumerate() {
            let (x, y) = (left + 14.0, top + 25.0 * (row as f64 + 1.0));
            let across = [(x - 14.0, y), (x + 14.0, y)];
            match row {
                0 => {
                    canvas.line(&across, Stroke::new(paint, 2.4));
                    canvas.circle((x, y), 4.5, paint);
                }
                1 => diamond(canvas, (x, y), size, paint),
                _ => canvas.line(&across, Stroke::new(paint, 1.4).dashed(MEAN)),
            }
            canvas.text(text, (left + 38.0, y), look);
        }
    }
}
