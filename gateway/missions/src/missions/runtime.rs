//! Starts the runtime of a mission in the mission's own sandbox, and pairs with it.
//!
//! The guest holds the server's bearer inside the sandbox. It gives the pairing code to the gateway under a pad that is used
//! once, and the broker keeps the code. So no output, row, event or log has either of them.
//!
//! In the tree: a job below `roost/missions/live`, which the mission's actor starts. All that it needs follows from rows and
//! from the operations of the sandbox, so a boot continues after a crash at any line.

pub(super) mod config;
mod record;
mod server;

use sea_orm::{ConnectionTrait, DbErr};

use super::entity::mission;
use super::model::{RuntimeState, Status};
use super::{MissionsContext, store};
pub(super) use record::forget_code;
use roost_execution::tools::{Class, ToolError};
use roost_machines::sandboxes::SandboxError;
use roost_platform::ids::{MissionId, UserId};
use roost_platform::supervision::{Failure, StartError, Tenant};
use roost_secret_broker::outbound::chain;
use roost_tenancy::auth::WorkspaceScope;
pub(super) use server::stands;
use server::{End, Stopped};

/// The runtime of a mission, as its agents' steps need it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissionRuntime {
    pub state: RuntimeState,
    pub port: u16,
    pub path: String,
}

/// The runtime of a mission. `None` when the mission has none.
///
/// # Errors
/// When the database fails.
pub async fn runtime_of(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    id: MissionId,
) -> Result<Option<MissionRuntime>, DbErr> {
    let row = store::get(db, scope, id).await?;
    Ok(row.and_then(|row| {
        let config = config::of(&row.config)?;
        let state = row.runtime_state.as_deref().and_then(RuntimeState::parse);
        Some(MissionRuntime {
            state: state.unwrap_or(RuntimeState::Gone),
            port: config.port,
            path: config.path,
        })
    }))
}

/// Whose runtime is booted, and in whose name.
struct Of {
    state: MissionsContext,
    scope: WorkspaceScope,
    user: UserId,
    id: MissionId,
}

/// Starts the job that boots the runtime, unless it works already.
///
/// # Errors
/// When the supervisor refuses the job.
pub(super) async fn ensure(
    state: &MissionsContext,
    scope: WorkspaceScope,
    user: UserId,
    id: MissionId,
) -> Result<(), Failure> {
    let of = Of {
        state: state.clone(),
        scope,
        user,
        id,
    };
    let tenant = Tenant::new(scope.workspace());
    let job = move |_| async move { boot(&of).await };
    let name = format!("runtime:{id}");
    match state.handle.live().spawn_job(name, Some(tenant), job).await {
        Ok(_) | Err(StartError::NameTaken { .. }) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

async fn boot(of: &Of) -> Result<(), Failure> {
    let Some(row) = store::get(of.state.db.read(), of.scope, of.id).await? else {
        return Ok(());
    };
    let Some(config) = config::of(&row.config).filter(|_| is_wanted(&row)) else {
        return Ok(());
    };
    match server::started(of, &config).await {
        Ok(End::Ready(ready)) => record::ready(of, &config, ready).await?,
        Ok(End::Failed(why)) => record::failed(of, why).await?,
        Err(Stopped::Guest(why)) => record::failed(of, Stopped::Guest(why).to_string()).await?,
        // No nudge: a boot that waits is looked at again after the period of the actor, and not at once.
        Err(Stopped::Sandbox(error)) => {
            return match error.held_elsewhere() {
                Some(node) => record::moves(of, node).await,
                None => stopped(of, error).await,
            };
        }
    }
    if let Some(nudge) = of.state.handle.nudge_of(of.id) {
        nudge.nudge();
    }
    Ok(())
}

/// A sandbox that does not work for now is waited for: the next look starts the boot again.
async fn stopped(of: &Of, error: SandboxError) -> Result<(), Failure> {
    let error = ToolError::from(error);
    match error.class() {
        Class::Wait | Class::Retry | Class::Provision => {
            record::waits(of, format!("It waits: {}", chain(&error))).await
        }
        Class::Tell | Class::Cancelled | Class::Door | Class::Fail => {
            let why = format!(
                "The sandbox of the runtime does not work: {}",
                chain(&error)
            );
            record::failed(of, why).await
        }
    }
}

/// Whether a boot is to end in this row: it may have been paused or cancelled meanwhile.
fn is_wanted(row: &mission::Model) -> bool {
    row.status == Status::Running.as_str()
        && row.runtime_state.as_deref() == Some(RuntimeState::Starting.as_str())
}
