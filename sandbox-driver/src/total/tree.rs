//! Where the kernel's control groups are, by version. It reads this process's mounts.
use std::path::{Path, PathBuf};

/// A limited resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Control {
    Memory,
    Pids,
    Cpu,
}

/// The version of a hierarchy, which decides its files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Version {
    One,
    Two,
}

/// The root of the hierarchy of a control.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) version: Version,
    pub(crate) root: PathBuf,
}

/// All hierarchies that this process sees completely.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tree {
    first: Vec<(Vec<String>, PathBuf)>,
    second: Option<PathBuf>,
}

impl Control {
    pub(crate) const ALL: [Self; 3] = [Self::Memory, Self::Pids, Self::Cpu];

    /// The controller's name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Pids => "pids",
            Self::Cpu => "cpu",
        }
    }
}

impl Tree {
    /// The hierarchies of this process.
    pub(crate) fn of_this_process() -> Self {
        Self::parse(&std::fs::read_to_string("/proc/self/mountinfo").unwrap_or_default())
    }

    /// Parses mounts in the format of `/proc/self/mountinfo`. A mount that shows only part of a hierarchy is skipped,
    /// because its paths are not the engine's.
    fn parse(mounts: &str) -> Self {
        let mut tree = Self::default();
        for line in mounts.lines() {
            let Some((before, after)) = line.split_once(" - ") else {
                continue;
            };
            let (before, after): (Vec<&str>, Vec<&str>) =
                (before.split(' ').collect(), after.split(' ').collect());
            let (Some(&"/"), Some(&at)) = (before.get(3), before.get(4)) else {
                continue;
            };
            let at = PathBuf::from(at);
            match (after.first(), after.get(2)) {
                (Some(&"cgroup"), Some(options)) => {
                    let names = options.split(',').map(str::to_owned).collect();
                    tree.first.push((names, at));
                }
                (Some(&"cgroup2"), _) => tree.second = Some(at),
                _ => {}
            }
        }
        tree
    }

    /// Where a control is; `None` where this process does not see it.
    pub(crate) fn place(&self, control: Control) -> Option<Place> {
        let has = |names: &[String]| names.iter().any(|name| name == control.name());
        if let Some((_, root)) = self.first.iter().find(|(names, _)| has(names)) {
            return Some(Place {
                version: Version::One,
                root: root.clone(),
            });
        }
        let root = self.second.clone()?;
        let there = std::fs::read_to_string(root.join("cgroup.controllers")).ok()?;
        let there = there.split_whitespace().any(|name| name == control.name());
        there.then_some(Place {
            version: Version::Two,
            root,
        })
    }

    /// The root of every hierarchy, for cleaning up.
    pub(crate) fn roots(&self) -> impl Iterator<Item = &Path> {
        let first = self.first.iter().map(|(_, root)| root.as_path());
        first.chain(self.second.as_deref())
    }

    /// A tree of one hierarchy of version 2, for tests.
    #[cfg(test)]
    pub(crate) fn second(root: &Path) -> Self {
        Self {
            first: Vec::new(),
            second: Some(root.to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HYBRID: &str = "\
30 29 0:26 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu
31 29 0:27 / /sys/fs/cgroup/cpuacct rw,relatime shared:9 - cgroup cgroup rw,cpuacct
32 29 0:28 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
33 29 0:29 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids
34 29 0:30 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
35 29 8:1 / / rw,relatime - ext4 /dev/root rw
";

    #[test]
    fn cgroup_v1_is_used_where_a_controller_is_in_both() {
        let tree = Tree::parse(HYBRID);
        for (control, at) in [
            (Control::Memory, "memory"),
            (Control::Pids, "pids"),
            (Control::Cpu, "cpu"),
        ] {
            let expected = Place {
                version: Version::One,
                root: Path::new("/sys/fs/cgroup").join(at),
            };
            assert_eq!(tree.place(control), Some(expected));
        }
        assert_eq!(tree.roots().count(), 5);
        let joined = HYBRID.replace("rw,cpu\n", "rw,cpu,cpuacct\n");
        let place = Tree::parse(&joined).place(Control::Cpu).unwrap();
        assert_eq!(place.root, Path::new("/sys/fs/cgroup/cpu"));
    }

    #[test]
    fn cgroup_v2_lists_its_controllers() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(
            folder.path().join("cgroup.controllers"),
            "cpuset cpu memory\n",
        )
        .unwrap();
        let line = format!(
            "1 0 0:1 / {} rw - cgroup2 cgroup2 rw",
            folder.path().display()
        );
        let tree = Tree::parse(&line);
        assert_eq!(tree.place(Control::Memory).unwrap().version, Version::Two);
        assert_eq!(tree.place(Control::Pids), None);
    }

    #[test]
    fn partial_hierarchy_mount_is_not_the_engines() {
        let part = HYBRID.replace(" / /sys", " /docker/abc /sys");
        assert_eq!(Tree::parse(&part), Tree::default());
        assert_eq!(
            Tree::parse("nonsense\n\n - \n").place(Control::Memory),
            None
        );
    }
}
