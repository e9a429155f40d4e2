//! A container engine for one test, which may be killed and restarted. The engine that all tests share may not. Only
//! root can start one.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, geteuid, kill_process};
use tempfile::TempDir;
use tokio::time::sleep;

/// How long its start may take.
const START: Duration = Duration::from_secs(60);

/// A `dockerd` without a network. It and its containers end when it is dropped.
#[derive(Debug)]
pub struct PrivateEngine {
    folder: TempDir,
    child: Child,
}

impl PrivateEngine {
    /// Starts one with these images of the machine's engine; `None` without root, or where Docker is not installed.
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
        if images.is_empty() {
            return Some(engine);
        }
        let saved = engine.folder.path().join("images.tar");
        let mut save = Command::new("docker");
        let saved_to = save.arg("save").arg("-o").arg(&saved).args(images).output();
        assert_success(saved_to.expect("docker is installed"));
        assert_success(engine.docker(&["load", "-i", saved.to_str().expect("a path")]));
        std::fs::remove_file(saved).expect("removed");
        Some(engine)
    }

    /// The address for `DOCKER_HOST`.
    pub fn host(&self) -> String {
        format!("unix://{}", socket(self.folder.path()).display())
    }

    /// Sends `SIGKILL` and waits for its end.
    pub fn kill(&mut self) {
        self.child.kill().expect("it is a child");
        self.child.wait().expect("it is a child");
    }

    /// Stops it in order, as a restart of the machine's service does.
    pub fn stop(&mut self) {
        let id = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        kill_process(id.expect("an id"), Signal::TERM).expect("it is a child");
        self.child.wait().expect("it is a child");
    }

    /// Starts it again on its data; it ends the containers that still ran.
    pub async fn again(&mut self) {
        // The ids in them may belong to other processes by now, or to dead ones that nobody has waited for.
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

    /// Runs a `docker` command on it.
    ///
    /// # Panics
    /// When Docker's client is not installed.
    pub fn docker(&self, arguments: &[&str]) -> Output {
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
        // Ask it to stop instead of killing it, so that it unmounts its mounts.
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

fn assert_success(output: Output) {
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{error}");
}
