//! Drawing: shapes and texts to SVG and PNG.
//!
//! Nothing here knows what a figure is about.

mod axes;
mod canvas;
mod colour;
mod text;

pub use axes::{Area, Axis, Scale, panel};
pub use canvas::{Canvas, Line, Look, escaped, png};
pub use colour::{Paint, ramp, readable_on};
pub use text::{Anchor, Label, Text, width};
