//! Where an agent's picture is.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::drawn;
use crate::ids::ClawId;

/// Which picture is meant.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Which {
    /// As the agent's `avatar.url` has it: then a browser may keep the picture.
    pub v: Option<String>,
}

/// What an agent looks like.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Avatar {
    /// The picture; another picture has another address.
    pub url: String,
    /// Whether somebody uploaded it; else it is drawn from the agent's id.
    pub uploaded: bool,
}

impl Avatar {
    /// Of an agent, whose uploaded picture (if any) has this hash.
    pub fn new(claw: ClawId, sha256: Option<&str>) -> Self {
        Self {
            url: format!("/api/claws/{claw}/avatar?v={}", version(sha256)),
            uploaded: sha256.is_some(),
        }
    }
}

/// Names a picture, in its address and as its ETag.
pub fn version(sha256: Option<&str>) -> &str {
    sha256.map_or(drawn::VERSION, |hash| hash.get(..16).unwrap_or(hash))
}
