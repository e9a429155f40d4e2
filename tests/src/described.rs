//! Servers that are made from the API descriptions that code hosts publish. They refuse requests that do not fit. The
//! descriptions are packages that `deploy/setup.sh test` installs.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::gateway::prepare_process;
use crate::{eventually, free_port};

/// The packages of `tests/node`; `None` where they are not installed, which is a failure where every test must run.
///
/// # Panics
/// In CI, when they are not installed.
pub fn packages() -> Option<PathBuf> {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/node/node_modules"));
    there(folder.join(".bin/prism")).map(|_| folder)
}

/// Forgejo's description, which the setup takes out of a package.
///
/// # Panics
/// In CI, when it is not installed.
pub fn forgejo() -> Option<PathBuf> {
    there(PathBuf::from(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../target/python/forgejo.swagger.json"
    )))
}

/// The description of GitHub's Enterprise API.
pub fn github(packages: &Path) -> PathBuf {
    packages.join("@octokit/openapi/generated/ghes-3.19.json")
}

fn there(file: PathBuf) -> Option<PathBuf> {
    let required = std::env::var("CI").is_ok_and(|ci| ci == "true");
    assert!(
        file.exists() || !required,
        "{} is missing: run `deploy/setup.sh test`",
        file.display()
    );
    file.exists().then_some(file)
}

/// A server made from a description. Its paths begin below the version of the API.
pub struct Described {
    child: Child,
    pub port: u16,
}

impl Described {
    /// Starts it, and waits until it answers. It also refuses to give an answer that breaks the description.
    ///
    /// # Panics
    /// When it does not start.
    pub async fn start(packages: &Path, description: &Path) -> Self {
        Self::start_with(packages, description, &["--errors"]).await
    }

    /// As [`start`](Self::start), but it gives the description's example answers as they are: some of them break the
    /// description that they stand in. Requests are refused all the same.
    ///
    /// # Panics
    /// When it does not start.
    pub async fn start_with_examples(packages: &Path, description: &Path) -> Self {
        Self::start_with(packages, description, &[]).await
    }

    async fn start_with(packages: &Path, description: &Path, flags: &[&str]) -> Self {
        prepare_process();
        let port = free_port();
        let child = Command::new(packages.join(".bin/prism"))
            .arg("mock")
            .args(flags)
            .args(["--host", "127.0.0.1", "--port"])
            .arg(port.to_string())
            .arg(description)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("prism runs");
        let described = Self { child, port };
        let url = described.url("/");
        let client = reqwest::Client::builder().build().expect("a client");
        eventually("the described server answers", || async {
            client.get(&url).send().await.ok()
        })
        .await;
        described
    }

    /// The address of a path.
    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }
}

impl Drop for Described {
    fn drop(&mut self) {
        // One that ended already is only waited for.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
