//! Packages of Python's lock files: an index on loopback, the real gateway and broker, and a real sandbox without a network.

use std::io::{Cursor, Write};

use roost_tests::Store;
use roost_tests::package_host::{PackageHost, Served, archive};
use serde_json::json;

use super::super::{Bench, runs};
use super::{hash, supplies};

const WHEEL: &str = "greeting-1.0-py3-none-any.whl";

/// Python imports from a zip too, so the image needs no pip.
fn wheel() -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    archive.start_file("greeting.py", options).expect("a file");
    archive
        .write_all(b"WORDS = 'hello from a wheel'\n")
        .expect("it is written");
    archive.finish().expect("it ends").into_inner()
}

/// Serves the page of a project whose only file is at `url`.
fn project(index: &PackageHost, name: &str, file: &str, url: &str, sum: &str) {
    let page = json!({
        "meta": { "api-version": "1.1" },
        "name": name,
        "files": [{ "filename": file, "url": url, "hashes": { "sha256": sum } }],
    });
    let page = page.to_string().into_bytes();
    index.serve(&format!("/simple/{name}/"), Served::File(page));
}

/// A line of a requirements.txt.
fn line(name: &str, sum: &str) -> String {
    format!("{name}==1.0 \\\n    --hash=sha256:{sum}\n")
}

async fn on(index: &PackageHost, script: &str, more: &[(&str, &str)]) -> Bench {
    let address = format!("{}/simple", index.url());
    let mut all = vec![("supplies.pypi", address.as_str())];
    all.extend_from_slice(more);
    Bench::with(Store::Sqlite, None, script, "forgejo", &all).await
}

async fn commit(bench: &Bench, path: &str, text: &str) {
    let host = &bench.host;
    host.commit("acme/tools", "main", path, text.as_bytes())
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn python_imports_the_wheel_that_fits_the_sandbox_and_the_store_serves_a_repeat() {
    let index = PackageHost::start().await;
    let sum = hash(&wheel());
    let other = hash(b"of another system");
    let page = json!({ "files": [
        { "filename": "greeting-1.0-cp311-cp311-win_amd64.whl", "url": "/other", "hashes": { "sha256": other } },
        { "filename": WHEEL, "url": format!("../../files/{WHEEL}"), "hashes": { "sha256": sum } },
    ] });
    let page = page.to_string().into_bytes();
    index.serve("/simple/greeting/", Served::File(page));
    index.serve(&format!("/files/{WHEEL}"), Served::File(wheel()));
    let script = runs(
        "python3 -c 'import sys; sys.path.insert(0, \"/workspace/.supplies/python/greeting-1.0-py3-none-any.whl\"); import \
         greeting; print(greeting.WORDS)' > b.txt; cat ~/.config/pip/pip.conf /workspace/.config/uv/uv.toml \
         /workspace/.supplies/python/locks/uv.lock.txt >> b.txt; git add b.txt && git commit -qm used",
    );
    let bench = on(&index, &script, &[]).await;
    let text = format!(
        "{}greeting==1.0 \\\n  --hash=sha256:{sum}\n",
        line("greeting", &other)
    );
    commit(&bench, "requirements.txt", &text).await;
    let text = format!(
        "version = 1\n[[package]]\nname = \"greeting\"\nversion = \"1.0\"\nsource = {{ registry = \
         \"https://evil.example/simple\" }}\nwheels = [{{ url = \"https://evil.example/{WHEEL}\", hash = \"sha256:{sum}\" }}]\n"
    );
    commit(&bench, "uv.lock", &text).await;
    let path = bench.completed().await;
    let owner = bench.gateway.owner().await;
    let diff = owner.get(&format!("{path}/diff")).expect(200).await;
    for wanted in [
        "+hello from a wheel",
        "+no-index = true",
        "+find-links = /workspace/.supplies/python",
        "+find-links = [\"/workspace/.supplies/python\"]",
        &format!("+greeting==1.0 --hash=sha256:{sum}"),
    ] {
        assert!(
            diff.str("/text").contains(wanted),
            "{wanted}: {}",
            diff.text
        );
    }
    let of = supplies(&bench, &path).await;
    let counts = |at: usize| {
        json!([
            of[at]["path"],
            of[at]["kind"],
            of[at]["state"],
            of[at]["fetched"],
            of[at]["stored"]
        ])
    };
    assert_eq!(
        counts(0),
        json!(["requirements.txt", "python", "done", 1, 0]),
        "{of}"
    );
    // The lock file names the file, so the store answers without the index.
    assert_eq!(
        counts(1),
        json!(["uv.lock", "python", "done", 0, 1]),
        "{of}"
    );
    let visits = ["/simple/greeting/".to_owned(), format!("/files/{WHEEL}")];
    assert_eq!(index.visits(), visits);
    bench.stop().await;
}

/// A wheel as its format wants it: with the metadata that pip reads.
fn whole_wheel() -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    for (path, text) in [
        ("greeting.py", "WORDS = 'hello from a wheel'\n"),
        (
            "greeting-1.0.dist-info/METADATA",
            "Metadata-Version: 2.1\nName: greeting\nVersion: 1.0\n",
        ),
        (
            "greeting-1.0.dist-info/WHEEL",
            "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        ),
        (
            "greeting-1.0.dist-info/RECORD",
            "greeting.py,,\ngreeting-1.0.dist-info/METADATA,,\ngreeting-1.0.dist-info/WHEEL,,\ngreeting-1.0.dist-info/RECORD,,\n",
        ),
    ] {
        archive.start_file(path, options).expect("a file");
        archive.write_all(text.as_bytes()).expect("it is written");
    }
    archive.finish().expect("it ends").into_inner()
}

#[tokio::test(flavor = "multi_thread")]
async fn pip_of_the_python_image_installs_without_a_network_what_the_gateway_fetched() {
    let index = PackageHost::start().await;
    let sum = hash(&whole_wheel());
    project(&index, "greeting", WHEEL, &format!("/files/{WHEEL}"), &sum);
    index.serve(&format!("/files/{WHEEL}"), Served::File(whole_wheel()));
    let image = std::env::var("ROOST_TEST_PYTHON_IMAGE");
    let image = image.unwrap_or_else(|_| "roost-agent:python".to_owned());
    let script = runs(
        "python3 -m venv .venv && .venv/bin/pip install --quiet --require-hashes -r requirements.txt && .venv/bin/python -c \
         'import greeting; print(greeting.WORDS)' > b.txt && git add b.txt && git commit -qm used",
    );
    let more = [("sandboxes.image", image.as_str())];
    let bench = on(&index, &script, &more).await;
    commit(&bench, ".gitignore", ".venv\n").await;
    commit(&bench, "requirements.txt", &line("greeting", &sum)).await;
    let path = bench.completed().await;
    let owner = bench.gateway.owner().await;
    let diff = owner.get(&format!("{path}/diff")).expect(200).await;
    let said = diff.str("/text");
    assert!(said.contains("+hello from a wheel"), "{said}");
    bench.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn files_that_are_refused_are_named_and_the_run_goes_on() {
    let (index, other) = (PackageHost::start().await, PackageHost::start().await);
    let sum = |name: &str| hash(name.as_bytes());
    let at = |name: &str| format!("{name}-1.0-py3-none-any.whl");
    let url = |name: &str| format!("/files/{name}");
    for name in ["changed", "large", "short", "moved", "slow"] {
        project(&index, name, &at(name), &url(name), &sum(name));
    }
    let large = vec![7; 3 << 20];
    index.serve("/files/changed", Served::File(b"other".to_vec()));
    index.serve("/files/large", Served::Endless(large.clone()));
    let (says, sends) = (9_000, b"short".to_vec());
    index.serve("/files/short", Served::Lying { says, sends });
    index.serve(
        "/files/moved",
        Served::Redirect(format!("{}/x", other.url())),
    );
    index.serve("/files/slow", Served::Silence);
    project(
        &index,
        "foreign",
        &at("foreign"),
        &format!("{}/x", other.url()),
        &sum("foreign"),
    );
    project(
        &index,
        "private",
        &at("private"),
        "https://169.254.169.254/x",
        &sum("private"),
    );
    project(&index, "repinned", &at("repinned"), "/x", &sum("other"));
    project(
        &index,
        "windows",
        "windows-1.0-cp311-cp311-win_amd64.whl",
        "/x",
        &sum("windows"),
    );
    index.serve("/simple/odd/", Served::File(b"hello".to_vec()));
    index.serve("/simple/endless/", Served::Endless(large));
    let source = archive(&[("source-1.0/setup.py", b"")]);
    project(
        &index,
        "source",
        "source-1.0.tar.gz",
        "/files/source",
        &hash(&source),
    );
    index.serve("/files/source", Served::File(source.clone()));
    let more = [
        ("supplies.package_mib", "1"),
        ("supplies.silence_seconds", "1"),
        ("supplies.hosts", "[\"169.254.169.254\"]"),
    ];
    let bench = on(&index, &runs("true"), &more).await;
    let cases = [
        ("changed", "does not have the hash"),
        ("large", "more than 1 MiB"),
        ("short", "cannot be reached, or closed the connection"),
        ("moved", "which is not allowed"),
        ("slow", "did not answer within"),
        ("foreign", "which is not allowed"),
        ("private", "which is private"),
        ("repinned", "no file of it with a hash of the lock file"),
        ("windows", "None of its files is for Python 3.11 on Linux"),
        ("odd", "did not answer as a Python index"),
        ("endless", "more than 1 MiB"),
        ("missing", "does not have it"),
    ];
    let lines: String = cases
        .iter()
        .map(|(name, _)| line(name, &sum(name)))
        .collect();
    let own = format!(
        "own @ https://evil.example/own.whl --hash=sha256:{}\n",
        sum("own")
    );
    let text = format!("{lines}{own}{}", line("source", &hash(&source)));
    commit(&bench, "requirements.txt", &text).await;
    commit(&bench, "plain/requirements.txt", "greeting==1.0\n").await;
    commit(&bench, "strange/poetry.lock", "hello").await;
    let path = bench.completed().await;
    let of = supplies(&bench, &path).await;
    let at = |path: &str| {
        of.as_array()
            .into_iter()
            .flatten()
            .find(|one| one["path"] == path)
    };
    let main = at("requirements.txt").expect("a row");
    assert_eq!(main["fetched"], 1, "{of}");
    let left = |name: &str| {
        let left = main["left_out"].as_array().into_iter().flatten();
        let mut left = left.filter(|left| {
            left["name"]
                .as_str()
                .is_some_and(|left| left.starts_with(name))
        });
        left.next().and_then(|left| left["why"].as_str())
    };
    for (name, says) in cases.into_iter().chain([("own", "address of its own")]) {
        let why = left(name);
        assert!(
            why.is_some_and(|why| why.contains(says)),
            "{name}: {why:?} {of}"
        );
    }
    for (path, says) in [
        ("plain/requirements.txt", "no sha256 hashes"),
        ("strange/poetry.lock", "cannot be read"),
    ] {
        let row = at(path).expect("a row");
        let why = row["why"].as_str().unwrap_or_default();
        assert!(
            row["state"] == "failed" && why.contains(says),
            "{path}: {row}"
        );
    }
    assert_eq!(other.visits(), [""; 0], "another host is never asked");
    bench.stop().await;
}
