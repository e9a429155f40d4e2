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

/// Serves each file under its path, and a file with an empty path under all others; returns its address.
async fn served(files: Vec<(String, Vec<u8>)>) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    #[expect(clippy::disallowed_methods, reason = "the registry of a test")]
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                head.push(socket.read_u8().await.unwrap());
            }
            let head = String::from_utf8(head).unwrap();
            let path = head.split(' ').nth(1).unwrap();
            let found = files.iter().find(|(at, _)| at.is_empty() || at == path);
            let content = found
                .map(|(_, content)| content.clone())
                .unwrap_or_default();
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
async fn laid(home: &Path, registry: &str, lock: (&str, String), count: u64) {
    let context = SuppliesContext {
        settings: SuppliesSettings {
            fetch: true,
            registries: Registries {
                crates: Some(format!("{registry}/{{crate}}-{{version}}")),
                npm: Some(registry.to_owned()),
                npm_in_locks: Some("https://packages.example".to_owned()),
                pypi: Some(format!("{registry}/simple")),
                go: Some(format!("{registry}/go")),
            },
            hosts: Vec::new(),
            bounds: Bounds {
                package: 1 << 20,
                total: 1 << 20,
                packages: 10,
                time: Duration::from_secs(60),
                silence: Duration::from_secs(60),
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
    let asked = Asked {
        files: &files,
        added: &BTreeMap::new(),
        python: Python::default(),
        time: None,
    };
    let gathered = supplies::gather(&context, workspace, &asked, &heard).await;
    drop(heard);
    let mut last = None;
    while let Some(report) = reports.recv().await {
        last = Some(report);
    }
    let report = last.unwrap();
    assert_eq!(
        (report.fetched, report.left_out_count),
        (count, 0),
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
        // Settings of this machine come before those of the home folder.
        .env_remove("GOPROXY")
        .env_remove("GOFLAGS")
        .env_remove("XDG_CONFIG_HOME")
        .env_remove("PIP_FIND_LINKS")
        .env_remove("PIP_INDEX_URL")
        .env_remove("PIP_CONFIG_FILE")
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
    let registry = served(vec![(String::new(), package)]).await;
    laid(
        home.path(),
        &registry,
        ("package-lock.json", lock.to_string()),
        1,
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

/// A wheel of the project `hi`, which has one module.
fn wheel() -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (path, text) in [
        ("roost_hi.py", "WORDS = 'hello from a wheel'\n"),
        (
            "roost_hi-1.0.dist-info/METADATA",
            "Metadata-Version: 2.1\nName: roost-hi\nVersion: 1.0\n",
        ),
        (
            "roost_hi-1.0.dist-info/WHEEL",
            "Wheel-Version: 1.0\nGenerator: roost\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        ),
        (
            "roost_hi-1.0.dist-info/RECORD",
            "roost_hi.py,,\nroost_hi-1.0.dist-info/METADATA,,\nroost_hi-1.0.dist-info/WHEEL,,\nroost_hi-1.0.dist-info/RECORD,,\n",
        ),
    ] {
        let options = zip::write::SimpleFileOptions::default();
        archive.start_file(path, options).unwrap();
        std::io::Write::write_all(&mut archive, text.as_bytes()).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

#[tokio::test(flavor = "multi_thread")]
async fn pip_installs_offline_what_was_laid_out_for_each_lock_file_of_python() {
    if Command::new("python3")
        .args(["-m", "venv", "--help"])
        .output()
        .is_err()
    {
        eprintln!("Python is not installed here");
        return;
    }
    let package = wheel();
    let file = "roost_hi-1.0-py3-none-any.whl";
    let sum = hex::encode(Sha256::digest(&package));
    let page = format!("<a href=\"../../files/{file}#sha256={sum}\">{file}</a>");
    let page = format!("<!DOCTYPE html>{page}").into_bytes();
    let registry = served(vec![
        ("/simple/roost-hi/".to_owned(), page),
        (format!("/files/{file}"), package),
    ])
    .await;
    let requirements = format!("Roost_Hi==1.0 \\\n    --hash=sha256:{sum}\n");
    let uv = format!(
        "version = 1\nrequires-python = \">=3.8\"\n\n[[package]]\nname = \"roost-hi\"\nversion = \"1.0\"\nsource = {{ registry = \
         \"https://packages.example/simple\" }}\nwheels = [{{ url = \"https://packages.example/{file}\", hash = \
         \"sha256:{sum}\" }}]\n"
    );
    let poetry = format!(
        "[[package]]\nname = \"roost-hi\"\nversion = \"1.0\"\nfiles = [{{file = \"{file}\", hash = \
         \"sha256:{sum}\"}}]\n\n[metadata]\nlock-version = \"2.1\"\n"
    );
    for (lock, text) in [
        ("requirements.txt", requirements),
        ("uv.lock", uv),
        ("poetry.lock", poetry),
    ] {
        let home = tempfile::tempdir().unwrap();
        laid(home.path(), &registry, (lock, text.clone()), 1).await;
        let folder = home.path().join("tools");
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join(lock), text).unwrap();
        works(home.path(), &folder, "python3", &["-m", "venv", "v"]);
        let own = home
            .path()
            .join(format!(".supplies/python/locks/{lock}.txt"));
        let wanted = match lock {
            "requirements.txt" => folder.join(lock),
            _ => own,
        };
        let wanted = wanted.to_str().unwrap();
        let arguments = ["install", "--require-hashes", "-r", wanted];
        works(home.path(), &folder, "v/bin/pip", &arguments);
        let code = "import roost_hi; print(roost_hi.WORDS)";
        let said = works(home.path(), &folder, "v/bin/python", &["-c", code]);
        assert_eq!(said.trim(), "hello from a wheel");
    }
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
    let registry = served(vec![(String::new(), package)]).await;
    laid(home.path(), &registry, ("Cargo.lock", lock.clone()), 1).await;
    let folder = home.path().join("tools");
    std::fs::create_dir_all(folder.join("src")).unwrap();
    std::fs::write(folder.join("src/lib.rs"), "").unwrap();
    std::fs::write(folder.join("Cargo.lock"), lock).unwrap();
    let toml = "[package]\nname = \"tools\"\nversion = \"1.0.0\"\nedition = \"2021\"\n[dependencies]\nroost-test-hi = \"1\"\n";
    std::fs::write(folder.join("Cargo.toml"), toml).unwrap();
    let tree = works(home.path(), &folder, env!("CARGO"), &["tree", "--locked"]);
    assert!(tree.contains("roost-test-hi v1.0.0"), "{tree}");
}
