//! Packages of a package-lock.json, with the npm of the image `node`, in a sandbox without a network.

use base64::Engine;
use roost_tests::Store;
use roost_tests::package_host::{PackageHost, Served, archive};
use serde_json::json;
use sha2::{Digest, Sha512};

use super::super::{Bench, runs};
use super::supplies;

/// The package `greeting`.
fn greeting() -> Vec<u8> {
    let manifest = br#"{ "name": "greeting", "version": "1.0.0", "main": "index.js" }"#;
    let code = b"module.exports = \"hello from a package\";\n";
    archive(&[
        ("package/package.json", manifest),
        ("package/index.js", code),
    ])
}

fn lock(registry: &str, package: &[u8]) -> String {
    let sum = base64::engine::general_purpose::STANDARD.encode(Sha512::digest(package));
    let lock = json!({
        "name": "tools", "version": "1.0.0", "lockfileVersion": 3, "requires": true,
        "packages": {
            "": { "name": "tools", "version": "1.0.0", "dependencies": { "greeting": "1.0.0" } },
            "node_modules/greeting": {
                "version": "1.0.0",
                "resolved": format!("{registry}/greeting/-/greeting-1.0.0.tgz"),
                "integrity": format!("sha512-{sum}"),
            },
        },
    });
    lock.to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn npm_ci_installs_without_a_network_what_the_gateway_fetched() {
    let registry = PackageHost::start().await;
    let tarball = "/greeting/-/greeting-1.0.0.tgz";
    registry.serve(tarball, Served::File(greeting()));
    let image = std::env::var("ROOST_TEST_NODE_IMAGE");
    let image = image.unwrap_or_else(|_| "roost-agent:node".to_owned());
    let url = registry.url();
    let script = runs(
        "npm ci && node -e 'console.log(require(\"greeting\"))' > b.txt && git add b.txt && git commit -qm used",
    );
    let more = [
        ("supplies.npm", url.as_str()),
        ("sandboxes.image", image.as_str()),
    ];
    let bench = Bench::with(Store::Sqlite, None, &script, "forgejo", &more).await;
    let manifest =
        r#"{ "name": "tools", "version": "1.0.0", "dependencies": { "greeting": "1.0.0" } }"#;
    for (path, text) in [
        ("package.json", manifest),
        ("package-lock.json", &lock(&url, &greeting())),
        (".gitignore", "node_modules\n"),
    ] {
        let host = &bench.host;
        host.commit("acme/tools", "main", path, text.as_bytes())
            .await;
    }
    let path = bench.completed().await;
    let owner = bench.gateway.owner().await;
    let diff = owner.get(&format!("{path}/diff")).expect(200).await;
    let said = diff.str("/text");
    assert!(said.contains("+hello from a package"), "{said}");
    let of = supplies(&bench, &path).await;
    assert_eq!(of[0]["kind"], "npm", "{of}");
    assert_eq!(of[0]["left_out_count"], 0, "{of}");
    assert_eq!(registry.visits(), [tarball]);
    bench.stop().await;
}
