//! What all types of the JSON form share: how they are defined, and the version.

/// The version of the JSON form. It goes up when a field changes its meaning or is removed; new
/// fields may appear under the same version.
pub const FORMAT: u32 = 2;

/// The field `probtest`. It is written as [`FORMAT`], and reading any other number is an error.
///
/// ```
/// use probtest_facts::Version;
///
/// let error = serde_json::from_str::<Version>("3").unwrap_err().to_string();
/// assert_eq!(error, "version 3 of probtest's JSON form, but this program reads version 2");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize), serde(try_from = "u32"))]
pub struct Version;

impl crate::json::ToJson for Version {
    fn to_json(&self) -> crate::json::Value {
        FORMAT.to_json()
    }
}

crate::form::serialize!(Version);

impl TryFrom<u32> for Version {
    type Error = String;

    fn try_from(found: u32) -> Result<Version, String> {
        match found {
            FORMAT => Ok(Version),
            other => Err(format!(
                "version {other} of probtest's JSON form, but this program reads version {FORMAT}"
            )),
        }
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Version {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Version".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "The version of the JSON form",
            "type": "integer",
            "const": FORMAT,
        })
    }
}

/// Defines types that are objects in JSON, and how they are written. serde's attributes apply to
/// reading and to writing.
macro_rules! forms {
    ($(
        $(#[doc = $about:expr])*
        $(#[derive($($derived:ident),*)])?
        $(#[serde($($serde:tt)*)])?
        $(#[must_use = $use:literal])?
        pub struct $name:ident $(<$of:ident = $usual:ty>)? {
            $(
                $(#[doc = $doc:expr])*
                $(#[serde($($field_serde:tt)*)])?
                pub $field:ident: $type:ty,
            )*
        }
    )*) => {$(
        $(#[doc = $about])*
        #[derive(Clone, Debug, PartialEq)]
        $(#[derive($($derived),*)])?
        #[cfg_attr(feature = "serde", derive(serde::Deserialize))]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        $(#[cfg_attr(feature = "serde", serde($($serde)*))])?
        $(#[must_use = $use])?
        pub struct $name $(<$of = $usual>)? {
            $(
                $(#[doc = $doc])*
                $(#[cfg_attr(feature = "serde", serde($($field_serde)*))])?
                pub $field: $type,
            )*
        }

        impl $(<$of: crate::json::ToJson>)? crate::json::ToJson for $name $(<$of>)? {
            fn to_json(&self) -> crate::json::Value {
                crate::json::Value::object(&[
                    $((stringify!($field), crate::form::written!($($($field_serde)*)?), &self.$field)),*
                ])
            }
        }

        crate::form::serialize!($name $(<$of>)?);
    )*};
}

/// When a field is written, according to its serde attribute.
macro_rules! written {
    ($(default)?) => {
        crate::json::Written::Always
    };
    ($(default,)? skip_serializing_if = "Option::is_none") => {
        crate::json::Written::Unless(crate::json::Absent::Null)
    };
    ($(default,)? skip_serializing_if = "Vec::is_empty") => {
        crate::json::Written::Unless(crate::json::Absent::EmptyList)
    };
    ($(default,)? skip_serializing_if = "std::ops::Not::not") => {
        crate::json::Written::Unless(crate::json::Absent::False)
    };
    (flatten) => {
        crate::json::Written::Flat
    };
}

/// Makes serde write what [`ToJson`](crate::json::ToJson) writes, so that there is one form.
macro_rules! serialize {
    ($name:ident $(<$of:ident>)?) => {
        #[cfg(feature = "serde")]
        impl $(<$of: crate::json::ToJson>)? serde::Serialize for $name $(<$of>)? {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serde::Serialize::serialize(&crate::json::ToJson::to_json(self), serializer)
            }
        }
    };
}

/// Defines enums that are one word in JSON: each variant with its word, and `Other` for words of
/// later versions.
macro_rules! words {
    ($($(#[$about:meta])* pub enum $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal,)* })*) => {$(
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[cfg_attr(feature = "serde", derive(serde::Deserialize), serde(from = "String"))]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$doc])* $variant,)*
            /// A word from another version.
            Other(String),
        }

        impl $name {
            /// The word.
            pub fn as_str(&self) -> &str {
                match self {
                    $($name::$variant => $word,)*
                    $name::Other(word) => word,
                }
            }
        }

        impl From<String> for $name {
            fn from(word: String) -> $name {
                match word.as_str() {
                    $($word => $name::$variant,)*
                    _ => $name::Other(word),
                }
            }
        }

        impl crate::json::ToJson for $name {
            fn to_json(&self) -> crate::json::Value {
                crate::json::Value::Text(self.as_str().to_owned().into())
            }
        }

        crate::form::serialize!($name);

        impl From<$name> for String {
            fn from(name: $name) -> String {
                match name {
                    $name::Other(word) => word,
                    known => known.as_str().to_owned(),
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        #[cfg(feature = "schema")]
        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({
                    "anyOf": [
                        { "enum": [$($word),*] },
                        { "type": "string", "description": "a word of a later version" },
                    ],
                })
            }
        }
    )*};
}

pub(crate) use {forms, serialize, words, written};
