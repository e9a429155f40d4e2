//! Typed ids of the channel: a node id can never be passed where a sandbox id is meant.
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

macro_rules! typed_id {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub Uuid);

        impl $name {
            /// The id as a UUID, for a store.
            pub fn uuid(self) -> Uuid {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0, f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({})", stringify!($name), self.0)
            }
        }

        impl FromStr for $name {
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
    )+};
}

typed_id! {
    /// A machine paired with a workspace.
    NodeId,
    /// A tenant.
    WorkspaceId,
    /// An agent ("claw").
    AgentId,
    /// One sandbox; a new one after each provision.
    SandboxId,
    /// One operation; the caller makes it, and it starts at most once on a node (promise P2).
    OperationId,
    /// One installation of the daemon: made once at join, kept in the daemon's state.
    InstallId,
    /// One life of the daemon process or of a guest: a new one at each start.
    InstanceId,
}

/// Rises with every connection of a node; the gateway hands it out in `welcome` and refuses an older one (promise P6).
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct ConnectionEpoch(pub u64);

impl fmt::Display for ConnectionEpoch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}
