//! The deployment's address in JSON.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use roost_web::json::{Check, Mistakes};

/// Which deployment a gateway belongs to.
#[derive(Debug, Serialize, ToSchema)]
pub struct GatewayIdentity {
    /// The same for all gateways of a deployment. It tells nothing else.
    pub id: String,
}

/// An address to check.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AddressToCheck {
    /// Such as `https://roost.example.com`.
    #[schema(min_length = 1, max_length = 500)]
    pub url: String,
}

impl Check for AddressToCheck {
    fn check(&self, mistakes: &mut Mistakes) {
        mistakes.text("/url", &self.url, 1, 500);
    }
}

/// Whether the deployment answers at an address.
#[derive(Debug, Serialize, ToSchema)]
pub struct AddressChecked {
    pub reachable: bool,
    /// Why not. Absent when it does.
    pub reason: Option<String>,
}
