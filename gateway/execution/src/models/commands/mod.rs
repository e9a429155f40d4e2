//! The commands on models, one use case a file.

mod add;
mod bound;
mod change;
mod remove;

pub use add::add;
pub use bound::bound;
pub use change::change;
pub use remove::{remove, remove_all};

use roost_secret_broker::wire::{RecordName, Secret, Store};
use sea_orm::DbErr;
use secrecy::{ExposeSecret, SecretString};
use url::Url;

use super::entity::model;
use super::model::NO_KEY;
use super::store;
use crate::providers::Provider;
use roost_platform::broker;
use roost_platform::events::{Event, ResourceKind};
use roost_tenancy::change::Change;

/// The broker's name for a model's key.
pub(super) fn record_name(row: &model::Model) -> Result<RecordName, DbErr> {
    broker::credential::name_of(row.workspace_id, &row.secret_reference)
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
async fn no_other_default(change: &mut Change) -> Result<(), DbErr> {
    let before = store::no_default(change, change.scope()).await?;
    let facts = before
        .into_iter()
        .map(|row| Event::changed(ResourceKind::Model, row.id, row.version + 1));
    change.events(facts);
    Ok(())
}

fn write_down(change: &mut Change, row: &model::Model, action: &str) {
    let details = serde_json::json!({
        "provider": row.provider, "model": row.model, "base_url": row.base_url, "has_key": row.has_key,
        "input_price": row.input_price, "output_price": row.output_price, "is_default": row.is_default,
    });
    change.record(action, ("model", &row.id), details);
    change.event(Event::changed(ResourceKind::Model, row.id, row.version));
}
