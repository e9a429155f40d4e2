//! People of an identity provider: bearers, first sign-in, roles, and hostile issuers.

mod bearers;
mod hostile;
mod people;
mod provider;
mod takeover;
mod terminal;

use roost_tests::hosted::Issuer;
use roost_tests::{Client, Gateway, ScratchPostgres};

/// A gateway with its issuer, and more keys set.
async fn gateway_with(issuer: &Issuer, more: &[(&'static str, &str)]) -> Gateway {
    Gateway::start_like(&settings(issuer, more), None).await
}

fn settings(issuer: &Issuer, more: &[(&'static str, &str)]) -> Vec<(&'static str, String)> {
    let mut set = issuer.settings();
    set.extend(more.iter().map(|(key, value)| (*key, (*value).to_owned())));
    set
}

/// The same on each back end that is there.
async fn on_each(
    issuer: &Issuer,
    more: &[(&'static str, &str)],
) -> Vec<(Gateway, Option<ScratchPostgres>)> {
    let set = settings(issuer, more);
    let mut all = vec![(Gateway::start_like(&set, None).await, None)];
    if let Some(scratch) = ScratchPostgres::new().await {
        all.push((
            Gateway::start_like(&set, Some(&scratch)).await,
            Some(scratch),
        ));
    }
    all
}

async fn over(gateway: Gateway, scratch: Option<ScratchPostgres>) {
    gateway.stop().await;
    if let Some(scratch) = scratch {
        scratch.remove().await;
    }
}

fn with(gateway: &Gateway, token: &str) -> Client {
    gateway.anonymous().with_token(token)
}

const ME: &str = "/api/auth/me";
