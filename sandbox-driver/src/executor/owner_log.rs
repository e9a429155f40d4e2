//! The log for the machine's owner: every operation, for which agent, what it was, how it ended. It holds no output and
//! no values of environment variables. JSON lines, mode 0600, rotated by size.
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use roost_protocol::operation::{Operation, OperationRequest};
use roost_protocol::report::{Ended, Outcome};
use roost_protocol::text;
use serde_json::{Value, json};

/// Size at which a file is rotated, bytes.
const TURN_OVER: u64 = 4 * 1024 * 1024;
/// Older files that are kept: `operations.jsonl.1` is the newest of them.
const KEPT: usize = 3;
/// Longest text of one field, bytes.
const FIELD: usize = 1024;

/// Path of an executor's log.
pub fn path(state_dir: &Path) -> PathBuf {
    state_dir.join("operations.jsonl")
}

/// The owner's log. A failed write never stops an operation.
#[derive(Debug)]
pub struct OwnerLog {
    path: PathBuf,
    file: Mutex<Option<File>>,
}

impl OwnerLog {
    /// A log at this path. The first line makes the file.
    pub fn new(path: PathBuf) -> Self {
        Self {
            path,
            file: Mutex::new(None),
        }
    }

    /// Logs an accepted operation.
    pub fn began(&self, request: &OperationRequest, now_s: i64) {
        let (workspace, agent) = match request.on_behalf {
            Some(on) => (Some(on.workspace), Some(on.agent)),
            None => (None, None),
        };
        self.line(&json!({
            "at": stamp(now_s),
            "event": "began",
            "id": request.id,
            "operation": request.operation.name(),
            "workspace": workspace,
            "agent": agent,
            "sandbox": request.operation.sandbox(),
            "tool": request.purpose.as_ref().map(|purpose| text::clean(&purpose.tool, FIELD)),
            "command": command(request),
            "what": what(&request.operation),
        }));
    }

    /// Logs an operation that ended or was refused.
    pub fn ended(&self, request: &OperationRequest, ended: &Ended, now_s: i64) {
        let outcome = match &ended.outcome {
            Outcome::Exited { code } => json!({ "code": code }),
            Outcome::Error { error } => {
                json!({ "error": error.kind, "detail": text::clean(&error.detail, FIELD) })
            }
            Outcome::Provisioned { sandbox, .. } => json!({ "container": sandbox.container }),
            _ => Value::Null,
        };
        self.line(&json!({
            "at": stamp(now_s),
            "event": "ended",
            "id": request.id,
            "operation": request.operation.name(),
            "sandbox": request.operation.sandbox(),
            "state": ended.state,
            "outcome": outcome,
            "output_bytes": ended.output_end + ended.output_dropped,
            "ms": ended.duration_ms,
        }));
    }

    /// Logs another event for the owner: a sandbox that was reaped, a pause.
    pub fn happened(&self, event: &str, facts: Value, now_s: i64) {
        self.line(&json!({ "at": stamp(now_s), "event": event, "facts": facts }));
    }

    fn line(&self, value: &Value) {
        let mut slot = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let outcome = (|| -> io::Result<()> {
            let full = slot
                .as_ref()
                .map(|file| file.metadata().map(|facts| facts.len() > TURN_OVER))
                .transpose()?;
            if full == Some(true) {
                *slot = None;
                turn_over(&self.path)?;
            }
            let file = match &mut *slot {
                Some(file) => file,
                none => none.insert(
                    OpenOptions::new()
                        .append(true)
                        .create(true)
                        .mode(0o600)
                        .open(&self.path)?,
                ),
            };
            file.write_all(format!("{value}\n").as_bytes())
        })();
        if let Err(error) = outcome {
            tracing::warn!(%error, path = %self.path.display(), "cannot write the owner's log");
        }
    }
}

fn turn_over(path: &Path) -> io::Result<()> {
    let numbered = |n: usize| PathBuf::from(format!("{}.{n}", path.display()));
    for n in (1..KEPT).rev() {
        match std::fs::rename(numbered(n), numbered(n + 1)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    std::fs::rename(path, numbered(1))
}

/// The command that the agent gave to its tool. `what` holds the program that was run.
fn command(request: &OperationRequest) -> Option<String> {
    let command = request.purpose.as_ref()?.command.as_deref()?;
    Some(text::clean(command, FIELD))
}

fn what(operation: &Operation) -> Value {
    match operation {
        Operation::SbExec(exec) => json!({
            "argv": exec.argv.iter().take(32).map(|arg| text::clean(arg, FIELD)).collect::<Vec<_>>(),
            "cwd": exec.cwd.as_deref().map(|cwd| text::clean(cwd, FIELD)),
            "env": exec.env.keys().map(|name| text::clean(name, FIELD)).collect::<Vec<_>>(),
            "tty": exec.tty.is_some(),
            "deadline_s": exec.deadline_s,
        }),
        Operation::SbProvision(provision) => json!({
            "image": text::clean(&provision.spec.image, FIELD),
            "memory_bytes": provision.spec.limits.memory_bytes,
            "nano_cpus": provision.spec.limits.nano_cpus,
            "pids": provision.spec.limits.pids,
            "env": provision.spec.env.keys().map(|name| text::clean(name, FIELD)).collect::<Vec<_>>(),
            "restore": provision.restore,
        }),
        Operation::SbDestroy(destroy) => json!({ "archive": destroy.archive }),
        Operation::Verify(verify) => json!({ "probe": verify.probe }),
        Operation::SbHealth(_)
        | Operation::SbList(_)
        | Operation::SbFlush(_)
        | Operation::Unsupported => Value::Null,
    }
}

fn stamp(now_s: i64) -> String {
    chrono::DateTime::from_timestamp(now_s, 0).map_or_else(String::new, |at| {
        at.to_rfc3339_opts(chrono::SecondsFormat::Secs, true)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use roost_protocol::operation::{Exec, OnBehalf};
    use std::os::unix::fs::PermissionsExt;
    use uuid::Uuid;

    #[test]
    fn log_has_agent_and_operation_without_secrets_and_rotates() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("operations.jsonl");
        let log = OwnerLog::new(path.clone());
        let request = OperationRequest {
            purpose: None,
            id: Uuid::from_u128(7).into(),
            on_behalf: Some(OnBehalf {
                workspace: Uuid::from_u128(8).into(),
                agent: Uuid::from_u128(9).into(),
            }),
            operation: Operation::SbExec(Exec {
                sandbox: Uuid::from_u128(1).into(),
                argv: vec!["echo".into(), "\u{1b}[31mhi".into()],
                cwd: None,
                env: [("TOKEN".to_owned(), "hunter2".to_owned())].into(),
                stdin: false,
                tty: None,
                deadline_s: 10,
            }),
        };
        log.began(&request, 0);
        let text = std::fs::read_to_string(&path).expect("a log");
        assert!(
            text.contains("TOKEN") && text.contains(&Uuid::from_u128(9).to_string()),
            "{text}"
        );
        assert!(
            !text.contains("hunter2") && !text.contains("\\u001b"),
            "{text}"
        );
        assert_eq!(
            std::fs::metadata(&path)
                .expect("facts")
                .permissions()
                .mode()
                & 0o777,
            0o600
        );
        let line = text.len() as u64;
        for _ in 0..(TURN_OVER / line + 2) * (KEPT as u64 + 2) {
            log.began(&request, 0);
        }
        let files = std::fs::read_dir(folder.path()).expect("a folder").count();
        assert_eq!(files, KEPT + 1);
    }
}
