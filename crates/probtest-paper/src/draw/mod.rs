//! Drawing: shapes and texts to SVG and PNG.
//!
//! Nothing here knows what a figure is about.

mod axes;
mod canvas;
mod colour;
mod font;
mod label;
mod png;
mod scale;

pub use axes::{Area, Axis, panel};
pub use canvas::{Canvas, Line, Look, escaped};
pub use colour::{Paint, Role, ramp, readable_on};
pub use font::width;
pub use label::{Anchor, Label, Text};
pub use png::{PngError, png};
pub use scale::Scale;
