//! The one client that leaves the broker: checked addresses, no proxy, no redirect, no second try.

use std::error::Error;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use roost_secret_broker::wire::{Fault, FaultCode};
use rustls::RootCertStore;
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject;
use url::Url;

use super::address::AddressPolicy;
use super::redact::Redactor;

/// From names to addresses.
pub type Lookup = Arc<dyn Fn(String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> + Send + Sync>;

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

/// The outlet. Cheap to clone.
#[derive(Clone)]
pub struct Outlet {
    http: reqwest::Client,
    settings: Arc<EgressSettings>,
}

/// A host that has no address which may be dialled.
#[derive(Debug, thiserror::Error)]
#[error("{host} has the address {address}, which is private, this machine's or a cloud's metadata")]
pub struct Refused {
    pub host: String,
    pub address: IpAddr,
}

impl Outlet {
    /// Makes the client; needs the process's crypto provider.
    ///
    /// # Errors
    /// When the file of authorities cannot be used.
    pub fn new(settings: EgressSettings) -> anyhow::Result<Self> {
        let names = CheckedNames {
            policy: settings.policy.clone(),
            lookup: settings.lookup.clone().unwrap_or_else(system_lookup),
        };
        let http = client(&settings, true)?.dns_resolver(names).build()?;
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
        Ok(client(settings, false)?.build()?)
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
        let address = match url.host() {
            Some(url::Host::Ipv4(v4)) => Some(IpAddr::V4(v4)),
            Some(url::Host::Ipv6(v6)) => Some(IpAddr::V6(v6)),
            _ => None,
        };
        if let Some(address) = address {
            let host = address.to_string();
            if !self.settings.policy.permits(&host, address) {
                return Err(refused(&Refused { host, address }));
            }
        }
        Ok(self.http.request(method, url))
    }

    /// What went wrong outside, without the address's query and without the secret.
    pub fn fault(&self, error: reqwest::Error, redactor: &Redactor) -> Fault {
        let error = error.without_url();
        let mut cause: Option<&(dyn Error + 'static)> = error.source();
        while let Some(at) = cause {
            if let Some(at) = at.downcast_ref::<Refused>() {
                return refused(at);
            }
            cause = at.source();
        }
        let told = redactor.text(&super::chain(&error));
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
    Fault::new(
        FaultCode::AddressRefused,
        format!("{refused}; if the deployment means it, name the host in `broker.allow_private`"),
    )
}

fn client(settings: &EgressSettings, public: bool) -> anyhow::Result<reqwest::ClientBuilder> {
    use anyhow::Context;
    let mut roots = RootCertStore::empty();
    roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    if let Some(path) = &settings.ca_file {
        let unusable = || format!("{} holds no authority that can be used", path.display());
        for certificate in CertificateDer::pem_file_iter(path).with_context(unusable)? {
            roots
                .add(certificate.with_context(unusable)?)
                .with_context(unusable)?;
        }
    }
    let tls = rustls::ClientConfig::builder()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let builder = reqwest::Client::builder()
        .tls_backend_preconfigured(tls)
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .referer(false)
        .http1_only()
        .tcp_nodelay(true)
        .connect_timeout(settings.connect)
        .pool_idle_timeout(Duration::from_secs(60))
        .pool_max_idle_per_host(64);
    Ok(if public {
        builder.user_agent(concat!("roost/", env!("CARGO_PKG_VERSION")))
    } else {
        builder
    })
}

/// Resolves, and gives only addresses that may be dialled: the connection goes to one of them and to no other.
struct CheckedNames {
    policy: AddressPolicy,
    lookup: Lookup,
}

impl Resolve for CheckedNames {
    fn resolve(&self, name: Name) -> Resolving {
        let (host, policy) = (name.as_str().to_owned(), self.policy.clone());
        let found = (self.lookup)(host.clone());
        Box::pin(async move {
            let found = found.await?;
            let fine: Vec<SocketAddr> = found
                .iter()
                .filter(|address| policy.permits(&host, **address))
                .map(|address| SocketAddr::new(*address, 0))
                .collect();
            match (fine.is_empty(), found.first()) {
                (true, Some(address)) => Err(Refused {
                    host,
                    address: *address,
                }
                .into()),
                (true, None) => Err(io::Error::new(
                    io::ErrorKind::NotFound,
                    format!("{host} has no address"),
                )
                .into()),
                (false, _) => Ok(Box::new(fine.into_iter()) as Addrs),
            }
        })
    }
}

fn system_lookup() -> Lookup {
    Arc::new(|host| {
        Box::pin(async move {
            let found = tokio::net::lookup_host((host.as_str(), 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    })
}
