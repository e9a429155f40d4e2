//! The only HTTP client of the broker: checked addresses, no proxy, no redirect, no retry.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use roost_secret_broker::outbound::{
    AddressPolicy, Dial, Lookup, Refused, chain, client, permits, refused_in,
};
use roost_secret_broker::wire::{Fault, FaultCode};
use url::Url;

use super::redact::Redactor;

/// Settings of the HTTP client.
#[derive(Clone)]
pub struct EgressSettings {
    pub policy: AddressPolicy,
    /// PEM file with more certificate authorities than the public ones.
    pub ca_file: Option<PathBuf>,
    /// Time to make a connection.
    pub connect: Duration,
    /// Longest forward. A caller cannot ask for more.
    pub longest: Duration,
    /// Time between two pieces of an answer.
    pub pause: Duration,
    /// Most bytes of an answer's body.
    pub most_answer: u64,
    /// Most bytes of a request's body.
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

/// The HTTP client. Cheap to clone.
#[derive(Clone)]
pub struct HttpClient {
    http: reqwest::Client,
    settings: Arc<EgressSettings>,
}

impl HttpClient {
    /// Makes the client; needs the process's crypto provider.
    ///
    /// # Errors
    /// When the file of certificate authorities cannot be used.
    pub fn new(settings: EgressSettings) -> anyhow::Result<Self> {
        let http = client(&settings.dial(true))?;
        Ok(Self {
            http,
            settings: Arc::new(settings),
        })
    }

    /// A client for the operator's own Vault. Only the operator chooses that address.
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

    /// Builds a request. A bare IP address is checked here; a name is checked when it is dialled.
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

    /// The network error as a fault, without the URL's query and without the secret.
    pub fn fault(&self, error: reqwest::Error, redactor: &Redactor) -> Fault {
        let error = error.without_url();
        if let Some(found) = refused_in(&error) {
            return refused(found);
        }
        let cause = redactor.text(&chain(&error));
        if error.is_connect() {
            Fault::new(
                FaultCode::NotReached,
                format!("the remote cannot be reached, so nothing was sent: {cause}"),
            )
        } else if error.is_timeout() {
            Fault::new(
                FaultCode::RemoteTimeout,
                format!("the remote timed out: {cause}"),
            )
        } else {
            Fault::new(
                FaultCode::RemoteUnreachable,
                format!("the connection to the remote broke: {cause}"),
            )
        }
    }
}

fn refused(refused: &Refused) -> Fault {
    Fault::new(FaultCode::AddressRefused, refused.to_string())
}
