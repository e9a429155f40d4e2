//! The unit of work of a command. A [`Change`] is one transaction in one workspace, on the authority of one user, at one
//! time. The command reads and writes in it, notes what it did, and commits.
//!
//! Invariants: rows, audit entries and events are one transaction. Workers wake only after the commit. A change that is
//! dropped before its commit leaves nothing behind and wakes nobody.

use std::fmt::Display;
use std::ops::{Deref, DerefMut};

use chrono::{DateTime, Utc};
use sea_orm::{DatabaseTransaction, DbErr};

use crate::audit::{self, AuditRow};
use roost_platform::WorkspaceScope;
use roost_platform::clock::SharedClock;
use roost_platform::db::{Db, WriteTx};
use roost_platform::events::{self, Stamped};
use roost_platform::ids::{SharedIds, UserId, fresh};

#[cfg(test)]
mod tests;

/// A context in which commands can begin a [`Change`].
pub trait ChangeContext {
    /// The database, the clock and the source of ids.
    fn parts(&self) -> (&Db, &SharedClock, &SharedIds);
}

/// A change that is not committed yet. It dereferences to its [`WriteTx`], so it is passed on where a function takes one.
#[must_use = "a change that is dropped is rolled back"]
pub struct Change {
    tx: WriteTx,
    ids: SharedIds,
    now: DateTime<Utc>,
    scope: WorkspaceScope,
    actor: UserId,
    entries: Vec<AuditRow>,
    events: Vec<Stamped>,
}

impl Change {
    /// Begins a change in a workspace. `actor` is the user with whose authority it is made, or [`UserId::SYSTEM`].
    ///
    /// # Errors
    /// When the database fails.
    pub async fn begin(
        context: &impl ChangeContext,
        scope: WorkspaceScope,
        actor: UserId,
    ) -> Result<Self, DbErr> {
        let (db, ..) = context.parts();
        let tx = db.write().await?;
        Ok(Self::within(context, tx, scope, actor))
    }

    /// As [`Change::begin`], in a transaction that had to read first which workspace or user it is about.
    pub fn within(
        context: &impl ChangeContext,
        tx: WriteTx,
        scope: WorkspaceScope,
        actor: UserId,
    ) -> Self {
        let (_, clock, ids) = context.parts();
        Self {
            tx,
            ids: ids.clone(),
            now: clock.now(),
            scope,
            actor,
            entries: Vec::new(),
            events: Vec::new(),
        }
    }

    /// The transaction, for statements.
    pub fn tx(&self) -> &DatabaseTransaction {
        &self.tx
    }

    /// The time of the whole change.
    pub fn now(&self) -> DateTime<Utc> {
        self.now
    }

    /// The workspace.
    pub fn scope(&self) -> WorkspaceScope {
        self.scope
    }

    /// The user with whose authority the change is made.
    pub fn actor(&self) -> UserId {
        self.actor
    }

    /// Notes an entry for the audit log: the action, the (kind, id) of what it is about, and a JSON object without
    /// secrets. The commit writes the entries in the order of these calls.
    pub fn record(
        &mut self,
        action: &str,
        (kind, id): (&str, &dyn Display),
        details: serde_json::Value,
    ) {
        self.entries.push(AuditRow {
            id: fresh(&self.ids),
            workspace_id: self.scope.workspace(),
            actor: self.actor,
            action: action.to_owned(),
            entity_kind: kind.to_owned(),
            entity_id: id.to_string(),
            details,
            at: self.now,
        });
    }

    /// Notes an event. The commit appends the events in the order of these calls.
    pub fn event(&mut self, event: impl Into<Stamped>) {
        self.events.push(event.into());
    }

    /// Notes several events.
    pub fn events(&mut self, events: impl IntoIterator<Item = impl Into<Stamped>>) {
        self.events.extend(events.into_iter().map(Into::into));
    }

    /// Writes the audit entries, appends the events, commits, publishes the events and wakes the workers, in this
    /// order. The log of the workspace is locked last, because other writers wait for it until the commit.
    ///
    /// # Errors
    /// When the database fails; then nothing has changed.
    pub async fn commit(mut self) -> Result<(), DbErr> {
        for entry in self.entries {
            audit::insert(&self.tx, entry).await?;
        }
        let workspace = self.scope.workspace();
        events::append(&mut self.tx, workspace, self.now, self.events).await?;
        self.tx.commit().await
    }
}

impl Deref for Change {
    type Target = WriteTx;

    fn deref(&self) -> &WriteTx {
        &self.tx
    }
}

impl DerefMut for Change {
    fn deref_mut(&mut self) -> &mut WriteTx {
        &mut self.tx
    }
}
