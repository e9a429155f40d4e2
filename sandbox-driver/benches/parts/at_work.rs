//! Bytes that 100 snapshots of a repository at work take, beside `restic` and 100 archives of `tar | zstd`.
//!
//! The work is the same in each run: a repository of 2,000 source files with its history in one pack, and 100 commits. Each
//! changes six files, every tenth adds one, and a build log grows.
use std::collections::BTreeMap;
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command as Program;

use roost_sandbox_driver::GuestLink;
use roost_sandbox_driver::exec::Command;

use super::support::{Bench, shell};
use super::{open, pack, restic, size, text};

const FILES: usize = 2_000;
const COMMITS: usize = 100;
const EDITS: usize = 6;
/// Lines that one build writes.
const LOG_LINES: usize = 200;

/// Size and time of each file.
type Seen = BTreeMap<PathBuf, (u64, i64, i64)>;

pub async fn run() {
    let bench = Bench::new().await;
    let here = tempfile::tempdir_in("/dev/shm").expect("a folder in memory");
    let disk = tempfile::tempdir().expect("a folder");
    let root = here.path().join("repository");
    begin(&root);
    let store = open(disk.path()).await;
    let mut spec = bench.spec();
    spec.limits.memory_bytes = 2 << 30;
    spec.limits.workspace_bytes = 1 << 30;
    let (sandbox, link) = bench.sandbox_of(&spec).await;
    let (repo, archive) = (disk.path().join("restic"), disk.path().join("tree.tar.zst"));
    let peer = restic(&repo, &["init"]);
    let (mut seen, mut first, mut archives, mut changed) = (Seen::new(), (0, 0, 0), 0, 0);
    for commit in 0..=COMMITS {
        if commit > 0 {
            work(&root, commit);
        }
        let bytes = carry(&link, &root, &mut seen).await;
        let taken = bench.driver.snapshot(sandbox, &store).await;
        assert!(taken.expect("a snapshot").1, "something changed");
        if peer {
            assert!(restic(&repo, &["backup", &root.display().to_string()]));
        }
        pack(&root, &archive);
        if commit == 0 {
            let ours = size(&disk.path().join("snapshots"));
            first = (ours, size(&repo), size(&archive));
            println!("the repository: {} MB in {} files", bytes >> 20, seen.len());
        } else {
            archives += size(&archive);
            changed += bytes;
        }
    }
    bench.clean().await;
    let kb = |after: u64, before: u64| ((after - before) / COMMITS as u64) >> 10;
    let mb = |bytes: u64| bytes as f64 / f64::from(1 << 20);
    let ours = size(&disk.path().join("snapshots"));
    println!("a commit changes files of {} KB", kb(changed, 0));
    println!(
        "{COMMITS} snapshots: {:.1} MB first, {:.1} MB with all, {} KB for each",
        mb(first.0),
        mb(ours),
        kb(ours, first.0)
    );
    if peer {
        let theirs = size(&repo);
        println!(
            "restic: {:.1} MB first, {:.1} MB with all, {} KB for each",
            mb(first.1),
            mb(theirs),
            kb(theirs, first.1)
        );
    }
    println!(
        "tar | zstd -1: {:.1} MB first, {:.1} MB with all, {} KB for each",
        mb(first.2),
        mb(first.2 + archives),
        (archives / COMMITS as u64) >> 10
    );
}

fn git(root: &Path, arguments: &[&str], commit: usize) {
    let time = format!("{} +0000", 1_700_000_000 + commit * 600);
    let ran = Program::new("git")
        .arg("-C")
        .arg(root)
        .args(["-c", "user.name=bench", "-c", "user.email=bench@localhost"])
        .args(arguments)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .envs([("GIT_AUTHOR_DATE", &time), ("GIT_COMMITTER_DATE", &time)])
        .status();
    assert!(ran.expect("git runs").success(), "{arguments:?}");
}

fn source(root: &Path, file: usize) -> PathBuf {
    root.join(format!("src/m{}/f{file}.rs", file / 50))
}

fn begin(root: &Path) {
    for file in 0..FILES {
        let path = source(root, file);
        if file % 50 == 0 {
            std::fs::create_dir_all(path.parent().expect("it has one")).expect("a folder");
        }
        std::fs::write(path, text(file)).expect("a file");
    }
    git(root, &["init", "-q", "-b", "main"], 0);
    git(root, &["add", "-A"], 0);
    git(root, &["commit", "-q", "-m", "begin"], 0);
    // As a clone is.
    git(root, &["gc", "-q"], 0);
}

/// One commit of work, the same in each run.
fn work(root: &Path, commit: usize) {
    for edit in 0..EDITS {
        let path = source(root, (commit * 997 + edit * 1009) % FILES);
        let text = std::fs::read_to_string(&path).expect("a file");
        let mut lines: Vec<&str> = text.lines().collect();
        let at = (commit * 31 + edit * 17) % lines.len();
        let new = format!(
            "fn step_{commit}_{edit}() -> u64 {{\n    {}\n}}",
            commit * edit
        );
        lines[at] = &new;
        std::fs::write(&path, lines.join("\n") + "\n").expect("a file");
    }
    if commit.is_multiple_of(10) {
        let new = source(root, FILES + commit);
        std::fs::create_dir_all(new.parent().expect("it has one")).expect("a folder");
        std::fs::write(new, text(FILES + commit)).expect("a file");
    }
    let log = root.join("build.log");
    let log = std::fs::File::options().create(true).append(true).open(log);
    let mut log = std::io::BufWriter::new(log.expect("a file"));
    for line in 0..LOG_LINES {
        let unit = (commit * 131 + line * 7) % FILES;
        writeln!(
            log,
            "[{commit}:{line}] compiled m{}/f{unit}.rs in {} ms",
            unit / 50,
            unit * 13 % 997
        )
        .expect("a line");
    }
    log.flush().expect("written");
    git(root, &["add", "-A"], commit);
    git(
        root,
        &["commit", "-q", "-m", &format!("step {commit}")],
        commit,
    );
}

fn look(root: &Path, at: &Path, into: &mut Seen) {
    for entry in std::fs::read_dir(root.join(at))
        .expect("a folder")
        .flatten()
    {
        let path = at.join(entry.file_name());
        let meta = entry.metadata().expect("a file");
        match meta.is_dir() {
            true => look(root, &path, into),
            false => drop(into.insert(path, (meta.len(), meta.mtime(), meta.mtime_nsec()))),
        }
    }
}

/// Brings what changed into the sandbox. Returns the bytes of these files.
async fn carry(link: &GuestLink, root: &Path, seen: &mut Seen) -> u64 {
    let mut now = Seen::new();
    look(root, Path::new(""), &mut now);
    let new: Vec<&PathBuf> = now
        .iter()
        .filter(|(path, facts)| seen.get(*path) != Some(facts))
        .map(|(path, _)| path)
        .collect();
    let list = root.with_extension("list");
    let lines: Vec<String> = new.iter().map(|path| path.display().to_string()).collect();
    std::fs::write(&list, lines.join("\n")).expect("a list");
    let mut tar = Program::new("tar");
    tar.arg("c").arg("-C").arg(root).arg("-T").arg(&list);
    let tar = tar.output().expect("tar runs");
    assert!(tar.status.success());
    let command = Command::of(roost_sandbox_driver::policy::GUEST, &["archive-in"]);
    let ran = link.run_fed(command, tar.stdout.as_slice()).await;
    assert_eq!(ran.expect("it runs").code, 0);
    let gone: Vec<String> = seen
        .keys()
        .filter(|path| !now.contains_key(*path))
        .map(|path| format!("rm -f '{}'", path.display()))
        .collect();
    if !gone.is_empty() {
        let ran = link.run(shell(&gone.join("\n"))).await;
        assert_eq!(ran.expect("it runs").code, 0);
    }
    let bytes = new.iter().map(|path| now[*path].0).sum();
    *seen = now;
    bytes
}
