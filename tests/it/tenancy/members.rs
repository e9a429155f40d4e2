//! Members and their roles, invitations, switching workspaces.

use roost_gateway::app::Surroundings;
use roost_platform::supervision::KillPoints;
use roost_tests::{Answer, Gateway, Person, Store, Stream, eventually};
use serde_json::{Value, json};

fn members(owner: &Person) -> String {
    format!("/api/workspaces/{}/members", owner.workspace)
}

fn invitations(owner: &Person) -> String {
    format!("/api/workspaces/{}/invitations", owner.workspace)
}

async fn invite(by: &Person, body: Value) -> Answer {
    by.post(&invitations(by)).json(&body).expect(201).await
}

fn acceptance(token: &str, email: &str) -> Value {
    json!({ "token": token, "email": email, "name": "Bea", "password": "a long enough one" })
}

#[tokio::test]
async fn a_stranger_with_the_link_gets_an_account_once() {
    for (gateway, scratch) in Gateway::start_on_each().await {
        let owner = gateway.owner().await;
        let made = invite(owner, json!({ "role": "member" })).await;
        let token = made.str("/token");
        assert_eq!(made.str("/link"), format!("/invitation#{token}"));
        let nobody = gateway.anonymous();
        let look = nobody.post("/api/invitations/look");
        let look = look.json(&json!({ "token": token })).expect(200).await;
        assert_eq!(
            (look.str("/workspace"), look.str("/role")),
            ("Home", "member")
        );
        let accept = |email: &str| {
            let body = acceptance(token, email);
            gateway
                .anonymous()
                .post("/api/invitations/accept")
                .json(&body)
        };
        let (a, b) = tokio::join!(
            accept("Bea@Example.test").send(),
            accept("c@example.test").send()
        );
        let (came, refused) = if a.status == 200 { (a, b) } else { (b, a) };
        assert_eq!(
            (came.status, refused.status),
            (200, 404),
            "{} {}",
            came.text,
            refused.text
        );
        assert_eq!(refused.body["code"], "invitation-unknown");
        assert!(came.header("set-cookie").contains("roost_session=rst_"));
        let bea = nobody.with_token(came.str("/token"));
        let me = bea.get("/api/auth/me").expect(200).await;
        assert_eq!(
            (me.str("/role"), me.str("/workspace/id")),
            ("member", owner.workspace.as_str())
        );
        // The late requests created no user.
        let list = owner.get(&members(owner)).expect(200).await;
        assert_eq!(list.body["items"].as_array().unwrap().len(), 2);
        let open = owner.get(&invitations(owner)).expect(200).await;
        assert_eq!(open.body["items"], json!([]));
        let email = came.str("/user/email").to_owned();
        let login = json!({ "email": email, "password": "a long enough one" });
        nobody
            .post("/api/auth/login")
            .json(&login)
            .expect(200)
            .await;
        let audit = owner.get("/api/audit").expect(200).await;
        for action in ["invitation.created", "member.joined"] {
            assert!(audit.text.contains(action), "{action}");
        }
        assert!(!audit.text.contains(token));
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}

#[tokio::test]
async fn person_with_an_account_joins_signed_in_or_by_password() {
    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    let stranger = gateway.stranger().await;
    let password = json!({ "new": "a long enough one" });
    stranger
        .post("/api/auth/password")
        .json(&password)
        .expect(204)
        .await;
    let accept = "/api/invitations/accept";

    let by_hand = invite(owner, json!({ "role": "viewer", "email": stranger.email })).await;
    let token = by_hand.str("/token");
    let other = gateway.person("viewer").await;
    let not_theirs = other.post(accept).json(&json!({ "token": token }));
    not_theirs.refused(403, "forbidden").await;
    let mut wrong = acceptance(token, &stranger.email);
    wrong["password"] = json!("not the password");
    let wrong = gateway.anonymous().post(accept).json(&wrong);
    wrong.refused(401, "invalid-credentials").await;
    let right = acceptance(token, &stranger.email);
    let joined = gateway
        .anonymous()
        .post(accept)
        .json(&right)
        .expect(200)
        .await;
    assert_eq!(joined.str("/user/id"), stranger.id, "no second account");

    // Signed in, and a member by now: the link stays good for somebody else.
    let second = invite(owner, json!({ "role": "member" })).await;
    let again = stranger
        .post(accept)
        .json(&json!({ "token": second.str("/token") }));
    again.refused(409, "conflict").await;
    let third = gateway.stranger().await;
    let joined = third
        .post(accept)
        .json(&json!({ "token": second.str("/token") }));
    assert!(joined.expect(200).await.body["token"].is_null());
    let me = third.get("/api/auth/me").expect(200).await;
    assert_eq!(
        me.str("/workspace/id"),
        owner.workspace,
        "the session goes on there"
    );
    gateway.stop().await;
}

#[tokio::test]
async fn withdrawn_link_is_refused_and_members_invite_up_to_their_own_role() {
    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    let admin = gateway.person("admin").await;
    let above = admin
        .post(&invitations(owner))
        .json(&json!({ "role": "owner" }));
    above.refused(403, "forbidden").await;
    let made = invite(&admin, json!({ "role": "admin", "expires_in_days": 1 })).await;
    let path = format!("{}/{}", invitations(owner), made.str("/id"));
    let listed = owner.get(&invitations(owner)).expect(200).await;
    assert!(!listed.text.contains(made.str("/token")), "shown once");
    owner.delete(&path).expect(204).await;
    owner.delete(&path).refused(404, "not-found").await;
    for (route, body) in [
        ("look", json!({ "token": made.str("/token") })),
        ("accept", acceptance(made.str("/token"), "x@example.test")),
    ] {
        let post = gateway
            .anonymous()
            .post(&format!("/api/invitations/{route}"));
        post.json(&body).refused(404, "invitation-unknown").await;
    }
    for bad in [
        json!({ "role": "emperor" }),
        json!({ "role": "viewer", "email": "nobody" }),
        json!({ "role": "viewer", "expires_in_days": 31 }),
    ] {
        owner
            .post(&invitations(owner))
            .json(&bad)
            .refused(400, "validation")
            .await;
    }
    gateway.stop().await;
}

#[tokio::test]
async fn roles_change_at_once_and_the_last_owner_stays() {
    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    let member = gateway.person("member").await;
    let admin = gateway.person("admin").await;
    let of = |person: &Person| format!("{}/{}", members(owner), person.id);
    let role = |role: &str| json!({ "role": role });
    admin
        .patch(&of(owner))
        .json(&role("member"))
        .refused(403, "forbidden")
        .await;
    admin
        .patch(&of(&member))
        .json(&role("owner"))
        .refused(403, "forbidden")
        .await;
    owner
        .patch(&of(owner))
        .json(&role("admin"))
        .refused(409, "conflict")
        .await;
    owner.delete(&of(owner)).refused(409, "conflict").await;
    admin
        .patch(&of(&member))
        .json(&role("viewer"))
        .expect(200)
        .await;
    let create = member.post("/api/claws").json(&json!({ "name": "x" }));
    create.refused(403, "forbidden").await;
    owner
        .patch(&of(&admin))
        .json(&role("owner"))
        .expect(200)
        .await;
    admin
        .patch(&of(owner))
        .json(&role("admin"))
        .expect(200)
        .await;
    admin
        .patch(&of(&admin))
        .json(&role("viewer"))
        .refused(409, "conflict")
        .await;
    let audit = admin.get("/api/audit").expect(200).await;
    let changes = audit.text.matches("member.role_changed").count();
    assert_eq!(changes, 3, "{}", audit.text);
    gateway.stop().await;
}

#[tokio::test]
async fn two_owners_who_demote_each_other_concurrently_leave_one_owner() {
    for (gateway, scratch) in Gateway::start_on_each().await {
        let owner = gateway.owner().await;
        let other = gateway.person("owner").await;
        let demote = |by: &Person, whom: &Person| {
            let path = format!("{}/{}", members(owner), whom.id);
            by.patch(&path).json(&json!({ "role": "viewer" }))
        };
        let (a, b) = tokio::join!(demote(owner, &other).send(), demote(&other, owner).send());
        let done = [&a, &b]
            .iter()
            .filter(|answer| answer.status == 200)
            .count();
        assert_eq!(done, 1, "{} {}", a.text, b.text);
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}

#[tokio::test]
async fn removed_member_loses_streams_and_tokens_and_keeps_other_workspaces() {
    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    let member = gateway.person("member").await;
    let own = member
        .post("/api/workspaces")
        .json(&json!({ "name": "Own" }));
    let own = own.expect(201).await;
    let token = member
        .post("/api/auth/sessions")
        .json(&json!({ "label": "ci" }));
    let token = token.expect(201).await;
    let program = gateway.anonymous().with_token(token.str("/token"));
    let agent = member.post("/api/claws").json(&json!({ "name": "left" }));
    let agent = format!("/api/claws/{}", agent.expect(201).await.str("/id"));
    let mut stream = Stream::open(member.get("/api/events")).await;
    let path = format!("{}/{}", members(owner), member.id);
    gateway
        .person("viewer")
        .await
        .delete(&path)
        .refused(403, "forbidden")
        .await;
    owner.delete(&path).expect(204).await;
    // Somebody has to answer for what it does.
    let agent = owner.get(&agent).expect(200).await;
    assert_eq!(agent.str("/managed_by/id"), owner.id);
    // It may bring that the workspace changed before it ends.
    while stream.next().await.is_some() {}
    program
        .get("/api/auth/me")
        .refused(401, "unauthenticated")
        .await;
    let me = member.get("/api/auth/me").expect(200).await;
    assert_eq!(me.str("/workspace/id"), own.str("/id"));
    let back = json!({ "workspace_id": owner.workspace });
    member
        .put("/api/auth/workspace")
        .json(&back)
        .refused(404, "not-found")
        .await;

    // Who belongs nowhere else is signed out; leaving needs no role.
    let viewer = gateway.person("viewer").await;
    viewer
        .delete(&format!("{}/{}", members(owner), viewer.id))
        .expect(204)
        .await;
    viewer
        .get("/api/auth/me")
        .refused(401, "unauthenticated")
        .await;
    gateway.stop().await;
}

#[tokio::test]
async fn a_sign_in_switches_to_another_workspace_and_stays_there() {
    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    let made = owner
        .post("/api/workspaces")
        .json(&json!({ "name": "Second" }));
    let made = made.expect(201).await;
    let switch = json!({ "workspace_id": made.str("/id") });
    owner
        .put("/api/auth/workspace")
        .json(&switch)
        .expect(204)
        .await;
    let me = owner.get("/api/auth/me").expect(200).await;
    assert_eq!(me.str("/workspace/name"), "Second");
    assert_eq!(me.body["workspaces"].as_array().unwrap().len(), 2);
    let agents = owner.get("/api/claws").expect(200).await;
    assert_eq!(agents.body["items"], json!([]));
    let token = owner
        .post("/api/auth/sessions")
        .json(&json!({ "label": "ci" }));
    let token = token.expect(201).await;
    let program = gateway.anonymous().with_token(token.str("/token"));
    program
        .put("/api/auth/workspace")
        .json(&switch)
        .refused(403, "forbidden")
        .await;
    gateway.stop().await;
}

/// The rows of a workspace in every table that names it, but those that outlive it.
async fn left_of(gateway: &Gateway, workspace: &str) -> Vec<String> {
    let inspector = roost_tests::DbInspector::open(&format!(
        "sqlite:{}/roost.db",
        gateway.data_dir().display()
    ))
    .await;
    let tables = "SELECT m.name AS t FROM sqlite_master m JOIN pragma_table_info(m.name) c ON c.name = 'workspace_id' \
         WHERE m.type = 'table' AND m.name NOT IN ('audit_entries', 'sagas')";
    let mut left = Vec::new();
    for table in inspector.texts(tables).await {
        let hex = workspace.replace('-', "");
        let sql =
            format!("SELECT COUNT(*) AS n FROM {table} WHERE LOWER(HEX(workspace_id)) = '{hex}'");
        if inspector.numbers(&sql).await != [0] {
            left.push(table);
        }
    }
    inspector.close().await;
    left
}

#[tokio::test]
async fn a_workspace_goes_with_all_that_it_has_wherever_its_saga_is_killed() {
    for point in [
        "",
        "sagas.before_step",
        "sagas.after_effect",
        "sagas.after_commit",
    ] {
        let kill_points = KillPoints::allowed();
        if !point.is_empty() {
            for order in ["panic", "panic@1", "panic@3"] {
                let order = format!("{point}={order}");
                kill_points.arm(order.parse().unwrap()).unwrap();
            }
        }
        let around = Surroundings {
            kill_points: Some(kill_points),
            ..Surroundings::default()
        };
        let folder = tempfile::tempdir().unwrap();
        let set = [("sandboxes.local", "off")];
        let gateway = Gateway::start_in(folder, &Store::Sqlite, &set, around)
            .await
            .unwrap();
        let owner = gateway.owner().await;
        let member = gateway.person("member").await;
        let path = format!("/api/workspaces/{}", owner.workspace);
        for name in ["one", "two"] {
            owner
                .post("/api/claws")
                .json(&json!({ "name": name }))
                .expect(201)
                .await;
        }
        let invitation = invite(owner, json!({ "role": "member" })).await;
        owner.delete(&path).refused(400, "validation").await;
        owner
            .delete(&format!("{path}?confirm=Home"))
            .refused(409, "conflict")
            .await;
        let next = owner
            .post("/api/workspaces")
            .json(&json!({ "name": "Next" }));
        let next = next.expect(201).await;
        let mut stream = Stream::open(member.get("/api/events")).await;
        owner
            .delete(&format!("{path}?confirm=Home"))
            .expect(202)
            .await;
        while stream.next().await.is_some() {}
        member
            .get("/api/auth/me")
            .refused(401, "unauthenticated")
            .await;
        let me = owner.get("/api/auth/me").expect(200).await;
        assert_eq!(me.str("/workspace/id"), next.str("/id"));
        let accept = gateway.anonymous().post("/api/invitations/accept");
        let accept = accept.json(&acceptance(invitation.str("/token"), "late@example.test"));
        accept.refused(404, "invitation-unknown").await;
        owner.get(&path).refused(404, "not-found").await;
        eventually(point, || async {
            left_of(&gateway, &owner.workspace)
                .await
                .is_empty()
                .then_some(())
        })
        .await;
        let inspector = roost_tests::DbInspector::open(&format!(
            "sqlite:{}/roost.db",
            gateway.data_dir().display()
        ))
        .await;
        let kept = "SELECT COUNT(*) AS n FROM audit_entries WHERE action = 'workspace.deleted'";
        assert_eq!(inspector.numbers(kept).await, [1], "{point}");
        inspector.close().await;
        gateway.stop().await;
    }
}
