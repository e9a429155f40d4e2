//! A request on its way to an engine, and the person that it is recorded for.

use chrono::{DateTime, Utc};
use roost_protocol::operation::OperationRequest;
use sea_orm::DbErr;

use super::record::CommandRecord;
use roost_platform::db::WriteTx;
use roost_platform::ids::{SandboxOwnerId, SharedIds, UserId};
use roost_tenancy::audit;
use roost_tenancy::auth::WorkspaceScope;

/// A request; for a command its record, and for the request of a person its entry in the audit log.
#[derive(Debug)]
pub(in crate::fleet) struct Submission {
    pub(in crate::fleet) request: OperationRequest,
    pub(in crate::fleet) entry: Option<PersonsEntry>,
    pub(in crate::fleet) record: Option<CommandRecord>,
}

impl From<OperationRequest> for Submission {
    fn from(request: OperationRequest) -> Self {
        Self {
            request,
            entry: None,
            record: None,
        }
    }
}

/// What a person does in a sandbox. The entry is written in the transaction of the operation's row, so the audit log has
/// it exactly once, also when the request is repeated.
#[derive(Debug)]
pub struct PersonsEntry {
    pub scope: WorkspaceScope,
    pub user: UserId,
    /// The owner of the sandbox: its kind and its id.
    pub about: (&'static str, SandboxOwnerId),
    pub action: &'static str,
    /// A JSON object without secrets.
    pub details: serde_json::Value,
    pub ids: SharedIds,
}

impl PersonsEntry {
    pub(super) async fn record(&self, tx: &WriteTx, at: DateTime<Utc>) -> Result<(), DbErr> {
        audit::record(
            tx,
            &self.ids,
            at,
            self.scope,
            self.user,
            self.action,
            (self.about.0, &self.about.1),
            self.details.clone(),
        )
        .await
    }
}
