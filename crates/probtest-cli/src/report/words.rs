//! Numbers, durations and foreign text, as people should see them.

/// The longest name of a test that is shown whole.
pub const NAME: usize = 400;
/// How much of a message or of what a program wrote is shown.
pub const DETAILS: usize = 16 * 1024;

/// Writes a number with its noun, in the plural where it must be.
pub fn plural(count: u64, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        _ => format!("{count} {noun}s"),
    }
}

/// Writes a whole number with narrow spaces between groups of three digits.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    if digits.len() < 5 {
        return digits;
    }
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// Writes a duration.
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

/// Writes a probability with three digits, rounded down.
pub fn round_down(value: f64) -> String {
    rounded(value, f64::floor)
}

/// Writes a probability with three digits, rounded up: a bound must not promise
/// more than holds.
pub fn round_up(value: f64) -> String {
    rounded(value, f64::ceil)
}

fn rounded(value: f64, round: fn(f64) -> f64) -> String {
    if value <= 0.0 {
        return "0".into();
    }
    // Values are probabilities, or bounds that are cut at 1.
    if value >= 1.0 {
        return "1".into();
    }
    let exponent = value.log10().floor() as i32;
    let scale = 10f64.powi(2 - exponent);
    let scaled = value * scale;
    // 0.05 * 1000 is 50.00000000000001: that is no reason to write 0.051.
    let near = scaled.round();
    let digits = if (scaled - near).abs() < 1e-9 * near.max(1.0) {
        near
    } else {
        round(scaled)
    };
    if exponent < -5 {
        let (digits, exponent) = match digits {
            d if d >= 1000.0 => (d / 1000.0, exponent + 1),
            d => (d / 100.0, exponent),
        };
        return format!("{}e{exponent}", trimmed(&format!("{digits:.2}")));
    }
    trimmed(&format!("{:.*}", (2 - exponent) as usize, digits / scale)).to_owned()
}

fn trimmed(decimal: &str) -> &str {
    match decimal.contains('.') {
        true => decimal.trim_end_matches('0').trim_end_matches('.'),
        false => decimal,
    }
}

/// Says whether a character could change how other text is shown, or cannot be
/// written into every form: controls, marks that turn the direction of writing
/// around, marks without a width, letters that are blank, the tags that spell words
/// nobody sees, and the two that XML refuses. The joiners of emoji and of some scripts
/// stay.
fn is_treacherous(c: char) -> bool {
    let turns = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let hides = matches!(c, '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{200b}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}');
    c.is_control()
        || turns
        || hides
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{fffe}' | '\u{ffff}')
}

/// Adds the first characters of foreign text; those that are treacherous become
/// visible, unless they are to be kept.
fn add(shown: &mut String, text: &str, most: usize, keep: &[char]) {
    for c in text.chars().take(most) {
        if is_treacherous(c) && !keep.contains(&c) {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
}

/// Puts foreign text on one line of at most `most` characters.
pub fn one_line(text: &str, most: usize) -> String {
    let mut line = String::new();
    add(&mut line, text, most, &[]);
    if text.chars().nth(most).is_some() {
        line.push('\u{2026}');
    }
    line
}

/// Puts a name on one line of at most `most` characters. The middle is left out of a
/// longer one: what tells it from its neighbours often comes last.
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
    let mut lines = String::new();
    add(&mut lines, text, most, &['\n', '\t']);
    let left = text.chars().count().saturating_sub(most);
    if left > 0 {
        lines.push_str(&format!(
            "\n[{} left out here; the JSON has them]",
            plural(left as u64, "character")
        ));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_rounded_outward_and_never_past_a_short_decimal() {
        assert_eq!(round_up(0.05), "0.05");
        assert_eq!(round_up(0.0123456), "0.0124");
        assert_eq!(round_down(0.0123456), "0.0123");
        assert_eq!(round_up(0.99999), "1");
        assert_eq!(round_up(9.999e-7), "1e-6");
        assert_eq!(round_up(1.234e-9), "1.24e-9");
        assert_eq!(round_up(0.0999999), "0.1");
        assert_eq!(round_down(0.0), "0");
        assert_eq!(round_up(3.5), "1");
    }

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
        assert_eq!(
            one_line("a\u{1b}[31m\nb\u{202e}c", 80),
            "a\\u{1b}[31m\\nb\\u{202e}c"
        );
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
