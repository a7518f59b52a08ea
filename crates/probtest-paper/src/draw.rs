//! Drawing: shapes and text to SVG and PNG.
//!
//! Colours, the font, text with the space it takes, the sheet that a figure is drawn on, and a
//! panel with its axes. Nothing here knows what a figure is about.

use std::fmt::{Display, Write};
use std::sync::LazyLock;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};
use ttf_parser::{Face, OutlineBuilder};

/// The paint of a shape: colours that work in print, in dark mode, and for colour-blind readers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paint {
    Paper,
    Ink,
    /// Less prominent lines.
    Faint,
    Grid,
    /// A cell without a value.
    Empty,
    // Data; the four differ in lightness too.
    Blue,
    Orange,
    Green,
    Purple,
    /// A colour that doesn't change between light and dark, such as a heat map cell's.
    Fixed([u8; 3]),
}

/// Every colour that differs between light and dark: its class, on white, and on black.
const CLASSES: [(Paint, &str, &str, &str); 9] = [
    (Paint::Paper, "paper", "#ffffff", "#17181c"),
    (Paint::Ink, "ink", "#1b1c20", "#ededf2"),
    (Paint::Faint, "faint", "#54565f", "#b0b2bd"),
    (Paint::Grid, "grid", "#d5d7de", "#3b3d47"),
    (Paint::Empty, "empty", "#d9d9d9", "#4a4b52"),
    (Paint::Blue, "blue", "#0067a5", "#63b8f0"),
    (Paint::Orange, "orange", "#c85200", "#ff9a4d"),
    (Paint::Green, "green", "#00805d", "#37cfa3"),
    (Paint::Purple, "purple", "#8b3a8f", "#df9be2"),
];

/// The style sheet: light, and dark if the reader prefers it on a screen.
fn style_sheet(with_dark: bool) -> String {
    let rule = |class, colour| format!(".f-{class}{{fill:{colour}}}.s-{class}{{stroke:{colour}}}");
    let light: String = CLASSES.iter().map(|(_, class, light, _)| rule(class, light)).collect();
    let dark: String = CLASSES.iter().map(|(_, class, _, dark)| rule(class, dark)).collect();
    match with_dark {
        true => format!("{light}@media screen and (prefers-color-scheme:dark){{{dark}}}"),
        false => light,
    }
}

/// The colours of a heat map, from low to high: lightness decreases throughout, so that it can be
/// read in grey.
const RAMP: [[u8; 3]; 6] =
    [[255, 247, 214], [199, 227, 180], [95, 185, 180], [43, 127, 176], [37, 63, 142], [20, 22, 63]];

/// The colour of a heat map at a fraction of its range, 0 to 1.
pub fn ramp(part: f64) -> [u8; 3] {
    let steps = RAMP.len() - 1;
    let at = part.clamp(0.0, 1.0) * steps as f64;
    let from = (at as usize).min(steps - 1);
    let rest = at - from as f64;
    std::array::from_fn(|i| {
        let (a, b) = (f64::from(RAMP[from][i]), f64::from(RAMP[from + 1][i]));
        (a + (b - a) * rest).round() as u8
    })
}

/// Black or white, whichever is readable on a heat map at a fraction of its range.
pub fn readable_on(part: f64) -> [u8; 3] {
    // Here the ramp has luminance 0.179, with equal contrast to black and to white.
    match part < 0.611 {
        true => [0; 3],
        false => [255; 3],
    }
}

/// Which end of a text is at its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Text {
    /// The font size in pixels.
    pub size: f64,
    pub bold: bool,
    /// Which end is at the position; vertically it is always the middle.
    pub anchor: Anchor,
    /// Rotated clockwise around its position, in degrees.
    pub turned: f64,
    pub paint: Paint,
    /// An outline around the letters, for text that crosses a line.
    pub rim: Option<Paint>,
}

impl Text {
    /// Ink, centred, not rotated.
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
        Text { rim: Some(rim), ..self }
    }
}

/// A text that was drawn, and the four corners of the space it takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    pub text: String,
    pub corners: [(f64, f64); 4],
}

impl Label {
    /// Whether the two overlap.
    fn overlaps(&self, other: &Label) -> bool {
        // Two convex shapes are disjoint if a side of one of them separates them.
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

/// Light only, or light and dark as the reader prefers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// A separate file, light and dark.
    File,
    /// Embedded in a page, light and dark.
    Inside,
    /// For paper: light.
    Light,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stroke {
    pub paint: Paint,
    pub width: f64,
    /// The lengths of dashes and gaps; empty for a solid line.
    pub dashes: &'static str,
}

impl Stroke {
    pub fn new(paint: Paint, width: f64) -> Self {
        Stroke { paint, width, dashes: "" }
    }

    pub fn dashed(self, dashes: &'static str) -> Self {
        Stroke { dashes, ..self }
    }
}

/// A figure: shapes, and texts with the space they take.
pub struct Canvas {
    /// The file name, without its extension.
    pub name: &'static str,
    size: (f64, f64),
    pub title: &'static str,
    description: &'static str,
    shapes: String,
    /// The same, with text as shapes: for PNG.
    outlined: String,
    pub labels: Vec<Label>,
}

impl Canvas {
    /// Makes an empty sheet. The title and the description are for screen readers.
    pub fn new(
        name: &'static str,
        size: (f64, f64),
        title: &'static str,
        description: &'static str,
    ) -> Self {
        let (shapes, outlined, labels) = Default::default();
        let mut canvas = Canvas { name, size, title, description, shapes, outlined, labels };
        canvas.rectangle((0.0, 0.0), size, Paint::Paper);
        canvas
    }

    /// Draws a filled rectangle, given its corner and its size.
    pub fn rectangle(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), paint: Paint) {
        let painted = painted(Some(paint), None);
        self.shape(format_args!(
            r#"<rect x="{x:.2}" y="{y:.2}" width="{width:.2}" height="{height:.2}" shape-rendering="crispEdges" {painted}/>"#
        ));
    }

    pub fn rim(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), line: Stroke) {
        let painted = painted(None, Some(line));
        self.shape(format_args!(
            r#"<rect x="{x:.2}" y="{y:.2}" width="{width:.2}" height="{height:.2}" {painted}/>"#
        ));
    }

    pub fn line(&mut self, points: &[(f64, f64)], line: Stroke) {
        let painted = painted(None, Some(line));
        let points: Vec<_> = points.iter().map(|(x, y)| format!("{x:.2},{y:.2}")).collect();
        let points = points.join(" ");
        self.shape(format_args!(
            r#"<polyline points="{points}" stroke-linejoin="round" {painted}/>"#
        ));
    }

    /// Draws the part of a line that is inside an area.
    pub fn line_inside(&mut self, area: Area, points: &[(f64, f64)], line: Stroke) {
        let Area { left, top, right, bottom } = area;
        let (id, width, height) = (self.shapes.len(), right - left, bottom - top);
        let id = format!("{}-{id}", self.name);
        self.shape(format_args!(
            r##"<clipPath id="{id}"><rect x="{left}" y="{top}" width="{width}" height="{height}"/></clipPath><g clip-path="url(#{id})">"##
        ));
        self.line(points, line);
        self.shape(format_args!("</g>"));
    }

    pub fn circle(&mut self, (x, y): (f64, f64), radius: f64, paint: Paint) {
        let painted = painted(Some(paint), None);
        self.shape(format_args!(r#"<circle cx="{x:.2}" cy="{y:.2}" r="{radius:.2}" {painted}/>"#));
    }

    /// Draws a text, vertically centred at its position.
    pub fn text(&mut self, text: &str, (x, y): (f64, f64), look: Text) {
        let (size, wide) = (look.size, width(text, look.size, look.bold));
        let (anchor, left) = match look.anchor {
            Anchor::Start => ("start", 0.0),
            Anchor::Middle => ("middle", -wide / 2.0),
            Anchor::End => ("end", -wide),
        };
        // From the top of capitals to the bottom of a comma, around the middle.
        let (right, up, down) = (left + wide, -0.42 * size, 0.52 * size);
        let (sin, cos) = look.turned.to_radians().sin_cos();
        let corners = [(left, up), (right, up), (right, down), (left, down)]
            .map(|(a, b)| (x + a * cos - b * sin, y + a * sin + b * cos));
        self.labels.push(Label { text: text.to_owned(), corners });
        let weight = match look.bold {
            true => r#" font-weight="bold""#,
            false => "",
        };
        let turned = match look.turned {
            0.0 => String::new(),
            turned => format!(r#" transform="rotate({turned:.2} {x:.2} {y:.2})""#),
        };
        let rim = look.rim.map(|rim| Stroke::new(rim, size * 0.28));
        let under = match rim {
            Some(_) => r#" paint-order="stroke" stroke-linejoin="round""#,
            None => "",
        };
        let painted = painted(Some(look.paint), rim);
        // Capitals of the font are 0.73 high: half of that is below the middle.
        let baseline = y + 0.365 * size;
        let outline = outline(text, (x + left, baseline), size, look.bold);
        let text = escaped(text);
        // Writing into a string can't fail.
        let _ = writeln!(
            self.shapes,
            r#"<text x="{x:.2}" y="{baseline:.2}" font-size="{size}" text-anchor="{anchor}"{weight}{turned}{under} {painted}>{text}</text>"#
        );
        let _ = writeln!(self.outlined, r#"<path d="{outline}"{turned}{under} {painted}/>"#);
    }

    fn shape(&mut self, shape: std::fmt::Arguments<'_>) {
        for shapes in [&mut self.shapes, &mut self.outlined] {
            let _ = writeln!(shapes, "{shape}");
        }
    }

    /// Layout problems: texts that leave the sheet, and texts that overlap. Empty for a good
    /// figure.
    pub fn faults(&self) -> Vec<String> {
        let (width, height) = self.size;
        let inside =
            |&(x, y): &(f64, f64)| (0.0..=width).contains(&x) && (0.0..=height).contains(&y);
        let mut faults = Vec::new();
        for (i, label) in self.labels.iter().enumerate() {
            if !label.corners.iter().all(inside) {
                faults.push(format!("\"{}\" leaves the sheet", label.text));
            }
            for other in &self.labels[i + 1..] {
                if label.overlaps(other) {
                    faults.push(format!("\"{}\" overlaps \"{}\"", label.text, other.text));
                }
            }
        }
        faults
    }

    pub fn svg(&self, look: Look) -> String {
        self.with(look, &self.shapes)
    }

    fn with(&self, look: Look, shapes: &str) -> String {
        let ((width, height), name) = (self.size, self.name);
        let head = match look {
            Look::Inside => "",
            Look::File | Look::Light => "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n",
        };
        format!(
            r#"{head}<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" aria-labelledby="{name}-title {name}-text" font-family="'DejaVu Sans',Verdana,Arial,sans-serif">
<title id="{name}-title">{}</title>
<desc id="{name}-text">{}</desc>
<style>{}</style>
{shapes}</svg>
"#,
            escaped(self.title),
            escaped(self.description),
            style_sheet(look != Look::Light),
        )
    }
}

/// Draws a figure as PNG, light and in the embedded font, with `scale` pixels per unit. Fails if it
/// isn't valid SVG, or is too large for the memory.
pub fn png(canvas: &Canvas, scale: f32) -> Result<Vec<u8>, String> {
    let fail = |reason: &dyn Display| format!("{} cannot be drawn as PNG: {reason}", canvas.name);
    let svg = canvas.with(Look::Light, &canvas.outlined);
    let tree = Tree::from_str(&svg, &Options::default()).map_err(|error| fail(&error))?;
    let pixels = |length: f64| (length as f32 * scale).ceil() as u32;
    let mut image = Pixmap::new(pixels(canvas.size.0), pixels(canvas.size.1))
        .ok_or_else(|| fail(&"the image is empty or too large"))?;
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut image.as_mut());
    image.encode_png().map_err(|error| fail(&error))
}

/// The attributes of a shape: its fill and its line. Both may be classes, and an element has only
/// one class attribute.
fn painted(fill: Option<Paint>, line: Option<Stroke>) -> String {
    let (mut attributes, mut classes) = (Vec::new(), Vec::new());
    if fill.is_none() {
        attributes.push(r#"fill="none""#.to_owned());
    }
    let stroke = line.map(|line| line.paint);
    for (name, paint) in [("fill", fill), ("stroke", stroke)] {
        let class = CLASSES.iter().find(|(of, ..)| Some(*of) == paint);
        classes.extend(class.map(|(_, class, ..)| format!("{}-{class}", &name[..1])));
        if let Some(Paint::Fixed([r, g, b])) = paint {
            attributes.push(format!(r##"{name}="#{r:02x}{g:02x}{b:02x}""##));
        }
    }
    if let Some(line) = line {
        attributes.push(format!(r#"stroke-width="{}""#, line.width));
        if !line.dashes.is_empty() {
            attributes.push(format!(r#"stroke-dasharray="{}""#, line.dashes));
        }
    }
    if !classes.is_empty() {
        attributes.push(format!(r#"class="{}""#, classes.join(" ")));
    }
    attributes.join(" ")
}

/// Escapes anything for XML and HTML.
pub fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            // XML can't represent most control characters, not even escaped.
            letter if letter.is_control() && letter != '\n' && letter != '\t' => safe.push(' '),
            letter => safe.push(letter),
        }
    }
    safe
}

/// The regular and the bold face of the font.
static FACES: LazyLock<[Face<'static>; 2]> = LazyLock::new(|| {
    let face = |bytes| Face::parse(bytes, 0).expect("the font inside the program can be read");
    [face(dejavu::sans::regular()), face(dejavu::sans::bold())]
});

/// The width of a text in the figures' font, without kerning.
pub fn width(text: &str, size: f64, bold: bool) -> f64 {
    let face = &FACES[usize::from(bold)];
    let units: f64 = text.chars().map(|letter| advance(face, letter)).sum();
    units * size / f64::from(face.units_per_em())
}

/// How far the next letter is from this one, in units of the font.
fn advance(face: &Face<'_>, letter: char) -> f64 {
    let glyph = face.glyph_index(letter);
    let advance = glyph.and_then(|glyph| face.glyph_hor_advance(glyph));
    f64::from(advance.unwrap_or(face.units_per_em()))
}

/// The letters of a text as path data, from where the first one starts.
fn outline(text: &str, from: (f64, f64), size: f64, bold: bool) -> String {
    let face = &FACES[usize::from(bold)];
    let scale = size / f64::from(face.units_per_em());
    let mut outline = Outline { path: String::new(), scale, at: from };
    for letter in text.chars() {
        if let Some(glyph) = face.glyph_index(letter) {
            face.outline_glyph(glyph, &mut outline);
        }
        outline.at.0 += advance(face, letter) * outline.scale;
    }
    outline.path
}

/// Writes the font's outline of a letter as path data.
struct Outline {
    path: String,
    scale: f64,
    /// Where the letter starts.
    at: (f64, f64),
}

impl Outline {
    fn step(&mut self, word: char, points: &[(f32, f32)]) {
        self.path.push(word);
        for (x, y) in points {
            // In fonts, up is positive.
            let x = self.at.0 + f64::from(*x) * self.scale;
            let y = self.at.1 - f64::from(*y) * self.scale;
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

const TICK: f64 = 13.0;
const NAME: f64 = 14.0;

/// An axis without its appearance: which value is where.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    values: (f64, f64),
    places: (f64, f64),
    logarithmic: bool,
}

impl Scale {
    pub fn linear(values: (f64, f64), places: (f64, f64)) -> Self {
        Scale { values, places, logarithmic: false }
    }

    /// A logarithmic scale; values are above zero.
    pub fn logarithmic(values: (f64, f64), places: (f64, f64)) -> Self {
        Scale { logarithmic: true, ..Scale::linear(values, places) }
    }

    /// Where a value is.
    pub fn at(&self, value: f64) -> f64 {
        let axis = |value: f64| if self.logarithmic { value.ln() } else { value };
        let (low, high) = (axis(self.values.0), axis(self.values.1));
        let part = (axis(value) - low) / (high - low);
        self.places.0 + (self.places.1 - self.places.0) * part
    }
}

/// The area of a panel inside its axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Area {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

/// An axis: its scale, its name, and its labels by value.
pub struct Axis<'a> {
    pub scale: Scale,
    /// The name; empty for an axis that shares one.
    pub name: &'a str,
    pub ticks: Vec<(f64, String)>,
}

/// Draws the background of the data, and the text around it.
pub fn panel(canvas: &mut Canvas, area: Area, title: &str, x: &Axis<'_>, y: &Axis<'_>, grid: bool) {
    let ink = Stroke::new(Paint::Ink, 1.0);
    let faint = Stroke::new(Paint::Grid, 1.0);
    let mut deepest = area.left;
    for (value, text) in &y.ticks {
        let at = y.scale.at(*value);
        if grid {
            canvas.line(&[(area.left, at), (area.right, at)], faint);
        }
        canvas.line(&[(area.left - 5.0, at), (area.left, at)], ink);
        let look = Text::sized(TICK).anchor(Anchor::End).rim(Paint::Paper);
        canvas.text(text, (area.left - 8.0, at), look);
        deepest = deepest.min(area.left - 8.0 - width(text, TICK, false));
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
