//! A commit of a mirror as a bundle: the way of a repository into a sandbox.
//!
//! The bundle names one branch and has no refs of other people. Its history is cut when it is large: a bundle has no
//! field for that, so its head on the socket says where.

use std::time::Duration;

use bytes::Bytes;
use roost_secret_broker::wire::{Bundled, Fault, FaultCode, GitBundle};
use tokio::time::{Instant, timeout_at};

use super::command::{Git, GitError, Input, Streaming};
use super::shelf::Place;
use super::{Mirrors, bundle_head, failed, line, refs};

/// Longest bundling.
const LONGEST: Duration = Duration::from_secs(15 * 60);

/// A bundle on its way out. Dropping it ends git.
pub struct Bundle {
    pub head: Bundled,
    first: Option<Bytes>,
    pack: Streaming,
    left: u64,
    most: u64,
    deadline: Instant,
}

impl Mirrors {
    /// Begins a bundle.
    ///
    /// # Errors
    /// [`FaultCode::BadRequest`], [`FaultCode::UnknownCommit`], [`FaultCode::GitFailed`].
    pub async fn bundle(&self, place: &Place, asked: &GitBundle) -> Result<Bundle, Fault> {
        let from = refs::from(&asked.from)?;
        let branch = refs::branch(&asked.branch)?;
        let base = asked.base.as_deref().map(refs::commit).transpose()?;
        let git = || Git::new(place.path(), self.shared.limits.most);
        let commit = resolve(&git, from).await?;
        let whole = git()
            .run(&["rev-list", "--objects", "--disk-usage", &commit], |_| {})
            .await
            .map_err(|error| failed(&error))?;
        let whole: u64 = line(&whole).parse().unwrap_or(u64::MAX);
        let shallow = match (whole > asked.shallow_above, base) {
            (false, _) => None,
            (true, None) => Some(commit.clone()),
            (true, Some(base)) => {
                let base = resolve(&git, base).await?;
                if !is_ancestor(&git, &base, &commit).await? {
                    return Err(Fault::new(
                        FaultCode::BadRequest,
                        "the base of the bundle is not in the history of its commit",
                    ));
                }
                Some(base)
            }
        };
        let cut = shallow.as_ref().map(|at| format!("--shallow {at}\n"));
        let asking = format!("{}{commit}\n", cut.unwrap_or_default());
        let pack = git()
            .stream(
                &[
                    "pack-objects",
                    "--revs",
                    "--stdout",
                    "-q",
                    "--delta-base-offset",
                ],
                asking.into_bytes(),
            )
            .await
            .map_err(|error| failed(&error))?;
        Ok(Bundle {
            first: Some(bundle_head::write(&commit, branch).into()),
            head: Bundled { commit, shallow },
            pack,
            left: asked.most,
            most: asked.most,
            deadline: Instant::now() + LONGEST,
        })
    }
}

impl Bundle {
    /// The next piece; `None` at the end.
    ///
    /// # Errors
    /// [`FaultCode::TooLarge`], [`FaultCode::GitFailed`].
    pub async fn piece(&mut self) -> Result<Option<Bytes>, Fault> {
        if let Some(first) = self.first.take() {
            return Ok(Some(first));
        }
        let piece = timeout_at(self.deadline, self.pack.piece()).await;
        let slow = |_| Fault::new(FaultCode::GitFailed, "the bundle took too long");
        let Some(piece) = piece.map_err(slow)?.map_err(|error| failed(&error))? else {
            return Ok(None);
        };
        self.left = self.left.checked_sub(piece.len() as u64).ok_or_else(|| {
            Fault::new(
                FaultCode::TooLarge,
                format!(
                    "the files of that commit are over {} MiB, the limit for a sandbox; the operator can raise the limit, or choose a smaller repository",
                    self.most >> 20
                ),
            )
        })?;
        Ok(Some(piece))
    }
}

/// The commit of a name or id.
pub(super) async fn resolve(git: &impl Fn() -> Git, from: &str) -> Result<String, Fault> {
    let wanted = format!("{from}^{{commit}}");
    let found = git()
        .run(
            &[
                "rev-parse",
                "--verify",
                "--quiet",
                "--end-of-options",
                &wanted,
            ],
            |_| {},
        )
        .await;
    match found {
        // Old versions of git repeat the option.
        Ok(found) => Ok(line(&found).lines().last().unwrap_or_default().to_owned()),
        Err(GitError::Failed { .. }) => {
            let name = from
                .trim_start_matches("refs/heads/")
                .trim_start_matches("refs/tags/");
            Err(Fault::new(
                FaultCode::UnknownCommit,
                format!(
                    "the mirror of the repository has no `{name}`; it may be gone from the host: choose a branch that exists, or update the mirror"
                ),
            ))
        }
        Err(error) => Err(failed(&error)),
    }
}

/// Whether the first commit is in the history of the second.
pub(super) async fn is_ancestor(
    git: &impl Fn() -> Git,
    first: &str,
    second: &str,
) -> Result<bool, Fault> {
    let asked = ["merge-base", "--is-ancestor", first, second];
    match git().run_with(&asked, Input::None).await {
        Ok(_) => Ok(true),
        Err(GitError::Failed { status, .. }) if status.code() == Some(1) => Ok(false),
        Err(error) => Err(failed(&error)),
    }
}
