//! The commands on models, one use case a file.

mod add;
mod bound;
mod change;
mod remove;

pub use add::add;
pub use bound::bound;
pub use change::change;
pub use remove::{remove, remove_all};

use chrono::{DateTime, TimeDelta, Utc};
use roost_secret_broker::wire::{RecordName, Secret, Store};
use sea_orm::DbErr;
use secrecy::{ExposeSecret, SecretString};
use url::Url;

use super::entity::model;
use super::model::NO_KEY;
use super::{ModelsContext, store};
use crate::execution::providers::Provider;
use crate::platform::db::WriteTx;
use crate::platform::events::{self, Event, ResourceKind};
use crate::platform::ids::UserId;
use crate::tenancy::audit;
use crate::tenancy::auth::WorkspaceScope;

/// The longest time for storing the key and writing the row. After it, the outbox deletes the key.
const BETWEEN: TimeDelta = TimeDelta::minutes(5);

/// The broker's name for a model's key.
pub(super) fn record_name(row: &model::Model) -> Result<RecordName, DbErr> {
    RecordName::new(row.workspace_id.to_string(), row.secret_reference.clone())
        .map_err(|error| DbErr::Custom(error.to_string()))
}

/// A key, and the addresses it may go to.
fn credential(
    name: RecordName,
    provider: Provider,
    base: &Url,
    key: Option<&SecretString>,
) -> Store {
    let secret = key.map_or(NO_KEY, |key| key.expose_secret());
    Store {
        name,
        secret: Secret::from(secret),
        inject: provider.inject(),
        allow: provider.allow(base),
    }
}

/// Clears the default flag of the current default model, and publishes the change.
async fn no_other_default(
    tx: &mut WriteTx,
    scope: WorkspaceScope,
    now: DateTime<Utc>,
) -> Result<(), DbErr> {
    let before = store::no_default(tx, scope).await?;
    let facts = before
        .into_iter()
        .map(|row| Event::changed(ResourceKind::Model, row.id, row.version + 1));
    events::append(tx, scope.workspace(), now, facts.collect::<Vec<_>>()).await?;
    Ok(())
}

async fn write_down(
    state: &ModelsContext,
    tx: &mut WriteTx,
    (scope, user): (WorkspaceScope, UserId),
    row: &model::Model,
    action: &str,
) -> Result<(), DbErr> {
    let now = state.clock.now();
    let details = serde_json::json!({
        "provider": row.provider, "model": row.model, "base_url": row.base_url, "has_key": row.has_key,
        "input_price": row.input_price, "output_price": row.output_price, "is_default": row.is_default,
    });
    audit::record(
        tx,
        &state.ids,
        now,
        scope,
        user,
        action,
        ("model", &row.id),
        details,
    )
    .await?;
    let fact = Event::changed(ResourceKind::Model, row.id, row.version);
    events::append(tx, scope.workspace(), now, [fact]).await?;
    Ok(())
}
