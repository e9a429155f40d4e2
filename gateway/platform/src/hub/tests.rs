//! The hub's guarantees for its listeners, without a database.

use std::sync::{Arc, Mutex};

use uuid::Uuid;

use super::*;

const WORKSPACE: WorkspaceId = WorkspaceId(Uuid::from_u128(1));

fn id(seq: i64) -> EventId {
    EventId { epoch: 1, seq }
}

fn event(seq: i64) -> StoredEvent {
    StoredEvent {
        workspace: WORKSPACE,
        id: id(seq),
        kind: "telemetry".into(),
        agent_id: None,
        about: About::default(),
        frame: StoredEvent::frame(id(seq), "telemetry", &About::default(), "{}"),
    }
}

/// Records the events that it receives. A negative number is the head of a `on_lag` call.
#[derive(Default)]
struct Notes(Mutex<Vec<i64>>);

impl Notes {
    fn heard(&self) -> Vec<i64> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

impl Listener for Notes {
    fn on_event(&self, event: &Arc<StoredEvent>) -> Option<Waker> {
        self.0.lock().unwrap().push(event.id.seq);
        None
    }

    fn on_lag(&self, head: EventId) {
        self.0.lock().unwrap().push(-head.seq);
    }
}

fn listener(hub: &Hub) -> (Arc<Notes>, Listening) {
    let notes = Arc::new(Notes::default());
    let listening = hub.listen(WORKSPACE, notes.clone());
    (notes, listening)
}

#[test]
fn events_are_delivered_once_in_the_order_of_the_log() {
    let hub = Hub::default();
    let (notes, listening) = listener(&hub);
    assert!(listening.go_live(id(4), || {}));
    hub.publish(vec![event(5)]);
    // 7 was committed after 6 but is delivered before it. The relay may deliver both again.
    hub.publish(vec![event(7)]);
    hub.publish(vec![event(8)]);
    assert_eq!(notes.heard(), [5]);
    hub.publish(vec![event(6)]);
    hub.publish(vec![event(6), event(7), event(8)]);
    assert_eq!(notes.heard(), [6, 7, 8]);
}

#[tokio::test]
async fn a_hole_wakes_the_relay() {
    let hub = Hub::default();
    let (_notes, listening) = listener(&hub);
    assert!(listening.go_live(id(1), || {}));
    hub.publish(vec![event(2)]);
    let nudged = |hub: &Hub| hub.gap().clone().take();
    assert!(!nudged(&hub));
    hub.publish(vec![event(4)]);
    assert!(nudged(&hub));
}

#[test]
fn listener_goes_live_only_after_it_has_read_delivered_events() {
    let hub = Hub::default();
    let (notes, listening) = listener(&hub);
    hub.publish(vec![event(5)]);
    assert_eq!(notes.heard(), [5]);
    assert!(!listening.go_live(id(4), || panic!("5 was told")));
    let mut live = false;
    assert!(listening.go_live(id(5), || live = true));
    assert!(live);
}

#[test]
fn listener_ahead_of_the_channel_disturbs_no_other() {
    let hub = Hub::default();
    let (first, listening) = listener(&hub);
    assert!(listening.go_live(id(1), || {}));
    let (second, ahead) = listener(&hub);
    // The commit of 2 was visible in the store before its writer delivered it.
    assert!(ahead.go_live(id(2), || {}));
    hub.publish(vec![event(2)]);
    assert_eq!((first.heard(), second.heard()), (vec![2], vec![2]));
}

#[test]
fn skipped_events_send_all_listeners_to_the_store() {
    let hub = Hub::default();
    let (notes, listening) = listener(&hub);
    assert!(listening.go_live(id(1), || {}));
    hub.publish(vec![event(10)]);
    hub.skip_to(WORKSPACE, id(9));
    assert_eq!(notes.heard(), [-9, 10], "what waited for the hole follows");
    hub.skip_to(WORKSPACE, id(10));
    assert!(notes.heard().is_empty(), "that was told");
}

#[test]
fn channel_of_a_workspace_without_listeners_is_removed() {
    let hub = Hub::default();
    let (_first, one) = listener(&hub);
    let (_second, other) = listener(&hub);
    drop(one);
    assert_eq!(hub.workspaces(), [WORKSPACE]);
    drop(other);
    assert!(hub.workspaces().is_empty());
}
