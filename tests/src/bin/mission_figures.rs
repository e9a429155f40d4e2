//! Measures missions: what a mission adds to its commands (four phases with twelve scripted agents in a real sandbox), the
//! list of 1,000 missions and one of them opened, and the reader of task markers beside a regular expression that finds the
//! same lines. Prints medians. The first part needs an engine and the image of `ROOST_TEST_AGENT_IMAGE`.
//! `mission_figures [rounds]`.

use std::fmt::Write;
use std::hint::black_box;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use futures::{StreamExt, TryStreamExt};
use regex::Regex;
use roost_missions::tasks::parser::marks;
use roost_tests::{Client, Process, Store};
use serde_json::{Value, json};

/// Seconds that each agent's command takes.
const COMMAND_S: u32 = 2;
const PHASES: [&str; 4] = ["research", "coding", "coding", "coding"];
/// Two teams: one for the research, one for the coding phases.
const AGENTS: usize = 6;
const TEAMS: usize = 2;
const MISSIONS: usize = 1_000;
/// Missions that are made at the same time.
const AT_ONCE: usize = 8;
/// Tasks of the large mission, and of each other one. Each task has three markers.
const TASKS: usize = 1_000;
const FEW_TASKS: usize = 20;
/// Bytes of the text with markers.
const TEXT: usize = 16 << 20;
/// A longer time means a fault.
const PATIENCE: Duration = Duration::from_secs(300);

#[tokio::main]
async fn main() -> Result<()> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let rounds = std::env::args().nth(1);
    let rounds = rounds.map_or(Ok(5), |text| text.parse::<usize>())?;
    parser(rounds)?;
    let folder = tempfile::tempdir()?;
    let script = folder.path().join("script.toml");
    let (many, few) = (said(TASKS), said(FEW_TASKS));
    std::fs::write(
        &script,
        format!(
            "[[scene]]\nprompt = 'Plan much'\n  [[scene.turn]]\n  say = '''\n{many}'''\n[[scene]]\nprompt = 'Plan a little'\n  \
             [[scene.turn]]\n  say = '''\n{few}'''\n[[scene]]\n  [[scene.turn]]\n  say = \"I work.\"\n  calls = [{{ tool = \"shell\", arguments = {{ command = \"sleep \
             {COMMAND_S}\" }} }}]\n  [[scene.turn]]\n  say = \"Done.\"\n"
        ),
    )?;
    let image = std::env::var("ROOST_TEST_AGENT_IMAGE");
    let image = image.unwrap_or_else(|_| "roost-agent:rust".to_owned());
    let set = [
        ("runs.script", script.to_str().context("a path of text")?),
        ("sandboxes.image", &image),
        ("sandboxes.local", "on"),
        ("broker.start", "off"),
        // Each mission mints an agent.
        ("plans.scale", "{ agents = 2000, live_containers = 200 }"),
    ];
    let mut process = Process::start_with(folder.path(), &Store::Sqlite, &set).await;
    let owner = process.owner().await;
    phases(&owner, rounds).await?;
    lists(&owner).await?;
    process.terminate().await;
    Ok(())
}

/// The reader of markers, and a regular expression over the same text. The expression does not know of code fences, titles
/// and bodies.
fn parser(rounds: usize) -> Result<()> {
    let mut text = String::new();
    let mut task = 0;
    while text.len() < TEXT {
        task = task % 90_000 + 1;
        writeln!(
            text,
            "TASK: INT-{task:05}\nMake the parser faster\n\nIt copies each line. See `src/lib.rs:12`.\n\n```text\nWORK: \
             INT-{task:05}\n```\n\nWORK: INT-{task:05}\nA line of prose that says what was done, as agents write it.\n\
             COMPLETED: INT-{task:05}\n"
        )?;
    }
    // The gateway reads the texts of a run one by one, so the text is read in parts.
    let parts: Vec<&str> = split(&text);
    let peer = Regex::new(
        r"(?m)^(?:TASK|WORK|HANDOFF|TEST_PASS|TEST_FAIL|REVIEW_APPROVE|REVIEW_BLOCK|COMPLETED): ?INT-[0-9]{2,5}$",
    )?;
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..=rounds {
        let begun = Instant::now();
        let found: usize = parts.iter().map(|part| marks(black_box(part)).len()).sum();
        ours.push(begun.elapsed());
        ensure!(found > parts.len(), "it reads markers");
        let begun = Instant::now();
        let lines: usize = parts
            .iter()
            .map(|part| peer.find_iter(black_box(part)).count())
            .sum();
        theirs.push(begun.elapsed());
        ensure!(lines > found, "the expression also finds those in fences");
    }
    let speed = |times: &mut Vec<Duration>| TEXT as f64 / 1e6 / median(times).as_secs_f64();
    println!(
        "markers: {:.0} MB/s (a regular expression: {:.0} MB/s)",
        speed(&mut ours),
        speed(&mut theirs)
    );
    Ok(())
}

/// Parts of about 64 kB that end with a line.
fn split(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text;
    while rest.len() > 1 << 16 {
        let (part, more) = rest.split_at(
            rest[1 << 16..]
                .find("\nTASK")
                .map_or(rest.len(), |at| at + (1 << 16) + 1),
        );
        parts.push(part);
        rest = more;
    }
    parts
}

/// Four phases and two teams. In each phase the six agents of a team work one after the other, and each runs one command.
async fn phases(owner: &Client, rounds: usize) -> Result<()> {
    let roles: Vec<Value> = (0..AGENTS)
        .map(|n| {
            json!({ "slot": format!("coder_{n}"), "title": "Coder", "system_prompt": "You code.", "skills": [], "brain_seed": "" })
        })
        .collect();
    let mut phase_teams = json!({});
    for kind in ["research", "coding"] {
        let new = json!({ "key": format!("figures_{kind}"), "name": format!("Figures of {kind}"), "description": "", "stack": "any",
            "default_topology": "pipeline", "risk_profile": "coding_readwrite", "mcp_bundles": ["sandbox"],
            "category": "development", "roles": roles });
        let made = owner.post("/api/team-templates").json(&new).expect(201);
        phase_teams[kind] = json!([made.await.str("/id")]);
    }
    let commands = f64::from(COMMAND_S) * (PHASES.len() * AGENTS) as f64;
    let mut times = Vec::new();
    for round in 0..rounds {
        let config = json!({ "phases": PHASES, "phase_teams": phase_teams });
        let new = json!({ "template_kind": "custom", "title": format!("Round {round}"), "goal": "Work.", "config": config });
        let mission = owner.post("/api/missions").json(&new).expect(201).await;
        let path = format!("/api/missions/{}", mission.str("/id"));
        let begun = Instant::now();
        let launch = json!({ "status": "running" });
        let launched = owner.post(&format!("{path}/status")).json(&launch);
        launched.expect(202).await;
        loop {
            let now = owner.get(&path).expect(200).await;
            match now.str("/status") {
                "completed" => break,
                "running" => ensure!(begun.elapsed() < PATIENCE, "it does not end"),
                other => anyhow::bail!("the mission is {other}: {}", now.text),
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        times.push(begun.elapsed());
        let done = owner.get(&path).expect(200).await;
        let runs = done.body["phase_details"].as_array().map(Vec::len);
        ensure!(runs == Some(PHASES.len()), "each phase is there");
    }
    let took = median(&mut times).as_secs_f64();
    println!(
        "four phases, {} agents, {} steps: {took:.2} s, of which {commands:.0} s are commands: {:.3} times",
        TEAMS * AGENTS,
        PHASES.len() * AGENTS,
        took / commands
    );
    Ok(())
}

/// Tasks with their markers, as an agent says them.
fn said(tasks: usize) -> String {
    let mut text = String::from("## Insights\n\n- It copies each line.\n\n");
    for task in 1..=tasks {
        let id = format!("INT-{task:02}");
        let _ = write!(
            text,
            "TASK: {id}\nMake part {task} faster\n\nIt is slow.\n\nWORK: {id}\nCOMPLETED: {id}\n"
        );
    }
    text
}

/// A mission that has ended, with its teams, runs, tasks, markers, artifacts and cards.
async fn ended(owner: &Client, template: &str, title: String, goal: &str) -> Result<String> {
    let new = json!({ "template_kind": "custom", "title": title, "goal": goal, "team_template_id": template,
        "config": { "phases": ["research", "coding"] } });
    let made = owner.post("/api/missions").json(&new).expect(201).await;
    let id = made.str("/id").to_owned();
    let path = format!("/api/missions/{id}");
    let begin = json!({ "status": "running" });
    owner
        .post(&format!("{path}/status"))
        .json(&begin)
        .expect(202)
        .await;
    let until = Instant::now() + PATIENCE;
    loop {
        let now = owner.get(&path).expect(200).await;
        match now.body["status"].as_str() {
            Some("running") => ensure!(Instant::now() < until, "it did not end: {now:?}"),
            Some("completed") => return Ok(id),
            _ => anyhow::bail!("it did not complete: {now:?}"),
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// A template of one agent that only speaks.
async fn speakers(owner: &Client) -> String {
    let role =
        json!({ "slot": "writer", "title": "Writer", "system_prompt": "You write.", "skills": [] });
    let new = json!({ "key": "speakers", "name": "Speakers", "description": "", "stack": "any", "default_topology": "single",
        "risk_profile": "toolfree", "mcp_bundles": [], "category": "research", "roles": [role] });
    let made = owner.post("/api/team-templates").json(&new).expect(201);
    made.await.str("/id").to_owned()
}

/// 1,000 missions that ended, in a list and each opened, and one with a thousand tasks.
async fn lists(owner: &Client) -> Result<()> {
    let template = speakers(owner).await;
    let large = ended(owner, &template, "Large".to_owned(), "Plan much.").await?;
    let detail = owner
        .get(&format!("/api/missions/{large}"))
        .expect(200)
        .await;
    let tasks = detail.body["tasks"].as_array().map_or(0, Vec::len);
    println!(
        "the large mission has {tasks} tasks, and its answer {} KB",
        detail.text.len() / 1024
    );
    let ids: Vec<String> = futures::stream::iter(0..MISSIONS)
        .map(|n| ended(owner, &template, format!("Mission {n}"), "Plan a little."))
        .buffered(AT_ONCE)
        .try_collect()
        .await?;
    let mut much = Vec::new();
    for _ in 0..100 {
        let begun = Instant::now();
        owner
            .get(&format!("/api/missions/{large}"))
            .expect(200)
            .await;
        much.push(begun.elapsed());
    }
    let (mut list, mut open) = (Vec::new(), Vec::new());
    for turn in 0..500 {
        let begun = Instant::now();
        owner.get("/api/missions?limit=50").expect(200).await;
        list.push(begun.elapsed());
        let id = &ids[turn * 7 % ids.len()];
        let begun = Instant::now();
        owner.get(&format!("/api/missions/{id}")).expect(200).await;
        open.push(begun.elapsed());
    }
    for (what, mut times) in [
        ("the list (50 of 1,000 that ended)", list),
        ("one opened (40 tasks)", open),
        ("the large one opened", much),
    ] {
        let p50 = median(&mut times);
        let p99 = times[times.len() * 99 / 100];
        println!(
            "{what}: p50 {:.1} ms, p99 {:.1} ms",
            p50.as_secs_f64() * 1e3,
            p99.as_secs_f64() * 1e3
        );
    }
    Ok(())
}

/// Sorts, and returns the middle.
fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}
