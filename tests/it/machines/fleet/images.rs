//! The agent image that the gateway wants: machines learn it, and only that image makes them ready.

use roost_protocol::hello::ImageState;
use roost_protocol::ids::InstanceId;
use roost_protocol::inventory::Inventory;
use roost_tests::{Gateway, Machine};

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
