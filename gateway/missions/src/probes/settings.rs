//! The keys `benchmark` and `security` of a mission's config.
use serde::Deserialize;
use serde_json::{Map, Value};

use super::scanners::Scanner;
use roost_web::json::Mistakes;

const MOST_COMMAND: usize = 4_000;
const MOST_ITERATIONS: u64 = 20;
const MOST_DEADLINE_S: u64 = 2 * 3600;
/// How many SARIF files of the repository are read.
const MOST_SARIF: usize = 20;
const MOST_PATH: usize = 200;

/// How a benchmark phase measures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BenchmarkSettings {
    /// A command for `/bin/sh` at the top of the repository. Absent: Roost looks for one.
    pub command: Option<String>,
    /// How often each side is measured.
    pub iterations: u32,
    /// Seconds that one run of the command may take.
    pub deadline_s: u64,
}

impl Default for BenchmarkSettings {
    fn default() -> Self {
        Self {
            command: None,
            iterations: 6,
            deadline_s: 900,
        }
    }
}

/// What a security phase scans with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecuritySettings {
    /// Empty: each scanner that the image has.
    pub scanners: Vec<Scanner>,
    /// Paths in the repository of SARIF files that its own tools wrote.
    pub sarif: Vec<String>,
    /// Seconds that one scanner may take.
    pub deadline_s: u64,
}

impl Default for SecuritySettings {
    fn default() -> Self {
        Self {
            scanners: Vec::new(),
            sarif: Vec::new(),
            deadline_s: 900,
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenBenchmark {
    command: Option<String>,
    iterations: Option<u64>,
    deadline_s: Option<u64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenSecurity {
    scanners: Option<Vec<String>>,
    sarif: Option<Vec<String>>,
    deadline_s: Option<u64>,
}

impl BenchmarkSettings {
    /// Reads `config.benchmark`. Adds a mistake for each wrong value.
    pub fn of(config: &Map<String, Value>, mistakes: &mut Mistakes) -> Self {
        let at = "/config/benchmark";
        let written: WrittenBenchmark = written(config, "benchmark", mistakes);
        let mut settings = Self::default();
        if let Some(command) = written.command {
            let command = command.trim();
            if command.is_empty() || command.len() > MOST_COMMAND || command.contains('\0') {
                let detail = format!("must be a command of at most {MOST_COMMAND} bytes");
                mistakes.add(&format!("{at}/command"), detail);
            }
            settings.command = Some(command.to_owned());
        }
        if let Some(iterations) = written.iterations {
            if !(1..=MOST_ITERATIONS).contains(&iterations) {
                let detail = format!("must be from 1 to {MOST_ITERATIONS}");
                mistakes.add(&format!("{at}/iterations"), detail);
            }
            let iterations = iterations.clamp(1, MOST_ITERATIONS);
            settings.iterations = u32::try_from(iterations).unwrap_or(1);
        }
        settings.deadline_s = deadline(at, written.deadline_s, mistakes);
        settings
    }
}

impl SecuritySettings {
    /// Reads `config.security`. Adds a mistake for each wrong value.
    pub fn of(config: &Map<String, Value>, mistakes: &mut Mistakes) -> Self {
        let at = "/config/security";
        let written: WrittenSecurity = written(config, "security", mistakes);
        let mut settings = Self::default();
        for (place, name) in written.scanners.unwrap_or_default().iter().enumerate() {
            match Scanner::named(name) {
                Some(scanner) if settings.scanners.contains(&scanner) => {}
                Some(scanner) => settings.scanners.push(scanner),
                None => {
                    let known: Vec<&str> = Scanner::ALL.iter().map(|one| one.name()).collect();
                    let detail = format!("is no scanner; use {}", known.join(", "));
                    mistakes.add(&format!("{at}/scanners/{place}"), detail);
                }
            }
        }
        let sarif = written.sarif.unwrap_or_default();
        if sarif.len() > MOST_SARIF {
            let detail = format!("must have at most {MOST_SARIF} paths");
            mistakes.add(&format!("{at}/sarif"), detail);
        }
        for (place, path) in sarif.into_iter().take(MOST_SARIF).enumerate() {
            if !is_inside(&path) {
                let detail = format!(
                    "must be the path of a file in the repository, without `..`, of at most {MOST_PATH} characters"
                );
                mistakes.add(&format!("{at}/sarif/{place}"), detail);
            } else if !settings.sarif.contains(&path) {
                settings.sarif.push(path);
            }
        }
        settings.deadline_s = deadline(at, written.deadline_s, mistakes);
        settings
    }
}

/// Whether a path stays in the folder that it begins in.
fn is_inside(path: &str) -> bool {
    let parts = || path.split('/');
    path.chars().count() <= MOST_PATH
        && !path.chars().any(char::is_control)
        && parts().all(|part| !part.is_empty() && part != "..")
}

/// Adds a mistake for each wrong value of both keys.
pub fn check(config: &Map<String, Value>, mistakes: &mut Mistakes) {
    BenchmarkSettings::of(config, mistakes);
    SecuritySettings::of(config, mistakes);
}

fn written<T: Default + for<'de> Deserialize<'de>>(
    config: &Map<String, Value>,
    key: &str,
    mistakes: &mut Mistakes,
) -> T {
    let Some(value) = config.get(key) else {
        return T::default();
    };
    match serde_json::from_value(value.clone()) {
        Ok(written) => written,
        Err(error) => {
            mistakes.add(&format!("/config/{key}"), format!("is wrong: {error}"));
            T::default()
        }
    }
}

fn deadline(at: &str, written: Option<u64>, mistakes: &mut Mistakes) -> u64 {
    let deadline = written.unwrap_or(900);
    if !(1..=MOST_DEADLINE_S).contains(&deadline) {
        let detail = format!("must be from 1 to {MOST_DEADLINE_S}");
        mistakes.add(&format!("{at}/deadline_s"), detail);
    }
    deadline.clamp(1, MOST_DEADLINE_S)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(config: Value) -> (BenchmarkSettings, SecuritySettings, bool) {
        let mut mistakes = Mistakes::default();
        let config = config.as_object().unwrap().clone();
        let benchmark = BenchmarkSettings::of(&config, &mut mistakes);
        let security = SecuritySettings::of(&config, &mut mistakes);
        (benchmark, security, mistakes.done().is_err())
    }

    #[test]
    fn absent_keys_have_defaults() {
        let (benchmark, security, is_wrong) = read(json!({}));
        assert_eq!(benchmark, BenchmarkSettings::default());
        assert_eq!(security, SecuritySettings::default());
        assert!(!is_wrong);
    }

    #[test]
    fn written_values_are_read() {
        let (benchmark, security, is_wrong) = read(json!({
            "benchmark": { "command": " make bench ", "iterations": 8, "deadline_s": 60 },
            "security": { "scanners": ["bandit", "bandit"], "sarif": ["out/it's.sarif", "out/it's.sarif"] },
        }));
        assert_eq!(benchmark.command.as_deref(), Some("make bench"));
        assert_eq!((benchmark.iterations, benchmark.deadline_s), (8, 60));
        assert_eq!(security.scanners, [Scanner::Bandit]);
        assert_eq!(security.sarif, ["out/it's.sarif"]);
        assert!(!is_wrong);
    }

    #[test]
    fn wrong_values_are_mistakes() {
        for config in [
            json!({ "benchmark": "make bench" }),
            json!({ "benchmark": { "comand": "make bench" } }),
            json!({ "benchmark": { "command": " " } }),
            json!({ "benchmark": { "iterations": 0 } }),
            json!({ "benchmark": { "iterations": 1_000_000 } }),
            json!({ "benchmark": { "deadline_s": 0 } }),
            json!({ "security": { "scanners": ["nmap"] } }),
            json!({ "security": { "sarif": [""] } }),
            json!({ "security": { "sarif": ["/etc/passwd"] } }),
            json!({ "security": { "sarif": ["out/../../x.sarif"] } }),
            json!({ "security": { "sarif": ["a\nb"] } }),
            json!({ "security": { "sarif": ["a".repeat(201)] } }),
            json!({ "security": { "sarif": vec!["a.sarif"; 21] } }),
        ] {
            assert!(read(config.clone()).2, "{config}");
        }
    }
}
