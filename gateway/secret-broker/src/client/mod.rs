//! The client of the broker: connections are pooled, and each carries one exchange at a time.
//!
//! The client waits briefly for a broker that restarts. An exchange that was under way then fails with an error: the
//! client cannot know whether a forwarded request reached its remote, so it sends nothing twice.

mod branches;
mod connection;
mod files;
mod forward;
mod git;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::wire::{Answer, Fault, Frame, FrameError, Request, Saved};
use connection::Connection;

pub use forward::{Body, Forwarded, Pieces};

/// How long the client waits for a broker that does not listen. A restart takes less.
const RESTART: Duration = Duration::from_secs(3);
/// Time between two attempts to connect.
const TRY_EVERY: Duration = Duration::from_millis(20);
/// Most idle connections in the pool.
const KEPT: usize = 64;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    #[error(
        "the secret broker does not answer at {socket}; check that it runs, and that this user may open its socket"
    )]
    Down {
        socket: PathBuf,
        #[source]
        source: std::io::Error,
    },
    #[error("the secret broker and this program use different protocols: {0}")]
    NotUnderstood(String),
    #[error(
        "the connection to the secret broker broke; it is unknown whether the request was carried out"
    )]
    Lost(#[source] FrameError),
    #[error(transparent)]
    Refused(#[from] Fault),
    #[error("cannot read the data to send")]
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
    /// A client of the broker at this socket. The broker logs `program`.
    pub fn new(socket: impl Into<PathBuf>, program: impl Into<String>) -> Self {
        Self {
            shared: Arc::new(Shared {
                socket: socket.into(),
                program: program.into(),
                idle: Mutex::default(),
            }),
        }
    }

    /// Path of the broker's socket.
    pub fn socket(&self) -> &Path {
        &self.shared.socket
    }

    /// One exchange without bodies. Returns the broker's fault as an error.
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

    /// Streams the sealed records; returns how many there are.
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

    /// Replaces all records with the records of a backup.
    ///
    /// # Errors
    /// See [`ClientError`]. Nothing is changed when the broker refuses.
    pub async fn restore(&self, from: impl std::io::Read) -> Result<Saved, ClientError> {
        let mut connection = self.connection().await?;
        connection.send(&Request::Restore).await?;
        connection.send_read(from).await?;
        let answer = refused(connection.answer().await?)?;
        self.give_back(connection);
        saved(answer)
    }

    /// A pooled connection or a new one; waits for a broker that restarts.
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

/// Unpacks the expected answer. Any other answer means that the broker uses another protocol.
///
/// # Errors
/// [`ClientError::NotUnderstood`].
pub fn expect<T>(answer: Answer, fits: impl FnOnce(Answer) -> Option<T>) -> Result<T, ClientError> {
    fits(answer).ok_or_else(|| unexpected("an answer to another request"))
}

fn unexpected(what: &str) -> ClientError {
    ClientError::NotUnderstood(format!(
        "it sent {what}; run the broker of the same release"
    ))
}
