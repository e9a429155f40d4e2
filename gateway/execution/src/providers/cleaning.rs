//! Masks the model's key in what its server sent. The broker masks it in the byte stream. A server can also repeat
//! the key in small pieces, each in its own event. The gateway puts those pieces together only here, so the broker
//! checks the text once more.
//!
//! A key is a run of visible ASCII characters. So a text is safe up to its last other character once its runs are
//! checked. A run that is shorter than the key needs no check.

use std::collections::BTreeMap;

use roost_secret_broker::wire::RecordName;

use super::error::{ErrorKind, ModelError};
use super::request::{Delta, Reply};
use roost_platform::broker::{BrokerError, BrokerHandle};

/// The maximum size of a text that the broker gets at once, in bytes. The broker's messages have room for more.
const AT_ONCE: usize = 160 << 10;
/// The overlap of two such pieces in bytes: the longest key, with each byte escaped.
const SHARED: usize = 6 * 16 * 1024;
/// The maximum number of bytes of a run that are kept back until the run ends.
const KEPT_BACK: usize = SHARED;

/// Checks the texts of one turn.
pub(super) struct Cleaner<'a> {
    broker: &'a BrokerHandle,
    name: &'a RecordName,
    /// The length of the shortest run that can be the key. Absent when the record has no key to check for.
    least: Option<usize>,
    said: KeptBack,
    thought: KeptBack,
    called: KeptBack,
}

impl<'a> Cleaner<'a> {
    /// A cleaner for the key of this name.
    pub(super) async fn new(
        broker: &'a BrokerHandle,
        name: &'a RecordName,
    ) -> Result<Self, ModelError> {
        let cleaned = broker.clean(name.clone(), String::new()).await;
        let least = cleaned.map_err(failed)?.least;
        Ok(Self {
            broker,
            name,
            least: least.map(|least| least as usize),
            said: KeptBack::default(),
            thought: KeptBack::default(),
            called: KeptBack::default(),
        })
    }

    /// Passes on the text that is safe by now.
    pub(super) async fn pass(
        &mut self,
        deltas: Vec<Delta>,
        heard: &mut (dyn FnMut(Delta) + Send),
    ) -> Result<(), ModelError> {
        for delta in deltas {
            let (channel, piece) = match delta {
                Delta::Say(piece) => (Channel::Say, piece),
                Delta::Think(piece) => (Channel::Think, piece),
                Delta::Tool(piece) => (Channel::Tool, piece),
            };
            let mut text = std::mem::take(&mut self.kept(channel).0);
            text.push_str(&piece);
            let Safe { bytes, is_endless } = safe(&text);
            if is_endless {
                // The key may lie across the place where the run is cut.
                text = self.text(text).await?;
            }
            self.kept(channel).0 = text.split_off(bytes);
            self.show(channel, text, heard).await?;
        }
        Ok(())
    }

    /// Passes on the rest after the end of the stream.
    pub(super) async fn end(
        &mut self,
        heard: &mut (dyn FnMut(Delta) + Send),
    ) -> Result<(), ModelError> {
        for channel in [Channel::Think, Channel::Say, Channel::Tool] {
            let rest = std::mem::take(&mut self.kept(channel).0);
            self.show(channel, rest, heard).await?;
        }
        Ok(())
    }

    /// The reply with the key masked wherever it was.
    pub(super) async fn reply(&self, reply: Reply) -> Result<Reply, ModelError> {
        let json = serde_json::to_string(&reply).expect("a reply of strings and numbers encodes");
        let cleaned = self.text(json.clone()).await?;
        if cleaned == json {
            return Ok(reply);
        }
        tracing::warn!(record = %self.name, "a model's server repeated its key in an answer; the gateway removed the key");
        // The mask replaces bytes inside strings, and `*` needs no escape there. Invalid JSON means the key was a
        // number.
        serde_json::from_str(&cleaned).map_err(|error| {
            let message = "the model's server repeated its key in place of an answer";
            ModelError::new(ErrorKind::Terminal, message).because(error)
        })
    }

    fn kept(&mut self, channel: Channel) -> &mut KeptBack {
        match channel {
            Channel::Say => &mut self.said,
            Channel::Think => &mut self.thought,
            Channel::Tool => &mut self.called,
        }
    }

    async fn show(
        &self,
        channel: Channel,
        text: String,
        heard: &mut (dyn FnMut(Delta) + Send),
    ) -> Result<(), ModelError> {
        if text.is_empty() {
            return Ok(());
        }
        let text = self.text(text).await?;
        heard(match channel {
            Channel::Say => Delta::Say(text),
            Channel::Think => Delta::Think(text),
            Channel::Tool => Delta::Tool(text),
        });
        Ok(())
    }

    async fn text(&self, text: String) -> Result<String, ModelError> {
        let Some(least) = self.least.filter(|least| has_run(&text, *least)) else {
            return Ok(text);
        };
        let mut masked = BTreeMap::new();
        for (from, piece) in pieces(&text) {
            if !has_run(piece, least) {
                continue;
            }
            let cleaned = self.broker.clean(self.name.clone(), piece.to_owned()).await;
            let cleaned = cleaned.map_err(failed)?.text;
            let both = cleaned.bytes().zip(piece.bytes()).enumerate();
            masked.extend(
                both.filter(|(_, (now, before))| now != before)
                    .map(|(at, (now, _))| (from + at, now)),
            );
        }
        if masked.is_empty() {
            return Ok(text);
        }
        let mut bytes = text.into_bytes();
        for (at, byte) in masked {
            bytes[at] = byte;
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

#[derive(Debug, Clone, Copy)]
enum Channel {
    Say,
    Think,
    Tool,
}

/// The end of a text that may be the beginning of a key.
#[derive(Debug, Default)]
struct KeptBack(String);

/// The part of a text that can be shown.
#[derive(Debug, PartialEq, Eq)]
struct Safe {
    bytes: usize,
    /// The text ends with a run that is longer than any key, and the run is cut in the middle.
    is_endless: bool,
}

/// The part of the text that no key can reach into any more.
fn safe(text: &str) -> Safe {
    let run = text.bytes().rev().take_while(u8::is_ascii_graphic).count();
    let is_endless = run > 2 * KEPT_BACK;
    let kept = if is_endless { KEPT_BACK } else { run };
    Safe {
        bytes: text.len() - kept,
        is_endless,
    }
}

fn has_run(text: &str, least: usize) -> bool {
    let runs = text.as_bytes().split(|byte| !byte.is_ascii_graphic());
    runs.into_iter().any(|run| run.len() >= least)
}

/// A text in pieces that fit the broker's messages, each with its start. They overlap, so that no key is cut in two.
fn pieces(text: &str) -> Vec<(usize, &str)> {
    let mut all = Vec::new();
    let mut from = 0;
    loop {
        let to = text.floor_char_boundary(from + AT_ONCE);
        all.push((from, &text[from..to]));
        if to == text.len() {
            return all;
        }
        from = text.floor_char_boundary(to - SHARED);
    }
}

fn failed(error: BrokerError) -> ModelError {
    let message = "the secret broker could not look through the model's answer";
    ModelError::new(ErrorKind::Retryable, message).because(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_shown_once_they_end_and_other_scripts_at_once() {
        for (text, shown) in [
            ("Hel", ""),
            ("Hello wor", "Hello "),
            ("world, ", "world, "),
            ("日本", "日本"),
            ("日本sk-", "日本"),
        ] {
            assert_eq!(&text[..safe(text).bytes], shown);
        }
        let endless = "x".repeat(3 * KEPT_BACK);
        let cut = Safe {
            bytes: 2 * KEPT_BACK,
            is_endless: true,
        };
        assert_eq!(safe(&endless), cut, "no more than a key needs is kept back");
    }

    #[test]
    fn a_long_text_is_looked_at_in_pieces_that_overlap() {
        let text = "ü".repeat(AT_ONCE);
        let all = pieces(&text);
        let mut reached = 0;
        for (from, piece) in &all {
            assert!(piece.len() <= AT_ONCE && text[*from..].starts_with(piece));
            assert!(
                *from == 0 || from + SHARED <= reached + 1,
                "{from} {reached}"
            );
            reached = from + piece.len();
        }
        assert_eq!(reached, text.len());
        assert_eq!(pieces(""), [(0, "")]);
        assert!(has_run("a bcdef g", 5) && !has_run("a bcde f", 5));
    }
}
