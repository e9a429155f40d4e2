//! Missions: a goal, phases in an order, and the teams that work on them.
//!
//! Invariants:
//! * A launch is one transaction: its teams exist completely, or the mission is still a draft.
//! * One supervised actor drives each live mission. It writes only while it has the mission's lease, so two gateways
//!   never drive one mission twice. It may die at any line: what comes next follows from the rows alone.
//! * Nothing automatic leaves an end. A phase that failed pauses its mission, and a person decides.
//! * The end of a phase follows from the outcomes of its runs, not only from their statuses.
//! * A phase that ends gets its summary card in the same transaction.
//! * A mission that ends gets its report as PDF: the artifact is pending in the same transaction, and the renderer makes it.
//!
//! Tables: `missions`, `mission_phases`, `mission_phase_runs`, `mission_teams`. In the tree: `missions/scheduler`,
//! `missions/pdf-renderer`, and one actor for each live mission below `missions/live`.

mod commands;
mod context;
mod decide;
mod driver;
mod dto;
mod dto_plan;
pub mod entity;
mod error;
mod facts;
mod handle;
mod input;
pub mod model;
mod notable_store;
mod pdfs;
mod plan;
mod read;
mod recurrence;
mod report;
mod routes;
mod runtime;
mod sandbox_facts;
mod scheduler;
mod store;
mod touch;

pub use commands::{Launch, create_in, launch_in, templates_are_there};
pub use context::MissionsContext;
pub use dto::NewMission;
pub use entity::mission::Model as MissionRow;
pub use error::MissionError;
pub use facts::phase_kind;
pub use handle::{MissionsHandle, Parts};
pub use model::{RuntimeState, Status as MissionStatus};
pub use notable_store::{NotableMission, attempts, notable_since};
pub use recurrence::Recurrence;
pub use routes::router;
pub use runtime::{MissionRuntime, runtime_of};
pub use sandbox_facts::{SandboxWish, lock_live, pin_of_team, sandbox_wish, titles};
pub use scheduler::branch;
pub use store::{
    after_runs, get as find, in_flight, remove_all, runs_of, teams_of, teams_of_earlier,
};
pub use touch::{announce_card, begin_removal};
