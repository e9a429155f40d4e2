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
fn filters_by_run_mission_and_room_let_through_what_happened_there() {
    let mut seen = event(WorkspaceId(Uuid::from_u128(1)), 1);
    let id = |n| Some(Uuid::from_u128(n));
    seen.about = About {
        run: id(1),
        mission: id(2),
        room: id(3),
    };
    let filter = |run_id, mission_id, room_id| Filter {
        run_id,
        mission_id,
        room_id,
        ..Filter::default()
    };
    for (wanted, passes) in [
        (filter(id(1), None, None), true),
        (filter(None, id(2), None), true),
        (filter(None, None, id(3)), true),
        (filter(id(1), id(2), id(3)), true),
        (filter(id(2), None, None), false),
        (filter(None, id(3), None), false),
        (filter(None, None, id(1)), false),
        (filter(id(1), None, id(1)), false),
    ] {
        assert_eq!(wanted.wants(&seen), passes, "{wanted:?}");
    }
    seen.about = About::default();
    assert!(!filter(None, None, id(3)).wants(&seen));
}

#[test]
fn frame_says_in_a_line_of_its_own_what_the_event_happened_in() {
    let id = EventId { epoch: 1, seq: 7 };
    let text = |about| {
        let frame = StoredEvent::frame(id, "telemetry", &about, "{}");
        String::from_utf8(frame.to_vec()).unwrap()
    };
    let room = Uuid::nil();
    let about = About {
        room: Some(room),
        ..About::default()
    };
    assert_eq!(
        text(about),
        format!("id: 1.7\nevent: telemetry\nabout: {{\"room\":\"{room}\"}}\ndata: {{}}\n\n")
    );
    assert_eq!(
        text(About::default()),
        "id: 1.7\nevent: telemetry\ndata: {}\n\n"
    );
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
            agent_id: Some(ClawId(Uuid::nil())),
            team_id: None,
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
