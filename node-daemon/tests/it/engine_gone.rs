//! A lost engine connection during a command: the command continues, and no output is missing.
use std::path::{Path, PathBuf};

use roost_protocol::control::Control;
use roost_protocol::frame::ToGateway;
use roost_protocol::frame::ToNode;
use roost_protocol::report::Terminal;
use tokio::net::{UnixListener, UnixStream};
use tokio::task::{JoinHandle, JoinSet};

use crate::gateway::Gateway;
use crate::sandbox::{Machine, Received, engine, sandbox, shell};

/// A proxy between the daemon and the real engine. Dropping it closes all its connections.
struct Between {
    path: PathBuf,
    task: JoinHandle<()>,
}

impl Between {
    fn start(path: &Path) -> Self {
        let listener = UnixListener::bind(path).expect("bound");
        let real = engine().trim_start_matches("unix://").to_owned();
        let task = tokio::spawn(async move {
            let mut lines = JoinSet::new();
            while let Ok((mut near, _)) = listener.accept().await {
                let real = real.clone();
                lines.spawn(async move {
                    if let Ok(mut far) = UnixStream::connect(real).await {
                        // Either end may close at any time.
                        drop(tokio::io::copy_bidirectional(&mut near, &mut far).await);
                    }
                });
            }
        });
        Self {
            path: path.to_owned(),
            task,
        }
    }
}

impl Drop for Between {
    fn drop(&mut self) {
        self.task.abort();
        let _ = std::fs::remove_file(&self.path);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn lost_engine_connection_during_exec_loses_no_output() {
    let mut gateway = Gateway::start().await;
    let folder = tempfile::tempdir().expect("a folder");
    let socket = folder.path().join("engine.sock");
    let between = Between::start(&socket);
    let mut machine = Machine::joined_with(&gateway, &format!("unix://{}", socket.display()));
    machine.daemon.run_with(&["--second-ms", "20"], &[]);
    let (mut peer, _) = gateway.session().await;
    let sandbox = sandbox(&mut peer).await;
    let command = shell(
        sandbox,
        "for n in $(seq 60); do echo $n; sleep 0.1; done; exit 5",
    );
    peer.send(ToNode::Operation(command.clone())).await;
    let mut said = Received::default();
    while said.next < 8 {
        let message = peer.frame().await.message;
        said.take(command.id, &message);
    }
    drop(between);
    // Long enough that the command writes while nobody reads.
    for _ in 0..2 {
        peer.until(|message| matches!(message, ToGateway::Heartbeat(_)).then_some(()))
            .await;
    }
    let _between = Between::start(&socket);
    peer.control(Control::Replay {
        operation: command.id,
        from: said.next,
    })
    .await;
    peer.follow(command.id, &mut said).await;
    assert_eq!(
        (said.state(), said.code()),
        (Some(Terminal::Done), Some(5)),
        "{said:?}"
    );
    let all: String = (1..=60).map(|n| format!("{n}\n")).collect();
    assert_eq!(said.text(), all);
    assert!(said.gaps.is_empty());
    machine.daemon.terminate();
}
