//! JSON as it is written and read by hand, held against serde_json.

use probtest_facts::json::{FromJson, ToJson, Value};
use probtest_facts::{json_object, json_variants};

#[derive(Clone, Debug, Default, PartialEq)]
struct Place {
    line: u64,
    name: Option<String>,
    notes: Vec<(u64, bool)>,
}

json_object!(Place { line, name, notes });

#[derive(Clone, Debug, Default, PartialEq)]
struct Lenient {
    line: u64,
    name: String,
}

json_object!(Lenient default { line, name });

#[derive(Clone, Debug, PartialEq)]
enum Step {
    Rest,
    Walk(u64),
    Jump(u64, String),
    Look { at: Place, twice: bool },
}

json_variants!(Step {
    "rest" => Rest,
    "walk" => Walk(far),
    "jump" => Jump(far, why),
    "look" => Look { at, twice },
});

fn read<T: FromJson>(text: &str) -> Option<T> {
    T::from_json(text.parse().ok()?)
}

#[test]
fn structs_and_variants_are_read_back_as_they_were_written() {
    let place = Place {
        line: u64::MAX,
        name: Some("a\"\\\n\u{1}é\u{1f600}".into()),
        notes: vec![(1, true)],
    };
    let steps = [
        (Step::Rest, r#""rest""#),
        (Step::Walk(3), r#"{"walk":3}"#),
        (Step::Jump(3, "x".into()), r#"{"jump":[3,"x"]}"#),
        (
            Step::Look { at: Place::default(), twice: false },
            r#"{"look":{"at":{"line":0,"notes":[]},"twice":false}}"#,
        ),
    ];
    assert_eq!(read::<Place>(&place.to_json().to_string()), Some(place));
    for (step, text) in steps {
        assert_eq!(step.to_json().to_string(), text);
        assert_eq!(read::<Step>(text), Some(step));
    }
}

#[test]
fn what_is_not_of_the_type_is_not_read() {
    for text in [
        r#"{"notes":[]}"#,
        r#"{"line":1,"notes":[],"line":1}"#,
        r#"{"line":1,"notes":null}"#,
        r#"{"line":-1,"notes":[]}"#,
        r#"{"line":1.0,"notes":[]}"#,
        r#"{"line":1,"notes":[[1]]}"#,
        r#"{"line":1,"notes":[[1,true,2]]}"#,
        r#"{"line":1,"name":3,"notes":[]}"#,
        "[]",
        "null",
        "5",
    ] {
        assert_eq!(read::<Place>(text), None, "{text}");
    }
    for text in [r#""walk""#, r#"{"rest":1}"#, r#"{"walk":1,"rest":2}"#, r#""run""#, "{}", "[]"] {
        assert_eq!(read::<Step>(text), None, "{text}");
    }
    let line = Place { line: 1, ..Place::default() };
    assert_eq!(read::<Place>(r#"{"line":1,"more":[]}"#), Some(line), "a missing list is empty");
    assert_eq!(read::<Lenient>("{}"), Some(Lenient::default()));
    assert_eq!(
        read::<Lenient>(r#"{"name":"a","more":1}"#),
        Some(Lenient { line: 0, name: "a".into() })
    );
    for text in ["5", "[]", r#"{"line":"a"}"#] {
        assert_eq!(read::<Lenient>(text), None, "{text}");
    }
}

/// Texts at the edges of the grammar.
const TEXTS: &[&str] = &[
    "",
    " ",
    "null",
    " true ",
    "false",
    "nul",
    "truefalse",
    "0",
    "-0",
    "-0.0",
    "00",
    "01",
    "-",
    "+1",
    "1.",
    ".5",
    "1.5e3",
    "1E+2",
    "1e-2",
    "1e",
    "1e400",
    "-1e400",
    "1e-400",
    "18446744073709551615",
    "18446744073709551616",
    "-9223372036854775808",
    "-9223372036854775809",
    "0.1",
    "123456789.123456789e-300",
    "2.2250738585072014e-308",
    "5e-324",
    "[]",
    "[ ]",
    "[1,]",
    "[,1]",
    "[1 2]",
    "[1,2",
    "{}",
    "{\"a\"}",
    "{\"a\":}",
    "{\"a\":1,}",
    "{a:1}",
    "{\"a\" : [ {\"b\":null} ] }",
    "\"",
    "\"a",
    "\"\\",
    "\"\\u00e9\"",
    "\"\\u00E9\"",
    "\"\\ud83d\\ude00\"",
    "\"\\ud83d\"",
    "\"\\ude00\"",
    "\"\\ud83d\\u0041\"",
    "\"\\ud83dx\"",
    "\"\\u12\"",
    "\"\\u+123\"",
    "\"\\x\"",
    "\"\\/\\b\\f\\n\\r\\t\\\\\\\"\"",
    "\"\u{7f}\u{80}\u{2028}\"",
    "\"a\nb\"",
    "\"a\tb\"",
    "\"\0\"",
    "NaN",
    "Infinity",
    "'a'",
    "[1]x",
    "\u{feff}1",
    "\u{a0}1",
    "é",
    "[\"é\"",
    "\"\\é\"",
    "\"\\u00é\"",
];

fn agrees_with_serde(text: &str) {
    let ours = text.parse::<Value>().ok();
    let theirs = serde_json::from_str::<serde_json::Value>(text).ok();
    // An object of serde_json is sorted and keeps the last of two fields.
    let sorted = ours.as_ref().map(|value| serde_json::from_str(&value.to_string()).expect(text));
    assert_eq!(sorted, theirs, "{text:?}");
    if let (Some(ours), Some(theirs)) = (ours, theirs) {
        let pretty: serde_json::Value = serde_json::from_str(&format!("{ours:#}")).expect(text);
        assert_eq!(pretty, theirs, "{text:?}");
        assert_eq!(ours.to_string().parse(), Ok(ours), "{text:?}");
    }
}

#[test]
fn texts_are_read_as_serde_json_reads_them() {
    TEXTS.iter().for_each(|text| agrees_with_serde(text));
    // Every beginning of a text, and every text with one letter changed: most are not JSON.
    let whole = r#"{"a":[1,-2.5e3,"x\"A😀"],"b":{"c":null,"d":true}}"#;
    let letters = ['"', '\\', ',', ':', '{', '}', '[', ']', '0', '-', '.', 'e', 'n', ' ', '\u{1}'];
    for (place, letter) in whole.char_indices() {
        agrees_with_serde(&whole[..place]);
        for other in letters {
            let rest = &whole[place + letter.len_utf8()..];
            agrees_with_serde(&format!("{}{other}{rest}", &whole[..place]));
        }
    }
}

#[test]
fn numbers_keep_every_bit() {
    let mut bits = 0x9e37_79b9_7f4a_7c15_u64;
    for _ in 0..20_000 {
        bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let number = f64::from_bits(bits);
        let text = number.to_json().to_string();
        match number.is_finite() {
            true => {
                assert_eq!(text.parse(), Ok(Value::Float(number)), "{text}");
                assert_eq!(serde_json::from_str::<f64>(&text).ok(), Some(number), "{text}");
            }
            false => assert_eq!(text, "null"),
        }
        assert_eq!(read::<u64>(&bits.to_json().to_string()), Some(bits));
        let signed = bits as i64;
        assert_eq!(signed.to_json().to_string(), signed.to_string());
    }
}

#[test]
fn nesting_has_an_end() {
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    assert!(nested(128).parse::<Value>().is_ok());
    assert!(nested(129).parse::<Value>().is_err());
    assert!("[{\"a\":".repeat(100_000).parse::<Value>().is_err());
}

#[test]
fn several_lines_are_indented_as_serde_json_does() {
    let text = r#"{"a":[],"b":{},"c":[1,{"d":"x"}]}"#;
    let value: Value = text.parse().unwrap();
    let theirs: serde_json::Value = serde_json::from_str(text).unwrap();
    assert_eq!(format!("{value:#}"), serde_json::to_string_pretty(&theirs).unwrap());
}

#[test]
fn text_that_is_written_already_stays_as_it_is() {
    let value = Value::List(vec![Value::Written("{\"a\":1}".into()), Value::Null]);
    assert_eq!(value.to_string(), "[{\"a\":1},null]");
    assert_eq!(serde_json::to_string(&value).unwrap(), "[{\"a\":1},null]");
}
