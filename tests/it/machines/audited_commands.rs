//! Commands that people start in sandboxes are in the audit log.

use roost_tests::{Client, Gateway};
use serde_json::{Value, json};

/// The small image that `make test` builds; a missing engine or image is a failure, not a skip.
fn image() -> String {
    std::env::var("ROOST_TEST_IMAGE").unwrap_or_else(|_| "roost-agent:tiny".to_owned())
}

async fn with_engine() -> Gateway {
    Gateway::start_with(&[("sandboxes.image", &image())]).await
}

async fn agent(owner: &Client) -> String {
    let body = json!({ "name": roost_tests::unique("Ada") });
    let made = owner.post("/api/claws").json(&body).expect(201).await;
    format!("/api/claws/{}/sandbox", made.str("/id"))
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_person_runs_in_a_sandbox_is_in_the_audit_log_once_without_secrets() {
    let gateway = with_engine().await;
    let (owner, member) = (gateway.owner().await, gateway.person("member").await);
    let sandbox = agent(owner).await;
    owner.post(&sandbox).json(&json!({})).expect(201).await;
    let command = json!({
        "argv": ["/bin/sh", "-c", "cat; echo done"], "env": { "TOKEN": "s3cret-env" }, "stdin": "s3cret-stdin",
    });
    // A repeat of the request starts nothing, and is recorded with the first one.
    for _ in 0..2 {
        let done = member
            .post(&format!("{sandbox}/exec?wait=true"))
            .header("idempotency-key", "once")
            .json(&command);
        done.expect(200).await;
    }
    let shell = json!({ "argv": ["/bin/sh", "-c", "exit 0"], "tty": true });
    let shell = owner
        .post(&format!("{sandbox}/exec?wait=true"))
        .json(&shell);
    shell.expect(200).await;
    let refused = json!({ "argv": [] });
    let refused = owner.post(&format!("{sandbox}/exec")).json(&refused);
    refused.refused(400, "validation").await;

    let log = owner.get("/api/audit?action=sandbox.*").expect(200).await;
    let entries = log.body["items"].as_array().expect("entries").iter();
    let said: Vec<(&str, &str, &str)> = entries
        .map(|entry| {
            let text = |pointer| entry.pointer(pointer).and_then(Value::as_str).unwrap_or("");
            (text("/action"), text("/actor"), text("/details/command"))
        })
        .collect();
    let expected = [
        ("sandbox.shell", owner.id.as_str(), "/bin/sh -c 'exit 0'"),
        (
            "sandbox.exec",
            member.id.as_str(),
            "/bin/sh -c 'cat; echo done'",
        ),
        ("sandbox.provisioned", owner.id.as_str(), ""),
    ];
    assert_eq!(said, expected, "{}", log.text);
    assert!(!log.text.contains("s3cret"), "{}", log.text);
    let agent = sandbox
        .trim_start_matches("/api/claws/")
        .trim_end_matches("/sandbox");
    assert_eq!(log.str("/items/0/entity_id"), agent);
    assert!(
        log.str("/items/0/details/agent").starts_with("Ada"),
        "{}",
        log.text
    );
    owner.delete(&sandbox).expect(204).await;
    gateway.stop().await;
}
