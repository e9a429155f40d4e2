//! Which tools each token sees, in every revision, and what a call does.

use roost_execution::tools::Profile;
use roost_tests::{Client, Gateway, eventually};
use serde_json::{Value, json};

use super::{CURRENT, FORMER, agent_with_token, call, request, send, under};

fn names(answer: &Value) -> Vec<&str> {
    let tools = answer["result"]["tools"].as_array().expect("tools");
    tools
        .iter()
        .filter_map(|tool| tool["name"].as_str())
        .collect()
}

async fn list(client: &Client, path: &str) -> Value {
    send(client, path, "tools/list", json!({}))
        .expect(200)
        .await
        .body
}

#[tokio::test]
async fn list_has_the_tools_of_profile_and_bundle_and_is_not_cacheable_for_others() {
    let gateway = Gateway::start_with(&[("sandboxes.local", "off")]).await;
    let (_, token) = agent_with_token(gateway.owner().await).await;
    // Of an agent that is in no team.
    let alone = gateway.anonymous().with_token(&token);
    assert_eq!(
        names(&list(&alone, "/mcp/skills").await),
        ["list_skills", "read_skill"]
    );
    assert!(names(&list(&alone, "/mcp/sandbox").await).is_empty());
    let denied = call(&alone, "/mcp/sandbox", "shell", json!({ "command": "id" })).await;
    let message = denied.body["error"]["message"].as_str().expect("an error");
    assert!(
        message.contains("toolfree") && message.contains("not offered"),
        "{message}"
    );
    for (profile, sandbox, repo) in [
        (Profile::Toolfree, vec![], vec![]),
        (
            Profile::ResearchReadonly,
            vec!["read_file", "list_files"],
            vec!["status", "diff", "log"],
        ),
        (
            Profile::CodingReadwrite,
            vec!["shell", "read_file", "write_file", "list_files"],
            vec!["status", "diff", "commit", "log"],
        ),
    ] {
        let client = under(&gateway, profile).await.with_token(&token);
        let answer = list(&client, "/mcp/sandbox").await;
        assert_eq!(names(&answer), sandbox, "{profile:?}");
        assert_eq!(answer["result"]["cacheScope"], "private");
        assert!(
            answer["result"]["ttlMs"]
                .as_u64()
                .is_some_and(|ttl| ttl > 0)
        );
        assert_eq!(
            names(&list(&client, "/mcp/repo").await),
            repo,
            "{profile:?}"
        );
        // A tool of one server is none of another.
        let elsewhere = call(&client, "/mcp/repo", "shell", json!({ "command": "id" })).await;
        assert_eq!(
            elsewhere.body["error"]["code"], -32602,
            "{}",
            elsewhere.body
        );
    }
    gateway.stop().await;
}

#[tokio::test]
async fn every_revision_is_supported_and_an_unknown_one_gets_the_list() {
    let gateway = Gateway::start_with(&[("sandboxes.local", "off")]).await;
    let (_, token) = agent_with_token(gateway.owner().await).await;
    let client = gateway.anonymous().with_token(&token);
    for revision in FORMER {
        let initialize = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": revision, "capabilities": {}, "clientInfo": { "name": "old", "version": "1" } } });
        let answer = former(&client, revision, &initialize).await;
        assert_eq!(
            answer.body["result"]["protocolVersion"], revision,
            "{}",
            answer.body
        );
        assert_eq!(answer.body["result"]["serverInfo"]["name"], "roost-skills");
        assert_eq!(answer.header("mcp-session-id"), "", "there are no sessions");
        let list = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" });
        let answer = former(&client, revision, &list).await;
        assert_eq!(
            names(&answer.body),
            ["list_skills", "read_skill"],
            "{revision}"
        );
        assert!(answer.body["result"].get("resultType").is_none());
    }
    let discovered = send(&client, "/mcp/skills", "server/discover", json!({}))
        .expect(200)
        .await;
    let spoken = discovered.body["result"]["supportedVersions"].to_string();
    assert!(
        spoken.contains(CURRENT) && spoken.contains(FORMER[0]),
        "{spoken}"
    );
    let unknown = client
        .post("/mcp/skills")
        .header("accept", "application/json, text/event-stream")
        .header("mcp-protocol-version", "1999-01-01")
        .header("mcp-method", "tools/list");
    let mut body = request("tools/list", json!({}));
    body["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = "1999-01-01".into();
    let refused = unknown.json(&body).send().await;
    assert_eq!(refused.status, 400, "{}", refused.body);
    // Headers that say something else than the body.
    let other = client
        .post("/mcp/skills")
        .header("accept", "application/json, text/event-stream")
        .header("mcp-protocol-version", CURRENT)
        .header("mcp-method", "tools/call");
    let refused = other.json(&request("tools/list", json!({}))).send().await;
    assert_eq!(
        (refused.status, &refused.body["error"]["code"]),
        (400, &json!(-32020))
    );
    gateway.stop().await;
}

async fn former(client: &Client, revision: &str, body: &Value) -> roost_tests::Answer {
    client
        .post("/mcp/skills")
        .header("accept", "application/json, text/event-stream")
        .header("mcp-protocol-version", revision)
        .json(body)
        .expect(200)
        .await
}

#[tokio::test(flavor = "multi_thread")]
async fn call_works_in_the_agents_own_sandbox_and_ends_when_the_caller_disconnects() {
    let image =
        std::env::var("ROOST_TEST_AGENT_IMAGE").unwrap_or_else(|_| "roost-agent:rust".to_owned());
    let gateway = Gateway::start_with(&[("sandboxes.image", &image)]).await;
    let owner = gateway.owner().await;
    let (agent, token) = agent_with_token(owner).await;
    let client = under(&gateway, Profile::CodingReadwrite)
        .await
        .with_token(&token);
    let shell = async |command: &str| {
        let answer = call(
            &client,
            "/mcp/sandbox",
            "shell",
            json!({ "command": command }),
        )
        .await;
        answer.body["result"].clone()
    };
    let none = shell("id").await;
    assert_eq!(none["isError"], true, "{none}");
    assert!(
        none["content"][0]["text"]
            .as_str()
            .is_some_and(|text| text.contains("no running sandbox"))
    );
    let sandbox = format!("/api/claws/{agent}/sandbox");
    owner.post(&sandbox).json(&json!({})).expect(201).await;
    let done = shell("echo hello; exit 3").await;
    assert_eq!(done["content"][0]["text"], "hello\n[exit code 3]");
    assert_eq!(done["isError"], true);
    let written = call(
        &client,
        "/mcp/sandbox",
        "write_file",
        json!({ "path": "x", "content": "y" }),
    )
    .await;
    assert_eq!(
        written.body["result"]["content"][0]["text"],
        "Made /workspace/x (1 bytes)."
    );
    // Who wants to see progress sees the lines.
    let params = json!({ "name": "shell", "arguments": { "command": "echo one; sleep 1; echo two" },
        "_meta": { "progressToken": "p" } });
    let streamed = send(&client, "/mcp/sandbox", "tools/call", params)
        .open()
        .await;
    assert_eq!(streamed.headers()["x-accel-buffering"], "no");
    let text = streamed.text().await.expect("a stream");
    let first = text.find("notifications/progress").expect("progress");
    assert!(
        first < text.find("[exit code 0]").expect("the end"),
        "{text}"
    );
    // A caller that hangs up has its command ended.
    let params =
        json!({ "name": "shell", "arguments": { "command": "echo $$ > pid; exec sleep 300" } });
    let waiting = send(&client, "/mcp/sandbox", "tools/call", params);
    let waiting = tokio::spawn(async move { waiting.try_open().await.map(drop) });
    eventually("the command runs", async || {
        let there = shell("cat pid").await;
        (there["isError"] != true).then_some(())
    })
    .await;
    waiting.abort();
    eventually("the command is ended", async || {
        let there = shell("kill -0 $(cat pid)").await;
        (there["isError"] == true).then_some(())
    })
    .await;
    owner.delete(&sandbox).expect(204).await;
    gateway.stop().await;
}

#[tokio::test]
async fn agents_of_a_team_meet_in_the_sandbox_that_it_shares() {
    let image =
        std::env::var("ROOST_TEST_AGENT_IMAGE").unwrap_or_else(|_| "roost-agent:rust".to_owned());
    let gateway = Gateway::start_with(&[("sandboxes.image", &image)]).await;
    let owner = gateway.owner().await;
    let new = json!({ "name": "Pair", "topology": "pipeline", "roles": [{ "slot": "one" }, { "slot": "two" }],
        "risk_profile": "coding_readwrite", "mcp_bundles": ["sandbox"] });
    let team = owner.post("/api/teams").json(&new).expect(201).await;
    let sandbox = format!("/api/teams/{}/sandbox", team.str("/id"));
    owner.post(&sandbox).json(&json!({})).expect(201).await;
    let mut clients = Vec::new();
    for place in 0..2 {
        let agent = team.str(&format!("/members/{place}/agent_id"));
        let path = format!("/api/claws/{agent}/tokens");
        let token = owner.post(&path).json(&json!({ "label": "its runtime" }));
        let token = token.expect(201).await;
        clients.push(gateway.anonymous().with_token(token.str("/token")));
    }
    let note = json!({ "path": "/workspace/note", "content": "from the second" });
    let wrote = call(&clients[1], "/mcp/sandbox", "write_file", note).await;
    assert_ne!(wrote.body["result"]["isError"], true, "{}", wrote.body);
    let read = json!({ "path": "/workspace/note" });
    let read = call(&clients[0], "/mcp/sandbox", "read_file", read).await;
    assert!(read.text.contains("from the second"), "{}", read.body);
    owner.delete(&sandbox).send().await;
    gateway.stop().await;
}

#[tokio::test]
async fn skills_server_gives_pinned_skills_with_its_instructions_as_the_prompt_has_them() {
    let gateway = Gateway::start_with(&[("sandboxes.local", "off")]).await;
    let owner = gateway.owner().await;
    let templates = owner.get("/api/team-templates?limit=200").expect(200).await;
    let items = templates.body["items"].as_array().expect("templates");
    let template = items.iter().find(|one| one["key"] == "rust_sdlc");
    let team = json!({ "name": "Ledger", "template_id": template.expect("built in")["id"] });
    let team = owner.post("/api/teams").json(&team).expect(201).await;
    let agent = team.str("/members/1/agent_id");
    let token = owner
        .post(&format!("/api/claws/{agent}/tokens"))
        .json(&json!({ "label": "its runtime" }));
    let client = gateway
        .anonymous()
        .with_token(token.expect(201).await.str("/token"));

    let skills = owner
        .get(&format!("/api/claws/{agent}/skills"))
        .expect(200)
        .await;
    let of = |pinned: bool| {
        let items = skills.body["items"].as_array().expect("skills").iter();
        let some = items.filter(move |one| one["pin_in_context"] == pinned);
        some.map(|one| one["name"].as_str().expect("a name").to_owned())
            .collect::<Vec<_>>()
    };
    let (pinned, others) = (of(true), of(false));
    assert!(!pinned.is_empty() && !others.is_empty(), "{}", skills.text);

    let found = send(&client, "/mcp/skills", "server/discover", json!({}));
    let found = found.expect(200).await.body;
    assert_eq!(found["result"]["cacheScope"], "private", "{found}");
    let begun = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": FORMER[0], "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } } });
    let begun = client
        .post("/mcp/skills")
        .json(&begun)
        .header("accept", "application/json, text/event-stream");
    let begun = begun.expect(200).await.body;
    for answer in [&found, &begun] {
        let text = answer["result"]["instructions"]
            .as_str()
            .expect("instructions");
        for name in &pinned {
            assert!(text.contains(&format!("⟦SKILL {name}⟧")), "{name}: {text}");
        }
        for name in &others {
            assert!(
                !text.contains(&format!("⟦SKILL {name}⟧")),
                "{name} is not pinned"
            );
            assert!(
                text.contains(&format!("| {name}: ")),
                "{name} is listed: {text}"
            );
        }
    }
    // Another server has no skills in its instructions, and an excluded skill is not in them.
    let repo = send(&client, "/mcp/repo", "server/discover", json!({}));
    let repo = repo.expect(200).await.body;
    assert!(!repo.to_string().contains("⟦SKILL"), "{repo}");
    let items = skills.body["items"].as_array().expect("skills");
    let first = items.iter().find(|one| one["name"] == pinned[0].as_str());
    let path = format!(
        "/api/claws/{agent}/skills/{}",
        first.expect("it")["id"].as_str().expect("an id")
    );
    owner
        .put(&path)
        .json(&json!({ "include": false }))
        .expect(204)
        .await;
    let listed = call(&client, "/mcp/skills", "list_skills", json!({})).await;
    let text = listed.body["result"]["content"][0]["text"].as_str();
    let text = text.expect("a text");
    assert!(!text.contains(&format!("- {}:", pinned[0])), "{text}");
    let line = text
        .lines()
        .find(|line| line.starts_with(&format!("- {}:", pinned[1])));
    assert!(
        line.is_some_and(|line| line.ends_with("(pinned: its text is in your context)")),
        "{text}"
    );
    let found = send(&client, "/mcp/skills", "server/discover", json!({}));
    let found = found.expect(200).await.body;
    assert!(
        !found
            .to_string()
            .contains(&format!("⟦SKILL {}⟧", pinned[0])),
        "{found}"
    );
    gateway.stop().await;
}
