//! Letters: the font of the figures, how wide a text is in it, and its outlines.

use std::fmt::Write;
use std::sync::OnceLock;

use ttf_parser::{Face, OutlineBuilder};

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
    let units: f64 = text.chars().map(|letter| advance(face, letter)).sum();
    units * size / f64::from(face.units_per_em())
}

/// How far the next letter stands from this one, in units of the font.
fn advance(face: &Face<'_>, letter: char) -> f64 {
    let glyph = face.glyph_index(letter);
    let advance = glyph.and_then(|glyph| face.glyph_hor_advance(glyph));
    f64::from(advance.unwrap_or(face.units_per_em()))
}

/// The letters of a text as the data of a path, from where the first one begins.
pub fn outline(text: &str, from: (f64, f64), size: f64, bold: bool) -> String {
    let Some(face) = face(bold) else {
        return String::new();
    };
    let mut outline =
        Outline { path: String::new(), scale: size / f64::from(face.units_per_em()), at: from };
    for letter in text.chars() {
        if let Some(glyph) = face.glyph_index(letter) {
            face.outline_glyph(glyph, &mut outline);
        }
        outline.at.0 += advance(face, letter) * outline.scale;
    }
    outline.path
}

/// Writes what the font says about a letter as the data of a path.
struct Outline {
    path: String,
    scale: f64,
    /// Where the letter stands.
    at: (f64, f64),
}

impl Outline {
    fn step(&mut self, word: char, points: &[(f32, f32)]) {
        self.path.push(word);
        for (x, y) in points {
            // In fonts, up is positive.
            let x = self.at.0 + f64::from(*x) * self.scale;
            let y = self.at.1 - f64::from(*y) * self.scale;
            // Writing into a text cannot fail.
            let _ = write!(self.path, " {x:.3} {y:.3}");
        }
    }
}

impl OutlineBuilder for Outline {
    fn move_to(&mut self, x: f32, y: f32) {
        self.step('M', &[(x, y)]);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.step('L', &[(x, y)]);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.step('Q', &[(x1, y1), (x, y)]);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.step('C', &[(x1, y1), (x2, y2), (x, y)]);
    }

    fn close(&mut self) {
        self.step('Z', &[]);
    }
}
