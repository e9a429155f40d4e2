//! The sandbox of the agent at work: it is made when a call needs one, it gets the files that the run begins with, and what
//! it has before and after the step is recorded.

use std::time::Duration;

use roost_protocol::report::ErrorKind as ErrorOfMachine;

use super::checkout::works_in_sandbox;
use super::session::{Session, Stopped, error_text, quota};
use roost_execution::runs::{self, Class, FenceError, StepResult};
use roost_execution::tools::{Capability, ToolError};
use roost_machines::fleet::operations::OperationsError;
use roost_machines::sandboxes::step_files::{self, FilesPlace, StartFilesError};
use roost_machines::sandboxes::{self, NewSandbox, SandboxError};
use roost_platform::ids::SandboxId;
use roost_tenancy::workspaces::QuotaError;

/// The longest time between two attempts to create a sandbox when none can be created: each attempt leaves a row and
/// events.
const NEXT_SANDBOX: Duration = Duration::from_secs(60);
/// How long a step waits before it looks again whether another run still works in the sandbox.
const NEXT_LOOK: Duration = Duration::from_secs(5);

impl<W> Session<'_, W> {
    /// Makes the sandbox that the agent works in, and records what it has.
    pub(super) async fn make_sandbox(&self, may: &Capability) -> Result<(), Stopped> {
        let id = SandboxId(self.agents.ids.next());
        let wanted = NewSandbox {
            node_id: self.context.machine.clone(),
            ..Default::default()
        };
        let made = sandboxes::provision(
            &self.agents.sandboxes,
            may.scope,
            may.user,
            may.sandbox_of,
            id,
            wanted,
            self.job.journal.fence.about,
        );
        match made.await {
            Ok(_) => self.note_begin(may, true).await,
            Err(error) => Err(self.not_made(error).await),
        }
    }

    /// Before the step's first turn: gives the sandbox the files that the run begins with, and records what it has.
    /// `unused` says that no call of the step was made yet.
    pub(super) async fn begin_files(&self, unused: bool) -> Result<(), Stopped> {
        let may = self.current_permissions().await?;
        if !works_in_sandbox(&may) {
            return Ok(());
        }
        self.start_files(&may).await?;
        self.note_begin(&may, unused).await
    }

    /// After the step: records what its sandbox has. A step that only waits has not ended.
    pub(super) async fn with_files(&self, end: StepResult) -> StepResult {
        let may = &self.context.may;
        if end.waits() || end == StepResult::Fenced || !works_in_sandbox(may) {
            return end;
        }
        match step_files::end(&self.agents.sandboxes, &self.files_place(may)).await {
            Ok(()) => end,
            Err(error) => StepResult::retryable(error_text(&error)),
        }
    }

    async fn note_begin(&self, may: &Capability, unused: bool) -> Result<(), Stopped> {
        let place = self.files_place(may);
        let noted = step_files::begin(&self.agents.sandboxes, &place, unused).await;
        noted.map_err(|error| StepResult::retryable(error_text(&error)).into())
    }

    fn files_place(&self, may: &Capability) -> FilesPlace {
        FilesPlace {
            scope: may.scope,
            root: self.job.run.root_run_id,
            run: self.job.run.id,
            step: self.job.journal.step.to_string(),
            owner: may.sandbox_of,
        }
    }

    /// Replaces the agent's sandbox by one with the files that the run begins with. Another run that works in the present
    /// sandbox ends first.
    async fn start_files(&self, may: &Capability) -> Result<(), Stopped> {
        let (agents, place) = (self.agents, self.files_place(may));
        let db = agents.db.read();
        let starts = step_files::starts_of(db, place.scope, place.root);
        let starts = starts.await.map_err(FenceError::from)?;
        let is_due = |row: &step_files::StartFilesRow| row.is_due_for(place.owner, &starts);
        if !starts.iter().any(is_due) {
            return Ok(());
        }
        let others = step_files::others(db, place.scope, place.owner.id(), place.root);
        let others = others.await.map_err(FenceError::from)?;
        let open = runs::any_open(db, place.scope, others).await;
        if open.map_err(FenceError::from)? {
            return Err(StepResult::Failed {
                class: Class::Away,
                detail:
                    "Another run works in the sandbox that is to get the files of the earlier step."
                        .to_owned(),
                after: Some(NEXT_LOOK),
            }
            .into());
        }
        let about = self.job.journal.fence.about;
        let machine = self.context.machine.clone();
        let begun =
            step_files::begin_with(&agents.sandboxes, &place, may.user, about, machine).await;
        match begun {
            Ok(()) => Ok(()),
            Err(StartFilesError::Sandbox(error)) => Err(self.not_made(error).await),
            Err(gone) => Err(StepResult::terminal(gone.to_string()).into()),
        }
    }

    /// The end of a step whose sandbox could not be made.
    async fn not_made(&self, error: SandboxError) -> Stopped {
        match error {
            SandboxError::Quota(QuotaError::Exceeded { .. }) => quota(
                "No sandbox can be made: the plan's limit of live containers is reached.",
            )
            .into(),
            // A person has to build the image, or choose another one.
            SandboxError::Lacks(lack) => StepResult::terminal(format!(
                "No sandbox could be made: {} {}",
                lack.detail, lack.remedy
            ))
            .into(),
            SandboxError::NoOwner(kind) => StepResult::terminal(format!(
                "No sandbox could be made: the {} does not exist any more.",
                kind.noun()
            ))
            .into(),
            // A retry would fail in the same way: this gateway has no engine, the image is wrong, or the owner
            // forbids it.
            SandboxError::Refused(error) if !is_passing(error.kind) => {
                StepResult::terminal(format!("No sandbox could be made: {}", error.detail)).into()
            }
            SandboxError::Refused(error) if is_absence(error.kind) => StepResult::Failed {
                class: Class::Away,
                detail: format!(
                    "No sandbox can be made now: {}.",
                    error.detail.trim_end_matches('.')
                ),
                after: Some(NEXT_SANDBOX),
            }
            .into(),
            // The machine with these files is away.
            SandboxError::SnapshotElsewhere(machine) => StepResult::Failed {
                class: Class::Away,
                detail: format!("The files of the earlier step are only on {machine}, which cannot take a sandbox now."),
                after: Some(NEXT_SANDBOX),
            }
            .into(),
            // The only machine for this sandbox is away. Nothing falls back.
            error @ SandboxError::Operations(
                OperationsError::NodeOffline(_) | OperationsError::NodeDraining(_),
            ) => self.absent(&ToolError::Away(error)).await.into(),
            SandboxError::NoMachine => StepResult::terminal(
                "No sandbox could be made: the only machine for it was deleted.",
            )
            .into(),
            error => match error.held_elsewhere() {
                Some(machine) => self.elsewhere(machine, error_text(&error)).await.into(),
                None => StepResult::retryable(error_text(&error)).into(),
            },
        }
    }
}

/// Whether the machine's error may pass after a while.
fn is_passing(kind: ErrorOfMachine) -> bool {
    matches!(
        kind,
        ErrorOfMachine::Paused
            | ErrorOfMachine::Draining
            | ErrorOfMachine::EngineUnavailable
            | ErrorOfMachine::GuestSilent
            | ErrorOfMachine::DiskFull
            | ErrorOfMachine::Interrupted
            | ErrorOfMachine::Busy
    )
}

/// Whether the error shows that the machine cannot do any work for a while.
fn is_absence(kind: ErrorOfMachine) -> bool {
    matches!(
        kind,
        ErrorOfMachine::Paused | ErrorOfMachine::Draining | ErrorOfMachine::EngineUnavailable
    )
}
