//! Measures a replay of very many events to one reader: its speed, and the gateway's memory. The events are written
//! into the database of a stopped gateway, because making them through its routes would take hours.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use roost_platform::db::{Access, Db};
use roost_platform::events::Hub;
use roost_tests::{Client, Process, Store};
use sea_orm::ConnectionTrait;
use serde_json::json;

use crate::sides;

/// Replays `count` events.
pub async fn run(count: u64) -> Result<String> {
    let folder = tempfile::tempdir()?;
    let set = [("events.retention_count", "10000000")];
    let mut process = Process::start_with(folder.path(), &Store::Sqlite, &set).await;
    let token = process.owner_token().await;
    let owner = Client::new(&process.url()).with_token(&token);
    owner
        .post("/api/claws")
        .json(&json!({ "name": "first" }))
        .expect(201)
        .await;
    process.kill();
    let db = Db::open(&process.database(), Access::Beside, Hub::default()).await?;
    let tx = db.write().await?;
    tx.execute_unprepared(&format!(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count}) \
         INSERT INTO events (workspace_id, epoch, seq, kind, data, at) \
         SELECT h.workspace_id, h.epoch, h.seq + n.i, 'node.activity', \
         '{{\"nodeId\":\"machine:local\",\"label\":\"replayed\",\"kind\":\"event\",\"heat\":0.5}}', \
         (SELECT at FROM events WHERE workspace_id = h.workspace_id ORDER BY seq DESC LIMIT 1) \
         FROM n, event_heads h WHERE h.seq > 0"
    ))
    .await?;
    tx.execute_unprepared(&format!(
        "UPDATE event_heads SET seq = seq + {count} WHERE seq > 0"
    ))
    .await?;
    tx.commit().await?;
    db.close().await;
    process.again().await;
    let before = sides::proportional(process.id())?;
    let address = process.url().trim_start_matches("http://").to_owned();
    let mut socket = TcpStream::connect(address)?;
    socket.set_read_timeout(Some(Duration::from_secs(30)))?;
    socket.write_all(
        format!("GET /api/events?last_event_id=1.0 HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\n\r\n")
            .as_bytes(),
    )?;
    let (mut last, mut most) = (0_u64, before);
    let mut rest: Vec<u8> = Vec::new();
    let mut piece = vec![0; 256 << 10];
    let mut looked = Instant::now();
    let begun = Instant::now();
    while last < count {
        let read = socket.read(&mut piece).context("the replay goes on")?;
        ensure!(read > 0, "it was closed after {last}");
        rest.extend_from_slice(&piece[..read]);
        let whole = rest
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |at| at + 1);
        for line in rest[..whole].split(|byte| *byte == b'\n') {
            if let Some(id) = line.strip_prefix(b"id: 1.") {
                let id: u64 = std::str::from_utf8(id)?.trim().parse()?;
                ensure!(id == last + 1, "{id} came after {last}");
                last = id;
            }
        }
        rest.drain(..whole);
        if looked.elapsed() > Duration::from_millis(50) {
            most = most.max(sides::proportional(process.id())?);
            looked = Instant::now();
        }
    }
    let took = begun.elapsed().as_secs_f64();
    Ok(format!(
        "a replay of {last} events to one reader: {took:.1} s, {:.0} events/s, memory {:.1} MiB before, {:.1} MiB at most",
        last as f64 / took,
        before as f64 / f64::from(1 << 20),
        most as f64 / f64::from(1 << 20),
    ))
}
