//! From values to places; and a panel: frame, grid, ticks and the names of its axes.

use super::{Anchor, Canvas, Line, Paint, Text};

/// The size of the letters at ticks.
const TICK: f64 = 13.0;
/// The size of the letters of names.
const NAME: f64 = 14.0;

/// An axis without its looks: which value lies where.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    values: (f64, f64),
    places: (f64, f64),
    logarithmic: bool,
}

impl Scale {
    /// An even scale.
    pub fn linear(values: (f64, f64), places: (f64, f64)) -> Self {
        let logarithmic = false;
        Scale {
            values,
            places,
            logarithmic,
        }
    }

    /// A logarithmic scale; values are above zero.
    pub fn logarithmic(values: (f64, f64), places: (f64, f64)) -> Self {
        let logarithmic = true;
        Scale {
            values,
            places,
            logarithmic,
        }
    }

    /// Where a value lies; values beyond the ends lie at the ends.
    pub fn at(&self, value: f64) -> f64 {
        let axis = |value: f64| if self.logarithmic { value.ln() } else { value };
        let (low, high) = (axis(self.values.0), axis(self.values.1));
        let part = ((axis(value) - low) / (high - low)).clamp(0.0, 1.0);
        self.places.0 + (self.places.1 - self.places.0) * part
    }
}

/// The room of a panel inside its axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Area {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

/// An axis: its scale, its name, and what is written at which values.
pub struct Axis<'a> {
    pub scale: Scale,
    /// The name; empty for an axis that shares one.
    pub name: &'a str,
    /// The values with a text.
    pub ticks: Vec<(f64, String)>,
}

/// Draws what lies behind the data, and the texts around it.
pub fn panel(canvas: &mut Canvas, area: Area, title: &str, x: &Axis<'_>, y: &Axis<'_>, grid: bool) {
    let ink = Line::new(Paint::Ink, 1.0);
    let faint = Line::new(Paint::Grid, 1.0);
    let mut deepest = area.left;
    for (value, text) in &y.ticks {
        let at = y.scale.at(*value);
        if grid {
            canvas.line(&[(area.left, at), (area.right, at)], faint);
        }
        canvas.line(&[(area.left - 5.0, at), (area.left, at)], ink);
        let look = Text::sized(TICK).anchor(Anchor::End).rim(Paint::Paper);
        canvas.text(text, (area.left - 8.0, at), look);
        deepest = deepest.min(area.left - 8.0 - super::width(text, TICK, false));
    }
    for (value, text) in &x.ticks {
        let at = x.scale.at(*value);
        if grid {
            canvas.line(&[(at, area.top), (at, area.bottom)], faint);
        }
        canvas.line(&[(at, area.bottom), (at, area.bottom + 5.0)], ink);
        canvas.text(text, (at, area.bottom + 16.0), Text::sized(TICK));
    }
    let size = (area.right - area.left, area.bottom - area.top);
    canvas.rim((area.left, area.top), size, ink);
    let below = ((area.left + area.right) / 2.0, area.bottom + 38.0);
    canvas.text(x.name, below, Text::sized(NAME));
    if !y.name.is_empty() {
        let beside = (deepest - 14.0, (area.top + area.bottom) / 2.0);
        canvas.text(y.name, beside, Text::sized(NAME).turned(-90.0));
    }
    let look = Text::sized(NAME + 1.0).bold().anchor(Anchor::Start);
    canvas.text(title, (area.left, area.top - 16.0), look);
}
