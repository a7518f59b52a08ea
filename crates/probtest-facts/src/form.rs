//! What all types of the form have in common: how they are derived, and the version.

/// The version of the JSON form. It grows when a field changes its meaning or goes
/// away; new fields may appear under the same version.
pub const FORMAT: u32 = 2;

/// The field `probtest`. It is written as [`FORMAT`], and no other number is read.
///
/// ```
/// use probtest_facts::Version;
///
/// let error = serde_json::from_str::<Version>("3").unwrap_err().to_string();
/// assert_eq!(error, "version 3 of the JSON form of probtest, where 2 can be read");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "read", derive(serde::Deserialize))]
#[serde(into = "u32", try_from = "u32")]
pub struct Version;

impl From<Version> for u32 {
    fn from(_: Version) -> u32 {
        FORMAT
    }
}

impl TryFrom<u32> for Version {
    type Error = String;

    fn try_from(found: u32) -> Result<Version, String> {
        match found {
            FORMAT => Ok(Version),
            other => Err(format!(
                "version {other} of the JSON form of probtest, where {FORMAT} can be read"
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

/// Defines types that are objects in JSON.
macro_rules! forms {
    ($($(#[$about:meta])* pub $type:tt $name:ident $(<$of:ident = $usual:ty>)? { $($body:tt)* })*) => {$(
        #[derive(Clone, Debug, PartialEq, serde::Serialize)]
        #[cfg_attr(feature = "read", derive(serde::Deserialize))]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        $(#[$about])*
        pub $type $name $(<$of = $usual>)? { $($body)* }
    )*};
}

/// Defines enums that are one word in JSON: each variant with its word, and `Other` for words of
/// later versions.
macro_rules! words {
    ($($(#[$about:meta])* pub enum $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal,)* })*) => {$(
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
        #[cfg_attr(feature = "read", derive(serde::Deserialize))]
        #[serde(from = "String", into = "String")]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$doc])* $variant,)*
            /// A word of another version.
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

pub(crate) use {forms, words};
