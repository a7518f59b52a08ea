//! Enums that are one word in JSON, and that keep a word which they do not know.

/// Defines such an enum: each variant with its word, and `Other` for words of later
/// versions.
macro_rules! words {
    ($(#[$about:meta])* pub enum $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal,)* }) => {
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
    };
}

pub(crate) use words;
