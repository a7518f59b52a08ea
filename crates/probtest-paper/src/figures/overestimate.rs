//! Figure 2: the price of planning with a p that is too large.

use crate::counts::{Cell, EPSILONS, FACTORS, REAL, factor, short};
use crate::draw::{Area, Axis, Canvas, Paint, Scale, Text, panel, ramp, readable_on};

const LEFT: f64 = 90.0;
const WIDE: f64 = 76.0;
const HIGH: f64 = 40.0;
/// The added chance of missing that gets the darkest colour.
const MOST: f64 = 0.55;

/// Draws one heat map for each epsilon, one above the other, so that the numbers in the cells are
/// readable on a page.
pub fn overestimate(cells: &[Cell]) -> Canvas {
    let (columns, rows) = (f64::from(FACTORS), REAL.len() as f64);
    let height = rows * HIGH + 110.0;
    let size = (LEFT + columns * WIDE + 20.0, 2.0 * height + 20.0);
    let mut canvas = Canvas::new(
        "figure2_overestimate",
        size,
        "Figure 2: executions missing, and the added chance of missing, when p is overestimated",
        "Two tables coloured by the added chance of missing, for epsilon 0.001 and 0.01. Each has ten \
         factors from 0.01 to 5 across and eight real violation probabilities from 0.001 to 0.2 \
         down. The added chance depends on the factor and hardly on p; it is smaller for the smaller \
         epsilon. Cells are grey where the overestimate passes one half. All numbers are in the CSV \
         file.",
    );
    for (number, epsilon) in EPSILONS.into_iter().enumerate() {
        let top = 50.0 + number as f64 * height;
        let area =
            Area { left: LEFT, top, right: LEFT + columns * WIDE, bottom: top + rows * HIGH };
        table(&mut canvas, area, epsilon, cells);
    }
    canvas
}

fn table(canvas: &mut Canvas, area: Area, epsilon: &str, cells: &[Cell]) {
    for (place, cell) in cells.iter().filter(|cell| cell.epsilon == epsilon).enumerate() {
        let columns = usize::from(FACTORS);
        let (column, row) = ((place % columns) as f64, (place / columns) as f64);
        let corner = (area.left + column * WIDE, area.top + row * HIGH);
        let size = (WIDE - 1.0, HIGH - 1.0);
        let Some(effect) = &cell.effect else {
            canvas.rectangle(corner, size, Paint::Empty);
            continue;
        };
        let part = effect.added_miss / MOST;
        canvas.rectangle(corner, size, Paint::Fixed(ramp(part)));
        let look = Text::sized(12.5).paint(Paint::Fixed(readable_on(part)));
        let middle = corner.0 + WIDE / 2.0;
        let missing = super::grouped(short(effect));
        canvas.text(&missing, (middle, corner.1 + 12.5), look.bold());
        // Rounded and added to 0, so that -0 doesn't appear.
        let added = format!("{:.3}", (effect.added_miss * 1000.0).round() / 1000.0 + 0.0);
        canvas.text(&added, (middle, corner.1 + 28.5), look);
    }
    let x = Axis {
        scale: Scale::linear((0.0, f64::from(FACTORS)), (area.left, area.right)),
        name: "factor of overestimation: p + factor × p is believed",
        ticks: (0..FACTORS)
            .map(|place| (f64::from(place) + 0.5, format!("{:.2}", factor(place).1)))
            .collect(),
    };
    let y = Axis {
        scale: Scale::linear((0.0, REAL.len() as f64), (area.top, area.bottom)),
        name: "real p",
        ticks: (0_u8..).zip(REAL).map(|(row, p)| (f64::from(row) + 0.5, p.to_owned())).collect(),
    };
    let title =
        format!("epsilon = {epsilon}: executions missing (bold), and the added chance of missing");
    panel(canvas, area, &title, &x, &y, false);
}
