//! One attached session: the target of events until another one is attached.
use std::sync::Arc;

use roost_protocol::report::{OperationReport, Report};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::event::{Event, Events};
use super::shared::Shared;
use super::stream;

/// Events that may wait for their reader. Further output waits on disk.
const EVENT_BUFFER: usize = 32;

/// The sending end of a session.
#[derive(Clone)]
pub struct Session {
    sender: mpsc::Sender<Event>,
    over: CancellationToken,
}

impl Session {
    /// Sends an event; waits while the reader is slow. Returns false when the session is over.
    pub async fn send(&self, event: Event) -> bool {
        tokio::select! {
            sent = self.sender.send(event) => sent.is_ok(),
            () = self.over.cancelled() => false,
        }
    }

    /// Ends the session: its [`Events`] end.
    pub fn end(&self) {
        self.over.cancel();
    }

    /// Resolves when the reader is gone.
    pub async fn closed(&self) {
        tokio::select! {
            () = self.sender.closed() => {}
            () = self.over.cancelled() => {}
        }
    }
}

/// Starts a session. The earlier one ends, every stream waits for its replay, and everything that the gateway may have
/// missed is sent again: operations in flight and unacknowledged ends.
pub fn attach(shared: &Arc<Shared>) -> Events {
    let (sender, receiver) = mpsc::channel(EVENT_BUFFER);
    let over = CancellationToken::new();
    let session = Session {
        sender,
        over: over.clone(),
    };
    let streams: Vec<_> = {
        let mut in_flight = shared.in_flight();
        if let Some(earlier) = in_flight.session.replace(session.clone()) {
            earlier.end();
        }
        for live in in_flight.live.values_mut() {
            live.replay = None;
        }
        // The gateway requests streams of ended operations again if it still wants them.
        let live: Vec<_> = in_flight.live.keys().copied().collect();
        in_flight.streams.retain(|id, _| live.contains(id));
        in_flight.streams.values().cloned().collect()
    };
    for stream in streams {
        stream.detach();
        stream::pump(shared, stream, session.clone());
    }
    let again = Arc::clone(shared);
    shared.tasks.spawn(async move {
        for (operation, report) in missed(&again) {
            if !session
                .send(Event::Report(OperationReport { operation, report }))
                .await
            {
                return;
            }
        }
    });
    Events::new(receiver, over)
}

fn missed(shared: &Shared) -> Vec<(roost_protocol::ids::OperationId, Report)> {
    let in_flight = shared.in_flight();
    let live = in_flight
        .live
        .iter()
        .filter(|(_, live)| live.accepted)
        .map(|(id, live)| (*id, live.answer()));
    let mut out: Vec<_> = live.collect();
    let index = shared.ledger.index();
    out.extend(
        index
            .unacknowledged()
            .map(|(id, ended)| (id, Report::Ended(ended.clone()))),
    );
    out
}
