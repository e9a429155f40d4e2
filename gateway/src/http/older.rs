//! Lists that go back in time over several tables: where each table goes on.

use chrono::{DateTime, Utc};
use sea_orm::{ColumnTrait, Condition, Value};

/// What is older than a place. Two rows of the same moment are told apart by their key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Older<K> {
    /// No bound: from the newest on.
    Newest,
    /// Strictly before a moment.
    Before(DateTime<Utc>),
    /// At or before a moment.
    UpTo(DateTime<Utc>),
    /// Before a moment, or at it with a smaller key.
    Than(DateTime<Utc>, K),
}

impl<K> Older<K> {
    /// The same with another key; `None` when the key is not one of this table.
    pub fn keyed<L>(self, key: impl FnOnce(K) -> Option<L>) -> Option<Older<L>> {
        Some(match self {
            Self::Newest => Older::Newest,
            Self::Before(at) => Older::Before(at),
            Self::UpTo(at) => Older::UpTo(at),
            Self::Than(moment, former) => Older::Than(moment, key(former)?),
        })
    }
}

impl<K: Into<Value>> Older<K> {
    /// As a condition on a table's columns.
    pub fn of<C: ColumnTrait>(self, at: C, key: C) -> Condition {
        match self {
            Self::Newest => Condition::all(),
            Self::Before(moment) => Condition::all().add(at.lt(moment)),
            Self::UpTo(moment) => Condition::all().add(at.lte(moment)),
            Self::Than(moment, than) => Condition::any()
                .add(at.lt(moment))
                .add(Condition::all().add(at.eq(moment)).add(key.lt(than.into()))),
        }
    }
}
