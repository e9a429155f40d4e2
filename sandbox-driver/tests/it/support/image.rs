//! A tiny agent image: busybox, the guest and the escape probe, built once and named by its content.
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

use bollard::Docker;
use bollard::query_parameters::CreateImageOptionsBuilder;
use futures::StreamExt;
use sha2::{Digest, Sha256};

const BUSYBOX: [&str; 2] = ["/bin/busybox", "/usr/bin/busybox"];

/// The image's reference, ready on the engine. `ROOST_TEST_IMAGE` names another existing image (Podman imports nothing
/// with an entry point: load one that `deploy/agent-image/build.sh --profile tiny --engine podman` made).
pub async fn tiny_image() -> String {
    if let Ok(given) = std::env::var("ROOST_TEST_IMAGE") {
        return given;
    }
    let (tar, reference) = tokio::task::spawn_blocking(prepare)
        .await
        .expect("preparing does not panic");
    let docker = docker();
    if docker.inspect_image(&reference).await.is_ok() {
        return reference;
    }
    let (name, tag) = reference.split_once(':').expect("a tag was given");
    let options = CreateImageOptionsBuilder::new()
        .from_src("-")
        .repo(name)
        .tag(tag)
        .changes(vec![
            r#"ENTRYPOINT ["/usr/local/lib/roost/guest"]"#.to_owned(),
        ])
        .build();
    let mut answers =
        docker.create_image(Some(options), Some(bollard::body_full(tar.into())), None);
    while let Some(answer) = answers.next().await {
        answer.expect("the engine takes the image");
    }
    reference
}

pub fn docker() -> Docker {
    let host =
        std::env::var("DOCKER_HOST").unwrap_or_else(|_| "unix:///var/run/docker.sock".to_owned());
    Docker::connect_with_unix(&host, 60, bollard::API_DEFAULT_VERSION)
        .expect("a unix socket is an address")
        .clone()
}

/// Builds the two static programs and packs them. All test processes together run it once at a time.
fn prepare() -> (Vec<u8>, String) {
    let target = target();
    fs::create_dir_all(&target).expect("the target folder can be made");
    let lock = File::create(target.join("image.lock")).expect("a lock file can be made");
    lock.lock().expect("the lock is had");
    let guest = program("roost-guest", "ROOST_GUEST_BIN", &target);
    let probe = program("escape-probe", "ROOST_PROBE_BIN", &target);
    let busybox = BUSYBOX
        .iter()
        .find(|path| Path::new(path).exists())
        .expect("these tests need busybox: apt-get install busybox-static");
    let tar = pack(&read(&guest), &read(&probe), &read(Path::new(busybox)));
    let tag = &hex::encode(Sha256::digest(&tar))[..16];
    (tar, format!("roost-test-agent:{tag}"))
}

fn read(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|mut file| file.read_to_end(&mut bytes))
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    bytes
}

/// A separate target folder: cargo holds the lock of the usual one while it builds.
fn target() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    target.join("guest")
}

fn program(name: &str, variable: &str, target: &Path) -> PathBuf {
    if let Some(given) = std::env::var_os(variable) {
        return given.into();
    }
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built = Command::new(cargo)
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("guest"))
        .args([
            "rustc",
            "--quiet",
            "--release",
            "--package",
            "roost-sandbox-guest",
        ])
        .args(["--bin", name, "--target-dir"])
        .arg(target)
        .args(["--", "-C", "target-feature=+crt-static"])
        .status()
        .expect("cargo runs");
    assert!(built.success(), "{name} does not build");
    target.join("release").join(name)
}

fn pack(guest: &[u8], probe: &[u8], busybox: &[u8]) -> Vec<u8> {
    let mut tar = tar::Builder::new(Vec::new());
    for folder in [
        "bin",
        "etc",
        "proc",
        "sys",
        "dev",
        "tmp",
        "workspace",
        "usr",
        "usr/local",
        "usr/local/lib",
        "usr/local/lib/roost",
    ] {
        // The runtime gives a tmpfs the mode of the folder that it covers.
        let mode = if folder == "tmp" { 0o1777 } else { 0o755 };
        add(&mut tar, folder, tar::EntryType::Directory, mode, &[]);
    }
    let passwd = b"root:x:0:0::/:/bin/sh\nagent:x:65532:65532::/workspace:/bin/sh\n";
    for (path, mode, data) in [
        ("etc/passwd", 0o644, &passwd[..]),
        ("etc/group", 0o644, b"root:x:0:\nagent:x:65532:\n"),
        ("bin/busybox", 0o755, busybox),
        ("usr/local/lib/roost/guest", 0o755, guest),
        ("usr/local/lib/roost/escape-probe", 0o755, probe),
    ] {
        add(&mut tar, path, tar::EntryType::Regular, mode, data);
    }
    for applet in "sh cat dd echo env false find head id kill ls mkdir mkfifo nohup od pidof printf ps rm seq setsid sha256sum sleep sort stty tail tee test touch tr true truncate tty uname wc yes".split(' ') {
        let mut header = header(tar::EntryType::Symlink, 0o777, 0);
        tar.append_link(&mut header, format!("bin/{applet}"), "busybox")
            .expect("a link fits");
    }
    tar.into_inner().expect("memory takes it")
}

fn header(typ: tar::EntryType, mode: u32, size: usize) -> tar::Header {
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(typ);
    header.set_mode(mode);
    header.set_size(size as u64);
    header
}

fn add(tar: &mut tar::Builder<Vec<u8>>, path: &str, typ: tar::EntryType, mode: u32, data: &[u8]) {
    let mut header = header(typ, mode, data.len());
    tar.append_data(&mut header, path, data)
        .expect("memory takes it");
}
