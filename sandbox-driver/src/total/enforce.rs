//! Sets the total, reads it back, and reports why it is not enforced.
use std::io;
use std::path::{Path, PathBuf};

use super::tree::{Control, Place, Tree};
use super::{Allowance, KernelTotal, files, slice};
use crate::engine::EngineFacts;

/// The parent group of all installations on a machine.
pub(super) const TOP: &str = "roost-sandboxes";

/// Whether the kernel enforces the total.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Enforcement {
    Yes,
    No { why: String },
}

/// The parent group of an installation's sandboxes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Parent {
    tree: Tree,
    /// Path below the root of each hierarchy.
    group: PathBuf,
    /// The group above it, if it is ours as well.
    top: Option<PathBuf>,
    /// The slice's name, if systemd owns the control groups.
    slice: Option<String>,
}

impl Parent {
    /// The parent that is given to the engine; `None` when the engine chooses it.
    pub(crate) fn of(engine: &EngineFacts) -> Option<Self> {
        let name = engine.cgroup_parent.as_deref()?;
        Some(Self::named(Tree::of_this_process(), name))
    }

    fn named(tree: Tree, name: &str) -> Self {
        if let Some(group) = slice::group(name) {
            let top = group.parent().filter(|top| !top.as_os_str().is_empty());
            return Self {
                top: top.map(Path::to_owned),
                group,
                slice: Some(name.to_owned()),
                tree,
            };
        }
        let group = PathBuf::from(name.trim_start_matches('/'));
        let top = group.parent().filter(|top| *top == Path::new(TOP));
        Self {
            top: top.map(Path::to_owned),
            group,
            slice: None,
            tree,
        }
    }
}

impl KernelTotal {
    fn of(&self, control: Control) -> u64 {
        let limit = match control {
            Control::Memory => self.memory_bytes,
            Control::Pids => self.pids,
            Control::Cpu => self.nano_cpus,
        };
        files::rounded(limit, control)
    }
}

/// Sets missing limits, then checks them.
pub(super) fn enforce(parent: &Parent, allowance: &Allowance) -> Enforcement {
    let mut trouble = None;
    for control in Control::ALL {
        let Some(place) = parent.tree.place(control) else {
            continue;
        };
        let wanted = allowance.kernel.of(control);
        let set = || -> io::Result<()> {
            if let Some(top) = &parent.top {
                let now = files::get(&place, top, control).unwrap_or(None);
                if let Some(limit) = top_limit(now, allowance.share.of(control), wanted) {
                    put(parent, &place, top, control, limit)?;
                }
            }
            if files::get(&place, &parent.group, control).ok().flatten() != Some(wanted) {
                put(parent, &place, &parent.group, control, wanted)?;
            }
            Ok(())
        };
        if let Err(error) = set() {
            trouble.get_or_insert((control, error));
        }
    }
    match (check(parent, allowance), trouble) {
        (Enforcement::No { why }, Some((control, error))) => Enforcement::No {
            why: format!("{why} ({} could not be set: {error})", control.name()),
        },
        (found, _) => found,
    }
}

fn put(
    parent: &Parent,
    place: &Place,
    group: &Path,
    control: Control,
    limit: u64,
) -> io::Result<()> {
    match &parent.slice {
        // systemd would undo limits that another program writes into its control groups.
        Some(_) => slice::set(&slice::name(group), control, limit),
        None => files::set(place, group, control, limit),
    }
}

/// The limit of the group above all installations: the default share, or more if one of them was given more. It is never
/// lowered, because another installation may have raised it. `None` leaves it unchanged.
fn top_limit(now: Option<u64>, share: u64, wanted: u64) -> Option<u64> {
    match now {
        None => Some(share.max(wanted)),
        Some(now) => (now < wanted).then_some(wanted),
    }
}

/// Whether every control is limited to the wanted value or less, at the parent or above it.
pub(super) fn check(parent: &Parent, allowance: &Allowance) -> Enforcement {
    let mut missing = Vec::new();
    for control in Control::ALL {
        let wanted = allowance.kernel.of(control);
        let name = control.name();
        match parent.tree.place(control) {
            None => missing.push(format!("{name} cannot be limited: this program does not see the control groups of the machine")),
            Some(place) => match effective(&place, &parent.group, control) {
                Some(limit) if limit <= wanted => {}
                found => {
                    let found = found.map_or("not limited".to_owned(), |n| format!("limited to {n}"));
                    let group = place.root.join(&parent.group);
                    missing.push(format!("{name} is {found} at {} and should be limited to {wanted}", group.display()));
                }
            },
        }
    }
    if missing.is_empty() {
        return Enforcement::Yes;
    }
    let remedy = match &parent.slice {
        Some(slice) => format!(
            "let root run `systemctl set-property {slice} MemoryMax={} TasksMax={}`, or install roost.slice",
            allowance.kernel.memory_bytes, allowance.kernel.pids
        ),
        None => "run this program as root, or let root set it".to_owned(),
    };
    let why = format!("{}; {remedy}", missing.join("; "));
    Enforcement::No { why }
}

/// The lowest limit between the group and the root.
fn effective(place: &Place, group: &Path, control: Control) -> Option<u64> {
    group
        .ancestors()
        .filter(|group| !group.as_os_str().is_empty())
        .filter_map(|group| files::get(place, group, control).ok().flatten())
        .min()
}

/// Whether a container is below the parent, in the control groups that this process sees.
pub(super) fn contains(parent: &Parent, container: &str) -> bool {
    let Some(place) = parent.tree.place(Control::Memory) else {
        return false;
    };
    let entries = std::fs::read_dir(place.root.join(&parent.group));
    entries
        .into_iter()
        .flatten()
        .flatten()
        .any(|entry| entry.file_name().to_string_lossy().contains(container))
}

/// Removes the group if it is empty. The kernel refuses to remove others.
pub(super) fn forget(parent: &Parent) {
    if parent.slice.is_none() && parent.top.is_some() {
        for root in parent.tree.roots() {
            let _ = std::fs::remove_dir(root.join(&parent.group));
        }
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
