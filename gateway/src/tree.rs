//! The supervision tree as data: every static child, its restart policy, its order. Starts go downwards, stops upwards.
//!
//! ```text
//! roost
//! ├─ foundation   saga driver · retention
//! └─ http         operator listener · public listener (last up, first down)
//! ```

use std::time::Duration;

use crate::domains::claws::purge::SagaDriver;
use crate::http::serve::{self, Listener};
use crate::supervision::{ActorKind, ChildSpec, Nudge, SupervisorSpec};

/// What the tree is made of.
pub struct Parts {
    pub sagas: SagaDriver,
    pub saga_nudge: Nudge,
    pub public: Listener,
    pub operator: Listener,
}

/// Without a nudge the sagas are looked at this often: another replica may have written.
const SAGA_PERIOD: Duration = Duration::from_secs(5);

/// The root and all that is always there.
pub fn root(parts: Parts) -> SupervisorSpec {
    SupervisorSpec::new("roost")
        .child(foundation(&parts))
        .child(http(parts))
}

fn foundation(parts: &Parts) -> SupervisorSpec {
    let sagas = parts.sagas.clone();
    SupervisorSpec::new("foundation")
        .serves("what everything else rests on")
        .child(ChildSpec::periodic(
            "saga-driver",
            ActorKind::SagaDriver,
            SAGA_PERIOD,
            &parts.saga_nudge,
            move |_| {
                let sagas = sagas.clone();
                async move {
                    while sagas.one_step().await? {}
                    Ok(())
                }
            },
        ))
}

fn http(parts: Parts) -> SupervisorSpec {
    SupervisorSpec::new("http")
        .serves("the listeners")
        .child(serve::child(
            "operator",
            ActorKind::OperatorListener,
            parts.operator,
        ))
        .child(serve::child(
            "public",
            ActorKind::HttpListener,
            parts.public,
        ))
}
