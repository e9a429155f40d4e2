//! Pure: the changes between two snapshots of the tree.

use std::collections::HashMap;

use super::dto::{ActorChange, TreeDelta};
use roost_platform::supervision::{ActorSnapshot, TreeSnapshot};

/// The state that a reader of the tree received last.
#[derive(Debug, Default)]
pub struct SentTree {
    actors: HashMap<String, ActorChange>,
    living: u64,
    forced_kills: u64,
}

impl SentTree {
    /// The state of a reader that received this whole snapshot.
    pub fn of(snapshot: &TreeSnapshot) -> Self {
        let actors = flat(snapshot)
            .into_iter()
            .map(|change| (change.actor.id.clone(), change))
            .collect();
        Self {
            actors,
            living: snapshot.living,
            forced_kills: snapshot.forced_kills,
        }
    }

    /// The changes for this reader; `None` when nothing changed.
    pub fn changes_since(&mut self, snapshot: &TreeSnapshot) -> Option<TreeDelta> {
        let now = Self::of(snapshot);
        let changed: Vec<ActorChange> = flat(snapshot)
            .into_iter()
            .filter(|change| self.actors.get(&change.actor.id) != Some(change))
            .collect();
        let mut gone: Vec<String> = self
            .actors
            .keys()
            .filter(|id| !now.actors.contains_key(*id))
            .cloned()
            .collect();
        gone.sort();
        let same = (self.living, self.forced_kills) == (now.living, now.forced_kills);
        *self = now;
        if changed.is_empty() && gone.is_empty() && same {
            return None;
        }
        Some(TreeDelta {
            at: snapshot.at,
            living: snapshot.living,
            forced_kills: snapshot.forced_kills,
            changed,
            gone,
        })
    }
}

/// Every actor with its parent's id, parents first.
fn flat(snapshot: &TreeSnapshot) -> Vec<ActorChange> {
    let mut all = Vec::new();
    let mut waiting = vec![(None, &snapshot.root)];
    while let Some((parent, actor)) = waiting.pop() {
        all.push(ActorChange {
            parent,
            actor: alone(actor),
        });
        // In reverse, because the last pushed one is taken first: siblings stay in the order of their start.
        for child in actor.children.iter().rev() {
            waiting.push((Some(actor.id.clone()), child));
        }
    }
    all
}

/// The actor without its children. They are not copied.
pub fn alone(actor: &ActorSnapshot) -> ActorSnapshot {
    ActorSnapshot {
        id: actor.id.clone(),
        name: actor.name.clone(),
        tenant: actor.tenant.clone(),
        serves: actor.serves.clone(),
        last_failure: actor.last_failure.clone(),
        children: Vec::new(),
        ..*actor
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use roost_platform::supervision::{SupervisorSpec, Tree, TreeOptions};

    fn with(snapshot: &TreeSnapshot, children: &[(&str, u64)]) -> TreeSnapshot {
        let mut snapshot = snapshot.clone();
        let root = alone(&snapshot.root);
        for (name, handled) in children {
            snapshot.root.children.push(ActorSnapshot {
                id: format!("roost/{name}"),
                name: (*name).to_owned(),
                handled: *handled,
                ..root.clone()
            });
        }
        snapshot
    }

    #[tokio::test]
    async fn only_changes_are_sent_and_nothing_without_changes() {
        let tree = Tree::start(TreeOptions::default(), SupervisorSpec::new("roost"))
            .await
            .expect("a tree");
        let bare = tree.view().snapshot();
        let first = with(&bare, &[("a", 1), ("b", 1)]);
        let mut sent = SentTree::of(&first);
        assert_eq!(sent.changes_since(&first), None);
        let second = with(&bare, &[("b", 2), ("c", 1)]);
        let delta = sent.changes_since(&second).expect("news");
        let changed: Vec<&str> = delta
            .changed
            .iter()
            .map(|change| change.actor.name.as_str())
            .collect();
        assert_eq!(changed, ["b", "c"], "in the order of their start");
        assert_eq!(delta.gone, ["roost/a"]);
        assert_eq!(delta.changed[0].parent.as_deref(), Some("roost"));
        assert_eq!(sent.changes_since(&second), None, "told once");
        tree.shutdown(std::time::Duration::from_secs(5)).await;
    }
}
