//! What the owner of a machine should know or do. Pure.

use chrono::{DateTime, TimeDelta, Utc};
use roost_protocol::caps::Bounds;

use super::dto::NodeProblem;
use super::entity::node;
use super::model::{Connection, TROUBLE_SHOWN};
use super::sample::Health;

/// All problems at `now`.
pub(super) fn of(
    node: &node::Model,
    bounds: Option<&Bounds>,
    connection: Connection,
    health: Option<&Health>,
    now: DateTime<Utc>,
) -> Vec<NodeProblem> {
    let mut problems = Vec::new();
    let mut problem = |code: &str, detail: String| {
        problems.push(NodeProblem {
            code: code.to_owned(),
            detail,
        });
    };
    let shown = TimeDelta::from_std(TROUBLE_SHOWN).unwrap_or_default();
    if let (Some(code), Some(detail), Some(at)) =
        (&node.trouble_code, &node.trouble, node.trouble_at)
        && now - at < shown
    {
        problem(code, detail.clone());
    }
    if connection != Connection::Disconnected {
        if node.engine.is_none() {
            problem(
                "engine",
                "no container engine answers on this machine; run `roostd doctor` there".into(),
            );
        }
        let image = node
            .image_reference
            .as_deref()
            .map_or("the agent image".to_owned(), |image| {
                format!("the agent image {image}")
            });
        match node.image.as_str() {
            "missing" => problem(
                "image",
                format!(
                    "{image} is not on this machine; it comes from the gateway's host if that has it, or run `roostd image build` or `roostd image import` there"
                ),
            ),
            "wrong-digest" => problem(
                "image",
                format!(
                    "{image} on this machine is not the wanted one; run `roostd image build` or `roostd image import` there"
                ),
            ),
            "unfit" => {
                let why = node
                    .image_detail
                    .as_deref()
                    .unwrap_or("it is another kind of image");
                problem(
                    "image",
                    format!("{image} on this machine cannot be a sandbox: {why}"),
                );
            }
            _ => {}
        }
        if let Some(why) = bounds
            .as_ref()
            .and_then(|bounds| bounds.not_enforced.as_ref())
        {
            problem(
                "total",
                format!(
                    "the kernel of this machine does not hold the total of all sandboxes: {why}"
                ),
            );
        }
        if node.paused {
            problem(
                "paused",
                "its owner paused this machine; `roostd resume` there ends it".into(),
            );
        }
        if let Some(off) = health.and_then(|health| health.sample.clock_off_s) {
            problem(
                "clock",
                format!("the machine's clock is {off} s off; set it, or times in its logs mislead"),
            );
        }
    }
    problems
}
