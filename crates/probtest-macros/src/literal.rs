//! Literals: what does a literal of Rust stand for?
//!
//! Reads the text of one token that the compiler took for a literal, so nothing here asks whether
//! it is one.

/// What a literal stands for.
#[derive(Debug, PartialEq, Eq)]
pub enum Constant {
    /// A string, plain or raw.
    Text(String),
    /// A number without point and exponent.
    Int(Number),
    /// A number with one of them.
    Float(Number),
    /// A character, bytes, a C string, a boolean, or a string with a suffix.
    Other,
}

/// A number as it is written, in decimal and without `_`.
#[derive(Debug, PartialEq, Eq)]
pub struct Number {
    pub digits: String,
    /// The type at its end, or nothing.
    pub suffix: String,
}

/// Reads a literal.
pub fn read(literal: &str) -> Constant {
    let read = match literal.as_bytes() {
        [b'"', ..] => cooked(&literal[1..]).map(Constant::Text),
        [b'r', ..] => raw(&literal[1..]).map(Constant::Text),
        // Only macros write a number with its sign as one token.
        [b'-', rest @ ..] if rest.first().is_some_and(u8::is_ascii_digit) => {
            number(&literal[1..], "-")
        }
        [b'0'..=b'9', ..] => number(literal, ""),
        _ => None,
    };
    read.unwrap_or(Constant::Other)
}

/// The string whose quoted text begins here.
fn cooked(quoted: &str) -> Option<String> {
    let mut text = String::new();
    let mut rest = quoted.chars();
    loop {
        match rest.next()? {
            // A suffix is no part of Rust, but of the tokens that a macro may be given.
            '"' => return rest.as_str().is_empty().then_some(text),
            '\\' => match rest.next()? {
                'n' => text.push('\n'),
                'r' => text.push('\r'),
                't' => text.push('\t'),
                '0' => text.push('\0'),
                'x' => {
                    let code = rest.as_str().get(..2)?;
                    text.push(char::from(u8::from_str_radix(code, 16).ok()?));
                    rest = rest.as_str()[2..].chars();
                }
                'u' => {
                    let (code, after) = rest.as_str().strip_prefix('{')?.split_once('}')?;
                    text.push(char::from_u32(u32::from_str_radix(&plain(code), 16).ok()?)?);
                    rest = after.chars();
                }
                // The line goes on after the blanks of the next one.
                '\n' => rest = rest.as_str().trim_start_matches([' ', '\t', '\n', '\r']).chars(),
                same => text.push(same),
            },
            plain => text.push(plain),
        }
    }
}

/// The string after the `r` of a raw one.
fn raw(text: &str) -> Option<String> {
    let quoted = text.trim_start_matches('#');
    let end = format!("\"{}", &text[..text.len() - quoted.len()]);
    let (text, suffix) = quoted.strip_prefix('"')?.split_once(&end)?;
    suffix.is_empty().then(|| text.to_owned())
}

fn number(text: &str, sign: &str) -> Option<Constant> {
    let of = |digits: String, suffix: &str| Number {
        digits: format!("{sign}{digits}"),
        suffix: suffix.to_owned(),
    };
    let (radix, text) = match text.get(..2) {
        Some("0x") => (16, &text[2..]),
        Some("0o") => (8, &text[2..]),
        Some("0b") => (2, &text[2..]),
        _ => (10, text),
    };
    let (whole, mut rest) = digits(text, radix.max(10));
    if radix != 10 {
        return Some(Constant::Int(of(decimal(&whole, radix)?, rest)));
    }
    let mut float = whole.clone();
    if let Some(after) = rest.strip_prefix('.') {
        let (fraction, after) = digits(after, 10);
        float += &format!(".{fraction}");
        rest = after;
    }
    if let Some((exponent, after)) = exponent(rest) {
        float += &exponent;
        rest = after;
    }
    Some(match float == whole {
        true => Constant::Int(of(decimal(&whole, 10)?, rest)),
        false => Constant::Float(of(float, rest)),
    })
}

/// The digits at the front, and what comes after them.
fn digits(text: &str, radix: u32) -> (String, &str) {
    let is_other = |c: char| c != '_' && !c.is_digit(radix);
    let (digits, rest) = text.split_at(text.find(is_other).unwrap_or(text.len()));
    (plain(digits), rest)
}

/// The exponent at the front, as in `1e-9`, and what comes after it; an `e` alone begins a suffix.
fn exponent(text: &str) -> Option<(String, &str)> {
    let power = text.strip_prefix(['e', 'E'])?;
    let (sign, power) = match power.strip_prefix('-') {
        Some(power) => ("-", power),
        None => ("", power.strip_prefix('+').unwrap_or(power)),
    };
    let (digits, rest) = digits(power, 10);
    (!digits.is_empty()).then(|| (format!("e{sign}{digits}"), rest))
}

fn plain(digits: &str) -> String {
    digits.replace('_', "")
}

/// The same number in decimal, of any length: a seed that is too long is refused with its digits.
fn decimal(digits: &str, radix: u32) -> Option<String> {
    // The last digit comes first.
    let mut decimal = vec![0];
    for digit in digits.chars() {
        let mut carry = digit.to_digit(radix)?;
        for place in &mut decimal {
            carry += *place * radix;
            *place = carry % 10;
            carry /= 10;
        }
        while carry > 0 {
            decimal.push(carry % 10);
            carry /= 10;
        }
    }
    decimal.iter().rev().map(|place| char::from_digit(*place, 10)).collect()
}

#[cfg(test)]
mod tests {
    use super::{Constant, read};

    fn text(literal: &str) -> String {
        match read(literal) {
            Constant::Text(text) => text,
            other => panic!("{literal} is {other:?}"),
        }
    }

    #[track_caller]
    fn assert_number(literal: &str, is_int: bool, digits: &str, suffix: &str) {
        let number = match read(literal) {
            Constant::Int(number) if is_int => number,
            Constant::Float(number) if !is_int => number,
            other => panic!("{literal} is {other:?}"),
        };
        assert_eq!((&*number.digits, &*number.suffix), (digits, suffix), "{literal}");
    }

    #[test]
    fn a_string_is_what_its_escapes_mean() {
        assert_eq!(text(r#""1/6""#), "1/6");
        assert_eq!(text(r#""""#), "");
        assert_eq!(text(r#""\"\\\'\n\r\t\0""#), "\"\\'\n\r\t\0");
        assert_eq!(text(r#""\x30\u{2e}\u{0_0_35}é\u{1F600}""#), "0.5é\u{1F600}");
        assert_eq!(text("\"0.\\\n   \t\n  5\""), "0.5");
        assert_eq!(text("\"0.\n5\""), "0.\n5");
    }

    #[test]
    fn a_raw_string_is_what_is_written() {
        assert_eq!(text(r#"r"\n""#), r"\n");
        assert_eq!(text(r###"r##"a"#b"##"###), r##"a"#b"##);
        assert_eq!(text("r#\"\"#"), "");
    }

    #[test]
    fn bytes_and_characters_are_no_text_and_nothing_with_a_suffix_is() {
        for literal in [
            "b\"1\"",
            "br#\"1\"#",
            "c\"1\"",
            "cr\"1\"",
            "'1'",
            "b'1'",
            "'\"'",
            "\"1\"foo",
            "r#\"1\"#u8",
        ] {
            assert_eq!(read(literal), Constant::Other, "{literal}");
        }
    }

    #[test]
    fn a_whole_number_is_read_in_every_base() {
        assert_number("10_000", true, "10000", "");
        assert_number("007", true, "7", "");
        assert_number("0", true, "0", "");
        assert_number("0x5e_ED", true, "24301", "");
        assert_number("0xffu64", true, "255", "u64");
        assert_number("0o17", true, "15", "");
        assert_number("0b1_01i8", true, "5", "i8");
        assert_number("4usize", true, "4", "usize");
        assert_number("1_f64", true, "1", "f64");
        assert_number("-7", true, "-7", "");
        // 2^64 and 2^256 do not fit into any number of Rust, but are written with one.
        assert_number("0x1_0000_0000_0000_0000", true, "18446744073709551616", "");
        let power =
            "115792089237316195423570985008687907853269984665640564039457584007913129639936";
        assert_number(&format!("0x1{}", "0".repeat(64)), true, power, "");
        assert_number(power, true, power, "");
    }

    #[test]
    fn a_number_with_point_or_exponent_keeps_its_digits() {
        assert_number("0.010", false, "0.010", "");
        assert_number("1.", false, "1.", "");
        assert_number("1_0.0_1f64", false, "10.01", "f64");
        assert_number("1e-300", false, "1e-300", "");
        assert_number("2.0E-2_f64", false, "2.0e-2", "f64");
        assert_number("1E+3", false, "1e3", "");
        assert_number("1e_3", false, "1e3", "");
        assert_number("-0.5", false, "-0.5", "");
    }
}
