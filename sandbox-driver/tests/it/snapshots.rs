//! A workspace survives its sandbox, its engine and its machine's daemon.
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use roost_protocol::report::{ErrorKind, Outcome};
use roost_protocol::sandbox::{SandboxSpec, WorkspaceState};
use roost_protocol::snapshot::Stored;
use roost_sandbox_driver::executor::OwnerPolicy;
use roost_sandbox_driver::{ArchiveStore, DriverError, ProvisionOptions, Restore, SnapshotStore};

use crate::support::{Bench, Machine, Shop, stdout_of, whole};

async fn store(folder: &std::path::Path, most: u64) -> SnapshotStore {
    let archives = ArchiveStore::open(folder.join("archives"), most)
        .await
        .expect("the folder of the test works");
    let snapshots = folder.join("snapshots");
    SnapshotStore::open(snapshots, archives, most, None)
        .await
        .expect("the folder of the test works")
}

fn bytes_of(folder: &std::path::Path) -> u64 {
    let files =
        std::fs::read_dir(folder.join("snapshots/packs")).expect("the folder of the test works");
    files
        .map(|file| {
            file.expect("the folder of the test works")
                .metadata()
                .expect("the folder of the test works")
                .len()
        })
        .sum()
}

fn from(store: &SnapshotStore, stored: &Stored) -> ProvisionOptions {
    ProvisionOptions {
        restore: Some(Restore::Snapshot {
            store: store.clone(),
            digest: stored.digest.clone(),
        }),
        ..ProvisionOptions::default()
    }
}

/// Everything that a person could notice of a workspace: names, kinds, modes, times, contents.
const LOOK: &str = "find . -mindepth 1 -path ./.tmp -prune -o -mindepth 1 -exec ls -ld --full-time {} + | tr -s ' ' | cut -d' ' -f1,2,5- | sort; \
     find . -path ./.tmp -prune -o -type f -exec sha256sum {} + | sort";

#[tokio::test]
async fn snapshot_is_restored_as_it_was_and_stores_only_what_changed() {
    let bench = Bench::new().await;
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path(), 1 << 30).await;
    let spec = bench.spec();
    let (sandbox, link) = bench.sandbox_of(&spec).await;
    stdout_of(&link, "mkdir -p a/b empty node_modules; dd if=/dev/urandom of=a/b/data bs=1000 count=20000 2>/dev/null; \
        for n in $(seq 60); do echo file $n > a/small-$n; done; \
        echo '#!/bin/sh' > run; chmod 755 run; ln -s /usr/bin/python3 py; ln a/b/data same; mkfifo pipe; \
        printf odd > \"$(printf 'odd-\\377')\"; touch -d '2020-01-02 03:04:05' run; chmod 555 empty; \
        truncate -s 10G huge; echo gone > node_modules/x").await;
    let (first, new) = bench.driver.snapshot(sandbox, &store).await.unwrap();
    assert!(new);
    assert_eq!(first.files, 63, "{first:?}");
    let mut left_out = first.left_out.clone();
    left_out.sort();
    assert_eq!(left_out.len(), 3, "{left_out:?}");
    assert!(
        left_out[0].starts_with("huge: a sparse file"),
        "{left_out:?}"
    );
    assert_eq!(left_out[1], "node_modules: it can be made again");
    assert_eq!(left_out[2], "pipe: a pipe");

    let (same, new) = bench.driver.snapshot(sandbox, &store).await.unwrap();
    assert_eq!((same, new), (first.clone(), false), "nothing changed");
    let before = bytes_of(folder.path());
    assert!(before > 20_000_000, "{before}");
    stdout_of(
        &link,
        "echo changed > a/small-7; rm huge pipe; rm -r node_modules; mv same moved",
    )
    .await;
    let (second, new) = bench.driver.snapshot(sandbox, &store).await.unwrap();
    assert!(new && second.digest != first.digest);
    let grown = bytes_of(folder.path()) - before;
    assert!(grown < 100_000, "{grown} bytes for one small file");

    let look = stdout_of(&link, LOOK).await;
    assert!(
        look.contains("small-60") && look.contains("python3"),
        "{look}"
    );
    let last = bench.driver.destroy(sandbox, Some(&store)).await.unwrap();
    assert_eq!(last.unwrap().digest, second.digest);

    // The store is opened again, as after a restart.
    drop(store);
    let store = self::store(folder.path(), 1 << 30).await;
    let spec = SandboxSpec {
        sandbox: bench.spec().sandbox,
        epoch: 2,
        ..spec
    };
    let options = from(&store, &second);
    let made = bench
        .driver
        .provision(&spec, options.clone(), &mut |_| {})
        .await;
    let digest = second.digest.clone();
    assert_eq!(made.unwrap().1, WorkspaceState::Restored { digest });
    let link = bench.driver.attach(spec.sandbox).await.unwrap();
    let again = stdout_of(&link, LOOK).await;
    let both = again.lines().zip(look.lines());
    let differ: Vec<_> = both.filter(|(one, other)| one != other).collect();
    assert!(differ.is_empty() && again.len() == look.len(), "{differ:?}");
    // The files were not read again, and nothing was stored.
    let before = bytes_of(folder.path());
    let (third, _) = bench.driver.snapshot(spec.sandbox, &store).await.unwrap();
    assert_eq!(third.digest, second.digest);
    assert_eq!(bytes_of(folder.path()), before);
    // The same provision again finds the restored sandbox and leaves it unchanged.
    stdout_of(&link, "echo new > later").await;
    bench
        .driver
        .provision(&spec, options, &mut |_| {})
        .await
        .unwrap();
    assert_eq!(stdout_of(&link, "cat later").await, "new");
    // The first one is still there.
    let spec = SandboxSpec {
        sandbox: bench.spec().sandbox,
        ..spec
    };
    bench
        .driver
        .provision(&spec, from(&store, &first), &mut |_| {})
        .await
        .unwrap();
    let link = bench.driver.attach(spec.sandbox).await.unwrap();
    assert_eq!(
        stdout_of(&link, "cat a/small-7; ls -d same moved 2>/dev/null").await,
        "file 7\nsame"
    );
    bench.clean().await;
}

#[tokio::test]
async fn damaged_snapshot_makes_no_sandbox_and_missing_one_is_reported() {
    let bench = Bench::new().await;
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path(), 1 << 30).await;
    let spec = bench.spec();
    let (sandbox, link) = bench.sandbox_of(&spec).await;
    stdout_of(
        &link,
        "dd if=/dev/urandom of=data bs=1000 count=3000 2>/dev/null",
    )
    .await;
    let (stored, _) = bench.driver.snapshot(sandbox, &store).await.unwrap();
    bench.clean().await;

    let missing = Stored {
        digest: "a".repeat(64),
        ..stored.clone()
    };
    let made = bench
        .driver
        .provision(&bench.spec(), from(&store, &missing), &mut |_| {})
        .await;
    let digest = missing.digest;
    assert_eq!(made.unwrap().1, WorkspaceState::ArchiveMissing { digest });
    bench.clean().await;

    // Another tenant cannot use it: its chunks have other addresses.
    let error = bench
        .driver
        .provision(&bench.spec(), from(&store, &stored), &mut |_| {})
        .await;
    assert!(matches!(error, Err(DriverError::Archive(_))), "{error:?}");

    let pack = std::fs::read_dir(folder.path().join("snapshots/packs"))
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let mut bytes = std::fs::read(&pack).unwrap();
    bytes[100_000] ^= 1;
    std::fs::write(&pack, bytes).unwrap();
    let again = SandboxSpec {
        sandbox: bench.spec().sandbox,
        ..spec
    };
    let error = bench
        .driver
        .provision(&again, from(&store, &stored), &mut |_| {})
        .await;
    let error = error.unwrap_err().to_string();
    assert!(
        error.contains("damaged") && error.contains("use an older one"),
        "{error}"
    );
    let left = bench.driver.list().await.unwrap();
    assert!(left.is_empty(), "nothing half-made stays");
}

#[tokio::test]
async fn sandbox_is_kept_when_its_workspace_cannot_be_stored() {
    let bench = Bench::new().await;
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path(), 2_000_000).await;
    let (sandbox, link) = bench.sandbox().await;
    stdout_of(
        &link,
        "echo precious > file; dd if=/dev/urandom of=large bs=1000 count=3000 2>/dev/null",
    )
    .await;
    let error = bench
        .driver
        .destroy(sandbox, Some(&store))
        .await
        .unwrap_err();
    assert!(matches!(error, DriverError::ArchivesFull { .. }), "{error}");
    assert_eq!(bytes_of(folder.path()), 0, "nothing half stays");
    assert_eq!(stdout_of(&link, "cat file; rm large").await, "precious");
    bench
        .driver
        .destroy(sandbox, Some(&store))
        .await
        .unwrap()
        .unwrap();
}

#[tokio::test]
async fn command_is_followed_by_a_snapshot_that_survives_the_loss_of_the_container() {
    let bench = Bench::new().await;
    let mut machine = Machine::start(OwnerPolicy::default()).await;
    let spec = bench.spec();
    machine.provision(&spec).await;
    let id = machine.run(&spec, spec.sandbox, "echo kept > file");
    let ended = machine
        .receive(&[id])
        .await
        .remove(&id)
        .unwrap()
        .ended
        .unwrap();
    assert_eq!(ended.outcome, Outcome::Exited { code: 0 });
    let stored = machine.stored().await;
    assert_eq!(
        (stored.sandbox, stored.agent, stored.files),
        (spec.sandbox, spec.agent, 1)
    );
    assert_eq!(
        machine.executor.inventory().await.stored[0].digest,
        stored.digest
    );

    // As an engine that is killed, or a machine that loses its power.
    let container = format!("roost-{}", spec.sandbox);
    let killed = std::process::Command::new("docker")
        .args(["rm", "-f", &container])
        .output()
        .unwrap();
    assert!(killed.status.success());
    machine.again().await;
    let kept = machine.executor.inventory().await.stored;
    assert_eq!(kept, std::slice::from_ref(&stored));
    let next = SandboxSpec {
        sandbox: bench.spec().sandbox,
        epoch: 2,
        ..spec
    };
    let Outcome::Provisioned { workspace, .. } =
        machine.provision_from(&next, Some(&stored.digest)).await
    else {
        panic!("it is made");
    };
    let digest = stored.digest.clone();
    assert_eq!(workspace, WorkspaceState::Restored { digest });
    let id = machine.run(
        &next,
        next.sandbox,
        "test \"$(cat file)\" = kept && rm file",
    );
    let ended = machine
        .receive(&[id])
        .await
        .remove(&id)
        .unwrap()
        .ended
        .unwrap();
    assert_eq!(ended.outcome, Outcome::Exited { code: 0 });
    assert_eq!(machine.stored().await.files, 0);
    let Outcome::Destroyed {
        archive: Some(last),
    } = machine.destroy(&next, true).await
    else {
        panic!("it is stored");
    };
    assert_ne!(last.digest, stored.digest);
}

#[tokio::test]
async fn purge_removes_an_agents_chunks_and_no_others() {
    let bench = Bench::new().await;
    let mut machine = Machine::start(OwnerPolicy::default()).await;
    let (one, other) = (bench.spec(), bench.spec());
    let mut digests = Vec::new();
    for (spec, text) in [(&one, "planted-one"), (&other, "planted-other")] {
        machine.provision(spec).await;
        // Not compressible, so that the planted text is found as it is.
        let id = machine.run(
            spec,
            spec.sandbox,
            &format!("(echo {text}; head -c 3000 /dev/urandom) > file"),
        );
        machine.receive(&[id]).await;
        digests.push(machine.stored().await);
        machine.destroy(spec, false).await;
    }
    let packs = machine.state("snapshots/packs");
    let holds = |text: &str| {
        std::fs::read_dir(&packs).unwrap().any(|pack| {
            let bytes = std::fs::read(pack.unwrap().path()).unwrap();
            bytes
                .windows(text.len())
                .any(|window| window == text.as_bytes())
        })
    };
    assert!(holds("planted-one") && holds("planted-other"));
    machine
        .executor
        .control(roost_protocol::control::Control::Forget {
            agent: one.agent,
            archives: Vec::new(),
            results: false,
        });
    let begun = Instant::now();
    while holds("planted-one") {
        assert!(begun.elapsed().as_secs() < 60, "the chunks are removed");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(holds("planted-other"));
    let kept = machine.executor.inventory().await.stored;
    assert_eq!(kept, std::slice::from_ref(&digests[1]));
}

#[tokio::test]
async fn another_machine_restores_what_the_gateway_has() {
    let bench = Bench::new().await;
    let shop = Arc::new(Shop::default());
    let mut machine = Machine::start_with(OwnerPolicy::default(), shop.clone()).await;
    let spec = bench.spec();
    machine.provision(&spec).await;
    // The store is away when the snapshot is taken, and answers later.
    shop.away.store(true, Ordering::Relaxed);
    let script = "dd if=/dev/urandom of=large bs=1000 count=3000 2>/dev/null; echo small > small; sha256sum large > sum";
    let id = machine.run(&spec, spec.sandbox, script);
    machine.receive(&[id]).await;
    let stored = machine.stored().await;
    shop.away.store(false, Ordering::Relaxed);
    whole(&shop, &stored).await;
    let first = shop.put.load(Ordering::Relaxed);
    let id = machine.run(&spec, spec.sandbox, "echo changed > small");
    machine.receive(&[id]).await;
    let stored = machine.stored().await;
    whole(&shop, &stored).await;
    let second = shop.put.load(Ordering::Relaxed) - first;
    assert!(
        first > 3_000_000 && second < 20_000,
        "{first}, then {second} bytes"
    );
    machine.destroy(&spec, false).await;
    drop(machine);

    // A lying store gives no files.
    let mut other = Machine::start_with(OwnerPolicy::default(), shop.clone()).await;
    let next = SandboxSpec {
        sandbox: bench.spec().sandbox,
        epoch: 2,
        ..spec
    };
    let victim = {
        let mut chunks = shop.chunks.lock().unwrap();
        let (address, bytes) = chunks
            .iter_mut()
            .max_by_key(|(_, bytes)| bytes.len())
            .unwrap();
        let good = std::mem::replace(bytes, roost_snapshot::chunk::encode(b"other"));
        (*address, good)
    };
    let Outcome::Error { error } = other.provision_from(&next, Some(&stored.digest)).await else {
        panic!("a lie is not restored");
    };
    assert!(error.detail.contains("damaged"), "{error}");
    shop.chunks.lock().unwrap().insert(victim.0, victim.1);

    // A store that is away: the request may be repeated.
    shop.away.store(true, Ordering::Relaxed);
    let Outcome::Error { error } = other.provision_from(&next, Some(&stored.digest)).await else {
        panic!("nothing can be restored");
    };
    assert_eq!(error.kind, ErrorKind::Busy, "{error}");
    shop.away.store(false, Ordering::Relaxed);

    let made = other.provision_from(&next, Some(&stored.digest)).await;
    let Outcome::Provisioned { workspace, .. } = made else {
        panic!("{made:?}");
    };
    let digest = stored.digest.clone();
    assert_eq!(workspace, WorkspaceState::Restored { digest });
    let check = "sha256sum -c sum && test \"$(cat small)\" = changed";
    let id = other.run(&next, next.sandbox, check);
    let ended = other.receive(&[id]).await.remove(&id).unwrap().ended;
    assert_eq!(ended.unwrap().outcome, Outcome::Exited { code: 0 });
    other.destroy(&next, false).await;
}

#[tokio::test]
async fn chunk_that_is_damaged_on_the_disk_is_fetched_again() {
    let bench = Bench::new().await;
    let shop = Arc::new(Shop::default());
    let mut machine = Machine::start_with(OwnerPolicy::default(), shop.clone()).await;
    let spec = bench.spec();
    machine.provision(&spec).await;
    let script = "head -c 3000000 /dev/urandom > large; sha256sum large > sum";
    let id = machine.run(&spec, spec.sandbox, script);
    machine.receive(&[id]).await;
    let stored = machine.stored().await;
    whole(&shop, &stored).await;
    machine.destroy(&spec, false).await;
    let packs = std::fs::read_dir(machine.state("snapshots/packs")).unwrap();
    let packs = packs.map(|pack| pack.unwrap().path());
    let pack = packs.max_by_key(|path| path.metadata().unwrap().len());
    let pack = pack.unwrap();
    let mut bytes = std::fs::read(&pack).unwrap();
    bytes[100_000] ^= 1;
    std::fs::write(&pack, bytes).unwrap();

    let next = |epoch| SandboxSpec {
        sandbox: bench.spec().sandbox,
        epoch,
        ..spec.clone()
    };
    // While the store is away nothing is restored, and nothing half stays.
    shop.away.store(true, Ordering::Relaxed);
    let Outcome::Error { error } = machine.provision_from(&next(2), Some(&stored.digest)).await
    else {
        panic!("damage is not restored");
    };
    assert_eq!(error.kind, ErrorKind::Busy, "{error}");
    shop.away.store(false, Ordering::Relaxed);
    let digest = stored.digest.clone();
    for epoch in [3, 4] {
        let spec = next(epoch);
        let made = machine.provision_from(&spec, Some(&digest)).await;
        let Outcome::Provisioned { workspace, .. } = made else {
            panic!("{made:?}");
        };
        let digest = digest.clone();
        assert_eq!(workspace, WorkspaceState::Restored { digest });
        let id = machine.run(&spec, spec.sandbox, "sha256sum -c sum");
        let ended = machine.receive(&[id]).await.remove(&id).unwrap().ended;
        assert_eq!(ended.unwrap().outcome, Outcome::Exited { code: 0 });
        machine.destroy(&spec, false).await;
        // The good copy is kept: the second time the store is not asked.
        shop.away.store(true, Ordering::Relaxed);
    }
}

#[tokio::test]
async fn full_store_is_told_and_the_command_is_not_delayed() {
    let bench = Bench::new().await;
    let policy = OwnerPolicy {
        most_archive_bytes: Some(100_000),
        ..OwnerPolicy::default()
    };
    let mut machine = Machine::start(policy).await;
    let spec = bench.spec();
    machine.provision(&spec).await;
    let id = machine.run(&spec, spec.sandbox, "head -c 300000 /dev/urandom > large");
    let ended = machine.receive(&[id]).await.remove(&id).unwrap().ended;
    assert_eq!(ended.unwrap().outcome, Outcome::Exited { code: 0 });
    let detail = machine.not_stored().await;
    assert!(detail.contains("most_archive_bytes"), "{detail}");
    let id = machine.run(&spec, spec.sandbox, "rm large; echo small > small");
    machine.receive(&[id]).await;
    assert_eq!(machine.stored().await.files, 1);
    machine.destroy(&spec, false).await;
}
