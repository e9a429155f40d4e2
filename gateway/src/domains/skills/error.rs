//! What can go wrong with a skill.

/// Errors of skills.
#[derive(Debug, thiserror::Error)]
pub enum SkillError {
    /// There is none that this workspace sees, or it is deleted.
    #[error("there is no such skill")]
    NotFound,
    /// The agent is not there, or it is deleted.
    #[error("there is no such claw")]
    NoClaw,
    /// The history has no such version.
    #[error("there is no such version of the skill")]
    NoVersion,
    /// `If-Match` named another version, or somebody wrote at the same moment.
    #[error("the skill has version {current}")]
    VersionMismatch { current: i64 },
    /// The workspace has one of that name.
    #[error("there is a skill of this name")]
    NameTaken,
    /// A built-in skill has the name, and nothing was said of taking its place.
    #[error("a built-in skill has this name")]
    BuiltinName,
    /// It comes with Roost.
    #[error("a built-in skill is not changed")]
    Builtin,
    /// The workspace has as many as it may have.
    #[error("the workspace has {most} skills")]
    TooMany { most: u64 },
    /// As many are chosen for the agent as may be.
    #[error("{most} skills are chosen for the agent")]
    TooManyChoices { most: usize },
    /// What it is said to come from is not there.
    #[error("there is nothing that it could come from")]
    NoOrigin,
    /// The database failed.
    #[error("database")]
    Db(#[from] sea_orm::DbErr),
}
