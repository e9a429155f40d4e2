//! Forwards: the request's body is sent in pieces, and the answer arrives in pieces.

use std::io;

use bytes::Bytes;
use futures::stream::{BoxStream, StreamExt};

use super::connection::Connection;
use super::{Client, ClientError, expect, refused, unexpected};
use crate::wire::{Answer, Forward, Frame, Request, decode};

/// What to send.
#[derive(Default)]
pub enum Body {
    #[default]
    None,
    Whole(Bytes),
    Stream(BoxStream<'static, io::Result<Bytes>>),
}

/// A remote's answer. Dropping it early makes the broker abort the request.
pub struct Forwarded {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pieces: Pieces,
}

/// A body that arrives in pieces. Dropping it early makes the broker abort the work.
pub struct Pieces {
    client: Client,
    connection: Option<Connection>,
}

impl Client {
    /// Sends a request. The broker adds the record's credential.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn forward(
        &self,
        mut forward: Forward,
        body: Body,
    ) -> Result<Forwarded, ClientError> {
        forward.body = !matches!(body, Body::None);
        if let Body::Whole(bytes) = &body {
            forward.body_length = Some(bytes.len() as u64);
        }
        let mut connection = self.connection().await?;
        connection.send(&Request::Forward(forward)).await?;
        match body {
            Body::None => {}
            Body::Whole(bytes) => {
                connection.send_piece(&bytes).await?;
                connection.send_end().await?;
            }
            Body::Stream(mut stream) => {
                while let Some(piece) = stream.next().await {
                    connection
                        .send_piece(&piece.map_err(ClientError::Source)?)
                        .await?;
                }
                connection.send_end().await?;
            }
        }
        let head = match refused(connection.answer().await?) {
            Ok(answer) => expect(answer, |answer| match answer {
                Answer::Head(head) => Some(head),
                _ => None,
            })?,
            Err(fault) => {
                self.give_back(connection);
                return Err(fault);
            }
        };
        Ok(Forwarded {
            status: head.status,
            headers: head.headers,
            pieces: Pieces::new(self, connection),
        })
    }
}

impl Forwarded {
    /// The next piece of the body; `None` at its end.
    ///
    /// # Errors
    /// See [`ClientError`]. The remote may also break off in the middle.
    pub async fn piece(&mut self) -> Result<Option<Bytes>, ClientError> {
        self.pieces.piece().await
    }

    /// The whole body, up to `most` bytes.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn whole(&mut self, most: usize) -> Result<Vec<u8>, ClientError> {
        self.pieces.whole(most).await
    }
}

impl Pieces {
    pub(super) fn new(client: &Client, connection: Connection) -> Self {
        Self {
            client: client.clone(),
            connection: Some(connection),
        }
    }

    /// The next piece of the body; `None` at its end.
    ///
    /// # Errors
    /// See [`ClientError`]. The remote may also break off in the middle.
    pub async fn piece(&mut self) -> Result<Option<Bytes>, ClientError> {
        let Some(connection) = &mut self.connection else {
            return Ok(None);
        };
        let frame = connection.frame().await;
        match frame {
            Ok(Frame::Body(piece)) => Ok(Some(piece)),
            Ok(Frame::End) => {
                if let Some(connection) = self.connection.take() {
                    self.client.give_back(connection);
                }
                Ok(None)
            }
            Ok(Frame::Message(message)) => {
                self.connection = None;
                match decode(&message).map_err(ClientError::Lost)? {
                    Answer::Failed(fault) => Err(fault.into()),
                    _ => Err(unexpected("a message inside a body")),
                }
            }
            Err(error) => {
                self.connection = None;
                Err(error)
            }
        }
    }

    /// The whole body, up to `most` bytes.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn whole(&mut self, most: usize) -> Result<Vec<u8>, ClientError> {
        let mut all = Vec::new();
        while let Some(piece) = self.piece().await? {
            if all.len() + piece.len() > most {
                self.connection = None;
                return Err(ClientError::Source(io::Error::other(format!(
                    "the answer is over {most} bytes"
                ))));
            }
            all.extend_from_slice(&piece);
        }
        Ok(all)
    }
}
