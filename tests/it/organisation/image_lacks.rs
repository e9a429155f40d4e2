//! What the sandboxes of a template's agents lack is shown, and refused, before a team is made.

use roost_protocol::frame::ToGateway;
use roost_protocol::hello::{HeldImage, ImageState};
use roost_protocol::inventory::Inventory;
use roost_protocol::vitals::Heartbeat;
use roost_tests::{Gateway, Machine, Person, eventually};
use serde_json::{Value, json};

async fn template(owner: &Person, key: &str) -> Value {
    let list = owner.get("/api/team-templates?limit=200").expect(200).await;
    let items = list.body["items"].as_array().cloned().unwrap_or_default();
    let found = items.into_iter().find(|template| template["key"] == key);
    found.expect("a built-in template")
}

fn kinds(template: &Value) -> Vec<&str> {
    let lacks = template["image"]["lacks"].as_array().expect("lacks");
    let kinds = lacks
        .iter()
        .map(|lack| lack["what"].as_str().expect("a word"));
    kinds.collect()
}

async fn teams(owner: &Person) -> usize {
    let list = owner.get("/api/teams").expect(200).await;
    list.body["items"].as_array().expect("teams").len()
}

#[tokio::test]
async fn template_without_its_gpu_or_sdk_says_so_and_a_team_needs_consent() {
    for (gateway, scratch) in Gateway::start_on_each().await {
        let owner = gateway.owner().await;
        let gpu = template(owner, "gpu").await;
        assert_eq!(
            (&gpu["image"]["kind"], &gpu["needs"]),
            (&json!("python"), &json!(["gpu"]))
        );
        assert!(kinds(&gpu).contains(&"no_gpu"), "{gpu}");
        let id = gpu["id"].as_str().expect("an id");
        let one = owner
            .get(&format!("/api/team-templates/{id}"))
            .expect(200)
            .await;
        assert_eq!(one.body["image"], gpu["image"]);
        assert_eq!(one.body["image"]["tag"], "roost-agent:python");
        assert!(kinds(&template(owner, "mobile").await).contains(&"no_mobile_sdk"));
        // These agents may use neither files nor commands, so their image does not matter.
        let thinking = template(owner, "continuous_improvement").await;
        assert_eq!(
            (&thinking["image"]["kind"], kinds(&thinking)),
            (&json!("base"), vec![])
        );

        let mut new = json!({ "name": "Kernels", "template_id": id });
        let refused = owner
            .post("/api/teams")
            .json(&new)
            .refused(409, "sandbox-lacks")
            .await;
        let detail = refused.str("/detail");
        assert!(detail.contains("accept_lacks"), "{detail}");
        let errors = refused.body["errors"].to_string();
        assert!(
            errors.contains("no GPU") && errors.contains("Go on without"),
            "{errors}"
        );
        assert_eq!(teams(owner).await, 0);
        let agents = owner.get("/api/claws").expect(200).await;
        assert_eq!(agents.body["items"], json!([]));
        new["accept_lacks"] = true.into();
        owner.post("/api/teams").json(&new).expect(201).await;
        let thinking = json!({ "name": "Talk", "template_id": id, "risk_profile": "toolfree" });
        owner.post("/api/teams").json(&thinking).expect(201).await;
        assert_eq!(teams(owner).await, 2);
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn image_is_lacking_on_the_machine_where_the_sandboxes_would_be_made() {
    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    let machine = Machine::joined(&gateway, owner).await;
    let (mut connection, _) = machine.connect_holding(Inventory::default()).await;
    let held = |name: &str, state| HeldImage {
        reference: format!("roost-agent:{name}"),
        state,
        id: None,
        bytes: None,
        unfit: None,
        fetch: None,
    };
    let images = vec![
        held("rust", ImageState::Ready),
        held("node", ImageState::Missing),
    ];
    let beat = Heartbeat {
        images: Some(images),
        ..Heartbeat::default()
    };
    connection.send(ToGateway::Heartbeat(beat)).await;
    eventually("the images are stored", async || {
        let node = owner.get(&machine.path("")).expect(200).await;
        let is_stored = !node.body["images"].as_array()?.is_empty();
        is_stored.then_some(())
    })
    .await;
    let node = owner.get(&machine.path("")).expect(200).await;
    let node = node.str("/id").to_owned();
    let frontend = template(owner, "frontend").await;
    let new = |template: &Value, machine: &str| json!({ "name": "Pages", "template_id": template["id"], "machine_id": machine });
    let refused = owner.post("/api/teams").json(&new(&frontend, &node));
    let refused = refused.refused(409, "sandbox-lacks").await;
    let said = refused.str("/errors/0/detail");
    assert!(
        said.starts_with("Image `node` is not on the machine "),
        "{said}"
    );
    assert!(said.contains("build.sh --recipe node"), "{said}");
    let sdlc = template(owner, "rust_sdlc").await;
    owner
        .post("/api/teams")
        .json(&new(&sdlc, &node))
        .expect(201)
        .await;
    // A single node may work on that machine, too.
    let graph = json!({ "kind": "single", "edges": [], "nodes": [{ "id": "coder", "kind": "agent", "label": "Coder", "attributes": { "machine": node } }] });
    let one = json!({ "name": "One", "template_id": frontend["id"], "graph": graph, "roles": [{ "slot": "coder" }] });
    let refused = owner.post("/api/teams").json(&one);
    let refused = refused.refused(409, "sandbox-lacks").await;
    assert_eq!(refused.body["errors"].as_array().expect("errors").len(), 1);
    // The workspace's placement decides for a team that names no machine.
    let placement = json!({ "target": "node", "node_id": node });
    owner
        .put("/api/fleet/placement")
        .json(&placement)
        .expect(200)
        .await;
    assert_eq!(kinds(&template(owner, "frontend").await), ["image_missing"]);
    assert_eq!(kinds(&template(owner, "rust_sdlc").await), [""; 0]);
    gateway.stop().await;
}

#[tokio::test]
async fn own_template_names_an_image_and_its_copy_keeps_it() {
    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    let gpu = template(owner, "gpu").await;
    let copy = json!({ "key": "own_gpu", "from": gpu["id"] });
    let made = owner
        .post("/api/team-templates")
        .json(&copy)
        .expect(201)
        .await;
    assert_eq!(
        (&made.body["image"]["kind"], &made.body["needs"]),
        (&json!("python"), &json!(["gpu"]))
    );
    let path = format!("/api/team-templates/{}", made.str("/id"));
    let version = owner.get(&format!("{path}/versions/1")).expect(200).await;
    let mut content = version.body["content"].clone();
    content["image"] = "cobol".into();
    content["needs"] = json!([]);
    let changed = owner.put(&path).json(&content).expect(200).await;
    assert_eq!(kinds(&changed.body), ["no_image"]);
    assert_eq!(changed.body["image"].get("tag"), None);
    // Such a team can be made, and none of its agents gets a sandbox of another image in silence.
    let new = json!({ "name": "Old", "template_id": made.str("/id"), "accept_lacks": true });
    let team = owner.post("/api/teams").json(&new).expect(201).await;
    let sandbox = format!("/api/teams/{}/sandbox", team.str("/id"));
    let refused = owner.post(&sandbox).json(&json!({}));
    let refused = refused.refused(503, "image-missing").await;
    let said = refused.str("/detail");
    assert!(
        said.starts_with("This deployment has no image `cobol`."),
        "{said}"
    );
    content["image"] = "not a name".into();
    let refused = owner
        .put(&path)
        .json(&content)
        .refused(400, "validation")
        .await;
    assert_eq!(refused.str("/errors/0/pointer"), "/image");
    content.as_object_mut().expect("an object").remove("image");
    let changed = owner.put(&path).json(&content).expect(200).await;
    assert_eq!(
        (&changed.body["image"]["kind"], kinds(&changed.body)),
        (&Value::Null, vec![])
    );
    gateway.stop().await;
}
