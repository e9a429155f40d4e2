//! What an agent says, thinks and sees while it works, on its way to those who watch. Ephemeral: nothing depends on it, and
//! who talks faster than it can be told loses words here, never in the journal.

use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

use super::models::Delta;
use crate::domains::auth::WorkspaceScope;
use crate::events::{
    AgentComputerFrame, AgentReasoningDelta, App, Channel, Event, EventLog, FrameLine,
};
use crate::ids::{ClawId, RunId};

/// Pieces that wait to be told.
const WAITING: usize = 2_048;
/// Words are told together when they come within this time.
const TOGETHER: Duration = Duration::from_millis(60);
/// The most that one event carries.
const MOST_BYTES: usize = 4 << 10;
/// Lines of a screen.
const SCREEN: usize = 24;

/// A piece of it.
#[derive(Debug)]
enum Piece {
    Words(Channel, String),
    Lines(Vec<FrameLine>),
    /// Something else that happened between words, and is told in its place.
    Other(Event),
}

/// The end at which the agent talks. Cheap to clone.
#[derive(Clone)]
pub struct Voice {
    tx: mpsc::Sender<Piece>,
}

/// The end at which it is told.
pub struct Telling {
    rx: mpsc::Receiver<Piece>,
    events: EventLog,
    scope: WorkspaceScope,
    agent: ClawId,
    run: RunId,
    screen: Vec<FrameLine>,
}

/// A voice of an agent in a run.
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
    /// A piece of a model's stream.
    pub fn heard(&self, delta: Delta) {
        let (channel, text) = match delta {
            Delta::Think(text) => (Channel::Think, text),
            Delta::Say(text) => (Channel::Say, text),
            Delta::Tool(text) => (Channel::Tool, text),
        };
        self.put(Piece::Words(channel, text));
    }

    /// Lines that appear on the agent's screen.
    pub fn shows(&self, lines: Vec<FrameLine>) {
        if !lines.is_empty() {
            self.put(Piece::Lines(lines));
        }
    }

    /// Something that happened.
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
    /// Tells until the voice is gone.
    pub async fn tell(mut self) {
        while let Some(first) = self.rx.recv().await {
            let until = Instant::now() + TOGETHER;
            let mut heard = Heard::default();
            let mut next = Some(first);
            while let Some(piece) = next.take() {
                match piece {
                    Piece::Words(channel, text) => heard.words(channel, &text),
                    Piece::Lines(more) => {
                        self.show(more);
                        heard.lines = true;
                    }
                    Piece::Other(event) => {
                        // What was said before it is told before it.
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

    async fn emit(&self, heard: Heard) {
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

/// What was heard and not told yet.
#[derive(Default)]
struct Heard {
    said: Vec<(Channel, String)>,
    bytes: usize,
    /// The screen changed.
    lines: bool,
}

impl Heard {
    fn words(&mut self, channel: Channel, text: &str) {
        self.bytes += text.len();
        match self.said.last_mut() {
            Some((last, so_far)) if *last == channel => so_far.push_str(text),
            _ => self.said.push((channel, text.to_owned())),
        }
    }
}

/// The text in pieces that one event carries.
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
