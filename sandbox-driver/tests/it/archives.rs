//! Archives of older versions: they are stored for sandboxes of such a version, and restored in every version.
use std::os::unix::fs::PermissionsExt;

use roost_protocol::sandbox::WorkspaceState;
use roost_sandbox_driver::{ArchiveStore, DriverError, ProvisionOptions, Restore};

use crate::support::{Bench, stdout_of};

#[tokio::test]
async fn workspace_is_restored_in_the_next_sandbox() {
    let bench = Bench::new().await;
    let folder = tempfile::tempdir().unwrap();
    let store = ArchiveStore::open(folder.path().join("archives"), 1 << 30)
        .await
        .unwrap();
    let (sandbox, link) = bench.sandbox().await;
    stdout_of(&link, "mkdir -p a/b; dd if=/dev/urandom of=a/b/data bs=1000 count=20000 2>/dev/null; echo '#!/bin/sh' > run; chmod 755 run; ln -s /usr/bin/python3 py").await;
    let sum = stdout_of(&link, "sha256sum a/b/data").await;
    let stored = bench.driver.archive(sandbox, &store).await.unwrap();
    let again = bench.driver.archive(sandbox, &store).await.unwrap();
    assert_eq!(stored, again, "the same content is the same archive");
    bench.driver.destroy(sandbox, None).await.unwrap();
    assert!(stored.bytes > 20_000_000);
    let path = store.path(&stored.digest).unwrap();
    assert_eq!(
        std::fs::metadata(&path).unwrap().permissions().mode() & 0o777,
        0o600
    );

    let spec = bench.spec();
    let options = ProvisionOptions {
        restore: Some(Restore::Archive(path)),
        ..ProvisionOptions::default()
    };
    let (_, workspace) = bench
        .driver
        .provision(&spec, options.clone(), &mut |_| {})
        .await
        .unwrap();
    assert_eq!(
        workspace,
        WorkspaceState::Restored {
            digest: stored.digest.clone()
        }
    );
    let link = bench.driver.attach(spec.sandbox).await.unwrap();
    assert_eq!(stdout_of(&link, "sha256sum a/b/data").await, sum);
    assert_eq!(
        stdout_of(&link, "ls -l py run | tr -s ' ' | sed 's/ .*//'")
            .await
            .len(),
        21
    );
    // The same provision again finds the restored sandbox and leaves it unchanged.
    stdout_of(&link, "echo new > later").await;
    bench
        .driver
        .provision(&spec, options, &mut |_| {})
        .await
        .unwrap();
    assert_eq!(stdout_of(&link, "cat later").await, "new");
    bench.clean().await;
}

#[tokio::test]
async fn damaged_archive_makes_no_sandbox_and_missing_one_is_reported() {
    let bench = Bench::new().await;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(format!("{}.tar", "a".repeat(64)));
    let spec = bench.spec();
    let options = ProvisionOptions {
        restore: Some(Restore::Archive(path.clone())),
        ..ProvisionOptions::default()
    };
    let (_, workspace) = bench
        .driver
        .provision(&spec, options.clone(), &mut |_| {})
        .await
        .unwrap();
    assert_eq!(
        workspace,
        WorkspaceState::ArchiveMissing {
            digest: "a".repeat(64)
        }
    );
    bench.clean().await;

    std::fs::write(&path, vec![0; 10_240]).unwrap();
    let error = bench
        .driver
        .provision(&bench.spec(), options, &mut |_| {})
        .await
        .unwrap_err();
    assert!(matches!(error, DriverError::Archive(_)), "{error}");
    assert!(
        bench.driver.list().await.unwrap().is_empty(),
        "nothing half-made stays"
    );
}
