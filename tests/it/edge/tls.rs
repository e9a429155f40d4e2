//! TLS by the gateway itself: the page's cookie, renewal without a restart, and the real programs with a private authority.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, KeyUsagePurpose,
};
use roost_gateway::app::Surroundings;
use roost_tests::{Client, Gateway, Store, bin_dir, eventually};
use serde_json::json;

/// A private authority, and a certificate of it for 127.0.0.1 in `folder`.
struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
    folder: PathBuf,
}

impl Authority {
    fn new(folder: &Path) -> Self {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        params
            .distinguished_name
            .push(DnType::CommonName, "an authority");
        let key = KeyPair::generate().expect("a key");
        let issuer = CertifiedIssuer::self_signed(params, key).expect("an authority");
        std::fs::write(folder.join("ca.pem"), issuer.pem()).expect("a file");
        let authority = Self {
            issuer,
            folder: folder.to_owned(),
        };
        authority.renew(2100);
        authority
    }

    /// Writes a new certificate that ends with this year's first day.
    fn renew(&self, year: i32) {
        let mut params = CertificateParams::new(["127.0.0.1".to_owned()]).expect("a name");
        params.not_after = rcgen::date_time_ymd(year, 1, 1);
        let key = KeyPair::generate().expect("a key");
        let certificate = params.signed_by(&key, &self.issuer).expect("signed");
        std::fs::write(self.path("key.pem"), key.serialize_pem()).expect("a file");
        std::fs::write(self.path("cert.pem"), certificate.pem()).expect("a file");
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// A browser that trusts nobody else.
    fn browser(&self) -> reqwest::Client {
        let pem = std::fs::read(self.path("ca.pem")).expect("a file");
        let authority = reqwest::Certificate::from_pem(&pem).expect("a certificate");
        reqwest::Client::builder()
            .tls_certs_only([authority])
            .pool_max_idle_per_host(0)
            .tls_info(true)
            .build()
            .expect("a client")
    }
}

struct Served {
    gateway: Gateway,
    authority: Authority,
    url: String,
    /// Where the programs keep what they remember.
    home: tempfile::TempDir,
}

async fn served() -> Served {
    let home = tempfile::tempdir().expect("a folder");
    let authority = Authority::new(home.path());
    let (cert, key) = (authority.path("cert.pem"), authority.path("key.pem"));
    let set = [
        ("sandboxes.local", "off"),
        ("tls.cert", cert.to_str().expect("UTF-8")),
        ("tls.key", key.to_str().expect("UTF-8")),
    ];
    let folder = tempfile::tempdir().expect("a folder");
    let started = Gateway::start_in(folder, &Store::Sqlite, &set, Surroundings::default()).await;
    let gateway = started.expect("it starts");
    let url = format!("https://{}", gateway.app().public_address());
    Served {
        gateway,
        authority,
        url,
        home,
    }
}

impl Served {
    fn login(&self) -> String {
        let file = self.gateway.data_dir().join("first-login");
        std::fs::read_to_string(file).expect("a first login")
    }

    fn program(&self, name: &str) -> Command {
        let mut command = Command::new(bin_dir().join(name));
        command
            .env("ROOST_CLIENT_CONFIG", self.home.path().join("client.toml"))
            .env("ROOSTD_STATE_DIR", self.home.path().join("node"))
            .env("DOCKER_HOST", "unix:///nowhere")
            .stdin(Stdio::null())
            .current_dir(self.home.path());
        command
    }

    async fn run(&self, name: &str, args: &[&str]) -> Output {
        let mut command = self.program(name);
        command.args(args);
        let ended = tokio::task::spawn_blocking(move || command.output()).await;
        ended.expect("it is not aborted").expect("it starts")
    }
}

fn text(output: &Output) -> String {
    let (out, err) = (&output.stdout, &output.stderr);
    format!(
        "{}{}",
        String::from_utf8_lossy(out),
        String::from_utf8_lossy(err)
    )
}

#[tokio::test]
async fn the_page_is_served_by_tls_with_a_cookie_for_tls_alone() {
    let served = served().await;
    let signed_in = served
        .authority
        .browser()
        .post(format!("{}/api/auth/login", served.url))
        .header("origin", &served.url)
        .json(&json!({ "one_time": served.login().trim() }))
        .send()
        .await
        .expect("an answer");
    assert_eq!(signed_in.status(), 200);
    let cookie = signed_in.headers()["set-cookie"].to_str().expect("text");
    assert!(
        cookie.contains("Secure") && cookie.contains("HttpOnly"),
        "{cookie}"
    );
    assert!(
        signed_in
            .headers()
            .contains_key("strict-transport-security")
    );
    // Who trusts only known authorities, and who speaks plain HTTP, gets nothing.
    for url in [served.url.clone(), served.url.replace("https", "http")] {
        let stranger = Client::new(&url).get("/healthz").try_send().await;
        assert!(stranger.is_err(), "{url}");
    }
    served.gateway.stop().await;
}

#[tokio::test]
async fn event_stream_over_tls_stays_with_the_http_server() {
    let served = served().await;
    let browser = served.authority.browser();
    let login = browser
        .post(format!("{}/api/auth/login", served.url))
        .json(&json!({ "one_time": served.login().trim() }));
    let login: serde_json::Value = login
        .send()
        .await
        .expect("an answer")
        .json()
        .await
        .expect("JSON");
    let token = login["token"].as_str().expect("a token");
    let stream = browser
        .get(format!("{}/api/events", served.url))
        .bearer_auth(token);
    let mut stream = stream.send().await.expect("an answer");
    assert_eq!(stream.status(), 200);
    // The connection is not given away, so it need not close.
    assert!(!stream.headers().contains_key("connection"));
    let mut text = String::new();
    let mut made = false;
    while !text.contains("resource.changed") {
        let piece = stream.chunk().await.expect("it goes on").expect("bytes");
        text.push_str(&String::from_utf8_lossy(&piece));
        if text.contains("retry: 2000") && !std::mem::replace(&mut made, true) {
            let claw = browser.post(format!("{}/api/claws", served.url));
            let claw = claw.bearer_auth(token).json(&json!({ "name": "one" }));
            assert_eq!(claw.send().await.expect("an answer").status(), 201);
        }
    }
    drop(stream);
    served.gateway.stop().await;
}

#[tokio::test]
async fn a_renewed_certificate_is_shown_without_a_restart() {
    let served = served().await;
    let shown = async || {
        let answer = served
            .authority
            .browser()
            .get(format!("{}/healthz", served.url));
        let answer = answer.send().await.expect("an answer");
        let info = answer.extensions().get::<reqwest::tls::TlsInfo>();
        info.and_then(|info| info.peer_certificate())
            .expect("a certificate")
            .to_vec()
    };
    let first = shown().await;
    served.authority.renew(2101);
    eventually("the new one is shown", async || {
        (shown().await != first).then_some(())
    })
    .await;
    served.gateway.stop().await;
}

#[tokio::test]
async fn the_real_programs_join_a_gateway_of_a_private_authority() {
    let served = served().await;
    let file = served.gateway.data_dir().join("first-login");
    let file = file.to_str().expect("UTF-8");
    let login = ["login", "--url", &served.url, "--one-time-file", file];
    let refused = served.run("roost", &login).await;
    assert!(!refused.status.success(), "the authority is not known");
    let with_ca = [&login[..], &["--ca-file", "ca.pem"]].concat();
    let signed_in = served.run("roost", &with_ca).await;
    assert!(signed_in.status.success(), "{}", text(&signed_in));
    let paired = served
        .run("roost", &["node", "pair", "--name", "attic", "--json"])
        .await;
    let paired: serde_json::Value = serde_json::from_slice(&paired.stdout).expect("JSON");
    let code = paired["join_code"].as_str().expect("a code");
    let join = ["join", "--url", &served.url, "--code", code];
    let refused = served.run("roostd", &join).await;
    assert!(!refused.status.success(), "the authority is not known");
    let joined = served
        .run("roostd", &[&join[..], &["--ca-file", "ca.pem"]].concat())
        .await;
    assert!(joined.status.success(), "{}", text(&joined));
    // Somebody on the server lets another in who has no password.
    let data_dir = format!("data_dir={}", served.gateway.data_dir().display());
    let email = "owner@roost.localhost";
    let one_time = [
        "one-time", "--email", email, "--file", "again", "--set", &data_dir,
    ];
    let made = served.run("roost", &one_time).await;
    assert!(made.status.success(), "{}", text(&made));
    let login = [
        "login",
        "--url",
        &served.url,
        "--one-time-file",
        "again",
        "--ca-file",
        "ca.pem",
    ];
    let signed_in = served.run("roost", &login).await;
    assert!(text(&signed_in).contains(email), "{}", text(&signed_in));
    let again = served.run("roost", &login).await;
    assert!(!again.status.success(), "it is good once");
    let mut daemon = served
        .program("roostd")
        .arg("run")
        .spawn()
        .expect("it starts");
    eventually("the machine is connected", async || {
        let list = served.run("roost", &["node", "list", "--json"]).await;
        text(&list).contains("\"connected\"").then_some(())
    })
    .await;
    daemon.kill().expect("it lives");
    daemon.wait().expect("it ended");
    served.gateway.stop().await;
}
