//! Rules of every route: problems, pointers, limits, headers, pages.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use roost_tests::Gateway;
use roost_tests::raw_socket::RawSocket;
use roost_web::problem::Code;
use serde_json::json;

#[tokio::test]
async fn every_error_is_a_problem_with_the_requests_id_and_a_page() {
    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    for (request, status, code) in [
        (owner.get("/api/nothing"), 404, "not-found"),
        (owner.put("/api/claws"), 405, "method-not-allowed"),
        (owner.get("/api/claws/not-an-id"), 404, "not-found"),
        (owner.get("/api/claws?limit=0"), 400, "validation"),
        (owner.get("/api/claws/%ff"), 400, "validation"),
        (owner.get("/api/claws/%FF/brain"), 400, "validation"),
        (owner.get("/api/workspaces/%c3%28"), 400, "validation"),
        (
            owner.delete("/api/workspaces/%ff/members/%fe"),
            400,
            "validation",
        ),
        (owner.get("/api/claws/a%00b"), 400, "validation"),
        (owner.get("/api/repos?q=%00"), 400, "validation"),
        (owner.get("/api/repos?q=%ff"), 400, "validation"),
        (
            owner
                .post("/api/claws")
                .header("content-type", "application/json")
                .body(r#"{"name":"a\u0000b"}"#),
            400,
            "validation",
        ),
        (owner.get("/api/claws?cursor=x"), 400, "validation"),
        (
            owner.post("/api/claws").body("x"),
            415,
            "unsupported-media-type",
        ),
        (
            owner
                .post("/api/claws")
                .header("content-type", "application/json")
                .body("{"),
            400,
            "validation",
        ),
        (
            owner
                .post("/api/claws")
                .json(&json!({ "name": "a".repeat(2 << 20) })),
            413,
            "payload-too-large",
        ),
        (
            gateway.anonymous().get("/api/claws"),
            401,
            "unauthenticated",
        ),
    ] {
        let answer = request.refused(status, code).await;
        assert_eq!(answer.header("content-type"), "application/problem+json");
        assert_eq!(answer.str("/request_id"), answer.header("x-request-id"));
        assert_eq!(answer.str("/type"), format!("/problems/{code}"));
        assert_eq!(answer.body["status"], status);
        assert!(!answer.header("roost-build").is_empty());
    }
    for code in Code::ALL {
        let page = gateway
            .anonymous()
            .get(&format!("/problems/{}", code.slug()));
        assert!(page.expect(200).await.text.contains(code.title()));
    }
    gateway.stop().await;
}

#[tokio::test]
async fn all_mistakes_of_a_body_are_named_at_once_with_pointers() {
    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    let body = json!({ "name": " ", "role": "", "system_prompt": "a\u{7}b" });
    let answer = owner
        .post("/api/claws")
        .json(&body)
        .refused(400, "validation")
        .await;
    let pointers: Vec<&str> = answer.body["errors"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|error| error["pointer"].as_str())
        .collect();
    assert_eq!(pointers, ["/name", "/role", "/system_prompt"]);
    gateway.stop().await;
}

#[tokio::test]
async fn lists_are_walked_page_by_page_without_gap_or_repeat() {
    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    for n in 0..7 {
        let body = json!({ "name": format!("agent {n}") });
        owner.post("/api/claws").json(&body).expect(201).await;
    }
    let (mut names, mut path) = (Vec::new(), "/api/claws?limit=3".to_owned());
    loop {
        let page = owner.get(&path).expect(200).await;
        let items = page.body["items"].as_array().unwrap();
        names.extend(
            items
                .iter()
                .map(|item| item["name"].as_str().unwrap().to_owned()),
        );
        match page.body["next_cursor"].as_str() {
            Some(cursor) => path = format!("/api/claws?limit=3&cursor={cursor}"),
            None => break,
        }
    }
    let expected: Vec<String> = (0..7).map(|n| format!("agent {n}")).collect();
    assert_eq!(names, expected);
    gateway.stop().await;
}

#[tokio::test]
async fn pages_have_a_strict_policy_and_the_api_is_never_cached() {
    let gateway = Gateway::start().await;
    let page = gateway.anonymous().get("/").expect(200).await;
    let policy = page.header("content-security-policy");
    assert!(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"));
    assert!(!policy.contains("unsafe-eval"));
    let api = gateway.anonymous().get("/api/setup").expect(200).await;
    assert_eq!(api.header("cache-control"), "no-store");
    assert_eq!(api.header("x-content-type-options"), "nosniff");
    let docs = gateway.anonymous().get("/api/docs").expect(200).await;
    assert!(docs.text.contains("/api/claws/{id}") && !docs.text.contains("<script"));
    gateway.stop().await;
}

#[tokio::test]
async fn a_client_that_sends_its_headers_one_byte_at_a_time_is_cut_off() {
    let gateway = Gateway::start_with(&[("limits.header_timeout_seconds", "1")]).await;
    let address = gateway.app().public_address();
    let cut = tokio::task::spawn_blocking(move || {
        let mut socket = TcpStream::connect(address).unwrap();
        socket
            .set_read_timeout(Some(Duration::from_secs(20)))
            .unwrap();
        socket
            .write_all(b"GET / HTTP/1.1\r\nhost: x\r\nx-slow: ")
            .unwrap();
        let mut answer = Vec::new();
        socket.read_to_end(&mut answer)
    });
    // The end of the connection, by whichever side's words: anything but a read that waits for ever.
    let outcome = cut.await.unwrap();
    let waited = outcome.is_err_and(|error| error.kind() == std::io::ErrorKind::WouldBlock);
    assert!(!waited, "the connection was still open");
    gateway.stop().await;
}

#[tokio::test]
async fn a_client_that_says_nothing_or_half_a_preface_is_cut_off() {
    let gateway = Gateway::start_with(&[("limits.header_timeout_seconds", "1")]).await;
    for begin in ["", "PRI * HT", "G", "GET / HTTP/1.1\r\n"] {
        let mut raw = RawSocket::connect(&gateway).await;
        raw.send(begin).await;
        let said = raw.read_to_end().await;
        assert!(!said.contains("200 OK"), "{begin:?}: {said}");
    }
    // One that has had an answer may not lie there for ever either.
    let mut idle = RawSocket::connect(&gateway).await;
    idle.send("GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n").await;
    let said = idle.read_to_end().await;
    assert!(said.starts_with("HTTP/1.1 200 OK"), "{said}");
    gateway.stop().await;
}

#[tokio::test]
async fn a_body_that_does_not_come_is_not_waited_for() {
    let gateway = Gateway::start_with(&[("limits.body_timeout_seconds", "1")]).await;
    let mut raw = RawSocket::connect(&gateway).await;
    raw.send(
        "POST /api/auth/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{",
    )
    .await;
    let said = raw.read_to_end().await;
    assert!(said.starts_with("HTTP/1.1 400 "), "{said}");
    assert!(said.contains("too slowly"), "{said}");
    gateway.stop().await;
}

#[tokio::test]
async fn too_many_or_too_large_headers_and_too_long_addresses_are_refused_and_nothing_else_suffers()
{
    let gateway = Gateway::start().await;
    let many = "x-bomb: 1\r\n".repeat(1_000);
    let large = format!("x-bomb: {}\r\n", "a".repeat(200 << 10));
    let address = |bytes: usize| format!("/api/{}", "a".repeat(bytes));
    for (path, headers, statuses) in [
        ("/".to_owned(), many, &[431][..]),
        ("/".to_owned(), large, &[431]),
        (address(9 << 10), String::new(), &[414]),
        (address(63 << 10), String::new(), &[414]),
        (address(300 << 10), String::new(), &[414, 431]),
    ] {
        let mut raw = RawSocket::connect(&gateway).await;
        raw.send(format!(
            "GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n{headers}\r\n"
        ))
        .await;
        let said = raw.read_to_end().await;
        let status = said.get(9..12).and_then(|text| text.parse().ok());
        // A client that still writes when it is cut may lose the answer with the connection.
        let refused = status.is_none_or(|status: u16| statuses.contains(&status));
        assert!(refused, "{} bytes: {said:.300}", path.len());
        assert!(
            !said.contains("aaaaaaaa"),
            "it is not repeated: {said:.300}"
        );
    }
    let anonymous = gateway.anonymous();
    anonymous.get(&address(7 << 10)).expect(404).await;
    let refused = anonymous.get(&address(9 << 10));
    refused.refused(414, "uri-too-long").await;
    gateway.stop().await;
}
