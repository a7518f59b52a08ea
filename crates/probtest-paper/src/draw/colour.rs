//! Colours that work in print, in the dark, and for everybody.

/// What a shape is painted with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paint {
    /// A colour that follows light and dark.
    Role(Role),
    /// A colour that stays, such as that of a cell of a heat map.
    Fixed([u8; 3]),
}

/// A colour by what it is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
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
}

impl Role {
    /// Every role with its class, its colour on white, and its colour on black.
    pub const ALL: [(Role, &'static str, &'static str, &'static str); 9] = [
        (Role::Paper, "paper", "#ffffff", "#17181c"),
        (Role::Ink, "ink", "#1b1c20", "#ededf2"),
        (Role::Faint, "faint", "#54565f", "#b0b2bd"),
        (Role::Grid, "grid", "#d5d7de", "#3b3d47"),
        (Role::Empty, "empty", "#d9d9d9", "#4a4b52"),
        (Role::Blue, "blue", "#0067a5", "#63b8f0"),
        (Role::Orange, "orange", "#c85200", "#ff9a4d"),
        (Role::Green, "green", "#00805d", "#37cfa3"),
        (Role::Purple, "purple", "#8b3a8f", "#df9be2"),
    ];

    /// The name of its class in the style sheet.
    pub fn class(self) -> &'static str {
        let found = Role::ALL.iter().find(|(role, ..)| *role == self);
        found.map_or("ink", |(_, class, ..)| class)
    }
}

/// The style sheet: light, and dark where the reader prefers it on a screen.
pub(super) fn style_sheet(with_dark: bool) -> String {
    let rules = |dark: bool| {
        let rule = |&(_, class, light, black): &(Role, &str, &str, &str)| {
            let colour = if dark { black } else { light };
            format!(".f-{class}{{fill:{colour}}}.s-{class}{{stroke:{colour}}}")
        };
        Role::ALL.iter().map(rule).collect::<String>()
    };
    if with_dark {
        format!(
            "{}@media screen and (prefers-color-scheme:dark){{{}}}",
            rules(false),
            rules(true)
        )
    } else {
        rules(false)
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
    if luminance(colour) > 0.179 {
        [0, 0, 0]
    } else {
        [255, 255, 255]
    }
}

/// The relative luminance, 0 to 1.
fn luminance(colour: [u8; 3]) -> f64 {
    let linear = colour.map(|part| {
        let part = f64::from(part) / 255.0;
        if part <= 0.040_45 {
            part / 12.92
        } else {
            ((part + 0.055) / 1.055).powf(2.4)
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
        let (_, _, white, black) = Role::ALL[0];
        for (role, class, light, dark) in Role::ALL {
            if matches!(role, Role::Paper | Role::Grid | Role::Empty) {
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
