//! Programs that behave badly: slow, broken, garbage, too much, absent.

use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use super::{Document, PdfError, Program};

fn document() -> Document {
    Document {
        title: "A title".to_owned(),
        facts: Vec::new(),
        markdown: "A text.".to_owned(),
    }
}

/// A program of these lines.
fn program(lines: &str) -> (tempfile::TempDir, Program) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("roost-pdf");
    std::fs::write(&path, format!("#!/bin/sh\n{lines}\n")).expect("written");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("its mode");
    let program = Program::new(Some(path)).within(Duration::from_secs(20), 4 << 20);
    (folder, program)
}

async fn fault(lines: &str) -> PdfError {
    let (_folder, program) = program(lines);
    program.typeset(&document()).await.expect_err("no PDF")
}

const GOOD: &str = r#"printf '%%PDF-1.7\n%%%%EOF\n'; echo '{"pages":3}' >&2"#;

#[tokio::test]
async fn program_gets_one_document_and_no_environment() {
    let lines = format!(
        r#"[ -z "$PATH_OF_TEST$HOME$ROOST_DATA_DIR" ] || exit 9; /bin/grep -q '"markdown":"A text."' || exit 8; {GOOD}"#
    );
    let (_folder, program) = program(&lines);
    let pdf = program.typeset(&document()).await.expect("a PDF");
    assert_eq!(pdf.pages, 3);
    assert_eq!(pdf.bytes, b"%PDF-1.7\n%%EOF\n");
}

#[tokio::test]
async fn missing_program_says_how_to_build_it() {
    let error = Program::new(Some("/nowhere/roost-pdf".into()))
        .typeset(&document())
        .await
        .expect_err("no program");
    let words = error.to_string();
    assert!(words.contains("deploy/pdf.sh"), "{words}");
    assert!(words.contains("/nowhere/roost-pdf"), "{words}");
}

#[tokio::test]
async fn slow_program_is_killed() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("pid");
    let lines = format!("echo $$ > {}; exec sleep 600", file.display());
    let (_program, program) = program(&lines);
    let slow = program.within(Duration::from_secs(1), 1 << 20);
    let error = slow.typeset(&document()).await.expect_err("too slow");
    assert!(matches!(error, PdfError::TooSlow(1)), "{error:?}");
    let pid = std::fs::read_to_string(&file).expect("its pid");
    let there = std::path::Path::new("/proc").join(pid.trim()).exists();
    assert!(!there, "the process {pid} goes on");
}

#[tokio::test]
async fn refusal_of_the_program_is_the_error() {
    let lines =
        r#"echo 'noise' >&2; echo '{"error":"too_large","detail":"It is too large."}' >&2; exit 2"#;
    assert_eq!(fault(lines).await.to_string(), "It is too large.");
}

#[tokio::test]
async fn crash_is_told_with_its_last_line() {
    let killed = fault("kill -SEGV $$").await.to_string();
    assert!(killed.contains("signal: 11"), "{killed}");
    let memory = fault("echo 'memory allocation of 99 bytes failed' >&2; kill -ABRT $$").await;
    assert!(memory.to_string().contains("more memory"), "{memory}");
}

#[tokio::test]
async fn garbage_is_not_a_pdf() {
    for lines in [
        "echo hello",
        r#"echo hello; echo '{"pages":1}' >&2"#,
        r#"printf '%%PDF-1.7\n'; echo '{"pages":1}' >&2"#,
        r"printf '%%PDF-1.7\n%%%%EOF\n'",
    ] {
        let error = fault(lines).await;
        assert!(matches!(error, PdfError::NotPdf(_)), "{lines}: {error:?}");
    }
}

#[tokio::test]
async fn output_is_limited() {
    let much = fault("cat /dev/zero").await;
    assert!(matches!(much, PdfError::TooMuch(4)), "{much:?}");
    let (_folder, program) = program(&format!("head -c 1000000 /dev/zero >&2; echo >&2; {GOOD}"));
    let error = program
        .typeset(&document())
        .await
        .expect_err("no last line");
    assert!(matches!(error, PdfError::NotPdf(_)), "{error:?}");
}

#[tokio::test]
async fn document_that_is_too_large_is_refused_before_a_process_starts() {
    let mut document = document();
    document.markdown = "x".repeat(9 << 20);
    let (_folder, program) = program("exit 7");
    let error = program.typeset(&document).await.expect_err("too large");
    assert!(matches!(error, PdfError::TooLarge { .. }), "{error:?}");
}
