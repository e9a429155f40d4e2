//! Packages of lock files: a registry on loopback, the real gateway and broker, and a real sandbox without a network.

mod added;
mod go;
mod npm;
mod python;

use roost_tests::package_host::{PackageHost, Served, archive};
use roost_tests::{ScratchPostgres, SmallDisk, Store};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{Bench, GIT, runs};
use crate::execution::runs::over;
use crate::program::cli::Terminal;

const SETTINGS: [&str; 2] = ["supplies.crates", "supplies.hosts"];

/// The crate `greeting`.
fn greeting() -> Vec<u8> {
    let toml = b"[package]\nname = \"greeting\"\nversion = \"1.0.0\"\nedition = \"2021\"\n";
    let code = b"pub fn greeting() -> &'static str { \"hello from a crate\" }\n";
    archive(&[
        ("greeting-1.0.0/Cargo.toml", toml),
        ("greeting-1.0.0/src/lib.rs", code),
    ])
}

fn hash(content: &[u8]) -> String {
    hex::encode(Sha256::digest(content))
}

/// An entry of a Cargo.lock.
fn entry(name: &str, hash: &str) -> String {
    let source = "registry+https://github.com/rust-lang/crates.io-index";
    format!(
        "\n[[package]]\nname = \"{name}\"\nversion = \"1.0.0\"\nsource = \"{source}\"\nchecksum = \"{hash}\"\n"
    )
}

/// Commits a lock file with these entries.
async fn lock(bench: &Bench, entries: &str) {
    let lock = format!("version = 3\n{entries}");
    let host = &bench.host;
    host.commit("acme/tools", "main", "Cargo.lock", lock.as_bytes())
        .await;
}

/// A repository whose program uses the crate.
async fn program(bench: &Bench) {
    let toml = "[package]\nname = \"tools\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dependencies]\ngreeting = \"1\"\n";
    let own = "\n[[package]]\nname = \"tools\"\nversion = \"0.1.0\"\ndependencies = [\n \"greeting\",\n]\n";
    let host = &bench.host;
    for (path, text) in [
        ("Cargo.toml", toml),
        (".gitignore", "target\n"),
        (
            "src/main.rs",
            "fn main() { println!(\"{}\", greeting::greeting()); }\n",
        ),
    ] {
        host.commit("acme/tools", "main", path, text.as_bytes())
            .await;
    }
    let entries = format!("{}{own}", entry("greeting", &hash(&greeting())));
    lock(bench, &entries).await;
}

async fn on(
    store: Store,
    scratch: Option<ScratchPostgres>,
    script: &str,
    more: &[(&str, &str)],
) -> Bench {
    Bench::with(store, scratch, script, "forgejo", more).await
}

async fn supplies(bench: &Bench, path: &str) -> Value {
    let owner = bench.gateway.owner().await;
    let repo = owner.get(path).expect(200).await;
    repo.body["supplies"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn cargo_builds_without_a_network_with_a_crate_that_the_gateway_fetched() {
    let registry = PackageHost::start().await;
    registry.serve_crate("greeting", Served::File(greeting()));
    let crates = registry.crates();
    let script = runs(&format!(
        "cargo build --offline --locked && cargo run --quiet --offline --locked > b.txt && git add b.txt && {GIT} commit -qm built && {GIT} commit -q --allow-empty -m \"status: $(git status --porcelain | tr '\\n' ' ')\""
    ));
    let mut stores = vec![(Store::Sqlite, None)];
    if let Some(scratch) = ScratchPostgres::new().await {
        stores.push((Store::Postgres(scratch.url().to_owned()), Some(scratch)));
    }
    for (store, scratch) in stores {
        let before = registry.visits().len();
        let bench = on(store, scratch, &script, &[(SETTINGS[0], &crates)]).await;
        program(&bench).await;
        let path = bench.completed().await;
        let owner = bench.gateway.owner().await;
        let repo = owner.get(&path).expect(200).await;
        let newest = &repo.body["branches"][0];
        assert_eq!(newest["newest"][0]["subject"], "status:", "{}", repo.text);
        let diff = owner.get(&format!("{path}/diff")).expect(200).await;
        assert!(
            diff.str("/text").contains("+hello from a crate"),
            "{}",
            diff.text
        );
        let of = &repo.body["supplies"][0];
        assert_eq!(
            (
                &of["path"],
                &of["kind"],
                &of["state"],
                &of["wanted"],
                &of["fetched"]
            ),
            (
                &"Cargo.lock".into(),
                &"cargo".into(),
                &"done".into(),
                &1.into(),
                &1.into()
            ),
            "{}",
            repo.text
        );
        // The store serves a repeat, also in the sandbox that has the packages.
        let path = bench.completed().await;
        let of = supplies(&bench, &path).await;
        assert_eq!(
            (&of[0]["fetched"], &of[0]["stored"]),
            (&0.into(), &1.into()),
            "{of}"
        );
        assert_eq!(
            registry.visits().len() - before,
            1,
            "{:?}",
            registry.visits()
        );
        let run = path.split('/').nth(3).expect("an id");
        let terminal = Terminal::signed_in(&bench.gateway.url(), &owner.token).await;
        let shown = terminal.runs(&["run", "repo", run]).await;
        let line = "Cargo.lock: done (1 packages: 0 fetched, 1 from the store)";
        assert!(shown.out.contains(line), "{} {}", shown.out, shown.err);
        let shown = terminal.runs(&["run", "show", run]).await;
        assert!(shown.out.contains(line), "{} {}", shown.out, shown.err);
        bench.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn packages_that_are_refused_are_named_and_the_run_goes_on() {
    let (registry, other) = (PackageHost::start().await, PackageHost::start().await);
    let outside = archive(&[
        ("outside-1.0.0/../../.bashrc", b"x"),
        ("outside-1.0.0/Cargo.toml", b""),
    ]);
    let cut = greeting()[..40].to_vec();
    let large = vec![7; 3 << 20];
    registry.serve_crate("changed", Served::File(b"other".to_vec()));
    registry.serve_crate("large", Served::File(large.clone()));
    registry.serve_crate("endless", Served::Endless(large));
    registry.serve_crate(
        "short",
        Served::Lying {
            says: 9_000,
            sends: greeting(),
        },
    );
    // Two gigabytes are refused by what the head says: the rest never comes.
    registry.serve_crate(
        "huge",
        Served::Lying {
            says: 2 << 30,
            sends: greeting(),
        },
    );
    registry.serve_crate("outside", Served::File(outside.clone()));
    registry.serve_crate("cut", Served::File(cut.clone()));
    registry.serve_crate("elsewhere", Served::Redirect(format!("{}/x", other.url())));
    registry.serve_crate("private", Served::Redirect("https://10.0.0.1/x".to_owned()));
    registry.serve_crate(
        "metadata",
        Served::Redirect("https://169.254.169.254/x".to_owned()),
    );
    registry.serve_crate("slow", Served::Silence);
    registry.serve_crate("greeting", Served::File(greeting()));
    let crates = registry.crates();
    let more = [
        (SETTINGS[0], crates.as_str()),
        (SETTINGS[1], "[\"10.0.0.1\", \"169.254.169.254\"]"),
        ("supplies.package_mib", "1"),
        ("supplies.silence_seconds", "1"),
    ];
    let script =
        runs("ls /workspace/.supplies/cargo > b.txt && git add b.txt && git commit -qm listed");
    let bench = on(Store::Sqlite, None, &script, &more).await;
    // Each has a hash of its own: the store knows contents, and not names.
    let own = [
        "changed",
        "large",
        "huge",
        "endless",
        "short",
        "elsewhere",
        "private",
        "metadata",
        "slow",
        "missing",
    ];
    let own = own.map(|name| (name, hash(name.as_bytes())));
    let served = [
        ("outside", hash(&outside)),
        ("cut", hash(&cut)),
        ("greeting", hash(&greeting())),
    ];
    let mut entries: String = own
        .iter()
        .chain(&served)
        .map(|(name, hash)| entry(name, hash))
        .collect();
    entries.push_str(
        "\n[[package]]\nname = \"forked\"\nversion = \"1.0.0\"\nsource = \"git+https://evil.example/x#1\"\n",
    );
    lock(&bench, &entries).await;
    let path = bench.completed().await;
    let of = supplies(&bench, &path).await;
    assert_eq!(
        (&of[0]["state"], &of[0]["fetched"]),
        (&"done".into(), &1.into()),
        "{of}"
    );
    for (name, says) in [
        ("changed", "does not have the hash"),
        ("large", "more than 1 MiB"),
        ("huge", "more than 1 MiB"),
        ("endless", "more than 1 MiB"),
        ("short", "cannot be reached, or closed the connection"),
        ("outside", "path outside of its folder"),
        ("cut", "archive is damaged"),
        ("elsewhere", "which is not allowed"),
        ("private", "which is private"),
        ("metadata", "which is private"),
        ("slow", "did not answer within"),
        ("missing", "does not have it"),
        ("forked", "git repository"),
    ] {
        let shown = format!("{name} 1.0.0");
        let left = of[0]["left_out"].as_array().into_iter().flatten();
        let left = left.clone().find(|left| left["name"] == *shown);
        let why = left.and_then(|left| left["why"].as_str());
        assert!(
            why.is_some_and(|why| why.contains(says)),
            "{name}: {why:?} {of}"
        );
    }
    assert_eq!(other.visits(), [""; 0], "another host is never asked");
    let owner = bench.gateway.owner().await;
    let diff = owner.get(&format!("{path}/diff")).expect(200).await;
    assert!(
        diff.str("/text").contains("+greeting-1.0.0"),
        "{}",
        diff.text
    );
    assert!(!diff.str("/text").contains("+outside"), "{}", diff.text);
    bench.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn run_goes_on_without_a_package_that_comes_byte_by_byte() {
    let registry = PackageHost::start().await;
    registry.serve_crate("trickle", Served::Trickle { says: 1 << 20 });
    registry.serve_crate("greeting", Served::File(greeting()));
    let crates = registry.crates();
    let more = [(SETTINGS[0], crates.as_str()), ("supplies.seconds", "3")];
    let script =
        runs("ls /workspace/.supplies/cargo > b.txt && git add b.txt && git commit -qm listed");
    let bench = on(Store::Sqlite, None, &script, &more).await;
    let entries = [
        entry("trickle", &hash(b"trickle")),
        entry("greeting", &hash(&greeting())),
    ];
    lock(&bench, &entries.concat()).await;
    let path = bench.completed().await;
    let of = supplies(&bench, &path).await;
    let why = of[0]["why"].as_str().unwrap_or_default();
    assert!(why.contains("time limit of 3 s"), "{of}");
    assert_eq!(of[0]["fetched"], 1, "the other one came: {of}");
    let owner = bench.gateway.owner().await;
    let diff = owner.get(&format!("{path}/diff")).expect(200).await;
    assert!(
        diff.str("/text").contains("+greeting-1.0.0"),
        "{}",
        diff.text
    );
    bench.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn run_goes_on_when_the_registry_is_away_or_nothing_is_fetched_or_the_lock_file_is_too_large()
{
    let script = runs("true");
    let away = "http://127.0.0.1:9/{crate}-{version}";
    for (more, says) in [
        ((SETTINGS[0], away), "registry cannot be used"),
        ((SETTINGS[0], ""), "supplies.crates empty"),
        (("supplies.fetch", "off"), "supplies.fetch to off"),
    ] {
        let bench = on(Store::Sqlite, None, &script, &[more]).await;
        let names = ["a", "b", "c", "d"];
        let entries: String = names.iter().map(|name| entry(name, &hash(b"x"))).collect();
        lock(&bench, &entries).await;
        let large = vec![b'#'; 50 << 20];
        bench
            .host
            .commit("acme/tools", "main", "large/Cargo.lock", &large)
            .await;
        let path = bench.completed().await;
        let of = supplies(&bench, &path).await;
        let why = of[0]["why"].as_str().unwrap_or_default();
        assert!(
            of[0]["state"] == "failed" && why.contains(says),
            "{says}: {of}"
        );
        let why = of[1]["why"].as_str().unwrap_or_default();
        assert!(of[1]["state"] == "failed" && why.contains("50 MiB"), "{of}");
        bench.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn next_step_in_a_sandbox_tries_again_when_the_registry_was_away() {
    let registry = PackageHost::start().await;
    let crates = registry.crates();
    let script = runs(
        "(ls /workspace/.supplies/cargo || echo nothing) >> b.txt; git add b.txt && git commit -qm listed",
    );
    let more = [
        (SETTINGS[0], crates.as_str()),
        ("supplies.silence_seconds", "1"),
    ];
    let mut stores = vec![(Store::Sqlite, None)];
    if let Some(scratch) = ScratchPostgres::new().await {
        stores.push((Store::Postgres(scratch.url().to_owned()), Some(scratch)));
    }
    for (store, scratch) in stores {
        let again = Served::Then(
            Box::new(Served::Silence),
            Box::new(Served::File(greeting())),
        );
        registry.serve_crate("greeting", again);
        let mut bench = on(store, scratch, &script, &more).await;
        lock(&bench, &entry("greeting", &hash(&greeting()))).await;
        let owner = bench.gateway.owner().await;
        // The hub works before the others and after them, in one sandbox.
        let team = json!({ "name": "Hub", "topology": "hub_spoke", "risk_profile": "coding_readwrite",
            "mcp_bundles": ["sandbox"], "roles": [{ "slot": "hub" }, { "slot": "one" }, { "slot": "two" }] });
        let team = owner.post("/api/teams").json(&team).expect(201).await;
        bench.team = team.str("/id").to_owned();
        let path = bench.completed().await;
        let repo = owner.get(&path).expect(200).await;
        let of = &repo.body["supplies"][0];
        assert_eq!(
            (&of["state"], &of["left_out_count"]),
            (&"done".into(), &0.into()),
            "{of}"
        );
        let branches = repo.body["branches"].as_array().into_iter().flatten();
        let mut texts = Vec::new();
        for branch in branches {
            let branch = branch["branch"].as_str().unwrap_or_default();
            let diff = owner
                .get(&format!("{path}/diff?branch={branch}"))
                .expect(200)
                .await;
            texts.push(diff.str("/text").to_owned());
        }
        let is_hub = |text: &&String| text.contains("+nothing\n+greeting-1.0.0");
        assert!(texts.iter().any(|text| is_hub(&text)), "{texts:?}");
        bench.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_that_are_not_roosts_stay_and_the_run_says_so() {
    let registry = PackageHost::start().await;
    registry.serve_crate("greeting", Served::File(greeting()));
    let crates = registry.crates();
    let script = runs("mkdir -p /workspace/.cargo && echo '[net]' > /workspace/.cargo/config.toml");
    let bench = on(Store::Sqlite, None, &script, &[(SETTINGS[0], &crates)]).await;
    let first = bench.completed().await;
    assert_eq!(supplies(&bench, &first).await, Value::Array(Vec::new()));
    program(&bench).await;
    let second = bench.completed().await;
    let of = supplies(&bench, &second).await;
    let why = of[0]["why"].as_str().unwrap_or_default();
    assert!(
        why.contains("/workspace/.cargo/config.toml") && why.contains("stay as they are"),
        "{of}"
    );
    let owner = bench.gateway.owner().await;
    let run = over(owner, second.split('/').nth(3).expect("an id")).await;
    assert_eq!(run.str("/status"), "completed");
    bench.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn package_that_finds_no_room_on_the_gateway_is_named_and_nothing_half_is_left() {
    use std::io::Read;
    let registry = PackageHost::start().await;
    let crates = registry.crates();
    // Nothing compresses it.
    let mut noise = Vec::new();
    let random = std::fs::File::open("/dev/urandom").expect("noise");
    random
        .take(600 << 10)
        .read_to_end(&mut noise)
        .expect("noise");
    let large = archive(&[("large-1.0.0/Cargo.toml", b"x"), ("large-1.0.0/a", &noise)]);
    registry.serve_crate("large", Served::File(large.clone()));
    registry.serve_crate("greeting", Served::File(greeting()));
    let more = [(SETTINGS[0], crates.as_str())];
    let bench = on(Store::Sqlite, None, &runs("true"), &more).await;
    let entries = entry("large", &hash(&large)) + &entry("greeting", &hash(&greeting()));
    lock(&bench, &entries).await;
    let folder = bench.gateway.data_dir().join("supplies");
    std::fs::create_dir_all(&folder).expect("a folder");
    let Some(disk) = SmallDisk::mount(&folder, "2m") else {
        return;
    };
    let ballast = disk.fill_but(256 << 10);
    let path = bench.completed().await;
    let of = supplies(&bench, &path).await;
    assert_eq!(
        (&of[0]["fetched"], &of[0]["left_out_count"]),
        (&1.into(), &1.into()),
        "{of}"
    );
    let left = &of[0]["left_out"][0];
    assert_eq!(left["name"], "large 1.0.0", "{of}");
    let why = left["why"].as_str().unwrap_or_default();
    assert!(
        why.starts_with("The gateway's disk is full. Its operator makes room"),
        "{of}"
    );
    let kept = || {
        let shelves = std::fs::read_dir(&folder).expect("a folder").flatten();
        let shelf = shelves.map(|entry| entry.path()).find(|path| path.is_dir());
        let files = std::fs::read_dir(shelf.expect("a shelf")).expect("a folder");
        let names = files.map(|file| file.expect("a file").file_name());
        names.map(|name| name.into_string().expect("text"))
    };
    let greeting = format!("sha256-{}", hash(&greeting()));
    assert_eq!(kept().collect::<Vec<_>>(), [greeting]);

    std::fs::remove_file(ballast).expect("it is removed");
    let path = bench.completed().await;
    let of = supplies(&bench, &path).await;
    assert_eq!(
        (&of[0]["fetched"], &of[0]["stored"]),
        (&1.into(), &1.into()),
        "{of}"
    );
    assert_eq!(kept().count(), 2);
    bench.stop().await;
    drop(disk);
}
