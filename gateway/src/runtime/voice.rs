//! The progress stream of a working agent: its text, its thoughts and its screen, for subscribers. Ephemeral: nothing
//! depends on it. Output faster than subscribers can receive is dropped here, never in the journal.

use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

use crate::execution::providers::Delta;
use crate::platform::events::{
    AgentComputerFrame, AgentReasoningDelta, App, Channel, Event, EventLog, FrameLine,
};
use crate::platform::ids::{ClawId, RunId};
use crate::tenancy::auth::WorkspaceScope;

/// The maximum number of pieces in the queue.
const WAITING: usize = 2_048;
/// Text that arrives within this time is published together.
const TOGETHER: Duration = Duration::from_millis(60);
/// The maximum size of one event.
const MOST_BYTES: usize = 4 << 10;
/// The number of lines on a screen.
const SCREEN: usize = 24;

/// A piece of the stream.
#[derive(Debug)]
enum Piece {
    Words(Channel, String),
    Lines(Vec<FrameLine>),
    /// Another event between the pieces of text. It is published in its place.
    Other(Event),
}

/// The sending end, for the session. Cheap to clone.
#[derive(Clone)]
pub struct Voice {
    tx: mpsc::Sender<Piece>,
}

/// The receiving end, which publishes.
pub struct Telling {
    rx: mpsc::Receiver<Piece>,
    events: EventLog,
    scope: WorkspaceScope,
    agent: ClawId,
    run: RunId,
    screen: Vec<FrameLine>,
}

/// Creates both ends for an agent in a run.
pub fn voice(
    events: &EventLog,
    scope: WorkspaceScope,
    agent: ClawId,
    run: RunId,
) -> (Voice, Telling) {
    let (tx, rx) = mpsc::channel(WAITING);
    let telling = Telling {
        rx,
        events: events.clone(),
        scope,
        agent,
        run,
        screen: Vec::new(),
    };
    (Voice { tx }, telling)
}

impl Voice {
    /// Queues a piece of a model's stream.
    pub fn heard(&self, delta: Delta) {
        let (channel, text) = match delta {
            Delta::Think(text) => (Channel::Think, text),
            Delta::Say(text) => (Channel::Say, text),
            Delta::Tool(text) => (Channel::Tool, text),
        };
        self.put(Piece::Words(channel, text));
    }

    /// Queues lines for the agent's screen.
    pub fn shows(&self, lines: Vec<FrameLine>) {
        if !lines.is_empty() {
            self.put(Piece::Lines(lines));
        }
    }

    /// Queues an event.
    pub fn tells(&self, event: Event) {
        self.put(Piece::Other(event));
    }

    fn put(&self, piece: Piece) {
        if self.tx.try_send(piece).is_err() {
            metrics::counter!("roost_agent_words_dropped_total").increment(1);
        }
    }
}

impl Telling {
    /// Publishes until the sending end is dropped.
    pub async fn tell(mut self) {
        while let Some(first) = self.rx.recv().await {
            let until = Instant::now() + TOGETHER;
            let mut heard = OutputItem::default();
            let mut next = Some(first);
            while let Some(piece) = next.take() {
                match piece {
                    Piece::Words(channel, text) => heard.words(channel, &text),
                    Piece::Lines(more) => {
                        self.show(more);
                        heard.lines = true;
                    }
                    Piece::Other(event) => {
                        // Publish the earlier text before this event.
                        self.emit(std::mem::take(&mut heard)).await;
                        self.events.emit(self.scope, event.in_run(self.run)).await;
                    }
                }
                if heard.bytes < MOST_BYTES {
                    next = tokio::select! {
                        biased;
                        piece = self.rx.recv() => piece,
                        () = sleep_until(until) => None,
                    };
                }
            }
            self.emit(heard).await;
        }
    }

    fn show(&mut self, more: Vec<FrameLine>) {
        self.screen.extend(more);
        let over = self.screen.len().saturating_sub(SCREEN);
        self.screen.drain(..over);
    }

    async fn emit(&self, heard: OutputItem) {
        for (channel, text) in heard.said {
            for part in parts(&text) {
                let event = Event::AgentReasoningDelta(AgentReasoningDelta {
                    agent_id: self.agent,
                    text: part.to_owned(),
                    channel: Some(channel).filter(|channel| *channel != Channel::Think),
                });
                self.events.emit(self.scope, event.in_run(self.run)).await;
            }
        }
        if heard.lines {
            let frame = Event::AgentComputerFrame(AgentComputerFrame {
                agent_id: self.agent,
                app: App::Terminal,
                url: None,
                lines: self.screen.clone(),
            });
            self.events.emit(self.scope, frame.in_run(self.run)).await;
        }
    }
}

/// Pieces that were received and not yet published.
#[derive(Default)]
struct OutputItem {
    said: Vec<(Channel, String)>,
    bytes: usize,
    /// The screen changed.
    lines: bool,
}

impl OutputItem {
    fn words(&mut self, channel: Channel, text: &str) {
        self.bytes += text.len();
        match self.said.last_mut() {
            Some((last, so_far)) if *last == channel => so_far.push_str(text),
            _ => self.said.push((channel, text.to_owned())),
        }
    }
}

/// The text in parts that each fit in one event.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (part, after) = rest.split_at(rest.floor_char_boundary(MOST_BYTES));
        rest = after;
        Some(part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_told_in_whole_characters_and_nothing_is_lost() {
        let text = "größe ".repeat(3_000);
        let told: Vec<&str> = parts(&text).collect();
        assert!(told.len() > 1 && told.iter().all(|part| part.len() <= MOST_BYTES));
        assert_eq!(told.concat(), text);
    }
}
