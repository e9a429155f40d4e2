//! Uses the broker as the gateway does, through the gateway's own handle, and then waits while a test searches its
//! memory: it must hold no part of a secret. The test in tests/it/platform/broker/canary.rs starts it, passes all addresses on
//! the command line and the secret on standard input.

use std::io::Write;
use std::net::SocketAddr;

use anyhow::{Context, Result, bail, ensure};
use roost_platform::broker::BrokerHandle;
use roost_secret_broker::client::Body;
use roost_secret_broker::wire::{
    Begin, ClientAuth, Exchange, Forward, Inject, RecordName, Secret, Store,
};
use roost_tests::broker::everything_at;

#[tokio::main]
async fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [socket, remote] = arguments.as_slice() else {
        bail!("usage: broker_user <socket> <remote>")
    };
    let remote: SocketAddr = remote.parse()?;
    let handle = BrokerHandle::new(socket);
    let name = |connection: &str| RecordName::new("w1", connection);

    // Read the pipe directly into the one buffer that is wiped.
    let mut secret = Vec::with_capacity(256);
    let mut byte = [0_u8; 1];
    while rustix::io::read(std::io::stdin(), &mut byte)? == 1 && byte[0] != b'\n' {
        secret.push(byte[0]);
    }
    handle
        .store(Store {
            name: name("static")?,
            secret: Secret::new(secret),
            inject: Inject::Bearer,
            allow: everything_at(remote),
        })
        .await?;
    let begun = handle
        .begin(Begin {
            name: name("oauth")?,
            state: "0123456789abcdef".into(),
            token_endpoint: format!("http://{remote}/token"),
            issuer: format!("http://{remote}"),
            issuer_required: false,
            client_id: "roost".into(),
            client_auth: ClientAuth::None,
            client_secret: None,
            redirect_uri: "http://127.0.0.1/callback".into(),
            resource: None,
            inject: Inject::Bearer,
            allow: everything_at(remote),
            lifetime_s: 600,
            revocation_endpoint: None,
        })
        .await?;
    ensure!(
        begun.code_challenge_method == "S256",
        "the challenge is that of a verifier"
    );
    let exchange = Exchange {
        tenant: "w1".into(),
        state: "0123456789abcdef".into(),
        code: Secret::from("a-code-of-the-issuer"),
        issuer: None,
    };
    handle.exchange(exchange).await?;
    for connection in ["static", "oauth", "oauth"] {
        let asked = Forward {
            name: name(connection)?,
            method: "GET".into(),
            url: format!("http://{remote}/echo"),
            headers: Vec::new(),
            body: false,
            body_length: None,
            deadline_ms: None,
            on_behalf: String::new(),
        };
        let mut answer = handle.forward(asked, Body::None).await?;
        let body = answer.whole(1 << 20).await?;
        ensure!(
            body.contains(&b'*'),
            "the remote echoed and it was taken out"
        );
    }
    handle.status().await?;
    let mut out = std::io::stdout();
    writeln!(out, "done")?;
    out.flush()?;
    // Until the test's search is done.
    while rustix::io::read(std::io::stdin(), &mut byte).context("standard input")? > 0 {}
    Ok(())
}
