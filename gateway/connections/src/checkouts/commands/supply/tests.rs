//! The real package managers of this machine install what the program for sandboxes lays out, without a network.

use std::path::Path;
use std::process::{Command, Stdio};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use flate2::Compression;
use flate2::write::GzEncoder;
use roost_platform::clock::SystemClock;
use roost_platform::outbound::{Outbound, OutboundSettings};
use sha2::{Digest, Sha256, Sha512};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::*;
use crate::supplies::{Bounds, Registries, SuppliesContext, SuppliesSettings};

/// Serves one file under every path; returns its address.
async fn served(content: Vec<u8>) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    #[expect(clippy::disallowed_methods, reason = "the registry of a test")]
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                head.push(socket.read_u8().await.unwrap());
            }
            let length = content.len();
            let head =
                format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n");
            socket.write_all(head.as_bytes()).await.unwrap();
            socket.write_all(&content).await.unwrap();
        }
    });
    format!("http://{address}")
}

fn packed(files: &[(&str, &str)]) -> Vec<u8> {
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    for (path, text) in files {
        let mut header = tar::Header::new_ustar();
        header.set_mode(0o644);
        header.set_size(text.len() as u64);
        archive
            .append_data(&mut header, path, text.as_bytes())
            .unwrap();
    }
    archive.into_inner().unwrap().finish().unwrap()
}

/// Gathers the packages of a lock file, and lays them into a folder in the place of `/workspace`.
async fn laid(home: &Path, registry: &str, lock: (&str, String)) {
    let context = SuppliesContext {
        settings: SuppliesSettings {
            fetch: true,
            registries: Registries {
                crates: Some(format!("{registry}/{{crate}}-{{version}}")),
                npm: Some(registry.to_owned()),
                npm_in_locks: Some("https://packages.example".to_owned()),
            },
            hosts: Vec::new(),
            bounds: Bounds {
                package: 1 << 20,
                total: 1 << 20,
                packages: 10,
                time: std::time::Duration::from_secs(60),
                silence: std::time::Duration::from_secs(60),
                kept: 1 << 20,
            },
        },
        outbound: Outbound::new(&OutboundSettings {
            allow_private: vec!["127.0.0.1".parse().unwrap()],
            ca_file: None,
        })
        .unwrap(),
        clock: SystemClock::shared(),
        folder: home.join("store"),
    };
    let (heard, mut reports) = mpsc::channel(16);
    let files = [(lock.0.to_owned(), lock.1.into_bytes())];
    let workspace = WorkspaceId(uuid::Uuid::from_u128(1));
    let gathered = supplies::gather(&context, workspace, &files, &heard).await;
    drop(heard);
    let mut last = None;
    while let Some(report) = reports.recv().await {
        last = Some(report);
    }
    let report = last.unwrap();
    assert_eq!(
        (report.fetched, report.left_out_count),
        (1, 0),
        "{report:?}"
    );
    let layout = supplies::laid_out(&gathered).await.unwrap().unwrap();
    let at = home.to_str().unwrap();
    let script = guest::SUPPLY.replace("/workspace", at);
    // The settings name the folder of a sandbox too.
    let head = String::from_utf8(layout.head)
        .unwrap()
        .replace("/workspace", at);
    let request = json!({ "stamp": layout.stamp }).to_string();
    let mut program = Command::new("python3")
        .args(["-I", "-S", "-c", &script, &request])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = program.stdin.take().unwrap();
    for content in std::iter::once(head.into_bytes()).chain(layout.contents) {
        std::io::Write::write_all(&mut input, &content).unwrap();
    }
    drop(input);
    let done = program.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&done.stdout);
    assert_eq!(said.trim(), "{\"kept\": []}");
}

/// Runs a program without a proxy and with nothing else of this machine's home.
fn works(home: &Path, folder: &Path, program: &str, arguments: &[&str]) -> String {
    let done = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .env("HOME", home)
        .env("CARGO_HOME", home.join(".cargo"))
        .env("CARGO_TARGET_DIR", home.join("target"))
        .env("npm_config_userconfig", home.join(".npmrc"))
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{program}: {errors}");
    String::from_utf8_lossy(&done.stdout).into_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn npm_installs_offline_what_was_laid_out() {
    if Command::new("npm").arg("--version").output().is_err() {
        eprintln!("npm is not installed here");
        return;
    }
    let package = packed(&[
        (
            "package/package.json",
            "{\"name\": \"@roost-test/hi\", \"version\": \"1.0.0\"}",
        ),
        (
            "package/index.js",
            "module.exports = 'hello from a package';\n",
        ),
    ]);
    let integrity = format!("sha512-{}", BASE64.encode(Sha512::digest(&package)));
    let lock = json!({
        "name": "tools", "version": "1.0.0", "lockfileVersion": 3, "requires": true,
        "packages": {
            "": { "name": "tools", "version": "1.0.0", "dependencies": { "@roost-test/hi": "^1.0.0" } },
            "node_modules/@roost-test/hi": {
                "version": "1.0.0",
                "resolved": "https://packages.example/@roost-test/hi/-/hi-1.0.0.tgz",
                "integrity": integrity,
            },
        },
    });
    let home = tempfile::tempdir().unwrap();
    let registry = served(package).await;
    laid(
        home.path(),
        &registry,
        ("package-lock.json", lock.to_string()),
    )
    .await;
    let folder = home.path().join("tools");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("package-lock.json"), lock.to_string()).unwrap();
    let package = json!({ "name": "tools", "version": "1.0.0", "dependencies": { "@roost-test/hi": "^1.0.0" } });
    std::fs::write(folder.join("package.json"), package.to_string()).unwrap();
    works(home.path(), &folder, "npm", &["ci"]);
    let said = works(
        home.path(),
        &folder,
        "node",
        &["-p", "require('@roost-test/hi')"],
    );
    assert_eq!(said.trim(), "hello from a package");
}

#[tokio::test(flavor = "multi_thread")]
async fn cargo_finds_offline_what_was_laid_out() {
    let toml = "[package]\nname = \"roost-test-hi\"\nversion = \"1.0.0\"\nedition = \"2021\"\n";
    let package = packed(&[
        ("roost-test-hi-1.0.0/Cargo.toml", toml),
        ("roost-test-hi-1.0.0/src/lib.rs", ""),
    ]);
    let lock = format!(
        "version = 3\n\n[[package]]\nname = \"roost-test-hi\"\nversion = \"1.0.0\"\nsource = \
         \"registry+https://github.com/rust-lang/crates.io-index\"\nchecksum = \"{}\"\n\n[[package]]\nname = \
         \"tools\"\nversion = \"1.0.0\"\ndependencies = [\n \"roost-test-hi\",\n]\n",
        hex::encode(Sha256::digest(&package))
    );
    let home = tempfile::tempdir().unwrap();
    let registry = served(package).await;
    laid(home.path(), &registry, ("Cargo.lock", lock.clone())).await;
    let folder = home.path().join("tools");
    std::fs::create_dir_all(folder.join("src")).unwrap();
    std::fs::write(folder.join("src/lib.rs"), "").unwrap();
    std::fs::write(folder.join("Cargo.lock"), lock).unwrap();
    let toml = "[package]\nname = \"tools\"\nversion = \"1.0.0\"\nedition = \"2021\"\n[dependencies]\nroost-test-hi = \"1\"\n";
    std::fs::write(folder.join("Cargo.toml"), toml).unwrap();
    let tree = works(home.path(), &folder, env!("CARGO"), &["tree", "--locked"]);
    assert!(tree.contains("roost-test-hi v1.0.0"), "{tree}");
}
