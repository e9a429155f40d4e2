//! The errors of templates.

use roost_agents::claws::ClawError;
use roost_web::error::{ApiError, Code};
use roost_web::problem::FieldError;

/// Errors of templates.
#[derive(Debug, thiserror::Error)]
pub enum TemplateError {
    /// The template does not exist in this workspace, or it is deleted.
    #[error("there is no such template")]
    NotFound,
    /// The template to copy does not exist.
    #[error("there is no such template to copy")]
    NoSource,
    /// A named agent was not made from the template.
    #[error("an agent was not made from the template")]
    NotMadeFrom,
    /// A new template without a source lacks these fields.
    #[error("fields are missing")]
    Incomplete(Vec<&'static str>),
    /// `If-Match` named another version, or another request changed the template at the same moment.
    #[error("the template has version {current}")]
    VersionMismatch { current: i64 },
    /// The workspace or Roost has a template of that key.
    #[error("a template with this key already exists")]
    KeyTaken,
    /// The template comes with Roost.
    #[error("a built-in template cannot be changed")]
    Builtin,
    /// The workspace has the maximum number of templates.
    #[error("the workspace has {most} templates, which is the maximum")]
    TooMany { most: u64 },
    /// The template has the maximum number of versions.
    #[error("the template has {most} versions, which is the maximum")]
    TooManyVersions { most: i64 },
    /// A stored version cannot be parsed, because another program wrote it.
    #[error("a stored version cannot be read")]
    Unreadable(#[source] serde_json::Error),
    /// An agent could not be changed.
    #[error("an agent could not be changed")]
    Claw(#[from] ClawError),
    /// The database failed.
    #[error("database")]
    Db(#[from] sea_orm::DbErr),
}

impl From<TemplateError> for ApiError {
    fn from(error: TemplateError) -> Self {
        use TemplateError as E;
        match error {
            E::NotFound => Self::not_found("template"),
            E::NoSource => Self::not_found("template to copy"),
            E::NotMadeFrom => Self::not_found("agent that was made from this template"),
            E::Incomplete(pointers) => Self::validations(
                pointers
                    .into_iter()
                    .map(|pointer| FieldError {
                        pointer: pointer.to_owned(),
                        detail: "is needed where no template is copied (`from`)".to_owned(),
                    })
                    .collect(),
            ),
            E::VersionMismatch { current } => Self::new(Code::PreconditionFailed).detail(format!(
                "The template has version {current} now: another person or agent changed it. Read it again and repeat your change."
            )),
            E::KeyTaken => Self::new(Code::Conflict)
                .detail("There is a template of this key already; choose another one."),
            E::Builtin => Self::new(Code::Conflict).detail(
                "A template that comes with Roost is not changed. Make a copy (`from`) and change that.",
            ),
            E::TooMany { most } => Self::new(Code::Conflict)
                .detail(format!("The workspace has {most} templates, the most that it may have. Delete some that are not used.")),
            E::TooManyVersions { most } => Self::new(Code::Conflict)
                .detail(format!("The template has {most} versions, the most that it may have. Go on with a copy of it (`from`).")),
            E::Unreadable(_) => Self::internal(error),
            E::Claw(error) => error.into(),
            E::Db(error) => error.into(),
        }
    }
}
