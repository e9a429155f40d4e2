//! The daemon's end of the control socket.
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use roost_sandbox_driver::executor::ExecutorHandle;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio_util::sync::CancellationToken;

use super::message::{Answer, Request, Status};
use crate::channel::reconnect::LinkView;
use crate::state::{Identity, StateFolder};

/// Longest request, bytes.
const MOST: u64 = 4096;
/// How long a client may take to send its request.
const ASK_TIME: Duration = Duration::from_secs(5);

/// Answers the owner's requests.
#[derive(Clone)]
pub struct Server {
    pub state: StateFolder,
    pub identity: Identity,
    pub executor: ExecutorHandle,
    pub link: LinkView,
    pub stop: CancellationToken,
}

impl Server {
    /// Binds the socket and replaces one that a dead daemon left. The state folder's lock proves that no other daemon
    /// runs.
    ///
    /// # Errors
    /// The file system's error.
    pub fn bind(state: &StateFolder) -> io::Result<UnixListener> {
        let path = state.socket();
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let listener = UnixListener::bind(&path)?;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600))?;
        Ok(listener)
    }

    /// Serves until the daemon stops.
    pub async fn serve(self, listener: UnixListener) {
        loop {
            let stream = tokio::select! {
                accepted = listener.accept() => accepted,
                () = self.stop.cancelled() => return,
            };
            match stream {
                Ok((stream, _)) => {
                    let server = self.clone();
                    tokio::spawn(async move {
                        if let Err(error) = server.answer(stream).await {
                            tracing::debug!(%error, "a client of the control socket disconnected");
                        }
                    });
                }
                Err(error) => {
                    tracing::warn!(%error, "the control socket cannot accept a connection");
                    tokio::time::sleep(Duration::from_secs(1)).await;
                }
            }
        }
    }

    async fn answer(&self, mut stream: UnixStream) -> io::Result<()> {
        let (reader, mut writer) = stream.split();
        let mut line = String::new();
        let mut reader = BufReader::new(reader.take(MOST));
        tokio::time::timeout(ASK_TIME, reader.read_line(&mut line))
            .await
            .map_err(|_| io::ErrorKind::TimedOut)??;
        let answer = match serde_json::from_str(&line) {
            Ok(request) => self.obey(request).await,
            Err(error) => Answer::Failed {
                detail: format!("invalid request: {error}"),
            },
        };
        let mut text = serde_json::to_vec(&answer)?;
        text.push(b'\n');
        writer.write_all(&text).await?;
        if matches!(answer, Answer::Left { .. }) {
            self.stop.cancel();
        }
        Ok(())
    }

    async fn obey(&self, request: Request) -> Answer {
        match request {
            Request::Status => Answer::Status(Box::new(self.status().await)),
            Request::Pause => self.pause(true).await,
            Request::Resume => self.pause(false).await,
            Request::Leave => match self.executor.remove_everything().await {
                Ok(sandboxes) => Answer::Left { sandboxes },
                Err(error) => Answer::Failed {
                    detail: error.detail,
                },
            },
        }
    }

    async fn pause(&self, on: bool) -> Answer {
        // The disk comes first: a crash between the two must not lose the owner's choice.
        match self.state.set_paused(on) {
            Ok(()) => {
                self.executor.pause(on).await;
                Answer::Done
            }
            Err(error) => Answer::Failed {
                detail: error.to_string(),
            },
        }
    }

    async fn status(&self) -> Status {
        Status {
            daemon_version: env!("CARGO_PKG_VERSION").into(),
            node_id: self.identity.node_id.to_string(),
            workspace: self.identity.workspace_name.clone(),
            gateway: self.identity.gateway.clone(),
            link: self.link.get(),
            executor: self.executor.status().await,
        }
    }
}
