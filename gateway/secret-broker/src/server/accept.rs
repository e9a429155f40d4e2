//! Listening: a socket that only listed users reach, one task a connection, a bound on how many.

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

/// Who can reach the socket, before the kernel is asked who they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SocketAccess {
    /// This user alone: 0600 in 0700.
    Owner,
    /// The broker's group as well: 0660 in 0750. For a broker with a user of its own, whose group the gateway is in.
    Group,
}

/// Why nothing listens. Each says what to do.
#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    #[error(
        "the socket {path} cannot be made; its folder must be writable by the broker's user, and the path at most 107 bytes long"
    )]
    Bind {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("{path} is there and is no socket; move it away")]
    NoSocket { path: PathBuf },
    #[error(
        "the folder {path} can be entered or changed by others on this machine (mode {mode:o}): `chmod 700 {path}`"
    )]
    OpenFolder { path: PathBuf, mode: u32 },
}

/// A socket that is listened on.
pub struct Listener {
    socket: UnixListener,
    path: PathBuf,
}

impl Listener {
    /// Binds it. One that a dead broker left is replaced: the store's lock says that it is dead.
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
        // The process's umask lets nobody in before the mode is set.
        let socket = UnixListener::bind(path).map_err(failed)?;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(socket_mode))
            .map_err(failed)?;
        Ok(Self {
            socket,
            path: path.to_owned(),
        })
    }

    /// Serves until `stop`; then exchanges under way get `grace` to end.
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
                    tracing::warn!(%error, "the socket cannot accept; is the limit of open files reached?");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            }
        }
        drop(self.socket);
        // Whoever comes now is told by the missing socket, and waits for the next broker.
        let _ = std::fs::remove_file(&self.path);
        sessions.close();
        if tokio::time::timeout(grace, sessions.wait()).await.is_err() {
            tracing::warn!("some exchanges did not end in time and are broken off");
        }
    }
}

async fn admit(broker: Broker, stream: UnixStream, room: Arc<Semaphore>, stop: CancellationToken) {
    let credentials = match stream.peer_cred() {
        Ok(credentials) => credentials,
        Err(error) => {
            tracing::warn!(%error, "a peer whose user the kernel does not tell is turned away");
            return;
        }
    };
    let user = credentials.uid();
    let Some(role) = broker.peers.role(user) else {
        tracing::warn!(
            user,
            process = credentials.pid(),
            "a user that is not listed was turned away"
        );
        let told = format!(
            "user {user} may not use this broker: it serves the users it was started with (--allow)"
        );
        return turn_away(&broker, stream, Fault::new(FaultCode::Forbidden, told)).await;
    };
    let Ok(_place) = room.try_acquire() else {
        let told = "too many connections to the broker; try again";
        return turn_away(&broker, stream, Fault::new(FaultCode::Busy, told)).await;
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
        tracing::debug!(error = %crate::egress::chain(&error), process = peer.process, "a connection was cut off");
    }
}

async fn turn_away(broker: &Broker, stream: UnixStream, fault: Fault) {
    let mut writer = FrameWriter::new(stream);
    // Somebody who is turned away and does not even listen.
    let _ = writer
        .message(&Greeting::Refused(fault), broker.limits.greeting)
        .await;
}
