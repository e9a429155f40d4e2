//! JSON whose parts may be of another type than they should be. A part that cannot be read costs only itself.
use serde::de::{Deserialize, DeserializeOwned, Deserializer};
use serde_json::Value;

use crate::findings::finding::{Collector, ReadError};

/// A document of a tool.
pub(super) fn parse<T: DeserializeOwned>(tool: &'static str, text: &str) -> Result<T, ReadError> {
    serde_json::from_str(text).map_err(|cause| ReadError::NotJson { tool, cause })
}

/// A part of a document, or `None` if it has another form.
#[derive(Debug)]
pub(in crate::findings) struct Maybe<T>(pub(in crate::findings) Option<T>);

impl<T> Default for Maybe<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Maybe<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Only one part at a time is held as a value, so that a large report needs little more memory than its text.
        let value = Value::deserialize(deserializer)?;
        Ok(Self(serde_json::from_value(value).ok()))
    }
}

/// The number of a line, or `None` for a number that no line has.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::findings) struct Line(pub(in crate::findings) Option<u32>);

impl<'de> Deserialize<'de> for Line {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        Ok(Self(
            value.as_u64().and_then(|line| u32::try_from(line).ok()),
        ))
    }
}

/// The parts that were read. The others are counted in a note.
pub(super) fn readable<T>(parts: Vec<Maybe<T>>, what: &str, all: &mut Collector) -> Vec<T> {
    let count = parts.len();
    let parts: Vec<T> = parts.into_iter().filter_map(|part| part.0).collect();
    if parts.len() < count {
        all.note(&format!(
            "{} of {count} {what} have another form than the tool's and were left out",
            count - parts.len()
        ));
    }
    parts
}
