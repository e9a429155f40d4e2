//! `roost events`: live events, resumed where they broke off.

use std::process::ExitCode;
use std::time::Duration;

use serde_json::json;

use crate::api::types::ClawId;
use crate::api::{Api, routes};
use crate::show;
use crate::sse::Message;

/// Events: those that are kept, or with --follow those that come.
#[derive(Debug, clap::Args)]
pub struct Events {
    /// Stay and print what comes
    #[arg(long, short)]
    follow: bool,
    /// Only these types, with commas between
    #[arg(long, value_name = "TYPES")]
    types: Option<String>,
    /// Only of this agent
    #[arg(long, value_name = "ID")]
    agent: Option<String>,
    /// Begin after this event
    #[arg(long, value_name = "EVENT-ID")]
    since: Option<String>,
}

impl Events {
    pub(super) async fn run(self, api: &Api) -> anyhow::Result<ExitCode> {
        let mut last = self.since.clone();
        let mut wait = Duration::from_millis(500);
        loop {
            match self.read(api, &mut last).await {
                Ok(()) if !self.follow => return Ok(ExitCode::SUCCESS),
                Ok(()) => wait = Duration::from_millis(500),
                Err(error) if !self.follow => return Err(error),
                Err(error) => {
                    let error = format!("{error:#}");
                    eprintln!("roost: {}; trying again", show::clean(&error));
                    wait = (wait * 2).min(Duration::from_secs(30));
                }
            }
            tokio::time::sleep(wait).await;
        }
    }

    async fn read(&self, api: &Api, last: &mut Option<String>) -> anyhow::Result<()> {
        let from = (!self.follow && last.is_none()).then_some("oldest");
        let agent = self.agent.clone().map(ClawId::from);
        let call = routes::events(self.types.as_deref(), agent.as_ref(), last.as_deref(), from);
        let mut messages = api.stream(call).await?;
        loop {
            let message = match messages.next().await? {
                Some(message) => message,
                None => return Ok(()),
            };
            if message.id.is_some() {
                last.clone_from(&message.id);
            }
            if message.event == "beat" {
                if self.follow {
                    continue;
                }
                // The first beat comes after the replay: everything that was there is printed.
                return Ok(());
            }
            if api.json {
                let data: serde_json::Value =
                    serde_json::from_str(&message.data).unwrap_or_default();
                let line = json!({ "id": message.id, "type": message.event, "data": data });
                show::json_line(&line);
            } else {
                println!("{}", readable(&message));
            }
        }
    }
}

/// An event as people read it; whatever a machine or an agent put into it moves no cursor.
fn readable(message: &Message) -> String {
    format!(
        "{:<12} {:<20} {}",
        show::clean(message.id.as_deref().unwrap_or_default()),
        show::clean(&message.event),
        show::clean(&message.data)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_event_text_makes_no_line_and_moves_no_cursor() {
        let hostile = "x\u{1b}[2J\u{202e}\n1.2 claw.deleted";
        let message = Message {
            id: Some(hostile.to_owned()),
            event: hostile.to_owned(),
            data: json!({ "label": hostile }).to_string() + hostile,
        };
        let line = readable(&message);
        assert!(
            !line.chars().any(roost_protocol::text::is_hidden),
            "{line:?}"
        );
        assert!(line.contains("claw.deleted"), "it is shown, not left out");
    }
}
