//! Pure rules of an agent's history: one order over several sources, and cursors into it.

use std::cmp::Reverse;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use roost_platform::db::Older;

/// The source of a line of the history. The order of the sources decides between lines of the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = ActivitySource)]
pub enum Source {
    /// An operation on the agent's sandbox.
    Operation,
    /// An event about the agent.
    Event,
    /// An audit entry about the agent.
    Audit,
}

impl Source {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Operation, Self::Event, Self::Audit];

    /// `operation,event`
    pub fn read_list(text: &str) -> Option<Vec<Self>> {
        text.split(',')
            .map(|word| serde_json::from_value(word.into()).ok())
            .collect()
    }
}

/// The identifier of a line within its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Key {
    Id(Uuid),
    /// The sequence of an event.
    Number(i64),
}

/// A place in the history: newest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    pub at: DateTime<Utc>,
    pub source: Source,
    pub key: Key,
}

impl Place {
    fn order(&self) -> (Reverse<DateTime<Utc>>, Source, Reverse<Key>) {
        (Reverse(self.at), self.source, Reverse(self.key))
    }

    /// Opaque to clients.
    pub fn to_cursor(self) -> String {
        let key = match self.key {
            Key::Id(id) => id.to_string(),
            Key::Number(number) => number.to_string(),
        };
        let source = Source::ALL.iter().position(|one| *one == self.source);
        let nanos = self.at.timestamp_nanos_opt().unwrap_or_default();
        URL_SAFE_NO_PAD.encode(format!("{nanos} {} {key}", source.unwrap_or_default()))
    }

    /// Reads what [`to_cursor`](Self::to_cursor) wrote.
    pub fn from_cursor(text: &str) -> Option<Self> {
        let text = String::from_utf8(URL_SAFE_NO_PAD.decode(text).ok()?).ok()?;
        let (nanos, rest) = text.split_once(' ')?;
        let (source, key) = rest.split_once(' ')?;
        let source = *Source::ALL.get(source.parse::<usize>().ok()?)?;
        let key = match source {
            Source::Event => Key::Number(key.parse().ok()?),
            Source::Operation | Source::Audit => Key::Id(key.parse().ok()?),
        };
        Some(Self {
            at: DateTime::from_timestamp_nanos(nanos.parse().ok()?),
            source,
            key,
        })
    }

    /// The range of a source's lines that follow this place.
    pub fn older(after: Option<Self>, source: Source) -> Older<Key> {
        match after {
            None => Older::Newest,
            Some(place) if place.source == source => Older::Than(place.at, place.key),
            // At the same time, lines of sources later in the order were not shown yet.
            Some(place) if place.source < source => Older::UpTo(place.at),
            Some(place) => Older::Before(place.at),
        }
    }
}

/// Sorts lines of all sources. Returns the newest `limit` of them, and whether there are more.
pub fn merge<T>(mut lines: Vec<(Place, T)>, limit: usize) -> (Vec<(Place, T)>, bool) {
    lines.sort_by_key(|(place, _)| place.order());
    let more = lines.len() > limit;
    lines.truncate(limit);
    (lines, more)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn place(at: i64, source: usize, key: u64) -> Place {
        let source = Source::ALL[source];
        Place {
            at: DateTime::from_timestamp_nanos(at),
            source,
            key: match source {
                Source::Event => Key::Number(i64::try_from(key).expect("small")),
                _ => Key::Id(Uuid::from_u64_pair(0, key)),
            },
        }
    }

    /// The rows that a store returns.
    fn read(all: &[Place], source: Source, older: Older<Key>, limit: usize) -> Vec<(Place, ())> {
        let mut rows: Vec<Place> = all
            .iter()
            .copied()
            .filter(|place| place.source == source)
            .filter(|place| match older {
                Older::Newest => true,
                Older::Before(at) => place.at < at,
                Older::UpTo(at) => place.at <= at,
                Older::Than(at, key) => (place.at, place.key) < (at, key),
            })
            .collect();
        rows.sort_by_key(Place::order);
        rows.truncate(limit);
        rows.into_iter().map(|place| (place, ())).collect()
    }

    proptest! {
        #[test]
        fn walking_the_pages_shows_each_line_once_in_order(
            rows in proptest::collection::btree_set((0i64..6, 0usize..3, 0u64..8), 0..40),
            limit in 1usize..6,
        ) {
            let all: Vec<Place> = rows.into_iter().map(|(at, source, key)| place(at, source, key)).collect();
            let mut seen = Vec::new();
            let mut after = None;
            loop {
                let lines = Source::ALL
                    .iter()
                    .flat_map(|source| read(&all, *source, Place::older(after, *source), limit + 1))
                    .collect();
                let (page, more) = merge(lines, limit);
                seen.extend(page.iter().map(|(place, ())| *place));
                let Some((last, ())) = page.last().filter(|_| more) else { break };
                after = Place::from_cursor(&last.to_cursor());
                prop_assert_eq!(after, Some(*last));
            }
            let mut expected = all.clone();
            expected.sort_by_key(Place::order);
            prop_assert_eq!(seen, expected);
        }

        #[test]
        fn a_made_up_cursor_is_refused_and_breaks_nothing(text in ".{0,60}") {
            if let Some(place) = Place::from_cursor(&text) {
                prop_assert_eq!(Place::from_cursor(&place.to_cursor()), Some(place));
            }
        }
    }

    #[test]
    fn sources_are_read_from_a_list() {
        assert_eq!(
            Source::read_list("audit,operation"),
            Some(vec![Source::Audit, Source::Operation])
        );
        assert_eq!(Source::read_list("audit,everything"), None);
        assert_eq!(Source::read_list(""), None);
    }
}
