//! Repositories of runs in JSON.

use serde::Deserialize;
use utoipa::ToSchema;

use super::model::is_base;
use roost_platform::ids::RepoId;
use roost_web::json::Mistakes;

/// The repository that a new run works on.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RunRepo {
    pub repo_id: RepoId,
    /// A branch of the repository, or a whole commit id. The default is its default branch.
    #[serde(default)]
    #[schema(max_length = 500)]
    pub base: Option<String>,
}

impl RunRepo {
    /// Checks the repository of a request.
    pub fn check(asked: Option<&Self>, mistakes: &mut Mistakes) {
        if let Some(base) = asked.and_then(|asked| asked.base.as_deref())
            && !is_base(base)
        {
            mistakes.add(
                "/repo/base",
                "must be the name of a branch, or a whole commit id",
            );
        }
    }
}
