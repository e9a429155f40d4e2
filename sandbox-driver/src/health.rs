//! Health: whether the container runs, whether its guest answers, and what it uses.
use bollard::query_parameters::StatsOptionsBuilder;
use futures::StreamExt;
use roost_protocol::ids::SandboxId;
use roost_protocol::sandbox::{ContainerState, SandboxHealth};

use crate::driver::Driver;
use crate::error::DriverError;
use crate::exec::{Command, is_own};
use crate::names;
use crate::policy::GUEST;

impl Driver {
    /// Queries the engine and the guest. A guest that does not answer is a result, not an error.
    ///
    /// # Errors
    /// [`DriverError::NoSandbox`] when it does not exist, or the engine's error.
    pub async fn health(&self, sandbox: SandboxId) -> Result<SandboxHealth, DriverError> {
        let facts = self
            .facts(sandbox)
            .await?
            .ok_or(DriverError::NoSandbox(sandbox))?;
        let mut health = SandboxHealth {
            state: facts.state,
            guest: false,
            memory_bytes: None,
            pids: None,
            workspace_used_bytes: None,
            running: 0,
        };
        if facts.state != ContainerState::Running {
            return Ok(health);
        }
        let (usage, inside) = tokio::join!(self.usage(sandbox), self.inside(sandbox));
        (health.memory_bytes, health.pids) = usage;
        if let Ok((running, used)) = inside {
            health.guest = true;
            health.running = running;
            health.workspace_used_bytes = used;
        }
        Ok(health)
    }

    async fn usage(&self, sandbox: SandboxId) -> (Option<u64>, Option<u32>) {
        let options = StatsOptionsBuilder::new()
            .stream(false)
            .one_shot(true)
            .build();
        let name = names::container(sandbox);
        let mut stats = Box::pin(self.inner.docker.stats(&name, Some(options)));
        match stats.next().await {
            Some(Ok(stats)) => (
                stats.memory_stats.and_then(|memory| memory.usage),
                stats
                    .pids_stats
                    .and_then(|pids| pids.current)
                    .and_then(|pids| u32::try_from(pids).ok()),
            ),
            _ => (None, None),
        }
    }

    async fn inside(&self, sandbox: SandboxId) -> Result<(u32, Option<u64>), DriverError> {
        let link = self.attach(sandbox).await?;
        let hello = link.hello().await?;
        let commands = hello.processes.iter();
        let running = commands
            .filter(|held| held.running && !is_own(held.operation))
            .count();
        let used = link
            .run(Command::of(GUEST, &["usage"]))
            .await
            .ok()
            .and_then(|ran| String::from_utf8_lossy(&ran.output).trim().parse().ok());
        Ok((u32::try_from(running).unwrap_or(u32::MAX), used))
    }
}
