//! `roost node`: machines.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::{bail, ensure};
use http::Method;
use serde_json::{Value, json};

use super::Api;
use super::show::{self, field};

/// Machines.
#[derive(Debug, clap::Subcommand)]
pub enum Node {
    /// Make a single-use join code for a machine
    Pair {
        #[arg(long)]
        name: Option<String>,
        /// Wait until the machine is connected
        #[arg(long)]
        wait: bool,
    },
    /// List machines with their latest health
    List,
    /// Everything that is known of a machine
    Show { node: String },
    /// Measure a machine: engine, kernel, and a probe sandbox read from inside
    Verify { node: String },
    /// Take no new sandboxes there
    Drain { node: String },
    /// Take new sandboxes again
    Undrain { node: String },
    /// Give a machine a name
    Rename { node: String, name: String },
    /// Put words on a machine, to find it by; they replace those that it has
    Label { node: String, labels: Vec<String> },
    /// Remove a machine; its token is dead at once
    Delete { node: String },
}

impl Node {
    pub(super) async fn run(self, api: &Api) -> anyhow::Result<ExitCode> {
        match self {
            Self::Pair { name, wait } => pair(api, name, wait).await?,
            Self::List => list(api).await?,
            Self::Show { node } => details(api, &node).await?,
            Self::Label { node, labels } => {
                let body = Some(json!({ "labels": labels }));
                act(api, &node, Method::PATCH, "", body, "Labelled.").await?;
            }
            Self::Verify { node } => return verify(api, &node).await,
            Self::Drain { node } => {
                act(api, &node, Method::POST, "/drain", None, "Draining.").await?;
            }
            Self::Undrain { node } => {
                act(
                    api,
                    &node,
                    Method::POST,
                    "/undrain",
                    None,
                    "Takes sandboxes again.",
                )
                .await?;
            }
            Self::Rename { node, name } => {
                act(
                    api,
                    &node,
                    Method::PATCH,
                    "",
                    Some(json!({ "name": name })),
                    "Renamed.",
                )
                .await?;
            }
            Self::Delete { node } => act(api, &node, Method::DELETE, "", None, "Deleted.").await?,
        }
        Ok(ExitCode::SUCCESS)
    }
}

async fn pair(api: &Api, name: Option<String>, wait: bool) -> anyhow::Result<()> {
    let body = name.map_or_else(|| json!({}), |name| json!({ "name": name }));
    let paired = api.post("/api/nodes/pair", &body).await?;
    if api.json {
        show::json(&paired);
    } else {
        println!(
            "On the machine, run:\n\n  {}\n\nand give it this code (single use, until {}):\n\n  {}\n",
            field(&paired, "command"),
            show::moment(&paired, "expires_at"),
            field(&paired, "join_code")
        );
        println!(
            "Without roostd there, this line installs it first:\n\n  {}\n",
            field(&paired, "install.with_checksum")
        );
    }
    if wait {
        let id = field(&paired, "node.id");
        loop {
            let node = api.get(&format!("/api/nodes/{id}")).await?;
            match node["status"].as_str() {
                Some("pending") => show::progress("waiting for your machine…"),
                _ => {
                    show::progress_over();
                    println!("{} is connected.", field(&node, "name"));
                    return Ok(());
                }
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    }
    Ok(())
}

async fn all(api: &Api) -> anyhow::Result<Vec<Value>> {
    let mut items = Vec::new();
    let mut path = "/api/nodes?limit=200".to_owned();
    loop {
        let page = api.get(&path).await?;
        items.extend(page["items"].as_array().cloned().unwrap_or_default());
        match page["next_cursor"].as_str() {
            Some(cursor) => path = format!("/api/nodes?limit=200&cursor={cursor}"),
            None => return Ok(items),
        }
    }
}

async fn list(api: &Api) -> anyhow::Result<()> {
    let items = all(api).await?;
    if api.json {
        show::json(&json!(items));
        return Ok(());
    }
    let row = |node: &Value| {
        let percent = |path: &str| match field(node, path).parse::<f64>() {
            Ok(value) => format!("{value:.0} %"),
            Err(_) => "-".to_owned(),
        };
        let size = |name: &str| node["health"][name].as_u64();
        vec![
            field(node, "name"),
            field(node, "status"),
            field(node, "connection"),
            field(node, "sandboxes"),
            percent("health.cpu_pct"),
            format!(
                "{} of {}",
                show::bytes(size("memory_used_bytes")),
                show::bytes(size("memory_total_bytes"))
            ),
            field(node, "image"),
            show::moment(node, "last_seen_at"),
            field(node, "id"),
        ]
    };
    let rows: Vec<_> = items.iter().map(row).collect();
    show::table(
        &[
            "NAME",
            "STATUS",
            "CONNECTION",
            "SANDBOXES",
            "CPU",
            "MEMORY",
            "IMAGE",
            "LAST SEEN",
            "ID",
        ],
        &rows,
    );
    Ok(())
}

async fn details(api: &Api, node: &str) -> anyhow::Result<()> {
    let id = find(api, node).await?;
    let node = api.get(&format!("/api/nodes/{id}")).await?;
    if api.json {
        show::json(&node);
        return Ok(());
    }
    let tools = api.get(&format!("/api/nodes/{id}/tools")).await?;
    print!("{}", described(&node, &tools));
    Ok(())
}

fn described(node: &Value, tools: &Value) -> String {
    let mut text = String::new();
    let mut say = |label: &str, value: String| text.push_str(&format!("{label:<12} {value}\n"));
    for (label, path) in [
        ("name", "name"),
        ("hostname", "hostname"),
        ("id", "id"),
        ("status", "status"),
        ("connection", "connection"),
        ("address", "local_ip"),
        ("system", "os"),
        ("processor", "arch"),
        ("roostd", "daemon_version"),
        ("engine", "engine.name"),
        ("", "engine.version"),
        ("image", "image"),
        ("sandboxes", "sandboxes"),
    ] {
        say(label, field(node, path));
    }
    say("last seen", show::moment(node, "last_seen_at"));
    let words = |value: &Value| {
        let words: Vec<String> = value
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .map(show::clean)
            .collect();
        words.join(" ")
    };
    say("labels", words(&node["labels"]));
    for tool in tools["items"].as_array().into_iter().flatten() {
        say(&field(tool, "tool"), field(tool, "version"));
    }
    for problem in node["problems"].as_array().into_iter().flatten() {
        say("PROBLEM", field(problem, "detail"));
    }
    text
}

async fn verify(api: &Api, node: &str) -> anyhow::Result<ExitCode> {
    let id = find(api, node).await?;
    show::progress("measuring the machine…");
    let report = api
        .post(&format!("/api/nodes/{id}/exec-test"), &json!({}))
        .await;
    show::progress_over();
    let report = report?;
    let ok = report["ok"] == json!(true);
    if api.json {
        show::json(&report);
    } else {
        for check in report["checks"].as_array().into_iter().flatten() {
            let mark = match check["level"].as_str() {
                Some("ok") => "ok  ",
                Some("warn") => "warn",
                _ => "FAIL",
            };
            println!(
                "{mark}  {}: {}",
                field(check, "title"),
                field(check, "detail")
            );
        }
        let facts = report["probe"]
            .as_array()
            .map(Vec::as_slice)
            .unwrap_or_default();
        let good = facts
            .iter()
            .filter(|fact| fact["ok"] == json!(true))
            .count();
        println!(
            "{good} of {} facts inside a probe sandbox are as intended",
            facts.len()
        );
        for fact in facts.iter().filter(|fact| fact["ok"] != json!(true)) {
            println!(
                "FAIL  {}: wanted {}, found {}",
                field(fact, "title"),
                field(fact, "expected"),
                field(fact, "actual")
            );
        }
    }
    Ok(if ok {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

async fn act(
    api: &Api,
    node: &str,
    method: Method,
    tail: &str,
    body: Option<Value>,
    said: &str,
) -> anyhow::Result<()> {
    let id = find(api, node).await?;
    let answer = api
        .call(method, &format!("/api/nodes/{id}{tail}"), body.as_ref())
        .await?;
    if api.json {
        show::json(&answer);
    } else {
        println!("{said}");
    }
    Ok(())
}

pub(super) async fn find(api: &Api, wanted: &str) -> anyhow::Result<String> {
    if uuid::Uuid::parse_str(wanted).is_ok() {
        return Ok(wanted.to_owned());
    }
    let named: Vec<String> = all(api)
        .await?
        .iter()
        .filter(|node| node["name"] == wanted || node["hostname"] == wanted)
        .filter_map(|node| node["id"].as_str().map(str::to_owned))
        .collect();
    ensure!(
        named.len() < 2,
        "{} machines are called {wanted:?}; name one by its id",
        named.len()
    );
    match named.into_iter().next() {
        Some(id) => Ok(id),
        None => bail!("no machine is called {wanted:?}; see `roost node list`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_that_calls_itself_something_hostile_makes_no_line_and_moves_no_cursor() {
        let hostile = "x\u{1b}[2J\u{202e}\nstatus online";
        let node = json!({ "name": hostile, "hostname": hostile, "os": hostile, "daemon_version": hostile,
            "engine": { "name": hostile, "version": hostile }, "labels": [hostile],
            "problems": [{ "code": "x", "detail": hostile }] });
        let tools = json!({ "items": [{ "tool": hostile, "version": hostile }] });
        let text = described(&node, &tools);
        assert!(
            !text
                .chars()
                .any(|c| c != '\n' && roost_protocol::text::is_hidden(c)),
            "{text:?}"
        );
        assert!(
            !text.lines().any(|line| line.starts_with("status online")),
            "{text}"
        );
    }
}
