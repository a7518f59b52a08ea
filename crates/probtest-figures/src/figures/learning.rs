//! Figure 3: does probtest find that an agent on a lake has not learned enough?

use probtest_studies::reinforcement::Demand;
use probtest_studies::reinforcement::curve::Point;
use probtest_studies::reinforcement::study::{Row, World};

use crate::draw::{Anchor, Area, Axis, Canvas, Line, Paint, Role, Scale, Text, panel, width};

const BLUE: Paint = Paint::Role(Role::Blue);
const ORANGE: Paint = Paint::Role(Role::Orange);
const PAPER: Paint = Paint::Role(Role::Paper);
/// The violation probability that must not go unnoticed, and 1 - epsilon.
const P: f64 = 0.01;
const PROMISE: f64 = 0.95;
/// How far up the inset reaches.
const NEAR_P: f64 = 0.04;

/// Draws a panel for each lake: exact curves, what was measured, and the paper.
pub fn learning(curves: &[(World, Vec<Point>)], rows: &[Row]) -> Canvas {
    let panels = curves.len() as f64;
    let tall = 330.0;
    let mut canvas = Canvas::new(
        "figure3_learning",
        (860.0, panels * (tall + 100.0) + 74.0),
        "Figure 3: violation probability and probability of finding it, while agents learn",
        "Two panels, for the lakes of 4 by 4 and 7 by 7. Training episodes run to the right, \
         probability upward. The exact probability that the agent falls into a hole goes down with \
         training; the exact probability that probtest finds it stays close to 1 as long as the \
         violation probability is above p = 0.01, and above 1 - epsilon = 0.95 at p itself. An \
         inset shows the violation probabilities close to p. Points are measured; diamonds are the \
         paper's. All numbers are in the CSV files.",
    );
    for (number, (world, points)) in curves.iter().enumerate() {
        let top = 50.0 + number as f64 * (tall + 100.0);
        let area = Area {
            left: 80.0,
            top,
            right: 840.0,
            bottom: top + tall,
        };
        let rows = rows.iter().filter(|row| {
            let property = row.case.property();
            let same = row.case.world() == *world;
            same && property.demand == Demand::NeverFalls && property.steps == 100
        });
        let rows: Vec<&Row> = rows.collect();
        lake(&mut canvas, area, *world, points, &rows);
    }
    key(&mut canvas, panels * (tall + 100.0) + 22.0);
    canvas
}

fn lake(canvas: &mut Canvas, area: Area, world: World, points: &[Point], rows: &[&Row]) {
    let last = points.last().map_or(1, |point| point.episodes);
    let last = rows
        .iter()
        .map(|row| row.case.episodes())
        .max()
        .unwrap_or(last)
        .max(last);
    let across = (0.0, last as f64 * 1.02);
    let x = Axis {
        scale: Scale::linear(across, (area.left, area.right)),
        name: "training episodes",
        ticks: (0..=5)
            .map(|fifth| last * fifth / 5)
            .map(|episodes| (episodes as f64, super::grouped(episodes)))
            .collect(),
    };
    let y = Axis {
        scale: Scale::linear((-0.03, 1.05), (area.bottom, area.top)),
        name: "probability",
        ticks: [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
            .map(|v| (v, format!("{v}")))
            .to_vec(),
    };
    let title = format!("Frozen lake {}: the agent falls (Q1)", world.name());
    panel(canvas, area, &title, &x, &y, true);
    let both = (area.left, area.right);
    mark(canvas, both, y.scale.at(PROMISE), Role::Green, "8 4");
    mark(canvas, both, y.scale.at(P), Role::Purple, "2 3");
    let look = Text::sized(12.5).anchor(Anchor::End).rim(PAPER);
    let green = look.paint(Paint::Role(Role::Green));
    canvas.text(
        "1 − epsilon = 0.95",
        (area.right - 8.0, y.scale.at(0.91)),
        green,
    );
    let purple = look.paint(Paint::Role(Role::Purple));
    canvas.text("p = 0.01", (area.right - 8.0, y.scale.at(0.05)), purple);
    data(canvas, &x.scale, &y.scale, 1.05, points, rows, true);
    inset(canvas, area, across, points, rows);
}

/// A dashed line across.
fn mark(canvas: &mut Canvas, (left, right): (f64, f64), at: f64, role: Role, dashes: &'static str) {
    let line = Line::new(Paint::Role(role), 1.6).dashed(dashes);
    canvas.line(&[(left, at), (right, at)], line);
}

/// Curves first, then the points on them, then the paper's.
fn data(
    canvas: &mut Canvas,
    x: &Scale,
    y: &Scale,
    most: f64,
    points: &[Point],
    rows: &[&Row],
    with_found: bool,
) {
    let curve = |value: fn(&Point) -> f64| {
        let points = points
            .iter()
            .map(|point| (point.episodes as f64, value(point)));
        points.collect::<Vec<_>>()
    };
    let mut draw = |values: &[(f64, f64)], paint| {
        for piece in below(values, most) {
            let places: Vec<_> = piece.iter().map(|(a, b)| (x.at(*a), y.at(*b))).collect();
            canvas.line(&places, Line::new(paint, 1.8));
        }
    };
    if with_found {
        draw(&curve(|point| point.found), ORANGE);
    }
    draw(&curve(|point| point.violation), BLUE);
    for row in rows {
        let across = x.at(row.case.episodes() as f64);
        let published = row.case.published();
        let mut pair = |measured: f64, published: Option<f64>, paint| {
            if measured <= most {
                canvas.circle((across, y.at(measured)), 4.5, paint);
            }
            if let Some(published) = published.filter(|published| *published <= most) {
                diamond(canvas, (across, y.at(published)), paint);
            }
        };
        if with_found {
            pair(
                row.found_measured(),
                published.map(|paper| paper.found),
                ORANGE,
            );
        }
        pair(row.estimate(), published.map(|paper| paper.violation), BLUE);
    }
}

/// The pieces of a line that stay below a height, cut where it crosses.
fn below(values: &[(f64, f64)], most: f64) -> Vec<Vec<(f64, f64)>> {
    let (mut pieces, mut piece) = (Vec::new(), Vec::new());
    for (place, &(x, y)) in values.iter().enumerate() {
        let before = place.checked_sub(1).map(|before| values[before]);
        if let Some((x0, y0)) = before
            && (y0 <= most) != (y <= most)
        {
            piece.push((x0 + (x - x0) * (most - y0) / (y - y0), most));
        }
        if y <= most {
            piece.push((x, y));
        } else if !piece.is_empty() {
            pieces.push(std::mem::take(&mut piece));
        }
    }
    pieces.push(piece);
    pieces.retain(|piece| piece.len() > 1);
    pieces
}

/// The violation probabilities close to p, larger.
fn inset(canvas: &mut Canvas, area: Area, across: (f64, f64), points: &[Point], rows: &[&Row]) {
    let (wide, tall) = (area.right - area.left, area.bottom - area.top);
    let inside = Area {
        left: area.left + 0.50 * wide,
        top: area.top + 0.24 * tall,
        right: area.right - 0.03 * wide,
        bottom: area.bottom - 0.25 * tall,
    };
    let room = (inside.left - 66.0, inside.top - 30.0);
    let size = (inside.right - room.0 + 10.0, inside.bottom - room.1 + 30.0);
    canvas.rectangle(room, size, PAPER);
    canvas.rim(room, size, Line::new(Paint::Role(Role::Faint), 1.0));
    let x = Axis {
        scale: Scale::linear(across, (inside.left, inside.right)),
        name: "",
        ticks: [0.0, 0.5, 1.0]
            .map(|part| part * across.1 / 1.02)
            .map(|episodes| (episodes, super::grouped(episodes.round() as u64)))
            .to_vec(),
    };
    let y = Axis {
        scale: Scale::linear((-0.001, NEAR_P), (inside.bottom, inside.top)),
        name: "",
        ticks: [0.0, 0.01, 0.02, 0.03, 0.04]
            .map(|v| (v, format!("{v}")))
            .to_vec(),
    };
    panel(canvas, inside, "", &x, &y, true);
    let look = Text::sized(12.5).anchor(Anchor::Start);
    canvas.text(
        "violation probability close to p",
        (inside.left, inside.top - 14.0),
        look,
    );
    mark(
        canvas,
        (inside.left, inside.right),
        y.scale.at(P),
        Role::Purple,
        "2 3",
    );
    data(canvas, &x.scale, &y.scale, NEAR_P, points, rows, false);
}

fn diamond(canvas: &mut Canvas, (x, y): (f64, f64), paint: Paint) {
    let corners = |size: f64| {
        [
            (x, y - size),
            (x + size, y),
            (x, y + size),
            (x - size, y),
            (x, y - size),
        ]
    };
    canvas.line(&corners(7.5), Line::new(paint, 1.6));
}

/// What the marks mean.
fn key(canvas: &mut Canvas, at: f64) {
    let look = Text::sized(12.5).anchor(Anchor::Start);
    let ink = Paint::Role(Role::Ink);
    let row = |canvas: &mut Canvas, at: f64, words: &[(&str, &dyn Fn(&mut Canvas, f64))]| {
        let mut x = 80.0;
        for (text, mark) in words {
            mark(canvas, x + 10.0);
            canvas.text(text, (x + 26.0, at), look);
            x += 26.0 + width(text, 12.5, false) + 26.0;
        }
    };
    let stroke = |paint: Paint| {
        move |canvas: &mut Canvas, x: f64| {
            canvas.line(&[(x - 10.0, at), (x + 10.0, at)], Line::new(paint, 2.0));
        }
    };
    row(
        canvas,
        at,
        &[
            ("violation probability, exact", &stroke(BLUE)),
            ("probability of finding it, exact", &stroke(ORANGE)),
        ],
    );
    let below = at + 24.0;
    row(
        canvas,
        below,
        &[
            ("measured with probtest", &|c, x| {
                c.circle((x, below), 4.5, ink)
            }),
            ("the paper (its policies are others)", &|c, x| {
                diamond(c, (x, below), ink)
            }),
        ],
    );
}
