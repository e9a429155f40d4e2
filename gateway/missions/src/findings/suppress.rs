//! Suppressions: findings that people have looked at and accept, from `.roost-security.toml` in the repository.
//!
//! ```toml
//! [[suppress]]
//! rule = "B602"            # a rule or another name of the fault; "*" is each rule
//! path = "tests/**"
//! reason = "The tests start their own shell."
//! expires = "2027-01-31"   # optional: the last day
//! ```
use chrono::NaiveDate;
use globset::{GlobBuilder, GlobMatcher};
use serde::{Deserialize, Serialize};

use super::merge::Merged;
use crate::plain;

/// The file's name at the top of the repository.
pub const SUPPRESSIONS_FILE: &str = ".roost-security.toml";
const MOST_BYTES: usize = 256 * 1024;
const MOST_ENTRIES: usize = 500;

#[derive(Debug, thiserror::Error)]
pub enum SuppressionError {
    #[error("{SUPPRESSIONS_FILE} has over 256 kB")]
    TooLarge,
    #[error("{SUPPRESSIONS_FILE} is not the TOML that it should be: {0}")]
    NotToml(String),
    #[error("{SUPPRESSIONS_FILE} has {0} suppressions; at most 500 are allowed; use path patterns")]
    TooMany(usize),
    #[error("suppression {number} of {SUPPRESSIONS_FILE} has no {field}; write `{field} = \"…\"`")]
    Missing { number: usize, field: &'static str },
    #[error("suppression {number} of {SUPPRESSIONS_FILE}: {cause}")]
    Path {
        number: usize,
        cause: globset::Error,
    },
    #[error(
        "suppression {number} of {SUPPRESSIONS_FILE}: {text:?} is not a day such as 2027-01-31"
    )]
    Expires { number: usize, text: String },
}

/// The suppressions of a repository.
#[derive(Debug, Default)]
pub struct Suppressions {
    entries: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    rule: String,
    path: GlobMatcher,
    written_path: String,
    reason: String,
    expires: Option<NaiveDate>,
}

/// A finding that is suppressed, with the reason.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Suppressed {
    #[serde(flatten)]
    pub finding: Merged,
    pub reason: String,
}

/// The findings after the suppressions.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct Triage {
    pub open: Vec<Merged>,
    pub suppressed: Vec<Suppressed>,
    /// Suppressions that have expired, and those that match nothing. For people.
    pub notes: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(default)]
    suppress: Vec<WrittenEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenEntry {
    rule: Option<String>,
    path: Option<String>,
    reason: Option<String>,
    expires: Option<Day>,
}

/// A day as a date of TOML or as a text.
#[derive(Deserialize)]
#[serde(untagged)]
enum Day {
    Date(toml::value::Datetime),
    Text(String),
}

impl Suppressions {
    /// Reads the file. A suppression without a reason is an error, because nobody could check it later.
    pub fn parse(text: &str) -> Result<Self, SuppressionError> {
        if text.len() > MOST_BYTES {
            return Err(SuppressionError::TooLarge);
        }
        let written: Written = toml::from_str(text)
            .map_err(|cause| SuppressionError::NotToml(plain::one_line(cause.message(), 300)))?;
        if written.suppress.len() > MOST_ENTRIES {
            return Err(SuppressionError::TooMany(written.suppress.len()));
        }
        let entries = written
            .suppress
            .into_iter()
            .enumerate()
            .map(|(place, entry)| entry.check(place + 1))
            .collect::<Result<_, _>>()?;
        Ok(Self { entries })
    }

    /// Takes out the findings that a suppression accepts on this day. The first suppression that matches gives the
    /// reason.
    pub fn apply(&self, findings: Vec<Merged>, today: NaiveDate) -> Triage {
        let mut triage = Triage::default();
        let mut used = vec![false; self.entries.len()];
        for finding in findings {
            let matching = self
                .entries
                .iter()
                .enumerate()
                .filter(|(_, entry)| entry.matches(&finding));
            let mut accepted = None;
            for (place, entry) in matching {
                used[place] = true;
                if accepted.is_none() && !entry.has_expired(today) {
                    accepted = Some(entry.reason.clone());
                }
            }
            match accepted {
                Some(reason) => triage.suppressed.push(Suppressed { finding, reason }),
                None => triage.open.push(finding),
            }
        }
        for (place, entry) in self.entries.iter().enumerate() {
            let named = format!(
                "suppression {} ({} in {})",
                place + 1,
                entry.rule,
                entry.written_path
            );
            match entry.expires {
                Some(day) if entry.has_expired(today) => {
                    triage.notes.push(format!("{named} expired after {day}"));
                }
                _ if !used[place] => triage.notes.push(format!("{named} matches no finding")),
                _ => {}
            }
        }
        triage
    }
}

impl WrittenEntry {
    fn check(self, number: usize) -> Result<Entry, SuppressionError> {
        let needed = |field: &'static str, value: Option<String>| {
            value
                .map(|value| plain::one_line(&value, 500))
                .filter(|value| !value.is_empty())
                .ok_or(SuppressionError::Missing { number, field })
        };
        let rule = needed("rule", self.rule)?;
        let path = needed("path", self.path)?;
        let reason = needed("reason", self.reason)?;
        let glob = GlobBuilder::new(&path)
            .literal_separator(true)
            .build()
            .map_err(|cause| SuppressionError::Path { number, cause })?;
        let expires = match self.expires {
            None => None,
            Some(day) => {
                let text = match day {
                    Day::Date(date) => date.to_string(),
                    Day::Text(text) => text,
                };
                let day = text.parse::<NaiveDate>();
                Some(day.map_err(|_| SuppressionError::Expires {
                    number,
                    text: plain::one_line(&text, 60),
                })?)
            }
        };
        Ok(Entry {
            rule,
            path: glob.compile_matcher(),
            written_path: path,
            reason,
            expires,
        })
    }
}

impl Entry {
    fn matches(&self, merged: &Merged) -> bool {
        let rule = self.rule == "*"
            || merged.rules.contains(&self.rule)
            || merged.finding.aliases.contains(&self.rule);
        // A finding without a file is accepted only by a pattern for all files.
        rule && match &merged.finding.file {
            Some(file) => self.path.is_match(file),
            None => self.written_path == "**",
        }
    }

    fn has_expired(&self, today: NaiveDate) -> bool {
        self.expires.is_some_and(|day| day < today)
    }
}

#[cfg(test)]
mod tests;
