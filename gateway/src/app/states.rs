//! What the routes of each domain need, and the layers around them.

use std::sync::Arc;

use super::work::Work;
use super::{Shared, catalogue, hosts, identity, toolbox};
use crate::domains::apps::routes::AppsState;
use crate::domains::auth::AuthError;
use crate::domains::auth::hosted::Hosted;
use crate::domains::claws::avatar::Pictures;
use crate::domains::claws::routes::ClawsState;
use crate::domains::doors::routes::DoorsState;
use crate::domains::fleet::routes::FleetState;
use crate::domains::live::routes::LiveState;
use crate::domains::operator::Lately;
use crate::domains::operator::routes::OperatorState;
use crate::domains::sandboxes::SandboxesHandle;
use crate::domains::teams::routes::TeamsState;
use crate::domains::workspaces::routes::WorkspacesState;
use crate::http::idempotency::IdempotencyLayer;
use crate::http::observe::Observer;
use crate::http::router::{Layers, States};

pub(super) fn without_slash(url: &url::Url) -> Arc<str> {
    url.as_str().trim_end_matches('/').into()
}

pub(super) fn states(
    shared: &Shared<'_>,
    fleet: FleetState,
    sandboxes: SandboxesHandle,
    work: &Work,
    hosted: Option<Hosted>,
) -> Result<States, AuthError> {
    let (config, plans) = (shared.config, Arc::new(shared.config.plans.clone()));
    let (db, clock, ids) = (shared.db, shared.clock, shared.ids);
    let claws = ClawsState {
        db: db.clone(),
        clock: clock.clone(),
        ids: ids.clone(),
        plans: plans.clone(),
        sagas: shared.saga_nudge.clone(),
        pictures: Pictures::default(),
    };
    Ok(States {
        auth: identity::state(shared, hosted)?,
        workspaces: WorkspacesState {
            db: db.clone(),
            clock: clock.clone(),
            ids: ids.clone(),
            plans: plans.clone(),
            streams: shared.open_streams.clone(),
            sagas: shared.saga_nudge.clone(),
            public_url: config.public_url.as_ref().map(without_slash),
        },
        apps: AppsState {
            db: db.clone(),
            clock: clock.clone(),
            ids: ids.clone(),
            broker: shared.broker.clone(),
            outbound: shared.outbound.clone(),
            oauth: config.oauth.clone(),
            credentials: shared.credential_nudge.clone(),
            kill_points: shared.kill_points.clone(),
        },
        audit: db.clone(),
        claws: claws.clone(),
        doors: DoorsState {
            db: db.clone(),
            clock: clock.clone(),
            ids: ids.clone(),
            apps: shared.apps.clone(),
            keeper: shared.door_nudge.clone(),
        },
        live: LiveState {
            db: db.clone(),
            hub: shared.hub.clone(),
            live: shared.live.clone(),
        },
        operator: OperatorState {
            db: db.clone(),
            clock: clock.clone(),
            ids: ids.clone(),
            metrics: crate::telemetry::metrics(),
            draining: shared.draining.clone(),
            jobs: shared.handles.operations.clone(),
            live: shared.live.clone(),
            lately: Lately::default(),
            broker: shared.broker.clone(),
            needs_broker: config.broker.start || config.broker.socket.is_some(),
            hosted: config.auth.clone().map(Arc::new),
            kill_points: shared.kill_points.clone(),
            view: shared.view.clone(),
        },
        fleet,
        sandboxes,
        repos: hosts::repos(shared),
        mesh: hosts::mesh(shared),
        models: hosts::models(shared),
        tools: toolbox::state(shared, work.agents.tools.clone()),
        runs: work.runs.clone(),
        runtime: work.agents.clone(),
        teams: TeamsState {
            db: db.clone(),
            ids: ids.clone(),
            claws: claws.clone(),
            runs: work.runs.clone(),
        },
        skills: catalogue::skills(shared),
        templates: catalogue::templates(shared),
    })
}

pub(super) fn layers(shared: &Shared<'_>, hosted: Option<Hosted>) -> Layers {
    let (config, clock, ids) = (shared.config, shared.clock, shared.ids);
    Layers {
        observer: Observer {
            ids: ids.clone(),
            clock: clock.clone(),
        },
        auth: identity::layer(shared, hosted),
        idempotency: IdempotencyLayer {
            db: shared.db.clone(),
            clock: clock.clone(),
            ids: ids.clone(),
            kill_points: shared.kill_points.clone(),
            body_limit: config.limits.body,
        },
        body_limit: config.limits.body,
        tls: config.is_behind_tls(),
        body_grace: config.limits.body_grace,
    }
}
