//! The progress stream of a working agent: its text, its thoughts and its screen, for subscribers. Ephemeral: nothing
//! depends on it. Output faster than subscribers can receive is dropped here, never in the journal.

use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

use roost_execution::providers::Delta;
use roost_platform::events::{
    About, AgentComputerFrame, AgentReasoningDelta, App, Channel, Event, EventLog, FrameLine,
};
use roost_platform::ids::ClawId;
use roost_tenancy::auth::WorkspaceScope;

/// The maximum number of pieces in the queue.
const QUEUE_CAPACITY: usize = 2_048;
/// Text that arrives within this time is published together.
const BATCH_WINDOW: Duration = Duration::from_millis(60);
/// The maximum size of one event.
const MOST_BYTES: usize = 4 << 10;
/// The number of lines on a screen.
const SCREEN_LINES: usize = 24;

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
pub struct ProgressSender {
    tx: mpsc::Sender<Piece>,
}

/// The receiving end, which publishes.
pub struct ProgressPublisher {
    rx: mpsc::Receiver<Piece>,
    events: EventLog,
    scope: WorkspaceScope,
    agent: ClawId,
    about: About,
    screen: Vec<FrameLine>,
}

/// Creates both ends for an agent in a run, which `about` names.
pub fn channel(
    events: &EventLog,
    scope: WorkspaceScope,
    agent: ClawId,
    about: About,
) -> (ProgressSender, ProgressPublisher) {
    let (tx, rx) = mpsc::channel(QUEUE_CAPACITY);
    let publisher = ProgressPublisher {
        rx,
        events: events.clone(),
        scope,
        agent,
        about,
        screen: Vec::new(),
    };
    (ProgressSender { tx }, publisher)
}

impl ProgressSender {
    /// Queues a piece of a model's stream.
    pub fn push_delta(&self, delta: Delta) {
        let (channel, text) = match delta {
            Delta::Think(text) => (Channel::Think, text),
            Delta::Say(text) => (Channel::Say, text),
            Delta::Tool(text) => (Channel::Tool, text),
        };
        self.put(Piece::Words(channel, text));
    }

    /// Queues lines for the agent's screen.
    pub fn push_lines(&self, lines: Vec<FrameLine>) {
        if !lines.is_empty() {
            self.put(Piece::Lines(lines));
        }
    }

    /// Queues an event.
    pub fn push_event(&self, event: Event) {
        self.put(Piece::Other(event));
    }

    fn put(&self, piece: Piece) {
        if self.tx.try_send(piece).is_err() {
            metrics::counter!("roost_agent_words_dropped_total").increment(1);
        }
    }
}

impl ProgressPublisher {
    /// Publishes until the sending end is dropped.
    pub async fn run(mut self) {
        while let Some(first) = self.rx.recv().await {
            let until = Instant::now() + BATCH_WINDOW;
            let mut batch = Batch::default();
            let mut next = Some(first);
            while let Some(piece) = next.take() {
                match piece {
                    Piece::Words(channel, text) => batch.push_text(channel, &text),
                    Piece::Lines(more) => {
                        self.scroll(more);
                        batch.lines = true;
                    }
                    Piece::Other(event) => {
                        // Publish the earlier text before this event.
                        self.emit(std::mem::take(&mut batch)).await;
                        self.events.emit(self.scope, event.about(self.about)).await;
                    }
                }
                if batch.bytes < MOST_BYTES {
                    next = tokio::select! {
                        biased;
                        piece = self.rx.recv() => piece,
                        () = sleep_until(until) => None,
                    };
                }
            }
            self.emit(batch).await;
        }
    }

    fn scroll(&mut self, more: Vec<FrameLine>) {
        self.screen.extend(more);
        let over = self.screen.len().saturating_sub(SCREEN_LINES);
        self.screen.drain(..over);
    }

    async fn emit(&self, batch: Batch) {
        for (channel, text) in batch.texts {
            for part in parts(&text) {
                let event = Event::AgentReasoningDelta(AgentReasoningDelta {
                    agent_id: self.agent,
                    text: part.to_owned(),
                    channel: Some(channel).filter(|channel| *channel != Channel::Think),
                });
                self.events.emit(self.scope, event.about(self.about)).await;
            }
        }
        if batch.lines {
            let frame = Event::AgentComputerFrame(AgentComputerFrame {
                agent_id: self.agent,
                app: App::Terminal,
                url: None,
                lines: self.screen.clone(),
            });
            self.events.emit(self.scope, frame.about(self.about)).await;
        }
    }
}

/// Pieces that were received and not yet published.
#[derive(Default)]
struct Batch {
    texts: Vec<(Channel, String)>,
    bytes: usize,
    /// The screen changed.
    lines: bool,
}

impl Batch {
    fn push_text(&mut self, channel: Channel, text: &str) {
        self.bytes += text.len();
        match self.texts.last_mut() {
            Some((last, so_far)) if *last == channel => so_far.push_str(text),
            _ => self.texts.push((channel, text.to_owned())),
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
    fn long_text_is_split_between_characters_without_loss() {
        let text = "größe ".repeat(3_000);
        let pieces: Vec<&str> = parts(&text).collect();
        assert!(pieces.len() > 1 && pieces.iter().all(|part| part.len() <= MOST_BYTES));
        assert_eq!(pieces.concat(), text);
    }
}
