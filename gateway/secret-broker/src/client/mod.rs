//! Speaking to the broker: connections are pooled, each carries one exchange at a time.
//!
//! A broker that restarts is waited for a little. What was under way when it went is lost, and said so: whether a
//! forwarded request reached its remote cannot be known, so nothing is sent twice.

mod connection;
mod forward;
mod git;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::wire::{Answer, Fault, Frame, FrameError, Request, Saved};
use connection::Connection;

pub use forward::{Body, Forwarded};

/// How long a broker that does not listen is waited for: a restart takes less.
const RESTART: Duration = Duration::from_secs(3);
/// How often it is tried meanwhile.
const TRY_EVERY: Duration = Duration::from_millis(20);
/// Connections kept for the next exchange.
const KEPT: usize = 64;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    #[error(
        "the secret broker does not answer at {socket}; see that it runs, and that this user may open its socket"
    )]
    Down {
        socket: PathBuf,
        #[source]
        source: std::io::Error,
    },
    #[error("the secret broker and this program do not understand each other: {0}")]
    NotUnderstood(String),
    #[error(
        "the connection to the secret broker broke off; whether it did what was asked is not known"
    )]
    Lost(#[source] FrameError),
    #[error(transparent)]
    Refused(#[from] Fault),
    #[error("what is to be sent could not be read")]
    Source(#[source] std::io::Error),
}

/// A client of one broker. Cheap to clone.
#[derive(Clone)]
pub struct Client {
    shared: Arc<Shared>,
}

struct Shared {
    socket: PathBuf,
    program: String,
    idle: Mutex<Vec<Connection>>,
}

impl Client {
    /// A client of the broker at this socket. `program` is for the broker's log.
    pub fn new(socket: impl Into<PathBuf>, program: impl Into<String>) -> Self {
        Self {
            shared: Arc::new(Shared {
                socket: socket.into(),
                program: program.into(),
                idle: Mutex::default(),
            }),
        }
    }

    /// Where it listens.
    pub fn socket(&self) -> &Path {
        &self.shared.socket
    }

    /// One exchange without bodies. A fault of the broker is an error here.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn call(&self, request: &Request) -> Result<Answer, ClientError> {
        let mut connection = self.connection().await?;
        connection.send(request).await?;
        let answer = connection.answer().await?;
        self.give_back(connection);
        refused(answer)
    }

    /// The sealed records, piece by piece, and how many there are.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn backup(
        &self,
        mut take: impl FnMut(&[u8]) -> std::io::Result<()>,
    ) -> Result<Saved, ClientError> {
        let mut connection = self.connection().await?;
        connection.send(&Request::Backup).await?;
        expect(refused(connection.answer().await?)?, |answer| {
            matches!(answer, Answer::Backup).then_some(())
        })?;
        loop {
            match connection.frame().await? {
                Frame::Body(piece) => take(&piece).map_err(ClientError::Source)?,
                Frame::End => break,
                Frame::Message(_) => return Err(unexpected("a message inside a backup")),
            }
        }
        let answer = refused(connection.answer().await?)?;
        self.give_back(connection);
        saved(answer)
    }

    /// Replaces all records by those of a backup.
    ///
    /// # Errors
    /// See [`ClientError`]; nothing was changed when the broker refused.
    pub async fn restore(&self, from: impl std::io::Read) -> Result<Saved, ClientError> {
        let mut connection = self.connection().await?;
        connection.send(&Request::Restore).await?;
        connection.send_read(from).await?;
        let answer = refused(connection.answer().await?)?;
        self.give_back(connection);
        saved(answer)
    }

    /// One that is kept, or a new one; a broker that restarts is waited for.
    async fn connection(&self) -> Result<Connection, ClientError> {
        loop {
            let kept = self.idle().pop();
            match kept {
                Some(connection) if connection.is_open() => return Ok(connection),
                Some(_) => {}
                None => break,
            }
        }
        let until = Instant::now() + RESTART;
        loop {
            match Connection::open(&self.shared.socket, &self.shared.program).await {
                Err(ClientError::Down { source, .. })
                    if may_come_back(&source) && Instant::now() < until =>
                {
                    tokio::time::sleep(TRY_EVERY).await;
                }
                opened => return opened,
            }
        }
    }

    fn give_back(&self, connection: Connection) {
        let mut idle = self.idle();
        if idle.len() < KEPT {
            idle.push(connection);
        }
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Connection>> {
        self.shared
            .idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

fn may_come_back(error: &std::io::Error) -> bool {
    use std::io::ErrorKind;
    matches!(
        error.kind(),
        ErrorKind::NotFound
            | ErrorKind::ConnectionRefused
            | ErrorKind::ConnectionReset
            | ErrorKind::BrokenPipe
            | ErrorKind::UnexpectedEof
    )
}

fn refused(answer: Answer) -> Result<Answer, ClientError> {
    match answer {
        Answer::Failed(fault) => Err(fault.into()),
        answer => Ok(answer),
    }
}

fn saved(answer: Answer) -> Result<Saved, ClientError> {
    expect(answer, |answer| match answer {
        Answer::Saved(saved) => Some(saved),
        _ => None,
    })
}

/// The one answer that fits; any other is a broker that speaks differently.
///
/// # Errors
/// [`ClientError::NotUnderstood`].
pub fn expect<T>(answer: Answer, fits: impl FnOnce(Answer) -> Option<T>) -> Result<T, ClientError> {
    fits(answer).ok_or_else(|| unexpected("an answer to another question"))
}

fn unexpected(what: &str) -> ClientError {
    ClientError::NotUnderstood(format!(
        "it sent {what}; run the broker of the same release"
    ))
}
