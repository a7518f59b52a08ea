//! How wide is a text?

use std::sync::OnceLock;

use ttf_parser::Face;

/// The regular and the bold face of the font that is drawn with.
fn face(bold: bool) -> Option<&'static Face<'static>> {
    static FACES: OnceLock<[Option<Face<'static>>; 2]> = OnceLock::new();
    let faces = FACES.get_or_init(|| {
        [dejavu::sans::regular(), dejavu::sans::bold()].map(|bytes| Face::parse(bytes, 0).ok())
    });
    faces[usize::from(bold)].as_ref()
}

/// The width of a text in the font of the figures, without kerning.
///
/// ```
/// use probtest_paper::draw::width;
///
/// assert!(width("mm", 12.0, false) > width("ii", 12.0, false));
/// assert_eq!(width("299", 24.0, false), 2.0 * width("299", 12.0, false));
/// ```
pub fn width(text: &str, size: f64, bold: bool) -> f64 {
    let Some(face) = face(bold) else {
        // As wide as the widest letters are, so that a layout stays safe.
        return text.chars().count() as f64 * size;
    };
    let advance = |letter| {
        let glyph = face.glyph_index(letter)?;
        face.glyph_hor_advance(glyph)
    };
    let units: f64 = text
        .chars()
        .map(|letter| f64::from(advance(letter).unwrap_or(face.units_per_em())))
        .sum();
    units * size / f64::from(face.units_per_em())
}
