//! The set-up of a deployment in JSON.

use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{check_email, check_password};
use crate::auth::commands;
use roost_web::json::{Check, Mistakes};

/// Whether the Owner of the deployment can sign in with a password yet.
#[derive(Debug, Serialize, ToSchema)]
pub struct Setup {
    /// `false`: the first one-time login is in the file `first-login` of the data directory.
    pub owner_ready: bool,
    /// The identity provider by which people can sign in with a browser, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hosted: Option<HostedSignIn>,
}

/// An identity provider, as people see it.
#[derive(Debug, Serialize, ToSchema)]
pub struct HostedSignIn {
    /// Its name on the sign-in page.
    pub name: String,
}

/// Who the Owner of the deployment is.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewSetup {
    /// The one-time login from the gateway's host.
    #[schema(value_type = String)]
    pub one_time: SecretString,
    #[schema(min_length = 1, max_length = 100)]
    pub name: String,
    #[schema(max_length = 254)]
    pub email: String,
    /// At least 10 characters, at most 200.
    #[schema(value_type = String, min_length = 10, max_length = 200)]
    pub password: SecretString,
}

impl Check for NewSetup {
    fn check(&self, mistakes: &mut Mistakes) {
        mistakes.name("/name", self.name.trim(), 100);
        check_email("/email", &self.email, mistakes);
        check_password("/password", &self.password, mistakes);
    }
}

impl From<NewSetup> for commands::SetUp {
    fn from(new: NewSetup) -> Self {
        Self {
            one_time: new.one_time,
            name: new.name.trim().to_owned(),
            email: new.email.trim().to_lowercase(),
            password: new.password,
        }
    }
}
