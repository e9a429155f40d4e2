//! Pure rules of connections: valid addresses and owners, the end of a list, and the meaning of errors.

use chrono::{DateTime, Utc};
use roost_protocol::text::clean;
use roost_secret_broker::wire::{Allow, Fault, FaultCode, FetchPhase, GIT, GIT_PUSH};
use serde::{Deserialize, Serialize};
use url::Url;
use utoipa::ToSchema;

use super::entity::mirror;
use super::provider::{PAGE_SIZE, ProviderKind, pull};

/// The most connections of a workspace.
pub const MOST_CONNECTIONS: u64 = 20;
/// The most pages of a list that are read.
pub const MOST_PAGES: u32 = 20;
/// The most repositories in an answer of the API.
pub const MOST_LISTED: u64 = 500;

/// Whether a connection is being synced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = RepoSyncState)]
pub enum SyncState {
    Idle,
    /// A sync is wanted and begins soon.
    Waiting,
    Running,
}

impl SyncState {
    /// From the fields of the row.
    pub fn of(wanted: bool, until: Option<DateTime<Utc>>, now: DateTime<Utc>) -> Self {
        match (wanted, until) {
            (true, Some(until)) if until > now => Self::Running,
            (true, _) => Self::Waiting,
            (false, _) => Self::Idle,
        }
    }
}

/// The address of a host in its stored form: without slashes at the end, so that each address has one spelling. The
/// outbound client decides whether it may be used, and whether without TLS.
///
/// # Errors
/// Why the address is invalid.
pub fn base_url(kind: ProviderKind, given: Option<&str>) -> Result<Url, String> {
    let provider = kind.provider();
    let Some(text) = given.or(provider.home()) else {
        return Err(format!(
            "is missing: say where your {} is, as https://git.example.com",
            provider.name()
        ));
    };
    let mut url = Url::parse(text.trim())
        .map_err(|_| "must be an address such as https://git.example.com".to_owned())?;
    if !matches!(url.scheme(), "https" | "http") || !url.has_host() {
        return Err("must begin with https:// and name a host".to_owned());
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(
            "must not hold a user or password; the token has a field of its own".to_owned(),
        );
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err("must have no query and no #".to_owned());
    }
    let trimmed = url.path().trim_end_matches('/').to_owned();
    url.set_path(&trimmed);
    let home = provider.home().and_then(|home| Url::parse(home).ok());
    let at_home = home.is_some_and(|home| home == url);
    if !provider.may_be_elsewhere() && !at_home {
        return Err("is only for GitHub Enterprise; leave it out for github.com".to_owned());
    }
    Ok(url)
}

/// Whether the text can be the name of an organisation, a person, or (GitLab) a path of groups.
pub fn is_owner(kind: ProviderKind, owner: &str) -> bool {
    let part = |part: &str| {
        !part.is_empty()
            && !part.starts_with('.')
            && part
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
    };
    let parts = owner.split('/').count();
    owner.len() <= 255 && (parts == 1 || kind == ProviderKind::GitLab) && owner.split('/').all(part)
}

/// Whether the text can be sent in a header, and is long enough to be found again in an answer.
pub fn is_token(token: &str) -> bool {
    (8..=1_000).contains(&token.len()) && token.bytes().all(|byte| byte.is_ascii_graphic())
}

/// Where the token may be used: for the lists that are read, for reading with git, for pushes of agents' branches, and
/// for opening pull requests. Nowhere else.
pub fn allow(kind: ProviderKind, base: &Url, owner: Option<&str>) -> Vec<Allow> {
    let provider = kind.provider();
    let api = provider.api(base);
    let lists = provider.listings(owner);
    let lists = lists.iter().map(|listing| {
        let url = listing.address(&api);
        Allow {
            origin: url.origin().ascii_serialization(),
            methods: vec!["GET".to_owned()],
            path_prefix: url.path().to_owned(),
        }
    });
    let git = provider.git(base);
    let repositories = Allow {
        origin: git.origin().ascii_serialization(),
        methods: vec![GIT.to_owned(), GIT_PUSH.to_owned()],
        path_prefix: git.path().to_owned(),
    };
    let pulls = Allow {
        origin: api.origin().ascii_serialization(),
        methods: vec!["POST".to_owned()],
        path_prefix: pull::path_of_any(kind, base),
    };
    lists.chain([repositories, pulls]).collect()
}

/// The most mirrors of a workspace.
pub const MOST_MIRRORS: u64 = 50;

/// The clone address of a repository: below the connection's own address, whatever address its host sends.
pub fn git_address(kind: ProviderKind, base: &Url, full_name: &str) -> Option<Url> {
    let mut url = kind.provider().git(base);
    let (path, name) = full_name.rsplit_once('/')?;
    let is_part = |part: &str| !part.is_empty() && part != "." && part != "..";
    if !path.split('/').chain([name]).all(is_part) {
        return None;
    }
    url.path_segments_mut()
        .ok()?
        .pop_if_empty()
        .extend(path.split('/'))
        .push(&format!("{name}.git"));
    Some(url)
}

/// The state of a mirror.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MirrorState {
    /// A fetch is wanted and begins soon.
    Waiting,
    Fetching,
    /// The mirror has the state of `fetched_at`.
    Ready,
    /// The last fetch failed; the mirror from before still exists.
    Failed,
    /// It is being removed.
    Removing,
}

impl MirrorState {
    /// From the fields of the row.
    pub fn of(row: &mirror::Model, now: DateTime<Utc>) -> Self {
        let held = row.until.is_some_and(|until| until > now);
        match (row.dropped, row.wanted, held, &row.error) {
            (true, ..) => Self::Removing,
            (_, true, true, _) => Self::Fetching,
            (_, true, false, _) => Self::Waiting,
            (_, false, _, Some(_)) => Self::Failed,
            (_, false, _, None) => Self::Ready,
        }
    }
}

/// The phase of a fetch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MirrorPhase {
    /// Other fetches come first.
    Waiting,
    /// The host counts and packs objects.
    Preparing,
    Receiving,
    Checking,
    /// The packs of several fetches are combined.
    Tidying,
}

impl MirrorPhase {
    const ALL: [Self; 5] = [
        Self::Waiting,
        Self::Preparing,
        Self::Receiving,
        Self::Checking,
        Self::Tidying,
    ];

    /// The word in the database and on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Preparing => "preparing",
            Self::Receiving => "receiving",
            Self::Checking => "checking",
            Self::Tidying => "tidying",
        }
    }

    /// Parses a word that [`as_str`](Self::as_str) wrote.
    pub fn from_stored(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|phase| phase.as_str() == text)
    }
}

impl From<FetchPhase> for MirrorPhase {
    fn from(phase: FetchPhase) -> Self {
        match phase {
            FetchPhase::Waiting => Self::Waiting,
            FetchPhase::Preparing => Self::Preparing,
            FetchPhase::Receiving => Self::Receiving,
            FetchPhase::Checking => Self::Checking,
            FetchPhase::Tidying => Self::Tidying,
        }
    }
}

/// Why a mirror could not be fetched, in words for people.
pub fn unmirrored(kind: ProviderKind, fault: Option<&Fault>) -> String {
    use FaultCode as Code;
    let readable = fault.filter(|fault| {
        matches!(
            fault.code,
            Code::RemoteRefused
                | Code::GitFailed
                | Code::TooLarge
                | Code::StoreFailed
                | Code::RemoteTimeout
        )
    });
    match readable {
        // The host is not at fault.
        Some(fault) if fault.code == Code::StoreFailed => format!(
            "The secret broker cannot store it: {}.",
            clean(&fault.detail, 400)
        ),
        Some(fault) => format!("{}: {}.", kind.provider().name(), clean(&fault.detail, 400)),
        None => unasked(kind, fault.map(|fault| fault.code)),
    }
}

/// Whether a list has a next page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum More {
    Yes,
    No,
    /// Yes, but the limit of pages is reached.
    Cut,
}

/// Whether there is a next page. A host with a smaller limit sends fewer entries than requested, so its headers come
/// first. Their addresses are not followed: the gateway counts the pages itself, so that no host chooses where a token
/// goes.
pub fn more(page: u32, entries: usize, header: impl Fn(&str) -> Option<String>) -> More {
    let next = match (header("link"), header("x-next-page")) {
        (Some(link), _) => link.split(',').any(|part| {
            part.split(';')
                .skip(1)
                .any(|param| param.trim().replace('"', "") == "rel=next")
        }),
        (None, Some(next)) => !next.trim().is_empty(),
        (None, None) => entries >= PAGE_SIZE as usize,
    };
    match next && entries > 0 {
        false => More::No,
        true if page >= MOST_PAGES => More::Cut,
        true => More::Yes,
    }
}

/// Why a list could not be read, in words for people.
pub fn refusal(
    kind: ProviderKind,
    owner: Option<&str>,
    status: u16,
    header: impl Fn(&str) -> Option<String>,
    message: Option<&str>,
) -> String {
    let name = kind.provider().name();
    let limited = header("x-ratelimit-remaining").as_deref() == Some("0")
        || header("ratelimit-remaining").as_deref() == Some("0")
        || header("retry-after").is_some();
    let reason = match status {
        401 => format!(
            "{name} does not take the token (401): it is wrong, expired or revoked. Connect again with a new one."
        ),
        403 | 429 if limited || status == 429 => {
            format!("{name} lets this token ask no more for now ({status}). Sync again later.")
        }
        403 => format!(
            "{name} refuses (403): the token may not list these repositories. Give it the right to read them."
        ),
        404 => match owner {
            Some(owner) => format!(
                "{name} knows no organisation, group or person `{owner}` that this token may see (404)."
            ),
            None => format!(
                "There is no list of repositories at this address (404). See that it is a {name}."
            ),
        },
        300..=399 => format!(
            "{name} answers from elsewhere ({status}), and a token is not sent after it. Connect again with the new address or owner."
        ),
        500..=599 => format!("{name} failed ({status}). Sync again later."),
        _ => format!("{name} answered {status}."),
    };
    match message.map(|text| clean(text, 200)) {
        Some(text) if !text.trim().is_empty() => format!("{reason} It says: {}", text.trim()),
        _ => reason,
    }
}

/// Why the broker could not send the request, in words for people.
pub fn unasked(kind: ProviderKind, code: Option<FaultCode>) -> String {
    let name = kind.provider().name();
    match code {
        Some(FaultCode::AddressRefused) => format!("The address of {name} is private or this machine's own. If the deployment means it, its operator names the host in `outbound.allow_private`."),
        Some(FaultCode::RemoteUnreachable | FaultCode::NotReached) => format!("{name} cannot be reached. See that the address is right and the host is up, then try again."),
        Some(FaultCode::RemoteTimeout) => format!("{name} took too long. Try again later."),
        Some(FaultCode::TooLarge) => format!("{name} answered more than a page of a list can be."),
        Some(FaultCode::RemoteRefused) => format!("{name} answered in a way that cannot be passed on."),
        Some(FaultCode::UnknownRecord | FaultCode::RecordDamaged) => "The token of this connection is not in the secret broker any more. Remove the connection and connect again.".to_owned(),
        Some(FaultCode::NotAllowed) => "The secret broker does not let the token go there. Remove the connection and connect again.".to_owned(),
        Some(_) | None => "The secret broker could not ask. Its operator sees why in its log; try again later.".to_owned(),
    }
}

/// The answer was not a list.
pub fn no_list(kind: ProviderKind) -> String {
    let name = kind.provider().name();
    format!("What answered sent no list of repositories. See that the address is that of a {name}.")
}

/// The connection's label; the default is owner and host.
pub fn label(given: Option<&str>, base: &Url, owner: Option<&str>) -> String {
    let given = given.map(str::trim).filter(|text| !text.is_empty());
    let host = base.host_str().unwrap_or_default();
    let host = host.strip_prefix("api.").unwrap_or(host);
    match (given, owner) {
        (Some(label), _) => label.to_owned(),
        (None, Some(owner)) => format!("{owner} at {host}"),
        (None, None) => host.to_owned(),
    }
}

#[cfg(test)]
mod tests;
