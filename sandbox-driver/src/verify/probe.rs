//! Makes an ordinary sandbox, runs the escape probe in it, and removes it.
use std::collections::BTreeMap;

use roost_protocol::ids::{AgentId, SandboxId, WorkspaceId};
use roost_protocol::sandbox::{Limits, SandboxSpec};
use roost_protocol::verify::ProbedFact;

use super::golden;
use crate::driver::{Driver, now_s};
use crate::error::DriverError;
use crate::exec::{Command, new_operation};
use crate::names;
use crate::policy::{self, PROBE};

/// Fixed values, so that the probe's expected facts are fixed too.
pub const PROBE_LIMITS: Limits = Limits {
    memory_bytes: 256 << 20,
    workspace_bytes: 32 << 20,
    nano_cpus: 1_000_000_000,
    pids: 64,
};

impl Driver {
    pub(super) async fn probe(&self, image: &str) -> Result<Vec<ProbedFact>, DriverError> {
        let id = new_operation().uuid();
        let spec = SandboxSpec {
            sandbox: SandboxId(id),
            workspace: WorkspaceId(id),
            agent: AgentId(id),
            node: None,
            epoch: 0,
            image: image.to_owned(),
            image_digest: None,
            limits: PROBE_LIMITS,
            env: BTreeMap::new(),
            lease_s: 60,
        };
        let read = self.read_inside(&spec).await;
        let removed = self.remove(spec.sandbox).await;
        let facts = read?;
        removed?;
        Ok(golden::judge(facts))
    }

    async fn read_inside(&self, spec: &SandboxSpec) -> Result<Vec<ProbedFact>, DriverError> {
        let limits = policy::admit(spec)?;
        let image = self.fit_image(&spec.image, None).await?;
        let mut labels = names::labels(&self.inner.engine.owner, spec, limits, None, now_s());
        labels.insert(names::PROBE.to_owned(), "1".to_owned());
        let body = policy::container(spec, limits, &self.inner.engine, labels)?;
        self.create(spec.sandbox, body, &image).await?;
        self.inner
            .docker
            .start_container(
                &names::container(spec.sandbox),
                None::<bollard::query_parameters::StartContainerOptions>,
            )
            .await
            .map_err(|error| DriverError::engine("starting the probe sandbox", error))?;
        let link = self.attach(spec.sandbox).await?;
        let words = [
            limits.memory_bytes,
            limits.workspace_bytes,
            u64::from(limits.pids),
        ]
        .map(|number| number.to_string());
        let ran = link
            .run(Command::of(PROBE, &[&words[0], &words[1], &words[2]]))
            .await?;
        let failed = |detail: String| DriverError::CommandFailed {
            program: "escape-probe",
            code: ran.code,
            detail: roost_protocol::text::clean(&detail, 1000),
        };
        if ran.code != 0 {
            return Err(failed(String::from_utf8_lossy(&ran.errors).into_owned()));
        }
        serde_json::from_slice(&ran.output).map_err(|error| failed(error.to_string()))
    }
}
