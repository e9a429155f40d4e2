//! The caller's own account in JSON.

use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::check_email;
use crate::auth::commands;
use roost_web::json::{Check, Mistakes};

/// A change of the caller's account. What is absent stays as it is.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AccountChange {
    #[serde(default)]
    #[schema(min_length = 1, max_length = 100)]
    pub name: Option<String>,
    /// The address that the person signs in with. No other account may have it.
    #[serde(default)]
    #[schema(max_length = 254)]
    pub email: Option<String>,
    /// The present password. A new address needs it when the account has a password.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    pub password: Option<SecretString>,
    /// Whether the person gets mail about own runs that fail or wait for an approval.
    #[serde(default)]
    pub mail_notices: Option<bool>,
}

impl Check for AccountChange {
    fn check(&self, mistakes: &mut Mistakes) {
        if let Some(name) = &self.name {
            mistakes.name("/name", name.trim(), 100);
        }
        if let Some(email) = &self.email {
            check_email("/email", email, mistakes);
        }
        if self.name.is_none() && self.email.is_none() && self.mail_notices.is_none() {
            mistakes.add("", "must have `name`, `email` or `mail_notices`");
        }
    }
}

impl From<AccountChange> for commands::AccountChange {
    fn from(change: AccountChange) -> Self {
        Self {
            name: change.name.map(|name| name.trim().to_owned()),
            email: change.email.map(|email| email.trim().to_lowercase()),
            password: change.password,
            notices: change.mail_notices,
        }
    }
}

/// The secret of the link that confirms a new address.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AddressLink {
    /// What follows `#` in the link.
    #[schema(value_type = String)]
    pub token: SecretString,
}

impl Check for AddressLink {
    fn check(&self, _: &mut Mistakes) {}
}

/// The address that the account has now.
#[derive(Debug, Serialize, ToSchema)]
pub struct AddressConfirmed {
    pub email: String,
}

/// The requested picture.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct WhichPicture {
    /// The version in the person's `avatar`. With it, a browser may cache the picture.
    pub v: Option<String>,
}
