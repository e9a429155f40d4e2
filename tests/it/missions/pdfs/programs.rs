//! Programs in place of the renderer: one that is missing, one that answers with garbage, one that counts.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use roost_tests::{Gateway, ScratchPostgres, bin_dir};
use serde_json::Value;

use super::{ended, pdf, words};
use crate::missions::template;

/// A program of these lines, in this folder.
fn program(folder: &Path, lines: &str) -> String {
    let path = folder.join("renderer");
    std::fs::write(&path, format!("#!/bin/sh\n{lines}\n")).expect("written");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("its mode");
    path.display().to_string()
}

#[tokio::test]
async fn pdf_without_its_program_fails_with_the_command_that_builds_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("renderer").display().to_string();
    let gateway = Gateway::start_with(&[("pdf_renderer", path.as_str())]).await;
    let owner = gateway.owner().await;
    let writers = template(owner, "Writers").await;
    let over = ended(owner, &writers, "no program").await;
    let id = over.str("/id");
    let failed = pdf(owner, id, &Value::Null).await;
    assert_eq!(failed["status"], "failed");
    let why = failed["error"].as_str().expect("why");
    assert!(
        why.contains("deploy/pdf.sh") && why.contains(&path),
        "{why}"
    );
    let artifact = failed["id"].as_str().expect("an id");
    let content = owner.get(&format!("/api/missions/{id}/artifacts/{artifact}/content"));
    let content = content.expect(409).await;
    assert!(
        content.str("/detail").contains("deploy/pdf.sh"),
        "{content:?}"
    );

    // Garbage is an error too, and no file.
    program(folder.path(), "echo hello");
    let again = owner.post(&format!("/api/missions/{id}/report"));
    assert_eq!(again.expect(202).await.body["id"], failed["id"]);
    let garbage = pdf(owner, id, &Value::Null).await;
    let why = garbage["error"].as_str().expect("why");
    assert!(why.contains("not a PDF"), "{why}");

    // The program is there now.
    let real = bin_dir().join("roost-pdf");
    let real = std::fs::canonicalize(real).expect("`deploy/pdf.sh` made roost-pdf");
    program(folder.path(), &format!("exec {}", real.display()));
    let again = owner.post(&format!("/api/missions/{id}/report"));
    again.expect(202).await;
    let ready = pdf(owner, id, &Value::Null).await;
    assert_eq!(ready["status"], "ready", "{ready}");
    assert_eq!(ready["error"], Value::Null);
    assert!(words(owner, &ready).await.contains("Status completed"));
    gateway.stop().await;
}

#[tokio::test]
async fn two_gateways_make_each_pdf_once() {
    let Some(scratch) = ScratchPostgres::new().await else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let made = folder.path().join("made");
    let real = bin_dir().join("roost-pdf");
    let real = std::fs::canonicalize(real).expect("`deploy/pdf.sh` made roost-pdf");
    let lines = format!(
        "echo once >> {}; /bin/sleep 0.3; exec {}",
        made.display(),
        real.display()
    );
    let set = [("pdf_renderer", program(folder.path(), &lines))];
    let (one, two) = (
        Gateway::start_like(&set, Some(&scratch)).await,
        Gateway::start_like(&set, Some(&scratch)).await,
    );
    let owner = one.owner().await;
    let writers = template(owner, "Writers").await;
    let mut missions = Vec::new();
    for n in 0..6 {
        let over = ended(owner, &writers, &format!("mission {n}")).await;
        missions.push(over.str("/id").to_owned());
    }
    for id in &missions {
        let ready = pdf(owner, id, &Value::Null).await;
        assert_eq!(ready["status"], "ready", "{ready}");
    }
    let made = std::fs::read_to_string(&made).expect("the program ran");
    assert_eq!(made.lines().count(), missions.len());
    one.stop().await;
    two.stop().await;
    scratch.remove().await;
}
