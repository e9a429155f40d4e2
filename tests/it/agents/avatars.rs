//! The picture of an agent over HTTP: generated, uploaded, and served without active content.

use roost_tests::{Answer, Gateway, Person};
use serde_json::{Value, json};

/// A PNG of one red pixel.
pub(crate) const PNG: &[u8] = &[
    0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x00, 0x00, 0x00, 0x0D, 0x49, 0x48, 0x44, 0x52,
    0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x02, 0x00, 0x00, 0x00, 0x90, 0x77, 0x53,
    0xDE, 0x00, 0x00, 0x00, 0x0C, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9C, 0x63, 0xF8, 0xCF, 0xC0, 0x00,
    0x00, 0x03, 0x01, 0x01, 0x00, 0xC9, 0xFE, 0x92, 0xEF, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4E,
    0x44, 0xAE, 0x42, 0x60, 0x82,
];

async fn agent(owner: &Person) -> (String, Value) {
    let made = owner.post("/api/claws").json(&json!({ "name": "ada" }));
    let claw = made.expect(201).await;
    (
        format!("/api/claws/{}/avatar", claw.str("/id")),
        claw.body["avatar"].clone(),
    )
}

async fn upload(owner: &Person, path: &str, kind: &str, file: &[u8]) -> Answer {
    let request = owner.put(path).header("content-type", kind);
    request.body(file.to_vec()).send().await
}

#[tokio::test]
async fn agent_has_a_drawn_picture_without_an_uploaded_one() {
    for (gateway, scratch) in Gateway::start_on_each().await {
        let owner = gateway.owner().await;
        let (path, brief) = agent(owner).await;
        assert_eq!(brief["uploaded"], false);
        let drawn = owner.get(brief["url"].as_str().unwrap()).expect(200).await;
        assert_eq!(drawn.header("content-type"), "image/svg+xml");
        assert!(
            drawn.text.starts_with("<svg ") && drawn.header("cache-control").contains("immutable")
        );
        let again = owner.get(&path).expect(200).await;
        assert_eq!(
            (again.text == drawn.text, again.header("cache-control")),
            (true, "private, no-cache")
        );
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            (
                "content-security-policy",
                "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; sandbox",
            ),
            ("cross-origin-resource-policy", "same-origin"),
        ] {
            assert_eq!(drawn.header(name), value, "{name}");
        }
        let known = owner
            .get(&path)
            .header("if-none-match", drawn.header("etag"));
        known.expect(304).await;

        let uploaded = upload(owner, &path, "image/png", PNG).await;
        assert_eq!(
            (uploaded.status, &uploaded.body["uploaded"]),
            (200, &json!(true)),
            "{}",
            uploaded.text
        );
        let shown = owner.get(uploaded.str("/url")).expect(200).await;
        assert_eq!(shown.header("content-type"), "image/png");
        let claw = path.trim_end_matches("/avatar");
        assert_eq!(
            owner.get(claw).expect(200).await.body["avatar"],
            uploaded.body
        );
        // The same picture again is nothing new.
        upload(owner, &path, "image/png", PNG).await;
        owner.delete(&path).expect(204).await;
        owner.delete(&path).expect(204).await;
        let after = owner.get(&path).expect(200).await;
        assert_eq!(after.text, drawn.text);
        let audit = owner.get("/api/audit?action=avatar.*").expect(200).await;
        assert_eq!(audit.body["items"].as_array().unwrap().len(), 2);
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}

#[tokio::test]
async fn invalid_picture_is_refused_with_a_remedy_and_changes_nothing() {
    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    let (path, _) = agent(owner).await;
    let svg = b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>".as_slice();
    let large = vec![0_u8; (1 << 20) + 1];
    for (kind, file, status, code) in [
        ("image/svg+xml", svg, 415, "unsupported-media-type"),
        (
            "application/json",
            b"{}".as_slice(),
            415,
            "unsupported-media-type",
        ),
        ("image/png", svg, 400, "validation"),
        ("image/webp", PNG, 400, "validation"),
        ("image/png", &PNG[..40], 400, "validation"),
        ("image/png", b"".as_slice(), 400, "validation"),
        ("image/png", &large, 413, "payload-too-large"),
    ] {
        let refused = upload(owner, &path, kind, file).await;
        assert_eq!(
            (refused.status, refused.str("/code")),
            (status, code),
            "{kind}: {}",
            refused.text
        );
        assert!(!refused.str("/detail").is_empty());
    }
    let shown = owner.get(&path).expect(200).await;
    assert_eq!(shown.header("content-type"), "image/svg+xml");
    gateway.stop().await;
}
