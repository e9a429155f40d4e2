//! Keeps a conversation within the window of its model. When it does not fit, the model summarises the oldest turns,
//! and the journal gets the summary as a note. Instructions, pinned skills, memory, the goal and the newest turns stay
//! as they are. When the model gives no summary, the gateway cuts the conversation instead, and does not ask again for
//! some turns.

use std::time::Instant;

use super::session::{Session, Stopped, millis, used};
use super::transcript::Transcript;
use super::window::{Plan, Window, cut, plan, shown};
use super::{read_result, tool_names};
use roost_execution::providers::{ErrorKind, Message, ModelError, Purpose, Reply, Request, Stop};
use roost_execution::runs::{Compaction, Entry, NewEntry, Note};

/// The maximum number of tokens of a summary.
const SUMMARY_TOKENS: u32 = 2_048;
/// The maximum size of a summary, in bytes.
const SUMMARY_BYTES: usize = 12 << 10;

const ASK: &str = "The conversation is about to exceed what you can take in at once. Summarise it now for yourself: what is \
                   above is then removed, and you continue with this summary, your instructions, the goal and the newest \
                   turns. Write what was decided and why; what was done, with names of files, commands and exit codes; what \
                   failed; what is open, and the next step. Write facts only, at most 600 words. Call no tools.";

impl Session<'_> {
    /// The request for the next turn, within the model's window. It may ask the model for a summary first, at most
    /// once a turn.
    pub(super) async fn fitted(&self, transcript: &mut Transcript) -> Result<Request, Stopped> {
        let mut request = self.request(Vec::new()).await?;
        if transcript.has_more_to_read() {
            request.tools.push(read_result::spec());
        }
        let room = Window(self.who.mind.model.window).room(request.bytes());
        let prompt = &self.job.prompt;
        if let Plan::Summarise { turns } = plan(&transcript.sizes(prompt), room) {
            self.summarise(transcript, turns, request.clone(), room)
                .await?;
            if !request
                .tools
                .iter()
                .any(|tool| tool.name == read_result::NAME)
            {
                request.tools.push(read_result::spec());
            }
        }
        request.messages = transcript.messages(prompt, room);
        tool_names::hide(&mut request.messages);
        Ok(request)
    }

    async fn summarise(
        &self,
        transcript: &mut Transcript,
        turns: usize,
        mut request: Request,
        room: usize,
    ) -> Result<(), Stopped> {
        let (messages, before) = transcript.oldest(&self.job.prompt, turns);
        request.messages = messages;
        tool_names::hide(&mut request.messages);
        cut(&mut request.messages, room.saturating_sub(ASK.len()));
        request.messages.push(Message::User(ASK.to_owned()));
        request.max_tokens = request.max_tokens.min(SUMMARY_TOKENS);
        request.purpose = Purpose::Summary;
        let _reservation = self.reserve(&request).await?;
        let begun = Instant::now();
        let answered = self.turn(&request, &mut |_| {}).await;
        let (summary, spent) = match answered {
            Ok(reply) => {
                let spent = used(reply.usage, reply.cost_microusd);
                (summary_of(&reply), spent)
            }
            Err(error) if is_refusal(&error) => {
                let spent = error
                    .spent
                    .map(|spent| used(spent.usage, spent.cost_microusd));
                (Err(error.to_string()), spent.unwrap_or_default())
            }
            Err(error) => return Err(self.lost(&error).await?),
        };
        let summarised = summary.is_ok();
        let note = Note {
            text: summary
                .unwrap_or_else(|why| format!("No summary: {why}. Older results are cut instead.")),
            compaction: Some(Compaction { before, summarised }),
            message: None,
        };
        let entry = NewEntry {
            index: transcript.place(),
            name: self.who.mind.model.name.clone(),
            entry: Entry::Note(note.clone()),
            took_ms: millis(begun.elapsed()),
            used: spent,
        };
        self.job.journal.write(entry).await?;
        transcript.push_note(note);
        Ok(())
    }
}

/// Whether another attempt would give no summary either.
fn is_refusal(error: &ModelError) -> bool {
    matches!(error.kind, ErrorKind::Terminal | ErrorKind::TooBig)
}

/// The text of the summary, or why the answer is none.
fn summary_of(reply: &Reply) -> Result<String, String> {
    let text = reply.text.trim();
    if matches!(reply.stop, Stop::Filtered) {
        return Err("the model's provider withheld it".to_owned());
    }
    if text.is_empty() {
        return Err("the model answered with nothing".to_owned());
    }
    if !reply.calls.is_empty() {
        return Err("the model called tools instead".to_owned());
    }
    Ok(shown(text, SUMMARY_BYTES, None))
}

#[cfg(test)]
mod tests {
    use roost_execution::providers::{Call, Usage};
    use serde_json::json;

    use super::*;

    fn reply(text: &str, stop: Stop, calls: Vec<Call>) -> Reply {
        Reply {
            text: text.to_owned(),
            calls,
            usage: Usage::default(),
            cost_microusd: None,
            stop,
        }
    }

    #[test]
    fn only_a_text_without_calls_is_a_summary() {
        let call = Call {
            id: "1".to_owned(),
            name: "shell".to_owned(),
            arguments: json!({}),
            malformed: None,
            opaque: None,
        };
        assert_eq!(
            summary_of(&reply(" so far \n", Stop::End, Vec::new())),
            Ok("so far".to_owned())
        );
        assert!(summary_of(&reply("cut", Stop::Length, Vec::new())).is_ok());
        for no_summary in [
            reply("", Stop::End, Vec::new()),
            reply("I may not", Stop::Filtered, Vec::new()),
            reply("I look first", Stop::Tools, vec![call]),
        ] {
            assert!(summary_of(&no_summary).is_err(), "{no_summary:?}");
        }
        let long = summary_of(&reply(&"x".repeat(1 << 20), Stop::End, Vec::new())).unwrap();
        assert!(long.len() < SUMMARY_BYTES + 200);
    }
}
