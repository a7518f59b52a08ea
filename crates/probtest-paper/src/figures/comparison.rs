//! Figure 4: how many executions other methods need.

use super::grouped;
use crate::comparison::{ComparisonRow, Needs};
use crate::draw::{Anchor, Canvas, Paint, Scale, Stroke, Text, width};

const WIDTH: f64 = 860.0;
const LEFT: f64 = 190.0;
const RIGHT: f64 = 740.0;
/// The distance between methods, and between claims.
const STEP: f64 = 19.0;
const GAP: f64 = 34.0;
const RANGE: (f64, f64) = (10.0, 3e8);
const POWERS: [&str; 8] = ["10", "100", "1000", "10⁴", "10⁵", "10⁶", "10⁷", "10⁸"];

/// Draws a line for each method and claim: first the claims that one violation decides, then those
/// that tolerate some violations.
pub fn comparison(one_sided: &[ComparisonRow], two_sided: &[ComparisonRow]) -> Canvas {
    let (first, second) = (height(one_sided), height(two_sided));
    let mut canvas = Canvas::new(
        "figure4_comparison",
        (WIDTH, first + second + 240.0),
        "Figure 4: executions that other methods need for the same claim",
        "Horizontal lines on a logarithmic axis from 10 to 300 million executions. For claims that one \
         violation decides, probtest needs 47 to 29956 executions, Hoeffding's bound 473 to 184 \
         million, and a hypothesis test 4640 or more whatever p is. For claims that tolerate some \
         violations, Hoeffding's bound needs most, then Chernoff's bound, then a fixed plan with \
         the exact binomial distribution, and sequential plans least. All numbers are in the CSV \
         file.",
    );
    let title = "A violation decides: executions to notice p";
    let bottom = part(&mut canvas, 26.0, title, one_sided);
    let title = "Some violations are tolerated: executions to tell p from tolerate";
    let next = part(&mut canvas, bottom + 90.0, title, two_sided);
    key(&mut canvas, next + 64.0);
    canvas
}

fn height(rows: &[ComparisonRow]) -> f64 {
    let lines: usize = rows.iter().map(|row| row.needs.len()).sum();
    lines as f64 * STEP + rows.len() as f64 * GAP
}

/// Draws the claims of one kind; returns where they end.
fn part(canvas: &mut Canvas, top: f64, title: &str, rows: &[ComparisonRow]) -> f64 {
    let scale = Scale::logarithmic(RANGE, (LEFT, RIGHT));
    canvas.text(title, (14.0, top), Text::sized(16.0).bold().anchor(Anchor::Start));
    let mut at = top + 6.0;
    let bottom = at + height(rows);
    axis(canvas, &scale, top + 16.0, bottom);
    for row in rows {
        at += GAP - 10.0;
        let claim = match row.place {
            "" => row.claim.clone(),
            place => format!("{}  ({place})", row.claim),
        };
        let look = Text::sized(13.0).bold().anchor(Anchor::Start).rim(Paint::Paper);
        canvas.text(&claim, (14.0, at), look);
        at += 10.0 - STEP / 2.0;
        for needs in &row.needs {
            at += STEP;
            method(canvas, &scale, at, needs);
        }
        at += STEP / 2.0;
    }
    bottom
}

fn axis(canvas: &mut Canvas, scale: &Scale, top: f64, bottom: f64) {
    for (power, text) in (1..).zip(POWERS) {
        let x = scale.at(10_f64.powi(power));
        canvas.line(&[(x, top), (x, bottom)], Stroke::new(Paint::Grid, 1.0));
        canvas.text(text, (x, bottom + 14.0), Text::sized(13.0));
    }
    canvas.line(&[(LEFT, bottom), (RIGHT, bottom)], Stroke::new(Paint::Ink, 1.0));
    let middle = (LEFT + RIGHT) / 2.0;
    canvas.text("executions", (middle, bottom + 34.0), Text::sized(14.0));
}

/// One line: the name, a stem, the counts as marks, and as numbers after them.
fn method(canvas: &mut Canvas, scale: &Scale, at: f64, needs: &Needs) {
    let look = Text::sized(13.0).anchor(Anchor::End);
    let (paint, look) = match needs.method {
        "probtest" | "probtest, sequential" => (Paint::Orange, look.bold()),
        "hypothesis test" | "Wald, sequential" => (Paint::Purple, look),
        "Hoeffding" | "Chernoff" => (Paint::Blue, look),
        _ => (Paint::Green, look),
    };
    canvas.text(needs.method, (LEFT - 8.0, at), look);
    let x = scale.at(needs.executions as f64);
    canvas.line(&[(LEFT, at), (x, at)], Stroke::new(paint, 2.0));
    canvas.circle((x, at), 4.5, paint);
    let mut last = x;
    if let Some(at_p) = needs.at_p {
        let place = scale.at(at_p as f64);
        last = last.max(place);
        canvas.line(&[(x, at), (last, at)], Stroke::new(paint, 1.2).dashed("3 3"));
        hollow(canvas, (place, at), paint);
    }
    if let Some(most) = needs.most.filter(|most| *most != needs.executions) {
        let place = scale.at(most as f64);
        canvas.line(&[(x, at), (place, at)], Stroke::new(paint, 1.2).dashed("3 3"));
        end(canvas, (place, at), paint);
        last = last.max(place);
    }
    let look = Text::sized(12.0).anchor(Anchor::Start).rim(Paint::Paper);
    canvas.text(&numbers(needs), (last + 9.0, at), look);
}

fn numbers(needs: &Needs) -> String {
    let mut text = grouped(needs.executions);
    if let Some(at_p) = needs.at_p {
        let most = needs.most.map_or_else(|| "no limit".to_owned(), grouped);
        text += &format!(" / {} / {most}", grouped(at_p));
    }
    if !needs.note.is_empty() {
        text += &format!(" ({})", needs.note);
    }
    text
}

/// The mark for the most executions.
fn end(canvas: &mut Canvas, (x, y): (f64, f64), paint: Paint) {
    canvas.line(&[(x, y - 5.0), (x, y + 5.0)], Stroke::new(paint, 2.0));
}

/// The mark for the executions expected at p.
fn hollow(canvas: &mut Canvas, at: (f64, f64), paint: Paint) {
    canvas.circle(at, 5.0, paint);
    canvas.circle(at, 3.0, Paint::Paper);
}

/// What the marks of sequential plans mean.
fn key(canvas: &mut Canvas, at: f64) {
    let mut x = 14.0;
    let texts =
        ["executions; of a sequential plan those expected at tolerate", "expected at p", "most"];
    for text in texts {
        let mark = (x + 6.0, at);
        match text {
            "expected at p" => hollow(canvas, mark, Paint::Ink),
            "most" => end(canvas, mark, Paint::Ink),
            _ => canvas.circle(mark, 4.5, Paint::Ink),
        }
        canvas.text(text, (x + 18.0, at), Text::sized(12.5).anchor(Anchor::Start));
        x += 18.0 + width(text, 12.5, false) + 24.0;
    }
}
