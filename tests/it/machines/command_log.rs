//! The commands of a sandbox: who ran them, how they ended, and what they wrote, for everyone who may read the sandbox.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use roost_tests::{Client, Gateway, Person, ScratchPostgres, Store, Stream, eventually};
use serde_json::{Value, json};

fn image() -> String {
    std::env::var("ROOST_TEST_IMAGE").unwrap_or_else(|_| "roost-agent:tiny".to_owned())
}

async fn on_each() -> Vec<(Gateway, Option<ScratchPostgres>)> {
    let set = [("sandboxes.image", image())];
    let mut all = vec![(Gateway::start_like(&set, None).await, None)];
    if let Some(scratch) = ScratchPostgres::new().await {
        all.push((
            Gateway::start_like(&set, Some(&scratch)).await,
            Some(scratch),
        ));
    }
    all
}

async fn sandbox(owner: &Client) -> String {
    let body = json!({ "name": roost_tests::unique("Ada") });
    let made = owner.post("/api/claws").json(&body).expect(201).await;
    let sandbox = format!("/api/claws/{}/sandbox", made.str("/id"));
    owner.post(&sandbox).json(&json!({})).expect(201).await;
    sandbox
}

/// Runs a line to its end, and returns its id.
async fn run(person: &Client, sandbox: &str, line: &str) -> String {
    let body = json!({ "argv": ["/bin/sh", "-c", line] });
    let done = person
        .post(&format!("{sandbox}/exec?wait=true"))
        .json(&body);
    done.expect(200).await.str("/operation_id").to_owned()
}

async fn start(person: &Client, sandbox: &str, line: &str) -> String {
    let body = json!({ "argv": ["/bin/sh", "-c", line] });
    let taken = person.post(&format!("{sandbox}/exec")).json(&body);
    taken.expect(202).await.str("/operation_id").to_owned()
}

async fn listed(person: &Client, sandbox: &str, query: &str) -> Value {
    let list = person.get(&format!("{sandbox}/commands?{query}"));
    list.expect(200).await.body
}

fn commands(page: &Value) -> Vec<&str> {
    let items = page["items"].as_array().expect("items").iter();
    items
        .map(|item| item["command"].as_str().unwrap_or("-"))
        .collect()
}

/// The output, with the sizes of its gaps, to the command's end.
async fn output(person: &Client, sandbox: &str, id: &str) -> (Vec<u8>, Vec<u64>) {
    let path = format!("{sandbox}/exec/{id}?offset=0");
    let mut stream = Stream::open(person.get(&path).header("accept", "text/event-stream")).await;
    let (mut bytes, mut gaps) = (Vec::new(), Vec::new());
    loop {
        let event = stream.next().await.expect("the end comes");
        match event.kind.as_str() {
            "output" => {
                let piece = event.data["data_base64"].as_str().expect("bytes");
                bytes.extend(STANDARD.decode(piece).expect("base64"));
            }
            "gap" => {
                let at = |name: &str| event.data[name].as_u64().expect("an offset");
                gaps.push(at("to") - at("from"));
            }
            "exit" => return (bytes, gaps),
            _ => {}
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_are_listed_for_everyone_with_who_ran_them_and_how_they_ended() {
    for (gateway, scratch) in on_each().await {
        let (owner, member) = (gateway.owner().await, gateway.person("member").await);
        let viewer = gateway.person("viewer").await;
        let sandbox = sandbox(owner).await;
        run(owner, &sandbox, "echo one").await;
        run(&member, &sandbox, "echo 100% Two; exit 3").await;
        let sleeper = start(owner, &sandbox, "sleep 600").await;

        let all = listed(&viewer, &sandbox, "").await;
        assert_eq!(
            commands(&all),
            ["sleep 600", "echo 100% Two; exit 3", "echo one"],
            "{all}"
        );
        let failed = &all["items"][1];
        assert_eq!(failed["user"]["id"], json!(member.id));
        assert_eq!(
            (&failed["exit_code"], &failed["state"]),
            (&json!(3), &json!("done"))
        );
        assert_eq!(failed["is_shell"], false);
        for (query, expected) in [
            ("failed=true", vec!["echo 100% Two; exit 3"]),
            ("running=true", vec!["sleep 600"]),
            ("q=two", vec!["echo 100% Two; exit 3"]),
            ("q=100%25", vec!["echo 100% Two; exit 3"]),
            ("q=e_ho", vec![]),
            ("q=ECHO&failed=true", vec!["echo 100% Two; exit 3"]),
        ] {
            let page = listed(&viewer, &sandbox, query).await;
            assert_eq!(commands(&page), expected, "{query}");
        }
        // By pages of one, the same commands.
        let (mut paged, mut cursor) = (Vec::new(), String::new());
        loop {
            let page = listed(&viewer, &sandbox, &format!("limit=1{cursor}")).await;
            paged.extend(commands(&page).iter().map(|line| (*line).to_owned()));
            match page["next_cursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => break,
            }
        }
        assert_eq!(paged, commands(&all));

        // Another person cancels it.
        let one = format!("{sandbox}/exec/{sleeper}");
        member.delete(&one).expect(202).await;
        eventually("it is cancelled", async || {
            let page = listed(&viewer, &sandbox, "limit=1").await;
            (page["items"][0]["state"] == "cancelled").then_some(())
        })
        .await;
        let stranger = gateway.stranger().await;
        let list = format!("{sandbox}/commands");
        stranger.get(&list).expect(404).await;
        let long = format!("{list}?q={}", "x".repeat(201));
        owner.get(&long).refused(400, "validation").await;
        owner.delete(&sandbox).expect(204).await;
        // It is listed after the sandbox has ended.
        assert_eq!(commands(&listed(&viewer, &sandbox, "").await).len(), 3);
        gateway.stop().await;
        drop(scratch);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_of_the_whole_workspace_are_one_list_with_whose_sandbox_each_ran_in() {
    for (gateway, scratch) in on_each().await {
        let owner = gateway.owner().await;
        let (near, far) = (sandbox(owner).await, sandbox(owner).await);
        for (place, line) in [(&near, "echo 1"), (&far, "exit 2"), (&near, "echo 3")] {
            run(owner, place, line).await;
        }
        let id_in = |place: &str| place.split('/').nth(3).expect("an id").to_owned();
        let (near_id, far_id) = (id_in(&near), id_in(&far));
        let viewer = gateway.person("viewer").await;
        let all = listed(&viewer, "/api/sandboxes", "").await;
        assert_eq!(commands(&all), ["echo 3", "exit 2", "echo 1"]);
        assert_eq!(all["items"][1]["owner"]["id"], far_id);
        assert_eq!(all["items"][1]["owner"]["kind"], "claw");
        let agent = owner.get(&format!("/api/claws/{far_id}")).expect(200).await;
        assert_eq!(all["items"][1]["owner"]["name"], agent.body["name"]);

        let first = listed(&viewer, "/api/sandboxes", "limit=2").await;
        assert_eq!(commands(&first), ["echo 3", "exit 2"]);
        let cursor = first["next_cursor"].as_str().expect("a cursor");
        let rest = listed(
            &viewer,
            "/api/sandboxes",
            &format!("limit=2&cursor={cursor}"),
        )
        .await;
        assert_eq!(commands(&rest), ["echo 1"]);
        for (query, expected) in [
            ("failed=true".to_owned(), vec!["exit 2"]),
            (format!("owners={near_id}"), vec!["echo 3", "echo 1"]),
            (
                format!("owners={far_id},{near_id}&q=echo"),
                vec!["echo 3", "echo 1"],
            ),
        ] {
            let page = listed(&viewer, "/api/sandboxes", &query).await;
            assert_eq!(commands(&page), expected, "{query}");
        }
        let many = vec![far_id.as_str(); 101].join(",");
        for wrong in ["x", "", &many] {
            let path = format!("/api/sandboxes/commands?owners={wrong}");
            owner.get(&path).refused(400, "validation").await;
        }
        let stranger = gateway.stranger().await;
        for query in [String::new(), format!("owners={near_id}")] {
            let page = listed(&stranger, "/api/sandboxes", &query).await;
            assert_eq!(commands(&page), Vec::<&str>::new());
        }
        gateway.stop().await;
        drop(scratch);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn output_is_read_after_the_sandbox_and_the_machines_copy_are_gone() {
    for (gateway, scratch) in on_each().await {
        let owner = gateway.owner().await.clone();
        let sandbox = sandbox(&owner).await;
        let short = run(&owner, &sandbox, "echo short; echo red >&2").await;
        // 400,000 bytes, and each line is at a known offset.
        let line = "i=0; while [ $i -lt 50000 ]; do printf '%07d\\n' $i; i=$((i+1)); done";
        let long = run(&owner, &sandbox, line).await;
        owner.delete(&sandbox).expect(204).await;
        let folder = gateway.stop_and_keep().await;
        let spools = folder.path().join("local-engine/spool");
        for spool in std::fs::read_dir(spools).expect("the spools").flatten() {
            std::fs::remove_file(spool.path()).expect("it goes");
        }

        let store = scratch.as_ref().map_or(Store::Sqlite, |scratch| {
            Store::Postgres(scratch.url().to_owned())
        });
        let set = [("sandboxes.image", &*image())];
        let again = Gateway::start_in(folder, &store, &set, Default::default());
        let again = again.await.expect("it starts again");
        let owner = Person {
            client: again.anonymous().with_token(&owner.token),
            ..owner
        };
        let (bytes, gaps) = output(&owner, &sandbox, &short).await;
        assert_eq!((bytes.len(), gaps), (10, Vec::new()));
        assert!(String::from_utf8_lossy(&bytes).contains("short\n"));
        let (bytes, gaps) = output(&owner, &sandbox, &long).await;
        let (head, tail) = (32 * 1024, 96 * 1024);
        assert_eq!(gaps, [400_000 - (head + tail)], "the middle is marked");
        assert_eq!(bytes.len() as u64, head + tail);
        assert!(bytes.starts_with(b"0000000\n0000001\n"));
        assert!(bytes.ends_with(b"0049999\n"));
        again.stop().await;
        drop(scratch);
    }
}
