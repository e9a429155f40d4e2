//! The world stream: landmarks appear with what they stand for, and go with it.

use std::time::Duration;

use roost_tests::model_server::ModelServer;
use roost_tests::{Event, Stream};
use serde_json::{Value, json};

use super::{created, launched, template, think_with};
use crate::connections::repos::Place;
use crate::execution::runs::windows::piece;

/// The landmarks of a frame: each id with its parent.
fn marks(event: &Event) -> Vec<(String, Value)> {
    // A workspace without landmarks has no such field.
    let nodes = event.data["nodes"].as_array().into_iter().flatten();
    let mark = |node: &Value| {
        let id = node["id"].as_str().expect("an id").to_owned();
        (id, node["parentId"].clone())
    };
    nodes.map(mark).collect()
}

/// The next landmarks that are so; and the kinds of the events before them.
async fn landmarks(
    stream: &mut Stream,
    so: impl Fn(&[(String, Value)]) -> bool,
) -> (Vec<(String, Value)>, Vec<String>) {
    let mut before = Vec::new();
    loop {
        let event = stream.next().await.expect("the stream goes on");
        // The layout of a team is a fact of the log, with an id.
        if event.kind == "topology.update" && event.id.is_none() {
            assert_eq!(event.data["formation"], "live");
            let marks = marks(&event);
            if so(&marks) {
                return (marks, before);
            }
        }
        before.push(event.kind);
    }
}

fn has(marks: &[(String, Value)], id: &str) -> bool {
    marks.iter().any(|(mark, _)| mark == id)
}

#[tokio::test]
async fn missions_in_flight_are_landmarks_above_their_teams() {
    for place in Place::start_on_each().await {
        let owner = place.gateway.owner().await;
        // Slow enough that the mission is seen at work.
        let answer = piece(json!({ "content": "COMPLETED: INT-01" }), "stop");
        let server = ModelServer::slowly(answer, Duration::from_secs(4)).await;
        think_with(owner, &server).await;
        let alone = owner
            .post("/api/claws")
            .json(&json!({ "name": "alone" }))
            .expect(201)
            .await;
        let alone = format!("agent:{}", alone.str("/id"));
        let mut stream = Stream::open(owner.get("/api/world/stream")).await;
        let first = stream.next().await.expect("the landmarks");
        assert_eq!((first.kind.as_str(), &first.id), ("topology.update", &None));
        let model = "service:model/openai/tiny".to_owned();
        assert_eq!(
            marks(&first),
            [(alone.clone(), Value::Null), (model.clone(), Value::Null)]
        );

        let writers = template(owner, "Writers").await;
        let new = json!({ "template_kind": "research", "title": "Read", "goal": "Read it.",
            "config": { "phase_teams": { "research": [writers] } } });
        let id = created(owner, &new).await;
        let mission = format!("mission:{id}");
        let over = launched(owner, &id).await;
        // The teams and the missions are read one after the other, so one may be there before the other.
        let is_team = |(mark, _): &&(String, Value)| mark.starts_with("team:");
        let (flying, before) = landmarks(&mut stream, |marks| {
            has(marks, &mission) && marks.iter().any(|mark| is_team(&mark))
        })
        .await;
        let (team, above) = flying.iter().find(is_team).expect("its team");
        assert_eq!(above, &json!(mission), "{flying:?}");
        let agents = flying.iter().filter(|(_, above)| *above == json!(team));
        assert_eq!(agents.count(), 1, "{flying:?}");
        assert!(has(&flying, &alone));
        assert!(
            before.iter().all(|kind| kind != "resource.changed"),
            "{before:?}"
        );
        assert_eq!(over.str("/status"), "running");

        // What happens there comes too, and a mission that is over is no landmark.
        let (after, between) = landmarks(&mut stream, |marks| !has(marks, &mission)).await;
        assert!(
            before
                .iter()
                .chain(&between)
                .any(|kind| kind == "world.touch"),
            "{between:?}"
        );
        assert!(has(&after, &alone));

        // A model that is removed is no landmark.
        let models = owner.get("/api/models").expect(200).await;
        let path = format!("/api/models/{}", models.str("/items/0/id"));
        owner.delete(&path).expect(204).await;
        landmarks(&mut stream, |marks| !has(marks, &model)).await;

        // Nobody sees the world of another workspace.
        let stranger = place.gateway.stranger().await;
        let mut other = Stream::open(stranger.get("/api/world/stream")).await;
        let first = other.next().await.expect("the landmarks");
        assert_eq!(marks(&first), []);
        drop((stream, other));
        place.gateway.stop().await;
    }
}
