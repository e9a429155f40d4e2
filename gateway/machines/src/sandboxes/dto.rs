//! Sandboxes in JSON.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use roost_protocol::limits;
use roost_protocol::operation::Purpose;
use roost_protocol::sandbox::Limits;
use roost_protocol::text;
use roost_protocol::verify::ProbedFact;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::OwnerKind;
use super::limits::NewLimits;
use super::model::{Reason, State};
use super::snapshots::{RestoredFrom, Snapshot};
use crate::fleet::operations::OperationState;
use roost_platform::ids::{ClawId, NodeId, OperationId, SandboxId, SandboxOwnerId, SnapshotId};
use roost_web::json::{Check, Mistakes};

/// The sandbox of an agent or of a team.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Sandbox {
    pub id: SandboxId,
    pub owner_kind: OwnerKind,
    /// The agent or the team.
    pub owner_id: SandboxOwnerId,
    /// `local`, or the id of a node.
    pub node_id: String,
    pub node_name: String,
    pub state: State,
    /// The engine's id, once it exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub container: Option<String>,
    pub image: String,
    /// The digest that the image must have, if one is demanded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image_digest: Option<String>,
    pub limits: LimitsDto,
    /// Set when the wanted machine could not take the sandbox.
    pub fallback: Option<FallbackDto>,
    /// Why it failed, stopped or is lost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Facts that the escape probe read from inside; empty until it ran.
    pub hardening: Vec<FactDto>,
    /// Why there are no facts although the sandbox runs: its image has no probe, or the probe failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hardening_missing: Option<String>,
    /// The latest snapshot of the owner's files, wherever it is.
    pub snapshot: Option<Snapshot>,
    /// The files that this sandbox began with; absent when it began empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restored_from: Option<RestoredFrom>,
    /// Why the machine could not take the last snapshot, and what to do. The earlier snapshots are unchanged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snapshot_problem: Option<String>,
    /// The stored workspace, if it was stored.
    #[schema(value_type = Option<WorkspaceArchive>)]
    pub workspace_archive: Option<serde_json::Value>,
    /// When the container ends unless it is used again.
    pub lease_until: DateTime<Utc>,
    pub last_used_at: DateTime<Utc>,
    pub created_at: DateTime<Utc>,
    pub version: i64,
}

/// A workspace that was stored when its sandbox ended.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct WorkspaceArchive {
    /// SHA-256 of the archive, hex.
    pub digest: String,
    pub bytes: u64,
    pub at: DateTime<Utc>,
}

/// Why a sandbox is not where the placement setting wants it.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = Fallback)]
pub struct FallbackDto {
    /// The node that was wanted.
    pub wanted: NodeId,
    pub reason: Reason,
}

/// One fact about the inside of the sandbox.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = Fact)]
pub struct FactDto {
    pub fact: String,
    pub title: String,
    pub expected: String,
    pub actual: String,
    pub ok: bool,
}

impl From<ProbedFact> for FactDto {
    fn from(fact: ProbedFact) -> Self {
        let clean = |text: &str| text::clean(text, limits::MAX_SHORT_TEXT);
        Self {
            fact: clean(&fact.fact),
            title: clean(&fact.title),
            expected: clean(&fact.expected),
            actual: clean(&fact.actual),
            ok: fact.ok,
        }
    }
}

/// Resource limits of a sandbox.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(as = Limits)]
pub struct LimitsDto {
    /// Memory without swap, bytes. The workspace is a part of it.
    pub memory_bytes: u64,
    /// Size of the workspace, bytes.
    pub workspace_bytes: u64,
    /// Billionths of a cpu.
    pub nano_cpus: u64,
    /// Processes and threads.
    pub pids: u32,
}

impl Default for LimitsDto {
    fn default() -> Self {
        Limits::default().into()
    }
}

impl From<Limits> for LimitsDto {
    fn from(l: Limits) -> Self {
        Self {
            memory_bytes: l.memory_bytes,
            workspace_bytes: l.workspace_bytes,
            nano_cpus: l.nano_cpus,
            pids: l.pids,
        }
    }
}

/// The sandbox to create. There are no fields for privilege, mounts, devices or the network, because hardening is fixed.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewSandbox {
    /// An image other than the default: a name of the catalogue (`/api/images`), or a reference. It must contain the guest.
    #[serde(default)]
    pub image: Option<String>,
    #[serde(default)]
    pub limits: Option<NewLimits>,
    /// The machine: `local`, or the id of a node of the workspace. The default is the workspace's placement. If the
    /// machine cannot take the sandbox now, it goes to `local`, and `fallback` shows the reason. An owner that has a
    /// sandbox keeps its machine. To name a machine, the caller needs the right to set the placement.
    #[serde(default)]
    #[schema(max_length = 40)]
    pub node_id: Option<String>,
    /// The snapshot of the owner's files that it begins with. The default is the newest that its machine can have.
    #[serde(default)]
    pub restore: Option<SnapshotId>,
    /// The owner of that snapshot, when it is another one. Only the gateway's own code sets it.
    #[serde(skip)]
    pub restore_of: Option<SandboxOwnerId>,
    /// It begins without files, though the owner has some. Only the gateway's own code sets it.
    #[serde(skip)]
    pub without_files: bool,
}

impl Check for NewSandbox {
    fn check(&self, mistakes: &mut Mistakes) {
        if let Some(Err(error)) = self.image.as_deref().map(text::image_reference) {
            mistakes.add("/image", error.to_string());
        }
        if let Some(limits) = self.limits {
            limits.check(mistakes);
        }
    }
}

/// A command to run.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewExec {
    /// The program and its arguments. They run without a shell.
    #[schema(min_items = 1, max_items = 256)]
    pub argv: Vec<String>,
    /// An absolute path; the default is the workspace.
    #[serde(default)]
    pub cwd: Option<String>,
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Text for stdin, which closes after it. Without it stdin stays open for `…/stdin`, unless `?wait=true`.
    #[serde(default)]
    pub stdin: Option<String>,
    /// `true` for a terminal with 24 rows and 80 columns, or its size.
    #[serde(default)]
    pub tty: Option<Tty>,
    /// Seconds until the whole process tree is killed. The default is 600, the maximum one day. A person's command with a
    /// terminal and without this value is a shell, which has no deadline: it ends when nobody has read its output for
    /// `limits.shell_unread_hours`.
    #[serde(default)]
    #[schema(minimum = 1, maximum = 86_400)]
    pub deadline_s: Option<u64>,
    /// The input of an agent's tool. A client of the API cannot set it.
    #[serde(skip)]
    #[schema(ignore)]
    pub purpose: Option<Purpose>,
    /// The agent at work. A client of the API cannot set it.
    #[serde(skip)]
    #[schema(ignore)]
    pub worker: Worker,
}

/// The agent that runs a command, and the step of its run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Worker {
    pub agent: Option<ClawId>,
    /// Such as `coder#1`.
    pub step: Option<String>,
}

/// Whether the command gets a terminal, and its size.
#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum Tty {
    Wanted(bool),
    Size(Size),
}

/// Size of a terminal in cells, 1 to 1,000 each.
#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = TerminalSize)]
pub struct Size {
    pub rows: u16,
    pub cols: u16,
}

impl Size {
    fn fits(self) -> bool {
        (1..=1000).contains(&self.rows) && (1..=1000).contains(&self.cols)
    }
}

impl Check for Size {
    fn check(&self, mistakes: &mut Mistakes) {
        if !self.fits() {
            mistakes.add("", "rows and cols must be 1 to 1,000");
        }
    }
}

impl Check for NewExec {
    fn check(&self, mistakes: &mut Mistakes) {
        if let Err(error) = text::argv(&self.argv) {
            mistakes.add("/argv", error.to_string());
        }
        if let Some(Err(error)) = self.cwd.as_deref().map(text::sandbox_path) {
            mistakes.add("/cwd", error.to_string());
        }
        if let Err(error) = text::environment(self.env.iter()) {
            mistakes.add("/env", error.to_string());
        }
        if let Some(Tty::Size(size)) = self.tty
            && !size.fits()
        {
            mistakes.add("/tty", "rows and cols must be 1 to 1,000");
        }
        if self
            .deadline_s
            .is_some_and(|s| s == 0 || s > limits::MAX_DEADLINE_S)
        {
            mistakes.add(
                "/deadline_s",
                format!("must be 1 to {}", limits::MAX_DEADLINE_S),
            );
        }
    }
}

/// The command was accepted.
#[derive(Debug, Serialize, ToSchema)]
pub struct ExecTaken {
    pub operation_id: OperationId,
}

/// The state of a command.
#[derive(Debug, Serialize, ToSchema)]
pub struct ExecState {
    pub operation_id: OperationId,
    #[schema(value_type = OperationState)]
    pub state: &'static str,
    /// Exit code, or 128 + signal; absent while the command runs, and if it never ran.
    pub code: Option<i32>,
    /// Output so far, bytes.
    pub offset: u64,
    pub argv: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    pub started_at: Option<DateTime<Utc>>,
    pub finished_at: Option<DateTime<Utc>>,
}

/// The events of a command's stream: one field for each type, with the content of its `data:` line.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it only describes; each field is sent by itself")]
pub struct ExecEvents {
    output: ExecOutput,
    gap: ExecGap,
    exit: ExecExit,
}

/// Bytes that a command wrote.
#[derive(Debug, Serialize, ToSchema)]
pub struct ExecOutput {
    /// `stdout` or `stderr`.
    #[schema(value_type = String)]
    pub stream: &'static str,
    /// Offset of the first byte in the whole output.
    pub offset: u64,
    pub data_base64: String,
}

/// Output that is not available any more.
#[derive(Debug, Serialize, ToSchema)]
pub struct ExecGap {
    pub from: u64,
    pub to: u64,
}

/// The end of a command.
#[derive(Debug, Serialize, ToSchema)]
pub struct ExecExit {
    /// Exit code, or 128 + signal; absent if the command never ran.
    pub code: Option<i32>,
    #[schema(value_type = OperationState)]
    pub state: &'static str,
    pub detail: Option<String>,
    /// Output was left out.
    pub truncated: bool,
    pub duration_ms: u64,
}

/// A command with its output, in one answer.
#[derive(Debug, Serialize, ToSchema)]
pub struct ExecWhole {
    pub operation_id: OperationId,
    #[schema(value_type = OperationState)]
    pub state: &'static str,
    pub code: Option<i32>,
    pub stdout_base64: String,
    pub stderr_base64: String,
    /// Output was left out: beyond 1 MiB here, beyond 16 MiB anywhere, or not available any more.
    pub truncated: bool,
    pub duration_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// The position of stdin.
#[derive(Debug, Serialize, ToSchema)]
pub struct StdinTaken {
    /// Bytes taken so far: the offset of the next byte.
    pub offset: u64,
}

/// Where new sandboxes are created.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlacementTarget {
    /// The gateway's own host.
    Local,
    /// A paired machine.
    Node,
}

/// The placement setting.
#[derive(Debug, Serialize, ToSchema)]
pub struct Placement {
    pub target: PlacementTarget,
    pub node_id: Option<NodeId>,
}

/// Sets the placement.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SetPlacement {
    #[schema(value_type = PlacementTarget)]
    pub target: String,
    /// Required with `node`.
    #[serde(default)]
    pub node_id: Option<NodeId>,
}

impl Check for SetPlacement {
    fn check(&self, mistakes: &mut Mistakes) {
        match (self.target.as_str(), self.node_id) {
            ("local", None) | ("node", Some(_)) => {}
            ("local", Some(_)) => mistakes.add("/node_id", "belongs to the target `node` only"),
            ("node", None) => mistakes.add("/node_id", "is required with the target `node`"),
            _ => mistakes.add("/target", "must be `local` or `node`"),
        }
    }
}

/// Where files go.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct PutQuery {
    /// A folder, relative to the workspace. The default is the workspace itself.
    #[param(max_length = 1000)]
    pub folder: Option<String>,
    /// Replace files that exist.
    #[serde(default)]
    pub replace: bool,
}

/// Files that are in a sandbox now.
#[derive(Debug, Serialize, ToSchema)]
pub struct PutFiles {
    pub operation_id: OperationId,
    /// The folder in the sandbox.
    pub folder: String,
    /// Bytes of the archive.
    pub bytes: u64,
}

/// How to answer.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct WaitQuery {
    /// Wait for the end and send one answer, with at most 1 MiB of output.
    #[serde(default)]
    pub wait: bool,
}

/// Where to begin.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct OffsetQuery {
    /// Bytes of output that the client already has; 0 for all output.
    #[serde(default)]
    pub offset: u64,
}

/// Where the bytes belong.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct StdinQuery {
    /// Offset of the first byte. Bytes at an offset that was taken before are ignored, so a retry is safe.
    #[serde(default)]
    pub offset: u64,
    /// Close stdin after these bytes.
    #[serde(default)]
    pub eof: bool,
}
