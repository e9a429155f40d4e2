//! Connecting agents to apps by OAuth: a real broker, a real gateway, an issuer on loopback.

mod broken;
mod canary;
mod certified;
mod hostile;
mod sign_ins;

use roost_secret_broker::wire::{Answer as Reply, Request};
use roost_tests::broker::BrokerProcess;
use roost_tests::{Answer, Client, Gateway, Issuer, ScratchPostgres, Store};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A gateway with its broker and its issuer.
pub struct Bench {
    pub gateway: Gateway,
    pub broker: BrokerProcess,
    pub issuer: Issuer,
    folder: TempDir,
    scratch: Option<ScratchPostgres>,
}

/// The client's secret; no answer may hold it.
pub const CLIENT_SECRET: &str = "app-canary-client-secret";

impl Bench {
    pub async fn start() -> Self {
        Self::start_on(None).await
    }

    /// One on each back end there is.
    pub async fn on_each() -> Vec<Self> {
        let mut all = vec![Self::start().await];
        if let Some(scratch) = ScratchPostgres::new().await {
            all.push(Self::start_on(Some(scratch)).await);
        }
        all
    }

    async fn start_on(scratch: Option<ScratchPostgres>) -> Self {
        Self::start_in(tempfile::tempdir().expect("a folder"), scratch).await
    }

    /// With its broker in this folder.
    pub async fn start_in(folder: TempDir, scratch: Option<ScratchPostgres>) -> Self {
        BrokerProcess::keep_client_secret(folder.path(), "oauth", CLIENT_SECRET);
        let secret = BrokerProcess::client_secret_file(folder.path(), "oauth");
        let broker = BrokerProcess::start(folder.path()).await;
        let issuer = Issuer::start().await;
        let socket = folder.path().join("data/run/broker.sock");
        let store = scratch.as_ref().map_or(Store::Sqlite, |scratch| {
            Store::Postgres(scratch.url().to_owned())
        });
        let set = [
            ("sandboxes.local", "off"),
            ("broker.socket", &socket.display().to_string()),
            ("outbound.allow_private", "[\"127.0.0.1\"]"),
            ("oauth.issuer_url", &issuer.url()),
            ("oauth.client_id", "roost-client"),
            ("oauth.client_secret_file", &secret.display().to_string()),
            ("oauth.redirect_base", "http://roost.test"),
        ];
        let own = tempfile::tempdir().expect("a folder");
        let gateway = Gateway::start_in(
            own,
            &store,
            &set,
            roost_gateway::app::Surroundings::default(),
        )
        .await
        .expect("the gateway starts");
        Self {
            gateway,
            broker,
            issuer,
            folder,
            scratch,
        }
    }

    /// After its end.
    pub async fn start_the_broker_again(&mut self) {
        self.broker = BrokerProcess::start(self.folder.path()).await;
    }

    /// How many records the broker has.
    pub async fn records(&self) -> u64 {
        match self.broker.client.call(&Request::Status).await {
            Ok(Reply::Status(status)) => status.records,
            other => panic!("a status: {other:?}"),
        }
    }

    pub async fn stop(self) {
        self.gateway.stop().await;
        if let Some(scratch) = self.scratch {
            scratch.remove().await;
        }
    }

    pub async fn agent(&self) -> String {
        agent_of(self.gateway.owner().await).await
    }

    /// What begins a sign-in.
    pub async fn begin(&self, agent: &str, more: Value) -> Answer {
        let mut body = json!({ "clawId": agent, "provider": "github" });
        for (key, value) in more.as_object().into_iter().flatten() {
            body[key] = value.clone();
        }
        let owner = self.gateway.owner().await;
        owner.post("/api/apps/oauth/start").json(&body).send().await
    }

    /// The browser comes back: the status, where it is sent, and what it is shown.
    pub async fn come_back(&self, address: &str) -> (u16, String, String) {
        come_back(&self.gateway.url(), address).await
    }

    /// An agent is connected, as a person would.
    pub async fn connect(&self, agent: &str) {
        let begun = self.begin(agent, json!({})).await;
        assert_eq!(begun.status, 200, "{}", begun.text);
        let back = self.issuer.allow(begun.str("/authorize_url"));
        let (status, _, text) = self.come_back(&back).await;
        assert_eq!(status, 303, "{text}");
    }

    pub async fn connections(&self) -> Vec<Value> {
        let owner = self.gateway.owner().await;
        let answer = owner.get("/api/apps/connections").expect(200).await;
        answer.body["items"].as_array().expect("a list").clone()
    }
}

pub async fn agent_of(person: &Client) -> String {
    let name = roost_tests::unique("apps");
    let made = person.post("/api/claws").json(&json!({ "name": name }));
    made.expect(201).await.str("/id").to_owned()
}

/// As a browser would, with the gateway's own address instead of the public one.
pub async fn come_back(gateway: &str, address: &str) -> (u16, String, String) {
    let address: url::Url = address.parse().expect("an address");
    let query = address.query().unwrap_or_default();
    let browser = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .expect("a client");
    let answer = browser
        .get(format!("{gateway}{}?{query}", address.path()))
        .header("accept", "text/html,application/xhtml+xml")
        .send()
        .await
        .expect("an answer");
    let to = answer.headers().get("location");
    let to = to.and_then(|to| to.to_str().ok()).unwrap_or_default();
    let (status, to) = (answer.status().as_u16(), to.to_owned());
    (status, to, answer.text().await.expect("a body"))
}
