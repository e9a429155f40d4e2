//! Listens on a socket that only listed users can reach: one task a connection, with a bound on connections.

use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use roost_secret_broker::wire::{Fault, FaultCode, FrameWriter, Greeting};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::session;
use super::{Broker, Peer};

/// Who can open the socket, before the kernel reports the peer's user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SocketAccess {
    /// Only this user: 0600 in 0700.
    Owner,
    /// Also the broker's group: 0660 in 0750. For a broker with its own user, whose group contains the gateway.
    Group,
}

/// Why the socket cannot be opened. Each message says what to do.
#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    #[error(
        "cannot create the socket {path}; its folder must be writable by the broker's user, and the path at most 107 bytes long"
    )]
    Bind {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("{path} exists and is not a socket; move it away")]
    NoSocket { path: PathBuf },
    #[error(
        "the folder {path} can be entered or changed by others on this machine (mode {mode:o}): `chmod 700 {path}`"
    )]
    OpenFolder { path: PathBuf, mode: u32 },
}

/// A listening socket.
pub struct Listener {
    socket: UnixListener,
    path: PathBuf,
}

impl Listener {
    /// Binds the socket and replaces one that a dead broker left. The store's lock proves that no other broker runs.
    ///
    /// # Errors
    /// See [`ListenError`].
    pub fn bind(path: &Path, access: SocketAccess) -> Result<Self, ListenError> {
        let (folder_mode, socket_mode) = match access {
            SocketAccess::Owner => (0o700, 0o600),
            SocketAccess::Group => (0o750, 0o660),
        };
        let failed = |source| ListenError::Bind {
            path: path.to_owned(),
            source,
        };
        if let Some(folder) = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty())
        {
            if !folder.exists() {
                crate::disk::make_private_folder(folder).map_err(failed)?;
                std::fs::set_permissions(folder, std::fs::Permissions::from_mode(folder_mode))
                    .map_err(failed)?;
            }
            let mode = std::fs::metadata(folder).map_err(failed)?.mode() & 0o777;
            if mode & !folder_mode != 0 {
                return Err(ListenError::OpenFolder {
                    path: folder.to_owned(),
                    mode,
                });
            }
        }
        match std::fs::symlink_metadata(path) {
            Ok(facts) if facts.file_type().is_socket() => {
                std::fs::remove_file(path).map_err(failed)?;
            }
            Ok(_) => {
                return Err(ListenError::NoSocket {
                    path: path.to_owned(),
                });
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(failed(error)),
        }
        // The process's umask blocks everybody else until the mode is set.
        let socket = UnixListener::bind(path).map_err(failed)?;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(socket_mode))
            .map_err(failed)?;
        Ok(Self {
            socket,
            path: path.to_owned(),
        })
    }

    /// Serves until `stop`; then running exchanges get `grace` to end.
    pub async fn serve(self, broker: Broker, stop: CancellationToken, grace: Duration) {
        let room = Arc::new(Semaphore::new(broker.limits.connections));
        let sessions = TaskTracker::new();
        loop {
            let accepted = tokio::select! {
                accepted = self.socket.accept() => accepted,
                () = stop.cancelled() => break,
            };
            match accepted {
                Ok((stream, _)) => {
                    let (broker, room, stop) = (broker.clone(), room.clone(), stop.clone());
                    sessions.spawn(async move { admit(broker, stream, room, stop).await });
                }
                Err(error) => {
                    tracing::warn!(%error, "the socket cannot accept a connection; check the limit of open files");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            }
        }
        drop(self.socket);
        // New clients find no socket and wait for the next broker.
        let _ = std::fs::remove_file(&self.path);
        sessions.close();
        if tokio::time::timeout(grace, sessions.wait()).await.is_err() {
            tracing::warn!("some exchanges did not end in time and were cancelled");
        }
    }
}

async fn admit(broker: Broker, stream: UnixStream, room: Arc<Semaphore>, stop: CancellationToken) {
    let credentials = match stream.peer_cred() {
        Ok(credentials) => credentials,
        Err(error) => {
            tracing::warn!(%error, "refused a peer: the kernel does not report its user");
            return;
        }
    };
    let user = credentials.uid();
    let Some(role) = broker.peers.role(user) else {
        tracing::warn!(
            user,
            process = credentials.pid(),
            "refused a user that is not listed"
        );
        let detail = format!(
            "user {user} may not use this broker: it serves the users it was started with (--allow)"
        );
        return turn_away(&broker, stream, Fault::new(FaultCode::Forbidden, detail)).await;
    };
    let Ok(_place) = room.try_acquire() else {
        let detail = "too many connections to the broker; try again";
        return turn_away(&broker, stream, Fault::new(FaultCode::Busy, detail)).await;
    };
    let peer = Peer {
        user,
        process: credentials.pid().unwrap_or(0),
        role,
    };
    broker.counters.connections.fetch_add(1, Ordering::Relaxed);
    let ended = session::run(&broker, peer, stream, &stop).await;
    broker.counters.connections.fetch_sub(1, Ordering::Relaxed);
    if let Err(error) = ended {
        tracing::debug!(error = %crate::egress::chain(&error), process = peer.process, "a connection broke");
    }
}

async fn turn_away(broker: &Broker, stream: UnixStream, fault: Fault) {
    let mut writer = FrameWriter::new(stream);
    // A refused peer that may not even read.
    let _ = writer
        .message(&Greeting::Refused(fault), broker.limits.greeting)
        .await;
}
