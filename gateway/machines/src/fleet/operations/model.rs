//! Pure types and rules of operations, besides the state machine in `roost_protocol::machine::operation`: where an
//! operation runs, the words of the store, and whether an end answers the request.

use std::time::Duration;

use roost_protocol::limits::{ENDLESS_S, MAX_DEADLINE_S, RESULT_RETENTION_S};
use roost_protocol::operation::{Operation, OperationRequest};
use roost_protocol::report::{Ended, Outcome, Terminal};

use roost_platform::ids::{NodeId, OperationId};

/// Where an operation runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Target {
    /// The gateway's own host.
    Local,
    /// A paired machine.
    Node(NodeId),
}

impl Target {
    /// The node's id, if it is a node.
    pub fn node(self) -> Option<NodeId> {
        match self {
            Self::Local => None,
            Self::Node(id) => Some(id),
        }
    }
}

impl std::fmt::Display for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Local => f.write_str("local"),
            Self::Node(id) => id.fmt(f),
        }
    }
}

/// An operation that was accepted: its row is written and it is being sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OperationRef {
    pub id: OperationId,
    pub target: Target,
}

/// The states of a row. The last four are final.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum OperationState {
    /// Written; the machine has not confirmed it.
    Pending,
    /// The operation is in the machine's ledger.
    Running,
    Done,
    Failed,
    Cancelled,
    /// It may have run; its result cannot be known any more.
    Lost,
}

impl OperationState {
    /// The word in the store and on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Lost => "lost",
        }
    }

    /// Parses a stored word; `None` for a word that the gateway never writes.
    pub fn from_stored(word: &str) -> Option<Self> {
        [
            Self::Pending,
            Self::Running,
            Self::Done,
            Self::Failed,
            Self::Cancelled,
            Self::Lost,
        ]
        .into_iter()
        .find(|state| state.as_str() == word)
    }

    /// Whether the state cannot change any more.
    pub fn is_final(self) -> bool {
        !matches!(self, Self::Pending | Self::Running)
    }
}

impl From<Terminal> for OperationState {
    fn from(terminal: Terminal) -> Self {
        match terminal {
            Terminal::Done => Self::Done,
            Terminal::Failed => Self::Failed,
            Terminal::Cancelled => Self::Cancelled,
            Terminal::Lost => Self::Lost,
        }
    }
}

/// Whether an end answers the request. An end of another kind, or about another sandbox, is not accepted.
pub fn answers(asked: &Asked, ended: &Ended) -> bool {
    match &ended.outcome {
        Outcome::Error { .. } | Outcome::Unknown => ended.state != Terminal::Done,
        Outcome::Verified { .. } => asked.kind == "verify",
        Outcome::Provisioned { sandbox, .. } => {
            asked.kind == "sb_provision"
                && Some(sandbox.sandbox.uuid()) == asked.sandbox
                && Some(sandbox.workspace.uuid()) == asked.workspace
                && Some(sandbox.agent.uuid()) == asked.owner
        }
        Outcome::Exited { .. } => asked.kind == "sb_exec",
        Outcome::Destroyed { .. } => asked.kind == "sb_destroy",
        Outcome::Healthy { .. } => asked.kind == "sb_health",
        Outcome::Listed { .. } => asked.kind == "sb_list",
        Outcome::Flushed { snapshot } => {
            asked.kind == "sb_flush"
                && Some(snapshot.sandbox.uuid()) == asked.sandbox
                && Some(snapshot.agent.uuid()) == asked.owner
        }
    }
}

/// The facts of a request that its answer must match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    pub kind: String,
    pub workspace: Option<uuid::Uuid>,
    /// The owner of the sandbox.
    pub owner: Option<uuid::Uuid>,
    pub sandbox: Option<uuid::Uuid>,
}

impl Asked {
    /// The facts of this request.
    pub fn of(request: &OperationRequest) -> Self {
        let spec = match &request.operation {
            Operation::SbProvision(provision) => {
                Some((provision.spec.workspace.uuid(), provision.spec.agent.uuid()))
            }
            _ => None,
        };
        let on_behalf = request
            .on_behalf
            .map(|on| (on.workspace.uuid(), on.agent.uuid()));
        let whose = spec.or(on_behalf);
        Self {
            kind: request.operation.name().to_owned(),
            workspace: whose.map(|(workspace, _)| workspace),
            owner: whose.map(|(_, owner)| owner),
            sandbox: request
                .operation
                .sandbox()
                .map(roost_protocol::ids::SandboxId::uuid),
        }
    }
}

/// The request in the log of operations: enough for people, never environment values or stdin.
pub fn summary(request: &OperationRequest) -> serde_json::Value {
    let mut summary = asked(&request.operation);
    if let Some(purpose) = &request.purpose {
        summary["purpose"] = serde_json::json!(purpose);
    }
    summary
}

fn asked(operation: &Operation) -> serde_json::Value {
    use serde_json::json;
    match operation {
        Operation::Verify(verify) => json!({ "probe": verify.probe }),
        Operation::SbProvision(provision) => json!({
            "image": provision.spec.image,
            "epoch": provision.spec.epoch,
            "limits": provision.spec.limits,
            "restore": provision.restore,
        }),
        Operation::SbExec(exec) => json!({
            "argv": exec.argv.iter().take(64).map(|arg| roost_protocol::text::clean(arg, 1024)).collect::<Vec<_>>(),
            "cwd": exec.cwd,
            "env": exec.env.keys().collect::<Vec<_>>(),
            "tty": exec.tty,
            "deadline_s": (!exec.is_endless()).then_some(exec.deadline_s),
        }),
        Operation::SbDestroy(destroy) => json!({ "archive": destroy.archive }),
        Operation::SbHealth(_)
        | Operation::SbList(_)
        | Operation::SbFlush(_)
        | Operation::Unsupported => json!({}),
    }
}

/// The world view's text for an operation that begins (`None`) or ended: a label, and the heat of its machine. Health
/// checks and lists are routine work of the gateway and are not shown.
pub fn activity(kind: &str, ended: Option<Terminal>) -> Option<(String, f64)> {
    let work = match kind {
        "sb_provision" => "provision",
        "sb_exec" => "exec",
        "sb_destroy" => "destroy",
        "verify" => "verify",
        _ => return None,
    };
    Some(match ended {
        None => (work.to_owned(), 0.8),
        Some(state) => (
            format!("{work} {}", OperationState::from(state).as_str()),
            0.3,
        ),
    })
}

/// How long an operation may have no answer before it counts as lost: its own time, plus the time for which a machine
/// keeps results.
pub fn give_up_after(request: &OperationRequest) -> Duration {
    let own = match &request.operation {
        // While its machine is away, an endless one is given up by the time of the absence.
        Operation::SbExec(exec) if exec.is_endless() => ENDLESS_S,
        Operation::SbExec(exec) => exec.deadline_s.min(MAX_DEADLINE_S),
        Operation::SbProvision(_) | Operation::SbDestroy(_) => 60 * 60,
        Operation::SbFlush(flush) => flush.deadline_s,
        _ => 10 * 60,
    };
    Duration::from_secs(own + RESULT_RETENTION_S)
}

/// Fits a request to the daemon of its machine: one that does not know terminals without a deadline gets the longest one.
pub fn fit(request: &mut OperationRequest, knows_endless: bool) {
    if let Operation::SbExec(exec) = &mut request.operation
        && exec.is_endless()
        && !knows_endless
    {
        exec.deadline_s = MAX_DEADLINE_S;
    }
}

#[cfg(test)]
mod tests {
    use roost_protocol::report::ErrorKind;

    use super::*;

    #[test]
    fn shell_without_a_deadline_gets_one_for_an_older_daemon_only() {
        let request = |deadline_s| OperationRequest {
            id: roost_protocol::ids::OperationId(uuid::Uuid::nil()),
            on_behalf: None,
            purpose: None,
            operation: Operation::SbExec(roost_protocol::operation::Exec {
                sandbox: roost_protocol::ids::SandboxId(uuid::Uuid::nil()),
                argv: vec!["bash".to_owned()],
                cwd: None,
                env: std::collections::BTreeMap::new(),
                stdin: true,
                tty: Some(roost_protocol::operation::TtySize { rows: 24, cols: 80 }),
                deadline_s,
            }),
        };
        let is_valid = |request: &OperationRequest| match &request.operation {
            Operation::SbExec(exec) => exec.validate().is_ok(),
            _ => false,
        };
        for (deadline_s, knows_endless, wanted) in [
            (0, true, 0),
            (0, false, MAX_DEADLINE_S),
            (60, true, 60),
            (60, false, 60),
        ] {
            let mut asked = request(deadline_s);
            fit(&mut asked, knows_endless);
            assert_eq!(asked, request(wanted), "{deadline_s} {knows_endless}");
            assert!(is_valid(&asked));
        }
        let years = give_up_after(&request(0));
        assert!(years > Duration::from_secs(365 * 24 * 60 * 60));
        assert_eq!(
            give_up_after(&request(60)),
            Duration::from_secs(60 + RESULT_RETENTION_S)
        );
        // Only a terminal has no deadline.
        let mut plain = request(0);
        if let Operation::SbExec(exec) = &mut plain.operation {
            exec.tty = None;
        }
        assert!(!is_valid(&plain));
    }

    #[test]
    fn an_answer_to_another_question_is_not_believed() {
        let asked = Asked {
            kind: "sb_destroy".into(),
            workspace: None,
            owner: None,
            sandbox: None,
        };
        let mut ended = Ended::without_result(Terminal::Done, ErrorKind::Internal, "");
        assert!(!answers(&asked, &ended), "done with an error is no answer");
        ended.outcome = Outcome::Exited { code: 0 };
        assert!(!answers(&asked, &ended));
        ended.outcome = Outcome::Destroyed { archive: None };
        assert!(answers(&asked, &ended));
    }

    #[test]
    fn work_is_shown_and_the_gateways_own_breathing_is_not() {
        assert_eq!(activity("sb_exec", None), Some(("exec".to_owned(), 0.8)));
        let ended = activity("sb_destroy", Some(Terminal::Lost));
        assert_eq!(ended, Some(("destroy lost".to_owned(), 0.3)));
        assert_eq!(activity("sb_health", None), None);
        assert_eq!(activity("sb_list", Some(Terminal::Done)), None);
    }

    #[test]
    fn each_state_reads_back_as_it_is_stored() {
        for state in [
            Terminal::Done,
            Terminal::Failed,
            Terminal::Cancelled,
            Terminal::Lost,
        ]
        .map(OperationState::from)
        {
            assert_eq!(OperationState::from_stored(state.as_str()), Some(state));
            assert!(state.is_final());
        }
    }
}
