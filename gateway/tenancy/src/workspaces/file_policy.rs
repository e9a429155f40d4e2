//! Whether machines send the files of sandboxes to the gateway.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Where the saved files of a workspace's sandboxes are kept. The machine that took a snapshot always keeps it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum FilePolicy {
    /// Machines send them to the gateway, so that any machine can restore them.
    #[default]
    Upload,
    /// They stay on the machine that saved them. When that machine is lost, they are lost.
    Stay,
}

impl FilePolicy {
    /// The word in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Upload => "upload",
            Self::Stay => "stay",
        }
    }

    /// Parses the word of the database. With a word of a newer gateway nothing leaves a machine.
    pub fn from_stored(word: &str) -> Self {
        match word {
            "upload" => Self::Upload,
            _ => Self::Stay,
        }
    }
}
