//! What a link must send again after a re-attach, and which output it has seen. Pure, one value per operation.
use roost_protocol::guest::{FromGuest, ToGuest};
use roost_protocol::ids::OperationId;
use roost_protocol::output::Piece;

/// The state of one operation as this end knows it.
#[derive(Debug, Default)]
pub(super) struct Resume {
    /// The start message, until the guest has answered it. Starting an id twice is harmless.
    start: Option<ToGuest>,
    credit: Option<(u64, u64)>,
    stdin: bool,
    cancelled: bool,
    /// The guest knows the operation, so it may be queried.
    known: bool,
    ended: bool,
    /// Offset after the last byte that was passed on.
    next: u64,
    /// A hole was found and requested; until it is filled nothing else is requested.
    asked_from: Option<u64>,
}

/// What to do with a message.
#[derive(Debug, PartialEq)]
pub(super) enum Verdict {
    Pass(FromGuest),
    Drop,
    /// A frame was lost: request the bytes again.
    Ask(ToGuest),
}

impl Resume {
    pub(super) fn note_sent(&mut self, message: &ToGuest) {
        match message {
            ToGuest::Start { stdin, .. } => {
                self.start = Some(message.clone());
                self.stdin = *stdin;
                self.known = true;
            }
            ToGuest::Credit { up_to, acked, .. } => {
                let (most, stored) = self.credit.unwrap_or((0, 0));
                self.credit = Some((most.max(*up_to), stored.max(*acked)));
            }
            ToGuest::Replay { from, .. } => {
                self.next = *from;
                self.asked_from = None;
                self.known = true;
                self.ended = false;
            }
            ToGuest::Cancel { .. } => self.cancelled = true,
            ToGuest::Stdin { .. } => self.stdin = true,
            ToGuest::Resize { .. }
            | ToGuest::Forget { .. }
            | ToGuest::Hello { .. }
            | ToGuest::Unknown => {}
        }
    }

    /// Decides about a message of the guest: repeated output is dropped, a hole is requested.
    pub(super) fn take(&mut self, operation: OperationId, message: FromGuest) -> Verdict {
        match message {
            FromGuest::Output { piece, .. } => self.take_piece(operation, piece),
            FromGuest::Started { .. } => {
                self.start = None;
                Verdict::Pass(FromGuest::Started { operation })
            }
            FromGuest::Exited { output_end, .. } if output_end > self.next => {
                // Output before the end was lost. The guest sends the end again after the replay.
                self.ask(operation)
            }
            FromGuest::Exited { .. } if self.ended => Verdict::Drop,
            FromGuest::Exited { .. } | FromGuest::NotStarted { .. } => {
                self.start = None;
                self.ended = true;
                Verdict::Pass(message)
            }
            message => Verdict::Pass(message),
        }
    }

    fn take_piece(&mut self, operation: OperationId, piece: Piece) -> Verdict {
        if piece.start() > self.next {
            return self.ask(operation);
        }
        if piece.end() <= self.next {
            return Verdict::Drop;
        }
        self.start = None;
        let skip = self.next - piece.start();
        let piece = match piece {
            Piece::Data {
                stream,
                offset,
                mut data,
            } => {
                data.drain(..usize::try_from(skip).unwrap_or(usize::MAX).min(data.len()));
                Piece::Data {
                    stream,
                    offset: offset + skip,
                    data,
                }
            }
            Piece::Gap { to, .. } => Piece::Gap {
                from: self.next,
                to,
            },
        };
        self.next = piece.end();
        self.asked_from = None;
        Verdict::Pass(FromGuest::Output { operation, piece })
    }

    fn ask(&mut self, operation: OperationId) -> Verdict {
        if self.asked_from == Some(self.next) {
            return Verdict::Drop;
        }
        self.asked_from = Some(self.next);
        Verdict::Ask(ToGuest::Replay {
            operation,
            from: self.next,
        })
    }

    /// The messages to send after a re-attach (or after lost frames), in order.
    pub(super) fn resend(&mut self, operation: OperationId) -> Vec<ToGuest> {
        if self.ended || !self.known {
            return Vec::new();
        }
        self.asked_from = None;
        let mut messages = Vec::new();
        if let Some(start) = &self.start {
            messages.push(start.clone());
        }
        if let Some((up_to, acked)) = self.credit {
            messages.push(ToGuest::Credit {
                operation,
                up_to,
                acked,
            });
        }
        messages.push(ToGuest::Replay {
            operation,
            from: self.next,
        });
        if self.stdin {
            // An empty chunk at offset 0: the answer holds the stdin offset.
            messages.push(ToGuest::Stdin {
                operation,
                offset: 0,
                data: Vec::new(),
                eof: false,
            });
        }
        if self.cancelled {
            messages.push(ToGuest::Cancel { operation });
        }
        messages
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use roost_protocol::guest::ExitCause;
    use roost_protocol::output::StreamName;

    fn id() -> OperationId {
        "01939b5c-7c4e-7000-8000-000000000001".parse().unwrap()
    }

    fn data(offset: u64, text: &str) -> FromGuest {
        FromGuest::Output {
            operation: id(),
            piece: Piece::Data {
                stream: StreamName::Stdout,
                offset,
                data: text.as_bytes().to_vec(),
            },
        }
    }

    fn exited(output_end: u64) -> FromGuest {
        FromGuest::Exited {
            operation: id(),
            code: 0,
            cause: ExitCause::Exited,
            output_end,
            output_dropped: 0,
            duration_ms: 1,
        }
    }

    #[test]
    fn repeated_output_is_passed_once_and_overlaps_are_trimmed() {
        let mut resume = Resume::default();
        assert_eq!(
            resume.take(id(), data(0, "abc")),
            Verdict::Pass(data(0, "abc"))
        );
        assert_eq!(resume.take(id(), data(0, "abc")), Verdict::Drop);
        assert_eq!(
            resume.take(id(), data(1, "bcd")),
            Verdict::Pass(data(3, "d"))
        );
    }

    #[test]
    fn hole_is_requested_once_and_the_end_waits_for_it() {
        let mut resume = Resume::default();
        let ask = Verdict::Ask(ToGuest::Replay {
            operation: id(),
            from: 0,
        });
        assert_eq!(resume.take(id(), data(3, "d")), ask);
        assert_eq!(resume.take(id(), exited(4)), Verdict::Drop);
        assert_eq!(
            resume.take(id(), data(0, "abcd")),
            Verdict::Pass(data(0, "abcd"))
        );
        assert_eq!(resume.take(id(), exited(4)), Verdict::Pass(exited(4)));
        assert_eq!(resume.take(id(), exited(4)), Verdict::Drop);
    }

    #[test]
    fn unanswered_start_and_cancel_are_resent_after_a_reattach() {
        let mut resume = Resume::default();
        let start = ToGuest::Start {
            operation: id(),
            argv: vec!["true".to_owned()],
            cwd: "/".to_owned(),
            env: Default::default(),
            stdin: true,
            tty: None,
            deadline_ms: 1,
            stream_cap: 1,
        };
        resume.note_sent(&start);
        resume.note_sent(&ToGuest::Cancel { operation: id() });
        let again = resume.resend(id());
        assert_eq!(again[0], start);
        assert!(again.contains(&ToGuest::Cancel { operation: id() }));
        assert!(
            again
                .iter()
                .any(|message| matches!(message, ToGuest::Stdin { .. }))
        );
        resume.take(id(), FromGuest::Started { operation: id() });
        assert!(!resume.resend(id()).contains(&start));
        resume.take(id(), exited(0));
        assert!(resume.resend(id()).is_empty());
    }

    #[test]
    fn no_request_is_sent_for_an_operation_unknown_to_the_guest() {
        assert!(Resume::default().resend(id()).is_empty());
    }
}
