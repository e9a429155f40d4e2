//! The image and the limits that an agent chose, on a real engine.

use roost_tests::{Gateway, eventually};
use serde_json::json;

fn image() -> String {
    std::env::var("ROOST_TEST_IMAGE").unwrap_or_else(|_| "roost-agent:tiny".to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn sandbox_has_the_image_and_limits_of_its_agent_and_a_missing_image_makes_none() {
    let images = format!(
        "[\"small={}\", \"absent=roost-no-such-image:none\"]",
        image()
    );
    let set = [
        ("sandboxes.image", "roost-no-such-default:none"),
        ("sandboxes.images", images.as_str()),
    ];
    let gateway = Gateway::start_with(&set).await;
    let owner = gateway.owner().await;
    eventually("the engine says which images it has", async || {
        let list = owner.get("/api/images").expect(200).await;
        let items = list.body["items"].as_array()?.clone();
        let state = |name: &str| {
            let item = items.iter().find(|item| item["name"] == name)?;
            item["state"].as_str().map(str::to_owned)
        };
        (state("small")? == "ready" && state("absent")? == "missing").then_some(())
    })
    .await;
    let body = json!({ "name": roost_tests::unique("Ada") });
    let agent = owner.post("/api/claws").json(&body).expect(201).await;
    let agent = format!("/api/claws/{}", agent.str("/id"));
    let choose = async |choice: serde_json::Value| {
        let path = format!("{agent}/runtime-config");
        owner.patch(&path).json(&choice).expect(200).await;
    };
    let sandbox = format!("{agent}/sandbox");
    choose(json!({ "image": "absent" })).await;
    let refused = owner.post(&sandbox).json(&json!({}));
    let refused = refused.refused(503, "image-missing").await;
    let remedy =
        "Image `absent` is not on the gateway's host. Run `docker pull roost-no-such-image:none`";
    assert!(
        refused.str("/detail").starts_with(remedy),
        "{}",
        refused.text
    );
    let quota = owner.get("/api/quota").expect(200).await;
    assert_eq!(quota.body["live_containers"]["used"], 0);
    owner.get(&sandbox).expect(404).await;

    choose(json!({ "image": "small", "limits": { "memory_bytes": 134_217_728 } })).await;
    let wanted = json!({ "limits": { "pids": 48 } });
    let made = owner.post(&sandbox).json(&wanted).expect(201).await;
    assert_eq!(made.body["image"], image());
    assert_eq!(made.body["limits"]["memory_bytes"], 134_217_728);
    assert_eq!(made.body["limits"]["pids"], 48);
    owner.delete(&sandbox).expect(204).await;
    gateway.stop().await;
}
