//! Times snapshots of a workspace of 200 MB with 10,000 files in which 10 changed, beside `restic backup` and
//! `tar | zstd` of the same tree, and a restore beside `tar x`; prints medians and stored bytes.
//!
//! `cargo bench -p roost-sandbox-driver --bench snapshots [-- rounds]`. Needs an engine, `tar`, `zstd` and `restic`.
//! `-- work` counts the bytes of 100 snapshots of a repository at work instead; see [`at_work`]. It needs `git` too.
//! Goals: a snapshot takes less than 150 ms, and both peers take longer.

#[path = "../tests/it/support/mod.rs"]
#[allow(dead_code, unused_imports)] // The tests use all of it.
mod support;

#[path = "parts/at_work.rs"]
mod at_work;

use std::path::Path;
use std::process::{Command as Program, Stdio};
use std::time::{Duration, Instant};

use roost_protocol::sandbox::SandboxSpec;
use roost_sandbox_driver::exec::Command;
use roost_sandbox_driver::{ArchiveStore, GuestLink, ProvisionOptions, Restore, SnapshotStore};

use support::{Bench, shell};

const FILES: usize = 10_000;
const FILE: usize = 20_000;
const CHANGED: usize = 10;
const LEAST_ROUNDS: usize = 100;

fn main() {
    let rounds = std::env::args()
        .skip(1)
        .find_map(|word| word.parse().ok())
        .unwrap_or(LEAST_ROUNDS);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .expect("a runtime can be made");
    match std::env::args().any(|word| word == "work") {
        true => runtime.block_on(at_work::run()),
        false => runtime.block_on(run(rounds)),
    }
}

/// Text like source code: it compresses to about a third.
fn text(file: usize) -> Vec<u8> {
    let mut state = file as u64 + 1;
    let mut text = Vec::with_capacity(FILE + 40);
    while text.len() < FILE {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let line = format!(
            "    let value_{:x} = compute({file}, {});\n",
            state >> 40,
            text.len()
        );
        text.extend_from_slice(line.as_bytes());
    }
    text.truncate(FILE);
    text
}

fn tree(root: &Path) {
    for file in 0..FILES {
        let folder = root.join(format!("d{}", file / 100));
        if file % 100 == 0 {
            std::fs::create_dir_all(&folder).expect("a folder");
        }
        std::fs::write(folder.join(format!("f{file}.rs")), text(file)).expect("a file");
    }
}

/// The files that a round changes, as `d<n>/f<n>.rs`.
fn changed(round: usize) -> Vec<String> {
    (0..CHANGED)
        .map(|n| (round * 997 + n * 1009) % FILES)
        .map(|file| format!("d{}/f{file}.rs", file / 100))
        .collect()
}

async fn run(rounds: usize) {
    let bench = Bench::new().await;
    // In memory, as a workspace is.
    let here = tempfile::tempdir_in("/dev/shm").expect("a folder in memory");
    let disk = tempfile::tempdir().expect("a folder");
    let root = here.path().join("tree");
    tree(&root);
    let store = open(disk.path()).await;
    let mut spec = bench.spec();
    spec.limits.memory_bytes = 2 << 30;
    spec.limits.workspace_bytes = 1 << 30;
    let (sandbox, link) = bench.sandbox_of(&spec).await;
    fill(&link, &root).await;
    let begun = Instant::now();
    bench
        .driver
        .snapshot(sandbox, &store)
        .await
        .expect("a first snapshot");
    println!(
        "first snapshot                   {:8.0} ms",
        ms(begun.elapsed())
    );
    let repo = disk.path().join("restic");
    let restic = restic(&repo, &["init"]);
    if restic {
        assert!(self::restic(
            &repo,
            &["backup", &root.display().to_string()]
        ));
    } else {
        println!("restic is not installed; `apt-get install restic` adds it to the comparison");
    }
    let (before, restic_before) = (size(&disk.path().join("snapshots")), size(&repo));
    let (mut ours, mut unchanged, mut theirs, mut tar) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for round in 0..rounds {
        let files = changed(round);
        for file in &files {
            let path = root.join(file);
            let mut text = std::fs::read(&path).expect("a file");
            text.extend_from_slice(format!("// round {round}\n").as_bytes());
            std::fs::write(path, text).expect("a file");
        }
        let script = format!(
            "for f in {}; do echo '// round {round}' >> $f; done",
            files.join(" ")
        );
        assert_eq!(link.run(shell(&script)).await.expect("it runs").code, 0);
        let begun = Instant::now();
        let (_, new) = bench
            .driver
            .snapshot(sandbox, &store)
            .await
            .expect("a snapshot");
        ours.push(begun.elapsed());
        assert!(new);
        let begun = Instant::now();
        bench
            .driver
            .snapshot(sandbox, &store)
            .await
            .expect("a snapshot");
        unchanged.push(begun.elapsed());
        if restic {
            let begun = Instant::now();
            assert!(self::restic(
                &repo,
                &["backup", &root.display().to_string()]
            ));
            theirs.push(begun.elapsed());
        }
        if round % 10 == 0 {
            let begun = Instant::now();
            pack(&root, &disk.path().join("tree.tar.zst"));
            tar.push(begun.elapsed());
        }
    }
    print("snapshot, 10 files changed", &mut ours);
    print("snapshot, nothing changed", &mut unchanged);
    print("restic backup", &mut theirs);
    print("tar | zstd -1", &mut tar);
    println!(
        "stored: {} MB first, then {} KB a snapshot; restic {} MB, then {} KB; tar.zst {} MB each",
        before >> 20,
        ((size(&disk.path().join("snapshots")) - before) / rounds as u64) >> 10,
        restic_before >> 20,
        ((size(&repo) - restic_before) / rounds as u64) >> 10,
        size(&disk.path().join("tree.tar.zst")) >> 20,
    );
    let (last, _) = bench
        .driver
        .snapshot(sandbox, &store)
        .await
        .expect("a snapshot");
    bench.clean().await;
    restores(&bench, &store, &spec, &last.digest, &root).await;
}

async fn restores(
    bench: &Bench,
    store: &SnapshotStore,
    spec: &SandboxSpec,
    digest: &str,
    root: &Path,
) {
    let (mut with, mut without, mut tar) = (Vec::new(), Vec::new(), Vec::new());
    let archive = root.with_extension("tar");
    let packed = Program::new("tar")
        .arg("cf")
        .arg(&archive)
        .arg("-C")
        .arg(root)
        .arg(".")
        .status();
    assert!(packed.expect("tar runs").success());
    for _ in 0..5 {
        for restore in [None, Some(digest)] {
            let spec = SandboxSpec {
                sandbox: bench.spec().sandbox,
                ..spec.clone()
            };
            let options = ProvisionOptions {
                restore: restore.map(|digest| Restore::Snapshot {
                    store: store.clone(),
                    digest: digest.to_owned(),
                }),
                ..ProvisionOptions::default()
            };
            let begun = Instant::now();
            let made = bench.driver.provision(&spec, options, &mut |_| {}).await;
            made.expect("it is made");
            if restore.is_some() {
                &mut with
            } else {
                &mut without
            }
            .push(begun.elapsed());
            bench.clean().await;
        }
        let out = tempfile::tempdir_in("/dev/shm").expect("a folder in memory");
        let begun = Instant::now();
        let unpacked = Program::new("tar")
            .arg("xf")
            .arg(&archive)
            .arg("-C")
            .arg(out.path())
            .status();
        assert!(unpacked.expect("tar runs").success());
        tar.push(begun.elapsed());
    }
    print("provision, empty", &mut without);
    print("provision with a snapshot", &mut with);
    print("tar x of the same tree", &mut tar);
}

async fn open(folder: &Path) -> SnapshotStore {
    let archives = ArchiveStore::open(folder.join("archives"), 1 << 40)
        .await
        .expect("a store");
    SnapshotStore::open(folder.join("snapshots"), archives, 1 << 40, None)
        .await
        .expect("a store")
}

async fn fill(link: &GuestLink, root: &Path) {
    let tar = Program::new("tar")
        .arg("c")
        .arg("-C")
        .arg(root)
        .arg(".")
        .output()
        .expect("tar runs");
    let command = Command::of(roost_sandbox_driver::policy::GUEST, &["archive-in"]);
    let ran = link
        .run_fed(command, tar.stdout.as_slice())
        .await
        .expect("it runs");
    assert_eq!(ran.code, 0, "{}", String::from_utf8_lossy(&ran.errors));
}

/// Whether restic is there and did it.
fn restic(repo: &Path, arguments: &[&str]) -> bool {
    let ran = Program::new("restic")
        .arg("-r")
        .arg(repo)
        .args(["-q", "--no-cache"])
        .args(arguments)
        .env("RESTIC_PASSWORD", "bench")
        .stdout(Stdio::null())
        .status();
    ran.is_ok_and(|status| status.success())
}

fn pack(root: &Path, to: &Path) {
    let script = format!(
        "tar c -C {} . | zstd -q -1 -f -o {}",
        root.display(),
        to.display()
    );
    let ran = Program::new("sh").arg("-c").arg(script).status();
    assert!(ran.expect("tar and zstd run").success());
}

fn size(path: &Path) -> u64 {
    if path.is_file() {
        return std::fs::metadata(path).expect("a file").len();
    }
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    entries.map(|entry| size(&entry.path())).sum()
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

fn print(what: &str, times: &mut [Duration]) {
    if times.is_empty() {
        return;
    }
    times.sort();
    let at = |percent: usize| ms(times[(times.len() * percent / 100).min(times.len() - 1)]);
    println!(
        "{what:32} p50 {:8.1} ms   p95 {:8.1} ms   ({} times)",
        at(50),
        at(95),
        times.len()
    );
}
