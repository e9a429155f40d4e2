//! Any receiver of a JSON POST: the connection has the address, and the agent chooses only the event and its payload.

use serde::Deserialize;
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use super::{Act, Work};
use crate::apps::Outgoing;
use roost_web::json::{Check, Mistakes};

/// The most bytes of a payload as JSON.
const MOST: usize = 64 * 1024;

/// Sends an event to the agent's webhook.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SendEvent {
    /// What happened, such as `report.ready`.
    #[schema(min_length = 1, max_length = 100)]
    event: String,
    /// Anything, up to 64 KiB as JSON.
    #[serde(default)]
    #[schema(value_type = Object)]
    payload: Map<String, Value>,
}

impl Check for SendEvent {
    fn check(&self, mistakes: &mut Mistakes) {
        mistakes.text("/event", &self.event, 1, 100);
        let length = serde_json::to_string(&self.payload).map_or(usize::MAX, |text| text.len());
        if length > MOST {
            mistakes.add("/payload", "must have at most 64 KiB as JSON");
        }
    }
}

impl Act for SendEvent {
    const NAME: &'static str = "webhook.event.send";
    const PROVIDER: &'static str = "webhook";
    const TITLE: &'static str = "Tell a webhook";
    const DESCRIPTION: &'static str =
        "Sends an event with a payload to the webhook that the agent is connected to.";

    fn target(&self) -> String {
        "webhook".to_owned()
    }

    fn summary(&self) -> String {
        format!("Send the event “{}”", self.event)
    }

    fn work(self) -> Work {
        Work::App(Outgoing {
            method: "POST",
            path: Vec::new(),
            body: json!({ "event": self.event, "payload": self.payload }),
        })
    }
}
