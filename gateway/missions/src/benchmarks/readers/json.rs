//! JSON of hyperfine (`--export-json`), pytest-benchmark (`--benchmark-json`) and criterion (`sample.json`,
//! `estimates.json`, `benchmark.json`).
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, Visitor};

use crate::benchmarks::sample::Collector;
use crate::benchmarks::unit::Unit;

/// The parts of the formats that hold measurements. A document of another kind has none of them.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Document {
    /// Of hyperfine.
    results: Vec<Timed>,
    /// Of pytest-benchmark.
    benchmarks: Vec<Bench>,
    /// Of criterion's `sample.json`: how often the code ran in each batch, and the batch's time.
    pub(super) iters: Vec<Number>,
    pub(super) times: Vec<Number>,
    /// Of criterion's `estimates.json`.
    pub(super) median: Option<Estimate>,
    /// Of criterion's `benchmark.json`.
    pub(super) full_id: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Timed {
    command: String,
    times: Option<Vec<Number>>,
    median: Number,
    parameters: BTreeMap<String, serde_json::Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Bench {
    name: String,
    fullname: Option<String>,
    stats: Stats,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Stats {
    median: Number,
    /// Only with `--benchmark-save-data`.
    data: Option<Vec<Number>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Estimate {
    pub(super) point_estimate: Number,
}

impl Document {
    pub(super) fn add_to(&self, all: &mut Collector) {
        let seconds = Unit::nanoseconds(1e9);
        for timed in &self.results {
            let name = timed.name();
            for value in each(timed.times.as_deref(), timed.median) {
                all.add(&name, &seconds, value.0);
            }
        }
        for bench in &self.benchmarks {
            let name = bench.fullname.as_deref().unwrap_or(&bench.name);
            for value in each(bench.stats.data.as_deref(), bench.stats.median) {
                all.add(name, &seconds, value.0);
            }
        }
    }
}

impl Timed {
    /// The command, with its parameters where the command's text does not hold them.
    fn name(&self) -> String {
        let mut name = self.command.clone();
        for (parameter, value) in &self.parameters {
            let value = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            if !name.contains(&value) {
                name.push_str(&format!(" {parameter}={value}"));
            }
        }
        name
    }
}

/// Each value, or the median where the tool kept no values.
fn each(values: Option<&[Number]>, median: Number) -> Vec<Number> {
    match values {
        Some(values) if !values.is_empty() => values.to_vec(),
        _ => vec![median],
    }
}

/// The first document of the text with its length in bytes.
pub(super) fn parse(text: &str) -> Result<(Document, usize), serde_json::Error> {
    first(text).or_else(|error| match without_not_numbers(text) {
        Cow::Borrowed(_) => Err(error),
        Cow::Owned(text) => first(&text),
    })
}

fn first(text: &str) -> Result<(Document, usize), serde_json::Error> {
    let mut stream = serde_json::Deserializer::from_str(text).into_iter::<Document>();
    let document = stream.next().transpose()?.unwrap_or_default();
    Ok((document, stream.byte_offset()))
}

/// Python writes `NaN`, `Infinity` and `-Infinity`, which JSON does not have. They become empty strings of the same
/// length, which are read as values that are not numbers.
fn without_not_numbers(text: &str) -> Cow<'_, str> {
    const WORDS: [&str; 3] = ["-Infinity", "Infinity", "NaN"];
    if !WORDS.iter().any(|word| text.contains(word)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut in_string = false;
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let word = WORDS
            .iter()
            .find(|word| !in_string && rest.starts_with(**word));
        if let Some(word) = word {
            out.push_str(&format!("{:<width$}", "\"\"", width = word.len()));
            rest = &rest[word.len()..];
            continue;
        }
        let taken = match letter {
            '\\' if in_string => rest.chars().take(2).map(char::len_utf8).sum(),
            '"' => {
                in_string = !in_string;
                1
            }
            letter => letter.len_utf8(),
        };
        out.push_str(&rest[..taken]);
        rest = &rest[taken..];
    }
    Cow::Owned(out)
}

/// A number, or `None` for a text or `null` in its place.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Number(pub(super) Option<f64>);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Number;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number")
            }
            fn visit_f64<E>(self, value: f64) -> Result<Number, E> {
                Ok(Number(Some(value)))
            }
            fn visit_u64<E>(self, value: u64) -> Result<Number, E> {
                Ok(Number(Some(value as f64)))
            }
            fn visit_i64<E>(self, value: i64) -> Result<Number, E> {
                Ok(Number(Some(value as f64)))
            }
            fn visit_unit<E>(self) -> Result<Number, E> {
                Ok(Number(None))
            }
            fn visit_str<E>(self, _: &str) -> Result<Number, E> {
                Ok(Number(None))
            }
            fn visit_seq<A: serde::de::SeqAccess<'de>>(
                self,
                mut all: A,
            ) -> Result<Number, A::Error> {
                while all.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Number(None))
            }
        }
        deserializer.deserialize_any(Any)
    }
}
