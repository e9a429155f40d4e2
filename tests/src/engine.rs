//! A container engine of a test's own, which may be killed and started again: the one that all tests share may not. Only
//! root can have one.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, geteuid, kill_process};
use tempfile::TempDir;
use tokio::time::sleep;

/// How long it may take to answer.
const START: Duration = Duration::from_secs(60);

/// A `dockerd` without a network; it and its containers end when it is dropped.
#[derive(Debug)]
pub struct PrivateEngine {
    folder: TempDir,
    child: Child,
}

impl PrivateEngine {
    /// Starts one that has these images of the machine's engine; `None` for who may not, or where Docker is not installed.
    ///
    /// # Panics
    /// When it does not start.
    pub async fn start(images: &[&str]) -> Option<Self> {
        let installed =
            Path::new("/usr/sbin/dockerd").exists() || Path::new("/usr/bin/dockerd").exists();
        if !geteuid().is_root() || !installed {
            eprintln!(
                "not tested here: an engine that is killed (only root can start one of its own)"
            );
            return None;
        }
        let folder = tempfile::tempdir().expect("a folder");
        let child = launch(folder.path());
        let engine = Self { folder, child };
        engine.answers().await;
        let saved = engine.folder.path().join("images.tar");
        let mut save = Command::new("docker");
        let saved_to = save.arg("save").arg("-o").arg(&saved).args(images).output();
        said(saved_to.expect("docker is installed"));
        said(engine.docker(&["load", "-i", saved.to_str().expect("a path")]));
        std::fs::remove_file(saved).expect("removed");
        Some(engine)
    }

    /// For `DOCKER_HOST`.
    pub fn host(&self) -> String {
        format!("unix://{}", socket(self.folder.path()).display())
    }

    /// `SIGKILL`, and its end.
    pub fn kill(&mut self) {
        self.child.kill().expect("it is a child");
        self.child.wait().expect("it is a child");
    }

    /// Starts it again on its data; it ends what still ran.
    pub async fn again(&mut self) {
        // The ids in them may be somebody else's by now, or of the dead that nobody has buried.
        for left in ["pid", "exec/containerd/containerd.pid"] {
            let _ = std::fs::remove_file(self.folder.path().join(left));
        }
        self.child = launch(self.folder.path());
        self.answers().await;
    }

    /// Removes all containers.
    pub fn clear(&self) {
        let all = self.docker(&["ps", "-aq"]);
        let ids = String::from_utf8_lossy(&all.stdout).into_owned();
        let ids: Vec<&str> = ids.split_whitespace().collect();
        if !ids.is_empty() {
            self.docker(&[&["rm", "-f"], &*ids].concat());
        }
    }

    fn docker(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new("docker");
        command.args(["-H", &self.host()]).args(arguments);
        command.output().expect("docker is installed")
    }

    async fn answers(&self) {
        let until = Instant::now() + START;
        while !self.docker(&["version"]).status.success() {
            assert!(Instant::now() < until, "{}", log(self.folder.path()));
            sleep(Duration::from_millis(50)).await;
        }
    }
}

impl Drop for PrivateEngine {
    fn drop(&mut self) {
        self.clear();
        // Asked, not killed: it unmounts what it mounted.
        let id = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        if let Some(id) = id {
            let _ = kill_process(id, Signal::TERM);
        }
        let _ = self.child.wait();
    }
}

fn socket(folder: &Path) -> PathBuf {
    folder.join("sock")
}

fn log(folder: &Path) -> String {
    std::fs::read_to_string(folder.join("log")).unwrap_or_default()
}

fn launch(folder: &Path) -> Child {
    let log = File::options()
        .create(true)
        .append(true)
        .open(folder.join("log"))
        .expect("a file for the log");
    let mut command = Command::new("dockerd");
    for (option, at) in [
        ("--data-root", "root"),
        ("--exec-root", "exec"),
        ("--pidfile", "pid"),
    ] {
        command.arg(option).arg(folder.join(at));
    }
    command
        .arg("--host")
        .arg(format!("unix://{}", socket(folder).display()))
        .args(["--bridge=none", "--iptables=false", "--ip6tables=false"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(log)
        .spawn()
        .expect("dockerd is installed")
}

fn said(output: Output) {
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{error}");
}
