//! Streams the request's body to the remote, and watches whether the peer is still there.

use std::convert::Infallible;
use std::io;

use bytes::Bytes;
use roost_secret_broker::wire::{Frame, FrameError, Patience};
use tokio::sync::mpsc;

use crate::server::session::Reader;

/// The part of the body that the peer has not sent yet.
pub(super) struct Upload {
    /// `None` without a body, after its end, or when the remote no longer reads it.
    to: Option<mpsc::Sender<io::Result<Bytes>>>,
    /// The end frame has not arrived.
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

    /// Passes the body on, then waits for the peer to disconnect. Ends only when the peer disconnects or breaks the
    /// protocol. It can be dropped at any await: at most one piece is lost, of a body that is no longer needed.
    pub(super) async fn watch(&mut self, reader: &mut Reader, body: Patience) -> FrameError {
        let Err(gone) = self.watched(reader, body).await;
        gone
    }

    async fn watched(
        &mut self,
        reader: &mut Reader,
        body: Patience,
    ) -> Result<Infallible, FrameError> {
        // After the whole body, silence is expected.
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
        // The remote may have answered without reading the rest.
        if to.send(piece).await.is_err() || last {
            self.to = None;
        }
    }

    /// Whether more bytes came than allowed.
    pub(super) fn is_too_large(&self) -> bool {
        self.bytes > self.most
    }

    /// Reads and discards the rest of the body; `false` when it is too long to wait for.
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
