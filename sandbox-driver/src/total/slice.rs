//! systemd slices: where their control groups are, and how systemd, which owns them, sets their limits.
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::tree::Control;

const ENDING: &str = ".slice";

/// The control group of a slice: each dash in its name is one level down (`a-b.slice` is in `a.slice`). `None` for an
/// invalid slice name.
pub(super) fn group(name: &str) -> Option<PathBuf> {
    let stem = name.strip_suffix(ENDING)?;
    let mut group = PathBuf::new();
    let mut so_far = String::new();
    for part in stem.split('-') {
        if !so_far.is_empty() {
            so_far.push('-');
        }
        so_far.push_str(part);
        group.push(format!("{so_far}{ENDING}"));
    }
    Some(group)
}

/// The slice's name, from its control group.
pub(super) fn name(group: &Path) -> String {
    let last = group.file_name().unwrap_or_default();
    last.to_string_lossy().into_owned()
}

/// Sets a limit until the next boot of the machine.
pub(super) fn set(slice: &str, control: Control, limit: u64) -> io::Result<()> {
    // A slice that was never started has no control group.
    systemctl(&["start".to_owned(), slice.to_owned()])?;
    let mut arguments = vec![
        "set-property".to_owned(),
        "--runtime".to_owned(),
        slice.to_owned(),
    ];
    arguments.extend(properties(control, limit));
    systemctl(&arguments)
}

fn properties(control: Control, limit: u64) -> Vec<String> {
    match control {
        Control::Memory => vec![format!("MemoryMax={limit}"), "MemorySwapMax=0".to_owned()],
        Control::Pids => vec![format!("TasksMax={limit}")],
        // In whole percent of one cpu.
        Control::Cpu => vec![format!("CPUQuota={}%", limit / 10_000_000)],
    }
}

fn systemctl(arguments: &[String]) -> io::Result<()> {
    let ran = Command::new("systemctl")
        .args(["--no-ask-password", "--quiet"])
        .args(arguments)
        .output()?;
    if ran.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&ran.stderr);
    Err(io::Error::other(format!(
        "systemctl: {}",
        roost_protocol::text::clean(said.trim(), 300)
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slice_path_follows_from_its_name() {
        assert_eq!(group("roost.slice"), Some(PathBuf::from("roost.slice")));
        let nested = group("roost-abc.slice").unwrap();
        assert_eq!(nested, Path::new("roost.slice/roost-abc.slice"));
        assert_eq!(name(&nested), "roost-abc.slice");
        assert_eq!(group("/roost"), None);
    }

    #[test]
    fn limits_are_written_as_systemd_properties() {
        assert_eq!(properties(Control::Cpu, 1_800_000_000), ["CPUQuota=180%"]);
        assert_eq!(properties(Control::Pids, 64), ["TasksMax=64"]);
        let memory = properties(Control::Memory, 4096);
        assert_eq!(memory, ["MemoryMax=4096", "MemorySwapMax=0"]);
    }
}
