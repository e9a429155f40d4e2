//! The executor's output, in the channel's own types.
use roost_protocol::control::ControlReply;
use roost_protocol::frame::ToGateway;
use roost_protocol::inventory::Inventory;
use roost_protocol::output::OutputChunk;
use roost_protocol::report::OperationReport;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// A message for the gateway.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    Report(OperationReport),
    Output(OutputChunk),
    Reply(ControlReply),
    /// Sent when sandboxes or operations changed without a request.
    Inventory(Inventory),
}

impl From<Event> for ToGateway {
    fn from(event: Event) -> Self {
        match event {
            Event::Report(report) => Self::Report(report),
            Event::Output(chunk) => Self::Output(chunk),
            Event::Reply(reply) => Self::Reply(reply),
            Event::Inventory(inventory) => Self::Inventory(inventory),
        }
    }
}

/// The events of one attached session. A later attach ends this one.
#[derive(Debug)]
pub struct Events {
    receiver: mpsc::Receiver<Event>,
    over: CancellationToken,
}

impl Events {
    pub(super) fn new(receiver: mpsc::Receiver<Event>, over: CancellationToken) -> Self {
        Self { receiver, over }
    }

    /// The next event; `None` after another session was attached or the executor stopped. Cancel-safe.
    pub async fn next(&mut self) -> Option<Event> {
        tokio::select! {
            biased;
            () = self.over.cancelled() => None,
            event = self.receiver.recv() => event,
        }
    }
}
