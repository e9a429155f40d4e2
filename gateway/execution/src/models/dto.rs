//! The JSON of models.

use chrono::{DateTime, Utc};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;

use super::entity::{model, settings};
use super::model::{Ceilings, MOST_CEILING, ModelPrice, WINDOWS, is_key, is_model, name};
use super::resolve::window_of;
use crate::providers::Provider;
use roost_platform::ids::ModelId;
use roost_tenancy::auth::UserBrief;
use roost_web::json::{Check, Mistakes};

/// A model to add. The API never returns its key.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewModel {
    pub provider: Provider,
    /// The provider's name for the model.
    #[schema(min_length = 1, max_length = 150)]
    pub model: String,
    /// The address of the API. When it is absent, the provider's own address is used.
    #[serde(default)]
    #[schema(max_length = 500)]
    pub base_url: Option<String>,
    /// May be absent when the server needs no key.
    #[serde(default)]
    #[schema(value_type = Option<String>, min_length = 8, max_length = 1000, format = Password)]
    pub api_key: Option<SecretString>,
    /// Absent when the price is not known.
    #[serde(default)]
    pub price: Option<ModelPrice>,
    /// The number of tokens that the model takes in at once. The gateway knows it for many models by their names.
    #[serde(default)]
    #[schema(minimum = 4096, maximum = 20_000_000)]
    pub context_tokens: Option<u32>,
    /// Whether agents without a model of their own use this model.
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
        // A self-hosted server may need no key. The providers' own APIs need one.
        let at_home = self.base_url.is_none();
        match &self.api_key {
            None if at_home && self.provider.needs_key() => {
                mistakes.add("/api_key", "is missing: this provider needs one");
            }
            key => check_key(key.as_ref(), mistakes),
        }
        check_price(self.price, mistakes);
        check_window(self.context_tokens, mistakes);
    }
}

/// The changes to a model. The address cannot be changed, because the key may only go to the address it was stored
/// for.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelChange {
    /// Replaces the stored key.
    #[serde(default)]
    #[schema(value_type = Option<String>, min_length = 8, max_length = 1000, format = Password)]
    pub api_key: Option<SecretString>,
    /// `null` clears the price: it is not known any more.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<ModelPrice>)]
    pub price: Option<Option<ModelPrice>>,
    /// `null` means what the gateway knows by the model's name.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<u32>, minimum = 4096, maximum = 20_000_000)]
    pub context_tokens: Option<Option<u32>>,
    #[serde(default)]
    pub is_default: Option<bool>,
}

impl Check for ModelChange {
    fn check(&self, mistakes: &mut Mistakes) {
        check_key(self.api_key.as_ref(), mistakes);
        check_price(self.price.flatten(), mistakes);
        check_window(self.context_tokens.flatten(), mistakes);
    }
}

fn check_key(key: Option<&SecretString>, mistakes: &mut Mistakes) {
    if key.is_some_and(|key| !is_key(key.expose_secret())) {
        mistakes.add(
            "/api_key",
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

fn check_window(tokens: Option<u32>, mistakes: &mut Mistakes) {
    let (least, most) = WINDOWS;
    if tokens.is_some_and(|tokens| !(least..=most).contains(&tokens)) {
        mistakes.add(
            "/context_tokens",
            format!("must be {least} to {most} tokens"),
        );
    }
}

/// Distinguishes a field that is `null` from an absent field.
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
    /// `<provider>/<model>`, the value of an agent's `model_binding`.
    pub name: String,
    /// Absent when a newer gateway wrote a provider that this gateway does not know.
    pub provider: Option<Provider>,
    pub model: String,
    pub base_url: String,
    pub has_key: bool,
    /// Absent when the price is not known.
    pub price: Option<ModelPrice>,
    /// What a person set. Absent when the gateway's own knowledge of the model applies.
    pub context_tokens: Option<u32>,
    /// The window that applies, in tokens. A longer conversation is compacted.
    pub window_tokens: u32,
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
            context_tokens: row
                .context_tokens
                .and_then(|tokens| u32::try_from(tokens).ok()),
            window_tokens: window_of(&row),
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
    /// Sorted by name. At most 50.
    pub items: Vec<ModelBinding>,
}

/// The result of a short test question.
#[derive(Debug, Serialize, ToSchema)]
pub struct ModelTried {
    pub ok: bool,
    /// The time until the end of the answer, in milliseconds.
    pub latency_ms: u64,
    /// The beginning of the answer.
    pub text: String,
    /// Absent when the price is not known.
    pub cost_microusd: Option<u64>,
    /// What went wrong and what to do.
    pub error: Option<String>,
    /// Whether a later attempt may succeed without a change.
    pub may_be_retried: bool,
}

/// The ceilings of a workspace, in millionths of a dollar. `null` means no ceiling.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelSettings {
    /// For one run with all its descendants.
    pub run_ceiling_microusd: Option<u64>,
    /// For all runs in the last thirty days.
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
        // An invalid stored ceiling becomes zero: it must not allow spending.
        let ceiling = |stored: Option<i64>| stored.map(|value| u64::try_from(value).unwrap_or(0));
        Self {
            run: ceiling(row.run_ceiling),
            month: ceiling(row.month_ceiling),
        }
    }
}
