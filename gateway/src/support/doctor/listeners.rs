//! The doctor's check of the listeners: their ports, and the certificate of the public one.

use std::net::SocketAddr;

use chrono::{DateTime, Utc};
use roost_protocol::verify::Check;

use super::super::host;
use super::{PATIENCE, fail, ok, warn};
use crate::config::{Config, Tls};
use crate::edge::server::certificate::{Certificate, ends_at};

pub(super) async fn ports(config: &Config) -> Vec<Check> {
    let mut checks = vec![
        port("listen", config.listen, config.tls.is_some()).await,
        port("operator_listen", config.operator_listen, false).await,
    ];
    if !config.operator_listen.ip().is_loopback() {
        checks.push(fail("ports", "Ports", format!("operator_listen ({}) can be reached from elsewhere, without TLS, and its token makes an operator: keep it on loopback, or behind a firewall that you trust", config.operator_listen)));
    }
    checks
}

async fn port(key: &str, address: SocketAddr, tls: bool) -> Check {
    let (name, title) = ("ports", "Ports");
    match host::bind(address) {
        Ok(()) => ok(name, title, format!("{key} {address} is free")),
        Err(error) if error.kind() == std::io::ErrorKind::AddrInUse => {
            if answers(address, tls).await {
                ok(
                    name,
                    title,
                    format!("{key} {address}: a gateway runs and answers"),
                )
            } else {
                fail(
                    name,
                    title,
                    format!(
                        "{key} {address} is used by another program: stop it, or choose another address with `{key}`"
                    ),
                )
            }
        }
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => fail(
            name,
            title,
            format!(
                "{key} {address} may not be used by this user: choose a port above 1023, or give the program CAP_NET_BIND_SERVICE"
            ),
        ),
        Err(error) => fail(
            name,
            title,
            format!("{key} {address}: {error}; choose an address of this machine with `{key}`"),
        ),
    }
}

/// Whether a gateway answers there. Its certificate has another name than this address, and the request contains no
/// secret.
async fn answers(address: SocketAddr, tls: bool) -> bool {
    let asked = async {
        let client = reqwest::Client::builder()
            .timeout(PATIENCE)
            .tls_danger_accept_invalid_certs(tls)
            .build()
            .ok()?;
        let scheme = if tls { "https" } else { "http" };
        let answer = client
            .get(format!("{scheme}://{address}/healthz"))
            .send()
            .await
            .ok()?;
        let text = answer.text().await.ok()?;
        Some(text.contains("\"status\":\"ok\""))
    };
    asked.await.unwrap_or(false)
}

/// Below this the certificate is overdue: automatic renewal begins a month before its end.
const RENEW_DAYS: i64 = 14;

pub(super) async fn tls(config: &Config, now: DateTime<Utc>) -> Check {
    let (name, title) = ("tls", "TLS");
    match &config.tls {
        Some(files) => certificate(files, now).await,
        None if config.is_behind_tls() => ok(
            name,
            title,
            "a proxy in front speaks TLS, as `public_url` says",
        ),
        None if config.listen.ip().is_loopback() => ok(
            name,
            title,
            "not needed: only this machine reaches the gateway",
        ),
        None => fail(
            name,
            title,
            format!(
                "{} is reached from elsewhere without TLS, and passwords with it: set `tls.cert` and `tls.key`, or put a proxy in front and name it in `public_url`",
                config.listen
            ),
        ),
    }
}

async fn certificate(files: &Tls, now: DateTime<Utc>) -> Check {
    let (name, title) = ("tls", "TLS");
    let shown = files.cert.display();
    if let Err(error) = Certificate::load(files).await {
        return fail(
            name,
            title,
            format!(
                "`tls.cert` and `tls.key` cannot be used: {error}; both must be PEM, belong together and be readable by this user"
            ),
        );
    }
    let ends_at = std::fs::read(&files.cert)
        .ok()
        .and_then(|pem| ends_at(&pem));
    let Some(ends_at) = ends_at else {
        return warn(
            name,
            title,
            format!("{shown} can be used, but not read for its end"),
        );
    };
    let (days, day) = ((ends_at - now).num_days(), ends_at.format("%Y-%m-%d"));
    if ends_at <= now {
        fail(
            name,
            title,
            format!(
                "{shown} ended on {day}: renew it; a running gateway takes the new one by itself"
            ),
        )
    } else if days < RENEW_DAYS {
        warn(
            name,
            title,
            format!(
                "{shown} ends on {day}, in {days} days: renew it; a running gateway takes the new one by itself"
            ),
        )
    } else {
        ok(
            name,
            title,
            format!("{shown} and its key can be used until {day}"),
        )
    }
}
