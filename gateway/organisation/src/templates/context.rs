//! The context of templates.

use roost_machines::sandboxes::SandboxesHandle;
use roost_platform::clock::SharedClock;
use roost_platform::db::Db;
use roost_platform::ids::SharedIds;
use roost_tenancy::change::ChangeContext;

/// What the handlers and commands of the domain need.
#[derive(Clone)]
pub struct TemplatesContext {
    pub db: Db,
    pub clock: SharedClock,
    pub ids: SharedIds,
    /// What the machines have for the sandboxes of a template's agents.
    pub sandboxes: SandboxesHandle,
}

impl ChangeContext for TemplatesContext {
    fn parts(&self) -> (&Db, &SharedClock, &SharedIds) {
        (&self.db, &self.clock, &self.ids)
    }
}
