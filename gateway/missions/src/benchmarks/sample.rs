//! Samples: the values that one run of a benchmark command gave for one name.
use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::unit::Unit;
use crate::plain;

/// How many names one run may have. Further names are left out with a note.
pub const MOST_NAMES: usize = 2_000;
/// How many values a name may have in one run. Further values are left out with a note.
pub const MOST_VALUES: usize = 1_000;
const MOST_NAME: usize = 160;
const MOST_NOTES: usize = 20;

/// The values of one name in one run of the command, in one unit.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Sample {
    pub name: String,
    /// A unit as [`Unit::parse`] keeps it: times are in `ns`, sizes in `B`.
    pub unit: String,
    pub values: Vec<f64>,
}

/// What was read from one run of the command.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct Reading {
    pub samples: Vec<Sample>,
    /// What was left out, and why. For people.
    pub notes: Vec<String>,
}

/// Why one run of the command gave no samples.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum ReadError {
    #[error(
        "the benchmark command printed no results that Roost reads; it reads criterion, hyperfine (--export-json), \
         pytest-benchmark (--benchmark-json), go test -bench, and lines of the form `name: value unit`{}",
        notes_of(.notes)
    )]
    NoResults { notes: Vec<String> },
}

fn notes_of(notes: &[String]) -> String {
    if notes.is_empty() {
        String::new()
    } else {
        format!(". {}", notes.join(". "))
    }
}

/// Collects samples within the bounds.
#[derive(Default)]
pub(super) struct Collector {
    samples: Vec<Sample>,
    places: HashMap<(String, String), usize>,
    notes: Vec<String>,
    left_out_names: usize,
    left_out_values: usize,
    not_numbers: usize,
    negative: usize,
    more_notes: usize,
}

impl Collector {
    /// Adds a value as it was written. `None` stands for a value that is not a number.
    pub(super) fn add(&mut self, name: &str, unit: &Unit, value: Option<f64>) {
        let name = short_name(name);
        if name.is_empty() {
            return;
        }
        let Some(value) = value
            .map(|value| value * unit.factor)
            .filter(|value| value.is_finite())
        else {
            self.not_numbers += 1;
            return;
        };
        if value < 0.0 && !Unit::may_be_negative(&unit.name) {
            self.negative += 1;
            return;
        }
        let key = (name, unit.name.clone());
        let place = match self.places.get(&key) {
            Some(place) => *place,
            None if self.samples.len() >= MOST_NAMES => {
                self.left_out_names += 1;
                return;
            }
            None => {
                self.samples.push(Sample {
                    name: key.0.clone(),
                    unit: key.1.clone(),
                    values: Vec::new(),
                });
                self.places.insert(key, self.samples.len() - 1);
                self.samples.len() - 1
            }
        };
        let values = &mut self.samples[place].values;
        if values.len() < MOST_VALUES {
            values.push(value);
        } else {
            self.left_out_values += 1;
        }
    }

    /// Whether the name has a value in the unit.
    pub(super) fn has(&self, name: &str, unit: &str) -> bool {
        self.places
            .contains_key(&(short_name(name), unit.to_owned()))
    }

    pub(super) fn note(&mut self, note: String) {
        if self.notes.len() < MOST_NOTES {
            self.notes.push(plain::one_line(&note, 400));
        } else {
            self.more_notes += 1;
        }
    }

    pub(super) fn finish(mut self) -> Result<Reading, ReadError> {
        let counts = [
            (self.not_numbers, "values were not finite numbers"),
            (self.negative, "values were below zero"),
            (
                self.left_out_names,
                "values belonged to names beyond the first 2,000",
            ),
            (
                self.left_out_values,
                "values came after the first 1,000 of their name",
            ),
        ];
        for (count, why) in counts.into_iter().filter(|(count, _)| *count > 0) {
            self.notes.push(format!("{count} {why} and were left out"));
        }
        if self.more_notes > 0 {
            self.notes.push(format!("{} more notes", self.more_notes));
        }
        if self.samples.is_empty() {
            return Err(ReadError::NoResults { notes: self.notes });
        }
        Ok(Reading {
            samples: self.samples,
            notes: self.notes,
        })
    }
}

/// The name on one line. A long name is cut and ends with a part of its hash, so that two long names stay two names.
fn short_name(name: &str) -> String {
    let whole = plain::one_line(name, usize::MAX / 2);
    if whole.chars().count() <= MOST_NAME {
        return whole;
    }
    let hash = hex::encode(&Sha256::digest(whole.as_bytes())[..4]);
    format!("{}{hash}", plain::one_line(&whole, MOST_NAME - 8))
}

#[cfg(test)]
mod tests {
    use super::{Collector, MOST_NAMES, MOST_VALUES, short_name};
    use crate::benchmarks::Unit;

    fn unit(text: &str) -> Unit {
        Unit::parse(text).unwrap()
    }

    #[test]
    fn long_names_are_cut_and_stay_different() {
        let (one, two) = ("x".repeat(10_000) + "1", "x".repeat(10_000) + "2");
        assert!(short_name(&one).chars().count() <= 161);
        assert_ne!(short_name(&one), short_name(&two));
        assert_eq!(short_name("\u{1b}[31mname\u{1b}[0m"), "name");
    }

    #[test]
    fn values_that_cannot_be_compared_are_counted_and_left_out() {
        let mut all = Collector::default();
        all.add("a", &unit("ms"), Some(f64::NAN));
        all.add("a", &unit("ms"), Some(f64::INFINITY));
        all.add("a", &unit("ms"), None);
        all.add("a", &unit("ms"), Some(-1.0));
        all.add("a", &unit("ms"), Some(0.0));
        all.add("b", &unit("points"), Some(-1.0));
        let reading = all.finish().unwrap();
        assert_eq!(reading.samples[0].values, [0.0]);
        assert_eq!(reading.samples[1].values, [-1.0]);
        assert_eq!(
            reading.notes,
            [
                "3 values were not finite numbers and were left out",
                "1 values were below zero and were left out"
            ]
        );
    }

    #[test]
    fn names_and_values_are_bounded() {
        let mut all = Collector::default();
        for number in 0..MOST_NAMES + 5 {
            all.add(&format!("n{number}"), &unit("ns"), Some(1.0));
        }
        for _ in 0..MOST_VALUES + 5 {
            all.add("n0", &unit("ns"), Some(1.0));
        }
        for number in 0..100 {
            all.note(format!("note {number}"));
        }
        let reading = all.finish().unwrap();
        assert_eq!(reading.samples.len(), MOST_NAMES);
        assert_eq!(reading.samples[0].values.len(), MOST_VALUES);
        assert!(reading.notes.len() <= 23, "{}", reading.notes.len());
    }
}
