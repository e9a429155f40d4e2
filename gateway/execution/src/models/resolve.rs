//! Resolves an agent's binding to a model.

use std::sync::Arc;

use url::Url;

use super::commands::record_name;
use super::entity::model as entity;
use super::model::{ModelPrice, default_window, name};
use super::{ModelsError, store};
use crate::providers::{Limits, Model, Price, Provider, Remote};
use roost_platform::broker::BrokerHandle;
use roost_platform::clock::SharedClock;
use roost_platform::db::Db;
use roost_tenancy::auth::WorkspaceScope;

/// The binding to the scripted demonstration model.
pub const SCRIPTED: &str = "scripted";

/// A model that is ready to answer.
#[derive(Clone)]
pub struct Resolved {
    pub model: Arc<dyn Model>,
    /// The name that people see: `<provider>/<model>`, or `scripted`.
    pub name: String,
    /// The provider's name for the model, for `Request::model`.
    pub provider_name: String,
    /// The number of tokens that it takes in at once.
    pub window: u32,
    /// Absent when the price is unknown.
    pub price: Option<Price>,
}

/// Resolves bindings to models. Cheap to clone.
#[derive(Clone)]
pub struct Resolver {
    pub db: Db,
    pub broker: BrokerHandle,
    pub clock: SharedClock,
    /// The model for workspaces without a default model.
    pub scripted: Arc<dyn Model>,
    /// The script's window, in tokens.
    pub scripted_window: u32,
}

impl Resolver {
    /// The model of the agent's binding, else the workspace's default, else the script. A binding to a missing model
    /// is an error: another model in its place would be unexpected, and perhaps more expensive.
    ///
    /// # Errors
    /// [`ModelsError::NotBound`].
    pub async fn resolve(
        &self,
        scope: WorkspaceScope,
        binding: Option<&str>,
    ) -> Result<Resolved, ModelsError> {
        let row = match binding.map(str::trim).filter(|name| !name.is_empty()) {
            Some(SCRIPTED) => None,
            Some(bound) => {
                let not_bound = || ModelsError::NotBound {
                    name: bound.to_owned(),
                };
                let (provider, model) = bound.split_once('/').ok_or_else(not_bound)?;
                let found = store::named(self.db.read(), scope, provider, model).await?;
                Some(found.ok_or_else(not_bound)?)
            }
            None => store::default(self.db.read(), scope).await?,
        };
        match row {
            Some(row) => self.remote(row),
            None => Ok(Resolved {
                model: self.scripted.clone(),
                name: SCRIPTED.to_owned(),
                provider_name: SCRIPTED.to_owned(),
                window: self.scripted_window,
                price: Some(Price {
                    input: 0,
                    output: 0,
                }),
            }),
        }
    }

    fn remote(&self, row: entity::Model) -> Result<Resolved, ModelsError> {
        let remote = remote(&self.broker, &self.clock, &row, Limits::default())?;
        Ok(Resolved {
            name: name(&row.provider, &row.model),
            window: window_of(&row),
            price: remote.price,
            provider_name: row.model,
            model: Arc::new(remote),
        })
    }
}

/// The window of a model: the one that a person set, else that of its name.
pub(super) fn window_of(row: &entity::Model) -> u32 {
    let set = row
        .context_tokens
        .and_then(|tokens| u32::try_from(tokens).ok());
    set.unwrap_or_else(|| default_window(Provider::from_stored(&row.provider), &row.model))
}

/// The model of a row.
pub(super) fn remote(
    broker: &BrokerHandle,
    clock: &SharedClock,
    row: &entity::Model,
    limits: Limits,
) -> Result<Remote, ModelsError> {
    let not_bound = || ModelsError::NotBound {
        name: name(&row.provider, &row.model),
    };
    let price = ModelPrice::from_stored(row.input_price, row.output_price);
    Ok(Remote {
        broker: broker.clone(),
        clock: clock.clone(),
        provider: Provider::from_stored(&row.provider).ok_or_else(not_bound)?,
        base: Url::parse(&row.base_url).map_err(|_| not_bound())?,
        record: record_name(row)?,
        price: price.map(Price::from),
        limits,
    })
}
