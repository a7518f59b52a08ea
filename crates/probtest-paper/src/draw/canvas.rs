//! The sheet that a figure is drawn on.

use std::fmt::{Display, Write};
use std::sync::Arc;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};

use super::colour::{Written, style_sheet};
use super::{Anchor, Label, Paint, Text};

/// Light only, or light and dark as the reader prefers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// A file of its own, light and dark.
    File,
    /// For the inside of a page, light and dark.
    Inside,
    /// For paper: light.
    Light,
}

/// How a line looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    pub paint: Paint,
    pub width: f64,
    /// The lengths of dashes and gaps; empty for a whole line.
    pub dashes: &'static str,
}

impl Line {
    /// A whole line.
    pub fn new(paint: Paint, width: f64) -> Self {
        Line {
            paint,
            width,
            dashes: "",
        }
    }

    pub fn dashed(self, dashes: &'static str) -> Self {
        Line { dashes, ..self }
    }
}

/// A figure on its way: shapes, and the texts with the room that they take.
pub struct Canvas {
    name: String,
    width: f64,
    height: f64,
    title: String,
    description: String,
    shapes: String,
    labels: Vec<Label>,
}

impl Canvas {
    /// Makes an empty sheet. The name is that of the file, the title and the
    /// description are for those who hear the figure.
    pub fn new(name: &str, (width, height): (f64, f64), title: &str, description: &str) -> Self {
        let mut canvas = Canvas {
            name: name.to_owned(),
            width,
            height,
            title: title.to_owned(),
            description: description.to_owned(),
            shapes: String::new(),
            labels: Vec::new(),
        };
        canvas.rectangle((0.0, 0.0), (width, height), Paint::Paper);
        canvas
    }

    /// The name of the file, without its ending.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn title(&self) -> &str {
        &self.title
    }

    pub fn labels(&self) -> &[Label] {
        &self.labels
    }

    /// Draws a filled rectangle, by its corner and its size.
    pub fn rectangle(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), paint: Paint) {
        let painted = painted(Some(paint), None);
        self.shape(format_args!(
            r#"<rect x="{x:.2}" y="{y:.2}" width="{width:.2}" height="{height:.2}" shape-rendering="crispEdges" {painted}/>"#
        ));
    }

    /// Draws the rim of a rectangle.
    pub fn rim(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), line: Line) {
        let painted = painted(None, Some(line));
        self.shape(format_args!(
            r#"<rect x="{x:.2}" y="{y:.2}" width="{width:.2}" height="{height:.2}" {painted}/>"#
        ));
    }

    pub fn line(&mut self, points: &[(f64, f64)], line: Line) {
        let painted = painted(None, Some(line));
        let points = points.iter().map(|(x, y)| format!("{x:.2},{y:.2}"));
        let points = points.collect::<Vec<_>>().join(" ");
        self.shape(format_args!(
            r#"<polyline points="{points}" stroke-linejoin="round" {painted}/>"#
        ));
    }

    pub fn circle(&mut self, (x, y): (f64, f64), radius: f64, paint: Paint) {
        let painted = painted(Some(paint), None);
        self.shape(format_args!(
            r#"<circle cx="{x:.2}" cy="{y:.2}" r="{radius:.2}" {painted}/>"#
        ));
    }

    /// Draws a text; its middle is at the height of the place.
    pub fn text(&mut self, text: &str, (x, y): (f64, f64), look: Text) {
        self.labels.push(Label::new(text, (x, y), &look));
        let anchor = match look.anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let weight = match look.bold {
            true => r#" font-weight="bold""#,
            false => "",
        };
        let turned = match look.turned {
            0.0 => String::new(),
            turned => format!(r#" transform="rotate({turned:.2} {x:.2} {y:.2})""#),
        };
        let rim = look.rim.map(|rim| Line::new(rim, look.size * 0.28));
        let under = match rim {
            Some(_) => r#" paint-order="stroke" stroke-linejoin="round""#,
            None => "",
        };
        let painted = painted(Some(look.paint), rim);
        // Capitals of the font are 0.73 high: half of that below the middle.
        let baseline = y + 0.365 * look.size;
        let (size, text) = (look.size, escaped(text));
        self.shape(format_args!(
            r#"<text x="{x:.2}" y="{baseline:.2}" font-size="{size}" text-anchor="{anchor}"{weight}{turned}{under} {painted}>{text}</text>"#
        ));
    }

    fn shape(&mut self, shape: std::fmt::Arguments<'_>) {
        // Writing into a text cannot fail.
        let _ = writeln!(self.shapes, "{shape}");
    }

    /// What a reader would stumble over: texts that leave the sheet, and texts
    /// that overlap. Empty for a good figure.
    pub fn faults(&self) -> Vec<String> {
        let inside = |&(x, y): &(f64, f64)| {
            (0.0..=self.width).contains(&x) && (0.0..=self.height).contains(&y)
        };
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
        let (width, height, name) = (self.width, self.height, escaped(&self.name));
        let head = match look {
            Look::Inside => "",
            Look::File | Look::Light => "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n",
        };
        format!(
            r#"{head}<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" aria-labelledby="{name}-title {name}-text" font-family="'DejaVu Sans',Verdana,Arial,sans-serif">
<title id="{name}-title">{}</title>
<desc id="{name}-text">{}</desc>
<style>{}</style>
{}</svg>
"#,
            escaped(&self.title),
            escaped(&self.description),
            style_sheet(look != Look::Light),
            self.shapes
        )
    }
}

/// Draws a figure as PNG, light and with the font inside the program, with so many pixels
/// for each of its units. Fails when it is no valid SVG, or too large for the memory.
pub fn png(canvas: &Canvas, scale: f32) -> Result<Vec<u8>, String> {
    let fail = |reason: &dyn Display| format!("{} cannot be drawn as PNG: {reason}", canvas.name);
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
    let tree = tree.map_err(|error| fail(&error))?;
    let pixels = |length: f64| (length as f32 * scale).ceil() as u32;
    let mut image = Pixmap::new(pixels(canvas.width), pixels(canvas.height))
        .ok_or_else(|| fail(&"the image is empty or too large"))?;
    let transform = Transform::from_scale(scale, scale);
    resvg::render(&tree, transform, &mut image.as_mut());
    image.encode_png().map_err(|error| fail(&error))
}

/// The attributes of a shape: what fills it, and its line. Both may be roles, and
/// an element has one class attribute only.
fn painted(fill: Option<Paint>, line: Option<Line>) -> String {
    let (mut attributes, mut classes) = (Vec::new(), Vec::new());
    match fill.map(Paint::written) {
        Some(Written::Class(class)) => classes.push(format!("f-{class}")),
        Some(Written::Hex(colour)) => attributes.push(format!(r#"fill="{colour}""#)),
        None => attributes.push(r#"fill="none""#.to_owned()),
    }
    if let Some(line) = line {
        match line.paint.written() {
            Written::Class(class) => classes.push(format!("s-{class}")),
            Written::Hex(colour) => attributes.push(format!(r#"stroke="{colour}""#)),
        }
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

/// Makes text of anything, for XML and HTML.
pub fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            // XML has no place for most control characters, not even escaped.
            letter if letter.is_control() && letter != '\n' && letter != '\t' => safe.push(' '),
            letter => safe.push(letter),
        }
    }
    safe
}
