//! A driver on the local engine, an image for tests, and sandboxes that are removed with the test.
mod image;
mod machine;
mod shop;

use std::collections::BTreeMap;

use roost_protocol::ids::{AgentId, OperationId, SandboxId, WorkspaceId};
use roost_protocol::sandbox::{Limits, SandboxSpec};
use roost_sandbox_driver::exec::{Command, Ran};
use roost_sandbox_driver::{Driver, EngineConfig, GuestLink, ProvisionOptions};

pub use image::{docker, tiny_image};
pub use machine::Machine;
pub use shop::{Shop, whole};

/// A driver with its own owner, so that tests do not see each other's sandboxes.
pub struct Bench {
    pub driver: Driver,
    pub image: String,
    pub owner: String,
}

impl Bench {
    pub async fn new() -> Self {
        let owner = format!("test-{}", uuid::Uuid::now_v7());
        let driver = driver(&owner).await;
        Self {
            image: tiny_image().await,
            driver,
            owner,
        }
    }

    pub fn spec(&self) -> SandboxSpec {
        let id = uuid::Uuid::now_v7;
        SandboxSpec {
            sandbox: SandboxId(id()),
            workspace: WorkspaceId(id()),
            agent: AgentId(id()),
            node: None,
            epoch: 1,
            image: self.image.clone(),
            image_digest: None,
            limits: Limits {
                memory_bytes: 256 << 20,
                workspace_bytes: 64 << 20,
                nano_cpus: 1_000_000_000,
                pids: 64,
            },
            env: BTreeMap::new(),
            lease_s: 600,
        }
    }

    /// A running sandbox and the link to it.
    pub async fn sandbox(&self) -> (SandboxId, GuestLink) {
        self.sandbox_of(&self.spec()).await
    }

    pub async fn sandbox_of(&self, spec: &SandboxSpec) -> (SandboxId, GuestLink) {
        self.driver
            .provision(spec, ProvisionOptions::default(), &mut |_| {})
            .await
            .expect("the sandbox is made");
        let link = self
            .driver
            .attach(spec.sandbox)
            .await
            .expect("its guest answers");
        (spec.sandbox, link)
    }

    /// Removes everything that this test made; call it at the end. `leftovers.sh` removes what a failed test leaves.
    pub async fn clean(&self) {
        for facts in self.driver.list().await.expect("the engine lists") {
            self.driver
                .destroy(facts.sandbox, None)
                .await
                .expect("a sandbox of the test goes away");
        }
    }
}

impl Drop for Bench {
    /// Also removes the control group of the test's sandboxes; the kernel keeps one that is not empty.
    fn drop(&mut self) {
        let parent = self.driver.engine().cgroup_parent.clone();
        let roots = std::fs::read_dir("/sys/fs/cgroup");
        for root in roots.into_iter().flatten().flatten() {
            let group = parent.iter().map(|parent| parent.trim_start_matches('/'));
            group.for_each(|group| drop(std::fs::remove_dir(root.path().join(group))));
        }
    }
}

pub async fn driver(owner: &str) -> Driver {
    let config = EngineConfig {
        owner: owner.to_owned(),
        ..EngineConfig::default()
    };
    match Driver::connect(config).await {
        Ok(driver) => driver,
        Err(error) => panic!("these tests need a container engine: {error}"),
    }
}

pub fn operation() -> OperationId {
    OperationId(uuid::Uuid::now_v7())
}

pub fn shell(script: &str) -> Command {
    Command::of("/bin/sh", &["-c", script])
}

/// Runs a script and returns its stdout.
pub async fn stdout_of(link: &GuestLink, script: &str) -> String {
    let ran = link.run(shell(script)).await.expect("the script runs");
    text(&ran)
}

pub fn text(ran: &Ran) -> String {
    String::from_utf8_lossy(&ran.output).trim().to_owned()
}
