//! A person connects an app while the broker has a full disk, restarts, or has a wrong root key: the person gets a
//! clear problem, nothing is half done, and the broker continues by itself.

use roost_secret_broker::client::Client as Broker;
use roost_secret_broker::wire::Request as Verb;
use roost_tests::{
    Client, Issuer, Latch, Process, ScratchPostgres, SmallDisk, Store, bin_dir, eventually,
};
use serde_json::json;

use super::{Bench, come_back};

const PASTED: &str = "app-canary-pasted-77d1";

fn webhook(bench: &Bench, agent: &str) -> serde_json::Value {
    let url = format!("{}/hook", bench.issuer.url());
    json!({ "clawId": agent, "provider": "webhook", "secret": PASTED, "url": url })
}

#[tokio::test]
async fn a_full_disk_connects_nothing_and_goes_on_when_there_is_room() {
    let mut back_ends = vec![None];
    if let Some(scratch) = ScratchPostgres::new().await {
        back_ends.push(Some(scratch));
    }
    for scratch in back_ends {
        let folder = tempfile::tempdir().expect("a folder");
        let Some(disk) = SmallDisk::mount(folder.path(), "4m") else {
            return;
        };
        let bench = Bench::start_in(folder, scratch).await;
        let owner = bench.gateway.owner().await;
        let agent = bench.agent().await;
        bench.connect(&agent).await;
        let before = bench.connections().await;
        let begun = bench.begin(&agent, json!({})).await;
        let back = bench.issuer.allow(begun.str("/authorize_url"));
        let records = bench.records().await;
        let ballast = disk.fill();

        let refused = bench.begin(&agent, json!({})).await;
        assert_eq!(
            (refused.status, refused.str("/code")),
            (500, "internal"),
            "{}",
            refused.text
        );
        let pasted = owner
            .post("/api/apps/connections")
            .json(&webhook(&bench, &agent));
        let pasted = pasted.refused(503, "unavailable").await;
        assert!(
            pasted.text.contains("nothing was connected")
                && pasted.text.contains("free some space"),
            "{}",
            pasted.text
        );
        // The sign-in that is used up makes a little room, which somebody else takes.
        let latch = Latch::default();
        bench.issuer.hold_tokens(&latch);
        let (gateway, to) = (bench.gateway.url(), back.clone());
        let coming = tokio::spawn(async move { come_back(&gateway, &to).await });
        latch.arrived().await;
        disk.fill();
        latch.open();
        let (status, _, page) = coming.await.expect("an answer");
        assert_eq!(status, 500);
        assert!(page.contains("could not be connected"), "{page}");
        for text in [&refused.text, &pasted.text, &page] {
            assert!(!text.contains("canary"), "{text}");
        }
        assert_eq!(bench.come_back(&back).await.0, 404, "the state is used up");
        // The tokens that could not be kept are the issuer's again.
        assert_eq!(bench.issuer.exchanged().len(), 2);
        let revoked = bench.issuer.revoked();
        assert_eq!(revoked.len(), 1);
        assert_eq!(revoked[0]["token"], "app-canary-refresh-2");
        assert_eq!(
            bench.connections().await,
            before,
            "what was connected stays so"
        );

        std::fs::remove_file(ballast).expect("the ballast");
        assert_eq!(
            bench.records().await,
            records - 1,
            "less the sign-in that was used up"
        );
        let pasted = owner
            .post("/api/apps/connections")
            .json(&webhook(&bench, &agent));
        pasted.expect(201).await;
        bench.connect(&agent).await;
        let after = bench.connections().await;
        assert_eq!(after.len(), 2);
        assert!(after.iter().all(|one| one["state"] == "ready"), "{after:?}");
        bench.stop().await;
        drop(disk);
    }
}

#[tokio::test]
async fn a_broker_that_is_killed_in_the_middle_of_a_callback_leaves_nothing_and_comes_back() {
    for mut bench in Bench::on_each().await {
        let agent = bench.agent().await;
        let begun = bench.begin(&agent, json!({})).await;
        let back = bench.issuer.allow(begun.str("/authorize_url"));
        let records = bench.records().await;
        let latch = Latch::default();
        bench.issuer.hold_tokens(&latch);
        let (gateway, to) = (bench.gateway.url(), back.clone());
        let coming = tokio::spawn(async move { come_back(&gateway, &to).await });
        latch.arrived().await;
        bench.broker.kill();
        latch.open();
        let (status, _, page) = coming.await.expect("an answer");
        assert_eq!(status, 500);
        assert!(page.contains("could not be connected"), "{page}");
        assert!(bench.connections().await.is_empty());
        bench.start_the_broker_again().await;
        assert_eq!(bench.come_back(&back).await.0, 404, "the state is used up");
        assert_eq!(bench.records().await, records - 1, "nothing half made");
        bench.connect(&agent).await;
        assert_eq!(bench.connections().await.len(), 1);
        bench.stop().await;
    }
}

#[tokio::test]
async fn a_broker_that_is_stopped_in_the_middle_of_a_callback_ends_it_first() {
    let mut bench = Bench::start().await;
    let agent = bench.agent().await;
    let begun = bench.begin(&agent, json!({})).await;
    let back = bench.issuer.allow(begun.str("/authorize_url"));
    let latch = Latch::default();
    bench.issuer.hold_tokens(&latch);
    let gateway = bench.gateway.url();
    let coming = tokio::spawn(async move { come_back(&gateway, &back).await });
    latch.arrived().await;
    bench.broker.terminate();
    latch.open();
    let (status, to, page) = coming.await.expect("an answer");
    assert_eq!(
        (status, &*to),
        (303, &*format!("/claws/{agent}?app=apps")),
        "{page}"
    );
    bench.start_the_broker_again().await;
    let listed = bench.connections().await;
    assert_eq!((listed.len(), &listed[0]["state"]), (1, &json!("ready")));
    bench.stop().await;
}

#[tokio::test]
async fn with_a_wrong_root_key_the_gateway_serves_says_so_and_nothing_is_lost() {
    let folder = tempfile::tempdir().expect("a folder");
    let issuer = Issuer::start().await;
    let url = issuer.url();
    let set = [
        ("outbound.allow_private", "[\"127.0.0.1\"]"),
        ("oauth.issuer_url", url.as_str()),
        ("oauth.client_id", "roost"),
        ("oauth.redirect_base", "http://roost.test"),
    ];
    let mut process = Process::start_with(folder.path(), &Store::Sqlite, &set).await;
    let broker = Broker::new(
        folder.path().join("data/broker/run/broker.sock"),
        "roost-tests",
    );
    let answers = || async { broker.call(&Verb::Status).await.ok().map(drop) };
    eventually("the broker answers", answers).await;
    let anonymous = Client::new(&process.url());
    let owner = process.owner().await;
    let agent = super::agent_of(&owner).await;
    let start = || {
        owner
            .post("/api/apps/oauth/start")
            .json(&json!({ "clawId": agent, "provider": "github" }))
    };
    let begun = start().expect(200).await;
    let back = issuer.allow(begun.str("/authorize_url"));
    assert_eq!(come_back(&process.url(), &back).await.0, 303);
    let well = anonymous.get("/readyz").expect(200).await;
    assert_eq!(well.body, json!({ "status": "ready" }));
    process.terminate().await;

    let key = folder.path().join("data/broker/root-key");
    let right = std::fs::read(&key).expect("the root key");
    // Written in place, so that it stays readable by its owner only.
    std::fs::write(&key, format!("{}\n", "5c".repeat(32))).expect("a wrong key");
    process.again().await;
    let ready = anonymous.get("/readyz").expect(200).await;
    assert_eq!(
        ready.str("/status"),
        "ready",
        "what needs no credential goes on"
    );
    assert_eq!(
        ready.body["degraded"],
        json!(["the secret broker does not answer"])
    );
    let refused = start().refused(500, "internal").await;
    assert!(!refused.text.contains("key"), "{}", refused.text);
    let pasted = json!({ "clawId": agent, "provider": "github", "secret": PASTED });
    let pasted = owner.post("/api/apps/connections").json(&pasted);
    let pasted = pasted.refused(503, "unavailable").await;
    assert!(
        pasted.str("/detail").contains("roost doctor"),
        "{}",
        pasted.text
    );
    let listed = owner.get("/api/apps/connections").expect(200).await;
    assert_eq!(listed.str("/items/0/state"), "unknown");
    assert!(process.log().contains("root key"), "{}", process.log());
    let doctor = tokio::process::Command::new(bin_dir().join("roost"))
        .arg("doctor")
        .arg("--set")
        .arg(format!("data_dir={}", folder.path().join("data").display()))
        .args(["--set", "sandboxes.local=off"])
        .current_dir(folder.path())
        .output();
    let doctor = doctor.await.expect("it runs");
    let said = String::from_utf8_lossy(&doctor.stdout).into_owned();
    assert!(!doctor.status.success(), "{said}");
    assert!(
        said.contains("the broker cannot start") && said.contains("root key"),
        "{said}"
    );

    std::fs::write(&key, right).expect("the right key");
    eventually("the broker is started again", answers).await;
    let listed = owner.get("/api/apps/connections").expect(200).await;
    assert_eq!(listed.str("/items/0/state"), "ready");
    start().expect(200).await;
    let ready = anonymous.get("/readyz").expect(200).await;
    assert_eq!(ready.body, json!({ "status": "ready" }));
    process.terminate().await;
}
