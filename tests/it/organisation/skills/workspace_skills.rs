//! Built-in skills, and the skills that a workspace writes.

use roost_organisation::skills;
use roost_tests::{Answer, Gateway};
use serde_json::{Value, json};

use super::{agent, changed, create, names, stop, text};

#[tokio::test]
async fn built_in_skills_are_listed_found_read_and_immutable() {
    for (gateway, scratch) in Gateway::start_on_each().await {
        let owner = gateway.owner().await;
        let (mut seen, mut query) = (Vec::new(), "limit=7".to_owned());
        loop {
            let page = owner.get(&format!("/api/skills?{query}")).expect(200).await;
            seen.extend(names(&page));
            assert!(!page.text.contains("\"body\""), "a list has no texts");
            let Some(cursor) = page.body["next_cursor"].as_str() else {
                break;
            };
            query = format!("limit=7&cursor={cursor}");
        }
        let all: Vec<&str> = skills::builtin::all()
            .iter()
            .map(|text| text.head.name.as_str())
            .collect();
        assert_eq!(seen, all);
        let found = owner.get("/api/skills?q=CODE-REV").expect(200).await;
        assert!(
            names(&found).contains(&"code-review".to_owned()),
            "{}",
            found.text
        );
        for nothing in ["q=%25", "q=_", "q=%22", "tag=no-such-tag"] {
            let found = owner
                .get(&format!("/api/skills?{nothing}"))
                .expect(200)
                .await;
            assert_eq!(names(&found), Vec::<String>::new(), "{nothing}");
        }
        let first = &skills::builtin::all()[0];
        let tag = &first.head.tags[0];
        let found = owner
            .get(&format!("/api/skills?tag={tag}"))
            .expect(200)
            .await;
        let tagged = skills::builtin::all()
            .iter()
            .filter(|text| text.head.tags.contains(tag));
        let tagged: Vec<&str> = tagged.map(|text| text.head.name.as_str()).collect();
        assert_eq!(names(&found), tagged);
        let path = format!(
            "/api/skills/{}",
            skills::model::builtin_id(&first.head.name)
        );
        let one = owner.get(&path).expect(200).await;
        assert_eq!(
            (one.str("/body"), one.str("/visibility")),
            (first.body.as_str(), "builtin")
        );
        assert_eq!(
            (&one.body["current_version"], one.str("/source_kind")),
            (&json!(1), "builtin")
        );
        let versions = owner.get(&format!("{path}/versions")).expect(200).await;
        assert_eq!(versions.body["items"][0]["version"], 1);
        assert!(versions.body["items"][0].get("author").is_none());
        owner
            .put(&path)
            .json(&changed("x"))
            .refused(409, "conflict")
            .await;
        owner.delete(&path).refused(409, "conflict").await;
        let restore = owner.post(&format!("{path}/versions/1/restore"));
        restore.refused(409, "conflict").await;
        stop(gateway, scratch).await;
    }
}

#[tokio::test]
async fn a_workspace_writes_its_own_version_by_version() {
    for (gateway, scratch) in Gateway::start_on_each().await {
        let owner = gateway.owner().await;
        let path = create(owner, &text("our-way", "# One\r\nline\u{202e}\u{200b} end")).await;
        let one = owner.get(&path).expect(200).await;
        assert_eq!(one.str("/body"), "# One\nline end");
        assert_eq!(
            (one.str("/visibility"), one.str("/source_kind")),
            ("workspace", "authored")
        );
        // An answer was lost: the same once more is no conflict; another text is one.
        assert_eq!(
            create(owner, &text("our-way", "# One\nline end")).await,
            path
        );
        let other = owner.post("/api/skills").json(&text("our-way", "# Other"));
        other.refused(409, "conflict").await;

        let put = |over: &str, body: &str| {
            owner
                .put(&path)
                .header("if-match", over)
                .json(&changed(body))
        };
        assert_eq!(
            put("1", "# Two").expect(200).await.body["current_version"],
            2
        );
        put("1", "# Three")
            .refused(412, "precondition-failed")
            .await;
        assert_eq!(
            put("1", "# Two").expect(200).await.body["current_version"],
            2
        );
        let restored = owner
            .post(&format!("{path}/versions/1/restore"))
            .header("if-match", "2")
            .expect(200)
            .await;
        assert_eq!(restored.str("/body"), "# One\nline end");
        let list = owner.get(&format!("{path}/versions")).expect(200).await;
        let told: Vec<_> = list.body["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| (one["version"].as_i64(), one["restored_from"].as_i64()))
            .collect();
        assert_eq!(told, [(Some(3), Some(1)), (Some(2), None), (Some(1), None)]);
        assert_eq!(list.body["items"][0]["author"]["id"], owner.id.as_str());
        let second = owner.get(&format!("{path}/versions/2")).expect(200).await;
        assert_eq!(second.str("/body"), "# Two");
        owner
            .get(&format!("{path}/versions/9"))
            .refused(404, "not-found")
            .await;

        // Others do not see it, and may have one of the same name.
        let stranger = gateway.stranger().await;
        stranger.get(&path).refused(404, "not-found").await;
        stranger
            .get(&format!("{path}/versions/1"))
            .refused(404, "not-found")
            .await;
        assert_ne!(create(&stranger, &text("our-way", "theirs")).await, path);

        owner.delete(&path).expect(204).await;
        owner.delete(&path).expect(204).await;
        owner.get(&path).refused(404, "not-found").await;
        put("3", "# Four").refused(404, "not-found").await;
        let found = owner.get("/api/skills?q=our-way").expect(200).await;
        assert_eq!(names(&found), Vec::<String>::new());
        // Made again, it is the same one and its history goes on.
        assert_eq!(create(owner, &text("our-way", "# Again")).await, path);
        assert_eq!(
            owner.get(&path).expect(200).await.body["current_version"],
            4
        );
        let audit = owner.get("/api/audit?action=skill.*").expect(200).await;
        let actions: Vec<&str> = audit.body["items"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|entry| entry["action"].as_str())
            .collect();
        assert_eq!(
            actions,
            [
                "skill.created",
                "skill.deleted",
                "skill.changed",
                "skill.changed",
                "skill.created"
            ]
        );
        stop(gateway, scratch).await;
    }
}

#[tokio::test]
async fn what_does_not_fit_is_refused_with_the_field() {
    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    let with = |field: &str, value: Value| {
        let mut body = text("fits", "body");
        body[field] = value;
        body
    };
    let nobody = "0190a000-0000-7000-8000-000000000001";
    for (body, pointer) in [
        (with("name", json!("Not So")), "/name"),
        (with("name", json!("a".repeat(65))), "/name"),
        (with("title", json!("")), "/title"),
        (with("title", json!("a\u{202e}b")), "/title"),
        (with("when_to_use", json!("two\nlines")), "/when_to_use"),
        (with("when_to_use", json!("a".repeat(301))), "/when_to_use"),
        (with("tags", json!(["a", "B"])), "/tags/1"),
        (with("tags", json!(["a", "b\",\"c"])), "/tags/1"),
        (with("body", json!(" \n")), "/body"),
        (with("body", json!("x".repeat(64 * 1024 + 1))), "/body"),
        (with("body", json!(7)), "/body"),
        (
            with("promoted_from", json!({ "kind": "agent", "id": nobody })),
            "/promoted_from/id",
        ),
        (
            with("promoted_from", json!({ "kind": "dream", "id": "x" })),
            "/promoted_from/kind",
        ),
        (with("visibility", json!("builtin")), "/visibility"),
    ] {
        let refused = owner.post("/api/skills").json(&body);
        let refused = refused.refused(400, "validation").await;
        assert_eq!(refused.str("/pointer"), pointer, "{}", refused.text);
    }
    let ada = agent(&gateway, owner, None).await;
    let origin = json!({ "kind": "brain_memory", "id": ada });
    let path = create(owner, &with("promoted_from", origin.clone())).await;
    assert_eq!(
        owner.get(&path).expect(200).await.str("/source_kind"),
        "promoted"
    );
    let versions = owner.get(&format!("{path}/versions")).expect(200).await;
    assert_eq!(versions.body["items"][0]["promoted_from"], origin);
    gateway.stop().await;
}

#[tokio::test]
async fn one_of_many_concurrent_writes_wins() {
    for (gateway, scratch) in Gateway::start_on_each().await {
        let owner = gateway.owner().await;
        let bodies: Vec<Value> = (0..6).map(|n| text("at-once", &format!("# {n}"))).collect();
        let tries = bodies
            .iter()
            .map(|body| owner.post("/api/skills").json(body).send());
        let answers = futures::future::join_all(tries).await;
        let made: Vec<&Answer> = answers.iter().filter(|one| one.status == 201).collect();
        assert_eq!(made.len(), 1);
        assert!(
            answers
                .iter()
                .all(|one| one.status == 201 || one.status == 409)
        );
        let path = format!("/api/skills/{}", made[0].str("/id"));
        let bodies: Vec<Value> = (0..6).map(|n| changed(&format!("# Then {n}"))).collect();
        let tries = bodies
            .iter()
            .map(|body| owner.put(&path).header("if-match", "1").json(body).send());
        let answers = futures::future::join_all(tries).await;
        assert_eq!(answers.iter().filter(|one| one.status == 200).count(), 1);
        assert!(
            answers
                .iter()
                .all(|one| one.status == 200 || one.status == 412)
        );
        let versions = owner.get(&format!("{path}/versions")).expect(200).await;
        assert_eq!(versions.body["items"].as_array().unwrap().len(), 2);
        stop(gateway, scratch).await;
    }
}
