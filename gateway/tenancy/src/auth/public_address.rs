//! The address at which people and machines reach the deployment: that of `public_url`, or the one that a browser uses. Before
//! the gateway shows a line or a link with it, it looks whether it answers there itself.

use http::{HeaderMap, header};
use sea_orm::{ConnectionTrait, DbErr};
use url::{Host, Url};
use uuid::Uuid;

use super::{hosted, sha256_hex};
use roost_platform::db::Db;
use roost_platform::outbound::OwnAddress;

/// What says whether the address works. Cheap to clone.
#[derive(Clone)]
pub struct PublicAddress {
    pub db: Db,
    /// The setting `public_url`.
    pub url: Option<Url>,
    pub own: OwnAddress,
}

/// The id of the deployment, which is the same for all its gateways. It tells nothing else.
///
/// # Errors
/// When the database fails.
pub async fn deployment_id(db: &impl ConnectionTrait) -> Result<String, DbErr> {
    let home = hosted::store::home(db).await?;
    let home = home.map_or_else(Uuid::nil, |home| home.0);
    let mut id = sha256_hex(&format!("a deployment of Roost: {home}"));
    id.truncate(32);
    Ok(id)
}

impl PublicAddress {
    /// Why others may not reach the gateway at the address of a line or a link, and the remedy. Nothing when it answers
    /// there. Without `public_url` the address is the one of this request. It comes from the caller, so the gateway sends
    /// nothing there, and only reads whether it means this machine alone.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn problem(&self, request: &HeaderMap) -> Result<Option<String>, DbErr> {
        let Some(url) = &self.url else {
            let host = request
                .get(header::HOST)
                .and_then(|host| host.to_str().ok());
            return Ok(host.filter(|host| is_here(host)).map(|host| {
                format!(
                    "{host} is an address of this machine alone. Open the page by the address that others use, or let an \
                     operator set `public_url`."
                )
            }));
        };
        let id = deployment_id(self.db.read()).await?;
        let checked = self.own.check(url, &id).await;
        Ok(checked.err().map(|reason| {
            format!(
                "The gateway does not find itself at {url} (`public_url`): {reason}. An operator corrects `public_url` in \
                 roost.toml and restarts Roost."
            )
        }))
    }
}

/// Whether only this machine can use a host.
fn is_here(host: &str) -> bool {
    let url = Url::parse(&format!("http://{host}"));
    url.is_ok_and(|url| match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_addresses_mean_this_machine_alone() {
        for here in [
            "127.0.0.1:7667",
            "localhost",
            "[::1]:80",
            "roost.localhost:7667",
        ] {
            assert!(is_here(here), "{here}");
        }
        for elsewhere in [
            "192.168.1.2:7667",
            "roost.lan",
            "[fe80::1]",
            "",
            "not a host",
        ] {
            assert!(!is_here(elsewhere), "{elsewhere}");
        }
    }
}
