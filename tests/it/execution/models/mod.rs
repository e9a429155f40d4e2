//! Models: turns at the wire through a real broker, settings of a workspace, and a real model server.

mod broken;
mod real;
mod settings;
mod spending;
mod wire;

use std::net::SocketAddr;

use roost_execution::providers::{
    Limits, Message, Price, Provider, Purpose, Remote, Request, ToolSpec,
};
use roost_platform::broker::BrokerHandle;
use roost_platform::clock::SystemClock;
use roost_secret_broker::wire::{RecordName, Secret, Store};
use roost_tests::broker::BrokerProcess;
use serde_json::json;

/// A key that is looked for where it must not be.
const KEY: &str = "sk-7c1f09ab44de-planted";

/// A broker, and a model behind it.
struct Desk {
    broker: BrokerProcess,
    handle: BrokerHandle,
    _folder: tempfile::TempDir,
}

impl Desk {
    async fn start() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let broker = BrokerProcess::start(folder.path()).await;
        let handle = BrokerHandle::new(broker.client.socket());
        Self {
            broker,
            handle,
            _folder: folder,
        }
    }

    /// A model of this provider at this address, its key with the broker.
    async fn model(&self, provider: Provider, address: SocketAddr, limits: Limits) -> Remote {
        let base: url::Url = format!("http://{address}/v1").parse().expect("an address");
        let record = RecordName::new("w1", format!("models/{}/api_key", address.port()));
        let record = record.expect("a name");
        let kept = self.handle.store(Store {
            name: record.clone(),
            secret: Secret::from(KEY),
            inject: provider.inject(),
            allow: provider.allow(&base),
        });
        kept.await.expect("the broker takes it");
        Remote {
            broker: self.handle.clone(),
            clock: SystemClock::shared(),
            provider,
            base,
            record,
            price: Some(Price {
                input: 1_000_000,
                output: 2_000_000,
            }),
            limits,
        }
    }
}

/// A question with a tool.
fn question() -> Request {
    Request {
        model: "tiny".to_owned(),
        system: "Be brief.".to_owned(),
        messages: vec![Message::User("Say something.".to_owned())],
        tools: vec![ToolSpec {
            name: "shell".to_owned(),
            description: "Runs a command.".to_owned(),
            schema: json!({ "type": "object", "properties": { "argv": { "type": "array", "items": { "type": "string" } } } }),
        }],
        max_tokens: 20,
        purpose: Purpose::Turn,
        slot: None,
        step: "run r, step coder".to_owned(),
    }
}

/// An event of the stream that OpenAI's dialect has.
fn event(delta: serde_json::Value, finish: Option<&str>) -> bytes::Bytes {
    let data = json!({ "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }] });
    format!("data: {data}\n\n").into()
}
