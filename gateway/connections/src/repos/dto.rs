//! Repositories in JSON.

use chrono::{DateTime, Utc};
use roost_secret_broker::wire::Branches;
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::entity::{connection, mirror, repo};
use super::model::{MirrorPhase, MirrorState, SyncState, is_owner, is_token};
use super::provider::ProviderKind;
use roost_platform::ids::{RepoConnectionId, RepoId};
use roost_tenancy::auth::UserBrief;
use roost_web::error::{ApiError, ApiResult};
use roost_web::json::{Check, Mistakes};

/// A code host to connect. The token goes to the secret broker and is never shown again.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewRepoConnection {
    pub provider: ProviderKind,
    /// The owner of the repositories: an organisation, a group or a person. The default is everything that the token can
    /// see.
    #[serde(default)]
    #[schema(max_length = 255)]
    pub owner: Option<String>,
    /// The address of the host; optional for github.com and gitlab.com.
    #[serde(default)]
    #[schema(max_length = 500)]
    pub base_url: Option<String>,
    /// A name for people; the default is host and owner.
    #[serde(default)]
    #[schema(max_length = 100)]
    pub label: Option<String>,
    /// A personal access token that may read repositories.
    #[schema(value_type = String, min_length = 8, max_length = 1000, format = Password)]
    pub token: SecretString,
}

impl Check for NewRepoConnection {
    fn check(&self, mistakes: &mut Mistakes) {
        if let Some(owner) = &self.owner
            && !is_owner(self.provider, owner)
        {
            mistakes.add(
                "/owner",
                "must be the name of an organisation, a group or a person",
            );
        }
        if let Some(url) = &self.base_url {
            mistakes.text("/base_url", url, 1, 500);
        }
        if let Some(label) = &self.label {
            mistakes.name("/label", label, 100);
        }
        if !is_token(self.token.expose_secret()) {
            mistakes.add(
                "/token",
                "must be a token of 8 to 1000 characters, without blanks",
            );
        }
    }
}

/// A connection to a code host.
#[derive(Debug, Serialize, ToSchema)]
pub struct RepoConnection {
    pub id: RepoConnectionId,
    pub provider: ProviderKind,
    pub owner: Option<String>,
    pub base_url: String,
    pub label: String,
    /// Repositories in its last list.
    pub repos: u64,
    pub sync: SyncState,
    /// When a whole list was last read.
    pub last_synced_at: Option<DateTime<Utc>>,
    /// Why the last sync failed.
    pub last_sync_error: Option<String>,
    /// Entries of the last list that could not be parsed.
    pub last_sync_skipped: u64,
    /// The list is longer than the 20 pages that are read.
    pub last_sync_cut: bool,
    pub created_by: Option<UserBrief>,
    pub created_at: DateTime<Utc>,
    pub version: i64,
}

impl RepoConnection {
    /// From the row and its related data.
    pub fn new(
        row: connection::Model,
        created_by: Option<UserBrief>,
        repos: u64,
        now: DateTime<Utc>,
    ) -> Self {
        Self {
            id: row.id,
            // An unknown kind is shown as GitHub; no request uses it.
            provider: ProviderKind::from_stored(&row.provider).unwrap_or(ProviderKind::GitHub),
            owner: row.owner,
            base_url: row.base_url,
            label: row.label,
            repos,
            sync: SyncState::of(row.sync_wanted, row.sync_until, now),
            last_synced_at: row.last_synced_at,
            last_sync_error: row.last_sync_error,
            last_sync_skipped: u64::try_from(row.last_sync_skipped).unwrap_or(0),
            last_sync_cut: row.last_sync_cut,
            created_by,
            created_at: row.created_at,
            version: row.version,
        }
    }
}

/// A repository.
#[derive(Debug, Serialize, ToSchema)]
pub struct Repo {
    pub id: RepoId,
    pub connection_id: RepoConnectionId,
    pub external_id: String,
    pub name: String,
    pub full_name: String,
    pub description: Option<String>,
    pub language: Option<String>,
    pub private: bool,
    pub archived: bool,
    pub fork: bool,
    pub default_branch: Option<String>,
    pub clone_url: String,
    pub html_url: String,
    /// When the repository last changed, as its host reports it.
    pub provider_updated: Option<DateTime<Utc>>,
    pub seen_at: DateTime<Utc>,
    /// Since when its host does not list it any more.
    pub gone_at: Option<DateTime<Utc>>,
    pub mirror: Option<RepoMirror>,
}

/// A bare mirror of a repository, which the secret broker keeps.
#[derive(Debug, Serialize, ToSchema)]
pub struct RepoMirror {
    pub state: MirrorState,
    /// The phase of the fetch under way.
    pub phase: Option<MirrorPhase>,
    /// Progress of that phase; 0 if it is unknown.
    #[schema(maximum = 100)]
    pub percent: u8,
    /// Bytes received in the fetch under way.
    pub received: u64,
    /// When a fetch last succeeded. The fields below describe the mirror at that time.
    pub fetched_at: Option<DateTime<Utc>>,
    /// Why the last fetch failed.
    pub error: Option<String>,
    /// Its size on the broker's disk.
    pub bytes: u64,
    pub branches: u64,
    pub tags: u64,
    /// Absent in a repository without commits.
    pub head_branch: Option<String>,
    pub head_commit: Option<String>,
    pub version: i64,
}

impl RepoMirror {
    /// From the row.
    pub fn new(row: mirror::Model, now: DateTime<Utc>) -> Self {
        let whole = |count| u64::try_from(count).unwrap_or(0);
        Self {
            state: MirrorState::of(&row, now),
            phase: row.phase.as_deref().and_then(MirrorPhase::from_stored),
            percent: u8::try_from(row.percent).unwrap_or(0),
            received: whole(row.received),
            fetched_at: row.fetched_at,
            error: row.error,
            bytes: whole(row.bytes),
            branches: whole(row.branches),
            tags: whole(row.tags),
            head_branch: row.head_branch,
            head_commit: row.head_commit,
            version: row.version,
        }
    }
}

impl Repo {
    /// From the row and its mirror.
    pub fn new(row: repo::Model, mirror: Option<mirror::Model>, now: DateTime<Utc>) -> Self {
        Self {
            mirror: mirror.map(|mirror| RepoMirror::new(mirror, now)),
            id: row.id,
            connection_id: row.connection_id,
            external_id: row.external_id,
            name: row.name,
            full_name: row.full_name,
            description: row.description,
            language: row.language,
            private: row.private,
            archived: row.archived,
            fork: row.fork,
            default_branch: row.default_branch,
            clone_url: row.clone_url,
            html_url: row.html_url,
            provider_updated: row.provider_updated,
            seen_at: row.seen_at,
            gone_at: row.gone_at,
        }
    }
}

impl RepoQuery {
    /// The search text.
    ///
    /// # Errors
    /// 400 when it is too long.
    pub fn search(&self) -> ApiResult<Option<&str>> {
        searched(self.q.as_deref())
    }
}

fn searched(q: Option<&str>) -> ApiResult<Option<&str>> {
    match q.map(str::trim) {
        Some(text) if text.chars().count() > 200 => Err(ApiError::validation(
            "q",
            "must have at most 200 characters",
        )),
        found => Ok(found.filter(|text| !text.is_empty())),
    }
}

/// Branches of a repository, as its host has them now.
#[derive(Debug, Serialize, ToSchema)]
pub struct RepoBranches {
    /// Names without `refs/heads/`, in the order of the host.
    #[schema(max_items = 200)]
    pub names: Vec<String>,
    /// The host has more than these.
    pub more: bool,
}

impl From<Branches> for RepoBranches {
    fn from(Branches { names, more }: Branches) -> Self {
        Self { names, more }
    }
}

/// The filter of branches.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct BranchQuery {
    /// Only branches whose name contains this text; case does not matter.
    #[param(max_length = 200)]
    pub q: Option<String>,
}

impl BranchQuery {
    /// The search text; empty for all branches.
    ///
    /// # Errors
    /// 400 when it is too long.
    pub fn search(&self) -> ApiResult<&str> {
        Ok(searched(self.q.as_deref())?.unwrap_or_default())
    }
}

/// The filters of the list.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct RepoQuery {
    /// Only repositories whose name or description contains this text; case does not matter.
    #[param(max_length = 200)]
    pub q: Option<String>,
    /// Only repositories of this connection.
    pub connection_id: Option<RepoConnectionId>,
}
