//! Reading the fields of a JSON object, with errors that name test, field and file.

use serde_json::{Map, Value};

use crate::failure::Failure;

use super::words::one_line;

/// An object of a file.
pub struct Fields<'a> {
    /// Its fields.
    pub map: &'a Map<String, Value>,
    /// The file.
    pub source: &'a str,
    /// What to call the object in an error.
    pub what: String,
}

impl Fields<'_> {
    /// Says that a field is not what it should be.
    pub fn wrong(&self, key: &str, expected: &str) -> Failure {
        let given = match self.map.get(key) {
            None => "nothing".to_owned(),
            Some(value) => one_line(&value.to_string(), 60),
        };
        Failure::given(
            format!("`{key}` of {} is not {expected}", self.what),
            format!("{given} in {}", self.source),
            "give files as probtest wrote them; the form is described in docs/reference/json.md",
        )
    }

    fn present(&self, key: &str) -> Option<&Value> {
        self.map.get(key).filter(|value| !value.is_null())
    }

    /// Text, or nothing.
    ///
    /// # Errors
    ///
    /// When the field holds something else.
    pub fn text(&self, key: &str) -> Result<Option<String>, Failure> {
        match self.present(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_) => Err(self.wrong(key, "text")),
        }
    }

    /// A count, or nothing.
    ///
    /// # Errors
    ///
    /// When the field holds something else.
    pub fn count(&self, key: &str) -> Result<Option<u64>, Failure> {
        match self.present(key) {
            None => Ok(None),
            Some(value) => match value.as_u64() {
                Some(count) => Ok(Some(count)),
                None => Err(self.wrong(key, "a whole number of 0 or more")),
            },
        }
    }

    /// A number of 0 or more, or nothing.
    ///
    /// # Errors
    ///
    /// When the field holds something else.
    pub fn number(&self, key: &str) -> Result<Option<f64>, Failure> {
        match self.present(key) {
            None => Ok(None),
            Some(value) => match value.as_f64() {
                Some(number) if number >= 0.0 => Ok(Some(number)),
                _ => Err(self.wrong(key, "a number of 0 or more")),
            },
        }
    }

    /// An object, or nothing.
    ///
    /// # Errors
    ///
    /// When the field holds something else.
    pub fn object(&self, key: &str) -> Result<Option<&Map<String, Value>>, Failure> {
        match self.present(key) {
            None => Ok(None),
            Some(Value::Object(map)) => Ok(Some(map)),
            Some(_) => Err(self.wrong(key, "an object")),
        }
    }

    /// The texts of an array.
    ///
    /// # Errors
    ///
    /// When the field holds something else.
    pub fn texts(&self, key: &str) -> Result<Vec<String>, Failure> {
        let Some(value) = self.present(key) else {
            return Ok(Vec::new());
        };
        let list = value.as_array().map(|list| {
            let texts = list.iter().map(|text| text.as_str().map(str::to_owned));
            texts.collect::<Option<Vec<String>>>()
        });
        list.flatten()
            .ok_or_else(|| self.wrong(key, "an array of texts"))
    }
}
