//! One reader of an operation's output: from any offset, at its own pace, to the end.

use std::sync::Arc;

use futures::Stream;
use roost_protocol::report::Ended;

use super::kept::KeptOutput;
use super::line::{EngineCall, Line};
use super::live::{Live, Next};
use super::ring::Part;
use roost_platform::clock::SharedClock;
use roost_platform::ids::OperationId;
use roost_platform::promises::Watch;

/// What a reader gets, in order.
#[derive(Debug, Clone, PartialEq)]
pub enum OutputItem {
    /// Bytes, or the mark of a gap.
    Part(Part),
    /// The end: once, and last.
    Ended(Arc<Ended>),
}

/// A reader. It leaves when it is dropped.
#[derive(Debug)]
pub struct OutputStream {
    live: Arc<Live>,
    line: Option<Line>,
    clock: SharedClock,
    reader: u64,
    at: u64,
    over: bool,
    /// Bytes that the machine may not have any more.
    kept: KeptOutput,
}

impl OutputStream {
    pub(super) fn new(live: Arc<Live>, line: Option<Line>, clock: SharedClock, from: u64) -> Self {
        let reader = live.enter(from, clock.monotonic());
        Self {
            live,
            line,
            clock,
            reader,
            at: from,
            over: false,
            kept: KeptOutput::default(),
        }
    }

    /// Fills gaps with what the gateway has kept.
    pub(super) fn with_kept(mut self, kept: KeptOutput) -> Self {
        self.kept = kept;
        self
    }

    /// The next part; `None` after the end. `None` without an end means that another gateway holds the machine now, and
    /// the reader must read the rest there. Cancel-safe.
    pub async fn next(&mut self) -> Option<OutputItem> {
        if self.over {
            return None;
        }
        loop {
            let live = Arc::clone(&self.live);
            let changed = live.changed();
            tokio::pin!(changed);
            changed.as_mut().enable();
            let (next, nudge) = live.read(self.reader, self.at, self.clock.monotonic());
            if nudge {
                self.nudge();
            }
            match next {
                Next::Part(part) => {
                    let part = match part {
                        Part::Gap { from, to } => self.kept.fill(from, to),
                        part => part,
                    };
                    watch(&part, self.at, self.live.id);
                    self.at = part.end();
                    return Some(OutputItem::Part(part));
                }
                Next::Ended(ended) => {
                    self.over = true;
                    return Some(OutputItem::Ended(ended));
                }
                Next::Elsewhere => {
                    self.over = true;
                    return None;
                }
                Next::Nothing => changed.await,
            }
        }
    }

    /// The same as a [`Stream`].
    pub fn into_stream(self) -> impl Stream<Item = OutputItem> + Send {
        futures::stream::unfold(self, |mut this| async move {
            let heard = this.next().await?;
            Some((heard, this))
        })
    }

    fn nudge(&self) {
        if let Some(line) = &self.line {
            // An actor that restarts checks all its operations anyway.
            let _ = line.post(EngineCall::Nudge(self.live.id));
        }
    }
}

/// Checks a reader's part: it must begin at the reader's offset, and missing bytes must be marked (P3).
fn watch(part: &Part, at: u64, operation: OperationId) {
    if part.start() != at {
        Watch::SilentHole.note(&operation);
    }
    if matches!(part, Part::Gap { .. }) {
        Watch::GapMarked.note(&operation);
    }
}

impl Drop for OutputStream {
    fn drop(&mut self) {
        self.live.leave(self.reader);
        // Credit may have waited for this reader.
        self.nudge();
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use roost_protocol::output::StreamName;
    use uuid::Uuid;

    use super::*;

    #[test]
    fn a_hole_breaks_p3_only_when_nothing_marks_it() {
        let operation = OperationId(Uuid::from_u128(1));
        let data = |offset| Part::Data {
            stream: StreamName::Stdout,
            offset,
            data: Bytes::from_static(b"out"),
        };
        // The counters belong to the process; no other unit test notes these two.
        let counts = || (Watch::SilentHole.count(), Watch::GapMarked.count());
        watch(&data(7), 7, operation);
        assert_eq!(counts(), (0, 0));
        watch(&Part::Gap { from: 7, to: 9 }, 7, operation);
        assert_eq!(counts(), (0, 1));
        watch(&data(9), 7, operation);
        assert_eq!(counts(), (1, 1));
    }
}
