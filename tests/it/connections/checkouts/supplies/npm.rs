//! Packages of a package-lock.json and of a pnpm-lock.yaml, with the programs of the image `node`, in a sandbox without a network.

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

/// A bench whose agent runs this command in the image `node`, in a repository with these files.
async fn with_node(registry: &PackageHost, command: &str, files: &[(&str, &str)]) -> Bench {
    let image = std::env::var("ROOST_TEST_NODE_IMAGE");
    let image = image.unwrap_or_else(|_| "roost-agent:node".to_owned());
    let url = registry.url();
    let more = [("supplies.npm", url.as_str()), ("sandboxes.image", &image)];
    let bench = Bench::with(Store::Sqlite, None, &runs(command), "forgejo", &more).await;
    for (path, text) in [&[(".gitignore", "node_modules\n")], files].concat() {
        let host = &bench.host;
        host.commit("acme/tools", "main", path, text.as_bytes())
            .await;
    }
    bench
}

#[tokio::test(flavor = "multi_thread")]
async fn npm_ci_installs_without_a_network_what_the_gateway_fetched() {
    let registry = PackageHost::start().await;
    let tarball = "/greeting/-/greeting-1.0.0.tgz";
    registry.serve(tarball, Served::File(greeting()));
    let command = "npm ci && node -e 'console.log(require(\"greeting\"))' > b.txt && git add b.txt && git commit -qm used";
    let manifest =
        r#"{ "name": "tools", "version": "1.0.0", "dependencies": { "greeting": "1.0.0" } }"#;
    let lock = lock(&registry.url(), &greeting());
    let files = [("package.json", manifest), ("package-lock.json", &lock)];
    let bench = with_node(&registry, command, &files).await;
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

/// A lock file of pnpm with this package, and with one that has an address of its own.
fn pnpm_lock(package: &[u8]) -> String {
    let sum = base64::engine::general_purpose::STANDARD.encode(Sha512::digest(package));
    format!(
        "lockfileVersion: '9.0'\n\nsettings:\n  autoInstallPeers: true\n  excludeLinksFromLockfile: false\n\nimporters:\n\n  .:\n    \
         dependencies:\n      '@acme/greeting':\n        specifier: 1.0.0\n        version: 1.0.0\n    optionalDependencies:\n      \
         elsewhere:\n        specifier: 1.0.0\n        version: 1.0.0\n\npackages:\n\n  '@acme/greeting@1.0.0':\n    resolution: \
         {{integrity: sha512-{sum}}}\n\n  elsewhere@1.0.0:\n    resolution: {{integrity: sha512-{sum}, tarball: \
         https://evil.example/elsewhere-1.0.0.tgz}}\n\nsnapshots:\n\n  '@acme/greeting@1.0.0': {{}}\n\n  elsewhere@1.0.0:\n    \
         optional: true\n"
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn pnpm_installs_without_a_network_what_the_gateway_fetched() {
    let registry = PackageHost::start().await;
    let tarball = "/@acme/greeting/-/greeting-1.0.0.tgz";
    let manifest = br#"{ "name": "@acme/greeting", "version": "1.0.0", "main": "index.js" }"#;
    let code = b"module.exports = \"hello from pnpm\";\n";
    let package = archive(&[
        ("package/package.json", manifest),
        ("package/index.js", code),
    ]);
    registry.serve(tarball, Served::File(package.clone()));
    let command = "pnpm install --frozen-lockfile && node -e 'console.log(require(\"@acme/greeting\"))' > b.txt && \
         (pnpm add lodash 2>&1 | grep -o 'FETCH_404' | head -n 1 >> b.txt; git checkout -q package.json pnpm-lock.yaml; git add b.txt \
         && git commit -qm used)";
    let manifest = r#"{ "name": "tools", "version": "1.0.0", "packageManager": "pnpm@9.15.0", "dependencies": { "@acme/greeting": "1.0.0" }, "optionalDependencies": { "elsewhere": "1.0.0" } }"#;
    let lock = pnpm_lock(&package);
    let files = [("package.json", manifest), ("pnpm-lock.yaml", &lock)];
    let bench = with_node(&registry, command, &files).await;
    let path = bench.completed().await;
    let owner = bench.gateway.owner().await;
    let diff = owner.get(&format!("{path}/diff")).expect(200).await;
    let said = diff.str("/text");
    assert!(said.contains("+hello from pnpm\n+FETCH_404"), "{said}");
    let of = supplies(&bench, &path).await;
    assert_eq!(
        (&of[0]["kind"], &of[0]["fetched"], &of[0]["left_out_count"]),
        (&"npm".into(), &1.into(), &1.into()),
        "{of}"
    );
    let left = &of[0]["left_out"][0];
    assert_eq!(left["name"], "elsewhere 1.0.0", "{of}");
    assert_eq!(registry.visits(), [tarball]);
    bench.stop().await;
}
