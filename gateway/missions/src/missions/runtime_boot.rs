//! Starts the runtime of a mission in the mission's own sandbox, and pairs with it.
//!
//! The guest holds the server's bearer inside the sandbox. It gives the pairing code to the gateway under a pad that is used
//! once, and the broker keeps the code. So no output, row, event or log has either of them.
//!
//! In the tree: a job below `roost/missions/live`, which the mission's actor starts. All that it needs follows from rows and
//! from the operations of the sandbox, so a boot continues after a crash at any line.

use std::time::Duration;

use sea_orm::{ConnectionTrait, DbErr};

use super::entity::mission;
use super::model::{Reason, RuntimeState, Status};
use super::runtime_config::{self, RuntimeConfig};
use super::touch::{about, touch};
use super::{MissionsContext, store};
use roost_execution::tools::EffectKey;
use roost_machines::sandboxes::{
    self, NewExec, NewSandbox, SandboxError, SandboxOwner, SandboxesHandle, Starter, State,
};
use roost_platform::broker::credential::{CredentialError, name_of};
use roost_platform::ids::{MissionId, OperationId, SandboxId, UserId, fresh};
use roost_platform::supervision::{Failure, StartError, Tenant};
use roost_protocol::guest::PROGRAM;
use roost_protocol::guest::runtime::{Boot, PAD, Standing, unseal};
use roost_protocol::ids as wire;
use roost_protocol::operation::Purpose;
use roost_protocol::sandbox::container_name;
use roost_secret_broker::outbound::chain;
use roost_secret_broker::wire::{Inject, Secret, Store};
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;

/// The most times that a server is started in one sandbox.
const MOST_BOOTS: u32 = 20;
/// How long one look at the boot waits, in seconds.
const LOOK_S: u64 = 5;

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
        let config = runtime_config::of(&row.config)?;
        let state = row.runtime_state.as_deref().and_then(RuntimeState::parse);
        Some(MissionRuntime {
            state: state.unwrap_or(RuntimeState::Gone),
            port: config.port,
            path: config.path,
        })
    }))
}

/// A server that has started, and why another one has not.
enum End {
    Ready(Ready),
    Failed(String),
}

struct Ready {
    sandbox: SandboxId,
    code: Option<String>,
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
    let works = state.clone();
    let tenant = Tenant::new(scope.workspace());
    let job = move |_| async move { boot(&works, scope, user, id).await };
    let name = format!("runtime:{id}");
    match state.handle.live().spawn_job(name, Some(tenant), job).await {
        Ok(_) | Err(StartError::NameTaken { .. }) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Whether the server that is ready still runs, in the sandbox that the mission has now.
///
/// # Errors
/// When the database fails.
pub(super) async fn stands(
    state: &MissionsContext,
    scope: WorkspaceScope,
    row: &mission::Model,
) -> Result<bool, Failure> {
    let (sandboxes, owner) = (&state.teams.sandboxes, SandboxOwner::Mission(row.id));
    let found = sandboxes::current(state.db.read(), scope, owner.id()).await?;
    let Some(sandbox) = found.filter(|found| found.state == State::Running.as_str()) else {
        return Ok(false);
    };
    let port = runtime_config::of(&row.config).map(|config| config.port);
    let endpoint = port.map(|port| endpoint(sandbox.id, port));
    if row.runtime_endpoint != endpoint {
        return Ok(false);
    }
    let (_, is_begun) = server(sandboxes, scope, owner, sandbox.id).await?;
    Ok(is_begun)
}

fn endpoint(sandbox: SandboxId, port: u16) -> String {
    format!("sandbox://{sandbox}/{port}")
}

/// The operation of the present server in a sandbox, and whether it has begun. An ended one is never started again, so the
/// next server gets the next id.
async fn server(
    sandboxes: &SandboxesHandle,
    scope: WorkspaceScope,
    owner: SandboxOwner,
    sandbox: SandboxId,
) -> Result<(Option<OperationId>, bool), SandboxError> {
    for number in 1..=MOST_BOOTS {
        let id = EffectKey(sandbox.0)
            .part(&format!("runtime {number}"))
            .operation();
        match sandboxes::of_owner(sandboxes, scope, owner, id).await {
            Ok(found) if found.row.ended().is_some() => {}
            Ok(_) => return Ok((Some(id), true)),
            Err(SandboxError::NoOperation) => return Ok((Some(id), false)),
            Err(error) => return Err(error),
        }
    }
    Ok((None, false))
}

async fn boot(
    state: &MissionsContext,
    scope: WorkspaceScope,
    user: UserId,
    id: MissionId,
) -> Result<(), Failure> {
    let Some(row) = store::get(state.db.read(), scope, id).await? else {
        return Ok(());
    };
    let Some(config) = runtime_config::of(&row.config).filter(|_| is_wanted(&row)) else {
        return Ok(());
    };
    let end = match started(state, scope, user, id, &config).await {
        Ok(end) => end,
        Err(error) => End::Failed(format!(
            "The sandbox of the runtime does not work: {}",
            chain(&error)
        )),
    };
    match end {
        End::Ready(ready) => note_ready(state, scope, user, id, &config, ready).await?,
        End::Failed(why) => note_failed(state, scope, user, id, why).await?,
    }
    if let Some(nudge) = state.handle.nudge_of(id) {
        nudge.nudge();
    }
    Ok(())
}

/// Whether a boot is to end in this row: it may have been paused or cancelled meanwhile.
fn is_wanted(row: &mission::Model) -> bool {
    row.status == Status::Running.as_str()
        && row.runtime_state.as_deref() == Some(RuntimeState::Starting.as_str())
}

/// Makes the sandbox and starts the server, or follows what another boot began.
async fn started(
    state: &MissionsContext,
    scope: WorkspaceScope,
    user: UserId,
    id: MissionId,
    config: &RuntimeConfig,
) -> Result<End, SandboxError> {
    let (sandboxes, owner) = (&state.teams.sandboxes, SandboxOwner::Mission(id));
    let wanted = NewSandbox::default();
    let new = fresh(&state.ids);
    sandboxes::provision(sandboxes, scope, user, owner, new, wanted, about(id)).await?;
    let found = sandboxes::current(state.db.read(), scope, owner.id()).await?;
    let Some(sandbox) = found else {
        return Err(SandboxError::NoSandbox(owner.kind()));
    };
    let (operation, is_begun) = server(sandboxes, scope, owner, sandbox.id).await?;
    let Some(operation) = operation else {
        return Ok(End::Failed(format!(
            "The server of the runtime ended {MOST_BOOTS} times in this sandbox."
        )));
    };
    let starter = Starter::Agent(about(id));
    if !is_begun {
        let port = config.port.to_string();
        let pattern = config.pairing.as_deref().unwrap_or_default();
        let line = config.command.as_str();
        let argv = [
            PROGRAM,
            "runtime-serve",
            &port,
            pattern,
            "/bin/sh",
            "-c",
            line,
        ];
        let argv = argv.map(str::to_owned).to_vec();
        let serve = command(argv, None, 0)?;
        sandboxes::exec(sandboxes, scope, owner, operation, serve, true, starter).await?;
    }
    let begun = state.clock.monotonic();
    loop {
        let standing = look(state, scope, owner, starter).await?;
        let last = standing.last.join("\n");
        let why = match standing.boot {
            Boot::Ready => {
                return Ok(End::Ready(Ready {
                    sandbox: sandbox.id,
                    code: standing.code,
                }));
            }
            Boot::Refused => "The runtime refused the pairing.",
            Boot::Ended => "The server of the runtime ended.",
            Boot::Starting if is_over(state, begun) => {
                "The runtime printed no pairing code in time."
            }
            Boot::Starting => continue,
        };
        // The next boot begins with a new server.
        match sandboxes::cancel(sandboxes, scope, owner, operation).await {
            Ok(()) | Err(SandboxError::Operations(_) | SandboxError::NoOperation) => {}
            Err(error) => return Err(error),
        }
        let last = last.trim();
        return Ok(End::Failed(match last.is_empty() {
            true => why.to_owned(),
            false => format!("{why} It printed:\n{last}"),
        }));
    }
}

fn is_over(state: &MissionsContext, begun: std::time::Instant) -> bool {
    let waited: Duration = state.clock.monotonic().saturating_duration_since(begun);
    waited >= state.runtime_boot
}

/// The standing of the server, with its code in the clear.
struct Look {
    boot: Boot,
    last: Vec<String>,
    code: Option<String>,
}

/// Asks the guest for the standing, with a new pad.
async fn look(
    state: &MissionsContext,
    scope: WorkspaceScope,
    owner: SandboxOwner,
    starter: Starter,
) -> Result<Look, SandboxError> {
    let mut pad = vec![0; PAD];
    getrandom::fill(&mut pad).map_err(|error| unreadable(&error.to_string()))?;
    let stdin = serde_json::to_string(&pad).map_err(|error| unreadable(&error.to_string()))?;
    let argv = [PROGRAM, "runtime-code", &LOOK_S.to_string()]
        .map(str::to_owned)
        .to_vec();
    let asks = command(argv, Some(stdin), LOOK_S + 30)?;
    let id: OperationId = fresh(&state.ids);
    let sandboxes = &state.teams.sandboxes;
    let done = sandboxes::exec_whole(sandboxes, scope, owner, id, asks, starter).await;
    let (_, output) = done?;
    let standing: Standing = serde_json::from_slice(&output.stdout)
        .map_err(|_| unreadable(&String::from_utf8_lossy(&output.stderr)))?;
    let code = standing.sealed.and_then(|sealed| unseal(&sealed, &pad));
    Ok(Look {
        boot: standing.boot,
        last: standing.last,
        code,
    })
}

/// The guest gave no standing: its image is older than this gateway.
fn unreadable(why: &str) -> SandboxError {
    let why: String = why.chars().take(200).collect();
    let detail = format!(
        "the guest of its image says nothing about a runtime; build the image again. {why}"
    );
    SandboxError::Db(DbErr::Custom(detail))
}

/// A program of the guest. A server has a terminal and no deadline: only those live until they are ended.
fn command(
    argv: Vec<String>,
    stdin: Option<String>,
    deadline_s: u64,
) -> Result<NewExec, SandboxError> {
    let mut json = serde_json::json!({ "argv": argv, "stdin": stdin, "deadline_s": deadline_s });
    if deadline_s == 0 {
        json["tty"] = serde_json::json!({ "rows": 24, "cols": 200 });
    }
    let mut exec: NewExec =
        serde_json::from_value(json).map_err(|error| unreadable(&error.to_string()))?;
    exec.purpose = Some(Purpose::new("runtime", None));
    Ok(exec)
}

async fn note_ready(
    state: &MissionsContext,
    scope: WorkspaceScope,
    user: UserId,
    id: MissionId,
    config: &RuntimeConfig,
    ready: Ready,
) -> Result<(), Failure> {
    let number: OperationId = fresh(&state.ids);
    let reference = format!("missions/{id}/pairing_code/{number}");
    let placed = match ready.code {
        Some(code) => {
            let store = Store {
                name: name_of(scope.workspace(), &reference)?,
                // With its header: a code alone is shorter than the secrets that the broker accepts.
                secret: Secret::from(format!("X-Pairing-Code: {code}").as_str()),
                inject: Inject::Never,
                allow: Vec::new(),
            };
            match state.credentials.place(store).await {
                Ok(placed) => Some(placed),
                Err(CredentialError::Broker(error)) => {
                    let why = format!(
                        "The secret broker does not keep the pairing code: {}",
                        chain(&error)
                    );
                    return note_failed(state, scope, user, id, why).await;
                }
                Err(error) => return Err(error.into()),
            }
        }
        None => None,
    };
    let mut change = Change::begin(state, scope, user).await?;
    let Some(mut row) = store::locked(&change, scope, id).await?.filter(is_wanted) else {
        // The broker deletes what no row keeps.
        return Ok(());
    };
    forget_code(&mut change, state, &mut row).await?;
    if let Some(placed) = placed {
        placed.keep(&change).await?;
        row.runtime_pairing_code = Some(reference);
    }
    row.runtime_container_name = Some(container_name(wire::SandboxId(ready.sandbox.0)));
    row.runtime_endpoint = Some(endpoint(ready.sandbox, config.port));
    row.runtime_state = Some(RuntimeState::Ready.as_str().to_owned());
    row.runtime_detail = None;
    let details = serde_json::json!({ "title": row.title, "endpoint": row.runtime_endpoint });
    change.record("mission.runtime_ready", ("mission", &id), details);
    touch(&mut change, row).await?;
    change.commit().await?;
    Ok(())
}

async fn note_failed(
    state: &MissionsContext,
    scope: WorkspaceScope,
    user: UserId,
    id: MissionId,
    why: String,
) -> Result<(), Failure> {
    let mut change = Change::begin(state, scope, user).await?;
    let Some(mut row) = store::locked(&change, scope, id).await?.filter(is_wanted) else {
        return Ok(());
    };
    row.runtime_state = Some(RuntimeState::Gone.as_str().to_owned());
    row.runtime_detail = Some(why.clone());
    Status::Paused.as_str().clone_into(&mut row.status);
    row.status_reason = Some(Reason::RuntimeFailed.as_str().to_owned());
    row.status_detail = Some(why);
    touch(&mut change, row).await?;
    change.commit().await?;
    Ok(())
}

/// Deletes the code of the row at the broker, with the end of the transaction.
///
/// # Errors
/// When the database fails.
pub(super) async fn forget_code(
    change: &mut Change,
    state: &MissionsContext,
    row: &mut mission::Model,
) -> Result<(), DbErr> {
    if let Some(reference) = row.runtime_pairing_code.take() {
        let name = name_of(row.workspace_id, &reference)?;
        state.credentials.forget(change, &name).await?;
    }
    Ok(())
}
