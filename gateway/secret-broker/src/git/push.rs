//! A received branch goes to its host: exactly this commit, under exactly this name, and never over other commits.

use std::time::Duration;

use roost_secret_broker::wire::{Fault, FaultCode, GitPush, Pushed};
use tokio::time::{Instant, timeout_at};

use super::bundle::resolve;
use super::command::{Git, Input};
use super::git_proxy::{GitProxy, Passing};
use super::push_gate::Command;
use super::shelf::Place;
use super::{Mirrors, Upstream, failed, line, refs, unfetched, unkept};

impl Mirrors {
    /// Pushes. A repeated push of the same commit changes nothing.
    ///
    /// # Errors
    /// [`FaultCode::PushRaced`] when the host has other commits on that branch, [`FaultCode::NotAllowed`] for its
    /// default branch; the errors of the host and of git.
    pub async fn push(
        &self,
        place: &Place,
        upstream: Upstream,
        asked: &GitPush,
    ) -> Result<Pushed, Fault> {
        let longest = self.shared.limits.longest;
        let within = asked.deadline_ms.map_or(longest, Duration::from_millis);
        let deadline = Instant::now() + within.min(longest);
        let pushing = timeout_at(deadline, self.pushed(place, upstream, asked, deadline));
        tokio::select! {
            done = pushing => done.unwrap_or_else(|_| {
                Err(Fault::new(
                    FaultCode::RemoteTimeout,
                    "the push did not end before the deadline; push again, which changes nothing if it arrived",
                ))
            }),
            () = place.ended() => Err(Fault::new(FaultCode::UnknownRecord, "the credential was deleted meanwhile")),
        }
    }

    async fn pushed(
        &self,
        place: &Place,
        upstream: Upstream,
        asked: &GitPush,
        deadline: Instant,
    ) -> Result<Pushed, Fault> {
        let branch = refs::branch(&asked.branch)?;
        let commit = refs::commit(&asked.commit)?;
        let git = || Git::new(place.path(), self.shared.limits.most);
        let kept = resolve(&git, &refs::kept(branch)).await?;
        if kept != commit {
            return Err(Fault::new(
                FaultCode::UnknownCommit,
                "the branch has other commits than those that were approved; look at it again",
            ));
        }
        let onto = format!("refs/heads/{branch}");
        let most = self.shared.http_client.settings().most_answer;
        let only = Command {
            commit: commit.to_owned(),
            onto: onto.clone(),
        };
        let proxy = GitProxy::open(
            upstream,
            self.shared.http_client.clone(),
            most,
            deadline,
            Passing::Push(only),
        )
        .await
        .map_err(|error| unkept(&error))?;
        let asking = || git().with("http.extraHeader", &proxy.pass());
        let url = proxy.url();
        let head = asking()
            .run(
                &["ls-remote", "--symref", "--end-of-options", &url, "HEAD"],
                |_| {},
            )
            .await;
        let head =
            head.map_err(|error| proxy.fault().unwrap_or_else(|| unfetched(&error, &proxy)))?;
        if line(&head)
            .lines()
            .any(|line| line == format!("ref: {onto}\tHEAD"))
        {
            return Err(Fault::new(
                FaultCode::NotAllowed,
                format!(
                    "`{branch}` is the default branch of the repository, and agents never push to it"
                ),
            ));
        }
        let what = format!("{commit}:{onto}");
        let push = [
            "push",
            "--porcelain",
            "--no-verify",
            "--no-follow-tags",
            "--no-signed",
            "--no-thin",
            "--recurse-submodules=no",
            "--end-of-options",
            &url,
            &what,
        ];
        let ended = asking()
            .finish(&push, Input::None, &mut |_| {})
            .await
            .map_err(|error| failed(&error))?;
        let told = String::from_utf8_lossy(&ended.output).into_owned();
        let answer = told.lines().find(|line| line.contains(&onto));
        let flag = answer.and_then(|line| line.chars().next());
        match ended.checked() {
            Ok(_) => Ok(Pushed {
                commit: commit.to_owned(),
                unchanged: flag == Some('='),
            }),
            Err(_) if flag == Some('!') => Err(rejected(&proxy.text(answer.unwrap_or_default()))),
            Err(error) => Err(proxy.fault().unwrap_or_else(|| unfetched(&error, &proxy))),
        }
    }
}

/// `!\t<from>:<onto>\t[rejected] (fetch first)`
fn rejected(answer: &str) -> Fault {
    let reason = super::bounded(answer.rsplit('\t').next().unwrap_or_default());
    let raced = [
        "[rejected]",
        "non-fast-forward",
        "cannot lock ref",
        "failed to update ref",
        "reference already exists",
        "incorrect old value",
    ];
    match raced.iter().any(|sign| reason.contains(sign)) {
        true => Fault::new(
            FaultCode::PushRaced,
            format!(
                "the host has other commits on that branch, and nothing was changed: {reason}; start again from the branch as it is now"
            ),
        ),
        false => Fault::new(
            FaultCode::RemoteRefused,
            format!("the host does not accept the branch: {reason}"),
        ),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("!\ta:b\t[rejected] (fetch first)", FaultCode::PushRaced)]
    #[case("!\ta:b\t[rejected] (non-fast-forward)", FaultCode::PushRaced)]
    #[case(
        "!\ta:b\t[remote rejected] (cannot lock ref 'b': is at 1 but expected 0)",
        FaultCode::PushRaced
    )]
    #[case(
        "!\ta:b\t[remote rejected] (failed to update ref)",
        FaultCode::PushRaced
    )]
    #[case(
        "!\ta:b\t[remote rejected] (pre-receive hook declined)",
        FaultCode::RemoteRefused
    )]
    #[case(
        "!\ta:b\t[remote rejected] (protected branch)",
        FaultCode::RemoteRefused
    )]
    fn lost_race_differs_from_a_refusal(#[case] answer: &str, #[case] code: FaultCode) {
        assert_eq!(rejected(answer).code, code);
    }
}
