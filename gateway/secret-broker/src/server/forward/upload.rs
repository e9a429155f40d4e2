//! The request's body on its way to the remote, and the peer's presence.

use std::convert::Infallible;
use std::io;

use bytes::Bytes;
use roost_secret_broker::wire::{Frame, FrameError, Patience};
use tokio::sync::mpsc;

use crate::server::session::Reader;

/// What is still to come from the peer.
pub(super) struct Upload {
    /// `None` when there is no body, when it is whole, or when nobody wants it any more.
    to: Option<mpsc::Sender<io::Result<Bytes>>>,
    /// Its end has not come.
    open: bool,
    bytes: u64,
    most: u64,
}

impl Upload {
    pub(super) fn new(to: Option<mpsc::Sender<io::Result<Bytes>>>, most: u64) -> Self {
        Self {
            open: to.is_some(),
            to,
            bytes: 0,
            most,
        }
    }

    /// Passes the body on, then waits for the peer to leave; ends only when it did, or broke a rule. Can be dropped at
    /// any await: at most one piece is lost, of a body that nobody wants any more.
    pub(super) async fn watch(&mut self, reader: &mut Reader, body: Patience) -> FrameError {
        let Err(gone) = self.watched(reader, body).await;
        gone
    }

    async fn watched(
        &mut self,
        reader: &mut Reader,
        body: Patience,
    ) -> Result<Infallible, FrameError> {
        // Once the body is whole, silence is what is expected.
        let silence = Patience { idle: None, ..body };
        loop {
            let patience = if self.open { body } else { silence };
            match reader.next(patience).await? {
                Some(Frame::Body(piece)) if self.open => self.pass(piece).await,
                Some(Frame::End) if self.open => {
                    self.open = false;
                    self.to = None;
                }
                Some(_) => return Err(FrameError::CutOff),
                None => return Err(FrameError::CutOff),
            }
        }
    }

    async fn pass(&mut self, piece: Bytes) {
        self.bytes += piece.len() as u64;
        let Some(to) = &self.to else { return };
        let piece = if self.is_too_large() {
            Err(io::Error::other("the body is too large"))
        } else {
            Ok(piece)
        };
        let last = piece.is_err();
        // The remote may have answered without wanting the rest.
        if to.send(piece).await.is_err() || last {
            self.to = None;
        }
    }

    /// Whether more came than may.
    pub(super) fn is_too_large(&self) -> bool {
        self.bytes > self.most
    }

    /// Takes the rest of the body and throws it away; `false` when it is more than one waits for.
    pub(super) async fn drain(
        &mut self,
        reader: &mut Reader,
        body: Patience,
    ) -> Result<bool, FrameError> {
        self.to = None;
        while self.open {
            match reader.next(body).await? {
                Some(Frame::Body(piece)) => {
                    self.bytes += piece.len() as u64;
                    if self.bytes > 2 * self.most {
                        return Ok(false);
                    }
                }
                Some(Frame::End) => self.open = false,
                _ => return Ok(false),
            }
        }
        Ok(true)
    }
}
