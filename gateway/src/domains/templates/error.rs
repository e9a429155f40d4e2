//! What can go wrong with a template.

use crate::domains::claws::ClawError;

/// Errors of templates.
#[derive(Debug, thiserror::Error)]
pub enum TemplateError {
    /// There is none that this workspace sees, or it is deleted.
    #[error("there is no such template")]
    NotFound,
    /// The template that was to be copied is not there.
    #[error("there is no such template to copy")]
    NoSource,
    /// An agent that was named was not made from the template.
    #[error("an agent was not made from the template")]
    NotMadeFrom,
    /// A new template without a source lacks these fields.
    #[error("fields are missing")]
    Incomplete(Vec<&'static str>),
    /// `If-Match` named another version, or somebody wrote at the same moment.
    #[error("the template has version {current}")]
    VersionMismatch { current: i64 },
    /// The workspace, or Roost, has one of that key.
    #[error("there is a template of this key")]
    KeyTaken,
    /// It comes with Roost.
    #[error("a built-in template is not changed")]
    Builtin,
    /// The workspace has as many as it may have.
    #[error("the workspace has {most} templates")]
    TooMany { most: u64 },
    /// The template has as many versions as it may have.
    #[error("the template has {most} versions")]
    TooManyVersions { most: i64 },
    /// A stored version cannot be read: it was written by another program.
    #[error("a stored version cannot be read")]
    Unreadable(#[source] serde_json::Error),
    /// An agent could not be changed.
    #[error("an agent could not be changed")]
    Claw(#[from] ClawError),
    /// The database failed.
    #[error("database")]
    Db(#[from] sea_orm::DbErr),
}
