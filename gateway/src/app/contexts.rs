//! The contexts of each domain's routes, and the layers around them.

use std::sync::Arc;

use super::links::AgentsLeft;
use super::work::Work;
use super::{Shared, catalogue, hosts, identity, toolbox};
use crate::edge::activity::ActivityContext;
use crate::edge::operator::{OperatorContext, SnapshotCache};
use crate::edge::public_address::PublicAddressContext;
use crate::edge::run_use::RunUseContext;
use crate::edge::server::router::{Contexts, Layers};
use roost_agents::claws::ClawsContext;
use roost_connections::apps::AppsContext;
use roost_connections::checkouts::CheckoutsContext;
use roost_execution::models::Resolver;
use roost_machines::fleet::FleetContext;
use roost_machines::images::ImagesContext;
use roost_machines::sandboxes::{ChunkStore, SandboxesHandle};
use roost_missions::levelups::{InFlight, LevelUpsContext};
use roost_missions::missions::MissionsContext;
use roost_missions::routines::{OfMissions, RoutinesContext};
use roost_missions::world::WorldContext;
use roost_organisation::agent_skills::AgentSkillsContext;
use roost_organisation::teams::TeamsContext;
use roost_runtime::{Agents, RuntimeContext};
use roost_tenancy::auth::AuthError;
use roost_tenancy::auth::hosted::Hosted;
use roost_tenancy::streams::LiveContext;
use roost_tenancy::workspaces::WorkspacesContext;
use roost_web::idempotency::IdempotencyLayer;
use roost_web::observe::Observer;
use roost_web::picture::Pictures;

pub(super) fn without_slash(url: &url::Url) -> Arc<str> {
    url.as_str().trim_end_matches('/').into()
}

pub(super) fn contexts(
    shared: &Shared<'_>,
    fleet: FleetContext,
    (sandboxes, images, chunks): (SandboxesHandle, ImagesContext, ChunkStore),
    work: &Work,
    hosted: Option<Hosted>,
) -> Result<Contexts, AuthError> {
    let (config, plans) = (shared.config, Arc::new(shared.config.plans.clone()));
    let (db, clock, ids) = (shared.db, shared.clock, shared.ids);
    let claws = ClawsContext {
        db: db.clone(),
        clock: clock.clone(),
        ids: ids.clone(),
        plans: plans.clone(),
        sagas: shared.saga_nudge.clone(),
        pictures: Pictures::default(),
        sandboxes: Arc::new(sandboxes.clone()),
    };
    let teams = TeamsContext {
        db: db.clone(),
        ids: ids.clone(),
        claws: claws.clone(),
        runs: work.runs.clone(),
        checkouts: work.agents.checkouts.clone(),
        sandboxes: sandboxes.clone(),
    };
    let streams = LiveContext {
        db: db.clone(),
        hub: shared.hub.clone(),
        live: shared.live.clone(),
    };
    let missions = MissionsContext {
        db: db.clone(),
        clock: clock.clone(),
        ids: ids.clone(),
        teams: teams.clone(),
        handle: work.missions.clone(),
        summarizer: config.summarizer_model.as_deref().map(Into::into),
        recurrence: Arc::new(OfMissions(work.routines.clone())),
        credentials: hosts::credentials(shared),
        runtime_boot: config.limits.runtime_boot,
        pdf: config.pdf_program(),
    };
    Ok(Contexts {
        auth: identity::state(shared, hosted)?,
        workspaces: WorkspacesContext {
            db: db.clone(),
            clock: clock.clone(),
            ids: ids.clone(),
            new_plan: match &config.auth {
                Some(auth) if auth.admission.per_signup_workspace => plans.signup.as_str().into(),
                _ => plans.default.as_str().into(),
            },
            plans: plans.clone(),
            streams: shared.open_streams.clone(),
            sagas: shared.saga_nudge.clone(),
            departures: Arc::new(AgentsLeft),
            public_url: config.public_url.as_ref().map(without_slash),
            mail: shared.mail(),
            behind_tls: config.is_behind_tls(),
            public_address: shared.public_address.clone(),
        },
        apps: AppsContext {
            db: db.clone(),
            clock: clock.clone(),
            ids: ids.clone(),
            broker: shared.broker.clone(),
            outbound: shared.outbound.clone(),
            oauth: config.oauth.clone(),
            credentials: hosts::credentials(shared),
            kill_points: shared.kill_points.clone(),
        },
        activity: ActivityContext {
            db: db.clone(),
            operations: fleet.fleet.operations().clone(),
        },
        audit: db.clone(),
        claws: claws.clone(),
        checkouts: CheckoutsContext {
            db: db.clone(),
            ..work.agents.checkouts.clone()
        },
        doors: hosts::doors(shared, work.agents.checkouts.clone()),
        live: streams.clone(),
        run_streams: streams,
        operator: OperatorContext {
            db: db.clone(),
            clock: clock.clone(),
            ids: ids.clone(),
            metrics: roost_platform::telemetry::metrics(),
            draining: shared.draining.clone(),
            jobs: shared.handles.operations.clone(),
            live: shared.live.clone(),
            snapshots: SnapshotCache::default(),
            broker: shared.broker.clone(),
            needs_broker: config.broker.start || config.broker.socket.is_some(),
            chunks,
            hosted: config.auth.clone().map(Arc::new),
            kill_points: shared.kill_points.clone(),
            view: shared.view.clone(),
        },
        fleet,
        images,
        sandboxes: sandboxes.clone(),
        repos: hosts::repos(shared),
        mesh: hosts::mesh(shared),
        uploads: hosts::uploads(shared),
        models: hosts::models(shared),
        tools: toolbox::state(shared, work.agents.tools.clone()),
        runs: work.runs.clone(),
        public_address: PublicAddressContext {
            db: db.clone(),
            own_address: shared.public_address.own.clone(),
        },
        run_use: RunUseContext {
            db: db.clone(),
            clock: clock.clone(),
        },
        runtime: RuntimeContext {
            agents: Agents {
                db: db.clone(),
                ..work.agents.clone()
            },
            runs: work.runs.clone(),
            clock: clock.clone(),
        },
        routines: RoutinesContext {
            db: db.clone(),
            clock: clock.clone(),
            ids: ids.clone(),
            missions: missions.clone(),
            handle: work.routines.clone(),
        },
        world: WorldContext {
            db: db.clone(),
            hub: shared.hub.clone(),
            live: shared.live.clone(),
        },
        missions,
        teams,
        skills: catalogue::skills(shared),
        agent_skills: AgentSkillsContext {
            db: shared.db.clone(),
        },
        templates: catalogue::templates(shared, sandboxes),
        levelups: LevelUpsContext {
            db: db.clone(),
            clock: clock.clone(),
            ids: ids.clone(),
            models: Resolver {
                db: db.clone(),
                ..work.agents.models.clone()
            },
            model: config.level_up_model.as_deref().map(Into::into),
            in_flight: InFlight::default(),
            kill_points: shared.kill_points.clone(),
        },
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
