//! What differs between two trees.
use std::cmp::Ordering;

use crate::tree::{self, Entry, Node};

/// How an entry differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Added,
    Removed,
    Changed,
}

/// An entry that differs.
#[derive(Clone, Copy, Debug)]
pub struct Change<'a> {
    pub kind: Kind,
    /// The entry before; `None` when it was added.
    pub before: Option<&'a Entry>,
    /// The entry after; `None` when it was removed.
    pub after: Option<&'a Entry>,
}

impl Change<'_> {
    pub fn path(&self) -> &[u8] {
        self.after
            .or(self.before)
            .map_or(&[], |entry| entry.path.as_slice())
    }
}

/// The entries that differ, in the order of their paths. Folders are left out: their files say it. A file that has only
/// another time has not changed.
pub fn changes<'a>(before: &'a [Entry], after: &'a [Entry]) -> Vec<Change<'a>> {
    let mut changes = Vec::new();
    let (mut old, mut new) = (before.iter().peekable(), after.iter().peekable());
    loop {
        let order = match (old.peek(), new.peek()) {
            (None, None) => return changes,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(old), Some(new)) => tree::before(&old.path, &new.path),
        };
        let before = if order.is_le() { old.next() } else { None };
        let after = if order.is_ge() { new.next() } else { None };
        let kind = match (before, after) {
            (Some(before), Some(after)) if same(before, after) => continue,
            (Some(_), Some(_)) => Kind::Changed,
            (Some(_), None) => Kind::Removed,
            _ => Kind::Added,
        };
        let folder = |entry: Option<&Entry>| entry.is_none_or(|entry| entry.node == Node::Folder);
        if !(folder(before) && folder(after)) {
            changes.push(Change {
                kind,
                before,
                after,
            });
        }
    }
}

fn same(before: &Entry, after: &Entry) -> bool {
    before.mode == after.mode && before.node == after.node
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, size: u64) -> Entry {
        let content = Vec::new();
        let path = path.as_bytes().to_vec();
        let (mode, mtime_ns) = (0o644, 0);
        Entry {
            path,
            mode,
            mtime_ns,
            node: Node::File { size, content },
        }
    }

    fn told(before: &[Entry], after: &[Entry]) -> Vec<(Kind, String)> {
        let changes = changes(before, after);
        let told = changes
            .iter()
            .map(|change| (change.kind, tree::shown(change.path())));
        told.collect()
    }

    #[test]
    fn changes_are_told_by_path() {
        let folder = Entry {
            node: Node::Folder,
            ..file("src", 0)
        };
        let before = [file("a", 1), file("b", 1), folder.clone(), file("src/x", 1)];
        let mut touched = file("b", 1);
        touched.mtime_ns = 5;
        let after = [file("a", 2), touched, folder, file("src/y", 1)];
        let expected = [
            (Kind::Changed, "a".to_owned()),
            (Kind::Removed, "src/x".to_owned()),
            (Kind::Added, "src/y".to_owned()),
        ];
        assert_eq!(told(&before, &after), expected);
        assert!(told(&after, &after).is_empty());
        assert_eq!(told(&[], &before).len(), 3);
    }
}
