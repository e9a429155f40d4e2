//! Admission: whether a node accepts a new operation. This is the first check, before anything is written.
//!
//! A refusal is not recorded. Nothing was started, so a caller that missed the refusal may ask again and be accepted
//! then. Draining and the owner's pause stop only new sandboxes: existing ones may be used, checked and destroyed.
use super::ledger::Kind;
use crate::limits::{
    MAX_COMMANDS_IN_SANDBOX, MAX_COMMANDS_OF_WORKSPACE, MAX_IN_FLIGHT, MAX_INVENTORY,
    RESERVED_IN_FLIGHT,
};
use crate::operation::{Operation, OperationRequest};
use crate::report::{ErrorKind, OperationError};

/// The present conditions of this machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Conditions {
    /// The gateway drains this node.
    pub draining: bool,
    /// The owner paused this node.
    pub paused: bool,
    /// Operations that are recorded and have not ended.
    pub in_flight: usize,
    /// Commands among them, as far as they count for this request.
    pub commands: Commands,
    /// Ended operations whose end the gateway has not acknowledged.
    pub unacknowledged: usize,
}

/// Running commands that count for one request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Commands {
    /// On the whole machine.
    pub here: usize,
    /// Of the same workspace.
    pub of_workspace: usize,
    /// In the same sandbox.
    pub in_sandbox: usize,
}

impl Commands {
    /// Counts the commands among operations in flight, for `request`.
    pub fn count<'a>(
        under_way: impl IntoIterator<Item = &'a OperationRequest>,
        request: &OperationRequest,
    ) -> Self {
        let workspace = |request: &OperationRequest| request.on_behalf.map(|on| on.workspace);
        let mut counted = Self::default();
        for other in under_way {
            if let Operation::SbExec(exec) = &other.operation {
                let same = workspace(other).is_some() && workspace(other) == workspace(request);
                counted.note(same, request.operation.sandbox() == Some(exec.sandbox));
            }
        }
        counted
    }

    /// Counts one running command.
    pub fn note(&mut self, of_workspace: bool, in_sandbox: bool) {
        let add = |count: &mut usize, one| *count = count.saturating_add(usize::from(one));
        add(&mut self.here, true);
        add(&mut self.of_workspace, of_workspace);
        add(&mut self.in_sandbox, in_sandbox);
    }

    /// Checks whether one more command may begin.
    ///
    /// # Errors
    /// The bound that is reached.
    pub fn room(&self) -> Result<(), TooMany> {
        for (scope, counted, most) in [
            (Scope::Sandbox, self.in_sandbox, MAX_COMMANDS_IN_SANDBOX),
            (
                Scope::Workspace,
                self.of_workspace,
                MAX_COMMANDS_OF_WORKSPACE,
            ),
            (
                Scope::Machine,
                self.here,
                MAX_IN_FLIGHT - RESERVED_IN_FLIGHT,
            ),
        ] {
            if counted >= most {
                return Err(TooMany { scope, most });
            }
        }
        Ok(())
    }
}

/// Where a bound on concurrent commands applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    Sandbox,
    Workspace,
    Machine,
}

/// A bound on concurrent commands is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{most} commands run {}, which is the most; try again when one has ended", scope.in_words())]
pub struct TooMany {
    pub scope: Scope,
    pub most: usize,
}

impl Scope {
    fn in_words(self) -> &'static str {
        match self {
            Self::Sandbox => "in this sandbox",
            Self::Workspace => "for this workspace on this machine",
            Self::Machine => "on this machine",
        }
    }
}

/// Accepts a new operation, or returns its end.
///
/// # Errors
/// The end to report (`Ended::from`): `unsupported`, `invalid`, `draining`, `paused` or `busy`.
pub fn admit(request: &OperationRequest, conditions: &Conditions) -> Result<Kind, OperationError> {
    let Some(kind) = Kind::of(&request.operation) else {
        return Err(refuse(
            ErrorKind::Unsupported,
            "this version of the daemon does not know the operation; update the daemon",
        ));
    };
    if let Err(error) = request.validate() {
        return Err(refuse(ErrorKind::Invalid, error.to_string()));
    }
    if kind == Kind::Provision && conditions.draining {
        return Err(refuse(
            ErrorKind::Draining,
            "the machine is draining and accepts no new sandboxes; choose another",
        ));
    }
    if kind == Kind::Provision && conditions.paused {
        return Err(refuse(
            ErrorKind::Paused,
            "the owner paused this machine; it accepts no new sandboxes until `roostd resume`"
                .to_owned(),
        ));
    }
    if kind == Kind::Exec
        && let Err(full) = conditions.commands.room()
    {
        return Err(refuse(ErrorKind::Busy, full.to_string()));
    }
    if conditions.in_flight >= MAX_IN_FLIGHT {
        return Err(refuse(
            ErrorKind::Busy,
            format!("{MAX_IN_FLIGHT} operations are running here; try again when one has ended"),
        ));
    }
    if conditions.unacknowledged >= MAX_INVENTORY {
        return Err(refuse(
            ErrorKind::Busy,
            format!("{MAX_INVENTORY} ended operations wait for the gateway's acknowledgement"),
        ));
    }
    Ok(kind)
}

fn refuse(kind: ErrorKind, detail: impl Into<String>) -> OperationError {
    OperationError::new(kind, detail)
}
