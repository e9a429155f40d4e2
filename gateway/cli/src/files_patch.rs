//! `roost files diff --patch`: the changed lines of the texts that differ between two snapshots.

use crate::api::types::{FileChange, SnapshotId};
use crate::api::{Api, Owner, routes};
use crate::show::Shown;

/// The most bytes of a file whose lines are shown.
const MOST: u64 = 1 << 20;
/// The unchanged lines around a change.
const AROUND: usize = 3;

/// Shows the lines of each text, and says so of the others.
pub(super) async fn show(
    api: &Api,
    owner: &Owner,
    (before, after): (&SnapshotId, &SnapshotId),
    changes: &[FileChange],
) -> anyhow::Result<()> {
    for change in changes {
        let path = change.path.as_str();
        // Folders and links have no size.
        if change.bytes_before.is_none() && change.bytes_after.is_none() {
            println!("{} {}", change.difference.as_str(), path.shown());
            continue;
        }
        let old = text(api, owner, before, path, change.bytes_before).await?;
        let new = text(api, owner, after, path, change.bytes_after).await?;
        match (old, new) {
            (Some(old), Some(new)) => print!("{}", patch(path, &old, &new)),
            _ => println!(
                "{} {}: no text, or too large to compare",
                change.difference.as_str(),
                path.shown()
            ),
        }
    }
    Ok(())
}

/// The text of a file. Empty where the snapshot has no such file. `None`: it is too large, or no text.
async fn text(
    api: &Api,
    owner: &Owner,
    snapshot: &SnapshotId,
    path: &str,
    bytes: Option<u64>,
) -> anyhow::Result<Option<String>> {
    match bytes {
        None => return Ok(Some(String::new())),
        Some(bytes) if bytes > MOST => return Ok(None),
        Some(_) => {}
    }
    let mut content = Vec::new();
    let call = routes::snapshot_file(owner, snapshot, Some(path));
    api.download(call, &mut content).await?;
    Ok(String::from_utf8(content)
        .ok()
        .filter(|text| !text.contains('\0')))
}

/// The unified diff of a file. What could steer a terminal is not printed.
fn patch(path: &str, old: &str, new: &str) -> String {
    let diff = similar::TextDiff::from_lines(old, new);
    let (from, to) = (format!("a/{path}"), format!("b/{path}"));
    let unified = diff
        .unified_diff()
        .context_radius(AROUND)
        .header(&from, &to)
        .to_string();
    let mut shown = String::with_capacity(unified.len());
    for line in unified.lines() {
        shown.push_str(&line.shown());
        shown.push('\n');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patch_names_the_file_and_its_changed_lines() {
        let shown = patch("src/a", "one\ntwo\n", "one\n\u{1b}[2Jthree\n");
        assert!(shown.starts_with("--- a/src/a\n+++ b/src/a\n@@ -1,2 +1,2 @@\n one\n-two\n+"));
        assert!(!shown.contains('\u{1b}'), "{shown:?}");
    }
}
