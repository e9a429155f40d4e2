//! Issues and pull requests of GitHub, and of servers with the same API.

use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::{Act, Work};
use crate::apps::Outgoing;
use roost_web::json::{Check, Mistakes};

/// GitHub's limit for a body.
const BODY: usize = 65_536;

/// Opens an issue.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CreateIssue {
    /// The account that has the repository.
    owner: String,
    repo: String,
    #[schema(min_length = 1, max_length = 256)]
    title: String,
    /// Markdown.
    #[serde(default)]
    #[schema(max_length = 65536)]
    body: Option<String>,
    #[serde(default)]
    #[schema(max_items = 20)]
    labels: Vec<String>,
}

impl Check for CreateIssue {
    fn check(&self, mistakes: &mut Mistakes) {
        repository(&self.owner, &self.repo, mistakes);
        mistakes.name("/title", &self.title, 256);
        body(self.body.as_deref(), 0, mistakes);
        if self.labels.len() > 20 {
            mistakes.add("/labels", "must be at most 20");
        }
        for label in &self.labels {
            mistakes.text("/labels", label, 1, 50);
        }
    }
}

impl Act for CreateIssue {
    const NAME: &'static str = "github.issues.create";
    const PROVIDER: &'static str = "github";
    const TITLE: &'static str = "Open an issue";
    const DESCRIPTION: &'static str = "Opens an issue in a repository.";

    fn target(&self) -> String {
        format!("{}/{}", self.owner, self.repo)
    }

    fn summary(&self) -> String {
        format!("Open the issue “{}”", self.title)
    }

    fn work(self) -> Work {
        let path = below(&self.owner, &self.repo, &["issues"]);
        let body = json!({ "title": self.title, "body": self.body, "labels": self.labels });
        post(path, body)
    }
}

/// Comments on an issue.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CommentIssue {
    /// The account that has the repository.
    owner: String,
    repo: String,
    #[schema(minimum = 1)]
    number: u64,
    /// Markdown.
    #[schema(min_length = 1, max_length = 65536)]
    body: String,
}

impl Check for CommentIssue {
    fn check(&self, mistakes: &mut Mistakes) {
        repository(&self.owner, &self.repo, mistakes);
        number(self.number, mistakes);
        body(Some(&self.body), 1, mistakes);
    }
}

impl Act for CommentIssue {
    const NAME: &'static str = "github.issues.comment";
    const PROVIDER: &'static str = "github";
    const TITLE: &'static str = "Comment on an issue";
    const DESCRIPTION: &'static str = "Writes a comment below an issue.";

    fn target(&self) -> String {
        format!("{}/{}#{}", self.owner, self.repo, self.number)
    }

    fn summary(&self) -> String {
        format!("Comment on issue {}", self.number)
    }

    fn work(self) -> Work {
        let number = self.number.to_string();
        let path = below(&self.owner, &self.repo, &["issues", &number, "comments"]);
        post(path, json!({ "body": self.body }))
    }
}

/// Why an issue is closed.
#[derive(Debug, Clone, Copy, Deserialize, serde::Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Reason {
    Completed,
    NotPlanned,
}

/// Closes an issue.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CloseIssue {
    /// The account that has the repository.
    owner: String,
    repo: String,
    #[schema(minimum = 1)]
    number: u64,
    #[serde(default)]
    #[schema(inline)]
    reason: Option<Reason>,
}

impl Check for CloseIssue {
    fn check(&self, mistakes: &mut Mistakes) {
        repository(&self.owner, &self.repo, mistakes);
        number(self.number, mistakes);
    }
}

impl Act for CloseIssue {
    const NAME: &'static str = "github.issues.close";
    const PROVIDER: &'static str = "github";
    const TITLE: &'static str = "Close an issue";
    const DESCRIPTION: &'static str = "Closes an issue, as completed or as not planned.";

    fn target(&self) -> String {
        format!("{}/{}#{}", self.owner, self.repo, self.number)
    }

    fn summary(&self) -> String {
        format!("Close issue {}", self.number)
    }

    fn work(self) -> Work {
        let number = self.number.to_string();
        Work::App(Outgoing {
            method: "PATCH",
            path: below(&self.owner, &self.repo, &["issues", &number]),
            body: json!({ "state": "closed", "state_reason": self.reason.unwrap_or(Reason::Completed) }),
        })
    }
}

/// Opens a pull request.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CreatePull {
    /// The account that has the repository.
    owner: String,
    repo: String,
    #[schema(min_length = 1, max_length = 256)]
    title: String,
    /// The branch with the changes.
    #[schema(min_length = 1, max_length = 255)]
    head: String,
    /// The branch that gets the changes.
    #[schema(min_length = 1, max_length = 255)]
    base: String,
    /// Markdown.
    #[serde(default)]
    #[schema(max_length = 65536)]
    body: Option<String>,
    #[serde(default)]
    draft: bool,
}

impl Check for CreatePull {
    fn check(&self, mistakes: &mut Mistakes) {
        repository(&self.owner, &self.repo, mistakes);
        mistakes.name("/title", &self.title, 256);
        mistakes.text("/head", &self.head, 1, 255);
        mistakes.text("/base", &self.base, 1, 255);
        body(self.body.as_deref(), 0, mistakes);
    }
}

impl Act for CreatePull {
    const NAME: &'static str = "github.pulls.create";
    const PROVIDER: &'static str = "github";
    const TITLE: &'static str = "Open a pull request";
    const DESCRIPTION: &'static str = "Opens a pull request from one branch into another.";

    fn target(&self) -> String {
        format!("{}/{}", self.owner, self.repo)
    }

    fn summary(&self) -> String {
        format!(
            "Open the pull request “{}” from {} into {}",
            self.title, self.head, self.base
        )
    }

    fn work(self) -> Work {
        let path = below(&self.owner, &self.repo, &["pulls"]);
        let body = json!({
            "title": self.title, "head": self.head, "base": self.base, "body": self.body,
            "draft": self.draft,
        });
        post(path, body)
    }
}

/// Comments on a pull request.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CommentPull {
    /// The account that has the repository.
    owner: String,
    repo: String,
    #[schema(minimum = 1)]
    number: u64,
    /// Markdown.
    #[schema(min_length = 1, max_length = 65536)]
    body: String,
}

impl Check for CommentPull {
    fn check(&self, mistakes: &mut Mistakes) {
        repository(&self.owner, &self.repo, mistakes);
        number(self.number, mistakes);
        body(Some(&self.body), 1, mistakes);
    }
}

impl Act for CommentPull {
    const NAME: &'static str = "github.pulls.comment";
    const PROVIDER: &'static str = "github";
    const TITLE: &'static str = "Comment on a pull request";
    const DESCRIPTION: &'static str = "Writes a comment below a pull request.";

    fn target(&self) -> String {
        format!("{}/{}#{}", self.owner, self.repo, self.number)
    }

    fn summary(&self) -> String {
        format!("Comment on pull request {}", self.number)
    }

    fn work(self) -> Work {
        // A pull request's comments are the comments of the issue with the same number.
        let number = self.number.to_string();
        let path = below(&self.owner, &self.repo, &["issues", &number, "comments"]);
        post(path, json!({ "body": self.body }))
    }
}

/// How the commits of a pull request get into its base.
#[derive(Debug, Clone, Copy, Deserialize, serde::Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Method {
    Merge,
    Squash,
    Rebase,
}

/// Merges a pull request.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct MergePull {
    /// The account that has the repository.
    owner: String,
    repo: String,
    #[schema(minimum = 1)]
    number: u64,
    /// The commit that was reviewed, 40 hex digits. If the branch has moved since, nothing is merged.
    #[schema(pattern = "^[0-9a-f]{40}$")]
    sha: String,
    #[serde(default)]
    #[schema(inline)]
    method: Option<Method>,
}

impl Check for MergePull {
    fn check(&self, mistakes: &mut Mistakes) {
        repository(&self.owner, &self.repo, mistakes);
        number(self.number, mistakes);
        let hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if self.sha.len() != 40 || !self.sha.bytes().all(hex) {
            mistakes.add("/sha", "must be 40 lower-case hex digits");
        }
    }
}

impl Act for MergePull {
    const NAME: &'static str = "github.pulls.merge";
    const PROVIDER: &'static str = "github";
    const TITLE: &'static str = "Merge a pull request";
    const DESCRIPTION: &'static str =
        "Merges a pull request, if its branch is still at the commit that is named.";

    fn target(&self) -> String {
        format!("{}/{}#{}", self.owner, self.repo, self.number)
    }

    fn summary(&self) -> String {
        format!(
            "Merge pull request {} at {}",
            self.number,
            &self.sha[..self.sha.len().min(12)]
        )
    }

    fn work(self) -> Work {
        let number = self.number.to_string();
        Work::App(Outgoing {
            method: "PUT",
            path: below(&self.owner, &self.repo, &["pulls", &number, "merge"]),
            body: json!({ "sha": self.sha, "merge_method": self.method.unwrap_or(Method::Merge) }),
        })
    }
}

fn post(path: Vec<String>, body: Value) -> Work {
    Work::App(Outgoing {
        method: "POST",
        path,
        body,
    })
}

fn below(owner: &str, repo: &str, rest: &[&str]) -> Vec<String> {
    let fixed = ["repos", owner, repo];
    fixed
        .iter()
        .chain(rest)
        .map(|&part| part.to_owned())
        .collect()
}

fn repository(owner: &str, repo: &str, mistakes: &mut Mistakes) {
    for (pointer, name) in [("/owner", owner), ("/repo", repo)] {
        let fine = (1..=100).contains(&name.len())
            && !name.starts_with('.')
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
        if !fine {
            mistakes.add(
                pointer,
                "must be 1 to 100 letters, digits, `-`, `_` and `.`, not beginning with `.`",
            );
        }
    }
}

fn number(number: u64, mistakes: &mut Mistakes) {
    if number == 0 {
        mistakes.add("/number", "must be 1 or more");
    }
}

fn body(text: Option<&str>, least: usize, mistakes: &mut Mistakes) {
    if let Some(text) = text {
        mistakes.text("/body", text, least, BODY);
    }
}
