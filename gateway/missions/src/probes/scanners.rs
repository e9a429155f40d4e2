//! The scanners that Roost starts, when the image of the sandbox has them. A sandbox has no network, so scanners that ask a
//! server are not in the list.
use serde::{Deserialize, Serialize};

use crate::findings::Format;

/// The exit code of a scanner that the image lacks.
pub(super) const NOT_THERE: i32 = 127;
/// The exit code when the repository has nothing for the scanner.
pub(super) const NOTHING_TO_SCAN: i32 = 66;

/// A scanner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scanner {
    /// Python code.
    Bandit,
    /// Code of many languages, with the rules of the image and of the repository.
    Semgrep,
    /// Known vulnerabilities of Rust crates, with an advisory database of the image.
    CargoAudit,
    /// Vulnerabilities, bans and licences of Rust crates, by the repository's own settings.
    CargoDeny,
}

impl Scanner {
    pub const ALL: [Self; 4] = [
        Self::Bandit,
        Self::Semgrep,
        Self::CargoAudit,
        Self::CargoDeny,
    ];

    /// The name in a mission's config.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bandit => "bandit",
            Self::Semgrep => "semgrep",
            Self::CargoAudit => "cargo_audit",
            Self::CargoDeny => "cargo_deny",
        }
    }

    /// The scanner with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scanner| scanner.name() == name)
    }

    pub(super) const fn format(self) -> Format {
        match self {
            Self::Bandit => Format::Bandit,
            Self::Semgrep => Format::Semgrep,
            Self::CargoAudit => Format::CargoAudit,
            Self::CargoDeny => Format::CargoDeny,
        }
    }

    /// What a person reads when the image lacks it.
    pub(super) const fn absent(self) -> &'static str {
        match self {
            Self::Bandit | Self::Semgrep => {
                "The image of the sandbox does not have it. The image `security` has it."
            }
            Self::CargoAudit | Self::CargoDeny => "The image of the sandbox does not have it.",
        }
    }

    /// The program in the image, and its name in the list of the image's tools.
    pub(super) const fn program(self) -> &'static str {
        match self {
            Self::Bandit => "bandit",
            Self::Semgrep => "semgrep",
            Self::CargoAudit => "cargo-audit",
            Self::CargoDeny => "cargo-deny",
        }
    }

    /// A test whether the repository has something for the scanner.
    const fn applies(self) -> &'static str {
        match self {
            Self::Bandit => "git ls-files '*.py' | grep -q .",
            Self::Semgrep => {
                "[ -d /usr/share/roost/semgrep ] || [ -e .semgrep.yml ] || [ -d .semgrep ]"
            }
            Self::CargoAudit => "[ -f Cargo.lock ]",
            Self::CargoDeny => "[ -f Cargo.toml ] && [ -f deny.toml ]",
        }
    }

    /// Writes the report to the output. Findings are no failure of the command. `$why` gets what it says beside its report.
    const fn run(self) -> &'static str {
        match self {
            // It exits with 1 when it found something. Versions before 1.7 have no option against that.
            Self::Bandit => "bandit -q -r . -f json || [ $? = 1 ]",
            Self::Semgrep => {
                "set --\n\
                 for rules in /usr/share/roost/semgrep .semgrep.yml .semgrep; do\n\
                 [ ! -e \"$rules\" ] || set -- \"$@\" --config \"$rules\"\n\
                 done\n\
                 semgrep scan --quiet --metrics off --disable-version-check --json \"$@\" ."
            }
            // It also fails when it found something, and without a database it writes no report.
            Self::CargoAudit => {
                "cargo-audit audit --json --no-fetch --stale >\"$why.json\" || true\n\
                 [ -s \"$why.json\" ] && cat \"$why.json\""
            }
            Self::CargoDeny => {
                "cargo-deny --offline --format json check --disable-fetch 2>&1 >/dev/null || true"
            }
        }
    }

    /// The script that scans a folder. When the scanner fails, the end of what it said is the end of the output.
    pub(super) fn script(self, folder: Option<&str>) -> String {
        let cd = folder.map(|folder| format!("cd {folder}\n"));
        format!(
            "{}{{ {}; }} || {{ echo 'The repository has nothing for it.'; exit {NOTHING_TO_SCAN}; }}\n\
             command -v {} >/dev/null 2>&1 || {{ echo 'The image of the sandbox does not have it.'; exit {NOT_THERE}; }}\n\
             why=$(mktemp)\n\
             report() {{\n{}\n}}\n\
             report 2>\"$why\" || {{ code=$?; tail -n 5 \"$why\"; exit $code; }}\n",
            cd.unwrap_or_default(),
            self.applies(),
            self.program(),
            self.run()
        )
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn cargo_audit_without_a_database_ends_with_its_reason_and_with_one_with_its_report() {
        let folder = std::env::temp_dir().join(format!("roost-scan-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("Cargo.lock"), "").unwrap();
        let tool = folder.join("cargo-audit");
        let run = |says: &str| {
            std::fs::write(&tool, format!("#!/bin/sh\n{says}\nexit 1\n")).unwrap();
            let path = format!("{}:/usr/bin:/bin", folder.display());
            let script = format!("chmod +x cargo-audit\n{}", Scanner::CargoAudit.script(None));
            let mut shell = Command::new("/bin/sh");
            shell.args(["-c", &script]).env("PATH", path);
            let done = shell.current_dir(&folder).output().unwrap();
            let said = String::from_utf8(done.stdout).unwrap();
            (done.status.code(), said)
        };
        let none = run("echo 'error: no advisory database' >&2");
        assert_eq!(none, (Some(1), "error: no advisory database\n".to_owned()));
        let some = run("echo '{\"vulnerabilities\":{}}'");
        assert_eq!(some, (Some(0), "{\"vulnerabilities\":{}}\n".to_owned()));
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn names_are_those_of_the_config_and_of_the_artifact() {
        for scanner in Scanner::ALL {
            assert_eq!(Scanner::named(scanner.name()), Some(scanner));
            assert_eq!(serde_json::to_value(scanner).unwrap(), scanner.name());
        }
        assert_eq!(Scanner::named("nmap"), None);
    }
}
