//! JSON of the fleet, in and out.

use chrono::{DateTime, Utc};
use roost_protocol::verify::{Level, VerifyReport as Measured};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::bounds::{NodeBounds, bounds_of};
use super::draining::Drain;
use super::model::{Connection, Status};
use super::problems;
use super::sample::{Health, Sample};
use super::store::NodeRow;
use crate::fleet::operations::{CommandDoer, CommandFacts, Doers, OperationRow, OperationState};
use roost_platform::ids::{NodeId, OperationId, WorkspaceId};
use roost_web::json::{Check, Mistakes};

/// A paired machine.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Node {
    pub id: NodeId,
    pub workspace_id: WorkspaceId,
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hostname: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub local_ip: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mesh_ip: Option<String>,
    pub status: Status,
    pub connection: Connection,
    /// The node is draining, and the machine has reported that no sandbox is left.
    pub drained: bool,
    /// The node is draining, and its sandboxes move elsewhere.
    pub moves: bool,
    /// Since when nothing that is needed is on the draining node: each sandbox is gone, and the gateway has its files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub emptied_at: Option<DateTime<Utc>>,
    /// The owner paused it on the machine.
    pub paused: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub daemon_version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub os: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arch: Option<String>,
    pub engine: Option<EngineInfo>,
    /// Whether the machine has the agent image that this gateway wants.
    #[schema(value_type = ImageState)]
    pub image: String,
    /// The image that the machine checked for; absent from an older daemon.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image_reference: Option<String>,
    /// The id of the image that the machine has under that reference.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image_id: Option<String>,
    /// What the machine has of the deployment's images; empty until it reports.
    pub images: Vec<NodeImage>,
    /// The most that the machine lends to sandboxes; absent until the machine reports it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bounds: Option<NodeBounds>,
    pub health: Option<Health>,
    /// Use of the graphics card, 0 to 100 percent, from the latest heartbeat; absent when unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gpu_pct: Option<f32>,
    /// The highest temperature of the machine, °C, from the latest heartbeat; absent when unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temp_max: Option<f32>,
    /// Sandboxes on the machine, as the machine counts them.
    pub sandboxes: i32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_seen_at: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
    pub version: i64,
    /// Labels that people gave the node.
    pub labels: Vec<String>,
    /// What the owner should know or do.
    pub problems: Vec<NodeProblem>,
}

/// Whether the machine can use the agent image.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ImageState {
    Ready,
    Missing,
    /// The machine has another image than the gateway wants.
    WrongDigest,
    /// The image cannot be used for a sandbox.
    Unfit,
    /// The machine has not reported on this image.
    Unknown,
}

/// The images of a machine's row. Only the gateway writes them.
pub(super) fn images_of(stored: Option<serde_json::Value>) -> Vec<NodeImage> {
    stored
        .and_then(|images| serde_json::from_value(images).ok())
        .unwrap_or_default()
}

/// What a machine has of one of the deployment's images.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NodeImage {
    pub reference: String,
    #[schema(value_type = ImageState)]
    pub state: String,
    /// The id of the image that the machine has under that reference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Why it cannot be a sandbox.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// The machine fetches it from the gateway now, or could not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fetch: Option<NodeImageFetch>,
}

/// How far a machine is with an image that it fetches from the gateway.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NodeImageFetch {
    /// Bytes of the packed image that are on the machine.
    pub done_bytes: u64,
    /// Bytes of the packed image; 0 while the gateway packs it.
    pub total_bytes: u64,
    /// Why the machine does not get it, and what to do; absent while it is on its way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// A container engine as the machine describes it.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct EngineInfo {
    pub name: String,
    pub version: String,
    pub api: String,
}

/// A problem with a machine that needs a person.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct NodeProblem {
    /// `cloned`, `wrong_install`, `version`, `bad_hello`, `engine`, `image`, `total`, `paused` or `clock`.
    pub code: String,
    pub detail: String,
}

impl Node {
    /// The public view of a row at `now`.
    pub fn of(row: NodeRow, now: DateTime<Utc>) -> Self {
        let NodeRow {
            node,
            health,
            now_ms,
        } = row;
        // A gateway that died cannot record that its connections ended; instead its hold expires.
        let connection = match Connection::from_stored(&node.connection) {
            _ if node.held_by.is_none() || node.held_ms < now_ms => Connection::Disconnected,
            stored => stored,
        };
        let health = health.map(|health| Health {
            at: health.at,
            sample: Sample::stored(health, &node),
        });
        let bounds = bounds_of(node.bounds.clone());
        let problems = problems::of(&node, bounds.as_ref(), connection, health.as_ref(), now);
        Self {
            status: Status::of(node.first_seen_at.is_some(), node.draining, connection),
            name: node.called(),
            id: node.id,
            workspace_id: node.workspace_id,
            gpu_pct: node.gpu_pct,
            temp_max: node.temp_max,
            hostname: node.hostname,
            local_ip: node.local_ip,
            mesh_ip: node.mesh_ip,
            connection,
            drained: node.draining && node.drained,
            moves: node.draining && node.drain_move,
            emptied_at: node.emptied_at.filter(|_| node.draining),
            paused: node.paused,
            daemon_version: node.daemon_version,
            os: node.os,
            arch: node.arch,
            engine: node
                .engine
                .and_then(|engine| serde_json::from_value(engine).ok()),
            image: node.image,
            image_reference: node.image_reference,
            image_id: node.image_id,
            images: images_of(node.images),
            bounds: bounds.as_ref().map(NodeBounds::from),
            health: health.map(|mut health| {
                health.sample.clock_off_s = None;
                health
            }),
            sandboxes: node.sandboxes,
            last_seen_at: node.last_seen_at,
            created_at: node.created_at,
            version: node.version,
            labels: node
                .labels
                .and_then(|labels| serde_json::from_value(labels).ok())
                .unwrap_or_default(),
            problems,
        }
    }
}

/// `POST /api/nodes/pair`
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PairRequest {
    /// The node's name. Without it the machine's hostname is shown.
    pub name: Option<String>,
}

impl Check for PairRequest {
    fn check(&self, mistakes: &mut Mistakes) {
        if let Some(name) = &self.name {
            mistakes.name("/name", name, 100);
        }
    }
}

/// `POST /api/nodes/{id}/drain`
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DrainRequest {
    /// Save each sandbox and end it on the node as soon as no command runs in it. Otherwise the sandboxes stay.
    #[serde(default, rename = "move")]
    pub moves: bool,
}

impl DrainRequest {
    /// The wish.
    pub fn drain(&self) -> Drain {
        match self.moves {
            true => Drain::Move,
            false => Drain::Stay,
        }
    }
}

impl Check for DrainRequest {
    fn check(&self, _: &mut Mistakes) {}
}

/// The one answer that shows a join code.
#[derive(Debug, Serialize, ToSchema)]
pub struct Paired {
    pub node: Node,
    /// Valid for ten minutes, for one machine.
    pub join_code: String,
    pub expires_at: DateTime<Utc>,
    pub install: InstallLines,
    /// The command for a machine that already has the daemon.
    pub command: String,
    /// Why machines may not reach the gateway at the address in these lines, and what to do. Absent when the gateway knows
    /// of nothing.
    pub address_problem: Option<String>,
}

/// Lines to paste on the machine.
#[derive(Debug, Serialize, ToSchema)]
pub struct InstallLines {
    /// It fetches the build for the machine's own processor, or says that this gateway does not have it.
    pub linux: String,
    /// The same. It refuses a download whose checksum differs from this gateway's build.
    pub with_checksum: String,
}

/// `POST /api/nodes/join`
#[derive(Debug, Deserialize, ToSchema)]
pub struct JoinRequest {
    pub code: String,
    /// SHA-256 of the token that the daemon made itself, 64 hex digits.
    pub token_sha256: String,
    pub install_id: Uuid,
    pub hostname: Option<String>,
    pub daemon_version: Option<String>,
}

impl Check for JoinRequest {
    fn check(&self, mistakes: &mut Mistakes) {
        if self.code.is_empty() || self.code.len() > 64 {
            mistakes.add("/code", "must be the code that the pairing page shows");
        }
        let hex = self.token_sha256.len() == 64
            && self
                .token_sha256
                .bytes()
                .all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
        if !hex {
            mistakes.add(
                "/token_sha256",
                "must be a SHA-256 as 64 lower-case hex digits",
            );
        }
    }
}

/// What a machine that joined needs to know.
#[derive(Debug, Serialize, ToSchema)]
pub struct Joined {
    pub node_id: NodeId,
    pub workspace_name: String,
    pub channel_url: String,
}

/// The result of `exec-test`, measured on the machine.
#[derive(Debug, Serialize, ToSchema)]
pub struct VerifyReport {
    pub ok: bool,
    pub checks: Vec<VerifyCheck>,
    /// Facts read from inside a probe sandbox.
    pub probe: Vec<VerifyFact>,
    pub duration_ms: u64,
}

/// The result of a check.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum VerifyLevel {
    Ok,
    /// It works, but something could be better.
    Warn,
    Fail,
}

/// One check of the host or the engine.
#[derive(Debug, Serialize, ToSchema)]
pub struct VerifyCheck {
    pub name: String,
    pub title: String,
    pub ok: bool,
    pub level: VerifyLevel,
    pub detail: String,
}

/// One fact about the inside of a sandbox.
#[derive(Debug, Serialize, ToSchema)]
pub struct VerifyFact {
    pub fact: String,
    pub title: String,
    pub expected: String,
    pub actual: String,
    pub ok: bool,
}

impl From<Measured> for VerifyReport {
    fn from(report: Measured) -> Self {
        let checks = report.checks.into_iter().map(|check| VerifyCheck {
            ok: check.level != Level::Fail,
            level: match check.level {
                Level::Ok => VerifyLevel::Ok,
                Level::Warn => VerifyLevel::Warn,
                Level::Fail => VerifyLevel::Fail,
            },
            name: check.name,
            title: check.title,
            detail: check.detail,
        });
        let probe = report.probe.into_iter().map(|fact| VerifyFact {
            fact: fact.fact,
            title: fact.title,
            expected: fact.expected,
            actual: fact.actual,
            ok: fact.ok,
        });
        Self {
            ok: report.ok,
            checks: checks.collect(),
            probe: probe.collect(),
            duration_ms: report.duration_ms,
        }
    }
}

/// The tools of a machine.
#[derive(Debug, Serialize, ToSchema)]
pub struct Tools {
    pub items: Vec<ToolInfo>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reported_at: Option<DateTime<Utc>>,
}

/// One tool.
#[derive(Debug, Serialize, ToSchema)]
pub struct ToolInfo {
    pub tool: String,
    pub version: Option<String>,
    /// The latest version that exists; absent until the gateway has looked it up.
    pub latest: Option<String>,
    /// The tool whose version this entry shows, if it has none of its own.
    pub mirrors: Option<String>,
}

/// One line of a machine's log of operations.
#[derive(Debug, Serialize, ToSchema)]
pub struct OperationLine {
    pub id: OperationId,
    pub kind: String,
    pub state: OperationState,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner_id: Option<Uuid>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sandbox_id: Option<Uuid>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<DateTime<Utc>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<i64>,
    /// The request.
    #[schema(value_type = Object)]
    pub request: serde_json::Value,
    /// Why the operation failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Who ran a command, and for which run.
    #[serde(flatten)]
    pub by: CommandDoer,
    #[serde(flatten)]
    pub command: CommandFacts,
}

impl OperationLine {
    /// From its row, and the names of those who ran commands.
    pub fn new(mut row: OperationRow, doers: &Doers) -> Self {
        Self {
            by: doers.doer(&row),
            command: CommandFacts::take(&mut row),
            state: row.state(),
            id: row.id,
            kind: row.kind,
            owner_id: row.owner_id.map(Into::into),
            sandbox_id: row.sandbox_id.map(Into::into),
            started_at: row.started_at,
            finished_at: row.finished_at,
            created_at: row.created_at,
            duration_ms: row.duration_ms,
            request: row.request,
            detail: row.detail,
        }
    }
}
