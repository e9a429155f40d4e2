//! The agent image that the gateway wants: machines learn it, and only that image makes them ready.

use roost_protocol::frame::ToGateway;
use roost_protocol::hello::{HeldImage, ImageState};
use roost_protocol::ids::InstanceId;
use roost_protocol::inventory::Inventory;
use roost_protocol::vitals::Heartbeat;
use roost_tests::{Gateway, Machine, eventually};

#[tokio::test(flavor = "multi_thread")]
async fn machine_gets_the_wanted_image_and_is_ready_only_for_that_one() {
    let set = |image: &str| [("sandboxes.image", image.to_owned())];
    let gateway = Gateway::start_like(&set("registry.example/agent:7"), None).await;
    let owner = gateway.owner().await;
    let machine = Machine::joined(&gateway, owner).await;
    let shown = async |machine: &Machine| {
        let node = owner.get(&machine.path("")).expect(200).await;
        (
            node.body["image"].clone(),
            node.body["problems"].to_string(),
        )
    };
    let mut connection = machine.dial().await.expect("the token is known");
    let mut hello = machine.hello(Inventory::default());
    // An older daemon has looked for an image of its own name.
    let welcome = connection.greet(hello.clone()).await.expect("a welcome");
    assert_eq!(welcome.image.as_deref(), Some("registry.example/agent:7"));
    assert_eq!(shown(&machine).await.0, "unknown");
    connection.vanish();
    for (about, unfit, word, problem) in [
        ("roost-agent:dev", None, "unknown", None),
        ("registry.example/agent:7", None, "ready", None),
        (
            "registry.example/agent:7",
            Some("it starts /bin/sh"),
            "unfit",
            Some("cannot be a sandbox: it starts /bin/sh"),
        ),
    ] {
        hello.capabilities.image_reference = Some(about.to_owned());
        hello.capabilities.image_id = Some("sha256:ab".to_owned());
        hello.capabilities.image_unfit = unfit.map(str::to_owned);
        if unfit.is_some() {
            hello.capabilities.image = ImageState::WrongDigest;
        }
        hello.instance_id = InstanceId(uuid::Uuid::now_v7());
        let mut connection = machine.dial().await.expect("the token is known");
        connection.greet(hello.clone()).await.expect("a welcome");
        let (image, problems) = shown(&machine).await;
        assert_eq!(image, word, "{about}");
        assert!(
            problem.is_none_or(|text| problems.contains(text)),
            "{problems}"
        );
        connection.vanish();
    }
    gateway.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn machine_reports_each_image_of_the_catalogue_and_no_others() {
    let digest = format!("sha256:{}", "a".repeat(64));
    let pinned = format!("registry.example/rust@{digest}");
    let set = [
        ("sandboxes.image", "roost-agent:base".to_owned()),
        ("sandboxes.images", format!("[\"rust={pinned}\"]")),
    ];
    let gateway = Gateway::start_like(&set, None).await;
    let owner = gateway.owner().await;
    let list = eventually("the catalogue is written", async || {
        let list = owner.get("/api/images").expect(200).await;
        let is_written = !list.body["items"].as_array()?.is_empty();
        is_written.then_some(list)
    })
    .await;
    let named = |name: &str| {
        let items = list.body["items"].as_array().expect("items");
        let item = items.iter().find(|item| item["name"] == name);
        item.expect("an image of this name").clone()
    };
    assert_eq!(named("base")["is_default"], true);
    assert_eq!(named("node")["reference"], "roost-agent:node");
    assert_eq!(named("rust")["wanted_digest"], digest);
    assert!(named("rust")["tools"].to_string().contains("clippy"));

    let machine = Machine::joined(&gateway, owner).await;
    let (mut connection, welcome) = machine.connect_holding(Inventory::default()).await;
    let wanted = |reference: &str| {
        let mut images = welcome.images.iter();
        images.find(|image| image.reference == reference).cloned()
    };
    assert_eq!(wanted(&pinned).expect("it").digest, Some(digest.clone()));
    assert_eq!(wanted("roost-agent:node").expect("it").digest, None);
    let held = |reference: &str, state| HeldImage {
        reference: reference.to_owned(),
        state,
        id: Some("sha256:bb".to_owned()),
        bytes: Some(7),
        unfit: None,
        fetch: None,
    };
    let images = vec![
        held(&pinned, ImageState::WrongDigest),
        held("roost-agent:base", ImageState::Ready),
        held("evil/image:1", ImageState::Ready),
    ];
    let beat = |images| {
        ToGateway::Heartbeat(Heartbeat {
            images,
            ..Heartbeat::default()
        })
    };
    connection.send(beat(Some(images))).await;
    // The next one, which says nothing of images, takes its place before it is written, or after; both keep them.
    connection.send(beat(None)).await;
    let node = eventually("the images are shown", async || {
        let node = owner.get(&machine.path("")).expect(200).await;
        let is_shown = !node.body["images"].as_array()?.is_empty();
        is_shown.then_some(node)
    })
    .await;
    let mut shown: Vec<(String, String)> = node.body["images"]
        .as_array()
        .expect("images")
        .iter()
        .map(|image| {
            let word = |key: &str| image[key].as_str().expect("a word").to_owned();
            (word("reference"), word("state"))
        })
        .collect();
    shown.sort();
    let expected = [
        (pinned.as_str(), "wrong-digest"),
        ("roost-agent:base", "ready"),
    ];
    let mut expected = expected.map(|(a, b)| (a.to_owned(), b.to_owned()));
    expected.sort();
    assert_eq!(shown, expected);
    gateway.stop().await;
}
