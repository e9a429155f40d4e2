//! The hash chain as pure functions: what a link covers, and the faults that a walk along the chain finds.

use std::fmt;

use chrono::SecondsFormat;
use sha2::{Digest, Sha256};

use super::entity::{chain, entry, head};
use roost_platform::ids::AuditId;

/// The previous hash of the first link.
pub const GENESIS: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// The most faults of a chain that are kept. All are counted.
const MOST_KEPT: usize = 100;

/// The link of `entry` at the end of a chain.
pub fn link(end: Option<&head::Model>, entry: &entry::Model) -> chain::Model {
    let position = end.map_or(1, |end| end.position + 1);
    let previous = end.map_or(GENESIS, |end| &end.sha256);
    chain::Model {
        position,
        entry_id: entry.id,
        previous_sha256: previous.to_owned(),
        sha256: hash(position, previous, entry),
    }
}

/// Whether a link matches its entry.
pub fn fits(link: &chain::Model, entry: &entry::Model) -> bool {
    link.entry_id == entry.id && link.sha256 == hash(link.position, &link.previous_sha256, entry)
}

/// SHA-256 over the canonical form. It is a JSON array, so that different entries never have the same text. The fields
/// of `details` are sorted, because PostgreSQL has an order of its own. Golden: a change here breaks every existing
/// chain.
fn hash(position: i64, previous: &str, entry: &entry::Model) -> String {
    let canonical = serde_json::json!([
        "roost-audit-1",
        position,
        previous,
        entry.id,
        entry.workspace_id,
        entry.actor,
        entry.action,
        entry.entity_kind,
        entry.entity_id,
        sorted(&entry.details),
        entry.at.to_rfc3339_opts(SecondsFormat::Nanos, true),
    ]);
    hex::encode(Sha256::digest(canonical.to_string()))
}

/// Objects as lists of pairs, sorted by name.
fn sorted(value: &serde_json::Value) -> serde_json::Value {
    use serde_json::Value;
    match value {
        Value::Object(fields) => {
            let mut pairs: Vec<_> = fields.iter().collect();
            pairs.sort_by_key(|(name, _)| *name);
            let pairs = pairs
                .into_iter()
                .map(|(name, value)| serde_json::json!({ name: sorted(value) }));
            serde_json::json!({ "object": pairs.collect::<Vec<_>>() })
        }
        Value::Array(items) => Value::Array(items.iter().map(sorted).collect()),
        plain => plain.clone(),
    }
}

/// A place where the log differs from what was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// The entry differs from the linked one.
    Changed { position: i64, entry: AuditId },
    /// The entry is gone.
    Removed { position: i64, entry: AuditId },
    /// Links in the middle are gone.
    LinksRemoved { from: i64, to: i64 },
    /// The link's previous hash does not match.
    OutOfOrder { position: i64 },
    /// Links at the end are gone, or the record of the end was changed.
    EndRemoved { found: i64, recorded: i64 },
    /// The end that was kept elsewhere is not in this chain.
    NotedEndMissing { position: i64 },
    /// The entry was inserted past the gateway, or its link was removed.
    Unlinked { entry: AuditId },
    /// The entry disappeared before it was linked.
    Vanished { entry: AuditId },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Changed { position, entry } => {
                write!(
                    f,
                    "link {position}: entry {entry} was changed after it was written"
                )
            }
            Self::Removed { position, entry } => {
                write!(f, "link {position}: entry {entry} was removed")
            }
            Self::LinksRemoved { from, to } if from == to => write!(f, "link {from} was removed"),
            Self::LinksRemoved { from, to } => write!(f, "links {from} to {to} were removed"),
            Self::OutOfOrder { position } => {
                write!(
                    f,
                    "link {position} does not follow the one before it: entries were reordered or replaced"
                )
            }
            Self::EndRemoved { found, recorded } => write!(
                f,
                "the chain ends at link {found}, but its recorded end is link {recorded}: the end was cut off or rewritten"
            ),
            Self::NotedEndMissing { position } => {
                write!(
                    f,
                    "link {position} is not the one that was noted: the chain was rewritten since"
                )
            }
            Self::Unlinked { entry } => {
                write!(
                    f,
                    "entry {entry} has no link: it came in past the gateway, or its link was removed"
                )
            }
            Self::Vanished { entry } => write!(f, "entry {entry} was removed before it was linked"),
        }
    }
}

/// The end of a chain, as an operator kept it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Noted {
    pub position: i64,
    pub sha256: String,
}

impl std::str::FromStr for Noted {
    type Err = String;

    /// `17:9f86d081…`, as `roost audit verify` prints it.
    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.trim().split_once(':').and_then(|(position, sha256)| {
            let position = position.parse().ok().filter(|n: &i64| *n > 0)?;
            let is_hash = sha256.len() == 64 && sha256.bytes().all(|b| b.is_ascii_hexdigit());
            is_hash.then(|| (position, sha256.to_ascii_lowercase()))
        });
        let (position, sha256) = parts.ok_or(
            "must be what an earlier `roost audit verify` printed: <links>:<64 hexadecimal digits>",
        )?;
        Ok(Self { position, sha256 })
    }
}

/// The result of a walk along the chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The number of checked links.
    pub links: u64,
    /// The number of entries that wait for their link.
    pub waiting: u64,
    /// The last link; absent for an empty chain.
    pub end: Option<Noted>,
    /// The first faults.
    pub faults: Vec<Fault>,
    /// The number of all faults.
    pub fault_count: u64,
}

impl Report {
    /// Whether the walk found no fault.
    pub fn is_intact(&self) -> bool {
        self.fault_count == 0
    }
}

/// A walk along the chain, link by link from the first.
#[derive(Debug)]
pub struct Walk {
    position: i64,
    sha256: String,
    links: u64,
    noted: Option<Noted>,
    faults: Vec<Fault>,
    fault_count: u64,
}

impl Walk {
    /// Starts before the first link. `noted` is an end that must be in the chain.
    pub fn new(noted: Option<Noted>) -> Self {
        Self {
            position: 0,
            sha256: GENESIS.to_owned(),
            links: 0,
            noted,
            faults: Vec::new(),
            fault_count: 0,
        }
    }

    /// Checks the next link and the entry that it names.
    pub fn step(&mut self, link: &chain::Model, entry: Option<&entry::Model>) {
        let position = link.position;
        if position != self.position + 1 {
            self.fault(Fault::LinksRemoved {
                from: self.position + 1,
                to: position - 1,
            });
        } else if link.previous_sha256 != self.sha256 {
            self.fault(Fault::OutOfOrder { position });
        }
        match entry {
            None => self.fault(Fault::Removed {
                position,
                entry: link.entry_id,
            }),
            Some(entry) if !fits(link, entry) => self.fault(Fault::Changed {
                position,
                entry: link.entry_id,
            }),
            Some(_) => {}
        }
        if self
            .noted
            .as_ref()
            .is_some_and(|noted| noted.position == position && noted.sha256 == link.sha256)
        {
            self.noted = None;
        }
        self.links += 1;
        self.position = position;
        self.sha256.clone_from(&link.sha256);
    }

    /// Adds a fault that was found outside the chain.
    pub fn fault(&mut self, fault: Fault) {
        self.fault_count += 1;
        if self.faults.len() < MOST_KEPT {
            self.faults.push(fault);
        }
    }

    /// Finishes at the recorded end.
    pub fn end(mut self, recorded: Option<&head::Model>, waiting: u64) -> Report {
        let (position, sha256) = recorded.map_or((0, GENESIS), |end| (end.position, &end.sha256));
        if (position, sha256) != (self.position, self.sha256.as_str()) {
            self.fault(Fault::EndRemoved {
                found: self.position,
                recorded: position,
            });
        }
        if let Some(Noted { position, .. }) = self.noted.take() {
            self.fault(Fault::NotedEndMissing { position });
        }
        let end = (self.position > 0).then_some(Noted {
            position: self.position,
            sha256: self.sha256,
        });
        Report {
            links: self.links,
            waiting,
            end,
            faults: self.faults,
            fault_count: self.fault_count,
        }
    }
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, TimeDelta};
    use proptest::prelude::*;
    use uuid::Uuid;

    use super::*;
    use roost_platform::ids::{UserId, WorkspaceId};

    fn entry(n: u64) -> entry::Model {
        entry::Model {
            id: AuditId(Uuid::from_u64_pair(7, n)),
            workspace_id: WorkspaceId(Uuid::from_u64_pair(1, n % 3)),
            actor: UserId(Uuid::from_u64_pair(2, n % 5)),
            action: "claw.created".to_owned(),
            entity_kind: "claw".to_owned(),
            entity_id: n.to_string(),
            details: serde_json::json!({ "name": format!("agent {n}"), "b": { "y": 1, "x": [n, null] } }),
            at: DateTime::UNIX_EPOCH + TimeDelta::seconds(i64::try_from(n).unwrap_or(0)),
        }
    }

    fn chain_of(
        n: u64,
    ) -> (
        Vec<(chain::Model, Option<entry::Model>)>,
        Option<head::Model>,
    ) {
        let mut end: Option<head::Model> = None;
        let links = (1..=n).map(|n| {
            let entry = entry(n);
            let link = link(end.as_ref(), &entry);
            end = Some(head::Model {
                id: 1,
                position: link.position,
                sha256: link.sha256.clone(),
            });
            (link, Some(entry))
        });
        (links.collect(), end)
    }

    fn walk(chain: &[(chain::Model, Option<entry::Model>)], end: Option<&head::Model>) -> Report {
        let mut walk = Walk::new(None);
        for (link, entry) in chain {
            walk.step(link, entry.as_ref());
        }
        walk.end(end, 0)
    }

    #[test]
    fn the_canonical_form_never_changes() {
        let (chain, _) = chain_of(2);
        let hashes: Vec<&str> = chain.iter().map(|(link, _)| link.sha256.as_str()).collect();
        assert_eq!(
            hashes,
            [
                "9f51e4590c2dc325b40902ad856d9ed8efe0391dd3a2bba475b5fc9c0c0afd53",
                "e96ddf88f470109c3a076ef4e0b8b92da80382c05761bb2ead80776401d174ac",
            ]
        );
    }

    #[test]
    fn a_noted_end_must_be_in_the_chain() {
        let (chain, end) = chain_of(5);
        for (sha256, intact) in [(chain[2].0.sha256.clone(), true), ("0".repeat(64), false)] {
            let mut walk = Walk::new(Some(Noted {
                position: 3,
                sha256,
            }));
            for (link, entry) in &chain {
                walk.step(link, entry.as_ref());
            }
            assert_eq!(walk.end(end.as_ref(), 0).is_intact(), intact);
        }
        let text = format!("3:{}", chain[2].0.sha256);
        assert_eq!(text.parse::<Noted>().map(|noted| noted.position), Ok(3));
        for wrong in [
            "",
            "3",
            "3:abc",
            "0:",
            "-1:0",
            &format!("x:{}", "0".repeat(64)),
        ] {
            assert!(wrong.parse::<Noted>().is_err(), "{wrong}");
        }
    }

    /// One act of tampering with a chain of `n` links, chosen by two numbers.
    fn tamper(chain: &mut Vec<(chain::Model, Option<entry::Model>)>, how: usize, at: usize) {
        let at = at % chain.len();
        let other = (at + 1) % chain.len();
        match how {
            0 => chain[at].1 = None,
            1 => {
                chain.remove(at);
            }
            2 => {
                // The two links change places, each under the other's position.
                let position = chain[at].0.position;
                chain[at].0.position = chain[other].0.position;
                chain[other].0.position = position;
                chain.swap(at, other);
            }
            3 => {
                // The two entries change their contents.
                let (a, b) = (chain[at].1.clone(), chain[other].1.clone());
                chain[at].1 = b;
                chain[other].1 = a;
            }
            _ => {
                let Some(entry) = chain[at].1.as_mut() else {
                    return;
                };
                match how {
                    4 => entry.actor = UserId::SYSTEM,
                    5 => entry.action.push('x'),
                    6 => entry.details = serde_json::json!({ "name": "somebody else" }),
                    7 => entry.at += TimeDelta::microseconds(1),
                    8 => entry.workspace_id = WorkspaceId(Uuid::nil()),
                    9 => entry.entity_id.push(' '),
                    _ => entry.entity_kind.push('s'),
                }
            }
        }
    }

    proptest! {
        #[test]
        fn any_change_removal_or_move_is_found(n in 2_u64..12, how in 0_usize..11, at in 0_usize..12) {
            let (mut chain, end) = chain_of(n);
            prop_assert!(walk(&chain, end.as_ref()).is_intact());
            tamper(&mut chain, how, at);
            prop_assert!(!walk(&chain, end.as_ref()).is_intact(), "{how} at {at}");
        }
    }
}
