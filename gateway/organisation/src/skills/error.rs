//! The errors of skills.

use roost_web::error::{ApiError, Code};

/// Errors of skills.
#[derive(Debug, thiserror::Error)]
pub enum SkillError {
    /// The skill does not exist in this workspace, or it is deleted.
    #[error("there is no such skill")]
    NotFound,
    /// The agent does not exist, or it is deleted.
    #[error("there is no such claw")]
    NoClaw,
    /// The history has no such version.
    #[error("there is no such version of the skill")]
    NoVersion,
    /// `If-Match` named another version, or another request changed the skill at the same moment.
    #[error("the skill has version {current}")]
    VersionMismatch { current: i64 },
    /// The workspace has a skill of that name.
    #[error("a skill with this name already exists")]
    NameTaken,
    /// A built-in skill has the name, and the request does not set `in_place_of_builtin`.
    #[error("a built-in skill has this name")]
    BuiltinName,
    /// The skill comes with Roost.
    #[error("a built-in skill cannot be changed")]
    Builtin,
    /// The workspace has the maximum number of skills.
    #[error("the workspace has {most} skills, which is the maximum")]
    TooMany { most: u64 },
    /// The agent has the maximum number of choices.
    #[error("the agent has {most} chosen skills, which is the maximum")]
    TooManyChoices { most: usize },
    /// The named source does not exist.
    #[error("the source of the skill does not exist")]
    NoOrigin,
    /// The database failed.
    #[error("database")]
    Db(#[from] sea_orm::DbErr),
}

impl From<SkillError> for ApiError {
    fn from(error: SkillError) -> Self {
        use SkillError as E;
        match error {
            E::NotFound => Self::not_found("skill"),
            E::NoClaw => Self::not_found("claw"),
            E::NoVersion => Self::not_found("version of the skill"),
            E::VersionMismatch { current } => Self::new(Code::PreconditionFailed).detail(format!(
                "The skill has version {current} now: another person or agent changed it. Read it again and repeat your change."
            )),
            E::NameTaken => Self::new(Code::Conflict)
                .detail("The workspace has a skill of this name already. Change that one, or choose another name."),
            E::BuiltinName => Self::new(Code::BuiltinName).detail(
                "A built-in skill has this name. Choose another one, or set `in_place_of_builtin` to replace it with yours.",
            ),
            E::Builtin => Self::new(Code::Conflict).detail(
                "A skill that comes with Roost is not changed. Write one of the same name with `in_place_of_builtin` instead.",
            ),
            E::TooMany { most } => Self::new(Code::Conflict)
                .detail(format!("The workspace has {most} skills, the most that it may have. Delete some that are not used.")),
            E::TooManyChoices { most } => Self::new(Code::Conflict).detail(format!(
                "{most} skills are chosen for this agent already, the most that may be. Take some choices back."
            )),
            E::NoOrigin => Self::validation("/promoted_from/id", "is not an agent of this workspace"),
            E::Db(error) => error.into(),
        }
    }
}
