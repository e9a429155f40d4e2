//! List: every sandbox with our labels, in the engine's present state.
use std::collections::HashMap;

use bollard::models::{ContainerSummary, ContainerSummaryStateEnum};
use bollard::query_parameters::{InspectContainerOptions, ListContainersOptionsBuilder};
use roost_protocol::ids::SandboxId;
use roost_protocol::sandbox::{ContainerState, SandboxFacts};

use crate::driver::Driver;
use crate::error::{DriverError, is_missing};
use crate::names;

impl Driver {
    /// Every sandbox of this owner, running or not, without probe sandboxes.
    ///
    /// # Errors
    /// The engine's error.
    pub async fn list(&self) -> Result<Vec<SandboxFacts>, DriverError> {
        let mut found: Vec<_> = self
            .ours()
            .await?
            .iter()
            .filter(|summary| !is_probe(summary))
            .filter_map(facts)
            .collect();
        found.sort_by_key(|facts| facts.sandbox);
        Ok(found)
    }

    /// Every sandbox of this owner that uses resources of the machine: all except ended ones.
    pub(crate) async fn holding(&self) -> Result<Vec<SandboxFacts>, DriverError> {
        use ContainerSummaryStateEnum::{DEAD, EXITED, REMOVING};
        let ours = self.ours().await?;
        let ended = |summary: &&ContainerSummary| {
            matches!(summary.state, Some(EXITED | DEAD | REMOVING)) || is_probe(summary)
        };
        let held = ours.iter().filter(|summary| !ended(summary));
        Ok(held.filter_map(facts).collect())
    }

    /// Containers with our sandbox label and this owner's.
    pub(crate) async fn ours(&self) -> Result<Vec<ContainerSummary>, DriverError> {
        let owner = format!("{}={}", names::OWNER, self.inner.engine.owner);
        let filters = HashMap::from([("label", vec![names::SANDBOX, owner.as_str()])]);
        let options = ListContainersOptionsBuilder::new()
            .all(true)
            .filters(&filters)
            .build();
        self.inner
            .docker
            .list_containers(Some(options))
            .await
            .map_err(|error| DriverError::engine("listing the sandboxes", error))
    }

    /// One sandbox; `None` when the id is unknown, or when a container of that name is not ours.
    pub(crate) async fn facts(
        &self,
        sandbox: SandboxId,
    ) -> Result<Option<SandboxFacts>, DriverError> {
        Ok(self.labelled(sandbox).await?.map(|(_, facts)| facts))
    }

    pub(crate) async fn labelled(
        &self,
        sandbox: SandboxId,
    ) -> Result<Option<(HashMap<String, String>, SandboxFacts)>, DriverError> {
        let found = self
            .inner
            .docker
            .inspect_container(&names::container(sandbox), None::<InspectContainerOptions>)
            .await;
        let found = match found {
            Ok(found) => found,
            Err(error) if is_missing(&error) => return Ok(None),
            Err(error) => return Err(DriverError::engine("inspecting the sandbox", error)),
        };
        let config = found.config.unwrap_or_default();
        let labels = config.labels.unwrap_or_default();
        let state = match found.state.and_then(|state| state.running) {
            Some(true) => ContainerState::Running,
            Some(false) => ContainerState::Stopped,
            None => ContainerState::Unknown,
        };
        Ok(names::facts(
            &labels,
            &found.id.unwrap_or_default(),
            &config.image.unwrap_or_default(),
            state,
        )
        .filter(|_| labels.get(names::OWNER) == Some(&self.inner.engine.owner))
        .map(|facts| (labels, facts)))
    }
}

/// Whether it belongs to a `verify`.
pub(crate) fn is_probe(summary: &ContainerSummary) -> bool {
    summary
        .labels
        .as_ref()
        .and_then(|labels| labels.get(names::PROBE))
        .is_some_and(|value| value == "1")
}

pub(crate) fn facts(summary: &ContainerSummary) -> Option<SandboxFacts> {
    let state = match summary.state {
        Some(ContainerSummaryStateEnum::RUNNING) => ContainerState::Running,
        Some(
            ContainerSummaryStateEnum::EXITED
            | ContainerSummaryStateEnum::DEAD
            | ContainerSummaryStateEnum::CREATED
            | ContainerSummaryStateEnum::REMOVING,
        ) => ContainerState::Stopped,
        _ => ContainerState::Unknown,
    };
    names::facts(
        summary.labels.as_ref()?,
        summary.id.as_deref()?,
        summary.image.as_deref().unwrap_or_default(),
        state,
    )
}
