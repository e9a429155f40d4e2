//! The branch `missions` of the tree. The renderer of PDFs is in `pdfs.rs`. The scheduler starts an actor for each live mission that no gateway drives.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::{MissionsContext, driver, pdfs, store};
use roost_platform::ids::MissionId;
use roost_platform::supervision::{
    ActorKind, AnyChild, ChildSpec, Failure, NoMessages, Nudge, Restart, StartError,
    SupervisorSpec, Tenant,
};
use roost_tenancy::auth::WorkspaceScope;

/// How often missions are looked for without a nudge: another gateway may have launched or lost one.
const PERIOD: Duration = Duration::from_secs(2);
/// The maximum number of live missions.
const MOST_LIVE: u64 = 5_000;

/// The branch: the scheduler, the renderer, and the supervisor of the actors.
pub fn branch(state: &MissionsContext, live: AnyChild) -> SupervisorSpec {
    SupervisorSpec::new("missions")
        .serves("missions and their phases")
        .child(live)
        .child(child(state))
        .child(pdfs::child(state))
}

fn child(state: &MissionsContext) -> ChildSpec<NoMessages> {
    let nudge: Nudge = state.handle.scheduler().clone();
    let state = state.clone();
    let forgot = Arc::new(AtomicBool::new(false));
    ChildSpec::periodic("scheduler", ActorKind::Worker, PERIOD, &nudge, move |_| {
        let (state, forgot) = (state.clone(), forgot.clone());
        async move {
            if !forgot.load(Ordering::Relaxed) {
                store::forget_leases(&state.db, state.handle.owner()).await?;
                forgot.store(true, Ordering::Relaxed);
            }
            start_all(&state).await
        }
    })
    .serves("missions that no gateway drives")
}

async fn start_all(state: &MissionsContext) -> Result<(), Failure> {
    let here: HashSet<String> = state.handle.live().living().into_iter().collect();
    let live = store::live(state.db.read(), MOST_LIVE).await?;
    let free: Vec<store::Live> = live
        .into_iter()
        .filter(|(id, ..)| !here.contains(&name_of(*id)))
        .collect();
    if free.is_empty() {
        return Ok(());
    }
    let elsewhere = store::driven_elsewhere(&state.db, state.handle.owner(), &free).await?;
    for (id, workspace, title) in free {
        if elsewhere.contains(&id) {
            continue;
        }
        let drives = state.clone();
        let scope = WorkspaceScope::of_row(workspace);
        let spec = ChildSpec::worker(name_of(id), ActorKind::Mission, move |cx| {
            driver::drive(drives.clone(), scope, id, cx)
        })
        .tenant(Tenant::new(workspace))
        .restart(Restart::Transient)
        .serves(title);
        match state.handle.live().start_child(spec).await {
            // The previous actor of the mission is about to end. The next pass starts one.
            Ok(_) | Err(StartError::NameTaken { .. }) => {}
            Err(error) => {
                tracing::warn!(error = &error as &dyn std::error::Error, mission = %id, "a mission's actor did not start; the next pass tries again");
            }
        }
    }
    Ok(())
}

fn name_of(id: MissionId) -> String {
    format!("mission:{id}")
}
