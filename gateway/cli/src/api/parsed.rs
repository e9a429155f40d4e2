//! An answer of the gateway: parsed, and as it came, which `--json` prints.

use std::ops::Deref;

use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// An answer, or a part of one.
#[derive(Debug)]
pub struct Parsed<T> {
    raw: Value,
    value: T,
}

impl<T> Parsed<T> {
    /// The JSON as it came, with fields that this version does not know.
    pub fn raw(&self) -> &Value {
        &self.raw
    }

    pub fn into_value(self) -> T {
        self.value
    }
}

impl<T> Parsed<Option<T>> {
    /// The answer, unless it is `null`.
    pub fn transpose(self) -> Option<Parsed<T>> {
        let Self { raw, value } = self;
        value.map(|value| Parsed { raw, value })
    }
}

impl<T> Deref for Parsed<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Parsed<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Value::deserialize(deserializer)?;
        let value = T::deserialize(&raw).map_err(D::Error::custom)?;
        Ok(Self { raw, value })
    }
}

/// A list as it came.
pub fn raw_list<T>(items: &[Parsed<T>]) -> Value {
    items.iter().map(|item| item.raw.clone()).collect()
}
