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
            let (mut words, mut lines) = (Vec::new(), false);
            self.take(first, &mut words, &mut lines);
            loop {
                tokio::select! {
                    biased;
                    piece = self.rx.recv() => match piece {
                        Some(piece) => self.take(piece, &mut words, &mut lines),
                        None => break,
                    },
                    () = sleep_until(until) => break,
                }
                if words
                    .iter()
                    .map(|(_, text): &(Channel, String)| text.len())
                    .sum::<usize>()
                    >= MOST_BYTES
                {
                    break;
                }
            }
            self.emit(words, lines).await;
        }
    }

    fn take(&mut self, piece: Piece, words: &mut Vec<(Channel, String)>, lines: &mut bool) {
        match piece {
            Piece::Words(channel, text) => match words.last_mut() {
                Some((last, so_far)) if *last == channel => so_far.push_str(&text),
                _ => words.push((channel, text)),
            },
            Piece::Lines(more) => {
                self.screen.extend(more);
                let over = self.screen.len().saturating_sub(SCREEN);
                self.screen.drain(..over);
                *lines = true;
            }
        }
    }

    async fn emit(&self, words: Vec<(Channel, String)>, lines: bool) {
        for (channel, text) in words {
            for part in parts(&text) {
                let event = Event::AgentReasoningDelta(AgentReasoningDelta {
                    agent_id: self.agent,
                    text: part.to_owned(),
                    channel: Some(channel).filter(|channel| *channel != Channel::Think),
                });
                self.events.emit(self.scope, event.in_run(self.run)).await;
            }
        }
        if lines {
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
