//! What can be read and written: root, kernel files, mounts, devices.
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags, StatVfsMountFlags, statvfs};
use rustix::io::Errno;

use super::fact::{Facts, answer, denied};

/// Files and folders of the kernel that must read as empty.
const MASKED: [(&str, &str); 17] = [
    ("acpi", "/proc/acpi"),
    ("asound", "/proc/asound"),
    ("config", "/proc/config.gz"),
    ("interrupts", "/proc/interrupts"),
    ("kallsyms", "/proc/kallsyms"),
    ("kcore", "/proc/kcore"),
    ("keys", "/proc/keys"),
    ("key_users", "/proc/key-users"),
    ("latency_stats", "/proc/latency_stats"),
    ("modules", "/proc/modules"),
    ("sched_debug", "/proc/sched_debug"),
    ("scsi", "/proc/scsi"),
    ("timer_list", "/proc/timer_list"),
    ("vmallocinfo", "/proc/vmallocinfo"),
    ("firmware", "/sys/firmware"),
    ("dmi", "/sys/devices/virtual/dmi"),
    ("powercap", "/sys/devices/virtual/powercap"),
];

/// Sockets and folders with which a container can control its host.
const SOCKETS: [&str; 7] = [
    "/var/run/docker.sock",
    "/run/docker.sock",
    "/run/podman/podman.sock",
    "/run/containerd/containerd.sock",
    "/run/crio/crio.sock",
    "/run/systemd/private",
    "/run/secrets",
];

pub fn probe(facts: &mut Facts) {
    for (fact, title, path) in [
        ("root.read_only", "The root file system is read-only", "/"),
        ("sys.read_only", "/sys is read-only", "/sys"),
        (
            "cgroup.read_only",
            "Control groups are read-only",
            "/sys/fs/cgroup",
        ),
        (
            "proc_sys.read_only",
            "Kernel settings are read-only",
            "/proc/sys",
        ),
        ("proc_bus.read_only", "/proc/bus is read-only", "/proc/bus"),
        ("proc_fs.read_only", "/proc/fs is read-only", "/proc/fs"),
        ("proc_irq.read_only", "/proc/irq is read-only", "/proc/irq"),
        (
            "sysrq.read_only",
            "The kernel's emergency keys are read-only",
            "/proc/sysrq-trigger",
        ),
    ] {
        facts.add(fact, title, "read-only", read_only(path));
    }
    facts.add(
        "root.write",
        "Nothing can be created in the root folder",
        "refused",
        denied(fs::write("/escaped", b"x")),
    );
    for (name, path) in MASKED {
        facts.add(
            &format!("masked.{name}"),
            &format!("{path} reads as empty"),
            "empty",
            emptiness(Path::new(path)),
        );
    }
    mounts(facts);
    let found: Vec<_> = SOCKETS
        .iter()
        .filter(|path| fs::symlink_metadata(path).is_ok())
        .copied()
        .collect();
    facts.add(
        "engine.socket",
        "No engine's socket and no secret is mounted",
        "none",
        none_or(&found.join(" ")),
    );
    facts.add(
        "devices",
        "Only harmless devices exist",
        "none other",
        devices(),
    );
    facts.add(
        "device.make",
        "No device can be made",
        "refused",
        denied(
            rustix::fs::mknodat(
                rustix::fs::CWD,
                "/workspace/.probe-null",
                rustix::fs::FileType::CharacterDevice,
                0o600.into(),
                rustix::fs::makedev(1, 3),
            )
            .map_err(io::Error::from),
        ),
    );
    facts.add(
        "tmp.execute",
        "Nothing in /tmp can be executed",
        "refused",
        execute("/tmp"),
    );
    facts.add(
        "workspace.execute",
        "Programs in the workspace run",
        "allowed",
        execute("/workspace"),
    );
}

fn read_only(path: &str) -> String {
    match statvfs(path) {
        Ok(found) if found.f_flag.contains(StatVfsMountFlags::RDONLY) => "read-only".to_owned(),
        Ok(_) => "writable".to_owned(),
        // A missing path cannot be written.
        Err(Errno::NOENT) => "read-only".to_owned(),
        Err(error) => answer(Err(error.into())),
    }
}

fn emptiness(path: &Path) -> String {
    match fs::symlink_metadata(path) {
        Err(_) => "empty".to_owned(),
        Ok(meta) if meta.is_dir() => match fs::read_dir(path) {
            Ok(entries) => match entries.count() {
                0 => "empty".to_owned(),
                count => format!("{count} entries"),
            },
            Err(error) => format!("not empty: {}", answer(Err(error))),
        },
        Ok(_) => {
            use std::io::Read;
            let mut byte = [0];
            match fs::File::open(path).and_then(|mut file| file.read(&mut byte)) {
                Ok(0) => "empty".to_owned(),
                Ok(_) => "readable".to_owned(),
                Err(error) => format!("not masked: {}", answer(Err(error))),
            }
        }
    }
}

fn mounts(facts: &mut Facts) {
    let known = |path: &str| {
        matches!(path, "/dev" | "/proc" | "/tmp" | "/workspace")
            || path.starts_with("/dev/")
            // Podman's own mounts, if only root may write there.
            || (matches!(path, "/run" | "/run/.containerenv" | "/var/tmp")
                && rustix::fs::access(path, rustix::fs::Access::WRITE_OK).is_err())
    };
    let text = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    // A later line of the same path covers the earlier one.
    let mut top: BTreeMap<&str, bool> = BTreeMap::new();
    for line in text.lines() {
        let fields: Vec<&str> = line.split(' ').collect();
        if let (Some(path), Some(options)) = (fields.get(4), fields.get(5)) {
            let writable = options.split(',').all(|option| option != "ro");
            // A masked file is an empty device, where nothing can be stored.
            let masked = line.contains(" /null ");
            top.insert(path, writable && !masked);
        }
    }
    let other: Vec<&str> = top
        .into_iter()
        .filter(|(path, writable)| *writable && !known(path))
        .map(|(path, _)| path)
        .collect();
    facts.add(
        "mounts.writable",
        "Nothing but the workspace and scratch space is writable",
        "none other",
        none_other(&other.join(" ")),
    );
    for (fact, path, wanted) in [
        ("tmp.flags", "/tmp", "nodev noexec nosuid"),
        ("shm.flags", "/dev/shm", "nodev noexec nosuid"),
        ("workspace.flags", "/workspace", "nodev nosuid"),
    ] {
        let flags = statvfs(path).map_or_else(|_| StatVfsMountFlags::empty(), |found| found.f_flag);
        let mut words = Vec::new();
        for (flag, word) in [
            (StatVfsMountFlags::NODEV, "nodev"),
            (StatVfsMountFlags::NOEXEC, "noexec"),
            (StatVfsMountFlags::NOSUID, "nosuid"),
        ] {
            if flags.contains(flag) {
                words.push(word);
            }
        }
        facts.add(
            fact,
            &format!("{path} is mounted with care"),
            wanted,
            words.join(" "),
        );
    }
}

fn devices() -> String {
    const HARMLESS: [&str; 8] = [
        "console", "full", "null", "ptmx", "random", "tty", "urandom", "zero",
    ];
    let mut other: Vec<String> = fs::read_dir("/dev")
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| {
            entry
                .file_type()
                .is_ok_and(|typ| typ.is_block_device() || typ.is_char_device())
        })
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| !HARMLESS.contains(&name.as_str()))
        .collect();
    other.sort();
    none_other(&other.join(" "))
}

/// Copies this program there and runs it for its usage text.
fn execute(folder: &str) -> String {
    match run_in(Path::new(folder)) {
        Ok(()) => "allowed".to_owned(),
        Err(error) => denied(Err(error)),
    }
}

/// Runs a copy of this program in a folder. The file has no name: the agent's own commands work in the same folder, and
/// `git add` fails when a file that it saw is gone. Some file systems know no files without a name.
fn run_in(folder: &Path) -> io::Result<()> {
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    let mut copy = match rustix::fs::open(folder, flags, Mode::RWXU) {
        Ok(copy) => fs::File::from(copy),
        Err(Errno::OPNOTSUPP | Errno::ISDIR) => {
            let named = folder.join(".probe-program");
            let ran = fs::copy("/proc/self/exe", &named).and_then(|_| run(&named));
            let _ = fs::remove_file(&named);
            return ran;
        }
        Err(error) => return Err(error.into()),
    };
    io::copy(&mut fs::File::open("/proc/self/exe")?, &mut copy)?;
    // A file that is open for writing cannot be executed.
    let program = fs::File::open(path_of(&copy))?;
    drop(copy);
    run(&path_of(&program))
}

/// The path of an open file, for this process and its children.
fn path_of(file: &fs::File) -> PathBuf {
    format!("/proc/self/fd/{}", file.as_raw_fd()).into()
}

fn run(program: &Path) -> io::Result<()> {
    let mut command = std::process::Command::new(program);
    command.stderr(std::process::Stdio::null());
    command.status().map(drop)
}

fn none_or(text: &str) -> String {
    if text.is_empty() {
        "none".to_owned()
    } else {
        text.to_owned()
    }
}

fn none_other(text: &str) -> String {
    if text.is_empty() {
        "none other".to_owned()
    } else {
        text.to_owned()
    }
}
