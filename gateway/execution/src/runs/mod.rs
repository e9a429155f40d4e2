//! Durable runs: a run is a row, an actor drives it, its steps are rows.
//!
//! Invariants:
//! * One statement claims runs. Each change of owner increases the epoch. Every write of an owner passes the fence
//!   (run, epoch, running, not cancelled). When the fence changes no row, the owner stops and discards its work.
//! * (run, step, lap, shard) is unique. A step's output and the begin of the next step are one transaction. A step with an
//!   output never runs again. A step that has begun continues from its journal.
//! * Each outside call has a key that is derived from its place in the run, so a repeat has the same key.
//! * A final status never changes. A child is inserted only under its parent's fence.
//!
//! Tables: `topology_runs` (what is read), `run_state` (what steps write), `run_owners`, `run_steps`, `run_calls`,
//! `run_children`, `run_waits`, `run_messages`, `run_handovers`, `run_graphs`, `run_model_use`. In the tree: `runs/claimer`, `runs/lease-renewer`, `runs/sweeper`,
//! `runs/waker`, and one actor for each live run below `runs/live`.

mod actor;
mod actor_attempts;
mod actor_end;
mod actor_handover;
mod actor_parking;
mod actor_stops;
mod children;
mod claimer;
mod commands;
mod comparison;
mod completion;
mod dto;
mod dto_fork;
mod dto_lists;
mod dto_live;
mod ends;
pub mod entity;
mod entity_links;
mod entry;
mod error;
mod fence;
mod handle;
mod handovers;
mod inbox;
mod journal;
mod lease_renewer;
pub mod limits;
mod listed;
mod listed_store;
mod message_store;
mod messages;
pub mod model;
mod notable_store;
mod of_mission_store;
mod open_calls;
pub mod origin;
mod outcome;
mod overdue;
mod parking;
pub mod pin_entity;
mod pins;
mod progress;
pub mod queue;
pub mod retention;
mod retry;
mod routes;
mod routes_live;
mod status_events;
mod step_executor;
mod step_files;
mod stops;
pub mod store;
mod stream;
mod subjects;
mod sums;
mod sweeper;
pub mod tree;
mod tree_store;
mod waits;
mod waker;
mod wakes;
mod writes;

pub use commands::text_of as result_text;
pub use commands::{
    New as NewRun, begin_as, cancel, cancel_of_agent, enqueue, pause, resume, start_in,
};
pub use dto::RunSummary;
pub use dto_lists::RunBrief;
pub use ends::{AfterRun, End};
pub use entity::call::Model as CallRow;
pub use entity::run::Model as RunRow;
pub use entity::step::Model as StepRow;
pub use entry::{
    Answer, CheckMade, ChildEnd, CommandMade, Compaction, DoorAnswer, Entry, EntryKind, NewEntry,
    Note, Said, Turn, Unreadable,
};
pub use error::{RunError, under};
pub use fence::{Fence, FenceError, Passed, Used};
pub use handle::{Parts, RunsHandle};
pub use journal::{Journal, JournalError, MOST_ENTRIES};
pub use limits::RunLimits;
pub use listed::Listed as ListedRun;
pub use listed_store::{Wanted as RunsWanted, last_of_teams, list};
pub use messages::Message as RunMessage;
pub use model::{Class, Kind, Status as RunStatus, StepStatus, Tier, effect_key, is_last, titled};
pub use notable_store::{EndedRun, WaitingRun, ended_since, waiting_for_machines};
pub use of_mission_store::{
    SaidInStep, SaidSince, UsedInRuns, commands_of, costs, listed, lively_of_mission, of_mission,
    said_since, used_in,
};
pub use open_calls::open_calls;
pub use origin::{Caller, Origin, OriginWord};
pub use outcome::{Decided, Evidence, Outcome};
pub use parking::lock_working;
pub use pins::is_pinned;
pub use progress::checks_of_step;
pub use routes::{router, summary};
pub use step_executor::{Effect, StepExecutor, StepJob, StepResult};
pub use store::{any_open, get as find, open_of_team, remove_all, spent_lately, steps};
pub use stream::router as stream_router;
pub use subjects::{Subject, Subjects};
pub use sums::{Summed, Sums, SumsBy, Times, all as sum_all, of as sums};
pub use tree_store::{tree as tree_of, turns as turns_of_tree};
pub use waits::{WaitOn, Waiting};
pub use wakes::RunWakes;
pub use writes::Lane;

use roost_platform::supervision::{AnyChild, SupervisorSpec};

/// The branch `runs`: the permanent workers, and the supervisor of the live runs.
pub fn branch(runs: &RunsHandle, live: AnyChild) -> SupervisorSpec {
    SupervisorSpec::new("runs")
        .serves("durable runs")
        .child(live)
        .child(lease_renewer::child(runs))
        .child(sweeper::child(runs))
        .child(waker::child(runs))
        .child(claimer::child(runs))
}
