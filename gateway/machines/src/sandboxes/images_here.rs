//! Which images the machine has that a new sandbox would go to, and so what some work lacks there.

use sea_orm::{ConnectionTrait, DbErr};

use super::model::{Machine, Placement, Setting, place};
use super::{SandboxesHandle, placement_store};
use crate::fleet::{self, Availability};
use crate::images::{self, Catalogue, Here, Lack, Wanted};
use roost_tenancy::auth::WorkspaceScope;

/// The driver's policy maps no device into a container, so no program in a sandbox can use a GPU.
const SANDBOXES_HAVE_A_GPU: bool = false;

impl SandboxesHandle {
    /// The deployment's images.
    pub fn images(&self) -> &Catalogue {
        &self.settings.images
    }

    /// What the machine has that a new sandbox would go to now. `machine` is the choice of a team; the workspace's
    /// placement applies without one.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn here(
        &self,
        db: &impl ConnectionTrait,
        scope: WorkspaceScope,
        machine: Option<&str>,
    ) -> Result<Here, DbErr> {
        let setting = match machine.and_then(Setting::parse) {
            Some(setting) => setting,
            None => placement_store::placement(db, scope).await?.0,
        };
        let node = match setting {
            Setting::Local => None,
            Setting::Node(id) => fleet::availability(db, scope, id).await?,
        };
        let placement = place(setting, node.as_ref().map(Machine::of));
        Ok(self.here_on(placement, node))
    }

    /// As [`here`](Self::here), for a placement that is known already.
    pub(super) fn here_on(&self, placement: Placement, node: Option<Availability>) -> Here {
        let (machine, states) = match (placement.node, node) {
            (Some(id), Some(node)) => {
                let of_node = node.images.into_iter();
                let states = of_node.map(|image| (image.reference, image.state));
                (
                    Some(node.name.unwrap_or_else(|| id.to_string())),
                    states.collect(),
                )
            }
            _ => {
                let of_host = self.settings.held.get().into_iter();
                let states = of_host.map(|image| (image.reference, image.state.to_owned()));
                (None, states.collect())
            }
        };
        Here {
            machine,
            states,
            has_gpu: SANDBOXES_HAVE_A_GPU,
        }
    }

    /// What work with these needs lacks on that machine.
    pub fn lacks(&self, wanted: Wanted<'_>, here: &Here) -> Vec<Lack> {
        images::lacks(&self.settings.images, wanted, here)
    }
}
