//! What the machine's owner is shown: who uses what, now.
use roost_protocol::hello::{Engine, ImageState};
use roost_protocol::ids::{AgentId, OperationId, SandboxId, WorkspaceId};
use roost_protocol::operation::Operation;
use roost_protocol::sandbox::SandboxFacts;
use roost_protocol::text::clean;
use serde::{Deserialize, Serialize};

use super::shared::{Live, Shared};

/// The whole picture.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ExecutorStatus {
    pub engine: Option<Engine>,
    pub image: ImageState,
    pub paused: bool,
    pub draining: bool,
    /// Ends that wait for the disk, and what it says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits_for_disk: Option<String>,
    pub sandboxes: Vec<SandboxStatus>,
    pub operations: Vec<OperationStatus>,
}

/// One sandbox.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SandboxStatus {
    #[serde(flatten)]
    pub facts: SandboxFacts,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pids: Option<u32>,
    /// Percent of one core over the last moment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_pct: Option<f64>,
    /// Seconds since its last use.
    pub idle_s: u64,
}

/// One operation under way.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct OperationStatus {
    pub id: OperationId,
    pub operation: String,
    pub sandbox: Option<SandboxId>,
    pub workspace: Option<WorkspaceId>,
    pub agent: Option<AgentId>,
    /// The command line or the image.
    pub what: String,
    pub running_s: u64,
    pub output_bytes: u64,
}

/// What heartbeats and `hello` need.
#[derive(Clone, Debug)]
pub struct Machine {
    pub engine: Option<Engine>,
    pub image: ImageState,
    /// Running containers of the engine, ours or not.
    pub containers: Option<u32>,
    pub sandboxes: Option<u32>,
    pub paused: bool,
    pub draining: bool,
}

/// The machine's facts, at most some seconds old.
pub async fn machine(shared: &Shared) -> Machine {
    let facts = shared.engine.facts().await;
    let desk = shared.desk();
    Machine {
        sandboxes: facts
            .engine
            .is_some()
            .then(|| u32::try_from(desk.sandboxes.len()).unwrap_or(u32::MAX)),
        engine: facts.engine,
        image: facts.image,
        containers: facts.machine.running,
        paused: desk.paused,
        draining: desk.drain.draining(),
    }
}

/// The whole picture, asked of engine and guests now.
pub async fn status(shared: &Shared) -> ExecutorStatus {
    let facts = shared.engine.facts().await;
    let inventory = super::reconcile::inventory(shared).await;
    let usage = inventory.sandboxes.iter().map(|facts| async {
        tokio::join!(
            shared.engine.health(facts.sandbox),
            shared.engine.cpu_pct(facts.sandbox)
        )
    });
    let usage = futures::future::join_all(usage).await;
    let now_ms = shared.now_ms();
    let now = shared.clock.monotonic();
    let desk = shared.desk();
    let sandboxes = inventory
        .sandboxes
        .into_iter()
        .zip(usage)
        .map(|(facts, (usage, cpu_pct))| {
            let usage = usage.ok();
            let used_ms = desk
                .sandboxes
                .get(&facts.sandbox)
                .map_or(now_ms, |known| known.lease.used_ms());
            SandboxStatus {
                memory_bytes: usage.as_ref().and_then(|usage| usage.memory_bytes),
                pids: usage.as_ref().and_then(|usage| usage.pids),
                cpu_pct,
                idle_s: now_ms.saturating_sub(used_ms) / 1000,
                facts,
            }
        });
    let operations = desk.live.iter().map(|(id, live)| OperationStatus {
        id: *id,
        operation: live.request.operation.name().into(),
        sandbox: live.request.operation.sandbox(),
        workspace: live.request.on_behalf.map(|on| on.workspace),
        agent: live.request.on_behalf.map(|on| on.agent),
        what: what(live),
        running_s: now.saturating_sub(live.began).as_secs(),
        output_bytes: desk.streams.get(id).map_or(0, |stream| stream.end()),
    });
    ExecutorStatus {
        engine: facts.engine,
        image: facts.image,
        paused: desk.paused,
        draining: desk.drain.draining(),
        waits_for_disk: desk
            .unwritten
            .values()
            .next()
            .map(|error| format!("{} ended, but {error}", desk.unwritten.len())),
        sandboxes: sandboxes.collect(),
        operations: operations.collect(),
    }
}

fn what(live: &Live) -> String {
    match &live.request.operation {
        Operation::SbExec(exec) => clean(&exec.argv.join(" "), 512),
        Operation::SbProvision(provision) => clean(&provision.spec.image, 512),
        _ => String::new(),
    }
}
