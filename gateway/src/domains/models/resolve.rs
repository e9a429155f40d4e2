//! From what an agent is bound to, to a model that answers.

use std::sync::Arc;

use url::Url;

use super::commands::record_name;
use super::entity::model as entity;
use super::model::{ModelPrice, name};
use super::{ModelsError, store};
use crate::broker::BrokerHandle;
use crate::clock::SharedClock;
use crate::db::Db;
use crate::domains::auth::WorkspaceScope;
use crate::domains::runtime::models::{Limits, Model, Price, Provider, Remote};

/// What an agent is bound to that shall think with the demonstration's script.
pub const SCRIPTED: &str = "scripted";

/// A model that answers.
#[derive(Clone)]
pub struct Resolved {
    pub model: Arc<dyn Model>,
    /// As people see it: `<provider>/<model>`, or `scripted`.
    pub name: String,
    /// The provider's name for it, for `Request::model`.
    pub provider_name: String,
    /// Unknown where nobody has said it.
    pub price: Option<Price>,
}

impl Resolved {
    /// Whether what it says is a demonstration, and must be shown as one.
    pub fn is_demonstration(&self) -> bool {
        self.name == SCRIPTED
    }
}

/// Who finds models. Cheap to clone.
#[derive(Clone)]
pub struct Resolver {
    pub db: Db,
    pub broker: BrokerHandle,
    pub clock: SharedClock,
    /// Answers where the workspace has no model.
    pub scripted: Arc<dyn Model>,
}

impl Resolver {
    /// What the agent is bound to, else the workspace's default, else the script. A binding to what is not there is an
    /// error: another model in its place would be a surprise, and perhaps an expensive one.
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
            price: remote.price,
            provider_name: row.model,
            model: Arc::new(remote),
        })
    }
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
