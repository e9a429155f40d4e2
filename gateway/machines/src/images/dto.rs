//! The catalogue in JSON.

use serde::Serialize;
use utoipa::ToSchema;

use super::Catalogue;
use super::entity;
use crate::fleet::dto::ImageState;

/// The catalogue, by name.
#[derive(Debug, Serialize, ToSchema)]
pub struct ImageList {
    pub items: Vec<Image>,
}

/// The images that a machine can fetch from the gateway.
#[derive(Debug, Serialize, ToSchema)]
pub struct OfferedImages {
    pub items: Vec<OfferedImage>,
}

/// An image that the gateway's own engine has.
#[derive(Debug, Serialize, ToSchema)]
pub struct OfferedImage {
    pub reference: String,
    /// The image's id, `sha256:…`.
    pub digest: String,
    /// Its size in the engine.
    pub size_bytes: u64,
}

/// An image of the deployment.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Image {
    /// The name to choose it by.
    pub name: String,
    pub reference: String,
    pub purpose: String,
    pub tools: Vec<String>,
    /// The recipe of `deploy/agent-image` that builds it; absent for an image of the configuration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recipe: Option<String>,
    /// Agents get it when nobody chose another one.
    pub is_default: bool,
    /// The digest that the configuration demands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wanted_digest: Option<String>,
    /// The digest that the gateway's own host has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size_bytes: Option<u64>,
    /// Whether the gateway's own host has it.
    #[schema(value_type = ImageState)]
    pub state: String,
    /// What to do when the gateway's own host does not have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
}

impl Image {
    pub(super) fn new(row: entity::Model, catalogue: &Catalogue) -> Self {
        let entry = catalogue.named(&row.name);
        Self {
            is_default: entry.is_some_and(|entry| catalogue.is_usual(entry)),
            remedy: remedy(&row),
            tools: serde_json::from_value(row.tools).unwrap_or_default(),
            name: row.name,
            reference: row.reference,
            purpose: row.purpose,
            recipe: row.recipe,
            wanted_digest: row.wanted_digest,
            digest: row.digest,
            size_bytes: row.size_bytes.and_then(|bytes| u64::try_from(bytes).ok()),
            state: row.state,
        }
    }
}

/// What an operator does to get the image to the gateway's own host; `None` when it is there, and when no engine of that
/// host has answered.
fn remedy(row: &entity::Model) -> Option<String> {
    let get = match &row.recipe {
        Some(recipe) => format!("run deploy/agent-image/build.sh --recipe {recipe}"),
        None => format!("run docker pull {}", row.reference),
    };
    match row.state.as_str() {
        "missing" => Some(format!(
            "{} is not on the gateway's host; {get} there",
            row.reference
        )),
        "wrong-digest" => Some(format!(
            "{} on the gateway's host has another digest than the configuration demands; {get} there",
            row.reference
        )),
        "unfit" => Some(format!(
            "{} on the gateway's host cannot be a sandbox; {get} there",
            row.reference
        )),
        _ => None,
    }
}
