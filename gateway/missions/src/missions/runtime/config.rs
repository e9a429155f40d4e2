//! The runtime that a mission names in `config.runtime`. Pure code.

use regex::Regex;
use serde_json::{Map, Value};

use roost_web::json::Mistakes;

/// The port of ZeroClaw's gateway.
const PORT: u16 = 42617;
/// ZeroClaw prints its code in such a line.
const PAIRING: &str = r"X-Pairing-Code:\s*([A-Za-z0-9_-]{4,64})";
/// The program of the recipe `runtime`.
const PROGRAM: &str = "roost-runtime";
/// The most bytes of a command. It may have a script in it.
const MOST_COMMAND: usize = 16 * 1024;
const MOST_PATTERN: usize = 1_000;

/// The runtime of a mission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuntimeConfig {
    pub image: String,
    /// For `/bin/sh`.
    pub command: String,
    pub port: u16,
    pub path: String,
    /// Finds the pairing code. `None` for a server without pairing.
    pub pairing: Option<String>,
}

/// The runtime of a stored config.
pub fn of(config: &str) -> Option<RuntimeConfig> {
    let config: Map<String, Value> = serde_json::from_str(config).ok()?;
    read(&config, &mut Mistakes::default())
}

/// The runtime of a config. `None` when it names none. Adds a mistake for each wrong value.
pub fn read(config: &Map<String, Value>, mistakes: &mut Mistakes) -> Option<RuntimeConfig> {
    let named = config.get("runtime")?;
    let Some(named) = named.as_object() else {
        mistakes.add("/config/runtime", "must be an object with the key image");
        return None;
    };
    for key in named.keys() {
        if !["image", "command", "port", "path", "pairing"].contains(&key.as_str()) {
            let at = format!(
                "/config/runtime/{}",
                key.replace('~', "~0").replace('/', "~1")
            );
            mistakes.add(
                &at,
                "is not a key: use image, command, port, path and pairing",
            );
        }
    }
    Some(RuntimeConfig {
        image: image(named.get("image"), mistakes),
        command: command(named.get("command"), mistakes),
        port: port(named.get("port"), mistakes),
        path: path(named.get("path"), mistakes),
        pairing: pairing(named.get("pairing"), mistakes),
    })
}

fn image(value: Option<&Value>, mistakes: &mut Mistakes) -> String {
    let name = value
        .and_then(Value::as_str)
        .filter(|name| !name.is_empty());
    if name.is_none() {
        let detail = "must be the name of an image; `/api/images` lists the images";
        mistakes.add("/config/runtime/image", detail);
    }
    name.unwrap_or_default().to_owned()
}

fn command(value: Option<&Value>, mistakes: &mut Mistakes) -> String {
    let Some(value) = value else {
        return PROGRAM.to_owned();
    };
    let fits =
        |line: &&str| !line.trim().is_empty() && line.len() <= MOST_COMMAND && !line.contains('\0');
    let line = value.as_str().filter(fits);
    if line.is_none() {
        let detail = "must be a command for /bin/sh, of at most 16 KiB";
        mistakes.add("/config/runtime/command", detail);
    }
    line.unwrap_or_default().to_owned()
}

fn port(value: Option<&Value>, mistakes: &mut Mistakes) -> u16 {
    let Some(value) = value else {
        return PORT;
    };
    let port = value.as_u64().and_then(|port| u16::try_from(port).ok());
    let port = port.filter(|port| *port >= 1024);
    if port.is_none() {
        mistakes.add("/config/runtime/port", "must be a port from 1024 to 65535");
    }
    port.unwrap_or(PORT)
}

fn path(value: Option<&Value>, mistakes: &mut Mistakes) -> String {
    let Some(value) = value else {
        return "/".to_owned();
    };
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "/-._~{}".contains(letter);
    let path = value.as_str().filter(|path| {
        let rest = path.replace("{agent}", "");
        path.starts_with('/')
            && path.len() <= 200
            && rest.chars().all(plain)
            && !rest.contains(['{', '}'])
    });
    if path.is_none() {
        let detail = "must begin with a slash, and have only letters, digits, `-._~` and `{agent}`";
        mistakes.add("/config/runtime/path", detail);
    }
    path.unwrap_or("/").to_owned()
}

fn pairing(value: Option<&Value>, mistakes: &mut Mistakes) -> Option<String> {
    match value {
        None => Some(PAIRING.to_owned()),
        Some(Value::Bool(false)) => None,
        Some(value) => {
            let pattern = value.as_str().filter(|pattern| {
                let one_group = |pattern: Regex| pattern.captures_len() == 2;
                pattern.len() <= MOST_PATTERN && Regex::new(pattern).is_ok_and(one_group)
            });
            if pattern.is_none() {
                let detail =
                    "must be a regular expression with one group, which is the code; or false";
                mistakes.add("/config/runtime/pairing", detail);
            }
            pattern.map(str::to_owned)
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read_of(runtime: Value) -> (Option<RuntimeConfig>, Vec<String>) {
        let config = json!({ "runtime": runtime });
        let mut mistakes = Mistakes::default();
        let read = read(config.as_object().unwrap(), &mut mistakes);
        let errors = mistakes.done().err().map(|error| error.errors);
        let places = errors.unwrap_or_default().into_iter();
        (read, places.map(|error| error.pointer).collect())
    }

    #[test]
    fn defaults_are_those_of_zeroclaw_and_of_the_recipe() {
        assert_eq!(read(&Map::new(), &mut Mistakes::default()), None);
        let (read, wrong) = read_of(json!({ "image": "runtime" }));
        let read = read.unwrap();
        assert!(wrong.is_empty());
        assert_eq!((read.port, read.path.as_str()), (42617, "/"));
        assert_eq!(read.command, "roost-runtime");
        let pattern = Regex::new(&read.pairing.unwrap()).unwrap();
        let line = "     Send: POST /pair with header X-Pairing-Code: 384112";
        assert_eq!(&pattern.captures(line).unwrap()[1], "384112");
    }

    #[test]
    fn server_without_pairing_and_with_agents_in_its_path_is_possible() {
        let runtime = json!({ "image": "r", "pairing": false, "path": "/a2a/{agent}", "port": 8080, "command": "zeroclaw gateway" });
        let (read, wrong) = read_of(runtime);
        let read = read.unwrap();
        assert!(wrong.is_empty(), "{wrong:?}");
        assert_eq!((read.pairing, read.path.as_str()), (None, "/a2a/{agent}"));
    }

    #[test]
    fn wrong_values_name_their_place() {
        for (runtime, pointer) in [
            (json!("x"), "/config/runtime"),
            (json!({}), "/config/runtime/image"),
            (json!({ "image": "r", "port": 80 }), "/config/runtime/port"),
            (
                json!({ "image": "r", "port": 70_000 }),
                "/config/runtime/port",
            ),
            (
                json!({ "image": "r", "command": ["a"] }),
                "/config/runtime/command",
            ),
            (
                json!({ "image": "r", "command": "a\0" }),
                "/config/runtime/command",
            ),
            (
                json!({ "image": "r", "command": " " }),
                "/config/runtime/command",
            ),
            (
                json!({ "image": "r", "path": "a2a" }),
                "/config/runtime/path",
            ),
            (
                json!({ "image": "r", "path": "/a b" }),
                "/config/runtime/path",
            ),
            (
                json!({ "image": "r", "path": "/{role}" }),
                "/config/runtime/path",
            ),
            (
                json!({ "image": "r", "pairing": "code" }),
                "/config/runtime/pairing",
            ),
            (
                json!({ "image": "r", "pairing": "(" }),
                "/config/runtime/pairing",
            ),
            (
                json!({ "image": "r", "pairing": true }),
                "/config/runtime/pairing",
            ),
            (
                json!({ "image": "r", "token": "x" }),
                "/config/runtime/token",
            ),
        ] {
            assert_eq!(read_of(runtime.clone()).1, [pointer], "{runtime}");
        }
    }
}
