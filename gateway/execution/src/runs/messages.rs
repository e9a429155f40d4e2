//! What people say to a run while it works. Each agent of the run hears it once, before its next turn.

use std::collections::{BTreeMap, BTreeSet};

use sea_orm::{ConnectionTrait, DbErr};

use super::entity::message;
use super::{message_store, tree_store};
use roost_platform::ids::{ClawId, RunId, RunMessageId};
use roost_tenancy::auth;

/// The longest message, in characters.
pub const LONGEST: usize = 8_000;
/// The most messages to the runs of one tree.
pub const MOST: u64 = 200;

/// A message as an agent hears it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    pub id: RunMessageId,
    /// The name of the person.
    pub by: String,
    pub text: String,
}

/// The messages that an agent hears in a run, oldest first.
pub(super) async fn for_step(
    db: &impl ConnectionTrait,
    root: RunId,
    run: RunId,
    agent: Option<ClawId>,
) -> Result<Vec<Message>, DbErr> {
    let rows = message_store::of_tree(db, root).await?;
    let parents = match rows.iter().all(|row| row.run_id == run) {
        true => BTreeMap::new(),
        false => tree_store::places(db, root)
            .await?
            .into_iter()
            .filter_map(|place| Some((place.id, place.parent_run_id?)))
            .collect(),
    };
    let rows = heard(rows, &parents, run, agent);
    let people: BTreeSet<_> = rows.iter().map(|row| row.user_id).collect();
    let people = auth::users_by_id(db, people).await?;
    let name = |row: &message::Model| people.iter().find(|person| person.id == row.user_id);
    Ok(rows
        .into_iter()
        .map(|row| Message {
            by: name(&row).map_or_else(|| "a person".to_owned(), |person| person.name.clone()),
            id: row.id,
            text: row.text,
        })
        .collect())
}

/// The messages of a tree that are for this agent in this run: those to the run and to the runs above it.
fn heard(
    rows: Vec<message::Model>,
    parents: &BTreeMap<RunId, RunId>,
    run: RunId,
    agent: Option<ClawId>,
) -> Vec<message::Model> {
    let mut above = BTreeSet::from([run]);
    let mut at = run;
    while let Some(&parent) = parents.get(&at) {
        // A row cannot be its own ancestor. The set ends the loop if one ever is.
        if !above.insert(parent) {
            break;
        }
        at = parent;
    }
    rows.into_iter()
        .filter(|row| above.contains(&row.run_id))
        .filter(|row| row.agent_id.is_none() || row.agent_id == agent)
        .collect()
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use roost_platform::ids::{UserId, WorkspaceId};

    fn id(n: u128) -> RunId {
        RunId(Uuid::from_u128(n))
    }

    fn to(run: u128, agent: Option<u128>) -> message::Model {
        message::Model {
            id: RunMessageId(Uuid::from_u128(run * 10)),
            workspace_id: WorkspaceId(Uuid::nil()),
            root_run_id: id(1),
            run_id: id(run),
            agent_id: agent.map(|agent| ClawId(Uuid::from_u128(agent))),
            user_id: UserId(Uuid::nil()),
            text: format!("to {run}"),
            created_ms: 0,
        }
    }

    #[test]
    fn run_hears_what_is_said_to_it_and_above_it() {
        // 1 started 2 and 4, and 2 started 3.
        let parents = BTreeMap::from([(id(2), id(1)), (id(3), id(2)), (id(4), id(1))]);
        let rows = || vec![to(1, None), to(2, None), to(3, None), to(4, None)];
        let texts = |run| -> Vec<String> {
            let heard = heard(rows(), &parents, id(run), None);
            heard.into_iter().map(|row| row.text).collect()
        };
        assert_eq!(texts(1), ["to 1"]);
        assert_eq!(texts(3), ["to 1", "to 2", "to 3"]);
        assert_eq!(texts(4), ["to 1", "to 4"]);
    }

    #[test]
    fn message_to_one_agent_is_heard_by_no_other() {
        let rows = || vec![to(1, None), to(1, Some(7))];
        let count = |agent: Option<u128>| {
            let agent = agent.map(|agent| ClawId(Uuid::from_u128(agent)));
            heard(rows(), &BTreeMap::new(), id(1), agent).len()
        };
        assert_eq!((count(Some(7)), count(Some(8)), count(None)), (2, 1, 1));
    }
}
