//! Numbers, durations and foreign text, as people should see them.

pub use probtest::report::{plural, round_down, round_up};

/// The longest name of a test that is shown in full.
pub const NAME: usize = 400;
/// How much of a message, or of a program's output, is shown.
pub const DETAILS: usize = 16 * 1024;

/// Writes a whole number with narrow spaces between groups of three digits.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    if digits.len() < 5 {
        return digits;
    }
    let groups = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy);
    groups.collect::<Vec<_>>().join("\u{202f}")
}

pub fn duration(seconds: f64) -> String {
    let whole = seconds.round();
    let two = |large: f64, name: &str, small: f64, other: &str| {
        let (first, rest) = ((whole / large).floor(), whole % large);
        match (rest / small).floor() {
            0.0 => format!("{first} {name}"),
            second => format!("{first} {name} {second} {other}"),
        }
    };
    match seconds {
        s if s <= 0.0 => "0 s".into(),
        s if s < 1e-3 => "< 1 ms".into(),
        s if s < 0.9995 => format!("{:.0} ms", s * 1e3),
        s if s < 9.995 => format!("{s:.2} s"),
        s if s < 59.95 => format!("{s:.1} s"),
        _ if whole < 3600.0 => two(60.0, "min", 1.0, "s"),
        _ if whole < 86_400.0 => two(3600.0, "h", 60.0, "min"),
        _ => two(86_400.0, "d", 3600.0, "h"),
    }
}

/// Whether a character could change how other text is displayed, or can't be written in every
/// format: controls, marks that reverse the writing direction, zero-width marks, blank letters,
/// invisible tags, and the two that XML refuses. The joiners of emoji and of some scripts are
/// allowed.
fn is_treacherous(c: char) -> bool {
    let turns = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let hides = matches!(c, '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{200b}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}');
    let breaks = matches!(c, '\u{2028}' | '\u{2029}' | '\u{fffe}' | '\u{ffff}');
    c.is_control() || turns || hides || breaks
}

/// The first characters of foreign text; treacherous ones become visible, unless they are to be
/// kept.
fn visible(text: &str, most: usize, keep: &[char]) -> String {
    let mut shown = String::new();
    for c in text.chars().take(most) {
        match is_treacherous(c) && !keep.contains(&c) {
            true => shown.extend(c.escape_default()),
            false => shown.push(c),
        }
    }
    shown
}

/// Puts foreign text on one line of at most `most` characters.
pub fn one_line(text: &str, most: usize) -> String {
    let mut line = visible(text, most, &[]);
    if text.chars().nth(most).is_some() {
        line.push('\u{2026}');
    }
    line
}

/// Puts a name on one line of at most `most` characters. A longer name loses its middle: what
/// distinguishes it from its neighbours often comes last.
pub fn short_name(name: &str, most: usize) -> String {
    let length = name.chars().count();
    if length <= most {
        return one_line(name, most);
    }
    let last = most / 3;
    let rest: String = name.chars().skip(length - last).collect();
    one_line(name, most - last) + &one_line(&rest, last)
}

/// Makes foreign text of several lines harmless, and says what was left out.
pub fn many_lines(text: &str, most: usize) -> String {
    let text = text.trim_end();
    let mut lines = visible(text, most, &['\n', '\t']);
    let left = text.chars().count().saturating_sub(most) as u64;
    if left > 0 {
        let left = plural(left, "character");
        lines.push_str(&format!("\n[{left} left out here; the JSON has them]"));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_the_unit_that_people_use() {
        for (seconds, words) in [
            (0.0, "0 s"),
            (0.0002, "< 1 ms"),
            (0.0421, "42 ms"),
            (1.0, "1.00 s"),
            (59.96, "1 min"),
            (200.2, "3 min 20 s"),
            (3599.6, "1 h"),
            (7500.0, "2 h 5 min"),
            (1e6, "11 d 13 h"),
        ] {
            assert_eq!(duration(seconds), words, "{seconds}");
        }
    }

    #[test]
    fn escapes_and_turned_writing_become_visible() {
        assert_eq!(one_line("a\u{1b}[31m\nb\u{202e}c", 80), "a\\u{1b}[31m\\nb\\u{202e}c");
        assert_eq!(one_line("abcdef", 3), "abc\u{2026}");
        assert_eq!(short_name("abcdefgh", 6), "abcd\u{2026}gh");
        assert_eq!(short_name("abcdef", 6), "abcdef");
        assert_eq!(many_lines("a\tb\n\u{7}\n", 80), "a\tb\n\\u{7}");
        assert!(many_lines("abcdef", 3).starts_with("abc\n[3 characters left out"));
    }

    #[test]
    fn long_numbers_are_grouped() {
        assert_eq!(grouped(2995), "2995");
        assert_eq!(grouped(299_573), "299\u{202f}573");
    }
}
