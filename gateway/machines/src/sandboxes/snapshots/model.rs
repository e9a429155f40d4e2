//! Pure rules of snapshots: which report is new, and what a new sandbox restores.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::entity::Model;

/// What a new sandbox restores: the column `archive` of its row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// A snapshot's digest, or the SHA-256 of an archive of an older version.
    pub digest: String,
    pub bytes: u64,
    /// When the files were stored.
    pub at: DateTime<Utc>,
}

impl Origin {
    /// Reads the column; a text of another form is no origin.
    pub fn of_column(archive: Option<&serde_json::Value>) -> Option<Self> {
        serde_json::from_value(archive?.clone()).ok()
    }

    pub fn of_snapshot(snapshot: &Model) -> Self {
        Self {
            digest: snapshot.digest.clone(),
            bytes: u64::try_from(snapshot.bytes).unwrap_or(0),
            at: snapshot.taken_at,
        }
    }
}

/// What is known of an owner's files.
#[derive(Debug, Default)]
pub struct Files {
    /// The newest snapshot, wherever it is.
    pub newest: Option<Model>,
    /// The newest snapshot that the chosen machine can have: its own, or one in the gateway's store.
    pub within_reach: Option<Model>,
    /// What the last sandbox stored at its end, with its machine.
    pub archive: Option<(Origin, String)>,
    /// Whether the archive is a recorded snapshot.
    pub archive_is_recorded: bool,
}

/// What a new sandbox begins with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Beginning {
    pub origin: Option<Origin>,
    /// Newer files exist, and the chosen machine cannot have them: the machine that has them, and their time.
    pub out_of_reach: Option<(String, DateTime<Utc>)>,
}

/// Decides what a new sandbox on `machine` begins with.
pub fn begin_with(files: Files, machine: &str) -> Beginning {
    let received = files.newest.as_ref().map(|newest| newest.received_at);
    // An archive that no snapshot row names: an older version made it, or the report of the snapshot did not arrive yet.
    // The gateway's own clock compares the two.
    let archive = files.archive.filter(|(archive, _)| {
        !files.archive_is_recorded && received.is_none_or(|received| archive.at > received)
    });
    if let Some((archive, place)) = archive {
        if place == machine {
            return Beginning {
                origin: Some(archive),
                out_of_reach: None,
            };
        }
        return Beginning {
            origin: files.within_reach.as_ref().map(Origin::of_snapshot),
            out_of_reach: Some((place, archive.at)),
        };
    }
    let out_of_reach = files.newest.filter(|newest| {
        let reached = files.within_reach.as_ref();
        reached.is_none_or(|reached| reached.id != newest.id)
    });
    Beginning {
        origin: files.within_reach.as_ref().map(Origin::of_snapshot),
        out_of_reach: out_of_reach.map(|newest| (newest.node_id, newest.taken_at)),
    }
}

/// The sentence for people about newer files that stay where they are. `machine` is the name of the machine that has them.
pub fn explain(machine: &str, newer: DateTime<Utc>, origin: Option<&Origin>) -> String {
    let begin = match origin {
        Some(origin) => format!("it began with the files of {}", minute(origin.at)),
        None => "it began empty".to_owned(),
    };
    format!(
        "The newest files are on {machine} ({}), and this sandbox could not get them from there; {begin}.",
        minute(newer)
    )
}

/// A time as people read it in a sentence.
pub fn minute(at: DateTime<Utc>) -> String {
    at.format("%Y-%m-%d %H:%M UTC").to_string()
}

/// When a snapshot was taken. A machine's clock may be ahead, and no snapshot is taken after its report.
pub fn taken_at(said_s: i64, received: DateTime<Utc>) -> DateTime<Utc> {
    DateTime::from_timestamp(said_s, 0).map_or(received, |said| said.min(received))
}

/// Whether a report changes the row that is known for its digest. A machine repeats its latest snapshots.
pub fn is_news(known: Option<&Model>, taken_at: DateTime<Utc>, machine: &str) -> bool {
    match known {
        None => true,
        Some(known) if known.taken_at == taken_at => known.node_id != machine,
        Some(known) => known.taken_at < taken_at,
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;
    use uuid::Uuid;

    use super::*;
    use crate::sandboxes::OwnerKind;
    use roost_platform::ids::{SandboxId, SandboxOwnerId, SnapshotId, WorkspaceId};

    fn at(minute: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_700_000_000, 0).unwrap() + TimeDelta::minutes(minute)
    }

    fn snapshot(minute: i64, machine: &str) -> Model {
        Model {
            id: SnapshotId(Uuid::from_u128(u128::from(minute.unsigned_abs()))),
            workspace_id: WorkspaceId(Uuid::nil()),
            owner_kind: OwnerKind::Claw,
            owner_id: SandboxOwnerId(Uuid::nil()),
            sandbox_id: SandboxId(Uuid::nil()),
            node_id: machine.to_owned(),
            digest: format!("{minute:064}"),
            files: 1,
            bytes: 2,
            left_out: serde_json::json!([]),
            taken_at: at(minute),
            received_at: at(minute),
            uploaded_at: None,
        }
    }

    fn archive(minute: i64, machine: &str) -> Option<(Origin, String)> {
        let origin = Origin {
            digest: "a".repeat(64),
            bytes: 3,
            at: at(minute),
        };
        Some((origin, machine.to_owned()))
    }

    #[test]
    fn newest_snapshot_within_reach_is_restored_and_newer_ones_are_named() {
        let (old, new) = (snapshot(1, "there"), snapshot(2, "here"));
        let files = Files {
            newest: Some(new.clone()),
            within_reach: Some(new.clone()),
            ..Files::default()
        };
        let begun = begin_with(files, "here");
        assert_eq!(begun.origin.unwrap().digest, new.digest);
        assert_eq!(begun.out_of_reach, None);
        let files = Files {
            newest: Some(new.clone()),
            within_reach: Some(old.clone()),
            ..Files::default()
        };
        let begun = begin_with(files, "there");
        assert_eq!(begun.origin.unwrap().digest, old.digest);
        assert_eq!(begun.out_of_reach, Some(("here".to_owned(), at(2))));
        let files = Files {
            newest: Some(new),
            ..Files::default()
        };
        let begun = begin_with(files, "there");
        assert_eq!(begun.origin, None);
        assert_eq!(begun.out_of_reach, Some(("here".to_owned(), at(2))));
    }

    #[test]
    fn archive_counts_when_no_snapshot_is_as_new() {
        let only = |minute, place| Files {
            archive: archive(minute, place),
            ..Files::default()
        };
        assert_eq!(
            begin_with(only(1, "here"), "here").origin.unwrap().digest,
            "a".repeat(64)
        );
        let away = begin_with(only(1, "there"), "here");
        assert_eq!(away.origin, None);
        assert_eq!(away.out_of_reach, Some(("there".to_owned(), at(1))));
        let with = |minute, recorded| Files {
            newest: Some(snapshot(2, "here")),
            within_reach: Some(snapshot(2, "here")),
            archive: archive(minute, "here"),
            archive_is_recorded: recorded,
        };
        for (minute, recorded, origin) in [
            (1, false, snapshot(2, "here").digest),
            (3, false, "a".repeat(64)),
            // It is an older snapshot of the same agent, to which its row was written later.
            (3, true, snapshot(2, "here").digest),
        ] {
            let begun = begin_with(with(minute, recorded), "here");
            assert_eq!(begun.origin.unwrap().digest, origin, "{minute} {recorded}");
        }
    }

    #[test]
    fn explanation_names_both_times() {
        let origin = archive(1, "here").map(|(origin, _)| origin);
        let text = explain("kitchen", at(3), origin.as_ref());
        assert_eq!(
            text,
            "The newest files are on kitchen (2023-11-14 22:16 UTC), and this sandbox could not get them from there; \
             it began with the files of 2023-11-14 22:14 UTC."
        );
        assert!(explain("kitchen", at(3), None).ends_with("it began empty."));
    }

    #[test]
    fn snapshot_is_never_taken_after_its_report() {
        let received = at(5);
        assert_eq!(taken_at(at(9).timestamp(), received), received);
        assert_eq!(taken_at(i64::MAX, received), received);
        assert_eq!(taken_at(at(4).timestamp(), received), at(4));
    }

    #[test]
    fn repeated_report_is_no_news() {
        let known = snapshot(2, "here");
        assert!(is_news(None, at(1), "here"));
        assert!(!is_news(Some(&known), at(2), "here"));
        assert!(!is_news(Some(&known), at(1), "there"));
        // A workspace returned to these files, or another machine restored them.
        assert!(is_news(Some(&known), at(3), "here"));
        assert!(is_news(Some(&known), at(2), "there"));
    }
}
