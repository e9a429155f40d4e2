//! roostd as a service: a systemd unit of the system (root) or of the user.
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};

use crate::state::StateFolder;

/// The first line of every unit that roostd writes. Only files that begin with it are ever removed.
const MARK: &str = "# Made by `roostd join --install-service`; `roostd leave` removes it.";

/// Where the unit file is, and which systemd runs it.
struct Place {
    file: PathBuf,
    user: bool,
}

impl Place {
    fn of_this_user() -> anyhow::Result<Self> {
        if rustix::process::geteuid().is_root() {
            return Ok(Self {
                file: "/etc/systemd/system/roostd.service".into(),
                user: false,
            });
        }
        let config = std::env::var_os("XDG_CONFIG_HOME")
            .map(PathBuf::from)
            .or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".config")));
        let folder = config.context(
            "neither XDG_CONFIG_HOME nor HOME is set, so there is no place for a user's unit",
        )?;
        Ok(Self {
            file: folder.join("systemd/user/roostd.service"),
            user: true,
        })
    }

    fn systemctl(&self, arguments: &[&str]) -> bool {
        let mut command = Command::new("systemctl");
        if self.user {
            command.arg("--user");
        }
        command
            .args(arguments)
            .status()
            .is_ok_and(|status| status.success())
    }
}

/// The unit's text.
fn text(program: &Path, state: &Path, user: bool, docker_host: Option<&str>) -> String {
    let environment = docker_host
        .map(|host| format!("Environment=DOCKER_HOST={host}\n"))
        .unwrap_or_default();
    let wanted_by = if user {
        "default.target"
    } else {
        "multi-user.target"
    };
    format!(
        "{MARK}
[Unit]
Description=Roost node daemon
After=network-online.target docker.service
Wants=network-online.target

[Service]
Type=exec
ExecStart={program} --state-dir {state} run
{environment}# After `roostd leave` it ends by itself and stays down.
Restart=on-failure
RestartSec=5
# Sandboxes belong to the engine: a stop or restart of roostd leaves them running.
KillMode=process
TimeoutStopSec=15
NoNewPrivileges=yes
UMask=0077

[Install]
WantedBy={wanted_by}
",
        program = quoted(program),
        state = quoted(state),
    )
}

/// A path as one word of a unit file.
fn quoted(path: &Path) -> String {
    let text = path
        .display()
        .to_string()
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('%', "%%");
    format!("\"{text}\"")
}

/// Writes the unit and starts it. Without systemd, it prints what to do instead.
///
/// # Errors
/// When the unit cannot be written, or when a unit of another origin exists there.
pub fn install(state: &StateFolder) -> anyhow::Result<()> {
    let place = Place::of_this_user()?;
    if place.file.exists() && !ours(&place.file) {
        bail!(
            "{} was not made by roostd; remove it, or start `roostd run` in another way",
            place.file.display()
        );
    }
    let program = std::env::current_exe().context("cannot find the path of this program")?;
    let folder = place
        .file
        .parent()
        .context("the unit's folder has a name")?;
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let docker_host = std::env::var("DOCKER_HOST").ok();
    let unit = text(
        &program,
        &std::path::absolute(state.path())?,
        place.user,
        docker_host.as_deref(),
    );
    std::fs::write(&place.file, unit)
        .with_context(|| format!("cannot write {}", place.file.display()))?;
    let flag = if place.user { " --user" } else { "" };
    if place.systemctl(&["daemon-reload"])
        && place.systemctl(&["enable", "--now", "roostd.service"])
    {
        println!("Service installed and started: {}", place.file.display());
        if place.user {
            println!("It stops when you log out; `loginctl enable-linger` keeps it.");
        }
    } else {
        println!(
            "The unit is written to {}, but systemd did not accept it.",
            place.file.display()
        );
        println!(
            "Start it with `systemctl{flag} enable --now roostd`, or run `roostd run` under your own supervisor."
        );
    }
    Ok(())
}

/// Stops and removes the unit if roostd made it; returns whether there was one.
///
/// # Errors
/// When the file cannot be removed.
pub fn remove() -> anyhow::Result<bool> {
    let Ok(place) = Place::of_this_user() else {
        return Ok(false);
    };
    if !ours(&place.file) {
        return Ok(false);
    }
    place.systemctl(&["disable", "--now", "roostd.service"]);
    std::fs::remove_file(&place.file)
        .with_context(|| format!("cannot remove {}", place.file.display()))?;
    place.systemctl(&["daemon-reload"]);
    Ok(true)
}

fn ours(file: &Path) -> bool {
    std::fs::read_to_string(file).is_ok_and(|text| text.starts_with(MARK))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unit_quotes_paths_and_carries_the_engines_address() {
        let unit = text(
            Path::new("/opt/my roost/roostd"),
            Path::new("/s/100%"),
            true,
            Some("unix:///run/user/1/docker.sock"),
        );
        assert!(
            unit.contains("ExecStart=\"/opt/my roost/roostd\" --state-dir \"/s/100%%\" run\n"),
            "{unit}"
        );
        assert!(unit.contains("Environment=DOCKER_HOST=unix:///run/user/1/docker.sock\n"));
        assert!(unit.contains("WantedBy=default.target"));
        assert!(unit.starts_with(MARK));
    }
}
