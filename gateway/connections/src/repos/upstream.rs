//! What another room needs to work with the mirror of a repository, and to push to its host.

use roost_secret_broker::wire::{Fault, RecordName};
use sea_orm::{ConnectionTrait, DbErr};
use url::Url;

use super::commands::record_name;
use super::entity::{connection, mirror, repo};
use super::provider::{NewPull, ProviderKind, PullRequest, pull};
use super::{model, store, store_mirrors, store_repos};
use roost_platform::ids::RepoId;
use roost_tenancy::auth::WorkspaceScope;

/// A repository with its host and its mirror.
#[derive(Debug, Clone)]
pub struct Upstream {
    pub full_name: String,
    pub html_url: String,
    pub default_branch: Option<String>,
    /// The host does not list it any more.
    pub is_gone: bool,
    /// The credential's name in the broker.
    pub name: RecordName,
    /// The mirror's name in the broker.
    pub mirror: String,
    /// The address for git. Absent when this gateway does not know the kind of host.
    pub url: Option<String>,
    /// The user name for git.
    pub user: String,
    pub state: MirrorStanding,
    host: Option<(ProviderKind, Url)>,
}

impl Upstream {
    /// The address to which a request for a pull request is sent. Absent when this gateway does not know the kind of host.
    pub fn pulls(&self) -> Option<Url> {
        let (kind, base) = self.host.as_ref()?;
        pull::address(*kind, base, &self.full_name)
    }

    /// Why the host's branches could not be read, in words for people.
    pub(super) fn unlisted(&self, fault: Option<&Fault>) -> String {
        match &self.host {
            Some((kind, _)) => model::unmirrored(*kind, fault),
            None => "This gateway does not know that kind of host. Run the newest release, or connect again.".to_owned(),
        }
    }

    /// The request that opens a pull request at the host.
    pub fn pull_request(&self, new: &NewPull) -> Option<PullRequest> {
        let (kind, _) = self.host.as_ref()?;
        let provider = kind.provider();
        Some(PullRequest {
            name: self.name.clone(),
            url: self.pulls()?,
            headers: provider.headers(),
            body: provider.pull_body(new),
        })
    }
}

/// Whether the mirror can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MirrorStanding {
    /// There is none, or it is being removed.
    None,
    /// A fetch is wanted or under way.
    Fetching,
    /// The mirror has the state of its last fetch that succeeded.
    Ready,
    /// It was never fetched, for this reason.
    Failed(String),
}

impl MirrorStanding {
    fn of(row: Option<&mirror::Model>) -> Self {
        let Some(row) = row.filter(|row| !row.dropped) else {
            return Self::None;
        };
        match (row.wanted, row.fetched_at, &row.error) {
            (true, ..) => Self::Fetching,
            (false, Some(_), _) => Self::Ready,
            (false, None, Some(error)) => Self::Failed(error.clone()),
            (false, None, None) => Self::None,
        }
    }
}

/// The repository with its host and its mirror; `None` when the workspace does not have it.
///
/// # Errors
/// When the database fails.
pub async fn upstream(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    id: RepoId,
) -> Result<Option<Upstream>, DbErr> {
    let Some(repo) = store_repos::get(db, scope, id).await? else {
        return Ok(None);
    };
    let Some(connection) = store::get(db, scope, repo.connection_id).await? else {
        return Ok(None);
    };
    let mirror = store_mirrors::get(db, scope, id).await?;
    Ok(Some(joined(repo, &connection, mirror.as_ref())?))
}

fn joined(
    repo: repo::Model,
    connection: &connection::Model,
    mirror: Option<&mirror::Model>,
) -> Result<Upstream, DbErr> {
    let kind = ProviderKind::from_stored(&connection.provider);
    let base = Url::parse(&connection.base_url).ok();
    let host = kind.zip(base);
    let url = host
        .as_ref()
        .and_then(|(kind, base)| model::git_address(*kind, base, &repo.full_name));
    Ok(Upstream {
        name: record_name(connection)?,
        mirror: repo.id.to_string(),
        url: url.map(String::from),
        user: kind.map_or_else(String::new, |kind| kind.provider().git_user().to_owned()),
        state: MirrorStanding::of(mirror),
        is_gone: repo.gone_at.is_some(),
        full_name: repo.full_name,
        html_url: repo.html_url,
        default_branch: repo.default_branch,
        host,
    })
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;

    use super::*;

    fn row() -> mirror::Model {
        mirror::Model {
            repo_id: uuid::Uuid::nil().into(),
            workspace_id: uuid::Uuid::nil().into(),
            wanted: false,
            dropped: false,
            holder: None,
            until: None,
            phase: None,
            percent: 0,
            received: 0,
            fetched_at: Some(DateTime::UNIX_EPOCH),
            error: None,
            bytes: 0,
            branches: 0,
            tags: 0,
            head_branch: None,
            head_commit: None,
            version: 1,
        }
    }

    #[test]
    fn mirror_from_before_is_read_when_its_update_failed() {
        let failed = mirror::Model {
            error: Some("the host is away".to_owned()),
            ..row()
        };
        assert_eq!(MirrorStanding::of(Some(&failed)), MirrorStanding::Ready);
        let never = mirror::Model {
            fetched_at: None,
            ..failed
        };
        assert_eq!(
            MirrorStanding::of(Some(&never)),
            MirrorStanding::Failed("the host is away".to_owned())
        );
    }

    #[test]
    fn mirror_that_is_wanted_or_removed_is_not_read() {
        let wanted = mirror::Model {
            wanted: true,
            ..row()
        };
        assert_eq!(MirrorStanding::of(Some(&wanted)), MirrorStanding::Fetching);
        let dropped = mirror::Model {
            dropped: true,
            ..row()
        };
        assert_eq!(MirrorStanding::of(Some(&dropped)), MirrorStanding::None);
        assert_eq!(MirrorStanding::of(None), MirrorStanding::None);
    }
}
