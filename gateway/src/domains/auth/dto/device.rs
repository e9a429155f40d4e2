//! Signing a terminal in, in JSON.

use chrono::{DateTime, Utc};
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::http::json::{Check, Mistakes};

/// A terminal that wants to be signed in.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewDevice {
    /// What it calls itself, 1 to 100 characters: whoever confirms sees it.
    #[schema(min_length = 1, max_length = 100)]
    pub device: String,
}

impl Check for NewDevice {
    fn check(&self, mistakes: &mut Mistakes) {
        mistakes.text("/device", &self.device, 1, 100);
    }
}

/// What it waits with.
#[derive(Debug, Serialize, ToSchema)]
pub struct DeviceCode {
    /// For the terminal alone.
    pub device_code: String,
    /// For people.
    pub code: String,
    /// Where they type it: a path of the page.
    pub page: String,
    /// Seconds.
    pub expires_in: i64,
    /// Seconds between two questions.
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
    /// What it calls itself.
    pub device: String,
    pub from_address: String,
    pub expires_at: DateTime<Utc>,
}
