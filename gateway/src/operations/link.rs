//! What an engine is reached by: a machine's socket, or the executor in this process. The same messages either way.

use roost_protocol::frame::ToNode;
use roost_sandbox_driver::executor::ExecutorHandle;
use tokio::sync::mpsc;

/// One way to one engine, for as long as one connection lasts.
#[derive(Debug, Clone)]
pub enum Link {
    /// To the writer of a node's socket. Bounded: a node that does not read fast enough is cut off, since what it must
    /// hear cannot be dropped.
    Socket(mpsc::Sender<ToNode>),
    /// To the executor on this host.
    Local(ExecutorHandle),
}

/// The other end does not take more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the machine does not read what it is sent")]
pub struct Clogged;

impl Link {
    /// Hands a message over.
    ///
    /// # Errors
    /// When the socket's queue is full or gone: the connection is to be given up.
    pub fn send(&self, message: ToNode) -> Result<(), Clogged> {
        match self {
            Self::Socket(queue) => queue.try_send(message).map_err(|_| Clogged),
            Self::Local(executor) => {
                match message {
                    ToNode::Operation(request) => executor.operation(request),
                    ToNode::Control(control) => executor.control(control),
                    // A session within one process needs no greeting.
                    ToNode::Welcome(_) | ToNode::Refused(_) | ToNode::Unknown => {}
                }
                Ok(())
            }
        }
    }
}
