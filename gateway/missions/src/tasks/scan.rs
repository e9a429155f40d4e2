//! Reads what was said in the runs of a mission, and finds the markers in it.

use sea_orm::{ConnectionTrait, DbErr};

use super::parser::{self, Mark};
use roost_execution::runs::{self, SaidInStep};
use roost_platform::ids::{ClawId, MissionId, MissionPhaseId, RunId};
use roost_tenancy::auth::WorkspaceScope;

/// The entries that one statement reads.
const PAGE: u64 = 500;

/// A marker with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    pub phase: MissionPhaseId,
    pub run: RunId,
    /// The step, as a link to the run's page names it.
    pub step: String,
    /// The step, the entry of its journal and the line. It is unique in the run.
    pub place: String,
    pub agent: Option<ClawId>,
    pub mark: Mark,
    pub at_ms: i64,
}

/// What a scan found.
#[derive(Debug, Default)]
pub struct Scan {
    /// Oldest first.
    pub found: Vec<Found>,
    /// The time of the newest text that was read. The next scan begins here, less an overlap.
    pub until_ms: i64,
}

/// The markers of texts that were said since a time, in the runs of a mission. A run without a mission has none.
///
/// # Errors
/// When the database fails.
pub async fn scan(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    mission: MissionId,
    since_ms: i64,
) -> Result<Scan, DbErr> {
    let lively = runs::lively_of_mission(db, scope, mission, since_ms, MOST_RUNS).await?;
    let lively: Vec<(RunId, MissionPhaseId)> = lively
        .iter()
        .filter_map(|run| Some((run.id, run.mission_phase_id?)))
        .collect();
    let ids: Vec<RunId> = lively.iter().map(|(run, _)| *run).collect();
    let mut scan = Scan {
        until_ms: since_ms,
        ..Scan::default()
    };
    let mut most = PAGE;
    loop {
        let read = runs::said_since(db, &ids, scan.until_ms, most).await?;
        for said in &read.said {
            let phase = lively.iter().find(|(run, _)| *run == said.run);
            if let Some((_, phase)) = phase {
                scan.found.extend(found_in(said, *phase));
            }
        }
        // More than a page in one instant: a larger page gets past it.
        let stands = read.until_ms == scan.until_ms;
        most = if stands { most * 2 } else { PAGE };
        scan.until_ms = read.until_ms;
        if !read.more {
            return Ok(scan);
        }
    }
}

/// The maximum number of runs that are read: a statement takes no more ids.
const MOST_RUNS: u64 = 20_000;

fn found_in(said: &SaidInStep, phase: MissionPhaseId) -> impl Iterator<Item = Found> + '_ {
    let step = format!("{}#{}.{}", said.step, said.lap, said.shard);
    parser::marks(&said.text).into_iter().map(move |mark| {
        let entry = match said.idx {
            Some(idx) => idx.to_string(),
            None => "output".to_owned(),
        };
        Found {
            phase,
            run: said.run,
            place: format!("{step}/{entry}:{}", mark.line),
            step: match said.lap {
                1 => said.step.clone(),
                lap => format!("{}#{lap}", said.step),
            },
            agent: said.agent,
            mark,
            at_ms: said.at_ms,
        }
    })
}
