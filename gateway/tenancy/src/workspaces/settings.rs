//! The settings of a workspace.

use super::entity::workspace;
use super::{FilePolicy, PushPolicy, WorkflowPolicy};

/// What a workspace allows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Settings {
    pub push: PushPolicy,
    pub files: FilePolicy,
    pub workflows: WorkflowPolicy,
}

impl Settings {
    /// Those of a row.
    pub fn of(row: &workspace::Model) -> Self {
        Self {
            push: PushPolicy::from_stored(&row.push_policy),
            files: FilePolicy::from_stored(&row.file_policy),
            workflows: WorkflowPolicy::from_stored(&row.workflow_policy),
        }
    }

    /// Writes them into a row.
    pub fn set(self, row: &mut workspace::Model) {
        self.push.as_str().clone_into(&mut row.push_policy);
        self.files.as_str().clone_into(&mut row.file_policy);
        self.workflows.as_str().clone_into(&mut row.workflow_policy);
    }
}

/// A change of them. What is absent stays.
#[derive(Debug, Clone, Copy, Default)]
pub struct SettingsChange {
    pub push: Option<PushPolicy>,
    pub files: Option<FilePolicy>,
    pub workflows: Option<WorkflowPolicy>,
}

impl SettingsChange {
    /// Whether it names any.
    pub fn is_empty(self) -> bool {
        self.push.is_none() && self.files.is_none() && self.workflows.is_none()
    }

    /// The settings after it.
    pub fn on(self, before: Settings) -> Settings {
        Settings {
            push: self.push.unwrap_or(before.push),
            files: self.files.unwrap_or(before.files),
            workflows: self.workflows.unwrap_or(before.workflows),
        }
    }
}
