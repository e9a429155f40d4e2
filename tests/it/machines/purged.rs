//! A purge leaves nothing: not in a table, not in a folder of the gateway, and not on a machine that was away.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, SystemTime};

use roost_protocol::control::{Control, ControlReply};
use roost_protocol::frame::{ToGateway, ToNode};
use roost_protocol::operation::Operation;
use roost_protocol::report::{Outcome, Report, Terminal};
use roost_tests::machine::{Connection, ended};
use roost_tests::{Client, Daemon, Gateway, Machine, ScratchPostgres, eventually};
use sea_orm::{ConnectionTrait, DbBackend, Statement};
use serde_json::{Value, json};

use crate::execution::runs::connection_is;

fn image() -> String {
    std::env::var("ROOST_TEST_IMAGE").unwrap_or_else(|_| "roost-agent:tiny".to_owned())
}

/// Every database that there is, with a real engine.
async fn each(local: &str) -> Vec<(Gateway, Option<ScratchPostgres>)> {
    let set = [
        ("sandboxes.local", local.to_owned()),
        ("sandboxes.image", image()),
        ("operators", r#"["owner@roost.localhost"]"#.to_owned()),
    ];
    let mut all = vec![(Gateway::start_like(&set, None).await, None)];
    if let Some(scratch) = ScratchPostgres::new().await {
        let gateway = Gateway::start_like(&set, Some(&scratch)).await;
        all.push((gateway, Some(scratch)));
    }
    all
}

async fn agent(owner: &Client) -> String {
    let body = json!({ "name": roost_tests::unique("Ada") });
    let made = owner.post("/api/claws").json(&body).expect(201).await;
    format!("/api/claws/{}", made.str("/id"))
}

/// Writes a text into a command, its output and a file.
async fn plant(owner: &Client, of: &str, text: &str) {
    let script = format!("echo {text}; echo {text} > note");
    let body = json!({ "argv": ["/bin/sh", "-c", script] });
    let exec = format!("{of}/sandbox/exec?wait=true");
    let done = owner.post(&exec).json(&body).expect(200).await;
    assert_eq!(done.body["code"], 0, "{}", done.text);
}

fn text() -> String {
    format!("planted{}", uuid::Uuid::now_v7().simple())
}

async fn is_gone(owner: &Client, path: &str) {
    eventually("it is purged", async || {
        (owner.get(path).send().await.status == 404).then_some(())
    })
    .await;
}

/// The tables with a row that contains a text, in any column.
async fn tables_with(gateway: &Gateway, text: &str) -> BTreeSet<String> {
    let db = gateway.app().db();
    let backend: DbBackend = db.backend().into();
    let is_sqlite = backend == DbBackend::Sqlite;
    let names = match is_sqlite {
        true => {
            "SELECT name AS t FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        }
        false => "SELECT tablename AS t FROM pg_tables WHERE schemaname = 'public'",
    };
    let mut found = BTreeSet::new();
    for table in column(gateway, names).await {
        let hex = hex::encode(text);
        let sql = if is_sqlite {
            let columns = format!("SELECT name AS t FROM pragma_table_info('{table}')");
            let has: Vec<String> = column(gateway, &columns)
                .await
                .iter()
                .map(|name| format!("instr(hex(\"{name}\"), '{}') > 0", hex.to_uppercase()))
                .collect();
            let has = has.join(" OR ");
            format!("SELECT '{table}' AS t FROM \"{table}\" WHERE {has} LIMIT 1")
        } else {
            format!(
                "SELECT '{table}' AS t FROM \"{table}\" AS r WHERE strpos(r::text, '{text}') > 0 \
                 OR strpos(r::text, '{hex}') > 0 LIMIT 1"
            )
        };
        found.extend(column(gateway, &sql).await);
    }
    found
}

async fn column(gateway: &Gateway, sql: &str) -> Vec<String> {
    let db = gateway.app().db();
    let statement = Statement::from_string(db.backend().into(), sql);
    let rows = db.read().query_all_raw(statement).await.expect(sql);
    let text = |row: &sea_orm::QueryResult| row.try_get::<String>("", "t").expect(sql);
    rows.iter().map(text).collect()
}

/// The files below a folder that contain a text. The log of the machine's owner has each command for ever, and the file of
/// the database has pages that it uses again: its tables are read instead.
fn files_with(folder: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        if path.is_dir() {
            found.extend(files_with(&path, text));
        } else if !name.starts_with("operations.jsonl") && !name.starts_with("roost.db") {
            // A file may be replaced by a smaller one at this moment.
            let bytes = std::fs::read(&path).unwrap_or_default();
            let mut windows = bytes.windows(text.len());
            if windows.any(|window| window == text.as_bytes()) {
                found.push(path.display().to_string());
            }
        }
    }
    found
}

/// Waits until the text is in no file, and in no table but the audit log, which outlives what it describes. The gateway's
/// store removes a chunk with the first sweep an hour after its upload, so that hour passes here.
async fn nothing_is_left(gateway: &Gateway, operator: &Client, text: &str) {
    let chunks = gateway.data_dir().join("chunks");
    let elsewhere = |path: &String| !Path::new(path).starts_with(&chunks);
    eventually("no other file has the text", async || {
        let left = files_with(gateway.data_dir(), text);
        (!left.iter().any(elsewhere)).then_some(())
    })
    .await;
    let earlier = SystemTime::now() - Duration::from_secs(7_200);
    for path in files_with(&chunks, text) {
        let chunk = std::fs::File::open(&path).expect("a chunk");
        chunk.set_modified(earlier).expect("it is of this user");
    }
    let sweeper = "/api/ops/actors/roost%2Fsandboxes%2Fchunk-sweeper/restart";
    operator.post(sweeper).expect(202).await;
    eventually("no file has the text", async || {
        files_with(gateway.data_dir(), text)
            .is_empty()
            .then_some(())
    })
    .await;
    let tables = tables_with(gateway, text).await;
    assert_eq!(tables, BTreeSet::from(["audit_entries".to_owned()]));
}

#[tokio::test(flavor = "multi_thread")]
async fn planted_text_is_in_no_table_and_no_file_after_a_purge() {
    for (gateway, _scratch) in each("on").await {
        let owner = gateway.owner().await;
        let pair = json!({ "name": roost_tests::unique("Pair"), "topology": "pipeline", "shared_sandbox": true,
            "roles": [{ "slot": "one" }, { "slot": "two" }] });
        let pair = owner.post("/api/teams").json(&pair).expect(201).await;
        let pair = format!("/api/teams/{}", pair.str("/id"));
        let (ada, bea) = (agent(owner).await, agent(owner).await);
        let texts = [text(), text(), text()];
        for (of, text) in [&ada, &pair, &bea].into_iter().zip(&texts) {
            let sandbox = format!("{of}/sandbox");
            owner.post(&sandbox).json(&json!({})).expect(201).await;
            plant(owner, of, text).await;
            let tables = eventually("it is stored", async || {
                let tables = tables_with(&gateway, text).await;
                tables.contains("command_outputs").then_some(tables)
            })
            .await;
            assert!(tables.contains("node_operations"), "{tables:?}");
            assert!(!files_with(gateway.data_dir(), text).is_empty());
        }
        owner.delete(&format!("{ada}?purge=true")).expect(202).await;
        is_gone(owner, &ada).await;
        nothing_is_left(&gateway, owner, &texts[0]).await;
        owner.delete(&pair).expect(204).await;
        is_gone(owner, &format!("{pair}/sandbox")).await;
        eventually("the rows of the team are gone", async || {
            let tables = tables_with(&gateway, &texts[1]).await;
            (!tables.contains("node_operations")).then_some(())
        })
        .await;
        nothing_is_left(&gateway, owner, &texts[1]).await;
        // Another agent keeps what it has.
        let tables = tables_with(&gateway, &texts[2]).await;
        assert!(tables.contains("command_outputs"), "{tables:?}");
        assert!(!files_with(gateway.data_dir(), &texts[2]).is_empty());
        gateway.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn machine_that_was_away_loses_the_files_of_a_purged_agent_when_it_is_back() {
    for (gateway, _scratch) in each("off").await {
        let owner = gateway.owner().await;
        let mut daemon = Daemon::joined(&gateway.url(), owner, None).await;
        connection_is(owner, &daemon.node_id, "connected").await;
        let here = json!({ "node_id": daemon.node_id });
        let (ada, bea) = (agent(owner).await, agent(owner).await);
        let (gone, stays) = (text(), text());
        for (of, text) in [(&ada, &gone), (&bea, &stays)] {
            let sandbox = format!("{of}/sandbox");
            owner.post(&sandbox).json(&here).expect(201).await;
            plant(owner, of, text).await;
            owner.delete(&sandbox).expect(204).await;
        }
        daemon.kill();
        connection_is(owner, &daemon.node_id, "disconnected").await;
        owner.delete(&format!("{ada}?purge=true")).expect(202).await;
        is_gone(owner, &ada).await;
        let state = daemon.state();
        assert!(!files_with(&state, &gone).is_empty());
        assert_eq!(wishes(&gateway).await, 1);
        daemon.again();
        eventually("its files are gone", async || {
            files_with(&state, &gone).is_empty().then_some(())
        })
        .await;
        eventually("the machine has confirmed it", async || {
            (wishes(&gateway).await == 0).then_some(())
        })
        .await;
        // Another agent's files stay, and are used again.
        connection_is(owner, &daemon.node_id, "connected").await;
        let sandbox = format!("{bea}/sandbox");
        owner.post(&sandbox).json(&here).expect(201).await;
        let read = json!({ "argv": ["grep", "-c", stays, "/workspace/note"] });
        let read = owner.post(&format!("{sandbox}/exec?wait=true")).json(&read);
        assert_eq!(read.expect(200).await.body["code"], 0);
        owner.delete(&sandbox).expect(204).await;
        gateway.stop().await;
    }
}

async fn wishes(gateway: &Gateway) -> usize {
    column(gateway, "SELECT node_id AS t FROM machine_purges")
        .await
        .len()
}

/// The next wish that a machine hears: the owner, and whether its operations go too.
async fn wish(connection: &mut Connection) -> (String, bool) {
    connection
        .receive_until(|message| match message {
            ToNode::Control(Control::Forget { agent, results, .. }) => {
                Some((agent.to_string(), *results))
            }
            _ => None,
        })
        .await
}

/// Makes the sandbox of an agent on a played machine and ends it. Returns the agent's id.
async fn lived_on(
    owner: &Client,
    claw: &str,
    (machine, connection): (&Machine, &mut Connection),
) -> String {
    let (sandbox, here) = (
        format!("{claw}/sandbox"),
        json!({ "node_id": machine.node_id }),
    );
    let (made, ()) = tokio::join!(owner.post(&sandbox).json(&here).send(), async {
        let request = connection.operation().await;
        connection.made(&request).await;
    });
    assert_eq!(made.status, 201, "{made:?}");
    let (_, ()) = tokio::join!(owner.delete(&sandbox).expect(204), async {
        loop {
            let request = connection.operation().await;
            if matches!(request.operation, Operation::SbDestroy(_)) {
                let end = ended(Terminal::Done, Outcome::Destroyed { archive: None });
                return connection.report(request.id, Report::Ended(end)).await;
            }
        }
    });
    made.str("/owner_id").to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn wish_is_sent_at_each_connection_until_the_machine_itself_confirms_it() {
    for (gateway, _scratch) in each("off").await {
        let owner = gateway.owner().await;
        let (machine, other) = (
            Machine::joined(&gateway, owner).await,
            Machine::joined(&gateway, owner).await,
        );
        let mut connection = machine.connect().await;
        let ada = agent(owner).await;
        let id = lived_on(owner, &ada, (&machine, &mut connection)).await;
        connection.vanish();
        owner.delete(&format!("{ada}?purge=true")).expect(202).await;
        is_gone(owner, &ada).await;
        // A daemon of an older version confirms nothing; it hears the wish again.
        for _ in 0..2 {
            let mut connection = machine.connect().await;
            assert_eq!(wish(&mut connection).await, (id.clone(), true));
            connection.vanish();
        }
        // Another machine cannot confirm it.
        let agent: Value = json!(id);
        let agent = serde_json::from_value(agent).expect("an id");
        let confirmation = ToGateway::Reply(ControlReply::Forgotten { agent });
        let mut stranger = other.connect().await;
        stranger.send(confirmation.clone()).await;
        stranger.ping().await;
        let mut connection = machine.connect().await;
        assert_eq!(wish(&mut connection).await, (id, true));
        connection.send(confirmation).await;
        eventually("the wish is gone", async || {
            (wishes(&gateway).await == 0).then_some(())
        })
        .await;
        // A machine that leaves the fleet has no wishes.
        let bea = self::agent(owner).await;
        lived_on(owner, &bea, (&machine, &mut connection)).await;
        connection.vanish();
        owner.delete(&format!("{bea}?purge=true")).expect(202).await;
        is_gone(owner, &bea).await;
        assert_eq!(wishes(&gateway).await, 1);
        owner.delete(&machine.path("")).expect(202).await;
        eventually("the wish is gone with the machine", async || {
            (wishes(&gateway).await == 0).then_some(())
        })
        .await;
        gateway.stop().await;
    }
}
