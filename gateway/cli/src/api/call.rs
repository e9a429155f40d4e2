//! A request that is not sent yet, and the type of its answer.

use std::fmt::Display;
use std::marker::PhantomData;

use http::Method;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::parsed::Parsed;

/// A request whose answer is a `T`.
pub struct Call<T> {
    pub(super) method: Method,
    /// With the query.
    pub(super) path: String,
    pub(super) body: Option<serde_json::Result<Value>>,
    answer: PhantomData<fn() -> T>,
}

/// An answer without a body, or with one that the client does not read.
pub type Nothing = IgnoredAny;

/// An answer that is a stream of events.
pub struct Stream<T>(PhantomData<fn() -> T>);

/// A part of a list.
#[derive(Debug, Deserialize)]
#[serde(bound(deserialize = "T: DeserializeOwned"))]
pub struct Page<T> {
    pub items: Vec<Parsed<T>>,
    pub next_cursor: Option<String>,
}

impl<T> Call<T> {
    pub(super) fn new(method: Method, path: String) -> Self {
        Self {
            method,
            path,
            body: None,
            answer: PhantomData,
        }
    }

    /// Adds a parameter of the query, if it has a value.
    pub(super) fn query(&mut self, name: &str, value: Option<impl Display>) {
        if let Some(value) = value {
            self.path
                .push(if self.path.contains('?') { '&' } else { '?' });
            let mut pair = url::form_urlencoded::Serializer::new(String::new());
            pair.append_pair(name, &value.to_string());
            self.path.push_str(&pair.finish());
        }
    }

    #[cfg(test)]
    pub fn path(&self) -> &str {
        &self.path
    }

    pub(super) fn body(&mut self, body: &impl Serialize) {
        self.body = Some(serde_json::to_value(body));
    }
}

/// Encodes one part of a path: a `/` or a `?` in it does not end the part.
pub(super) fn segment(value: &(impl Display + ?Sized)) -> String {
    let text = value.to_string();
    let parts: String = url::form_urlencoded::byte_serialize(text.as_bytes()).collect();
    parts.replace('+', "%20")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_parts_and_query_values_are_encoded() {
        assert_eq!(segment("roost/a b?c"), "roost%2Fa%20b%3Fc");
        let mut call: Call<Nothing> = Call::new(Method::GET, "/api/x".to_owned());
        call.query("limit", Some(200));
        call.query("cursor", None::<&str>);
        call.query("types", Some("a,b&c"));
        assert_eq!(call.path, "/api/x?limit=200&types=a%2Cb%26c");
    }
}
