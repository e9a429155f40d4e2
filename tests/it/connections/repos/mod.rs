//! Repositories of code hosts, with a real broker that holds the tokens and hosts on loopback.

mod connecting;
mod hosts;
mod mirrors;
mod one_sync_at_a_time;
mod published;
mod syncing;

use roost_gateway::app::Surroundings;
use roost_tests::broker::BrokerProcess;
use roost_tests::code_host::CodeHost;
use roost_tests::{Answer, Client, Gateway, ScratchPostgres, Store, eventually};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A token that is looked for where it must not be.
const TOKEN: &str = "rsttoken-5b1e77c20d9f";

/// A gateway with a broker of its own.
pub(crate) struct Place {
    pub(crate) gateway: Gateway,
    pub(crate) broker: BrokerProcess,
    scratch: Option<ScratchPostgres>,
    folder: TempDir,
}

impl Place {
    pub(crate) async fn start() -> Self {
        Self::on(Store::Sqlite, None).await
    }

    /// On each back end there is.
    pub(crate) async fn start_on_each() -> Vec<Self> {
        let mut all = vec![Self::start().await];
        if let Some(scratch) = ScratchPostgres::new().await {
            all.push(Self::on(Store::Postgres(scratch.url().to_owned()), Some(scratch)).await);
        }
        all
    }

    async fn on(store: Store, scratch: Option<ScratchPostgres>) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let broker = BrokerProcess::start(folder.path()).await;
        let gateway = beside(&broker, &store, Surroundings::default()).await;
        Self {
            gateway,
            broker,
            scratch,
            folder,
        }
    }

    /// Of the broker.
    pub(crate) fn folder(&self) -> &std::path::Path {
        self.folder.path()
    }

    pub(crate) async fn stop(self) {
        self.gateway.stop().await;
        if let Some(scratch) = self.scratch {
            scratch.remove().await;
        }
    }
}

/// A gateway that uses this broker.
async fn beside(broker: &BrokerProcess, store: &Store, around: Surroundings) -> Gateway {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let socket = broker.client.socket().display().to_string();
    let set = [
        ("broker.socket", socket.as_str()),
        ("outbound.allow_private", "[\"127.0.0.1\"]"),
        ("sandboxes.local", "off"),
    ];
    Gateway::start_in(folder, store, &set, around)
        .await
        .expect("the gateway starts")
}

/// A connection to a host.
fn new(provider: &str, host: &CodeHost, owner: Option<&str>) -> Value {
    let mut body = json!({ "provider": provider, "base_url": host.url(), "token": TOKEN });
    if let Some(owner) = owner {
        body["owner"] = owner.into();
    }
    body
}

/// Makes one and waits for its first sync.
async fn connected(client: &Client, body: &Value) -> Value {
    let made = client.post("/api/repos/connections").json(body);
    let made = made.expect(201).await;
    settled(client, made.str("/id")).await
}

/// The connection when nothing of it is under way.
async fn settled(client: &Client, id: &str) -> Value {
    eventually("the sync ends", || async {
        let listed = client.get("/api/repos/connections").expect(200).await;
        let items = listed.body["items"].as_array().expect("items").clone();
        items
            .into_iter()
            .find(|item| item["id"] == id && item["sync"] == "idle")
    })
    .await
}

/// Syncs it again and waits.
async fn synced(client: &Client, id: &str) -> Value {
    let path = format!("/api/repos/connections/{id}/sync");
    client.post(&path).expect(202).await;
    settled(client, id).await
}

/// The names of the list, in its order.
fn names(list: &Answer) -> Vec<&str> {
    let items = list.body.as_array().expect("a bare array");
    items
        .iter()
        .map(|item| item["name"].as_str().expect("a name"))
        .collect()
}
