//! Models in JSON.

use chrono::{DateTime, Utc};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;

use super::entity::{model, settings};
use super::model::{Ceilings, MOST_CEILING, ModelPrice, is_key, is_model, name};
use crate::domains::auth::dto::UserBrief;
use crate::domains::runtime::models::Provider;
use crate::http::json::{Check, Mistakes};
use crate::ids::ModelId;

/// A model to add. Its key is never shown again.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewModel {
    pub provider: Provider,
    /// The provider's name for it.
    #[schema(min_length = 1, max_length = 150)]
    pub model: String,
    /// Where the API is; the provider's own where it is left out.
    #[serde(default)]
    #[schema(max_length = 500)]
    pub base_url: Option<String>,
    /// May be left out where the server needs none.
    #[serde(default)]
    #[schema(value_type = Option<String>, min_length = 8, max_length = 1000, format = Password)]
    pub key: Option<SecretString>,
    /// Absent: not known.
    #[serde(default)]
    pub price: Option<ModelPrice>,
    /// Whether agents without a model of their own think with it.
    #[serde(default)]
    pub is_default: bool,
}

impl Check for NewModel {
    fn check(&self, mistakes: &mut Mistakes) {
        if !is_model(&self.model) {
            mistakes.add("/model", "must be a model's name such as gpt-5 or qwen3:8b");
        }
        if let Some(url) = &self.base_url {
            mistakes.text("/base_url", url, 1, 500);
        }
        // A server of one's own may need none; the providers themselves do.
        let at_home = self.base_url.is_none();
        match &self.key {
            None if at_home && self.provider.needs_key() => {
                mistakes.add("/key", "is missing: this provider needs one");
            }
            key => check_key(key.as_ref(), mistakes),
        }
        check_price(self.price, mistakes);
    }
}

/// What of a model changes. Another address is another model: its key goes nowhere else.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelChange {
    /// In the place of the one before.
    #[serde(default)]
    #[schema(value_type = Option<String>, min_length = 8, max_length = 1000, format = Password)]
    pub key: Option<SecretString>,
    /// `null`: not known any more.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<ModelPrice>)]
    pub price: Option<Option<ModelPrice>>,
    #[serde(default)]
    pub is_default: Option<bool>,
}

impl Check for ModelChange {
    fn check(&self, mistakes: &mut Mistakes) {
        check_key(self.key.as_ref(), mistakes);
        check_price(self.price.flatten(), mistakes);
    }
}

fn check_key(key: Option<&SecretString>, mistakes: &mut Mistakes) {
    if key.is_some_and(|key| !is_key(key.expose_secret())) {
        mistakes.add(
            "/key",
            "must be a key of 8 to 1000 characters, without blanks",
        );
    }
}

fn check_price(price: Option<ModelPrice>, mistakes: &mut Mistakes) {
    if price.is_some_and(|price| !price.is_fine()) {
        mistakes.add(
            "/price",
            "must be at most 10000 dollars for a million tokens",
        );
    }
}

/// Present as `null` is something else than absent.
fn present<'de, D, T>(deserializer: D) -> Result<Option<Option<T>>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Option::<T>::deserialize(deserializer).map(Some)
}

/// A model.
#[derive(Debug, Serialize, ToSchema)]
pub struct ModelBinding {
    pub id: ModelId,
    /// `<provider>/<model>`: what an agent's `model_binding` says.
    pub name: String,
    /// Absent where a newer gateway wrote one that is not known here.
    pub provider: Option<Provider>,
    pub model: String,
    pub base_url: String,
    pub has_key: bool,
    /// Absent: what it costs is not known.
    pub price: Option<ModelPrice>,
    pub is_default: bool,
    pub created_by: Option<UserBrief>,
    pub created_at: DateTime<Utc>,
    pub version: i64,
}

impl ModelBinding {
    pub(super) fn new(row: model::Model, created_by: Option<UserBrief>) -> Self {
        Self {
            id: row.id,
            name: name(&row.provider, &row.model),
            provider: Provider::from_stored(&row.provider),
            price: ModelPrice::from_stored(row.input_price, row.output_price),
            model: row.model,
            base_url: row.base_url,
            has_key: row.has_key,
            is_default: row.is_default,
            created_by,
            created_at: row.created_at,
            version: row.version,
        }
    }
}

/// The models of a workspace.
#[derive(Debug, Serialize, ToSchema)]
pub struct Models {
    /// In the order of their names; at most 50.
    pub items: Vec<ModelBinding>,
}

/// How a small question went.
#[derive(Debug, Serialize, ToSchema)]
pub struct ModelTried {
    pub ok: bool,
    /// Until the end of the answer.
    pub latency_ms: u64,
    /// The beginning of what it said.
    pub text: String,
    /// Absent when the price is not known.
    pub cost_microusd: Option<u64>,
    /// What went wrong and what to do.
    pub error: Option<String>,
    /// Whether that may go by itself.
    pub may_be_retried: bool,
}

/// What may be spent, in millionths of a dollar; `null`: as much as they like.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelSettings {
    /// By one run with all its children.
    pub run_ceiling_microusd: Option<u64>,
    /// By all runs within thirty days.
    pub month_ceiling_microusd: Option<u64>,
}

impl Check for ModelSettings {
    fn check(&self, mistakes: &mut Mistakes) {
        for (pointer, ceiling) in [
            ("/run_ceiling_microusd", self.run_ceiling_microusd),
            ("/month_ceiling_microusd", self.month_ceiling_microusd),
        ] {
            if ceiling.is_some_and(|most| most > MOST_CEILING) {
                mistakes.add(pointer, "must be at most a thousand million dollars");
            }
        }
    }
}

impl From<Ceilings> for ModelSettings {
    fn from(ceilings: Ceilings) -> Self {
        Self {
            run_ceiling_microusd: ceilings.run,
            month_ceiling_microusd: ceilings.month,
        }
    }
}

impl From<&settings::Model> for Ceilings {
    fn from(row: &settings::Model) -> Self {
        // What cannot be one bounds at nothing: it must not open the purse.
        let ceiling = |stored: Option<i64>| stored.map(|value| u64::try_from(value).unwrap_or(0));
        Self {
            run: ceiling(row.run_ceiling),
            month: ceiling(row.month_ceiling),
        }
    }
}
