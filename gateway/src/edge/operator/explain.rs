//! Pure: explains an actor in sentences, from the roster and from the descriptions of its kind.

use super::dto::Explanation;
use super::kind_docs;
use super::model::alone;
use roost_platform::supervision::{
    ActorSnapshot, ActorState, EndCause, Ownership, PastEnd, Restart,
};

/// Explains an actor of a snapshot. `past` are its latest ends, `refusal` why an operator cannot restart it.
pub fn explain(
    actor: &ActorSnapshot,
    past: Vec<PastEnd>,
    refusal: Option<&'static str>,
) -> Explanation {
    Explanation {
        does: actor.kind.describe().trim().to_owned(),
        why: why(actor, &past),
        holds: holds(actor),
        lost: lost(actor),
        past,
        not_restartable: refusal.map(str::to_owned),
        actor: alone(actor),
    }
}

fn why(actor: &ActorSnapshot, past: &[PastEnd]) -> Vec<String> {
    let mut said = Vec::new();
    said.push(match (actor.restarts, past.last()) {
        (0, None) => "It has not been restarted since its first start.".to_owned(),
        (_, Some(end)) => because(end),
        (times, None) => format!(
            "It was restarted {}, together with its supervisor.",
            times_of(times)
        ),
    });
    if actor.restarts > 1 {
        said.push(format!(
            "It was restarted {} in all.",
            times_of(actor.restarts)
        ));
    }
    said.push(
        match actor.restart {
            Restart::Permanent => {
                "Its policy is permanent: its supervisor restarts it after every end."
            }
            Restart::Transient => {
                "Its policy is transient: its supervisor restarts it after a failure, but not after a clean end."
            }
            Restart::Temporary => {
                "Its policy is temporary: its supervisor never restarts it. A new one starts when it is needed."
            }
        }
        .to_owned(),
    );
    match (actor.state, actor.restart_in_ms) {
        (ActorState::BackingOff, Some(ms)) => said.push(format!(
            "It is down. Its supervisor restarts it in {:.1} s; the wait grows with each failure.",
            ms as f64 / 1000.0
        )),
        (ActorState::Failed, _) => said.push(
            "It failed more often than its supervisor allows and stays down until an operator restarts it."
                .to_owned(),
        ),
        _ => {}
    }
    said
}

fn because(end: &PastEnd) -> String {
    let at = end.at.format("%Y-%m-%d %H:%M:%S UTC");
    let text = end.text.as_deref().unwrap_or("it gave no reason");
    match end.cause {
        EndCause::Failed => format!("At {at} it failed: {text}"),
        EndCause::Ended => format!("At {at} it ended by itself."),
        EndCause::Operator => {
            format!("At {at} an operator restarted it; the audit log has the name.")
        }
    }
}

fn holds(actor: &ActorSnapshot) -> Vec<String> {
    let mut said = vec![format!("In memory: {}.", kind_docs::of(actor.kind).holds)];
    if let Some(mailbox) = actor.mailbox {
        let bound = mailbox
            .bound
            .map_or_else(String::new, |bound| format!(" of at most {bound}"));
        said.push(match (mailbox.len, mailbox.oldest_ms) {
            (0, _) => "No message waits for it.".to_owned(),
            (len, Some(ms)) => format!(
                "{len} messages{bound} are waiting or in progress, the oldest for {:.1} s.",
                ms as f64 / 1000.0
            ),
            (len, None) => format!("{len} messages{bound} are waiting or in progress."),
        });
    }
    if let Some(lag) = actor.lag {
        said.push(match (lag.events, lag.bytes) {
            (0, 0) => "Its reader has received everything.".to_owned(),
            (events, bytes) => format!(
                "Its reader is {events} events behind; {bytes} bytes wait in memory, and the rest is in the database."
            ),
        });
    }
    if !actor.children.is_empty() {
        said.push(match actor.children.len() {
            1 => "It has one child.".to_owned(),
            more => format!("It has {more} children."),
        });
    }
    said.push(
        match actor.ownership {
            Ownership::Leased => {
                "One gateway at a time runs it. A row names that gateway, and writes of other gateways fail."
            }
            Ownership::SocketBound => "It runs on this gateway, because its socket ends here.",
            Ownership::Local => "Each gateway runs its own.",
        }
        .to_owned(),
    );
    said
}

fn lost(actor: &ActorSnapshot) -> Vec<String> {
    let mut said = Vec::new();
    if actor.lost > 0 {
        said.push(format!(
            "{} messages were unread when it ended, and none of them was acknowledged. A caller that waited for an answer got an error. The other messages only announced changes that are in the database.",
            actor.lost
        ));
    }
    said.push(format!("Lost with it: {}.", kind_docs::of(actor.kind).lost));
    said
}

fn times_of(count: u64) -> String {
    match count {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        more => format!("{more} times"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use roost_platform::supervision::{ActorKind, SupervisorSpec, Tree, TreeOptions};

    #[tokio::test]
    async fn last_end_is_the_reason_and_a_first_incarnation_has_no_reason() {
        let tree = Tree::start(TreeOptions::default(), SupervisorSpec::new("roost"))
            .await
            .expect("a tree");
        let mut actor = tree.view().snapshot().root;
        let first = explain(&actor, Vec::new(), Some("it is the root"));
        assert!(first.why[0].contains("not been restarted"), "{first:?}");
        assert_eq!(first.not_restartable.as_deref(), Some("it is the root"));
        actor.restarts = 2;
        actor.lost = 3;
        let end = PastEnd {
            at: chrono::DateTime::UNIX_EPOCH,
            cause: EndCause::Failed,
            text: Some("the disk is full".to_owned()),
        };
        let second = explain(&actor, vec![end], None);
        assert_eq!(
            second.why[..2],
            [
                "At 1970-01-01 00:00:00 UTC it failed: the disk is full",
                "It was restarted twice in all."
            ]
        );
        assert!(second.lost[0].starts_with("3 messages were unread"));
        tree.shutdown(std::time::Duration::from_secs(5)).await;
    }

    #[test]
    fn every_kind_says_what_it_holds_and_what_its_end_loses() {
        for kind in ActorKind::ALL {
            let doc = kind_docs::of(*kind);
            assert!(!doc.holds.is_empty() && !doc.lost.is_empty(), "{kind:?}");
            assert!(
                !doc.holds.ends_with('.') && !doc.lost.ends_with('.'),
                "{kind:?}"
            );
        }
    }
}
