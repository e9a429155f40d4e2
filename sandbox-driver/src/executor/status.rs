//! The status for the machine's owner: what runs here now.
use roost_protocol::caps::Bounds;
use roost_protocol::hello::{Engine, HeldImage, ImageState};
use roost_protocol::ids::{AgentId, OperationId, SandboxId, WorkspaceId};
use roost_protocol::operation::Operation;
use roost_protocol::sandbox::SandboxFacts;
use roost_protocol::text::clean;
use serde::{Deserialize, Serialize};

use super::shared::{Live, Shared};

/// The whole status.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ExecutorStatus {
    pub engine: Option<Engine>,
    pub image: ImageState,
    #[serde(default)]
    pub image_reference: Option<String>,
    /// What the engine has of the gateway's images, and what is fetched now.
    #[serde(default)]
    pub images: Vec<HeldImage>,
    /// The owner's limits, and whether the kernel enforces them.
    #[serde(default)]
    pub bounds: Option<Bounds>,
    pub paused: bool,
    pub draining: bool,
    /// Ends that wait for the disk, with the disk's error.
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
    /// Percent of one core during the last sample.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_pct: Option<f64>,
    /// Seconds since its last use.
    pub idle_s: u64,
}

/// One operation in flight.
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

/// Facts for heartbeats and `hello`.
#[derive(Clone, Debug)]
pub struct Machine {
    pub engine: Option<Engine>,
    pub image: ImageState,
    pub image_reference: Option<String>,
    pub image_id: Option<String>,
    pub image_unfit: Option<String>,
    /// What the engine has of the catalogue's images.
    pub images: Vec<HeldImage>,
    pub bounds: Option<Bounds>,
    /// Running containers of the engine, ours or not.
    pub containers: Option<u32>,
    pub sandboxes: Option<u32>,
    pub paused: bool,
    pub draining: bool,
}

/// The machine's facts, at most a few seconds old.
pub async fn machine(shared: &Shared) -> Machine {
    let mut facts = shared.engine.facts().await;
    shared.images.said(&mut facts.images);
    let in_flight = shared.in_flight();
    Machine {
        sandboxes: facts
            .engine
            .is_some()
            .then(|| u32::try_from(in_flight.sandboxes.len()).unwrap_or(u32::MAX)),
        engine: facts.engine,
        image: facts.image,
        image_reference: facts.image_reference,
        image_id: facts.image_id,
        image_unfit: facts.image_unfit,
        images: facts.images,
        bounds: facts.bounds,
        containers: facts.machine.running,
        paused: in_flight.paused,
        draining: in_flight.drain.draining(),
    }
}

/// The whole status. It queries the engine and the guests now.
pub async fn status(shared: &Shared) -> ExecutorStatus {
    let mut facts = shared.engine.facts().await;
    shared.images.said(&mut facts.images);
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
    let in_flight = shared.in_flight();
    let sandboxes = inventory
        .sandboxes
        .into_iter()
        .zip(usage)
        .map(|(facts, (usage, cpu_pct))| {
            let usage = usage.ok();
            let used_ms = in_flight
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
    let operations = in_flight.live.iter().map(|(id, live)| OperationStatus {
        id: *id,
        operation: live.request.operation.name().into(),
        sandbox: live.request.operation.sandbox(),
        workspace: live.request.on_behalf.map(|on| on.workspace),
        agent: live.request.on_behalf.map(|on| on.agent),
        what: what(live),
        running_s: now.saturating_sub(live.began).as_secs(),
        output_bytes: in_flight.streams.get(id).map_or(0, |stream| stream.end()),
    });
    ExecutorStatus {
        engine: facts.engine,
        image: facts.image,
        image_reference: facts.image_reference,
        images: facts.images,
        bounds: facts.bounds,
        paused: in_flight.paused,
        draining: in_flight.drain.draining(),
        waits_for_disk: in_flight.unwritten.values().next().map(|error| {
            format!(
                "{} operations ended, but {error}",
                in_flight.unwritten.len()
            )
        }),
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
