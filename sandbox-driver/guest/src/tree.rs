//! Kills a whole process tree, including processes that changed their session or parent.
//!
//! Every command runs under a reaper, which is a subreaper. So every process of the command stays a descendant of the
//! reaper: a daemon that forks twice becomes the reaper's child, not the guest's. A tree is first stopped in passes
//! until no new process appears, and then killed. A fork bomb cannot outrun this: stopped processes still count for the
//! pids limit.
use std::collections::HashMap;
use std::fs;

use crate::sys;

/// Most passes of stopping before the kill.
const PASSES: usize = 32;
/// Position of the number of threads in a stat line, counted after the parent.
const THREADS: usize = 15;

/// One process as `/proc` shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Seen {
    parent: i32,
    /// Dead but not waited for. A process whose first thread has ended while others run looks like a zombie but lives.
    dead: bool,
}

/// Kills every living descendant of `root`, but not `root` itself. Returns how many there were; 0 means that the tree
/// is dead.
pub fn kill_descendants(root: i32) -> usize {
    kill_all(|all| descendants(root, all))
}

/// Kills all processes without a reaper, with their descendants. Returns true when some may still be alive. `reapers`
/// are the working reapers.
///
/// A killed process dies a moment later, and children that it started meanwhile become children of the guest. So call
/// this again until it returns false.
pub fn kill_strays(reapers: &[i32]) -> bool {
    let own = i32::try_from(std::process::id()).unwrap_or(1);
    let all = processes();
    let kinds = || all.keys().map(|pid| kind(*pid, own, reapers, &all));
    if all.contains_key(&own) && !kinds().any(|kind| kind != Kind::Owned) {
        return false;
    }
    kill_all(|all| {
        all.iter()
            .filter(|(_, seen)| !seen.dead)
            .map(|(pid, _)| *pid)
            .filter(|pid| kind(*pid, own, reapers, all) == Kind::Stray)
            .collect()
    });
    true
}

/// Stops in passes what `which` finds until it finds nothing new, then kills it. Returns how many there were.
fn kill_all(which: impl Fn(&HashMap<i32, Seen>) -> Vec<i32>) -> usize {
    let mut stopped: Vec<i32> = Vec::new();
    for _ in 0..PASSES {
        let new: Vec<i32> = which(&processes())
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

/// The owner of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Under a working reaper; or the guest itself; or started by the engine from outside, without a parent here.
    Owned,
    /// A child of the guest without a reaper. It may be dead: a child that it just started may be missing in the
    /// snapshot.
    Stray,
    /// Its parent ended while the snapshot was taken.
    Unknown,
}

fn kind(pid: i32, own: i32, reapers: &[i32], all: &HashMap<i32, Seen>) -> Kind {
    let mut at = pid;
    // A tree is never deeper than the snapshot has members. More steps mean a cycle, because processes moved meanwhile.
    for _ in 0..=all.len() {
        if reapers.contains(&at) || at == 0 || pid == own {
            return Kind::Owned;
        }
        if at == own {
            return Kind::Stray;
        }
        match all.get(&at) {
            Some(seen) => at = seen.parent,
            None => return Kind::Unknown,
        }
    }
    Kind::Unknown
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

/// The name in a stat line may hold anything, even parentheses and newlines: parse after the last `)`.
fn parse_stat(stat: &[u8]) -> Option<Seen> {
    let after = stat.iter().rposition(|byte| *byte == b')')? + 1;
    let text = std::str::from_utf8(stat.get(after..)?).ok()?;
    let mut fields = text.split_ascii_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    let threads = fields.nth(THREADS).and_then(|count| count.parse().ok());
    Some(Seen {
        parent,
        dead: matches!(state, "Z" | "X") && threads.unwrap_or(1) <= 1,
    })
}

fn descendants(root: i32, all: &HashMap<i32, Seen>) -> Vec<i32> {
    all.iter()
        .filter(|(_, seen)| !seen.dead)
        .filter(|(_, seen)| {
            let mut parent = seen.parent;
            // A snapshot taken while processes move may hold a cycle; a tree is never deeper than it has members.
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
    fn process_name_with_parentheses_and_spaces_is_parsed() {
        let seen = parse_stat(b"17 (a) R 1 (b)\n) S 5 17 17 0 -1").unwrap();
        assert_eq!(
            seen,
            Seen {
                parent: 5,
                dead: false
            }
        );
        assert_eq!(parse_stat(b"garbage"), None);
    }

    #[test]
    fn zombie_leader_with_running_threads_is_alive() {
        let line =
            |threads| format!("9 (a) Z 1 1 1 0 -1 4227340 8 0 7 0 0 0 0 0 20 0 {threads} 0 27 0 0");
        let dead = |threads| parse_stat(line(threads).as_bytes()).map(|seen| seen.dead);
        assert_eq!(
            (dead(2), dead(1), dead(0)),
            (Some(false), Some(true), Some(true))
        );
        assert_eq!(parse_stat(b"9 (a) Z 1").map(|seen| seen.dead), Some(true));
    }

    #[test]
    fn stray_is_our_child_without_a_reaper() {
        let seen = |parent| Seen {
            parent,
            dead: false,
        };
        let dead = |parent| Seen { parent, dead: true };
        let all = HashMap::from([
            (1, seen(0)),
            (2, seen(1)),
            (3, seen(2)),
            (4, seen(1)),
            (5, seen(4)),
            (6, seen(0)),
            (7, seen(6)),
            (8, seen(99)),
            (9, dead(1)),
        ]);
        let kind = |pid| kind(pid, 1, &[2], &all);
        for owned in [1, 2, 3] {
            assert_eq!(kind(owned), Kind::Owned);
        }
        for from_outside in [6, 7] {
            assert_eq!(kind(from_outside), Kind::Owned);
        }
        for stray in [4, 5, 9] {
            assert_eq!(kind(stray), Kind::Stray);
        }
        assert_eq!(kind(8), Kind::Unknown);
    }

    #[test]
    fn descendants_of_any_depth_are_found_and_others_are_not() {
        let seen = |parent| Seen {
            parent,
            dead: false,
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
                    dead: true,
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
