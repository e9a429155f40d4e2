//! Typed ids: a `ClawId` cannot be used as a `UserId`. All are UUIDv7 (time-ordered, so primary keys cluster), made by
//! an [`IdSource`] that is passed in.

use std::sync::{Arc, Mutex};

use uuid::Uuid;

use crate::clock::SharedClock;

macro_rules! typed_id {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash,
            serde::Serialize, serde::Deserialize, sea_orm::DeriveValueType,
        )]
        #[serde(transparent)]
        pub struct $name(pub Uuid);

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }

        impl std::str::FromStr for $name {
            type Err = uuid::Error;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Uuid::parse_str(text).map(Self)
            }
        }

        impl From<Uuid> for $name {
            fn from(id: Uuid) -> Self {
                Self(id)
            }
        }

        impl From<$name> for Uuid {
            fn from(id: $name) -> Self {
                id.0
            }
        }

        // sea-orm requires it for primary keys. Roost's tables have no numbered keys.
        impl sea_orm::TryFromU64 for $name {
            fn try_from_u64(_: u64) -> Result<Self, sea_orm::DbErr> {
                Err(sea_orm::DbErr::ConvertFromU64(stringify!($name)))
            }
        }

        impl utoipa::PartialSchema for $name {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
                utoipa::openapi::ObjectBuilder::new()
                    .schema_type(utoipa::openapi::schema::Type::String)
                    .format(Some(utoipa::openapi::SchemaFormat::KnownFormat(
                        utoipa::openapi::KnownFormat::Uuid,
                    )))
                    .into()
            }
        }

        impl utoipa::ToSchema for $name {}
    )*};
}

typed_id! {
    /// A person, or the reserved user `system`.
    UserId;
    /// A tenant.
    WorkspaceId;
    /// A signed-in browser or an API session of a machine.
    SessionId;
    /// A mail in the queue.
    MailId;
    /// A link with which a person joins a workspace.
    InvitationId;
    /// An issued one-time login.
    OneTimeLoginId;
    /// A sign-in with a wrong password.
    RefusedSignInId;
    /// An agent.
    ClawId;
    /// An entry of the audit log.
    AuditId;
    /// Work of several steps that continues after a crash until it is complete.
    SagaId;
    /// A paired machine (not a node of the world view).
    NodeId;
    /// An operation for a node or for the local driver.
    OperationId;
    /// A hardened container.
    SandboxId;
    /// What a sandbox belongs to: the id of an agent or of a team. All are UUIDs, so none is both.
    SandboxOwnerId;
    /// A snapshot of the files of a sandbox.
    SnapshotId;
    /// An app that an agent is connected to.
    AppConnectionId;
    /// An action outside Roost that an agent requests.
    DoorId;
    /// A mesh network that a workspace is connected to.
    MeshNetworkId;
    /// A connection to a code host.
    RepoConnectionId;
    /// A repository that a connection found.
    RepoId;
    /// Files that a person uploaded for runs.
    UploadId;
    /// A skill of the catalogue.
    SkillId;
    /// A team template. A built-in template has the same id in every deployment.
    TemplateId;
    /// A team of agents.
    TeamId;
    /// A durable run of a topology.
    RunId;
    /// What a person said to a run while it worked.
    RunMessageId;
    /// A mission: work in phases.
    MissionId;
    /// A phase of a mission.
    MissionPhaseId;
    /// A task that agents work on in a phase.
    MissionTaskId;
    /// What a phase leaves for people to read.
    MissionArtifactId;
    /// A proposal that improves an agent or a team.
    LevelUpId;
    /// Work that a schedule or an event starts.
    RoutineId;
    /// One firing of a routine.
    FiringId;
    /// A conversation of several agents and people.
    RoomId;
    /// A message in a room.
    RoomMessageId;
    /// A task that another program gave through A2A.
    A2aTaskId;
    /// A token with which an agent's own programs call its tools.
    AgentTokenId;
    /// A model that a workspace's agents may use.
    ModelId;
    /// One HTTP request.
    RequestId;
}

impl UserId {
    /// The reserved user for actions of the deployment itself. It has no password and no membership.
    pub const SYSTEM: Self = Self(Uuid::nil());
}

/// Derives an id from names. The same parts give the same id always and everywhere. (UUIDv8; 122 bits of SHA-256.)
pub fn derived(parts: &[&str]) -> Uuid {
    use sha2::{Digest as _, Sha256};
    let mut hash = Sha256::new_with_prefix(b"roost");
    for part in parts {
        // The length comes first, so two different lists of parts never give the same bytes.
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part.as_bytes());
    }
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash.finalize()[..16]);
    uuid::Builder::from_custom_bytes(bytes).into_uuid()
}

/// The source of new ids.
///
/// There are two implementations: [`UuidV7`] in the program, [`CountingIds`] in tests that compare exact output.
pub trait IdSource: Send + Sync + std::fmt::Debug + 'static {
    /// A fresh id, larger than the earlier ones.
    fn next(&self) -> Uuid;
}

/// A shared id source.
pub type SharedIds = Arc<dyn IdSource>;

/// Makes a fresh typed id.
pub fn fresh<T: From<Uuid>>(ids: &SharedIds) -> T {
    T::from(ids.next())
}

/// UUIDv7 with the time of the given clock. Each is larger than all earlier ones of the same source, also within a
/// millisecond and when the clock goes back: lists that are sorted by id are in the order of creation.
#[derive(Debug)]
pub struct UuidV7 {
    clock: SharedClock,
    sequence: Mutex<uuid::ContextV7>,
}

impl UuidV7 {
    /// Ids whose time part follows `clock`.
    pub fn shared(clock: SharedClock) -> SharedIds {
        Arc::new(Self {
            clock,
            sequence: Mutex::new(uuid::ContextV7::new()),
        })
    }
}

impl IdSource for UuidV7 {
    fn next(&self) -> Uuid {
        let now = self.clock.now();
        let seconds = u64::try_from(now.timestamp()).unwrap_or(0);
        let nanos = now.timestamp_subsec_nanos();
        Uuid::new_v7(uuid::Timestamp::from_unix(&self.sequence, seconds, nanos))
    }
}

/// 1, 2, 3 … as ids: a test's output is the same in every run.
#[derive(Debug, Default)]
pub struct CountingIds {
    last: std::sync::atomic::AtomicU64,
}

impl IdSource for CountingIds {
    fn next(&self) -> Uuid {
        let n = 1 + self.last.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        Uuid::from_u64_pair(0x0190_0000_0000_7000, 0x8000_0000_0000_0000 | n)
    }
}

impl From<roost_protocol::ids::OperationId> for OperationId {
    fn from(id: roost_protocol::ids::OperationId) -> Self {
        Self(id.uuid())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::TestClock;

    #[test]
    fn ids_follow_the_clock_that_is_passed_in_and_never_repeat() {
        let clock = TestClock::default();
        let ids = UuidV7::shared(Arc::new(clock.clone()));
        let (a, b) = (ids.next(), ids.next());
        assert_ne!(a, b);
        clock.advance(std::time::Duration::from_secs(1));
        assert!(ids.next() > a.max(b));
    }

    #[test]
    fn ids_of_one_moment_are_in_the_order_in_which_they_were_made() {
        let ids = UuidV7::shared(Arc::new(TestClock::default()));
        let made: Vec<Uuid> = (0..1_000).map(|_| ids.next()).collect();
        assert!(made.is_sorted_by(|earlier, later| earlier < later));
    }

    #[test]
    fn a_derived_id_is_the_same_for_ever_and_another_for_other_parts() {
        let id = derived(&["skill", "code-review"]);
        // Stored in every database: it never changes.
        assert_eq!(id.to_string(), "aeed40ce-9709-8046-9345-ddd20e843aa2");
        assert_ne!(id, derived(&["skillcode", "-review"]));
        assert_ne!(id, derived(&["skill", "code-review", ""]));
    }
}
