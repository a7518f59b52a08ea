//! From SVG to PNG, with the font inside the program.

use std::sync::Arc;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};

use super::{Canvas, Look};

/// Why there is no PNG.
#[derive(Debug, thiserror::Error)]
#[error("{name} cannot be drawn as PNG: {reason}")]
pub struct PngError {
    name: String,
    reason: String,
}

/// Draws a figure, light, with so many pixels for each of its units.
///
/// # Errors
///
/// When the figure is no valid SVG, or too large for the memory.
pub fn png(canvas: &Canvas, scale: f32) -> Result<Vec<u8>, PngError> {
    let fail = |reason: String| PngError {
        name: canvas.name().to_owned(),
        reason,
    };
    let mut fonts = fontdb::Database::new();
    for face in [dejavu::sans::regular(), dejavu::sans::bold()] {
        fonts.load_font_data(face.to_vec());
    }
    fonts.set_sans_serif_family("DejaVu Sans");
    let options = Options {
        fontdb: Arc::new(fonts),
        font_family: "DejaVu Sans".into(),
        ..Options::default()
    };
    let tree = Tree::from_str(&canvas.svg(Look::Light), &options);
    let tree = tree.map_err(|error| fail(error.to_string()))?;
    let (width, height) = canvas.size();
    let pixels = |length: f64| (length as f32 * scale).ceil() as u32;
    let mut image = Pixmap::new(pixels(width), pixels(height))
        .ok_or_else(|| fail("the image is empty or too large".into()))?;
    resvg::render(
        &tree,
        Transform::from_scale(scale, scale),
        &mut image.as_mut(),
    );
    image.encode_png().map_err(|error| fail(error.to_string()))
}
