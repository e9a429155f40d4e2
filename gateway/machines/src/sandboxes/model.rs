//! Pure rules of sandboxes: states and their transitions, the place of a new one, and the quota.
//!
//! ```text
//!              provisioned            destroy asked
//! provisioning ───────────▶ running ───────────────▶ destroying ──▶ (row becomes destroyed)
//!      │ failed                │ gone       ▲              │ machine deleted or never answers
//!      ▼                       ▼            │ seen again   ▼
//!   failed                  stopped        lost ◀──────────┘
//! ```
//! A sandbox is *live* (it counts against the quota and blocks a second one for its agent) from the request until the
//! gateway knows that it is gone.

use serde::{Deserialize, Serialize};

use crate::fleet::Availability;
pub use roost_agents::claws::SandboxState as State;
use roost_platform::ids::NodeId;

/// An event in the life of a sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fact {
    /// The machine created it.
    Provisioned,
    /// The machine could not create it; nothing of it remains.
    ProvisionFailed,
    /// Its end was requested.
    DestroyAsked,
    /// The machine removed it, or does not know it.
    Removed,
    /// The container ended without a request.
    Gone,
    /// Its machine was deleted and removed it before it left.
    RemovedWithMachine,
    /// Its machine was deleted, or will never answer.
    MachineLost,
    /// The inventory of a machine that was away contains it.
    SeenRunning,
}

/// The state after a fact; `None` when the fact changes nothing (late, repeated or meaningless here).
pub fn after(state: State, fact: Fact) -> Option<State> {
    use Fact as F;
    use State as S;
    match (state, fact) {
        (S::Provisioning, F::Provisioned | F::SeenRunning) | (S::Lost, F::SeenRunning) => {
            Some(S::Running)
        }
        (S::Provisioning, F::ProvisionFailed | F::Removed) => Some(S::Failed),
        (S::Running, F::Gone | F::Removed) => Some(S::Stopped),
        (S::Provisioning | S::Running | S::Stopped | S::Lost, F::DestroyAsked) => {
            Some(S::Destroying)
        }
        (S::Destroying, F::Removed | F::Gone | F::ProvisionFailed) => Some(S::Destroyed),
        (S::Lost | S::Stopped, F::Removed) => Some(S::Destroyed),
        (
            S::Provisioning | S::Running | S::Stopped | S::Lost | S::Destroying,
            F::RemovedWithMachine,
        ) => Some(S::Destroyed),
        (S::Provisioning | S::Running | S::Destroying, F::MachineLost) => Some(S::Lost),
        _ => None,
    }
}

/// The quota's change for a change of state: +1 takes a place, -1 gives one back.
pub fn quota_step(from: Option<State>, to: State) -> i64 {
    i64::from(to.live()) - i64::from(from.is_some_and(State::live))
}

/// The placement setting of a workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Setting {
    Local,
    Node(NodeId),
}

impl Setting {
    /// Parses the machine of a request or a team: `local`, or a node's id.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "local" => Some(Self::Local),
            id => id.parse().ok().map(Self::Node),
        }
    }
}

/// The state of the machine that the setting names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Machine {
    /// Connected and not suspect.
    pub connected: bool,
    pub draining: bool,
    pub paused: bool,
}

impl Machine {
    /// From what is known of the machine.
    pub fn of(node: &Availability) -> Self {
        Self {
            connected: node.connected,
            draining: node.draining,
            paused: node.paused,
        }
    }
}

/// Where a new sandbox goes, and why it did not go to the wanted machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placement {
    pub node: Option<NodeId>,
    pub fallback: Option<Fallback>,
}

/// Why a sandbox went to the gateway's own host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fallback {
    pub wanted: NodeId,
    pub reason: Reason,
}

/// All reasons.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = FallbackReason)]
pub enum Reason {
    NodeOffline,
    NodeDraining,
    NodePaused,
    NodeDeleted,
}

impl Reason {
    /// The word in the store and in the API.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NodeOffline => "node_offline",
            Self::NodeDraining => "node_draining",
            Self::NodePaused => "node_paused",
            Self::NodeDeleted => "node_deleted",
        }
    }
}

/// Decides where a new sandbox goes. `machine` is `None` when the named machine does not exist any more.
///
/// An agent with a recorded container never comes here: it keeps its machine.
pub fn place(setting: Setting, machine: Option<Machine>) -> Placement {
    let Setting::Node(wanted) = setting else {
        return Placement {
            node: None,
            fallback: None,
        };
    };
    let reason = match machine {
        None => Some(Reason::NodeDeleted),
        Some(machine) if machine.draining => Some(Reason::NodeDraining),
        Some(machine) if !machine.connected => Some(Reason::NodeOffline),
        Some(machine) if machine.paused => Some(Reason::NodePaused),
        Some(_) => None,
    };
    match reason {
        None => Placement {
            node: Some(wanted),
            fallback: None,
        },
        Some(reason) => Placement {
            node: None,
            fallback: Some(Fallback { wanted, reason }),
        },
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn any_fact() -> impl Strategy<Value = Fact> {
        proptest::sample::select(vec![
            Fact::Provisioned,
            Fact::ProvisionFailed,
            Fact::DestroyAsked,
            Fact::Removed,
            Fact::Gone,
            Fact::RemovedWithMachine,
            Fact::MachineLost,
            Fact::SeenRunning,
        ])
    }

    proptest! {
        #[test]
        fn a_sandbox_takes_and_gives_back_exactly_one_place(facts in proptest::collection::vec(any_fact(), 0..40)) {
            let mut state = State::Provisioning;
            let mut taken = quota_step(None, state);
            for fact in facts {
                if let Some(next) = after(state, fact) {
                    taken += quota_step(Some(state), next);
                    state = next;
                }
                prop_assert_eq!(taken, i64::from(state.live()));
            }
        }

        #[test]
        fn what_has_ended_never_comes_back(facts in proptest::collection::vec(any_fact(), 0..20)) {
            for end in [State::Destroyed, State::Failed] {
                for fact in &facts {
                    prop_assert_eq!(after(end, *fact), None);
                }
            }
        }

        #[test]
        fn asking_twice_for_the_end_is_asking_once(first in any_fact()) {
            if let Some(state) = after(State::Running, first)
                && let Some(destroying) = after(state, Fact::DestroyAsked)
            {
                prop_assert_eq!(after(destroying, Fact::DestroyAsked), None);
            }
        }
    }

    #[test]
    fn states_are_stored_under_their_names() {
        for state in State::ALL {
            assert_eq!(State::parse(state.as_str()), Some(state));
        }
        assert_eq!(State::parse("else"), None);
    }

    #[test]
    fn a_machine_is_named_by_its_id_or_as_local_and_by_nothing_else() {
        let node = NodeId(uuid::Uuid::from_u128(7));
        assert_eq!(Setting::parse("local"), Some(Setting::Local));
        assert_eq!(Setting::parse(&node.to_string()), Some(Setting::Node(node)));
        for word in ["", "Local", "local ", "../local", "machine:7"] {
            assert_eq!(Setting::parse(word), None, "{word:?}");
        }
    }

    #[test]
    fn placement_falls_back_to_local_with_its_reason() {
        let node = NodeId(uuid::Uuid::from_u128(7));
        let up = Machine {
            connected: true,
            draining: false,
            paused: false,
        };
        let cases = [
            (Some(up), None),
            (
                Some(Machine {
                    connected: false,
                    ..up
                }),
                Some(Reason::NodeOffline),
            ),
            (
                Some(Machine {
                    draining: true,
                    ..up
                }),
                Some(Reason::NodeDraining),
            ),
            (
                Some(Machine {
                    draining: true,
                    connected: false,
                    ..up
                }),
                Some(Reason::NodeDraining),
            ),
            (
                Some(Machine { paused: true, ..up }),
                Some(Reason::NodePaused),
            ),
            (None, Some(Reason::NodeDeleted)),
        ];
        for (machine, reason) in cases {
            let placed = place(Setting::Node(node), machine);
            assert_eq!(placed.fallback.map(|f| f.reason), reason, "{machine:?}");
            assert_eq!(placed.node, reason.is_none().then_some(node), "{machine:?}");
        }
        assert_eq!(
            place(Setting::Local, Some(up)),
            Placement {
                node: None,
                fallback: None
            }
        );
    }
}
