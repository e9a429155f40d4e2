//! A gateway whose wall clock jumps while a run works: by an administrator, or after the machine slept.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Instant;

use chrono::{DateTime, TimeDelta, Utc};
use roost_execution::runs::StepResult;
use roost_gateway::app::Surroundings;
use roost_platform::clock::{Clock, SystemClock};
use roost_tests::{Gateway, ScratchPostgres, Store};

use super::crew::Crew;
use super::{line_of, over, started, steps};

/// The machine's clock, moved by some seconds.
#[derive(Debug, Default)]
struct Jumping(AtomicI64);

impl Clock for Jumping {
    fn now(&self) -> DateTime<Utc> {
        SystemClock.now() + TimeDelta::seconds(self.0.load(Ordering::SeqCst))
    }

    fn monotonic(&self) -> Instant {
        SystemClock.monotonic()
    }
}

#[tokio::test]
async fn run_works_on_once_and_keeps_its_order_when_the_clock_jumps() {
    let mut stores = vec![(Store::Sqlite, None)];
    if let Some(scratch) = ScratchPostgres::new().await {
        stores.push((Store::Postgres(scratch.url().to_owned()), Some(scratch)));
    }
    for (store, scratch) in stores {
        let clock = Arc::new(Jumping::default());
        let jumps = clock.clone();
        let crew = Crew::that(move |key, _| {
            // An hour ahead, then two hours back.
            match key {
                "second" => jumps.0.store(3_600, Ordering::SeqCst),
                "third" => jumps.0.store(-3_600, Ordering::SeqCst),
                _ => {}
            }
            Some(StepResult::Done(format!("{key} is done")))
        });
        let around = Surroundings {
            clock,
            step_executor: Some(Arc::new(crew.clone())),
            ..Surroundings::default()
        };
        let folder = tempfile::tempdir().expect("a folder");
        let set = [("sandboxes.local", "off"), ("runs.lease_seconds", "3")];
        let gateway = Gateway::start_in(folder, &store, &set, around).await;
        let gateway = gateway.expect("it starts");
        let owner = gateway.owner().await;
        let slots = ["first", "second", "third", "fourth"];
        let team = line_of(owner, &slots).await;
        let run = over(owner, &started(owner, &team).await).await;
        assert_eq!(run.body["status"], "completed", "{run:?}");
        let all_done = slots.map(|slot| format!("{slot} done"));
        assert_eq!(steps(&run), all_done);
        for slot in slots {
            assert_eq!(crew.begun(slot), 1, "{slot}");
        }
        // The times of a run are the database's, so none lies before an earlier one.
        let time = |pointer: &str| {
            let time = run.str(pointer).parse::<DateTime<Utc>>();
            time.unwrap_or_else(|error| panic!("{pointer}: {error}: {run:?}"))
        };
        let mut times = vec![time("/started_at")];
        for n in 0..slots.len() {
            times.push(time(&format!("/steps/{n}/started_at")));
            times.push(time(&format!("/steps/{n}/ended_at")));
        }
        times.push(time("/ended_at"));
        assert!(times.is_sorted(), "{times:?}");
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}
