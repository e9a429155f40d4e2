//! The engine's facts about the machine: running containers, ours or not, and the folder of its data.
use std::path::PathBuf;
use std::time::Duration;

use bollard::query_parameters::StatsOptionsBuilder;
use futures::StreamExt;
use roost_protocol::ids::SandboxId;

use crate::driver::Driver;
use crate::error::DriverError;
use crate::names;

/// Facts for a heartbeat.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MachineFacts {
    /// Running containers of the engine.
    pub running: Option<u32>,
    /// Folder with the engine's data, for disk figures.
    pub data: Option<PathBuf>,
}

impl Driver {
    /// Queries the engine.
    ///
    /// # Errors
    /// The engine's error.
    pub async fn machine(&self) -> Result<MachineFacts, DriverError> {
        let info = self
            .inner
            .docker
            .info()
            .await
            .map_err(|error| DriverError::engine("asking for its state", error))?;
        Ok(MachineFacts {
            running: info
                .containers_running
                .and_then(|running| u32::try_from(running).ok()),
            data: info.docker_root_dir.map(PathBuf::from),
        })
    }

    /// Processor time that a sandbox has used since it started; `None` when the engine does not report it.
    pub async fn processor_time(&self, sandbox: SandboxId) -> Option<Duration> {
        let options = StatsOptionsBuilder::new()
            .stream(false)
            .one_shot(true)
            .build();
        let name = names::container(sandbox);
        let mut stats = Box::pin(self.inner.docker.stats(&name, Some(options)));
        let stats = stats.next().await?.ok()?;
        let nanos = stats.cpu_stats?.cpu_usage?.total_usage?;
        Some(Duration::from_nanos(nanos))
    }
}
