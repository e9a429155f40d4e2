//! The running minute of each machine, in memory. A sample is added when its heartbeat is written. A minute that is over
//! is returned until the caller confirms that it is stored.

use std::collections::HashMap;

use super::model::{self, Minute, Sums};
use crate::fleet::sample::Sample;
use roost_platform::ids::NodeId;

/// Minutes that wait while the store fails. Older ones are dropped, so that memory stays bounded.
const MOST_WAITING_MINUTES: i64 = 10;

/// Samples by machine and minute.
#[derive(Debug, Default)]
pub(in crate::fleet) struct Gathered(HashMap<(NodeId, i64), Sums>);

impl Gathered {
    /// Adds one sample of a machine to this minute.
    pub(in crate::fleet) fn add(&mut self, node: NodeId, minute: i64, sample: &Sample) {
        let sums = self.0.entry((node, minute)).or_default();
        sums.add(&model::values(sample));
    }

    /// The minutes that are over at `now`, to be written.
    pub(in crate::fleet) fn over(&mut self, now: i64) -> Vec<(NodeId, Minute)> {
        let before = self.0.len();
        // A clock that was set back leaves minutes of the future: they are over, too.
        self.0
            .retain(|(_, minute), _| (now - minute).abs() <= MOST_WAITING_MINUTES);
        let given_up = before - self.0.len();
        if given_up > 0 {
            metrics::counter!("roost_node_history_given_up_total").increment(given_up as u64);
        }
        self.0
            .iter()
            .filter(|((_, minute), _)| *minute != now)
            .map(|((node, minute), sums)| {
                let minute = Minute {
                    minute: *minute,
                    samples: sums.samples(),
                    values: sums.averages(),
                };
                (*node, minute)
            })
            .collect()
    }

    /// Removes minutes that are stored.
    pub(in crate::fleet) fn written(&mut self, minutes: &[(NodeId, Minute)]) {
        for (node, minute) in minutes {
            self.0.remove(&(*node, minute.minute));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use roost_platform::clock::SystemClock;
    use roost_platform::ids::{UuidV7, fresh};

    fn cpu(cpu_pct: f32) -> Sample {
        Sample {
            cpu_pct: Some(cpu_pct),
            ..Sample::default()
        }
    }

    #[test]
    fn a_minute_is_handed_out_once_it_is_over_and_until_it_was_written() {
        let node: NodeId = fresh(&UuidV7::shared(SystemClock::shared()));
        let mut gathered = Gathered::default();
        gathered.add(node, 5, &cpu(10.0));
        gathered.add(node, 5, &cpu(20.0));
        assert!(gathered.over(5).is_empty(), "it still runs");
        let over = gathered.over(6);
        assert_eq!(over.len(), 1);
        assert_eq!((over[0].1.samples, over[0].1.values[0]), (2, Some(15.0)));
        assert_eq!(
            gathered.over(6),
            over,
            "the store refused: it is handed out again"
        );
        gathered.written(&over);
        assert!(gathered.over(6).is_empty());
    }

    #[test]
    fn a_store_that_refuses_for_long_does_not_fill_the_memory() {
        let node: NodeId = fresh(&UuidV7::shared(SystemClock::shared()));
        let mut gathered = Gathered::default();
        for minute in 0..100 {
            gathered.add(node, minute, &cpu(1.0));
            gathered.over(minute);
        }
        assert!(gathered.0.len() <= 11, "{}", gathered.0.len());
    }
}
