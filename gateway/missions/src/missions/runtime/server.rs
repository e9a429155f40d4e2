//! The server of a mission's runtime: a program of the guest in the mission's own sandbox.

use std::time::{Duration, Instant};

use super::super::entity::mission;
use super::Of;
use super::config::{self, RuntimeConfig};
use crate::missions::MissionsContext;
use crate::missions::touch::about;
use roost_execution::tools::EffectKey;
use roost_machines::sandboxes::{
    self, NewExec, NewSandbox, SandboxError, SandboxOwner, SandboxesHandle, Starter, State,
};
use roost_platform::ids::{OperationId, SandboxId, fresh};
use roost_platform::supervision::Failure;
use roost_protocol::guest::PROGRAM;
use roost_protocol::guest::runtime::{Boot, FOLDER, PAD, STANDING, Standing, unseal};
use roost_protocol::operation::Purpose;
use roost_tenancy::auth::WorkspaceScope;

/// The most times that a server is started in one sandbox.
const MOST_BOOTS: u32 = 20;
/// How long one look at the boot waits, in seconds.
const LOOK_S: u64 = 5;
/// How often the end of a server is looked for after its boot has failed, and the time between two looks.
const END_LOOKS: u32 = 200;
const END_LOOK: Duration = Duration::from_millis(50);

/// A server that has started, and why another one has not.
pub(super) enum End {
    Ready(Ready),
    Failed(String),
}

pub(super) struct Ready {
    pub(super) sandbox: SandboxId,
    pub(super) code: Option<String>,
}

/// Whether the server that is ready still runs, in the sandbox that the mission has now.
///
/// # Errors
/// When the database fails.
pub(in crate::missions) async fn stands(
    state: &MissionsContext,
    scope: WorkspaceScope,
    row: &mission::Model,
) -> Result<bool, Failure> {
    let (sandboxes, owner) = (&state.teams.sandboxes, SandboxOwner::Mission(row.id));
    let found = sandboxes::current(state.db.read(), scope, owner.id()).await?;
    let Some(sandbox) = found.filter(|found| found.state == State::Running.as_str()) else {
        return Ok(false);
    };
    let port = config::of(&row.config).map(|config| config.port);
    let endpoint = port.map(|port| endpoint(sandbox.id, port));
    if row.runtime_endpoint != endpoint {
        return Ok(false);
    }
    let (_, is_begun) = server(sandboxes, scope, owner, sandbox.id).await?;
    Ok(is_begun)
}

pub(super) fn endpoint(sandbox: SandboxId, port: u16) -> String {
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

/// Makes the sandbox and starts the server, or follows what another boot began.
pub(super) async fn started(of: &Of, config: &RuntimeConfig) -> Result<End, Stopped> {
    let Of {
        state,
        scope,
        user,
        id,
    } = of;
    let (scope, user, id) = (*scope, *user, *id);
    let (sandboxes, owner) = (&state.teams.sandboxes, SandboxOwner::Mission(id));
    let wanted = NewSandbox::default();
    let new = fresh(&state.ids);
    sandboxes::provision(sandboxes, scope, user, owner, new, wanted, about(id)).await?;
    let found = sandboxes::current(state.db.read(), scope, owner.id()).await;
    let Some(sandbox) = found.map_err(SandboxError::from)? else {
        return Err(SandboxError::NoSandbox(owner.kind()).into());
    };
    let (operation, is_begun) = server(sandboxes, scope, owner, sandbox.id).await?;
    let Some(operation) = operation else {
        return Ok(End::Failed(format!(
            "The server of the runtime ended {MOST_BOOTS} times in this sandbox."
        )));
    };
    let starter = Starter::Agent(about(id));
    if !is_begun {
        forget_standing(sandboxes, scope, owner, fresh(&state.ids), starter).await?;
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
        let standing = look(of, owner, starter).await?;
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
            Err(error) => return Err(error.into()),
        }
        until_ended(sandboxes, scope, owner, operation).await?;
        let last = last.trim();
        return Ok(End::Failed(match last.is_empty() {
            true => why.to_owned(),
            false => format!("{why} It printed:\n{last}"),
        }));
    }
}

/// Removes the standing of a server that has ended. A look that comes before the new server has its own standing would read it.
async fn forget_standing(
    sandboxes: &SandboxesHandle,
    scope: WorkspaceScope,
    owner: SandboxOwner,
    operation: OperationId,
    starter: Starter,
) -> Result<(), Stopped> {
    let argv = ["rm", "-f", &format!("{FOLDER}/{STANDING}")].map(str::to_owned);
    let remove = command(argv.to_vec(), None, LOOK_S + 30)?;
    sandboxes::exec_whole(sandboxes, scope, owner, operation, remove, starter).await?;
    Ok(())
}

/// Waits until the end of a server is known: a boot that began before would follow this server instead of a new one. The end of
/// one on a machine that has left is not waited for without a limit.
async fn until_ended(
    sandboxes: &SandboxesHandle,
    scope: WorkspaceScope,
    owner: SandboxOwner,
    operation: OperationId,
) -> Result<(), SandboxError> {
    for _ in 0..END_LOOKS {
        match sandboxes::of_owner(sandboxes, scope, owner, operation).await {
            Ok(found) if found.row.ended().is_none() => tokio::time::sleep(END_LOOK).await,
            Ok(_) | Err(SandboxError::NoOperation) => return Ok(()),
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn is_over(state: &MissionsContext, begun: Instant) -> bool {
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
async fn look(of: &Of, owner: SandboxOwner, starter: Starter) -> Result<Look, Stopped> {
    let mut pad = vec![0; PAD];
    getrandom::fill(&mut pad).map_err(|error| unreadable(&error.to_string()))?;
    let stdin = serde_json::to_string(&pad).map_err(|error| unreadable(&error.to_string()))?;
    let argv = [PROGRAM, "runtime-code", &LOOK_S.to_string()]
        .map(str::to_owned)
        .to_vec();
    let asks = command(argv, Some(stdin), LOOK_S + 30)?;
    let id: OperationId = fresh(&of.state.ids);
    let sandboxes = &of.state.teams.sandboxes;
    let done = sandboxes::exec_whole(sandboxes, of.scope, owner, id, asks, starter).await;
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

/// Why a boot stopped.
#[derive(Debug, thiserror::Error)]
pub(super) enum Stopped {
    /// The sandbox does not work, perhaps only for now.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// The guest gave no standing: its image is older than this gateway.
    #[error("The guest of its image says nothing about a runtime. Build the image again. {0}")]
    Guest(String),
}

fn unreadable(why: &str) -> Stopped {
    Stopped::Guest(why.chars().take(200).collect())
}

/// A program of the guest. A server has a terminal and no deadline: only those live until they are ended.
fn command(argv: Vec<String>, stdin: Option<String>, deadline_s: u64) -> Result<NewExec, Stopped> {
    let mut json = serde_json::json!({ "argv": argv, "stdin": stdin, "deadline_s": deadline_s });
    if deadline_s == 0 {
        json["tty"] = serde_json::json!({ "rows": 24, "cols": 200 });
    }
    let mut exec: NewExec =
        serde_json::from_value(json).map_err(|error| unreadable(&error.to_string()))?;
    exec.purpose = Some(Purpose::new("runtime", None));
    Ok(exec)
}
