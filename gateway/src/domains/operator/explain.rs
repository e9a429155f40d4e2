//! Pure: an actor's life in sentences, from what the roster knows and what its kind promises.

use super::dto::Explanation;
use super::lore;
use super::model::alone;
use crate::supervision::{ActorSnapshot, ActorState, EndCause, Ownership, PastEnd, Restart};

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
        (0, None) => "It has not been restarted: it runs since its first start.".to_owned(),
        (_, Some(end)) => because(end),
        (times, None) => format!(
            "It was started again {}, together with its supervisor.",
            times_of(times)
        ),
    });
    if actor.restarts > 1 {
        said.push(format!(
            "Altogether it was started again {}.",
            times_of(actor.restarts)
        ));
    }
    said.push(
        match actor.restart {
            Restart::Permanent => {
                "Its policy is permanent: however it ends, its supervisor starts it again."
            }
            Restart::Transient => {
                "Its policy is transient: after a failure its supervisor starts it again, after a clean end it is over."
            }
            Restart::Temporary => {
                "Its policy is temporary: it is never started again; whoever needs it asks for a new one."
            }
        }
        .to_owned(),
    );
    match (actor.state, actor.restart_in_ms) {
        (ActorState::BackingOff, Some(ms)) => said.push(format!(
            "It is down now and will be started again in {:.1} s; the wait grows with each failure.",
            ms as f64 / 1000.0
        )),
        (ActorState::BackingOff, None) => {
            said.push("It is down now and comes back with an older sibling.".to_owned());
        }
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
    let text = end.text.as_deref().unwrap_or("it did not say why");
    match end.cause {
        EndCause::Failed => format!("At {at} it failed: {text}"),
        EndCause::Ended => format!("At {at} it came to an end by itself."),
        EndCause::Sibling => {
            format!("At {at} it was stopped with its older sibling {text}, which it may depend on.")
        }
        EndCause::Operator => format!("At {at} an operator restarted it; the audit says who."),
    }
}

fn holds(actor: &ActorSnapshot) -> Vec<String> {
    let mut said = vec![format!("In memory: {}.", lore::of(actor.kind).holds)];
    if let Some(mailbox) = actor.mailbox {
        let bound = mailbox
            .bound
            .map_or_else(String::new, |bound| format!(" of at most {bound}"));
        said.push(match (mailbox.len, mailbox.oldest_ms) {
            (0, _) => "No message waits for it.".to_owned(),
            (len, Some(ms)) => format!(
                "{len} messages{bound} wait or are in hand, the oldest for {:.1} s.",
                ms as f64 / 1000.0
            ),
            (len, None) => format!("{len} messages{bound} wait or are in hand."),
        });
    }
    if let Some(lag) = actor.lag {
        said.push(match (lag.events, lag.bytes) {
            (0, 0) => "Its reader has everything: nothing waits for it.".to_owned(),
            (events, bytes) => format!(
                "Its reader is {events} events behind; {bytes} bytes wait in memory for it, the rest lies in the database."
            ),
        });
    }
    if !actor.children.is_empty() {
        said.push(format!("{} live or stand below it.", actor.children.len()));
    }
    said.push(
        match actor.ownership {
            Ownership::Leased => {
                "One gateway at a time may run it: a row says which, and a write of any other changes nothing."
            }
            Ownership::SocketBound => "It lives on this gateway, where its socket ends.",
            Ownership::Local => "Each gateway runs one of its own.",
        }
        .to_owned(),
    );
    said
}

fn lost(actor: &ActorSnapshot) -> Vec<String> {
    let mut said = Vec::new();
    if actor.lost > 0 {
        said.push(format!(
            "{} messages were unread when it ended. None of them was acknowledged: whoever waited was told that there is no answer, and a message that nobody waited for was a notice of what the database has.",
            actor.lost
        ));
    }
    said.push(format!(
        "By its end is lost: {}.",
        lore::of(actor.kind).lost
    ));
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
    use crate::supervision::{ActorKind, SupervisorSpec, Tree, TreeOptions};

    #[tokio::test]
    async fn the_last_end_is_the_reason_and_a_first_life_has_none() {
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
                "Altogether it was started again twice."
            ]
        );
        assert!(second.lost[0].starts_with("3 messages were unread"));
        tree.shutdown(std::time::Duration::from_secs(5)).await;
    }

    #[test]
    fn every_kind_says_what_it_holds_and_what_its_end_loses() {
        for kind in ActorKind::ALL {
            let lore = lore::of(*kind);
            assert!(!lore.holds.is_empty() && !lore.lost.is_empty(), "{kind:?}");
            assert!(
                !lore.holds.ends_with('.') && !lore.lost.ends_with('.'),
                "{kind:?}"
            );
        }
    }
}
