//! The one client that leaves the broker: checked addresses, no proxy, no redirect, no second try.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use roost_secret_broker::outbound::{
    AddressPolicy, Dial, Lookup, Refused, chain, client, permits, refused_in,
};
use roost_secret_broker::wire::{Fault, FaultCode};
use url::Url;

use super::redact::Redactor;

/// What the outlet is made of.
#[derive(Clone)]
pub struct EgressSettings {
    pub policy: AddressPolicy,
    /// More authorities than the public ones: PEM.
    pub ca_file: Option<PathBuf>,
    /// Until a connection stands.
    pub connect: Duration,
    /// The longest that a forward may take, whatever its caller asks.
    pub longest: Duration,
    /// Between two pieces of an answer.
    pub pause: Duration,
    /// Bytes of an answer's body.
    pub most_answer: u64,
    /// Bytes of a request's body.
    pub most_request: u64,
    pub lookup: Option<Lookup>,
}

impl Default for EgressSettings {
    fn default() -> Self {
        Self {
            policy: AddressPolicy::default(),
            ca_file: None,
            connect: Duration::from_secs(10),
            longest: Duration::from_secs(15 * 60),
            pause: Duration::from_secs(120),
            most_answer: 256 << 20,
            most_request: 64 << 20,
            lookup: None,
        }
    }
}

impl EgressSettings {
    fn dial(&self, checked: bool) -> Dial {
        Dial {
            policy: checked.then(|| self.policy.clone()),
            ca_file: self.ca_file.clone(),
            connect: self.connect,
            lookup: self.lookup.clone(),
        }
    }
}

/// The outlet. Cheap to clone.
#[derive(Clone)]
pub struct Outlet {
    http: reqwest::Client,
    settings: Arc<EgressSettings>,
}

impl Outlet {
    /// Makes the client; needs the process's crypto provider.
    ///
    /// # Errors
    /// When the file of authorities cannot be used.
    pub fn new(settings: EgressSettings) -> anyhow::Result<Self> {
        let http = client(&settings.dial(true))?;
        Ok(Self {
            http,
            settings: Arc::new(settings),
        })
    }

    /// A client for the operator's own Vault, whose address nobody else chooses.
    ///
    /// # Errors
    /// As for [`new`](Self::new).
    pub fn to_vault(settings: &EgressSettings) -> anyhow::Result<reqwest::Client> {
        client(&settings.dial(false))
    }

    /// Limits and policy.
    pub fn settings(&self) -> &EgressSettings {
        &self.settings
    }

    /// A request that may be sent; one to a bare address is checked here, one to a name when it is dialled.
    ///
    /// # Errors
    /// [`FaultCode::AddressRefused`].
    pub fn request(
        &self,
        method: http::Method,
        url: Url,
    ) -> Result<reqwest::RequestBuilder, Fault> {
        permits(&self.settings.policy, &url).map_err(|found| refused(&found))?;
        Ok(self.http.request(method, url))
    }

    /// What went wrong outside, without the address's query and without the secret.
    pub fn fault(&self, error: reqwest::Error, redactor: &Redactor) -> Fault {
        let error = error.without_url();
        if let Some(found) = refused_in(&error) {
            return refused(found);
        }
        let told = redactor.text(&chain(&error));
        if error.is_timeout() {
            Fault::new(
                FaultCode::RemoteTimeout,
                format!("the remote took too long: {told}"),
            )
        } else {
            Fault::new(
                FaultCode::RemoteUnreachable,
                format!("the remote cannot be reached, or broke off: {told}"),
            )
        }
    }
}

fn refused(refused: &Refused) -> Fault {
    Fault::new(FaultCode::AddressRefused, refused.to_string())
}
