//! Kills a whole process tree, descendants that left session and parent included.
//!
//! Every command runs under a keeper that is a subreaper, so whatever a descendant does, it stays a descendant of the
//! keeper: a daemon that forks twice becomes the keeper's child, not ours. A tree is first stopped, pass by pass, until no
//! new process shows up (a fork bomb cannot outrun that: stopped processes keep their places under the pids limit), and
//! then killed.
use std::collections::HashMap;
use std::fs;

use crate::sys;

/// Passes of stopping before killing what was found.
const PASSES: usize = 32;

/// One process as `/proc` shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Seen {
    parent: i32,
    /// Already dead, only not waited for.
    zombie: bool,
}

/// Kills every living descendant of `root`, not `root` itself. Gives how many there were; 0 means that the tree is dead.
pub fn kill_descendants(root: i32) -> usize {
    let mut stopped: Vec<i32> = Vec::new();
    for _ in 0..PASSES {
        let new: Vec<i32> = descendants(root, &processes())
            .into_iter()
            .filter(|pid| !stopped.contains(pid))
            .collect();
        if new.is_empty() {
            break;
        }
        for pid in &new {
            sys::kill(*pid, libc::SIGSTOP);
        }
        stopped.extend(new);
    }
    for pid in &stopped {
        sys::kill(*pid, libc::SIGKILL);
    }
    stopped.len()
}

/// Processes whose keeper was killed: they became children of the first process. `keepers` are its rightful children.
pub fn strays(keepers: &[i32]) -> Vec<i32> {
    let own = i32::try_from(std::process::id()).unwrap_or(1);
    processes()
        .into_iter()
        .filter(|(pid, seen)| seen.parent == own && !seen.zombie && !keepers.contains(pid))
        .map(|(pid, _)| pid)
        .collect()
}

fn processes() -> HashMap<i32, Seen> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return HashMap::new();
    };
    entries
        .flatten()
        .filter_map(|entry| {
            let pid: i32 = entry.file_name().to_str()?.parse().ok()?;
            let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
            Some((pid, parse_stat(&stat)?))
        })
        .collect()
}

/// The name in a stat line may hold anything, parentheses and newlines too: what counts begins after the last `)`.
fn parse_stat(stat: &[u8]) -> Option<Seen> {
    let after = stat.iter().rposition(|byte| *byte == b')')? + 1;
    let text = std::str::from_utf8(stat.get(after..)?).ok()?;
    let mut fields = text.split_ascii_whitespace();
    let state = fields.next()?;
    Some(Seen {
        parent: fields.next()?.parse().ok()?,
        zombie: matches!(state, "Z" | "X"),
    })
}

fn descendants(root: i32, all: &HashMap<i32, Seen>) -> Vec<i32> {
    all.iter()
        .filter(|(_, seen)| !seen.zombie)
        .filter(|(_, seen)| {
            let mut parent = seen.parent;
            // A snapshot taken while processes move may hold a circle; no tree is deeper than it has members.
            for _ in 0..=all.len() {
                if parent == root {
                    return true;
                }
                match all.get(&parent) {
                    Some(above) => parent = above.parent,
                    None => return false,
                }
            }
            false
        })
        .map(|(pid, _)| *pid)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_parentheses_and_spaces_does_not_confuse() {
        let seen = parse_stat(b"17 (a) R 1 (b)\n) S 5 17 17 0 -1").unwrap();
        assert_eq!(
            seen,
            Seen {
                parent: 5,
                zombie: false
            }
        );
        assert_eq!(parse_stat(b"garbage"), None);
    }

    #[test]
    fn descendants_of_any_depth_are_found_and_others_are_not() {
        let seen = |parent| Seen {
            parent,
            zombie: false,
        };
        let all = HashMap::from([
            (2, seen(1)),
            (3, seen(2)),
            (4, seen(3)),
            (5, seen(1)),
            (
                6,
                Seen {
                    parent: 2,
                    zombie: true,
                },
            ),
            (7, seen(8)),
            (8, seen(7)),
        ]);
        let mut found = descendants(2, &all);
        found.sort_unstable();
        assert_eq!(found, [3, 4]);
    }
}
