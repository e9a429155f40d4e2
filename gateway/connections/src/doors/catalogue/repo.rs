//! What leaves a run's repository: its branch, and a pull request. The gateway adds repository, branch and commit; an agent
//! chooses none of them.

use serde::Deserialize;
use utoipa::ToSchema;

use super::{Act, Work};
use crate::checkouts::PullWords;
use roost_web::json::{Check, Mistakes};

/// The provider of these actions: the repository that the run works on.
pub const REPOSITORY: &str = "repo";

/// Pushes the agent's branch.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = PushBranchDoor)]
pub(super) struct PushBranch {
    /// Why the commits should be sent now, for the person who decides.
    #[schema(min_length = 1, max_length = 1000)]
    reason: String,
}

impl Check for PushBranch {
    fn check(&self, mistakes: &mut Mistakes) {
        mistakes.text("/reason", &self.reason, 1, 1_000);
    }
}

impl Act for PushBranch {
    const NAME: &'static str = "repo.branch.push";
    const PROVIDER: &'static str = REPOSITORY;
    const TITLE: &'static str = "Push a branch";
    const DESCRIPTION: &'static str = "Pushes the commits on your branch of the run's repository to its code host. Commit your work first.";

    fn target(&self) -> String {
        REPOSITORY.to_owned()
    }

    fn summary(&self) -> String {
        "Push the branch to its code host".to_owned()
    }

    fn work(self) -> Work {
        Work::PushBranch
    }
}

/// Opens a pull request from the agent's branch.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = OpenPullDoor)]
pub(super) struct OpenPull {
    #[schema(min_length = 1, max_length = 256)]
    title: String,
    /// Markdown: what changed and why, and how it was checked.
    #[serde(default)]
    #[schema(max_length = 65536)]
    body: Option<String>,
    /// Nobody should merge it yet.
    #[serde(default)]
    draft: bool,
}

impl Check for OpenPull {
    fn check(&self, mistakes: &mut Mistakes) {
        mistakes.name("/title", &self.title, 256);
        if let Some(body) = &self.body {
            mistakes.text("/body", body, 0, 65_536);
        }
    }
}

impl Act for OpenPull {
    const NAME: &'static str = "repo.pulls.create";
    const PROVIDER: &'static str = REPOSITORY;
    const TITLE: &'static str = "Open a pull request";
    const DESCRIPTION: &'static str = "Opens a pull request from your branch into the branch that the run began at. Push your branch first, with repo.branch.push.";

    fn target(&self) -> String {
        REPOSITORY.to_owned()
    }

    fn summary(&self) -> String {
        format!("Open the pull request “{}”", self.title)
    }

    fn work(self) -> Work {
        Work::OpenPull(PullWords {
            title: self.title,
            body: self.body.unwrap_or_default(),
            draft: self.draft,
        })
    }
}
