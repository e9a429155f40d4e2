//! Stdin of a command: bytes that the guest has not confirmed are held here and sent again over a new link to the
//! guest.
use roost_protocol::control::ControlReply;
use roost_protocol::guest::ToGuest;
use roost_protocol::machine::stdin::{Feed, Offered};

use super::Command;
use crate::GuestLink;
use crate::executor::event::Event;

impl Command<'_> {
    /// A link to the guest was made; `held` is true when the guest knows the command.
    pub(super) async fn resume_stdin(&mut self, link: &GuestLink, held: bool) {
        match &mut self.stdin {
            _ if !held => self.stdin = Some(Feed::default()),
            // Unconfirmed bytes may have been lost with the former link.
            Some(feed) => feed.resume(),
            // An earlier process sent the first part.
            None => self.ask_taken(link).await,
        }
        self.feed(link).await;
    }

    /// Handles bytes from the gateway. An empty chunk queries the command's offset. A chunk that is repeated or does
    /// not fit gets the same answer, because its sender does not know the offset.
    pub(super) async fn give(&mut self, link: &GuestLink, offset: u64, data: &[u8], eof: bool) {
        if data.is_empty() && !eof {
            self.ask_taken(link).await;
            return;
        }
        let Some(feed) = &mut self.stdin else { return };
        let all_kept = match feed.offer(offset, data, eof) {
            Offered::Take { skip, take } => take > 0 && skip.saturating_add(take) == data.len(),
            Offered::Refused { .. } => false,
        };
        let taken = feed.source().confirmed();
        self.feed(link).await;
        if !all_kept && !data.is_empty() {
            self.report_taken(taken).await;
        }
    }

    /// The command has read everything before `offset`.
    pub(super) async fn stdin_taken(&mut self, link: &GuestLink, offset: u64) {
        match &mut self.stdin {
            Some(feed) => feed.confirm(offset),
            none => *none = Some(Feed::restore(offset)),
        }
        self.feed(link).await;
        self.report_taken(offset).await;
    }

    /// Sends what the guest has room for.
    async fn feed(&mut self, link: &GuestLink) {
        let operation = self.id();
        while let Some((chunk, data)) = self.stdin.as_mut().and_then(Feed::take_next) {
            // If the link breaks here, the reader of its events detects it, and all of this is sent again.
            let message = ToGuest::Stdin {
                operation,
                offset: chunk.offset,
                data,
                eof: chunk.eof,
            };
            let _ = link.send(message).await;
        }
    }

    /// Sends an empty chunk; the guest answers with its offset.
    async fn ask_taken(&self, link: &GuestLink) {
        let message = ToGuest::Stdin {
            operation: self.id(),
            offset: 0,
            data: Vec::new(),
            eof: false,
        };
        let _ = link.send(message).await;
    }

    async fn report_taken(&self, offset: u64) {
        let operation = self.id();
        let reply = ControlReply::StdinTaken { operation, offset };
        self.shared.send(Event::Reply(reply)).await;
    }
}
