//! Lists that go back in time over several tables: where each table continues.

use chrono::{DateTime, Utc};
use sea_orm::{ColumnTrait, Condition, Value};

/// An upper bound for a list's rows. The key orders two rows of the same moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Older<K> {
    /// No bound: starts at the newest row.
    Newest,
    /// Strictly before a moment.
    Before(DateTime<Utc>),
    /// At or before a moment.
    UpTo(DateTime<Utc>),
    /// Before a moment, or at it with a smaller key.
    Than(DateTime<Utc>, K),
}

impl<K> Older<K> {
    /// The same bound with another key; `None` when the key does not belong to this table.
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
    /// The bound as a condition on a table's columns.
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
