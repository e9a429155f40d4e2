//! Typed ids of the channel, so that a node id cannot be passed as a sandbox id.
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
            /// The id as a UUID, for storage.
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
    /// A machine that joined a workspace.
    NodeId,
    /// A tenant.
    WorkspaceId,
    /// An agent ("claw").
    AgentId,
    /// One sandbox. Each provision makes a new id.
    SandboxId,
    /// One operation. The caller makes the id, and a node starts it at most once (promise P2).
    OperationId,
    /// One installation of the daemon. It is made once at join and stored in the daemon's state.
    InstallId,
    /// One process of the daemon or of a guest. It is new at each start.
    InstanceId,
}

/// Rises with every connection of a node. The gateway assigns it in `welcome` and refuses older ones (promise P6).
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
