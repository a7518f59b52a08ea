//! JSON: how are values written, and our own lines read?
//!
//! Written by hand, because every test binary compiles this. serde, its derive macro and
//! `serde_json` would take as long to compile as all of proptest; you get them with the feature
//! `serde`, for programs that read results. Values are trees and fields are trait objects, so there
//! is one copy of the code for all types.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

/// How deep lists and objects may be nested.
const DEEPEST: usize = 128;

/// A JSON value.
///
/// Displays on one line, or on several with `{:#}`.
///
/// ```
/// use probtest_facts::json::Value;
///
/// let value: Value = r#"{"p": 0.01, "labels": [1, -2, "a\n"]}"#.parse()?;
/// assert_eq!(value.to_string(), r#"{"p":0.01,"labels":[1,-2,"a\n"]}"#);
/// # Ok::<(), probtest_facts::json::NotJson>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// `null`; also stands for numbers that JSON doesn't have: infinity and NaN.
    #[default]
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number, 0 or more.
    Whole(u64),
    /// A whole number below 0.
    Negative(i64),
    /// Any other number.
    Float(f64),
    /// A string.
    Text(Cow<'static, str>),
    /// A list.
    List(Vec<Value>),
    /// An object, with its fields in the order they are written.
    Object(Vec<(Cow<'static, str>, Value)>),
    /// Text that is JSON already.
    Written(String),
}

/// Unknown fields, by name.
pub type Fields = BTreeMap<String, Value>;

/// A type that can be written as JSON.
pub trait ToJson {
    /// Converts it into a JSON value.
    fn to_json(&self) -> Value;
}

/// A type that can be read from JSON written by the same version.
pub trait FromJson: Sized {
    /// Reads the value; `None` if it has another type.
    fn from_json(value: Value) -> Option<Self>;

    /// Reads a field that is missing.
    fn from_missing() -> Option<Self> {
        Self::from_json(Value::Null)
    }
}

/// When a field of an object is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// Always.
    Always,
    /// Unless it has this empty value.
    Unless(Absent),
    /// Never itself: its own fields are written in its place.
    Flat,
}

/// The empty value of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Absent {
    /// Null.
    Null,
    /// An empty list.
    EmptyList,
    /// False.
    False,
}

impl Absent {
    fn is(self, value: &Value) -> bool {
        match self {
            Absent::Null => *value == Value::Null,
            Absent::EmptyList => matches!(value, Value::List(list) if list.is_empty()),
            Absent::False => *value == Value::Bool(false),
        }
    }
}

impl Value {
    /// Makes an object from these fields.
    pub fn object(fields: &[(&'static str, Written, &dyn ToJson)]) -> Value {
        let mut object = Vec::with_capacity(fields.len());
        for (name, written, field) in fields {
            match (written, field.to_json()) {
                (Written::Flat, Value::Object(fields)) => object.extend(fields),
                (Written::Unless(absent), value) if absent.is(&value) => {}
                (_, value) => object.push((Cow::Borrowed(*name), value)),
            }
        }
        Value::Object(object)
    }

    /// Makes an object with one field.
    pub fn tagged(name: &'static str, value: Value) -> Value {
        Value::Object(vec![(name.into(), value)])
    }

    /// Adds a field at the front of an object.
    pub fn with_kind(self, kind: &'static str) -> Value {
        let mut object = vec![("kind".into(), Value::Text(kind.into()))];
        if let Value::Object(fields) = self {
            object.extend(fields);
        }
        Value::Object(object)
    }

    /// Splits an object made by [`Value::tagged`] into name and value; a string is a name alone.
    pub fn into_tagged(self) -> Option<(Cow<'static, str>, Value)> {
        match self {
            Value::Text(name) => Some((name, Value::Null)),
            Value::Object(mut fields) if fields.len() == 1 => fields.pop(),
            _ => None,
        }
    }

    /// The fields of an object, to read one by one.
    pub fn into_members(self) -> Option<Members> {
        match self {
            Value::Object(fields) => Some(Members(fields)),
            _ => None,
        }
    }

    /// The string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    fn write(&self, out: &mut fmt::Formatter<'_>, depth: usize) -> fmt::Result {
        match self {
            Value::Null => out.write_str("null"),
            Value::Bool(bool) => fmt::Display::fmt(bool, out),
            Value::Whole(number) => write!(out, "{number}"),
            Value::Negative(number) => write!(out, "{number}"),
            // As few digits as distinguish the number from its neighbours.
            Value::Float(number) if number.is_finite() => write!(out, "{number:?}"),
            Value::Float(_) => out.write_str("null"),
            Value::Text(text) => write_text(text, out),
            Value::Written(text) => out.write_str(text),
            Value::List(list) => {
                out.write_char('[')?;
                for (number, value) in list.iter().enumerate() {
                    new_line(out, depth + 1, number > 0)?;
                    value.write(out, depth + 1)?;
                }
                end(out, depth, list.is_empty(), ']')
            }
            Value::Object(fields) => {
                out.write_char('{')?;
                for (number, (name, value)) in fields.iter().enumerate() {
                    new_line(out, depth + 1, number > 0)?;
                    write_text(name, out)?;
                    out.write_str(if out.alternate() { ": " } else { ":" })?;
                    value.write(out, depth + 1)?;
                }
                end(out, depth, fields.is_empty(), '}')
            }
        }
    }
}

/// The fields of an object that is being read.
#[derive(Clone, Debug)]
pub struct Members(Vec<(Cow<'static, str>, Value)>);

impl Members {
    /// Takes a field out and reads it. A missing field is null, or an empty list; a duplicate field
    /// can't be read.
    pub fn take<T: FromJson>(&mut self, name: &str) -> Option<T> {
        let mut places = (0..self.0.len()).filter(|place| self.0[*place].0 == name);
        match (places.next(), places.next()) {
            (None, _) => T::from_missing(),
            (Some(place), None) => T::from_json(self.0.swap_remove(place).1),
            _ => None,
        }
    }
}

fn new_line(out: &mut fmt::Formatter<'_>, depth: usize, follows: bool) -> fmt::Result {
    if follows {
        out.write_char(',')?;
    }
    match out.alternate() {
        true => write!(out, "\n{:width$}", "", width = 2 * depth),
        false => Ok(()),
    }
}

fn end(out: &mut fmt::Formatter<'_>, depth: usize, is_empty: bool, bracket: char) -> fmt::Result {
    if !is_empty {
        new_line(out, depth, false)?;
    }
    out.write_char(bracket)
}

fn write_text(text: &str, out: &mut fmt::Formatter<'_>) -> fmt::Result {
    out.write_char('"')?;
    let mut rest = text;
    while let Some(place) = rest.find(|c: char| c < ' ' || c == '"' || c == '\\') {
        out.write_str(&rest[..place])?;
        match rest.as_bytes()[place] {
            b'\n' => out.write_str("\\n")?,
            b'\r' => out.write_str("\\r")?,
            b'\t' => out.write_str("\\t")?,
            mark @ (b'"' | b'\\') => write!(out, "\\{}", mark as char)?,
            control => write!(out, "\\u{control:04x}")?,
        }
        rest = &rest[place + 1..];
    }
    out.write_str(rest)?;
    out.write_char('"')
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, 0)
    }
}

/// Text that isn't a single JSON value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotJson;

impl fmt::Display for NotJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the text is not one JSON value")
    }
}

impl std::error::Error for NotJson {}

impl std::str::FromStr for Value {
    type Err = NotJson;

    fn from_str(text: &str) -> Result<Value, NotJson> {
        let mut reader = Reader { text, place: 0 };
        let value = reader.value(0).ok_or(NotJson)?;
        reader.skip_space();
        if reader.place == text.len() { Ok(value) } else { Err(NotJson) }
    }
}

struct Reader<'a> {
    text: &'a str,
    place: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.place).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.place += 1;
        }
    }

    /// Skips these letters if they are next.
    fn takes(&mut self, letters: &str) -> bool {
        let is_next = self.text.as_bytes()[self.place..].starts_with(letters.as_bytes());
        if is_next {
            self.place += letters.len();
        }
        is_next
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        self.skip_space();
        match self.peek()? {
            b'"' => self.text().map(|text| Value::Text(text.into())),
            b'[' | b'{' if depth == DEEPEST => None,
            b'[' => {
                let mut list = Vec::new();
                self.entries(']', |reader| {
                    list.push(reader.value(depth + 1)?);
                    Some(())
                })?;
                Some(Value::List(list))
            }
            b'{' => {
                let mut fields = Vec::new();
                self.entries('}', |reader| {
                    let name = reader.text()?;
                    reader.skip_space();
                    let value = reader.takes(":").then(|| reader.value(depth + 1))??;
                    fields.push((Cow::Owned(name), value));
                    Some(())
                })?;
                Some(Value::Object(fields))
            }
            b't' => self.takes("true").then_some(Value::Bool(true)),
            b'f' => self.takes("false").then_some(Value::Bool(false)),
            b'n' => self.takes("null").then_some(Value::Null),
            _ => self.number(),
        }
    }

    fn entries(&mut self, end: char, mut entry: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        let end = end.encode_utf8(&mut [0; 4]).to_owned();
        self.place += 1;
        self.skip_space();
        if self.takes(&end) {
            return Some(());
        }
        loop {
            self.skip_space();
            entry(self)?;
            self.skip_space();
            if self.takes(&end) {
                return Some(());
            }
            self.takes(",").then_some(())?;
        }
    }

    fn number(&mut self) -> Option<Value> {
        let start = self.place;
        self.takes("-");
        // No leading zeros.
        if !self.takes("0") {
            self.digits()?;
        }
        let whole = self.place;
        if self.takes(".") {
            self.digits()?;
        }
        if self.takes("e") || self.takes("E") {
            let _ = self.takes("+") || self.takes("-");
            self.digits()?;
        }
        let text = &self.text[start..self.place];
        if self.place == whole {
            if let Ok(number) = text.parse() {
                return Some(Value::Whole(number));
            }
            // A signed zero is a float: as a whole number it would lose the sign.
            if let Ok(number) = text.parse()
                && number != 0
            {
                return Some(Value::Negative(number));
            }
        }
        let number: f64 = text.parse().ok()?;
        number.is_finite().then_some(Value::Float(number))
    }

    fn digits(&mut self) -> Option<()> {
        let start = self.place;
        while self.peek().is_some_and(|digit| digit.is_ascii_digit()) {
            self.place += 1;
        }
        (self.place > start).then_some(())
    }

    fn text(&mut self) -> Option<String> {
        self.takes("\"").then_some(())?;
        let mut text = String::new();
        loop {
            let rest = &self.text[self.place..];
            let plain = rest.find(|c: char| c < ' ' || c == '"' || c == '\\')?;
            text.push_str(&rest[..plain]);
            self.place += plain + 1;
            match rest.as_bytes()[plain] {
                b'"' => return Some(text),
                b'\\' => text.push(self.escaped()?),
                // A control character must be escaped.
                _ => return None,
            }
        }
    }

    fn escaped(&mut self) -> Option<char> {
        let letter = self.peek()?;
        self.place += 1;
        Some(match letter {
            b'"' | b'\\' | b'/' => letter as char,
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'u' => {
                let first = self.unit()?;
                let is_pair = (0xD800..0xDC00).contains(&first);
                let second = if is_pair && self.takes("\\u") { Some(self.unit()?) } else { None };
                let mut decoded = char::decode_utf16([first].into_iter().chain(second));
                let letter = decoded.next()?.ok()?;
                decoded.next().is_none().then_some(letter)?
            }
            _ => return None,
        })
    }

    fn unit(&mut self) -> Option<u16> {
        let digits = self.text.get(self.place..self.place + 4)?;
        // from_str_radix would also accept a sign.
        let is_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        self.place += 4;
        is_hex.then(|| u16::from_str_radix(digits, 16).ok())?
    }
}

/// Writes and reads a struct as an object. Null fields aren't written, and a missing field is read
/// as null or, after `default`, as its value in the default.
#[macro_export]
#[doc(hidden)]
macro_rules! json_object {
    ($name:ident { $($field:ident),* $(,)? }) => {
        $crate::json_object!(@write $name { $($field),* });

        impl $crate::json::FromJson for $name {
            fn from_json(value: $crate::json::Value) -> Option<Self> {
                let mut members = value.into_members()?;
                Some($name { $($field: members.take(stringify!($field))?),* })
            }
        }
    };
    ($name:ident default { $($field:ident),* $(,)? }) => {
        $crate::json_object!(@write $name { $($field),* });

        impl $crate::json::FromJson for $name {
            fn from_json(value: $crate::json::Value) -> Option<Self> {
                let (mut members, mut read) = (value.into_members()?, $name::default());
                $(if let Some(field) = members.take::<Option<_>>(stringify!($field))? {
                    read.$field = field;
                })*
                Some(read)
            }
        }
    };
    (@write $name:ident { $($field:ident),* }) => {
        impl $crate::json::ToJson for $name {
            fn to_json(&self) -> $crate::json::Value {
                let $name { $($field),* } = self;
                $crate::json_object!(@fields $($field),*)
            }
        }
    };
    (@fields $($field:ident),*) => {
        $crate::json::Value::object(&[$((
            stringify!($field),
            $crate::json::Written::Unless($crate::json::Absent::Null),
            $field,
        )),*])
    };
}

/// Writes and reads an enum: a variant without fields as a word, any other as an object with one
/// field that contains a value, a list or an object.
#[macro_export]
#[doc(hidden)]
macro_rules! json_variants {
    ($name:ident { $($word:literal => $variant:ident $(($($part:ident),+))? $({ $($field:ident),+ })?),* $(,)? }) => {
        impl $crate::json::ToJson for $name {
            fn to_json(&self) -> $crate::json::Value {
                match self {
                    $($name::$variant $(($($part),+))? $({ $($field),+ })? =>
                        $crate::json_variants!(@write $word $(($($part),+))? $({ $($field),+ })?),)*
                }
            }
        }

        impl $crate::json::FromJson for $name {
            fn from_json(value: $crate::json::Value) -> Option<Self> {
                let (word, value) = value.into_tagged()?;
                match &*word {
                    $($word => $crate::json_variants!(@read value, $name $variant $(($($part),+))? $({ $($field),+ })?),)*
                    _ => None,
                }
            }
        }
    };
    (@write $word:literal) => { $crate::json::Value::Text($word.into()) };
    (@write $word:literal ($one:ident)) => {
        $crate::json::Value::tagged($word, $crate::json::ToJson::to_json($one))
    };
    (@write $word:literal ($($part:ident),+)) => {
        $crate::json::Value::tagged($word, $crate::json::Value::List(vec![
            $($crate::json::ToJson::to_json($part)),+
        ]))
    };
    (@write $word:literal { $($field:ident),+ }) => {
        $crate::json::Value::tagged($word, $crate::json_object!(@fields $($field),+))
    };
    (@read $value:ident, $name:ident $variant:ident) => {
        ($value == $crate::json::Value::Null).then_some($name::$variant)
    };
    (@read $value:ident, $name:ident $variant:ident ($one:ident)) => {
        $crate::json::FromJson::from_json($value).map($name::$variant)
    };
    (@read $value:ident, $name:ident $variant:ident ($($part:ident),+)) => {{
        let ($($part),+) = $crate::json::FromJson::from_json($value)?;
        Some($name::$variant($($part),+))
    }};
    (@read $value:ident, $name:ident $variant:ident { $($field:ident),+ }) => {{
        let mut members = $value.into_members()?;
        Some($name::$variant { $($field: members.take(stringify!($field))?),+ })
    }};
}

macro_rules! whole {
    ($($type:ty),*) => {$(
        impl ToJson for $type {
            fn to_json(&self) -> Value {
                Value::Whole(*self as u64)
            }
        }

        impl FromJson for $type {
            fn from_json(value: Value) -> Option<Self> {
                match value {
                    Value::Whole(number) => number.try_into().ok(),
                    _ => None,
                }
            }
        }
    )*};
}

whole!(u8, u32, u64, usize);

impl ToJson for i64 {
    fn to_json(&self) -> Value {
        match u64::try_from(*self) {
            Ok(whole) => Value::Whole(whole),
            Err(_) => Value::Negative(*self),
        }
    }
}

impl ToJson for f64 {
    fn to_json(&self) -> Value {
        if self.is_finite() { Value::Float(*self) } else { Value::Null }
    }
}

impl FromJson for f64 {
    fn from_json(value: Value) -> Option<Self> {
        match value {
            Value::Float(number) => Some(number),
            // Up to 2^53 both are the same, and larger floats are written with a dot.
            Value::Whole(number) => Some(number as f64),
            Value::Negative(number) => Some(number as f64),
            _ => None,
        }
    }
}

impl ToJson for bool {
    fn to_json(&self) -> Value {
        Value::Bool(*self)
    }
}

impl FromJson for bool {
    fn from_json(value: Value) -> Option<Self> {
        match value {
            Value::Bool(bool) => Some(bool),
            _ => None,
        }
    }
}

macro_rules! text {
    ($($type:ty),*) => {$(
        impl ToJson for $type {
            fn to_json(&self) -> Value {
                Value::Text(Cow::Owned((**self).to_owned()))
            }
        }

        impl FromJson for $type {
            fn from_json(value: Value) -> Option<Self> {
                match value {
                    Value::Text(text) => Some(text.into()),
                    _ => None,
                }
            }
        }
    )*};
}

text!(String, Cow<'static, str>, Box<str>);

impl<T: ToJson> ToJson for Option<T> {
    fn to_json(&self) -> Value {
        self.as_ref().map_or(Value::Null, T::to_json)
    }
}

impl<T: FromJson> FromJson for Option<T> {
    fn from_json(value: Value) -> Option<Self> {
        match value {
            Value::Null => Some(None),
            value => T::from_json(value).map(Some),
        }
    }
}

impl<T: ToJson> ToJson for Vec<T> {
    fn to_json(&self) -> Value {
        Value::List(self.iter().map(T::to_json).collect())
    }
}

impl<T: FromJson> FromJson for Vec<T> {
    fn from_json(value: Value) -> Option<Self> {
        match value {
            Value::List(list) => list.into_iter().map(T::from_json).collect(),
            _ => None,
        }
    }

    fn from_missing() -> Option<Self> {
        Some(Vec::new())
    }
}

impl<T: ToJson, const N: usize> ToJson for [T; N] {
    fn to_json(&self) -> Value {
        Value::List(self.iter().map(T::to_json).collect())
    }
}

impl<T: ToJson> ToJson for Box<T> {
    fn to_json(&self) -> Value {
        (**self).to_json()
    }
}

impl<T: FromJson> FromJson for Box<T> {
    fn from_json(value: Value) -> Option<Self> {
        T::from_json(value).map(Box::new)
    }
}

impl<T: ToJson> ToJson for &T {
    fn to_json(&self) -> Value {
        (**self).to_json()
    }
}

impl ToJson for Value {
    fn to_json(&self) -> Value {
        self.clone()
    }
}

impl ToJson for Fields {
    fn to_json(&self) -> Value {
        let fields = self.iter().map(|(name, value)| (name.clone().into(), value.clone()));
        Value::Object(fields.collect())
    }
}

macro_rules! tuples {
    ($(($($type:ident $place:tt),+))*) => {$(
        impl<$($type: ToJson),+> ToJson for ($($type,)+) {
            fn to_json(&self) -> Value {
                Value::List(vec![$(self.$place.to_json()),+])
            }
        }

        impl<$($type: FromJson),+> FromJson for ($($type,)+) {
            fn from_json(value: Value) -> Option<Self> {
                let Value::List(list) = value else {
                    return None;
                };
                let mut list = list.into_iter();
                let tuple = ($($type::from_json(list.next()?)?,)+);
                list.next().is_none().then_some(tuple)
            }
        }
    )*};
}

tuples!((A 0, B 1) (A 0, B 1, C 2) (A 0, B 1, C 2, D 3));

impl ToJson for std::time::Duration {
    fn to_json(&self) -> Value {
        (self.as_secs(), self.subsec_nanos()).to_json()
    }
}

impl FromJson for std::time::Duration {
    fn from_json(value: Value) -> Option<Self> {
        let (seconds, nanos): (u64, u32) = FromJson::from_json(value)?;
        (nanos < 1_000_000_000).then(|| std::time::Duration::new(seconds, nanos))
    }
}

#[cfg(feature = "serde")]
mod serde_value {
    //! The same value for serde.

    use super::{Cow, Value};
    use serde::ser::{Error, SerializeMap};
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    impl Serialize for Value {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            match self {
                Value::Null => serializer.serialize_unit(),
                Value::Bool(bool) => serializer.serialize_bool(*bool),
                Value::Whole(number) => serializer.serialize_u64(*number),
                Value::Negative(number) => serializer.serialize_i64(*number),
                Value::Float(number) => serializer.serialize_f64(*number),
                Value::Text(text) => serializer.serialize_str(text),
                Value::List(list) => serializer.collect_seq(list),
                Value::Object(fields) => {
                    let mut object = serializer.serialize_map(Some(fields.len()))?;
                    for (name, value) in fields {
                        object.serialize_entry(&**name, value)?;
                    }
                    object.end()
                }
                Value::Written(text) => {
                    text.parse::<Value>().map_err(S::Error::custom)?.serialize(serializer)
                }
            }
        }
    }

    impl<'de> Deserialize<'de> for Value {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
            serde_json::Value::deserialize(deserializer).map(Value::from)
        }
    }

    impl From<serde_json::Value> for Value {
        fn from(value: serde_json::Value) -> Value {
            match value {
                serde_json::Value::Null => Value::Null,
                serde_json::Value::Bool(bool) => Value::Bool(bool),
                serde_json::Value::Number(number) => match (number.as_u64(), number.as_i64()) {
                    (Some(whole), _) => Value::Whole(whole),
                    (_, Some(negative)) => Value::Negative(negative),
                    _ => number.as_f64().map_or(Value::Null, Value::Float),
                },
                serde_json::Value::String(text) => Value::Text(Cow::Owned(text)),
                serde_json::Value::Array(list) => {
                    Value::List(list.into_iter().map(Value::from).collect())
                }
                serde_json::Value::Object(fields) => Value::Object(
                    fields
                        .into_iter()
                        .map(|(name, value)| (Cow::Owned(name), value.into()))
                        .collect(),
                ),
            }
        }
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Value {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "AnyValue".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        true.into()
    }
}
