//! Colours that work in print, in the dark, and for everybody.

/// What a shape is painted with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paint {
    // Colours by what they are for, which follow light and dark.
    Paper,
    /// Texts, axes.
    Ink,
    /// Texts of less weight.
    Faint,
    /// Lines behind the data.
    Grid,
    /// A cell without a value.
    Empty,
    /// Data; the four differ in lightness too.
    Blue,
    Orange,
    Green,
    Purple,
    /// A colour that stays, such as that of a cell of a heat map.
    Fixed([u8; 3]),
}

/// Every colour that follows light and dark: its class, on white, and on black.
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

/// How a colour is written.
pub(super) enum Written {
    Class(&'static str),
    Hex(String),
}

impl Paint {
    pub(super) fn written(self) -> Written {
        match (self, CLASSES.iter().find(|(paint, ..)| *paint == self)) {
            (Paint::Fixed([r, g, b]), _) => Written::Hex(format!("#{r:02x}{g:02x}{b:02x}")),
            (_, found) => Written::Class(found.map_or("ink", |(_, class, ..)| class)),
        }
    }
}

/// The style sheet: light, and dark where the reader prefers it on a screen.
pub(super) fn style_sheet(with_dark: bool) -> String {
    let rules = |dark: bool| {
        let rule = |&(_, class, light, black): &(Paint, &str, &str, &str)| {
            let colour = if dark { black } else { light };
            format!(".f-{class}{{fill:{colour}}}.s-{class}{{stroke:{colour}}}")
        };
        CLASSES.iter().map(rule).collect::<String>()
    };
    let (light, dark) = (rules(false), rules(true));
    match with_dark {
        true => format!("{light}@media screen and (prefers-color-scheme:dark){{{dark}}}"),
        false => light,
    }
}

/// The colours of a heat map, from little to much: lightness falls all the way,
/// so that it can be read in grey.
const RAMP: [[u8; 3]; 6] = [
    [255, 247, 214],
    [199, 227, 180],
    [95, 185, 180],
    [43, 127, 176],
    [37, 63, 142],
    [20, 22, 63],
];

/// The colour of a heat map at a part of its range, 0 to 1.
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

/// Black or white, whichever can be read on a colour.
pub fn readable_on(colour: [u8; 3]) -> [u8; 3] {
    // Equal contrast to black and to white is at luminance 0.179.
    match luminance(colour) > 0.179 {
        true => [0; 3],
        false => [255; 3],
    }
}

/// The relative luminance, 0 to 1.
fn luminance(colour: [u8; 3]) -> f64 {
    let linear = colour.map(|part| {
        let part = f64::from(part) / 255.0;
        match part <= 0.040_45 {
            true => part / 12.92,
            false => ((part + 0.055) / 1.055).powf(2.4),
        }
    });
    0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heat_map_gets_darker_with_every_step() {
        let lightness: Vec<f64> = (0..=100)
            .map(|step| luminance(ramp(f64::from(step) / 100.0)))
            .collect();
        assert!(lightness.windows(2).all(|pair| pair[1] < pair[0]));
    }

    /// The contrast that the accessibility guidelines ask of text is 4.5.
    #[test]
    fn texts_have_enough_contrast_on_paper_and_on_every_cell() {
        let read = |hex: &str| {
            let part = |at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
            [part(1), part(3), part(5)]
        };
        let contrast = |a: [u8; 3], b: [u8; 3]| {
            let (a, b) = (luminance(a) + 0.05, luminance(b) + 0.05);
            a.max(b) / a.min(b)
        };
        let (_, _, white, black) = CLASSES[0];
        for (paint, class, light, dark) in CLASSES {
            if matches!(paint, Paint::Paper | Paint::Grid | Paint::Empty) {
                continue;
            }
            assert!(contrast(read(light), read(white)) > 4.5, "{class} in light");
            assert!(contrast(read(dark), read(black)) > 4.5, "{class} in dark");
        }
        for step in 0..=100 {
            let cell = ramp(f64::from(step) / 100.0);
            assert!(contrast(cell, readable_on(cell)) > 4.5, "{step}");
        }
    }
}
