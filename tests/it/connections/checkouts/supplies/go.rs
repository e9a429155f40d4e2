//! Go modules of a `go.sum`: a module proxy on loopback, the real gateway and broker, and a real sandbox without a network.

use std::io::{Cursor, Write};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use roost_tests::Store;
use roost_tests::package_host::{PackageHost, Served};
use sha2::{Digest, Sha256};

use super::super::{Bench, runs};
use super::{hash, supplies};

/// An archive with these files.
fn archived(files: &[(&str, &str)]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    for (path, text) in files {
        archive.start_file(*path, options).expect("a file");
        archive.write_all(text.as_bytes()).expect("it is written");
    }
    archive.finish().expect("it ends").into_inner()
}

fn module(path: &str, text: &str) -> Vec<u8> {
    archived(&[(path, text)])
}

/// Go's sum of files, which are in the order of their names.
fn sum_of(files: &[(&str, &str)]) -> String {
    let lines = files
        .iter()
        .map(|(path, text)| format!("{}  {path}\n", hash(text.as_bytes())));
    let lines: String = lines.collect();
    format!("h1:{}", BASE64.encode(Sha256::digest(lines)))
}

fn sum(path: &str, text: &str) -> String {
    sum_of(&[(path, text)])
}

#[tokio::test(flavor = "multi_thread")]
async fn modules_with_their_sums_are_laid_out_as_a_proxy_and_others_are_named() {
    let proxy = PackageHost::start().await;
    let about = "module example.com/Hi\n";
    let serve = |name: &str, path: &str, served: Served| {
        proxy.serve(&format!("/go/example.com/{name}/@v/v1.0.0.{path}"), served);
    };
    let file = |name: &str| format!("example.com/{name}@v1.0.0/a.go");
    serve("!hi", "mod", Served::File(about.as_bytes().to_vec()));
    serve(
        "!hi",
        "zip",
        Served::File(module(&file("Hi"), "package hi")),
    );
    serve(
        "changed",
        "zip",
        Served::File(module(&file("changed"), "other")),
    );
    serve("changed", "mod", Served::File(b"module other\n".to_vec()));
    let outside = "example.com/outside@v1.0.0/../../x";
    serve("outside", "zip", Served::File(module(outside, "x")));
    serve("text", "zip", Served::File(b"hello".to_vec()));
    serve("slow", "zip", Served::Silence);
    let lock = [
        format!("example.com/Hi v1.0.0 {}", sum(&file("Hi"), "package hi")),
        format!("example.com/Hi v1.0.0/go.mod {}", sum("go.mod", about)),
        format!("example.com/changed v1.0.0 {}", sum(&file("changed"), "x")),
        format!("example.com/changed v1.0.0/go.mod {}", sum("go.mod", "x")),
        format!("example.com/outside v1.0.0 {}", sum(outside, "x")),
        format!("example.com/text v1.0.0 {}", sum("x", "x")),
        format!("example.com/slow v1.0.0 {}", sum("x", "slow")),
        format!("example.com/missing v1.0.0 {}", sum("x", "missing")),
        "example.com/bad v1.0.0 h1:x\n".to_owned(),
    ];
    let address = format!("{}/go", proxy.url());
    let more = [
        ("supplies.go", address.as_str()),
        ("supplies.silence_seconds", "1"),
    ];
    let script = runs(
        "cd /workspace && (find .supplies/go -type f | sort; cat .supplies/go/example.com/!hi/@v/list .config/go/env) > tools/b.txt; \
         cd tools && git add b.txt && git commit -qm listed",
    );
    let bench = Bench::with(Store::Sqlite, None, &script, "forgejo", &more).await;
    let lock = lock.join("\n");
    let host = &bench.host;
    host.commit("acme/tools", "main", "go.sum", lock.as_bytes())
        .await;
    host.commit("acme/tools", "main", "page/go.sum", b"<html>")
        .await;
    let path = bench.completed().await;
    let of = supplies(&bench, &path).await;
    assert_eq!(
        (&of[0]["kind"], &of[0]["fetched"]),
        (&"go".into(), &2.into()),
        "{of}"
    );
    for (name, says) in [
        ("changed v1.0.0", "does not have the hash"),
        ("changed v1.0.0/go.mod", "does not have the hash"),
        ("outside v1.0.0", "path outside of its folder"),
        ("text v1.0.0", "does not have the hash"),
        ("slow v1.0.0", "did not answer within"),
        ("missing v1.0.0", "does not have it"),
        ("bad v1.0.0", "no valid hash"),
    ] {
        let shown = format!("example.com/{name}");
        let mut left = of[0]["left_out"].as_array().into_iter().flatten();
        let left = left.find(|left| left["name"] == *shown);
        let why = left.and_then(|left| left["why"].as_str());
        assert!(
            why.is_some_and(|why| why.contains(says)),
            "{name}: {why:?} {of}"
        );
    }
    let why = of[1]["why"].as_str().unwrap_or_default();
    assert!(of[1]["state"] == "failed" && why.contains("line 1"), "{of}");
    let owner = bench.gateway.owner().await;
    let diff = owner.get(&format!("{path}/diff")).expect(200).await;
    for wanted in [
        "+.supplies/go/example.com/!hi/@v/v1.0.0.info",
        "+.supplies/go/example.com/!hi/@v/v1.0.0.mod",
        "+.supplies/go/example.com/!hi/@v/v1.0.0.zip",
        "+v1.0.0",
        "+GOPROXY=file:///workspace/.supplies/go",
        "+GOSUMDB=off",
    ] {
        assert!(
            diff.str("/text").contains(wanted),
            "{wanted}: {}",
            diff.text
        );
    }
    assert!(!diff.str("/text").contains("outside"), "{}", diff.text);
    bench.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn go_builds_without_a_network_with_a_module_that_the_gateway_fetched() {
    let proxy = PackageHost::start().await;
    let about = "module example.com/Roost/hi\n\ngo 1.16\n";
    let files = [
        ("example.com/Roost/hi@v1.0.0/go.mod", about),
        (
            "example.com/Roost/hi@v1.0.0/hi.go",
            "package hi\n\nconst Words = \"hello from a module\"\n",
        ),
    ];
    let served = "/go/example.com/!roost/hi/@v/v1.0.0";
    let (zip, manifest) = (format!("{served}.zip"), format!("{served}.mod"));
    proxy.serve(&zip, Served::File(archived(&files)));
    proxy.serve(&manifest, Served::File(about.as_bytes().to_vec()));
    let lock = format!(
        "example.com/Roost/hi v1.0.0 {}\nexample.com/Roost/hi v1.0.0/go.mod {}\n",
        sum_of(&files),
        sum("go.mod", about)
    );
    let image = std::env::var("ROOST_TEST_POLYGLOT_IMAGE");
    let image = image.unwrap_or_else(|_| "roost-agent:polyglot".to_owned());
    let address = format!("{}/go", proxy.url());
    let more = [
        ("supplies.go", address.as_str()),
        ("sandboxes.image", &image),
    ];
    let script = runs(
        "go mod download && go mod verify > b.txt && go build -o program && ./program 2>> b.txt; \
         (go get example.com/other@v1.0.0 2>&1 | grep -o 'no such file' | head -n 1 >> b.txt); \
         git checkout -q go.mod go.sum; git add b.txt && git commit -qm used",
    );
    let bench = Bench::with(Store::Sqlite, None, &script, "forgejo", &more).await;
    let main =
        "package main\n\nimport \"example.com/Roost/hi\"\n\nfunc main() { println(hi.Words) }\n";
    for (path, text) in [
        (".gitignore", "program\n"),
        (
            "go.mod",
            "module tools\n\ngo 1.16\n\nrequire example.com/Roost/hi v1.0.0\n",
        ),
        ("go.sum", &*lock),
        ("main.go", main),
    ] {
        let host = &bench.host;
        host.commit("acme/tools", "main", path, text.as_bytes())
            .await;
    }
    let path = bench.completed().await;
    let owner = bench.gateway.owner().await;
    let diff = owner.get(&format!("{path}/diff")).expect(200).await;
    let said = diff.str("/text");
    let words = "+all modules verified\n+hello from a module\n+no such file\n";
    assert!(said.ends_with(words), "{said}");
    let of = supplies(&bench, &path).await;
    assert_eq!(
        (&of[0]["kind"], &of[0]["fetched"], &of[0]["left_out_count"]),
        (&"go".into(), &2.into(), &0.into()),
        "{of}"
    );
    let mut visits = proxy.visits();
    visits.sort();
    assert_eq!(visits, [manifest, zip]);
    bench.stop().await;
}
