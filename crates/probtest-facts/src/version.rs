//! The version of the form, which every object has in its field `probtest`.

use serde::Serialize;

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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
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
