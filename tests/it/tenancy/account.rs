//! What people change about their own accounts: name, address and picture.

use roost_tests::{Answer, Gateway, Person};
use serde_json::{Value, json};

use crate::agents::avatars::PNG;

const PASSWORD: &str = "a long enough one";

async fn with_password(person: &Person) {
    let set = person.post("/api/auth/password");
    set.json(&json!({ "new": PASSWORD })).expect(204).await;
}

async fn change(person: &Person, body: Value) -> Answer {
    person.patch("/api/auth/me").json(&body).send().await
}

async fn sign_in(gateway: &Gateway, email: &str) -> Answer {
    let login = gateway.anonymous().post("/api/auth/login");
    let body = json!({ "email": email, "password": PASSWORD });
    login.json(&body).send().await
}

#[tokio::test]
async fn name_and_address_change_and_the_address_needs_the_password() {
    for (gateway, scratch) in Gateway::start_on_each().await {
        let owner = gateway.owner().await;
        let bea = gateway.person("member").await;
        with_password(&bea).await;
        let renamed = change(&bea, json!({ "name": "  Bea  " })).await;
        assert_eq!(
            (renamed.status, renamed.str("/user/name")),
            (200, "Bea"),
            "{}",
            renamed.text
        );
        let me = bea.get("/api/auth/me").expect(200).await;
        assert_eq!(me.str("/user/name"), "Bea");

        let address = |password: Value| {
            change(
                &bea,
                json!({ "email": " Bea@Example.test ", "password": password }),
            )
        };
        for password in [Value::Null, json!("not the password")] {
            let refused = address(password).await;
            assert_eq!((refused.status, refused.str("/code")), (403, "forbidden"));
            assert!(
                refused.str("/detail").contains("password"),
                "{}",
                refused.text
            );
        }
        let changed = address(json!(PASSWORD)).await;
        assert_eq!(
            (changed.status, changed.str("/user/email")),
            (200, "bea@example.test"),
            "{}",
            changed.text
        );
        assert_eq!(sign_in(&gateway, &bea.email).await.status, 401);
        assert_eq!(sign_in(&gateway, "bea@example.test").await.status, 200);
        // The same address again is nothing new, and needs no password.
        assert_eq!(
            change(&bea, json!({ "email": "bea@example.test" }))
                .await
                .status,
            200
        );

        let audit = owner.get("/api/audit?action=account.*").expect(200).await;
        let entries = audit.body["items"].as_array().expect("entries");
        let actions: Vec<&Value> = entries.iter().map(|entry| &entry["action"]).collect();
        assert_eq!(
            actions,
            [
                "account.address_changed",
                "account.password_refused",
                "account.renamed"
            ]
        );
        assert_eq!(
            entries[0]["details"],
            json!({ "from": bea.email, "to": "bea@example.test" })
        );
        assert!(!audit.text.contains(PASSWORD));
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}

#[tokio::test]
async fn address_of_another_account_and_invalid_values_are_refused() {
    for (gateway, scratch) in Gateway::start_on_each().await {
        let (ada, bea) = (
            gateway.person("member").await,
            gateway.person("viewer").await,
        );
        let taken = ada.patch("/api/auth/me");
        taken
            .json(&json!({ "email": bea.email.to_uppercase() }))
            .refused(409, "conflict")
            .await;
        // Of two people that want the same address at once, one gets it.
        let wanted = || json!({ "email": "new@example.test" });
        let (one, other) = tokio::join!(change(&ada, wanted()), change(&bea, wanted()));
        let mut both = [one.status, other.status];
        both.sort_unstable();
        assert_eq!(both, [200, 409], "{} {}", one.text, other.text);
        for body in [
            json!({}),
            json!({ "name": "   " }),
            json!({ "name": "x".repeat(101) }),
            json!({ "email": "nobody" }),
            json!({ "email": "a b@example.test" }),
            json!({ "name": "Ada", "role": "owner" }),
        ] {
            let request = ada.patch("/api/auth/me").json(&body);
            request.refused(400, "validation").await;
        }
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}

#[tokio::test]
async fn wrong_passwords_for_a_new_address_are_throttled() {
    let gateway = Gateway::start().await;
    let bea = gateway.person("member").await;
    with_password(&bea).await;
    let guess = || {
        change(
            &bea,
            json!({ "email": "b@example.test", "password": "a wrong one" }),
        )
    };
    for _ in 0..10 {
        assert_eq!(guess().await.status, 403);
    }
    let closed = guess().await;
    assert_eq!(
        (closed.status, closed.str("/code")),
        (429, "too-many-attempts")
    );
    // The right one does not help now, and the name needs none.
    let right = change(
        &bea,
        json!({ "email": "b@example.test", "password": PASSWORD }),
    )
    .await;
    assert_eq!(right.status, 429);
    assert_eq!(change(&bea, json!({ "name": "Bea" })).await.status, 200);
    gateway.stop().await;
}

#[tokio::test]
async fn rights_to_operate_stay_with_the_account_and_not_with_its_old_address() {
    let operators = r#"["owner@roost.localhost", "ops@example.test"]"#;
    let gateway = Gateway::start_with(&[("operators", operators)]).await;
    let owner = gateway.owner().await;
    let bea = gateway.person("admin").await;
    for email in ["ops@example.test", "owner@roost.localhost"] {
        let request = bea.patch("/api/auth/me").json(&json!({ "email": email }));
        let refused = request.send().await;
        assert!([403, 409].contains(&refused.status), "{}", refused.text);
    }
    let changed = change(owner, json!({ "email": "ada@example.test" })).await;
    assert_eq!(changed.body["operator"], true, "{}", changed.text);
    owner.get("/api/ops/plans").expect(200).await;
    // The old address is free, and still an operator's: nobody else gets it.
    let request = bea.patch("/api/auth/me");
    let old = json!({ "email": "owner@roost.localhost" });
    request.json(&old).refused(403, "forbidden").await;
    bea.get("/api/ops/plans").refused(403, "forbidden").await;
    // The operator may choose another address of operators.
    let changed = change(owner, json!({ "email": "ops@example.test" })).await;
    assert_eq!(changed.body["operator"], true, "{}", changed.text);
    owner.get("/api/ops/plans").expect(200).await;
    gateway.stop().await;
}

async fn upload(person: &Person, kind: &str, file: &[u8]) -> Answer {
    let request = person.put("/api/auth/me/avatar");
    let request = request.header("content-type", kind);
    request.body(file.to_vec()).send().await
}

#[tokio::test]
async fn picture_is_shown_to_members_of_a_common_workspace_only() {
    for (gateway, scratch) in Gateway::start_on_each().await {
        let owner = gateway.owner().await;
        let bea = gateway.person("viewer").await;
        let path = format!("/api/users/{}/avatar", bea.id);
        owner.get(&path).refused(404, "not-found").await;
        let me = bea.get("/api/auth/me").expect(200).await;
        assert_eq!(me.body["user"]["avatar"], Value::Null);
        assert_eq!(upload(&bea, "image/png", PNG).await.status, 204);
        let me = bea.get("/api/auth/me").expect(200).await;
        let version = me.str("/user/avatar").to_owned();

        let shown = owner.get(&format!("{path}?v={version}")).expect(200).await;
        assert_eq!(shown.header("content-type"), "image/png");
        assert!(shown.header("cache-control").contains("immutable"));
        assert!(shown.header("content-security-policy").contains("sandbox"));
        let known = owner.get(&path);
        let known = known.header("if-none-match", shown.header("etag"));
        known.expect(304).await;
        let stranger = gateway.stranger().await;
        stranger.get(&path).refused(404, "not-found").await;
        let members = format!("/api/workspaces/{}/members", owner.workspace);
        let members = owner.get(&members).expect(200).await;
        assert!(members.text.contains(&version), "{}", members.text);
        // Agents name the person that manages them by a joined row.
        upload(owner, "image/png", PNG).await;
        let claw = owner.post("/api/claws").json(&json!({ "name": "ada" }));
        let claw = claw.expect(201).await;
        assert_eq!(claw.str("/managed_by/avatar"), version);

        bea.delete("/api/auth/me/avatar").expect(204).await;
        bea.delete("/api/auth/me/avatar").expect(204).await;
        owner.get(&path).refused(404, "not-found").await;
        let audit = owner.get("/api/audit?action=account.*").expect(200);
        let audit = audit.await;
        assert_eq!(audit.body["items"].as_array().expect("entries").len(), 3);
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}

#[tokio::test]
async fn invalid_or_large_picture_of_a_person_is_refused() {
    let gateway = Gateway::start().await;
    let bea = gateway.person("viewer").await;
    let svg = b"<svg xmlns='http://www.w3.org/2000/svg'/>".as_slice();
    let large = vec![0_u8; (256 << 10) + 1];
    // The header alone states 1025 pixels.
    let mut wide = PNG.to_vec();
    wide[16..20].copy_from_slice(&1025_u32.to_be_bytes());
    for (kind, file, status, code) in [
        ("image/svg+xml", svg, 415, "unsupported-media-type"),
        ("image/png", svg, 400, "validation"),
        ("image/jpeg", PNG, 400, "validation"),
        ("image/png", &wide, 400, "validation"),
        ("image/png", &large, 413, "payload-too-large"),
    ] {
        let refused = upload(&bea, kind, file).await;
        let found = (refused.status, refused.str("/code"));
        assert_eq!(found, (status, code), "{kind}: {}", refused.text);
    }
    let me = bea.get("/api/auth/me").expect(200).await;
    assert_eq!(me.body["user"]["avatar"], Value::Null);
    gateway.stop().await;
}
