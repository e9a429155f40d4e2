//! One agent's files through every loss of a machine, with a real `roostd` and a real engine that is stopped, killed and
//! emptied: after each of them the files are there again.

use roost_tests::{Client, Daemon, Gateway, PrivateEngine, eventually};
use serde_json::{Value, json};

use super::files::{run, saved};
use crate::execution::runs::connection_is;

#[tokio::test(flavor = "multi_thread")]
async fn files_are_there_again_after_each_loss_of_a_machine() {
    let image = std::env::var("ROOST_TEST_IMAGE").unwrap_or_else(|_| "roost-agent:tiny".to_owned());
    let Some(mut engine) = PrivateEngine::start(&[&image]).await else {
        return;
    };
    let set = [
        ("sandboxes.image", image),
        ("sandboxes.local", "off".to_owned()),
    ];
    // The files are in no database, and the story takes minutes, so one back end is enough.
    let gateway = Gateway::start_like(&set, None).await;
    story(&gateway, &mut engine).await;
    gateway.stop().await;
}

async fn story(gateway: &Gateway, engine: &mut PrivateEngine) {
    let owner = gateway.owner().await;
    let host = engine.host();
    let mut machine = Daemon::joined(&gateway.url(), owner, Some(&host)).await;
    connection_is(owner, &machine.node_id, "connected").await;
    let made = owner.post("/api/claws").json(&json!({ "name": "Ada" }));
    let claw = format!("/api/claws/{}", made.expect(201).await.str("/id"));
    let sandbox = format!("{claw}/sandbox");
    let mut books = Books {
        owner,
        claw,
        sandbox,
        newest: Value::Null,
        written: String::new(),
    };
    books.opens(&machine.node_id).await;
    books.writes("first").await;

    engine.stop();
    engine.again().await;
    books
        .reads_on(&machine.node_id, "its engine was restarted")
        .await;
    books.writes("second").await;

    engine.kill();
    engine.again().await;
    books
        .reads_on(&machine.node_id, "its engine was killed")
        .await;
    books.writes("third").await;

    // A machine that boots has neither its processes nor, here, its containers.
    machine.kill();
    engine.kill();
    engine.again().await;
    engine.clear();
    machine.again();
    books.reads_on(&machine.node_id, "it was booted").await;
    books.writes("fourth").await;

    let other = Daemon::joined(&gateway.url(), owner, Some(&host)).await;
    connection_is(owner, &other.node_id, "connected").await;
    machine.kill();
    let path = format!("/api/nodes/{}", machine.node_id);
    owner.delete(&path).send().await;
    books
        .reads_on(
            &other.node_id,
            "it was deleted, and another one replaced it",
        )
        .await;
    engine.clear();
}

/// The agent's sandbox, with what was written in it.
struct Books<'a> {
    owner: &'a Client,
    claw: String,
    sandbox: String,
    newest: Value,
    written: String,
}

impl Books<'_> {
    async fn opens(&self, node: &str) {
        let here = json!({ "node_id": node });
        let opened = self.owner.post(&self.sandbox).json(&here);
        opened.expect(201).await;
    }

    /// Writes one more line, and waits until the gateway has it.
    async fn writes(&mut self, line: &str) {
        let script = format!("echo {line} >> file");
        run(self.owner, &self.sandbox, &script).await;
        self.newest = saved(self.owner, &self.claw, &self.newest).await;
        self.written.push_str(line);
        self.written.push('\n');
    }

    /// All lines are in a sandbox on this machine, as soon as there can be one.
    async fn reads_on(&self, node: &str, why: &str) {
        let what = format!("the files are there again after {why}");
        let here = json!({ "node_id": node });
        let said = std::cell::RefCell::new(String::new());
        eventually(&what, async || {
            let opened = self.owner.post(&self.sandbox).json(&here).send().await;
            let body = json!({ "argv": ["/bin/sh", "-c", "cat file"] });
            let exec = format!("{}/exec?wait=true", self.sandbox);
            let read = self.owner.post(&exec).json(&body).send().await;
            // Only a test that fails shows this.
            let now = format!("opened: {}; read: {}", opened.body["state"], read.body);
            if said.replace(now.clone()) != now {
                eprintln!("{now}");
            }
            let text = read.body["stdout_base64"].as_str().map(decoded)?;
            (text == self.written).then_some(())
        })
        .await;
        let shown = self.owner.get(&self.sandbox).expect(200).await;
        assert_eq!(shown.str("/node_id"), node, "{why}");
    }
}

fn decoded(text: &str) -> String {
    use base64::Engine;
    let bytes = base64::engine::general_purpose::STANDARD.decode(text);
    String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned()
}
