//! Event streams end with the authority that opened them. The gateway keeps every open stream under its session, user
//! and role in the workspace. Twice a second, and after every revocation, it reads the store. It ends the streams whose
//! session was deleted, whose token has ended or whose role has changed; the client reconnects and is checked again.
//! The rows decide, so it does not matter which gateway revoked.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use chrono::{DateTime, Utc};
use futures::StreamExt;
use http::header;
use sea_orm::DbErr;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::middleware::{Caller, Credential};
use super::{Role, store};
use crate::workspaces;
use roost_platform::clock::SharedClock;
use roost_platform::db::Db;
use roost_platform::ids::{SessionId, UserId, WorkspaceId};
use roost_platform::supervision::Nudge;

/// How often the store is read: a revoked session's streams end within a second.
pub const PERIOD: Duration = Duration::from_millis(500);

/// What carries a stream's authority.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Bearing {
    /// A session row, which can be deleted.
    Session(SessionId),
    /// A token of the issuer, which ends by itself.
    Token { until: DateTime<Utc> },
}

impl Bearing {
    fn of(credential: &Credential) -> Self {
        match credential {
            Credential::Session(session) => Self::Session(session.id),
            Credential::Token { until } => Self::Token { until: *until },
        }
    }

    fn session(self) -> Option<SessionId> {
        match self {
            Self::Session(id) => Some(id),
            Self::Token { .. } => None,
        }
    }
}

/// The authority under which a stream is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Authority {
    pub by: Bearing,
    pub user: UserId,
    /// Absent for an operator that belongs to no workspace.
    pub place: Option<(WorkspaceId, Role)>,
    /// Operates the deployment by a grant, which can be removed. (The configuration cannot change while the gateway
    /// runs.)
    pub granted: bool,
}

impl Authority {
    /// The authority of a request.
    pub fn of(caller: &Caller) -> Self {
        Self {
            by: Bearing::of(&caller.credential),
            user: caller.user.id,
            place: caller
                .member
                .as_ref()
                .map(|member| (member.scope.workspace(), member.role)),
            granted: caller.granted,
        }
    }
}

/// All open streams of this gateway.
#[derive(Clone, Default)]
pub struct OpenStreams {
    held: Arc<Mutex<HashMap<Authority, Entry>>>,
    nudge: Nudge,
    /// Signals that the authority of a stream has ended.
    ended: Arc<Notify>,
}

struct Entry {
    streams: usize,
    over: CancellationToken,
}

/// Marks an answer whose stream holds its authority by itself. It is left in the answer's extensions.
#[derive(Debug, Clone, Copy)]
pub struct HeldByItself;

/// One open stream. Its place is returned on drop.
pub struct StreamHold {
    streams: OpenStreams,
    authority: Authority,
    over: CancellationToken,
}

impl OpenStreams {
    /// The nudge that starts a check.
    pub fn nudge(&self) -> &Nudge {
        &self.nudge
    }

    /// Starts a check now, after a revocation.
    pub fn revoked(&self) {
        self.nudge.nudge();
    }

    /// Ties an event stream to its authority. Any other answer stays unchanged.
    pub(super) fn tie(&self, authority: Authority, response: Response) -> Response {
        let is_stream = response
            .headers()
            .get(header::CONTENT_TYPE)
            .is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"));
        if !is_stream || response.extensions().get::<HeldByItself>().is_some() {
            return response;
        }
        let held = self.hold(authority);
        let over = held.over.clone().cancelled_owned();
        let (parts, body) = response.into_parts();
        let body = body.into_data_stream().take_until(over).map(move |piece| {
            // The hold moves into the stream, so that it is returned when the stream is dropped.
            let _held = &held;
            piece
        });
        Response::from_parts(parts, Body::from_stream(body))
    }

    /// Holds a stream under its authority until the answer is dropped.
    pub fn hold(&self, authority: Authority) -> StreamHold {
        let mut held = self.lock();
        let entry = held.entry(authority).or_insert_with(|| Entry {
            streams: 0,
            over: CancellationToken::new(),
        });
        entry.streams += 1;
        StreamHold {
            streams: self.clone(),
            authority,
            over: entry.over.clone(),
        }
    }

    /// Waits until the authority of a stream ends. For one waiter, which then asks each hold. Cancel-safe.
    pub async fn some_ended(&self) {
        self.ended.notified().await;
    }

    /// One check: ends the streams whose authority has ended.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn end_revoked(&self, db: &Db, clock: &SharedClock) -> Result<(), DbErr> {
        let open: Vec<Authority> = self.lock().keys().copied().collect();
        if open.is_empty() {
            return Ok(());
        }
        let sessions = open.iter().filter_map(|authority| authority.by.session());
        let sessions = sessions.collect();
        let users = open.iter().map(|authority| authority.user).collect();
        let granted = open.iter().filter(|authority| authority.granted);
        let granted = granted.map(|authority| authority.user).collect();
        let sessions = store::living_sessions(db.read(), sessions, clock.now()).await?;
        let now = Now {
            at: clock.now(),
            sessions,
            members: workspaces::memberships_of(db.read(), users).await?,
            granted: store::granted_among(db.read(), granted).await?,
        };
        for authority in open {
            if !now.still_bears(&authority)
                && let Some(entry) = self.lock().remove(&authority)
            {
                entry.over.cancel();
                self.ended.notify_one();
            }
        }
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Authority, Entry>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The present state in the store.
struct Now {
    at: DateTime<Utc>,
    sessions: HashSet<SessionId>,
    members: HashMap<(UserId, WorkspaceId), Role>,
    granted: HashSet<UserId>,
}

impl Now {
    fn still_bears(&self, authority: &Authority) -> bool {
        let borne = match authority.by {
            Bearing::Session(id) => self.sessions.contains(&id),
            Bearing::Token { until } => self.at < until,
        };
        borne
            && (!authority.granted || self.granted.contains(&authority.user))
            && authority.place.is_none_or(|(workspace, role)| {
                self.members.get(&(authority.user, workspace)) == Some(&role)
            })
    }
}

impl StreamHold {
    /// Whether the authority has ended.
    pub fn is_over(&self) -> bool {
        self.over.is_cancelled()
    }
}

impl Drop for StreamHold {
    fn drop(&mut self) {
        let mut held = self.streams.lock();
        // The check may have ended this entry already; then the key is free or belongs to another entry.
        if let Some(entry) = held.get_mut(&self.authority)
            && !self.over.is_cancelled()
        {
            entry.streams -= 1;
            if entry.streams == 0 {
                held.remove(&self.authority);
            }
        }
    }
}
