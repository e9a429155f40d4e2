//! Errors of skills and team templates on their way out.

use super::{ApiError, Code};
use crate::http::problem::FieldError;

impl From<crate::domains::skills::SkillError> for ApiError {
    fn from(error: crate::domains::skills::SkillError) -> Self {
        use crate::domains::skills::SkillError as E;
        match error {
            E::NotFound => Self::not_found("skill"),
            E::NoClaw => Self::not_found("claw"),
            E::NoVersion => Self::not_found("version of the skill"),
            E::VersionMismatch { current } => Self::new(Code::PreconditionFailed).detail(format!(
                "The skill has version {current} by now: somebody wrote it since. Read it again and repeat your change."
            )),
            E::NameTaken => Self::new(Code::Conflict)
                .detail("The workspace has a skill of this name already. Change that one, or choose another name."),
            E::BuiltinName => Self::new(Code::BuiltinName).detail(
                "A built-in skill has this name. Choose another one, or say with `in_place_of_builtin` that yours shall stand in its place.",
            ),
            E::Builtin => Self::new(Code::Conflict).detail(
                "A skill that comes with Roost is not changed. Write one of the same name with `in_place_of_builtin` instead.",
            ),
            E::TooMany { most } => Self::new(Code::Conflict)
                .detail(format!("The workspace has {most} skills, the most that it may have. Delete some that nobody uses.")),
            E::TooManyChoices { most } => Self::new(Code::Conflict).detail(format!(
                "{most} skills are chosen for this agent already, the most that may be. Take some choices back."
            )),
            E::NoOrigin => Self::validation("/promoted_from/id", "is no agent of this workspace"),
            E::Db(error) => error.into(),
        }
    }
}

impl From<crate::domains::templates::TemplateError> for ApiError {
    fn from(error: crate::domains::templates::TemplateError) -> Self {
        use crate::domains::templates::TemplateError as E;
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
                "The template has version {current} by now: somebody wrote it since. Read it again and repeat your change."
            )),
            E::KeyTaken => Self::new(Code::Conflict)
                .detail("There is a template of this key already; choose another one."),
            E::Builtin => Self::new(Code::Conflict).detail(
                "A template that comes with Roost is not changed. Make a copy (`from`) and change that.",
            ),
            E::TooMany { most } => Self::new(Code::Conflict)
                .detail(format!("The workspace has {most} templates, the most that it may have. Delete some that nobody uses.")),
            E::TooManyVersions { most } => Self::new(Code::Conflict)
                .detail(format!("The template has {most} versions, the most that it may have. Go on with a copy of it (`from`).")),
            E::Unreadable(_) => Self::internal(error),
            E::Claw(error) => error.into(),
            E::Db(error) => error.into(),
        }
    }
}
