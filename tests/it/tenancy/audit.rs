//! The audit log over HTTP: filters, pages, its place in the hash chain; and `roost audit verify` beside a gateway.

use roost_tests::{Gateway, Person, bin_dir, eventually};
use serde_json::{Value, json};

async fn made(owner: &Person, name: &str) -> String {
    let body = json!({ "name": name });
    let claw = owner.post("/api/claws").json(&body).expect(201).await;
    claw.str("/id").to_owned()
}

/// What a query finds, as `action name`.
async fn found(owner: &Person, query: &str) -> Vec<String> {
    let page = owner.get(&format!("/api/audit?{query}")).expect(200).await;
    let line = |entry: &Value| {
        let text = |pointer| entry.pointer(pointer).and_then(Value::as_str).unwrap_or("");
        format!("{} {}", text("/action"), text("/details/name"))
    };
    page.body["items"]
        .as_array()
        .expect("items")
        .iter()
        .map(line)
        .collect()
}

/// All that was done to agents, in pages of two.
async fn in_pages(owner: &Person, order: &str) -> Vec<String> {
    let first = format!("action=claw.*&limit=2{order}");
    let mut query = first.clone();
    let mut seen = Vec::new();
    loop {
        seen.extend(found(owner, &query).await);
        let page = owner.get(&format!("/api/audit?{query}")).expect(200).await;
        let Some(cursor) = page.body["next_cursor"].as_str() else {
            return seen;
        };
        query = format!("{first}&cursor={cursor}");
    }
}

#[tokio::test]
async fn the_log_is_found_by_person_action_thing_and_time_and_read_in_pages() {
    for (gateway, scratch) in Gateway::start_on_each().await {
        let owner = gateway.owner().await;
        let admin = gateway.person("admin").await;
        let ada = made(owner, "ada").await;
        made(&admin, "ben").await;
        owner.delete(&format!("/api/claws/{ada}")).expect(204).await;

        let whole = ["claw.deleted ada", "claw.created ben", "claw.created ada"];
        assert_eq!(found(owner, "action=claw.*").await, whole);
        assert_eq!(found(owner, "action=claw.created").await, whole[1..]);
        assert_eq!(
            found(owner, &format!("actor={}&action=claw.*", admin.id)).await,
            whole[1..2]
        );
        let of_ada = format!("entity_kind=claw&entity_id={ada}");
        assert_eq!(found(owner, &of_ada).await, [whole[0], whole[2]]);
        assert_eq!(
            found(owner, "action=claw.*&entity_kind=node").await,
            [""; 0]
        );

        let all = owner.get("/api/audit?action=claw.*").expect(200).await;
        let newest = &all.body["items"][0];
        assert_eq!(newest["by"]["email"], owner.email.as_str());
        let at = newest["at"].as_str().unwrap().replace('+', "%2B");
        assert_eq!(
            found(owner, &format!("action=claw.*&until={at}")).await,
            whole[1..]
        );
        assert_eq!(
            found(owner, &format!("action=claw.*&from={at}")).await,
            whole[..1]
        );

        let mut reversed = whole;
        reversed.reverse();
        for (order, wanted) in [("", whole), ("&sort=-at", whole), ("&sort=at", reversed)] {
            assert_eq!(in_pages(owner, order).await, wanted, "{order}");
        }
        for wrong in [
            "actor=nobody",
            "action=claw%25",
            "action=.*",
            "entity_id=",
            "from=yesterday",
            "from=2026-01-02T00:00:00Z&until=2026-01-01T00:00:00Z",
            "limit=0",
            "sort=newest",
        ] {
            let asked = owner.get(&format!("/api/audit?{wrong}"));
            asked.refused(400, "validation").await;
        }
        let elsewhere = gateway.stranger().await;
        assert!(found(&elsewhere, &of_ada).await.is_empty());
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}

#[tokio::test]
async fn a_wrong_present_password_is_in_the_log_of_the_account() {
    for (gateway, scratch) in Gateway::start_on_each().await {
        let owner = gateway.owner().await;
        let admin = gateway.person("admin").await;
        let password = json!({ "new": "a first good password" });
        let set = admin.post("/api/auth/password").json(&password);
        set.expect(204).await;
        let password = json!({ "current": "not the password", "new": "another good password" });
        let set = admin.post("/api/auth/password").json(&password);
        set.refused(400, "validation").await;
        let address = json!({ "email": "ben@example.test", "password": "not the password" });
        let change = admin.patch("/api/auth/me").json(&address);
        change.refused(403, "forbidden").await;

        let query = "/api/audit?action=account.password_refused";
        let page = owner.get(query).expect(200).await;
        let entries = page.body["items"].as_array().expect("items");
        assert_eq!(entries.len(), 2);
        for entry in entries {
            assert_eq!(entry["actor"], admin.id.as_str());
            assert_eq!(entry["details"]["from"], "127.0.0.1");
        }
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}

#[tokio::test]
async fn refused_sign_ins_are_in_the_log_of_the_account_and_tell_nothing_of_others() {
    for (gateway, scratch) in Gateway::start_on_each().await {
        let owner = gateway.owner().await;
        let admin = gateway.person("admin").await;
        for email in [
            "nobody@example.test",
            &owner.email,
            &owner.email,
            &admin.email,
        ] {
            let body = json!({ "email": email, "password": "not the password" });
            let wrong = gateway.anonymous().post("/api/auth/login").json(&body);
            wrong.refused(401, "invalid-credentials").await;
        }
        let entries = eventually("three entries", || async {
            let page = owner.get("/api/audit?action=session.refused").expect(200);
            let entries = page.await.body["items"].as_array().expect("items").clone();
            (entries.len() == 3).then_some(entries)
        })
        .await;
        let accounts: Vec<&str> = entries
            .iter()
            .map(|entry| entry["details"]["email"].as_str().expect("an address"))
            .collect();
        let (owners, admins) = (owner.email.as_str(), admin.email.as_str());
        assert_eq!(accounts, [admins, owners, owners]);
        for entry in &entries {
            assert_eq!(entry["by"]["name"], "system", "nobody knows who it was");
            assert_eq!(entry["entity_kind"], "user");
            assert_eq!(entry["details"]["from"], "127.0.0.1");
        }
        let elsewhere = gateway.stranger().await;
        let others = found(&elsewhere, "action=session.refused").await;
        assert!(others.is_empty(), "{others:?}");
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}

#[tokio::test]
async fn each_entry_gets_its_place_in_the_chain_and_the_command_line_finds_what_was_tampered_with()
{
    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    made(owner, "ada").await;
    let linked = eventually("every entry has its link", || async {
        let page = owner.get("/api/audit").expect(200).await;
        let items = page.body["items"].as_array().unwrap().clone();
        items
            .iter()
            .all(|entry| entry["link"].is_object())
            .then_some(items)
    })
    .await;
    assert!(linked.iter().all(|entry| entry["link"]["intact"] == true));
    let chain = owner.get("/api/audit/chain").expect(200).await;
    assert_eq!(chain.body["entries"], linked.len());
    assert_eq!(chain.body["waiting"], 0);
    let noted = format!(
        "{}:{}",
        chain.body["end"]["position"],
        chain.str("/end/sha256")
    );

    let (code, told) = verify(&gateway, &["--noted", &noted]).await;
    assert!(
        code == Some(0) && told.contains("intact") && told.contains(&noted),
        "{told}"
    );
    // Somebody with the file in the hand makes another out of the one who did it.
    let tx = gateway.app().db().write().await.unwrap();
    for statement in [
        "DROP TRIGGER audit_entries_no_update",
        "UPDATE audit_entries SET details = '{\"name\":\"eve\"}' WHERE action = 'claw.created'",
    ] {
        sea_orm::ConnectionTrait::execute_unprepared(&*tx, statement)
            .await
            .unwrap();
    }
    tx.commit().await.unwrap();
    let (code, told) = verify(&gateway, &[]).await;
    assert!(
        code == Some(1) && told.contains("was changed after it was written"),
        "{told}"
    );
    let page = owner
        .get("/api/audit?action=claw.created")
        .expect(200)
        .await;
    assert_eq!(page.body["items"][0]["link"]["intact"], false);
    gateway.stop().await;
}

async fn verify(gateway: &Gateway, more: &[&str]) -> (Option<i32>, String) {
    let output = tokio::process::Command::new(bin_dir().join("roost"))
        .args(["audit", "verify", "--config"])
        .arg(gateway.data_dir().join("roost.toml"))
        .args([
            "--set",
            &format!("data_dir={}", gateway.data_dir().display()),
        ])
        .args(more)
        .output()
        .await
        .expect("roost runs");
    let text = [output.stdout, output.stderr].concat();
    (
        output.status.code(),
        String::from_utf8_lossy(&text).into_owned(),
    )
}
