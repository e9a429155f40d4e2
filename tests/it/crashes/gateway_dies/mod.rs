//! Commands end while their gateway is dead, on its own host and on a machine, with the real programs and the real
//! engine. Every reader gets every byte and the end, and a run that waits for such a command continues.

mod output;
mod runs;
mod stdin;
mod told;

use std::process::Command;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use roost_tests::{Client, Daemon, Process, ScratchPostgres, Store, Stream, eventually};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A reader that is still without its end after so long has been forgotten. What this holds off is a reader that nobody
/// ever answers; a busy machine needs seconds.
const FORGOTTEN: Duration = Duration::from_secs(120);

/// Where the commands run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// The engine on the gateway's own host, in the gateway's process: the executor dies with it.
    Local,
    /// A machine with its own daemon, which lives on.
    Node,
}

/// A gateway that can be killed, and a sandbox.
struct Stage {
    folder: TempDir,
    scratch: Option<ScratchPostgres>,
    process: Process,
    owner: Client,
    daemon: Option<Daemon>,
    /// The route of the sandbox.
    sandbox: String,
    /// The name of its container.
    container: String,
}

/// Every place on every database that there is.
async fn each(script: Option<&str>) -> Vec<Stage> {
    let mut all = Vec::new();
    for place in [Place::Local, Place::Node] {
        all.push(Stage::set(place, None, script).await);
        if let Some(scratch) = ScratchPostgres::new().await {
            all.push(Stage::set(place, Some(scratch), script).await);
        }
    }
    all
}

impl Stage {
    /// `script` is what scripted agents do, where there are any.
    async fn set(place: Place, scratch: Option<ScratchPostgres>, script: Option<&str>) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let image =
            std::env::var("ROOST_TEST_IMAGE").unwrap_or_else(|_| "roost-agent:tiny".to_owned());
        let script_file = folder.path().join("script.toml");
        std::fs::write(&script_file, script.unwrap_or_default()).expect("it is written");
        let script_file = script_file.display().to_string();
        let local = if place == Place::Local { "on" } else { "off" };
        let mut set = vec![("sandboxes.local", local), ("sandboxes.image", &*image)];
        if script.is_some() {
            // Short, so that what a run waits for afterwards is its command and not its lease.
            set.extend([("runs.script", &*script_file), ("runs.lease_seconds", "3")]);
        }
        let store = scratch.as_ref().map_or(Store::Sqlite, |scratch| {
            Store::Postgres(scratch.url().to_owned())
        });
        let process = Process::start_with(folder.path(), &store, &set).await;
        let owner = process.owner().await;
        let daemon = match place {
            Place::Local => None,
            Place::Node => Some(Daemon::joined(&process.url(), &owner, None).await),
        };
        if let Some(daemon) = &daemon {
            crate::execution::runs::connection_is(&owner, &daemon.node_id, "connected").await;
            let set = json!({ "target": "node", "node_id": daemon.node_id });
            let set = owner.put("/api/fleet/placement").json(&set);
            set.expect(200).await;
        }
        let made = owner.post("/api/claws").json(&json!({ "name": "Ada" }));
        let sandbox = format!("/api/claws/{}/sandbox", made.expect(201).await.str("/id"));
        let made = owner.post(&sandbox).json(&json!({})).expect(201).await;
        let container = format!("roost-{}", made.str("/id"));
        Self {
            folder,
            scratch,
            process,
            owner,
            daemon,
            sandbox,
            container,
        }
    }

    /// For messages.
    fn name(&self) -> String {
        let place = if self.daemon.is_some() {
            "node"
        } else {
            "local"
        };
        let store = if self.scratch.is_some() {
            "PostgreSQL"
        } else {
            "SQLite"
        };
        format!("{place} on {store}")
    }

    /// Starts a command; its route.
    async fn begin(&self, script: &str) -> String {
        let body = json!({ "argv": ["/bin/sh", "-c", script] });
        let taken = self
            .owner
            .post(&format!("{}/exec", self.sandbox))
            .json(&body);
        let taken = taken.expect(202).await;
        format!("{}/exec/{}", self.sandbox, taken.str("/operation_id"))
    }

    /// Asks the engine itself: the gateway is dead, or must not know. `None` when it refuses.
    fn try_engine(&self, arguments: &[&str]) -> Option<String> {
        let done = Command::new("docker").args(arguments).output();
        let done = done.expect("docker is installed");
        let said = String::from_utf8_lossy(&done.stdout).into_owned();
        done.status.success().then_some(said)
    }

    /// Lets a command go on that waits for `/workspace/go`, and waits until none of its processes is left.
    async fn let_go_and_end(&self) {
        self.let_go_and_end_in(&self.container).await;
    }

    /// As [`let_go_and_end`](Self::let_go_and_end), in any container.
    async fn let_go_and_end_in(&self, container: &str) {
        let touched = self.try_engine(&["exec", container, "touch", "/workspace/go"]);
        touched.expect("the engine runs a program in the sandbox");
        eventually("the command ended", async || {
            let all = self.try_engine(&["top", container, "-o", "pid,args"])?;
            (!all.contains("/workspace/go")).then_some(())
        })
        .await;
    }

    /// Waits until the machine is back; the gateway's own host is back with it.
    async fn is_back(&self) {
        if let Some(daemon) = &self.daemon {
            crate::execution::runs::connection_is(&self.owner, &daemon.node_id, "connected").await;
        }
    }

    async fn end(self) {
        let name = self.name();
        self.owner.delete(&self.sandbox).expect(204).await;
        let Self {
            mut process,
            daemon,
            scratch,
            folder,
            ..
        } = self;
        drop(daemon);
        process.kill();
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
        drop(folder);
        eprintln!("{name}: it holds");
    }
}

/// What a reader got.
#[derive(Debug, Default, PartialEq, Eq)]
struct Got {
    /// The offset of the first byte.
    from: u64,
    bytes: Vec<u8>,
    /// Marks that bytes are gone.
    gaps: Vec<(u64, u64)>,
    exit: Option<Value>,
}

impl Got {
    fn from(offset: u64) -> Self {
        Self {
            from: offset,
            ..Self::default()
        }
    }

    fn at(&self) -> u64 {
        let gone: u64 = self.gaps.iter().map(|(from, to)| to - from).sum();
        self.from + self.bytes.len() as u64 + gone
    }

    /// Takes what comes next; `false` when the stream broke off or has said its end.
    async fn take(&mut self, stream: &mut Stream) -> bool {
        let Some(event) = stream.next().await else {
            return false;
        };
        let number = |field: &str| event.data[field].as_u64().expect("a number");
        match event.kind.as_str() {
            "output" => {
                assert_eq!(number("offset"), self.at(), "in order, once");
                let text = event.data["data_base64"].as_str().expect("a text");
                self.bytes.extend(STANDARD.decode(text).expect("base64"));
                true
            }
            "gap" => {
                assert_eq!(number("from"), self.at(), "in order, once");
                self.gaps.push((number("from"), number("to")));
                true
            }
            "exit" => {
                self.exit = Some(event.data.clone());
                false
            }
            other => panic!("{other}: {event:?}"),
        }
    }

    /// Reads on as a client does: it resumes at its offset when the stream breaks off or nobody is there.
    async fn read_on(mut self, owner: &Client, path: &str) -> Self {
        let reading = async {
            while self.exit.is_none() {
                let request = owner.get(&format!("{path}?offset={}", self.at()));
                let request = request.header("accept", "text/event-stream");
                match Stream::try_open(request).await {
                    Some(mut stream) => while self.take(&mut stream).await {},
                    None => tokio::time::sleep(Duration::from_millis(50)).await,
                }
            }
        };
        let told = tokio::time::timeout(FORGOTTEN, reading).await;
        assert!(told.is_ok(), "the reader was forgotten at {}", self.at());
        self
    }

    /// Everything came, in order, without a gap, and then the end.
    fn is_whole(&self, whole: &[u8], code: i64, who: &str) {
        let from = usize::try_from(self.from).expect("small");
        assert_eq!(
            self.gaps,
            [],
            "{who}: bytes that the machine has were said to be gone"
        );
        assert!(
            self.bytes == whole[from..],
            "{who}: {} bytes from {from}",
            self.bytes.len()
        );
        let exit = self.exit.as_ref().expect("the end");
        assert_eq!(
            (&exit["state"], &exit["code"]),
            (&json!("done"), &json!(code)),
            "{who}"
        );
    }
}
