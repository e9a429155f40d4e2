//! Signing a terminal in, in JSON.

use chrono::{DateTime, Utc};
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use roost_web::json::{Check, Mistakes};

/// A terminal that asks to be signed in.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewDevice {
    /// The terminal's name for itself, 1 to 100 characters. The person that confirms the code sees it.
    #[schema(min_length = 1, max_length = 100)]
    pub device: String,
}

impl Check for NewDevice {
    fn check(&self, mistakes: &mut Mistakes) {
        mistakes.text("/device", &self.device, 1, 100);
    }
}

/// The codes with which a terminal waits.
#[derive(Debug, Serialize, ToSchema)]
pub struct DeviceCode {
    /// The terminal's secret. The terminal must not show it.
    pub device_code: String,
    /// The code that the terminal shows to a person.
    pub code: String,
    /// The path of the page on which a person types the code.
    pub page: String,
    /// Seconds until the codes expire.
    pub expires_in: i64,
    /// Seconds that the terminal waits between two requests.
    pub interval: u32,
}

/// The terminal's secret.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DeviceSecret {
    #[schema(value_type = String)]
    pub device_code: SecretString,
}

impl Check for DeviceSecret {
    fn check(&self, _: &mut Mistakes) {}
}

/// The code that a terminal shows.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TerminalCode {
    #[schema(min_length = 8, max_length = 20)]
    pub code: String,
}

impl Check for TerminalCode {
    fn check(&self, mistakes: &mut Mistakes) {
        mistakes.text("/code", &self.code, 8, 20);
    }
}

/// The terminal that shows a code.
#[derive(Debug, Serialize, ToSchema)]
pub struct WaitingTerminal {
    /// The terminal's name for itself.
    pub device: String,
    pub from_address: String,
    pub expires_at: DateTime<Utc>,
}
