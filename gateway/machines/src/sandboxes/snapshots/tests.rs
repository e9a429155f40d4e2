//! Chunks of machines in a real database and a real folder: rights, uploads, the sweep. On SQLite, and on PostgreSQL where
//! `ROOST_TEST_POSTGRES_URL` names a server.

use std::collections::HashMap;
use std::io;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use roost_snapshot::build::{Builder, Known, Store, close_tree};
use roost_snapshot::{Address, Entry, Node, Tenant};
use roost_test_database::Scratch;

use super::chunks::ChunkStore;
use super::entity::Model;
use super::exchange::{Exchange, ExchangeError};
use super::store;
use super::sweep::Sweeper;
use crate::sandboxes::test_rows::{agent, execute, id, sandbox, workspace};
use crate::sandboxes::{OwnerKind, SandboxOwner};
use roost_platform::clock::{Clock, SystemClock, TestClock};
use roost_platform::db::Db;
use roost_platform::ids::{ClawId, NodeId, SandboxId};
use roost_tenancy::auth::WorkspaceScope;

/// The chunks of a snapshot as a machine has them.
#[derive(Default)]
struct Memory(HashMap<Address, Vec<u8>>);

impl Store for Memory {
    fn has(&self, address: &Address) -> bool {
        self.0.contains_key(address)
    }

    fn put(&mut self, address: Address, stored: &[u8]) -> io::Result<()> {
        self.0.insert(address, stored.to_vec());
        Ok(())
    }
}

struct Taken {
    digest: Address,
    chunks: HashMap<Address, Vec<u8>>,
}

/// A snapshot of a workspace with one large file of each text.
fn taken(scope: WorkspaceScope, texts: &[&str]) -> Taken {
    let tenant = Tenant::of(scope.workspace().0);
    let (mut memory, known) = (Memory::default(), Known::new());
    let mut entries = Vec::new();
    for text in texts {
        let content = text.repeat(100_000);
        let mut builder = Builder::new(&tenant, &mut memory, &known);
        let added = builder.file(content.as_bytes()).unwrap();
        let files = builder.close().unwrap();
        let content = files.content(added);
        entries.push(Entry {
            path: text.as_bytes().to_vec(),
            mode: 0o644,
            mtime_ns: 1,
            node: Node::File {
                size: content.size,
                content: content.extents.clone(),
            },
        });
    }
    let (digest, _) = close_tree(&tenant, &mut memory, &entries, Vec::new()).unwrap();
    Taken {
        digest,
        chunks: memory.0,
    }
}

/// A gateway's parts, with one agent that has a sandbox on one machine.
struct Scene {
    db: Db,
    clock: TestClock,
    chunks: ChunkStore,
    exchange: Exchange,
    home: WorkspaceScope,
    agent: ClawId,
    machine: String,
    sandbox: SandboxId,
}

impl Scene {
    async fn new(scratch: &Scratch) -> Self {
        let db = scratch.db.clone();
        let clock = TestClock::at(SystemClock.now());
        let chunks = ChunkStore::in_folder(&scratch.folder.path().join("chunks")).unwrap();
        let shared = std::sync::Arc::new(clock.clone());
        let home = workspace(&db).await;
        let agent = agent(&db, home.workspace()).await;
        let machine = id::<NodeId>().to_string();
        let sandbox = sandbox(&db, home, agent, machine.clone(), (1, "running")).await;
        Self {
            exchange: Exchange::new(db.clone(), shared, chunks.clone()),
            db,
            clock,
            chunks,
            home,
            agent,
            machine,
            sandbox,
        }
    }

    async fn record(&self, taken: &Taken, at: DateTime<Utc>) {
        let row = Model {
            id: id(),
            workspace_id: self.home.workspace(),
            owner_kind: OwnerKind::Claw,
            owner_id: SandboxOwner::Claw(self.agent).id(),
            sandbox_id: self.sandbox,
            node_id: self.machine.clone(),
            digest: taken.digest.to_string(),
            files: 1,
            bytes: 1,
            left_out: serde_json::json!([]),
            taken_at: at,
            received_at: at,
            uploaded_at: None,
        };
        let tx = self.db.write().await.unwrap();
        store::write(&*tx, row).await.unwrap();
        tx.commit().await.unwrap();
    }

    async fn put_all(&self, taken: &Taken) {
        for (address, stored) in &taken.chunks {
            let stored = stored.clone().into();
            let workspace = self.home.workspace();
            let kept = self
                .exchange
                .put(&self.machine, workspace, *address, stored);
            kept.await.unwrap();
        }
    }

    async fn uploaded(&self, taken: &Taken) -> Result<(), ExchangeError> {
        let workspace = self.home.workspace();
        self.exchange
            .uploaded(&self.machine, workspace, taken.digest)
            .await
    }

    async fn read(&self, taken: &Taken, chunk: Address) -> Result<bytes::Bytes, ExchangeError> {
        let workspace = self.home.workspace();
        self.exchange
            .get(&self.machine, workspace, taken.digest, chunk)
            .await
    }

    /// The sandbox restores this snapshot.
    async fn wants(&self, taken: &Taken) {
        let sql = "UPDATE agent_containers SET archive = $1 WHERE id = $2";
        let archive = serde_json::json!({ "digest": taken.digest.to_string(), "bytes": 1, "at": self.clock.now() });
        execute(&self.db, sql, vec![archive.into(), self.sandbox.into()]).await;
    }

    async fn is_uploaded(&self, taken: &Taken) -> bool {
        let digest = taken.digest.to_string();
        let rows = store::of_digest(self.db.read(), self.home, &digest).await;
        rows.unwrap().iter().all(|row| row.uploaded_at.is_some())
    }

    async fn sweep(&self) {
        let sweeper = Sweeper {
            db: self.db.clone(),
            clock: std::sync::Arc::new(self.clock.clone()),
            chunks: self.chunks.clone(),
            owner: "one".to_owned(),
        };
        sweeper.sweep().await.unwrap();
    }

    async fn held(&self) -> usize {
        self.chunks.list(self.home.workspace()).await.unwrap().len()
    }
}

#[tokio::test]
async fn snapshot_counts_as_uploaded_only_with_each_chunk() {
    for scratch in Scratch::all().await {
        let scene = Scene::new(&scratch).await;
        let taken = taken(scene.home, &["a", "b"]);
        let workspace = scene.home.workspace();
        // Nothing recorded it yet.
        assert!(matches!(
            scene.uploaded(&taken).await,
            Err(ExchangeError::NotFound)
        ));
        scene.record(&taken, scene.clock.now()).await;
        let all: Vec<Address> = taken.chunks.keys().copied().collect();
        let missing = scene
            .exchange
            .missing(&scene.machine, workspace, all.clone());
        assert_eq!(missing.await.unwrap(), all);
        scene.put_all(&taken).await;
        for absent in &all {
            scene.chunks.delete(workspace, [*absent]).await.unwrap();
            let missing = scene
                .exchange
                .missing(&scene.machine, workspace, all.clone());
            assert_eq!(missing.await.unwrap(), [*absent]);
            let Err(ExchangeError::Incomplete(named)) = scene.uploaded(&taken).await else {
                panic!("a chunk is missing");
            };
            assert_eq!(named, [*absent]);
            assert!(!scene.is_uploaded(&taken).await);
            let stored = taken.chunks[absent].clone().into();
            let kept = scene
                .exchange
                .put(&scene.machine, workspace, *absent, stored);
            kept.await.unwrap();
        }
        scene.uploaded(&taken).await.unwrap();
        assert!(scene.is_uploaded(&taken).await);
    }
}

#[tokio::test]
async fn machine_reads_only_what_its_sandbox_restores() {
    for scratch in Scratch::all().await {
        let scene = Scene::new(&scratch).await;
        let (one, other) = (taken(scene.home, &["a"]), taken(scene.home, &["a", "b"]));
        for taken in [&one, &other] {
            scene.record(taken, scene.clock.now()).await;
            scene.put_all(taken).await;
            scene.uploaded(taken).await.unwrap();
        }
        let refused = |answer| matches!(answer, Err(ExchangeError::NotFound));
        assert!(refused(scene.read(&one, one.digest).await));
        scene.wants(&one).await;
        for chunk in one.chunks.keys() {
            let stored = scene.read(&one, *chunk).await.unwrap();
            assert_eq!(stored, one.chunks[chunk]);
        }
        // A chunk of a snapshot that it does not restore, under either name.
        let only_other: Vec<_> = other
            .chunks
            .keys()
            .filter(|chunk| !one.chunks.contains_key(chunk))
            .collect();
        assert!(only_other.len() > 1);
        for chunk in only_other {
            assert!(refused(scene.read(&one, *chunk).await));
            assert!(refused(scene.read(&other, *chunk).await));
        }
        // Another machine, and another workspace on the same machine.
        let workspace = scene.home.workspace();
        let stranger = id::<NodeId>().to_string();
        let (exchange, chunk) = (&scene.exchange, one.digest);
        assert!(refused(
            exchange.get(&stranger, workspace, chunk, chunk).await
        ));
        let stored: bytes::Bytes = one.chunks[&chunk].clone().into();
        let kept = exchange.put(&stranger, workspace, chunk, stored.clone());
        assert!(matches!(kept.await, Err(ExchangeError::NotFound)));
        let foreign = id();
        let kept = exchange.put(&scene.machine, foreign, chunk, stored);
        assert!(matches!(kept.await, Err(ExchangeError::NotFound)));
        let asked = exchange.missing(&scene.machine, foreign, vec![chunk]);
        assert!(matches!(asked.await, Err(ExchangeError::NotFound)));
        // After the end of the sandbox there is nothing to restore.
        let sql = "UPDATE agent_containers SET state = 'destroyed' WHERE id = $1";
        execute(&scene.db, sql, vec![scene.sandbox.into()]).await;
        assert!(refused(scene.read(&one, one.digest).await));
    }
}

#[tokio::test]
async fn snapshot_whose_chunk_is_lost_counts_as_not_uploaded() {
    for scratch in Scratch::all().await {
        let scene = Scene::new(&scratch).await;
        let taken = taken(scene.home, &["a"]);
        scene.record(&taken, scene.clock.now()).await;
        scene.put_all(&taken).await;
        scene.uploaded(&taken).await.unwrap();
        scene.wants(&taken).await;
        let lost = *taken
            .chunks
            .keys()
            .find(|chunk| **chunk != taken.digest)
            .unwrap();
        let workspace = scene.home.workspace();
        scene.chunks.delete(workspace, [lost]).await.unwrap();
        assert!(scene.read(&taken, lost).await.is_err());
        assert!(!scene.is_uploaded(&taken).await);
        scene.put_all(&taken).await;
        scene.uploaded(&taken).await.unwrap();
        assert!(scene.read(&taken, lost).await.is_ok());
    }
}

#[tokio::test]
async fn sweep_removes_old_chunks_that_no_snapshot_names() {
    for scratch in Scratch::all().await {
        let scene = Scene::new(&scratch).await;
        let (kept, left) = (
            taken(scene.home, &["a", "b"]),
            taken(scene.home, &["b", "c"]),
        );
        for taken in [&kept, &left] {
            scene.record(taken, scene.clock.now()).await;
            scene.put_all(taken).await;
            scene.uploaded(taken).await.unwrap();
        }
        let all = scene.held().await;
        let sql = "DELETE FROM workspace_snapshots WHERE digest = $1";
        execute(&scene.db, sql, vec![left.digest.to_string().into()]).await;
        // An upload under way is never touched.
        scene.clock.advance(Duration::from_secs(3_000));
        scene.sweep().await;
        assert_eq!(scene.held().await, all);
        scene.clock.advance(Duration::from_secs(1_000));
        scene.sweep().await;
        assert_eq!(scene.held().await, kept.chunks.len());
        assert!(kept.chunks.len() < all);
        // What remains can be restored.
        scene.wants(&kept).await;
        for chunk in kept.chunks.keys() {
            scene.read(&kept, *chunk).await.unwrap();
        }
    }
}

#[tokio::test]
async fn sweep_removes_nothing_while_it_cannot_read_what_a_snapshot_names() {
    for scratch in Scratch::all().await {
        let scene = Scene::new(&scratch).await;
        let taken = taken(scene.home, &["a"]);
        scene.record(&taken, scene.clock.now()).await;
        scene.put_all(&taken).await;
        scene.uploaded(&taken).await.unwrap();
        let workspace = scene.home.workspace();
        scene
            .chunks
            .delete(workspace, [taken.digest])
            .await
            .unwrap();
        scene.clock.advance(Duration::from_secs(7_200));
        scene.sweep().await;
        assert_eq!(scene.held().await, taken.chunks.len() - 1);
        assert!(!scene.is_uploaded(&taken).await);
        // The machine uploads what is missing.
        scene.put_all(&taken).await;
        scene.uploaded(&taken).await.unwrap();
    }
}

#[tokio::test]
async fn purged_agent_and_deleted_workspace_leave_no_chunks() {
    for scratch in Scratch::all().await {
        let scene = Scene::new(&scratch).await;
        let taken = taken(scene.home, &["a"]);
        scene.record(&taken, scene.clock.now()).await;
        scene.put_all(&taken).await;
        let tx = scene.db.write().await.unwrap();
        let (agent, now) = (SandboxOwner::Claw(scene.agent), scene.clock.now());
        crate::sandboxes::remove_of(&tx, scene.home, agent, now)
            .await
            .unwrap();
        tx.commit().await.unwrap();
        scene.clock.advance(Duration::from_secs(7_200));
        scene.sweep().await;
        assert_eq!(scene.held().await, 0);
        // The chunks of a workspace without a row need not become old.
        let gone = WorkspaceScope::of_row(id());
        let left = self::taken(gone, &["a"]);
        for (address, stored) in &left.chunks {
            let stored = stored.clone().into();
            let kept = scene.chunks.put(gone.workspace(), *address, stored);
            kept.await.unwrap().unwrap();
        }
        scene.sweep().await;
        assert!(scene.chunks.workspaces().await.unwrap().is_empty());
    }
}

#[tokio::test]
async fn retention_keeps_the_latest_snapshot_and_the_latest_in_the_store() {
    for scratch in Scratch::all().await {
        let scene = Scene::new(&scratch).await;
        let days = |days| scene.clock.now() - TimeDelta::days(days);
        let all = ["a", "b", "c", "d"].map(|text| taken(scene.home, &[text]));
        for (taken, age) in all.iter().zip([50, 45, 40, 35]) {
            scene.record(taken, days(age)).await;
        }
        for taken in &all[..2] {
            scene.put_all(taken).await;
            scene.uploaded(taken).await.unwrap();
        }
        let tx = scene.db.write().await.unwrap();
        assert!(!store::forget_before(&tx, days(30)).await.unwrap());
        tx.commit().await.unwrap();
        let left = store::digests(scene.db.read(), scene.home).await.unwrap();
        let mut left: Vec<String> = left.into_iter().map(|(digest, _)| digest).collect();
        left.sort();
        let mut kept = [all[1].digest.to_string(), all[3].digest.to_string()];
        kept.sort();
        assert_eq!(left, kept);
    }
}

#[tokio::test]
async fn newest_snapshot_within_reach_is_found_on_each_machine() {
    for scratch in Scratch::all().await {
        let scene = Scene::new(&scratch).await;
        let minutes = |minutes| scene.clock.now() - TimeDelta::minutes(minutes);
        let (old, new) = (taken(scene.home, &["a"]), taken(scene.home, &["b"]));
        scene.record(&old, minutes(20)).await;
        scene.record(&new, minutes(10)).await;
        scene.put_all(&old).await;
        scene.uploaded(&old).await.unwrap();
        let db = scene.db.read();
        let reach = async |machine: &str| {
            let found = store::within_reach(
                db,
                scene.home,
                SandboxOwner::Claw(scene.agent).id(),
                machine,
            )
            .await;
            found.unwrap().unwrap().digest
        };
        assert_eq!(reach(&scene.machine).await, new.digest.to_string());
        assert_eq!(reach("local").await, old.digest.to_string());
        // The workspace returned to the older files: the same row is the newest again, and stays uploaded.
        scene.record(&old, minutes(5)).await;
        assert_eq!(reach(&scene.machine).await, old.digest.to_string());
        assert!(scene.is_uploaded(&old).await);
        let latest = store::latest_on(db, &scene.machine).await.unwrap();
        assert_eq!(latest, [old.digest.to_string()]);
    }
}
