//! Texts, and the room that they take.

use std::sync::OnceLock;

use ttf_parser::Face;

use super::Paint;

/// Which end of a text stands at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

/// How a text looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Text {
    /// The height of the letters in pixels, as fonts count it.
    pub size: f64,
    pub bold: bool,
    /// Which end is at the place; vertically the middle always is.
    pub anchor: Anchor,
    /// Turned clockwise around its place, in degrees.
    pub turned: f64,
    pub paint: Paint,
    /// A rim around the letters, for a text that crosses a line.
    pub rim: Option<Paint>,
}

impl Text {
    /// Ink, in the middle, not turned.
    pub fn sized(size: f64) -> Self {
        Text {
            size,
            bold: false,
            anchor: Anchor::Middle,
            turned: 0.0,
            paint: Paint::Ink,
            rim: None,
        }
    }

    pub fn bold(self) -> Self {
        Text { bold: true, ..self }
    }

    pub fn anchor(self, anchor: Anchor) -> Self {
        Text { anchor, ..self }
    }

    pub fn turned(self, turned: f64) -> Self {
        Text { turned, ..self }
    }

    pub fn paint(self, paint: Paint) -> Self {
        Text { paint, ..self }
    }

    pub fn rim(self, rim: Paint) -> Self {
        let rim = Some(rim);
        Text { rim, ..self }
    }
}

/// The regular and the bold face of the font that is drawn with.
fn face(bold: bool) -> Option<&'static Face<'static>> {
    static FACES: OnceLock<[Option<Face<'static>>; 2]> = OnceLock::new();
    let faces = FACES.get_or_init(|| {
        [dejavu::sans::regular(), dejavu::sans::bold()].map(|bytes| Face::parse(bytes, 0).ok())
    });
    faces[usize::from(bold)].as_ref()
}

/// The width of a text in the font of the figures, without kerning.
pub fn width(text: &str, size: f64, bold: bool) -> f64 {
    let Some(face) = face(bold) else {
        // As wide as the widest letters are, so that a layout stays safe.
        return text.chars().count() as f64 * size;
    };
    let advance = |letter| {
        let glyph = face.glyph_index(letter)?;
        face.glyph_hor_advance(glyph)
    };
    let em = face.units_per_em();
    let letters = text.chars();
    let units: f64 = letters
        .map(|letter| f64::from(advance(letter).unwrap_or(em)))
        .sum();
    units * size / f64::from(em)
}

/// A text that was drawn, and the four corners of the room that it takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    pub text: String,
    /// The corners, in order around the room.
    pub corners: [(f64, f64); 4],
}

impl Label {
    pub(super) fn new(text: &str, (x, y): (f64, f64), look: &Text) -> Self {
        let wide = width(text, look.size, look.bold);
        let left = match look.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => -wide / 2.0,
            Anchor::End => -wide,
        };
        // From the top of capitals to the bottom of a comma, around the middle.
        let (up, down) = (-0.42 * look.size, 0.52 * look.size);
        let (sin, cos) = look.turned.to_radians().sin_cos();
        let right = left + wide;
        let corners = [(left, up), (right, up), (right, down), (left, down)];
        Label {
            text: text.to_owned(),
            corners: corners.map(|(a, b)| (x + a * cos - b * sin, y + a * sin + b * cos)),
        }
    }

    /// Says whether the two take the same room somewhere.
    pub fn overlaps(&self, other: &Label) -> bool {
        // Two convex shapes are apart when a side of one of them has them on its
        // two sides.
        let apart = |a: &Label, b: &Label| {
            (0..4).any(|i| {
                let ((x0, y0), (x1, y1)) = (a.corners[i], a.corners[(i + 1) % 4]);
                let side = |&(x, y): &(f64, f64)| (x1 - x0) * (y - y0) - (y1 - y0) * (x - x0);
                b.corners.iter().all(|corner| side(corner) <= 0.0)
            })
        };
        !apart(self, other) && !apart(other, self)
    }
}
