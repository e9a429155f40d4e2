//! The skills of an agent: from its role, from its own choices, and replaced skills.

use roost_organisation::{agent_skills, skills, templates};
use roost_tests::{Answer, Gateway};
use serde_json::json;

use super::{agent, builtin_template, create, names, scope, stop, text};

#[tokio::test]
async fn an_agent_has_the_skills_of_its_role_with_its_own_choices() {
    for (gateway, scratch) in Gateway::start_on_each().await {
        let owner = gateway.owner().await;
        let template = builtin_template("rust_sdlc");
        let claw = agent(&gateway, owner, Some((&template, "coder"))).await;
        let path = format!("/api/claws/{claw}/skills");
        let role = &templates::builtin::all()
            .iter()
            .find(|one| one.key == "rust_sdlc")
            .unwrap()
            .content
            .roles[1];
        assert_eq!(role.slot, "coder");
        let mut expected = vec![
            "handing-over-work".to_owned(),
            "stating-uncertainty".to_owned(),
        ];
        expected.extend(
            role.skills
                .iter()
                .filter(|name| !name.contains("handing"))
                .cloned(),
        );
        let set = owner.get(&path).expect(200).await;
        assert_eq!(names(&set), expected);
        let told: Vec<_> = set.body["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| {
                (
                    one["pin_in_context"] == true,
                    one["source"].as_str().unwrap(),
                )
            })
            .collect();
        assert_eq!(
            told[..4],
            [
                (true, "foundation"),
                (true, "foundation"),
                (true, "role"),
                (true, "role")
            ]
        );
        assert!(told[4..].iter().all(|one| *one == (false, "role")));
        assert_eq!(
            (&set.body["role"]["role_slot"], &set.body["missing"]),
            (&json!("coder"), &json!(0))
        );

        let id = |name: &str| skills::model::builtin_id(name).to_string();
        let choose = |name: &str, include: bool| {
            let request = owner.put(&format!("{path}/{}", id(name)));
            request.json(&json!({ "include": include }))
        };
        choose("threat-modelling", true).expect(204).await;
        choose("threat-modelling", true).expect(204).await;
        choose(&expected[2], false).expect(204).await;
        let set = owner.get(&path).expect(200).await;
        let mut now = expected.clone();
        let excluded = now.remove(2);
        now.push("threat-modelling".to_owned());
        assert_eq!(names(&set), now);
        let last = set.body["items"].as_array().unwrap().last().unwrap();
        assert_eq!(
            (&last["source"], &last["pin_in_context"]),
            (&json!("agent"), &json!(false))
        );
        assert_eq!(
            set.body["skipped"],
            json!([{ "name": excluded, "why": "excluded" }])
        );
        assert_eq!(set.body["overrides"].as_array().unwrap().len(), 2);

        // What the runtime gets is the same, with the texts.
        let db = gateway.app().db().read();
        let effective = agent_skills::effective(db, scope(owner), claw.parse().unwrap())
            .await
            .unwrap();
        let of_runtime: Vec<&str> = effective.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(of_runtime, now);
        let prompt = skills::prompt::framed(&effective);
        assert!(
            prompt.contains("⟦SKILL handing-over-work⟧") && prompt.contains("| threat-modelling: ")
        );

        // Another role of another template, without being made from it.
        let other = builtin_template("papers_research");
        let asked = format!("{path}?template_id={other}&role_slot=paper_reader");
        let set = owner.get(&asked).expect(200).await;
        assert!(names(&set).contains(&"threat-modelling".to_owned()));
        assert_eq!(set.body["role"]["template_id"], other.as_str());
        for (query, pointer) in [
            (format!("template_id={other}"), "role_slot"),
            ("role_slot=x".to_owned(), "template_id"),
            (format!("template_id={other}&role_slot=coder"), "role_slot"),
        ] {
            let refused = owner
                .get(&format!("{path}?{query}"))
                .refused(400, "validation")
                .await;
            assert_eq!(refused.str("/pointer"), pointer);
        }

        for name in ["threat-modelling", &expected[2]] {
            let reset = format!("{path}/{}", id(name));
            owner.delete(&reset).expect(204).await;
            owner.delete(&reset).expect(204).await;
        }
        assert_eq!(names(&owner.get(&path).expect(200).await), expected);
        // An agent that was not made from a template has what was chosen for it.
        let plain = agent(&gateway, owner, None).await;
        let set = owner
            .get(&format!("/api/claws/{plain}/skills"))
            .expect(200)
            .await;
        assert_eq!((names(&set).len(), set.body.get("role")), (0, None));
        stop(gateway, scratch).await;
    }
}

#[tokio::test]
async fn a_skill_of_the_workspace_stands_in_the_place_of_a_built_in_one_when_that_is_said() {
    for (gateway, scratch) in Gateway::start_on_each().await {
        let owner = gateway.owner().await;
        let template = builtin_template("rust_sdlc");
        let claw = agent(&gateway, owner, Some((&template, "reviewer"))).await;
        let of_claw = format!("/api/claws/{claw}/skills");
        let silent = owner.post("/api/skills").json(&text("code-review", "ours"));
        silent.refused(409, "builtin-name").await;
        let mut said = text("code-review", "ours");
        said["in_place_of_builtin"] = true.into();
        let path = create(owner, &said).await;
        let own = path.rsplit('/').next().unwrap().to_owned();
        let builtin = skills::model::builtin_id("code-review").to_string();
        let list = owner.get("/api/skills?q=code-review").expect(200).await;
        let told: Vec<(&str, &str)> = list.body["items"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|one| one["name"] == "code-review")
            .map(|one| {
                (
                    one["id"].as_str().unwrap(),
                    one["namesake"].as_str().unwrap(),
                )
            })
            .collect();
        assert!(
            told.contains(&(&own, &builtin)) && told.contains(&(&builtin, &own)),
            "{told:?}"
        );
        let of = |set: &Answer| {
            let items = set.body["items"].as_array().unwrap().clone();
            items.into_iter().find(|one| one["name"] == "code-review")
        };
        let one = of(&owner.get(&of_claw).expect(200).await).unwrap();
        assert_eq!(
            (&one["id"], &one["in_place_of"]),
            (&json!(own), &json!(builtin))
        );
        assert_eq!(
            (&one["source"], &one["pin_in_context"]),
            (&json!("role"), &json!(true))
        );
        // Either one excluded is both.
        for id in [&own, &builtin] {
            let choice = format!("{of_claw}/{id}");
            owner
                .put(&choice)
                .json(&json!({ "include": false }))
                .expect(204)
                .await;
            assert_eq!(of(&owner.get(&of_claw).expect(200).await), None);
            owner.delete(&choice).expect(204).await;
        }
        // Elsewhere nothing changed.
        let stranger = gateway.stranger().await;
        let there = agent(&gateway, &stranger, Some((&template, "reviewer"))).await;
        let set = stranger
            .get(&format!("/api/claws/{there}/skills"))
            .expect(200)
            .await;
        assert_eq!(of(&set).unwrap()["id"], builtin.as_str());
        owner.delete(&path).expect(204).await;
        let one = of(&owner.get(&of_claw).expect(200).await).unwrap();
        assert_eq!(one["id"], builtin.as_str());
        stop(gateway, scratch).await;
    }
}
