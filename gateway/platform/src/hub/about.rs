//! What an event happened in. It stands in a line of its own in the frame, so the `data:` line keeps the specified fields.

use serde::Serialize;
use uuid::Uuid;

/// The run, the mission and the room that an event belongs to, as far as it belongs to one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct About {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<Uuid>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mission: Option<Uuid>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub room: Option<Uuid>,
}

impl About {
    /// The frame's `about:` line with its line end; empty if nothing is set. Clients of the standard ignore the line.
    pub(super) fn line(&self) -> String {
        if *self == Self::default() {
            return String::new();
        }
        let json = serde_json::to_string(self).expect("a struct of ids encodes");
        format!("about: {json}\n")
    }
}
