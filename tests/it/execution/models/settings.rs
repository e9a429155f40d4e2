//! The models of a workspace: hidden keys, one default, prices, ceilings, a trial request.

use std::sync::Arc;

use roost_execution::models::{Ceilings, ModelsError, Resolver, store};
use roost_execution::providers::{Delta, Model, ModelError, Reply, Request as Turn};
use roost_platform::broker::BrokerHandle;
use roost_platform::clock::SystemClock;
use roost_secret_broker::client::ClientError;
use roost_secret_broker::wire::{FaultCode, RecordName, Request};
use roost_tenancy::auth::WorkspaceScope;
use roost_tests::model_server::{ModelServer, answer};
use roost_tests::{Person, eventually};
use serde_json::{Value, json};

use super::KEY;
use crate::connections::repos::Place;

/// The answer of a model that says OK and what it used.
fn okay() -> bytes::Bytes {
    let last = json!({ "choices": [{ "delta": { "content": "OK" }, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": 10, "completion_tokens": 1 } });
    let body = format!("data: {last}\n\n");
    answer(200, &[("content-type", "text/event-stream")], &body)
}

async fn added(owner: &Person, body: &Value) -> String {
    let made = owner.post("/api/models").json(body).expect(201).await;
    assert!(!made.text.contains("planted"), "{}", made.text);
    made.str("/id").to_owned()
}

fn at(server: &ModelServer, model: &str) -> Value {
    json!({ "provider": "openai", "model": model, "base_url": format!("http://{}/v1", server.address), "api_key": KEY })
}

#[tokio::test]
async fn a_model_is_added_tried_changed_and_removed_with_its_key() {
    for place in Place::start_on_each().await {
        let owner = place.gateway.owner().await;
        let server = ModelServer::always(okay()).await;
        let id = added(owner, &at(&server, "tiny")).await;
        let listed = owner.get("/api/models").expect(200).await;
        assert!(!listed.text.contains("planted"), "{}", listed.text);
        assert_eq!(listed.str("/items/0/name"), "openai/tiny");
        assert_eq!(listed.body["items"][0]["price"], Value::Null);
        assert_eq!(listed.body["items"][0]["has_key"], true);
        let again = owner.post("/api/models").json(&at(&server, "tiny"));
        again.refused(409, "conflict").await;

        let path = format!("/api/models/{id}");
        let tried = owner.post(&format!("{path}/try")).expect(200).await;
        assert_eq!(
            (tried.body["ok"].clone(), tried.str("/text")),
            (json!(true), "OK")
        );
        assert_eq!(
            tried.body["cost_microusd"],
            Value::Null,
            "what it costs is not known"
        );
        let price =
            json!({ "price": { "input_microusd": 2_000_000, "output_microusd": 5_000_000 } });
        let changed = owner.patch(&path).json(&price).expect(200).await;
        assert_eq!(changed.body["version"], 2);
        // Somebody who saw the first version changes neither the price nor the key.
        let other_key = json!({ "api_key": "sk-nobody-planted", "price": null });
        for stale in [&price, &other_key] {
            let request = owner.patch(&path).header("if-match", "1").json(stale);
            request.refused(412, "precondition-failed").await;
        }
        let tried = owner.post(&format!("{path}/try")).expect(200).await;
        assert_eq!(tried.body["cost_microusd"], 25);
        assert!(server.asked()[1].head.contains(KEY));

        let other = "sk-another-key-planted";
        owner
            .patch(&path)
            .json(&json!({ "api_key": other, "price": null }))
            .expect(200)
            .await;
        let tried = owner.post(&format!("{path}/try")).expect(200).await;
        assert_eq!(tried.body["cost_microusd"], Value::Null);
        assert!(server.asked()[2].head.contains(other));

        let stranger = place.gateway.stranger().await;
        stranger.delete(&path).refused(404, "not-found").await;
        stranger
            .patch(&path)
            .json(&json!({}))
            .refused(404, "not-found")
            .await;
        stranger
            .post(&format!("{path}/try"))
            .refused(404, "not-found")
            .await;

        owner.delete(&path).expect(204).await;
        owner.delete(&path).refused(404, "not-found").await;
        let name =
            RecordName::new(&owner.workspace, format!("models/{id}/api_key")).expect("a name");
        eventually("the broker forgets the key", || async {
            let asked = place.broker.client.call(&Request::Describe(name.clone())).await;
            matches!(asked, Err(ClientError::Refused(fault)) if fault.code == FaultCode::UnknownRecord)
                .then_some(())
        })
        .await;
        let audit = owner.get("/api/audit?limit=50").expect(200).await;
        for action in [
            "models.added",
            "models.changed",
            "models.rekeyed",
            "models.removed",
        ] {
            assert!(audit.text.contains(action), "{action}: {}", audit.text);
        }
        assert!(!audit.text.contains("planted"));
        place.stop().await;
    }
}

#[tokio::test]
async fn one_model_is_the_default_and_agents_get_what_they_are_bound_to() {
    for place in Place::start_on_each().await {
        let owner = place.gateway.owner().await;
        let server = ModelServer::always(okay()).await;
        let resolver = Resolver {
            db: place.gateway.app().db().clone(),
            broker: BrokerHandle::new(place.broker.client.socket()),
            clock: SystemClock::shared(),
            scripted: Arc::new(Silent),
            scripted_window: 200_000,
        };
        let workspace: uuid::Uuid = owner.workspace.parse().expect("an id");
        let scope = WorkspaceScope::of_row(workspace.into());
        let resolved = async |binding: Option<&str>| {
            resolver
                .resolve(scope, binding)
                .await
                .map(|found| found.name)
        };
        assert_eq!(resolved(None).await.expect("the script"), "scripted");

        let mut first = at(&server, "first");
        first["is_default"] = true.into();
        let first = added(owner, &first).await;
        let second = added(owner, &at(&server, "second")).await;
        assert_eq!(resolved(None).await.expect("the default"), "openai/first");
        owner
            .patch(&format!("/api/models/{second}"))
            .json(&json!({ "is_default": true }))
            .expect(200)
            .await;
        assert_eq!(
            resolved(Some(" ")).await.expect("the default"),
            "openai/second"
        );
        assert_eq!(
            resolved(Some("openai/first")).await.expect("its own"),
            "openai/first"
        );
        assert_eq!(
            resolved(Some("scripted")).await.expect("the script"),
            "scripted"
        );
        for missing in ["openai/third", "anthropic/first", "first"] {
            let error = resolved(Some(missing)).await.expect_err("there is none");
            assert!(matches!(error, ModelsError::NotBound { .. }), "{error}");
        }
        let listed = owner.get("/api/models").expect(200).await;
        let defaults: Vec<&Value> = listed.body["items"]
            .as_array()
            .expect("items")
            .iter()
            .map(|item| &item["is_default"])
            .collect();
        assert_eq!(defaults, [false, true]);
        let stranger = place.gateway.stranger().await;
        let strange: uuid::Uuid = stranger.workspace.parse().expect("an id");
        let strange = WorkspaceScope::of_row(strange.into());
        let other = resolver.resolve(strange, Some("openai/first")).await;
        assert!(other.is_err(), "a model of others");
        owner
            .delete(&format!("/api/models/{first}"))
            .expect(204)
            .await;
        place.stop().await;
    }
}

#[tokio::test]
async fn cost_ceilings_are_kept() {
    for place in Place::start_on_each().await {
        let owner = place.gateway.owner().await;
        let none = owner.get("/api/models/settings").expect(200).await;
        assert_eq!(
            none.body,
            json!({ "run_ceiling_microusd": null, "month_ceiling_microusd": null })
        );
        for (run, month) in [(Some(5_000_000u64), Some(100_000_000u64)), (Some(0), None)] {
            let wanted = json!({ "run_ceiling_microusd": run, "month_ceiling_microusd": month });
            let set = owner
                .put("/api/models/settings")
                .json(&wanted)
                .expect(200)
                .await;
            assert_eq!(set.body, wanted);
            let workspace: uuid::Uuid = owner.workspace.parse().expect("an id");
            let scope = WorkspaceScope::of_row(workspace.into());
            let kept = store::ceilings(place.gateway.app().db().read(), scope).await;
            assert_eq!(kept.expect("the ceilings"), Ceilings { run, month });
        }
        let wrong = json!({ "run_ceiling_microusd": -1, "month_ceiling_microusd": null });
        owner
            .put("/api/models/settings")
            .json(&wrong)
            .refused(400, "validation")
            .await;
        let wrong = json!({ "run_ceiling_microusd": u64::MAX, "month_ceiling_microusd": null });
        owner
            .put("/api/models/settings")
            .json(&wrong)
            .refused(400, "validation")
            .await;
        place.stop().await;
    }
}

#[tokio::test]
async fn invalid_model_is_refused_and_nothing_is_stored() {
    let place = Place::start().await;
    let owner = place.gateway.owner().await;
    for (body, pointer) in [
        (
            json!({ "provider": "openai", "model": "gpt-5" }),
            "/api_key",
        ),
        (
            json!({ "provider": "openai", "model": "../x", "api_key": KEY }),
            "/model",
        ),
        (
            json!({ "provider": "openai", "model": "m", "api_key": "with blank" }),
            "/api_key",
        ),
        (
            json!({ "provider": "openai", "model": "m", "api_key": KEY, "base_url": "http://models.example/v1" }),
            "/base_url",
        ),
        (
            json!({ "provider": "openai", "model": "m", "api_key": KEY, "base_url": "https://169.254.169.254/v1" }),
            "/base_url",
        ),
        (
            json!({ "provider": "openai", "model": "m", "api_key": KEY, "base_url": "https://me@models.example" }),
            "/base_url",
        ),
        (
            json!({ "provider": "openai", "model": "m", "api_key": KEY,
            "price": { "input_microusd": 99_000_000_000u64, "output_microusd": 0 } }),
            "/price",
        ),
    ] {
        let refused = owner.post("/api/models").json(&body).expect(400).await;
        assert_eq!(
            refused.str("/errors/0/pointer"),
            pointer,
            "{}",
            refused.text
        );
        assert!(!refused.text.contains("planted"), "{}", refused.text);
    }
    let none = owner.get("/api/models").expect(200).await;
    assert_eq!(none.body["items"], json!([]));
    place.stop().await;
}

#[tokio::test]
async fn unusable_model_reports_the_reason() {
    let place = Place::start().await;
    let owner = place.gateway.owner().await;
    let said = r#"{"error":{"message":"no such key"}}"#;
    let server =
        ModelServer::always(answer(401, &[("content-type", "application/json")], said)).await;
    let mut body = at(&server, "tiny");
    body["provider"] = "ollama".into();
    body.as_object_mut().expect("an object").remove("api_key");
    let id = added(owner, &body).await;
    let tried = owner
        .post(&format!("/api/models/{id}/try"))
        .expect(200)
        .await;
    assert_eq!(tried.body["ok"], false);
    assert!(
        tried.str("/error").contains("no such key"),
        "{}",
        tried.text
    );
    assert_eq!(tried.body["may_be_retried"], false);
    place.stop().await;
}

/// Stands for the script.
struct Silent;

#[async_trait::async_trait]
impl Model for Silent {
    async fn turn(&self, _: &Turn, _: &mut (dyn FnMut(Delta) + Send)) -> Result<Reply, ModelError> {
        unreachable!("nobody asks it here")
    }
}
