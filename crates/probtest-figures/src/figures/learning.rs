//! Figure 3: does probtest find that agents on a lake have not learned enough?

use probtest_studies::reinforcement::Demand;
use probtest_studies::reinforcement::curve::{Curve, STEPS};
use probtest_studies::reinforcement::study::Row;

use crate::draw::{Anchor, Area, Axis, Canvas, Line, Paint, Role, Scale, Text, panel};

use super::grouped;
use super::pieces::below;

const BLUE: Paint = Paint::Role(Role::Blue);
const ORANGE: Paint = Paint::Role(Role::Orange);
const PAPER: Paint = Paint::Role(Role::Paper);
/// The violation probability that must not go unnoticed, and 1 - epsilon.
const P: f64 = 0.01;
const PROMISE: f64 = 0.95;
/// How far up the larger view reaches.
const NEAR_P: f64 = 0.03;
/// The room of a lake, and of what is below it.
const TALL: f64 = 310.0;
const NEXT: f64 = TALL + 100.0;

/// Draws a row for each lake: the mean of many agents as curves, the one that was
/// tested as points, and the paper's.
pub fn learning(curves: &[Curve], rows: &[Row]) -> Canvas {
    let lakes = curves.len() as f64;
    let mut canvas = Canvas::new(
        "figure3_learning",
        (880.0, lakes * NEXT + 150.0),
        "Figure 3: violation probability and probability of finding it, while agents learn",
        "A row for each lake, 4 by 4 and 7 by 7. Training episodes run to the right, probability \
         upward. The mean probability of many agents to fall into a hole goes down with training, \
         and so does the mean probability that probtest finds it. The points of one agent show it: \
         where its violation probability is above p = 0.01, violations are found in nearly all \
         tests; where it is 0, in none. A second view beside it shows the violation probabilities \
         close to p. Diamonds are the paper's. All numbers are in the CSV files.",
    );
    for (number, curve) in curves.iter().enumerate() {
        let rows = rows.iter().filter(|row| {
            let property = row.case.property();
            let same = row.case.world() == curve.world && property.steps == STEPS;
            same && property.demand == Demand::NeverFalls
        });
        let view = View {
            curve,
            rows: rows.collect(),
        };
        view.draw(&mut canvas, 50.0 + number as f64 * NEXT);
    }
    let agents = curves.first().map_or(0, |curve| curve.agents);
    key(&mut canvas, lakes * NEXT + 20.0, agents);
    canvas
}

/// What is shown of one lake.
struct View<'a> {
    curve: &'a Curve,
    rows: Vec<&'a Row>,
}

/// Where it is shown, and up to which probability.
struct Place {
    x: Scale,
    y: Scale,
    most: f64,
    with_found: bool,
}

impl View<'_> {
    fn draw(&self, canvas: &mut Canvas, top: f64) {
        let whole = Area {
            left: 80.0,
            top,
            right: 560.0,
            bottom: top + TALL,
        };
        let title = format!(
            "Frozen lake {}: the agent falls (Q1)",
            self.curve.world.name()
        );
        let ticks = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0];
        let main = self.panel(canvas, whole, &title, (-0.03, 1.05), &ticks);
        let across = (whole.left, whole.right);
        mark(canvas, across, main.y.at(PROMISE), Role::Green, "8 4");
        mark(canvas, across, main.y.at(P), Role::Purple, "2 3");
        self.data(canvas, &main);
        let look = Text::sized(12.5).anchor(Anchor::End).rim(PAPER);
        let green = look.paint(Paint::Role(Role::Green));
        let at = (whole.right - 8.0, main.y.at(0.90));
        canvas.text("1 − epsilon = 0.95", at, green);

        let near = Area {
            left: 660.0,
            right: 860.0,
            ..whole
        };
        // From the strip that is shown larger to where it is.
        let faint = Line::new(Paint::Role(Role::Faint), 1.0).dashed("1 3");
        for (value, end) in [(0.0, near.bottom), (NEAR_P, near.top)] {
            canvas.line(&[(whole.right, main.y.at(value)), (near.left, end)], faint);
        }
        let ticks = [0.0, 0.01, 0.02, 0.03];
        let zoom = self.panel(canvas, near, "close to p", (-0.001, NEAR_P), &ticks);
        mark(
            canvas,
            (near.left, near.right),
            zoom.y.at(P),
            Role::Purple,
            "2 3",
        );
        self.data(canvas, &zoom);
        let purple = look.paint(Paint::Role(Role::Purple));
        canvas.text("p = 0.01", (near.right - 6.0, zoom.y.at(P) - 12.0), purple);
    }

    fn panel(
        &self,
        canvas: &mut Canvas,
        area: Area,
        title: &str,
        range: (f64, f64),
        ticks: &[f64],
    ) -> Place {
        let points = self.curve.points.iter().map(|point| point.episodes);
        let points = points.chain(self.rows.iter().map(|row| row.case.episodes()));
        let last = points.max().unwrap_or(1);
        let with_found = range.1 > PROMISE;
        let parts = if with_found { 5 } else { 2 };
        let x = Axis {
            scale: Scale::linear((0.0, last as f64 * 1.03), (area.left, area.right)),
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
        Place {
            x: x.scale,
            y: y.scale,
            most: range.1,
            with_found,
        }
    }

    /// Curves first, then the points, then the paper's.
    fn data(&self, canvas: &mut Canvas, place: &Place) {
        let points = &self.curve.points;
        let mut line = |value: fn(&Mean) -> f64, paint| {
            let values = points
                .iter()
                .map(|point| (point.episodes as f64, value(point)));
            for piece in below(&values.collect::<Vec<_>>(), place.most) {
                let at = |(x, y): &(f64, f64)| (place.x.at(*x), place.y.at(*y));
                let piece: Vec<_> = piece.iter().map(at).collect();
                canvas.line(&piece, Line::new(paint, 2.0));
            }
        };
        if place.with_found {
            line(|point| point.found, ORANGE);
        }
        line(|point| point.violation, BLUE);
        let mut dot = |episodes: u64, value: f64, size, paint| {
            if value <= place.most {
                let at = (place.x.at(episodes as f64), place.y.at(value));
                canvas.circle(at, size, paint);
            }
        };
        // What may lie on the same place has another size: both can be seen.
        for point in &self.curve.one {
            if place.with_found {
                dot(point.episodes, point.found, 3.2, ORANGE);
            }
            dot(point.episodes, point.violation, 2.0, BLUE);
        }
        for row in &self.rows {
            if place.with_found {
                dot(row.case.episodes(), row.found_measured(), 6.5, ORANGE);
            }
            dot(row.case.episodes(), row.estimate(), 4.5, BLUE);
        }
        for row in &self.rows {
            let across = place.x.at(row.case.episodes() as f64);
            let Some(paper) = row.case.published() else {
                continue;
            };
            if place.with_found {
                diamond(canvas, (across, place.y.at(paper.found)), 10.5, ORANGE);
            }
            if paper.violation <= place.most {
                diamond(canvas, (across, place.y.at(paper.violation)), 7.5, BLUE);
            }
        }
    }
}

type Mean = probtest_studies::reinforcement::curve::Point;

/// A dashed line across.
fn mark(canvas: &mut Canvas, (left, right): (f64, f64), at: f64, role: Role, dashes: &'static str) {
    let line = Line::new(Paint::Role(role), 1.6).dashed(dashes);
    canvas.line(&[(left, at), (right, at)], line);
}

fn diamond(canvas: &mut Canvas, (x, y): (f64, f64), size: f64, paint: Paint) {
    let corners = [(x, y - size), (x + size, y), (x, y + size), (x - size, y)];
    let around = [corners[0], corners[1], corners[2], corners[3], corners[0]];
    canvas.line(&around, Line::new(paint, 1.6));
}

/// What the marks mean: one column for each quantity.
fn key(canvas: &mut Canvas, top: f64, agents: u64) {
    let look = Text::sized(12.5).anchor(Anchor::Start);
    let heads = [
        "violation probability",
        "probability that probtest finds it",
    ];
    let lines = [
        format!("mean of {agents} agents, exact"),
        "one agent, exact".to_owned(),
        "the same agent, measured".to_owned(),
        "the paper's agent".to_owned(),
    ];
    let sizes = [(2.0, 4.5, 7.5), (3.2, 6.5, 10.5)];
    let columns = heads.into_iter().zip([BLUE, ORANGE]).zip(sizes);
    for (column, ((head, paint), (small, large, paper))) in columns.enumerate() {
        let left = 80.0 + column as f64 * 300.0;
        canvas.text(head, (left, top), look.bold().paint(paint));
        for (row, text) in lines.iter().enumerate() {
            let (x, y) = (left + 12.0, top + 25.0 * (row as f64 + 1.0));
            match row {
                0 => canvas.line(&[(x - 11.0, y), (x + 11.0, y)], Line::new(paint, 2.0)),
                1 => canvas.circle((x, y), small, paint),
                2 => canvas.circle((x, y), large, paint),
                _ => diamond(canvas, (x, y), paper, paint),
            }
            canvas.text(text, (left + 32.0, y), look);
        }
    }
}
