//! The address of an agent's picture.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::drawn;
use roost_platform::ids::ClawId;

/// The requested picture.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Which {
    /// The version in the agent's `avatar.url`. With it, a browser may cache the picture.
    pub v: Option<String>,
}

/// The appearance of an agent.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Avatar {
    /// The address of the picture. A different picture has a different address.
    pub url: String,
    /// Whether a user uploaded the picture. Otherwise it is drawn from the agent's id.
    pub uploaded: bool,
}

impl Avatar {
    /// From an agent and the hash of its uploaded picture, if any.
    pub fn new(claw: ClawId, sha256: Option<&str>) -> Self {
        Self {
            url: format!("/api/claws/{claw}/avatar?v={}", version(sha256)),
            uploaded: sha256.is_some(),
        }
    }
}

/// The version of a picture, for its address and its ETag.
pub fn version(sha256: Option<&str>) -> &str {
    sha256.map_or(drawn::VERSION, |hash| hash.get(..16).unwrap_or(hash))
}
