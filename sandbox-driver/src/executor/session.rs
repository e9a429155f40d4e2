//! One attached session: where events go until another one is attached.
use std::sync::Arc;

use roost_protocol::report::{OperationReport, Report};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::event::{Event, Events};
use super::shared::Shared;
use super::stream;

/// Events that may wait for their reader; output beyond that waits on disk.
const EVENT_BUFFER: usize = 32;

/// The sending end of a session.
#[derive(Clone)]
pub struct Session {
    sender: mpsc::Sender<Event>,
    over: CancellationToken,
}

impl Session {
    /// Hands an event over; waits while the reader is slow, gives up when the session is over. False when it is.
    pub async fn tell(&self, event: Event) -> bool {
        tokio::select! {
            sent = self.sender.send(event) => sent.is_ok(),
            () = self.over.cancelled() => false,
        }
    }

    /// Ends the session: its [`Events`] end.
    pub fn end(&self) {
        self.over.cancel();
    }

    /// Resolves when nobody reads any more.
    pub async fn closed(&self) {
        tokio::select! {
            () = self.sender.closed() => {}
            () = self.over.cancelled() => {}
        }
    }
}

/// Begins a session: the earlier one ends, every stream waits for its replay, and what the gateway may have missed is
/// said again: what is under way, and every end that was not acknowledged.
pub fn attach(shared: &Arc<Shared>) -> Events {
    let (sender, receiver) = mpsc::channel(EVENT_BUFFER);
    let over = CancellationToken::new();
    let session = Session {
        sender,
        over: over.clone(),
    };
    let streams: Vec<_> = {
        let mut desk = shared.desk();
        if let Some(earlier) = desk.session.replace(session.clone()) {
            earlier.end();
        }
        // Ended ones are asked for again if they are still wanted.
        let live: Vec<_> = desk.live.keys().copied().collect();
        desk.streams.retain(|id, _| live.contains(id));
        desk.streams.values().cloned().collect()
    };
    for stream in streams {
        stream.detach();
        stream::pump(shared, stream, session.clone());
    }
    let again = Arc::clone(shared);
    shared.tasks.spawn(async move {
        for (operation, report) in missed(&again) {
            if !session
                .tell(Event::Report(OperationReport { operation, report }))
                .await
            {
                return;
            }
        }
    });
    Events::new(receiver, over)
}

fn missed(shared: &Shared) -> Vec<(roost_protocol::ids::OperationId, Report)> {
    let desk = shared.desk();
    let live = desk
        .live
        .iter()
        .filter(|(_, live)| live.accepted)
        .map(|(id, live)| (*id, live.answer()));
    let mut out: Vec<_> = live.collect();
    let book = shared.ledger.book();
    out.extend(
        book.unacknowledged()
            .map(|(id, ended)| (id, Report::Ended(ended.clone()))),
    );
    out
}
