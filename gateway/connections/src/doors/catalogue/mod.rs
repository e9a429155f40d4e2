//! The closed catalogue of actions that agents may request. No entry lets an agent choose a method, an address or a
//! header.

mod github;
mod repo;
mod supplies;
mod webhook;

use sea_orm::DbErr;
use serde::de::DeserializeOwned;
use serde_json::Value;
use utoipa::PartialSchema;

use super::DoorsContext;
use crate::apps::Outgoing;
use crate::checkouts::{self, PullWords};
pub use repo::REPOSITORY;
use roost_platform::ids::{ClawId, RunId};
use roost_tenancy::auth::WorkspaceScope;
use roost_web::json::{Check, Mistakes};
use roost_web::problem::FieldError;
pub use supplies::SUPPLIES;

/// An action with its parameters.
trait Act: DeserializeOwned + Check + PartialSchema {
    /// `<provider>.<object>.<verb>`
    const NAME: &'static str;
    const PROVIDER: &'static str;
    /// For people: the verb and its object.
    const TITLE: &'static str;
    const DESCRIPTION: &'static str;

    /// The target of the action, such as `octo/hello#7`.
    fn target(&self) -> String;
    /// One line about the effect.
    fn summary(&self) -> String;
    /// What is done.
    fn work(self) -> Work;
}

/// What an approved action does.
#[derive(Debug, Clone, PartialEq)]
pub enum Work {
    /// A request to the app that the agent is connected to.
    App(Outgoing),
    /// The agent's branch is pushed.
    PushBranch,
    /// A pull request is opened from the agent's branch.
    OpenPull(PullWords),
    /// The new packages of the agent's lock file are fetched.
    AddPackages { path: String },
}

/// A row of the catalogue.
pub struct Action {
    pub name: &'static str,
    pub provider: &'static str,
    pub title: &'static str,
    pub description: &'static str,
    schema: fn() -> Value,
    plan: fn(&Value) -> Result<Plan, Vec<FieldError>>,
}

/// A valid request.
pub struct Plan {
    pub target: String,
    pub summary: String,
    pub work: Work,
}

impl Action {
    const fn of<A: Act>() -> Self {
        Self {
            name: A::NAME,
            provider: A::PROVIDER,
            title: A::TITLE,
            description: A::DESCRIPTION,
            schema: || serde_json::to_value(A::schema()).unwrap_or(Value::Null),
            plan: plan::<A>,
        }
    }

    /// The JSON Schema of its parameters.
    pub fn params_schema(&self) -> Value {
        (self.schema)()
    }

    /// The plan for these parameters.
    ///
    /// # Errors
    /// Each parameter that does not fit, with a pointer below `/params`.
    pub fn plan(&self, params: &Value) -> Result<Plan, Vec<FieldError>> {
        (self.plan)(params)
    }
}

fn plan<A: Act>(params: &Value) -> Result<Plan, Vec<FieldError>> {
    let act: A = serde_path_to_error::deserialize(params).map_err(|error| {
        let path = error.path().to_string().replace('.', "/");
        let pointer = match path.as_str() {
            "/" | "" => "/params".to_owned(),
            path => format!("/params/{path}"),
        };
        vec![FieldError {
            pointer,
            detail: error.into_inner().to_string(),
        }]
    })?;
    let mut mistakes = Mistakes::default();
    act.check(&mut mistakes);
    if let Err(refused) = mistakes.done() {
        return Err(refused
            .errors
            .into_iter()
            .map(|field| FieldError {
                pointer: format!("/params{}", field.pointer),
                detail: field.detail,
            })
            .collect());
    }
    Ok(Plan {
        target: act.target(),
        summary: act.summary(),
        work: act.work(),
    })
}

/// The whole catalogue.
pub const CATALOGUE: &[Action] = &[
    Action::of::<github::CreateIssue>(),
    Action::of::<github::CommentIssue>(),
    Action::of::<github::CloseIssue>(),
    Action::of::<github::CreatePull>(),
    Action::of::<github::CommentPull>(),
    Action::of::<github::MergePull>(),
    Action::of::<webhook::SendEvent>(),
    Action::of::<repo::PushBranch>(),
    Action::of::<repo::OpenPull>(),
    Action::of::<supplies::AddPackages>(),
];

/// The action with this name.
pub fn action(name: &str) -> Option<&'static Action> {
    CATALOGUE.iter().find(|action| action.name == name)
}

/// The actions that an agent can request, for a model: names, descriptions and the JSON Schemas of their parameters. They are
/// those of the agent's own connections, and those of the repository of `tree`, the first run of its tree.
///
/// # Errors
/// When the database fails.
pub async fn actions_of(
    doors: &DoorsContext,
    scope: WorkspaceScope,
    agent: ClawId,
    tree: Option<RunId>,
) -> Result<Vec<(&'static Action, Value)>, DbErr> {
    let mut connected = doors.apps.providers(scope, agent).await?;
    if let Some(tree) = tree
        && checkouts::is_bound(doors.db.read(), scope, tree).await?
    {
        connected.extend([REPOSITORY, SUPPLIES].map(str::to_owned));
    }
    let own = |action: &&Action| connected.iter().any(|provider| provider == action.provider);
    let with_schema = |action: &'static Action| (action, action.params_schema());
    Ok(CATALOGUE.iter().filter(own).map(with_schema).collect())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn names_are_dotted_and_their_schemas_closed() {
        let mut seen = HashSet::new();
        for action in CATALOGUE {
            assert!(seen.insert(action.name), "{} twice", action.name);
            let parts: Vec<&str> = action.name.split('.').collect();
            assert_eq!(
                (parts.len(), parts[0]),
                (3, action.provider),
                "{}",
                action.name
            );
            let schema = action.params_schema();
            assert_eq!(schema["type"], "object", "{}", action.name);
            assert_eq!(schema["additionalProperties"], false, "{}", action.name);
            assert!(schema["required"].is_array(), "{}", action.name);
        }
    }

    #[test]
    fn invalid_field_has_a_pointer() {
        let create = action("github.issues.create").unwrap();
        let pointers = |params: Value| -> Vec<String> {
            let refused = create.plan(&params).err().expect("it does not fit");
            refused.into_iter().map(|field| field.pointer).collect()
        };
        let params = serde_json::json!({ "owner": "octo", "repo": "hello", "title": "x" });
        assert!(create.plan(&params).is_ok());
        let with = |key: &str, value: Value| {
            let mut params = params.clone();
            params[key] = value;
            params
        };
        assert_eq!(pointers(with("owner", "../x".into())), ["/params/owner"]);
        assert_eq!(pointers(with("repo", "..".into())), ["/params/repo"]);
        assert_eq!(pointers(with("title", " ".into())), ["/params/title"]);
        assert_eq!(pointers(with("title", 7.into())), ["/params/title"]);
        assert_eq!(
            pointers(with("method", "DELETE".into())),
            ["/params/method"]
        );
        assert_eq!(pointers(Value::Null), ["/params"]);
    }
}
