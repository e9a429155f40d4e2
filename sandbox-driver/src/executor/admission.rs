//! Whether a request may be taken at all: its form, its numbers, and what the machine is told to refuse. Pure.
use roost_protocol::limits::{MAX_DEADLINE_S, MAX_IN_FLIGHT};
use roost_protocol::operation::{Exec, Operation, Provision};
use roost_protocol::report::{ErrorKind, OperationError};
use roost_protocol::text;

/// What the machine is like at this moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    pub paused: bool,
    pub draining: bool,
    /// Operations under way.
    pub in_flight: usize,
}

/// Decides whether an operation is taken.
///
/// # Errors
/// Why not, with a sentence that says what to do.
pub fn admit(operation: &Operation, standing: Standing) -> Result<(), OperationError> {
    if standing.in_flight >= MAX_IN_FLIGHT {
        return Err(error(
            ErrorKind::Busy,
            format!(
                "{MAX_IN_FLIGHT} operations are under way here; ask again when some have ended"
            ),
        ));
    }
    match operation {
        Operation::SbProvision(provision) => {
            if standing.paused {
                return Err(error(
                    ErrorKind::Paused,
                    "the machine's owner paused it; `roostd resume` lets it take sandboxes again",
                ));
            }
            if standing.draining {
                return Err(error(
                    ErrorKind::Draining,
                    "the machine is draining; undrain it, or place the sandbox elsewhere",
                ));
            }
            form_of_provision(provision)
        }
        Operation::SbExec(exec) => form_of_exec(exec),
        Operation::Unsupported => Err(error(
            ErrorKind::Unsupported,
            format!(
                "roostd {} does not know this operation; update it",
                env!("CARGO_PKG_VERSION")
            ),
        )),
        Operation::Verify(_)
        | Operation::SbDestroy(_)
        | Operation::SbHealth(_)
        | Operation::SbList(_) => Ok(()),
    }
}

fn form_of_provision(provision: &Provision) -> Result<(), OperationError> {
    let spec = &provision.spec;
    text::image_reference(&spec.image).map_err(invalid)?;
    text::environment(spec.env.iter()).map_err(invalid)?;
    for digest in spec
        .image_digest
        .iter()
        .map(|digest| digest.strip_prefix("sha256:").unwrap_or(""))
        .chain(provision.restore.iter().map(String::as_str))
    {
        if digest.len() != 64
            || !digest
                .bytes()
                .all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
        {
            return Err(error(
                ErrorKind::Invalid,
                "a digest must be 64 lower-case hex digits (an image's with `sha256:` before them)",
            ));
        }
    }
    Ok(())
}

fn form_of_exec(exec: &Exec) -> Result<(), OperationError> {
    text::argv(&exec.argv).map_err(invalid)?;
    text::environment(exec.env.iter()).map_err(invalid)?;
    if let Some(cwd) = &exec.cwd {
        text::sandbox_path(cwd).map_err(invalid)?;
    }
    if !(1..=MAX_DEADLINE_S).contains(&exec.deadline_s) {
        return Err(error(
            ErrorKind::Invalid,
            format!("deadline_s must be 1 to {MAX_DEADLINE_S}"),
        ));
    }
    Ok(())
}

fn invalid(cause: text::TextError) -> OperationError {
    error(ErrorKind::Invalid, cause.to_string())
}

fn error(kind: ErrorKind, detail: impl Into<String>) -> OperationError {
    OperationError {
        kind,
        detail: detail.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use roost_protocol::sandbox::{Limits, SandboxSpec};
    use uuid::Uuid;

    fn exec(change: impl Fn(&mut Exec)) -> Operation {
        let mut exec = Exec {
            sandbox: Uuid::from_u128(1).into(),
            argv: vec!["true".into()],
            cwd: None,
            env: Default::default(),
            stdin: false,
            tty: None,
            deadline_s: 10,
        };
        change(&mut exec);
        Operation::SbExec(exec)
    }

    fn provision(change: impl Fn(&mut Provision)) -> Operation {
        let id = Uuid::from_u128(1);
        let mut provision = Provision {
            spec: SandboxSpec {
                sandbox: id.into(),
                workspace: id.into(),
                agent: id.into(),
                node: None,
                epoch: 1,
                image: "roost-agent:dev".into(),
                image_digest: None,
                limits: Limits::default(),
                env: Default::default(),
                lease_s: 60,
            },
            restore: None,
        };
        change(&mut provision);
        Operation::SbProvision(provision)
    }

    fn kind(operation: &Operation, standing: Standing) -> Option<ErrorKind> {
        admit(operation, standing).err().map(|error| error.kind)
    }

    #[test]
    fn a_paused_or_draining_machine_takes_no_sandbox_but_goes_on_with_what_it_has() {
        let paused = Standing {
            paused: true,
            ..Standing::default()
        };
        let draining = Standing {
            draining: true,
            ..Standing::default()
        };
        assert_eq!(kind(&provision(|_| ()), paused), Some(ErrorKind::Paused));
        assert_eq!(
            kind(&provision(|_| ()), draining),
            Some(ErrorKind::Draining)
        );
        assert_eq!(kind(&exec(|_| ()), paused), None);
        assert_eq!(kind(&exec(|_| ()), draining), None);
    }

    #[test]
    fn bad_requests_are_refused_before_anything_is_written() {
        let bad = [
            exec(|exec| exec.argv.clear()),
            exec(|exec| exec.argv = vec!["a\0b".into()]),
            exec(|exec| exec.cwd = Some("/a/../b".into())),
            exec(|exec| exec.cwd = Some("a".into())),
            exec(|exec| exec.deadline_s = 0),
            exec(|exec| exec.deadline_s = MAX_DEADLINE_S + 1),
            exec(|exec| exec.env = [("LD_PRELOAD".to_owned(), "x".to_owned())].into()),
            exec(|exec| exec.env = [("A=B".to_owned(), "x".to_owned())].into()),
            provision(|it| it.spec.image = "--privileged".into()),
            provision(|it| it.spec.image_digest = Some("sha256:x".into())),
            provision(|it| it.restore = Some("../../etc/passwd".into())),
        ];
        for operation in bad {
            assert_eq!(
                kind(&operation, Standing::default()),
                Some(ErrorKind::Invalid),
                "{operation:?}"
            );
        }
        assert_eq!(
            kind(&Operation::Unsupported, Standing::default()),
            Some(ErrorKind::Unsupported)
        );
        let full = Standing {
            in_flight: MAX_IN_FLIGHT,
            ..Standing::default()
        };
        assert_eq!(kind(&exec(|_| ()), full), Some(ErrorKind::Busy));
    }
}
