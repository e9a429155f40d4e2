//! One connection: the greeting, then exchanges.

use std::io::{self, Read};
use std::path::Path;
use std::time::Duration;

use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};

use super::{ClientError, unexpected};
use crate::wire::{
    Answer, Frame, FrameError, FrameReader, FrameWriter, Greeting, Hello, MAX_BODY_FRAME, Patience,
    Request, VERSION, decode,
};

/// A bound for a broker that hangs. The broker has its own limits and answers when they are reached.
const ANSWER: Patience = Patience {
    idle: Some(Duration::from_secs(16 * 60)),
    frame: Duration::from_secs(60),
};
const GREETING: Patience = Patience {
    idle: Some(Duration::from_secs(10)),
    frame: Duration::from_secs(10),
};

/// A connection after its greeting.
pub(super) struct Connection {
    reader: FrameReader<OwnedReadHalf>,
    writer: FrameWriter<OwnedWriteHalf>,
    /// Used only to check whether the connection is still open.
    stream: StreamProbe,
}

/// A second handle of the socket, for checks beside its reader.
struct StreamProbe(std::os::fd::OwnedFd);

impl Connection {
    pub(super) async fn open(socket: &Path, program: &str) -> Result<Self, ClientError> {
        let down = |source| ClientError::Down {
            socket: socket.to_owned(),
            source,
        };
        let stream = UnixStream::connect(socket).await.map_err(down)?;
        let probe = std::os::fd::AsFd::as_fd(&stream)
            .try_clone_to_owned()
            .map_err(down)?;
        let (reader, writer) = stream.into_split();
        let mut connection = Self {
            reader: FrameReader::new(reader),
            writer: FrameWriter::new(writer),
            stream: StreamProbe(probe),
        };
        let hello = Hello {
            oldest: VERSION,
            newest: VERSION,
            program: program.to_owned(),
        };
        let lost = |error| match error {
            FrameError::Io(source) => down(source),
            other => ClientError::Lost(other),
        };
        connection
            .writer
            .message(&hello, GREETING)
            .await
            .map_err(lost)?;
        // A stopping broker closes the connection without an answer. Treat it as not started yet.
        let frame = connection.reader.next(GREETING).await.map_err(lost)?;
        let Some(Frame::Message(message)) = frame else {
            return Err(down(io::ErrorKind::UnexpectedEof.into()));
        };
        match decode(&message).map_err(ClientError::Lost)? {
            Greeting::Welcome(welcome) if welcome.version == VERSION => Ok(connection),
            Greeting::Welcome(_) => Err(unexpected("a version that was not offered")),
            Greeting::Refused(fault) => Err(fault.into()),
        }
    }

    /// Whether the broker has neither closed the connection nor sent anything unasked.
    pub(super) fn is_open(&self) -> bool {
        use rustix::net::RecvFlags;
        let mut byte = [0_u8; 1];
        let peeked = rustix::net::recv(
            &self.stream.0,
            &mut byte,
            RecvFlags::PEEK | RecvFlags::DONTWAIT,
        );
        matches!(peeked, Err(rustix::io::Errno::AGAIN))
    }

    pub(super) async fn send(&mut self, request: &Request) -> Result<(), ClientError> {
        match self.writer.message(request, ANSWER).await {
            Err(error @ (FrameError::TooLarge { .. } | FrameError::Encode(_))) => {
                Err(ClientError::NotUnderstood(error.to_string()))
            }
            sent => sent.map_err(ClientError::Lost),
        }
    }

    pub(super) async fn send_piece(&mut self, piece: &[u8]) -> Result<(), ClientError> {
        self.writer
            .body(piece, ANSWER)
            .await
            .map_err(ClientError::Lost)
    }

    pub(super) async fn send_end(&mut self) -> Result<(), ClientError> {
        self.writer.end(ANSWER).await.map_err(ClientError::Lost)
    }

    pub(super) async fn send_read(&mut self, mut from: impl Read) -> Result<(), ClientError> {
        let mut buffer = vec![0; MAX_BODY_FRAME];
        loop {
            let count = from.read(&mut buffer).map_err(ClientError::Source)?;
            if count == 0 {
                return self.send_end().await;
            }
            self.send_piece(&buffer[..count]).await?;
        }
    }

    pub(super) async fn frame(&mut self) -> Result<Frame, ClientError> {
        let frame = self.reader.next(ANSWER).await.map_err(ClientError::Lost)?;
        frame.ok_or(ClientError::Lost(FrameError::CutOff))
    }

    pub(super) async fn answer(&mut self) -> Result<Answer, ClientError> {
        match self.frame().await? {
            Frame::Message(message) => decode(&message).map_err(ClientError::Lost),
            _ => Err(unexpected("a body without its answer")),
        }
    }
}
