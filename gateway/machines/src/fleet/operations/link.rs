//! The connection to an engine: a machine's socket, or the executor in this process. Both carry the same messages.

use roost_protocol::frame::ToNode;
use roost_sandbox_driver::executor::ExecutorHandle;
use tokio::sync::mpsc;

/// A connection to one engine, for as long as it lasts.
#[derive(Debug, Clone)]
pub enum Link {
    /// The queue to the writer of a node's socket. It is bounded. A node that does not read fast enough is disconnected,
    /// because its messages must not be dropped.
    Socket(mpsc::Sender<Box<ToNode>>),
    /// The executor on this host.
    Local(ExecutorHandle),
}

/// The other end accepts no more messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the machine does not read the frames of the gateway")]
pub struct QueueFull;

impl Link {
    /// Sends a message.
    ///
    /// # Errors
    /// When the socket's queue is full or gone: the caller must close the connection.
    pub fn send(&self, message: ToNode) -> Result<(), QueueFull> {
        match self {
            Self::Socket(queue) => queue.try_send(Box::new(message)).map_err(|_| QueueFull),
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
