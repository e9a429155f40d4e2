//! Two people edit one thing: a change of an older version is refused, and one of two concurrent changes wins.

use roost_tests::{Gateway, Machine, Person, ScratchPostgres};
use serde_json::json;

async fn only_one_wins(owner: &Person, path: &str, version: i64) {
    let renamed = |name: &str, over: i64| {
        let request = owner.patch(path).header("if-match", &over.to_string());
        request.json(&json!({ "name": name }))
    };
    renamed("stale", version + 7)
        .refused(412, "precondition-failed")
        .await;
    let (one, other) = tokio::join!(
        renamed("one", version).send(),
        renamed("other", version).send()
    );
    let mut both = [one.status, other.status];
    both.sort_unstable();
    assert_eq!(both, [200, 412], "{} {}", one.text, other.text);
    let won = if one.status == 200 { "one" } else { "other" };
    let now = owner.get(path).expect(200).await;
    assert_eq!(now.str("/name"), won);
    // Without a version the last change wins, as a script expects.
    let last = owner.patch(path).json(&json!({ "name": "last" }));
    assert_eq!(last.expect(200).await.str("/name"), "last");
}

async fn edited(gateway: &Gateway) {
    let owner = gateway.owner().await;
    let version = async |path: &str| {
        let now = owner.get(path).expect(200).await;
        now.body["version"].as_i64().expect("a version")
    };
    let workspace = format!("/api/workspaces/{}", owner.workspace);
    only_one_wins(owner, &workspace, version(&workspace).await).await;
    let machine = Machine::joined(gateway, owner).await;
    let node = machine.path("");
    only_one_wins(owner, &node, version(&node).await).await;
}

#[tokio::test]
async fn a_workspace_and_a_machine_take_one_of_two_changes() {
    let gateway = Gateway::start_like(&[], None).await;
    edited(&gateway).await;
    gateway.stop().await;
    if let Some(scratch) = ScratchPostgres::new().await {
        let gateway = Gateway::start_like(&[], Some(&scratch)).await;
        edited(&gateway).await;
        gateway.stop().await;
        scratch.remove().await;
    }
}
