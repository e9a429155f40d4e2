//! A machine whose engine lacks the gateway's image fetches it, also over a line that breaks.

use std::sync::{Arc, Mutex};

use roost_tests::{Client, Daemon, Gateway, Machine, PrivateEngine, SmallDisk, eventually};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Bytes after which the line breaks once.
const BREAK_AFTER: usize = 1 << 20;

fn image() -> String {
    std::env::var("ROOST_TEST_IMAGE").unwrap_or_else(|_| "roost-agent:tiny".to_owned())
}

async fn gateway() -> Gateway {
    Gateway::start_with(&[("sandboxes.image", image().as_str())]).await
}

async fn held(owner: &Client, daemon: &Daemon) -> Option<Value> {
    let node = format!("/api/nodes/{}", daemon.node_id);
    let node = owner.get(&node).expect(200).await;
    let images = node.body["images"].as_array()?.iter();
    images
        .clone()
        .find(|held| held["reference"] == image().as_str())
        .cloned()
}

/// A relay that breaks the first transfer of an image. It keeps the heads of the requests for images.
async fn breaking_line(to: String) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let heads: Arc<Mutex<Vec<String>>> = Arc::default();
    let seen = Arc::clone(&heads);
    tokio::spawn(async move {
        while let Ok((near, _)) = listener.accept().await {
            let far = TcpStream::connect(&to).await.expect("the gateway");
            tokio::spawn(relay(near, far, Arc::clone(&seen)));
        }
    });
    (url, heads)
}

async fn relay(near: TcpStream, far: TcpStream, heads: Arc<Mutex<Vec<String>>>) {
    let (mut near_read, mut near_write) = near.into_split();
    let (mut far_read, mut far_write) = far.into_split();
    let asked = Arc::clone(&heads);
    let up = async move {
        let mut block = vec![0; 64 * 1024];
        while let Ok(read @ 1..) = near_read.read(&mut block).await {
            let text = String::from_utf8_lossy(&block[..read]);
            if text.starts_with("GET /dl/images/") {
                asked.lock().expect("no panic").push(text.into_owned());
            }
            if far_write.write_all(&block[..read]).await.is_err() {
                return;
            }
        }
    };
    let down = async move {
        let (mut block, mut of_image) = (vec![0; 64 * 1024], 0);
        while let Ok(read @ 1..) = far_read.read(&mut block).await {
            if near_write.write_all(&block[..read]).await.is_err() {
                return;
            }
            let is_first = {
                let heads = heads.lock().expect("no panic");
                !heads.is_empty() && !heads.iter().any(|head| has_range(head))
            };
            of_image += if is_first { read } else { 0 };
            if of_image > BREAK_AFTER {
                return;
            }
        }
    };
    tokio::select! {
        () = up => {}
        () = down => {}
    }
}

fn has_range(head: &str) -> bool {
    head.to_ascii_lowercase().contains("\r\nrange: bytes=")
}

#[tokio::test(flavor = "multi_thread")]
async fn machine_without_the_image_fetches_it_over_a_line_that_breaks_and_runs_it() {
    let Some(engine) = PrivateEngine::start(&[]).await else {
        return;
    };
    let gateway = gateway().await;
    let owner = gateway.owner().await;
    let at = gateway.url().replace("http://", "");
    let (line, heads) = breaking_line(at).await;
    let policy = format!("images = [\"{}\"]\n", image());
    let host = engine.host();
    let daemon = Daemon::joined_allowing(&line, owner, Some(&host), Some(&policy)).await;
    let ready = eventually("the machine has the image", async || {
        let held = held(owner, &daemon).await?;
        (held["state"] == "ready").then_some(held)
    })
    .await;
    let of_gateway = eventually("the gateway's own image is recorded", async || {
        let list = owner.get("/api/images").expect(200).await;
        let mut items = list.body["items"].as_array()?.iter();
        let item = items.find(|item| item["reference"] == image().as_str())?;
        item["digest"].as_str().map(str::to_owned)
    })
    .await;
    assert_eq!(ready["id"], of_gateway.as_str());
    assert!(ready["fetch"].is_null(), "{ready}");
    let heads = heads.lock().expect("no panic").clone();
    assert!(
        heads.iter().any(|head| has_range(head)),
        "the transfer began anew: {heads:?}"
    );

    // It is under its own name, the owner allows no other image, and a sandbox of it runs.
    let names = engine.docker(&["images", "--format", "{{.Repository}}:{{.Tag}}"]);
    assert_eq!(String::from_utf8_lossy(&names.stdout).trim(), image());
    let body = json!({ "name": roost_tests::unique("Ada") });
    let agent = owner.post("/api/claws").json(&body).expect(201).await;
    let sandbox = format!("/api/claws/{}/sandbox", agent.str("/id"));
    let place = json!({ "target": "node", "node_id": daemon.node_id });
    owner
        .put("/api/fleet/placement")
        .json(&place)
        .expect(200)
        .await;
    let made = owner.post(&sandbox).json(&json!({})).expect(201).await;
    assert_eq!(made.body["image"], image());
    assert_eq!(made.body["node_id"], daemon.node_id);
    owner.delete(&sandbox).expect(204).await;
    drop(daemon);
    gateway.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn machine_with_a_full_disk_says_so_and_fetches_the_image_when_there_is_room() {
    let Some(engine) = PrivateEngine::start(&[]).await else {
        return;
    };
    let gateway = gateway().await;
    let owner = gateway.owner().await;
    let mut disk = None;
    let prepare = |state: &std::path::Path| {
        let policy = format!("images = [\"{}\"]\n", image());
        std::fs::write(state.join("owner.toml"), policy).expect("the owner's policy");
        let images = state.join("executor/images");
        std::fs::create_dir_all(&images).expect("a folder");
        disk = SmallDisk::mount(&images, "1m");
    };
    let host = engine.host();
    let daemon = Daemon::joined_prepared(&gateway.url(), owner, Some(&host), prepare).await;
    let Some(disk) = disk else {
        return;
    };
    let problem = eventually("the machine says that its disk is full", async || {
        let held = held(owner, &daemon).await?;
        held["fetch"]["problem"].as_str().map(str::to_owned)
    })
    .await;
    assert!(
        problem.starts_with("The machine's disk is full at ") && problem.contains("make room"),
        "{problem}"
    );
    drop(disk);
    // Without a restart.
    eventually("the machine has the image", async || {
        let held = held(owner, &daemon).await?;
        (held["state"] == "ready").then_some(())
    })
    .await;
    drop(daemon);
    gateway.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn only_a_machine_gets_images_and_an_unknown_one_is_said() {
    let gateway = gateway().await;
    let owner = gateway.owner().await;
    let unknown = format!("/dl/images/sha256:{}", "0".repeat(64));
    for path in ["/api/nodes/images", unknown.as_str()] {
        owner.get(path).refused(401, "unauthenticated").await;
    }
    let machine = Machine::joined(&gateway, owner).await;
    let client = gateway.anonymous().with_token(&hex::encode(machine.token));
    let ask = async |path: &str| client.get(path).open().await;
    let answer = ask(&unknown).await;
    assert_eq!(answer.status(), 404);
    let problem: Value = answer.json().await.expect("a problem");
    let said = problem["detail"].as_str().expect("a detail");
    assert!(
        said.starts_with("The gateway's own engine has no image"),
        "{said}"
    );
    let offer = eventually("the gateway offers its image", async || {
        let offers: Value = ask("/api/nodes/images").await.json().await.ok()?;
        let mut items = offers["items"].as_array()?.iter();
        items
            .find(|offer| offer["reference"] == image().as_str())
            .cloned()
    })
    .await;
    let path = format!("/dl/images/{}", offer["digest"].as_str().expect("a digest"));
    let first = ask(&path).await;
    assert_eq!(first.status(), 503);
    assert!(first.headers().contains_key("retry-after"));
    let packed = eventually("the image is packed", async || {
        let answer = ask(&path).await;
        (answer.status() == 200).then_some(answer)
    })
    .await;
    let tag = packed.headers()["etag"].to_str().expect("a tag").to_owned();
    let bytes = packed.bytes().await.expect("the packed image");
    let hash = hex::encode(<sha2::Sha256 as sha2::Digest>::digest(&bytes));
    assert_eq!(tag, format!("\"{hash}\""));
    gateway.stop().await;
}
