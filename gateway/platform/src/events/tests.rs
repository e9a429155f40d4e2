//! The event log's rules that need no database.

use super::*;
use crate::ids::{ClawId, DoorId, WorkspaceId};
use proptest::prelude::*;
use uuid::Uuid;

fn event(workspace: WorkspaceId, seq: i64) -> StoredEvent {
    let id = EventId { epoch: 1, seq };
    StoredEvent {
        workspace,
        id,
        kind: "telemetry".into(),
        agent_id: Some(ClawId(Uuid::from_u128(7))),
        about: About::default(),
        frame: StoredEvent::frame(id, "telemetry", &About::default(), "{}"),
    }
}

#[test]
fn a_filter_lets_through_what_it_names_and_nothing_else() {
    let seen = event(WorkspaceId(Uuid::from_u128(1)), 1);
    let filter = |types: &[&str], agent: Option<u128>| Filter {
        types: types.iter().map(|t| (*t).to_owned()).collect(),
        agent_id: agent.map(|n| ClawId(Uuid::from_u128(n))),
        ..Filter::default()
    };
    assert!(filter(&[], None).wants(&seen));
    assert!(filter(&["telemetry", "agent.status"], Some(7)).wants(&seen));
    assert!(!filter(&["agent.status"], None).wants(&seen));
    assert!(!filter(&[], Some(8)).wants(&seen));
}

#[test]
fn each_type_that_we_make_is_one_that_clients_may_filter_by() {
    let made = [
        Event::AgentStatus(AgentStatus {
            agent_id: ClawId(Uuid::nil()),
            status: AgentState::Idle,
            role: None,
        }),
        NodeActivity::on_machine(None, "exec", 2.0),
        Event::changed(ResourceKind::Node, Uuid::nil(), 1),
        Event::PlacementFallback(PlacementFallback {
            agent_id: ClawId(Uuid::nil()),
            wanted: "node".into(),
            reason: "offline".into(),
        }),
        Event::DoorRequest(DoorRequest {
            door_id: DoorId(Uuid::nil()),
            agent_id: ClawId(Uuid::nil()),
            action: "github.issues.create".into(),
            target: None,
            summary: None,
        }),
        Event::DoorResolve(DoorResolve {
            door_id: DoorId(Uuid::nil()),
            decision: Decision::Deny,
            by: None,
        }),
    ];
    for event in made {
        assert!(Event::TYPES.contains(&event.kind()), "{event:?}");
        assert!(Event::EMITTED.contains(&event.kind()), "{event:?}");
        let data: serde_json::Value = serde_json::from_str(&event.data()).unwrap();
        let keys = data.as_object().unwrap().keys();
        assert!(keys.into_iter().all(|key| !key.contains('_')), "{data}");
    }
}

proptest! {
    #[test]
    fn an_event_id_reads_back_as_it_was_written_and_orders_by_epoch_then_sequence(
        a in (0..i64::MAX, 0..i64::MAX), b in (0..i64::MAX, 0..i64::MAX),
    ) {
        let id = |(epoch, seq)| EventId { epoch, seq };
        prop_assert_eq!(id(a).to_string().parse::<EventId>().unwrap(), id(a));
        prop_assert_eq!(id(a).cmp(&id(b)), a.cmp(&b));
    }

    #[test]
    fn invalid_event_id_is_refused(text in "[0-9a-z.+-]{0,12}") {
        if let Ok(id) = text.parse::<EventId>() {
            prop_assert!(id.epoch >= 0 && id.seq >= 0);
        }
    }
}
