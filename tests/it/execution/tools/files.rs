//! Files: a read returns what was written, a write is whole or absent, and nothing outside the workspace changes.

use serde_json::json;

use super::Bench;

#[tokio::test(flavor = "multi_thread")]
async fn a_file_is_written_whole_read_in_parts_and_listed() {
    let bench = Bench::new().await;
    let content: String = (1..=3000)
        .map(|n| format!("line {n} \"quoted\" $HOME `id`\n"))
        .collect();
    let made = bench
        .call(
            "write_file",
            json!({ "path": "a/b/it's a 'file'; rm -rf $(x)", "content": content }),
        )
        .await;
    assert!(
        made.text.starts_with("Made /workspace/a/b/it's"),
        "{}",
        made.text
    );
    let path = json!("/workspace/a/b/it's a 'file'; rm -rf $(x)");
    let read = bench
        .call(
            "read_file",
            json!({ "path": path, "offset": 11, "limit": 2 }),
        )
        .await;
    assert_eq!(
        read.text,
        format!(
            "line 11 \"quoted\" $HOME `id`\nline 12 \"quoted\" $HOME `id`\n[lines 11 to 12 of 3000 ({} bytes); go on with offset 13]",
            content.len()
        )
    );
    assert!(read.cut && !read.is_error);
    let whole = bench.call("read_file", json!({ "path": path })).await;
    assert!(
        whole.cut && whole.text.contains("go on with offset"),
        "48 KiB are the most at once"
    );
    let sum = bench
        .output("sha256sum a/b/*  | cut -c1-64; stat -c %a a/b/*")
        .await;
    assert_eq!(
        sum,
        format!(
            "{}\n644\n",
            hex::encode(<sha2::Sha256 as sha2::Digest>::digest(&content))
        )
    );

    bench.output("chmod 755 a/b/*; mkdir -p .git/x many; touch .git/x/y; for i in $(seq 1 1200); do : > many/$i; done").await;
    let again = bench
        .call("write_file", json!({ "path": path, "content": "" }))
        .await;
    assert!(again.text.starts_with("Replaced"), "{}", again.text);
    assert_eq!(
        bench
            .output("stat -c '%a %s' a/b/*; ls -A a/b | wc -l")
            .await,
        "755 0\n1\n"
    );
    let empty = bench.call("read_file", json!({ "path": path })).await;
    assert_eq!(empty.text, "[the file is empty]");

    let listed = bench.call("list_files", json!({ "depth": 3 })).await;
    assert!(
        listed
            .text
            .contains("a/\n  b/\n    it's a 'file'; rm -rf $(x)  0"),
        "{}",
        listed.text
    );
    assert!(
        listed.text.contains(".git/\n") && !listed.text.contains("  x/"),
        "{}",
        listed.text
    );
    assert!(
        listed.cut && listed.text.contains("left out"),
        "1,000 entries are the most"
    );
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn links_and_paths_that_lead_out_are_refused_and_what_is_no_text_is_said() {
    let bench = Bench::new().await;
    bench
        .output("ln -s /etc/passwd out; ln -s /etc dir; ln -s ../usr/bin up; echo in > inside; ln -s inside in; mkfifo pipe; printf 'a\\0b' > binary; printf '%s' \"$(seq 1 3)\" > noend")
        .await;
    for path in [
        "/etc/passwd",
        "out",
        "dir/passwd",
        "up/env",
        "../etc/passwd",
        "/workspace/../etc/passwd",
        "/proc/self/environ",
        "/workspacex/y",
    ] {
        for (tool, arguments) in [
            ("read_file", json!({ "path": path })),
            ("write_file", json!({ "path": path, "content": "x" })),
            ("list_files", json!({ "path": path })),
        ] {
            let result = bench.call(tool, arguments).await;
            assert!(result.is_error, "{tool} {path}: {}", result.text);
            assert!(
                result.text.contains("outside of /workspace and /tmp"),
                "{tool} {path}: {}",
                result.text
            );
        }
    }
    for (path, says) in [
        ("none", "No such file"),
        ("pipe", "not a file that can be read"),
        ("binary", "not text"),
        (".", "is a folder"),
    ] {
        let result = bench.call("read_file", json!({ "path": path })).await;
        assert!(
            result.is_error && result.text.contains(says),
            "{path}: {}",
            result.text
        );
    }
    let inner = bench.call("read_file", json!({ "path": "in" })).await;
    assert_eq!(inner.text, "in\n", "a link that stays inside is followed");
    let noend = bench.call("read_file", json!({ "path": "noend" })).await;
    assert_eq!(noend.text, "1\n2\n3");
    let beyond = bench
        .call("read_file", json!({ "path": "noend", "offset": 9 }))
        .await;
    assert!(
        beyond.is_error && beyond.text.contains("3 lines"),
        "{}",
        beyond.text
    );
    // Through the link, which stays one.
    bench
        .call("write_file", json!({ "path": "in", "content": "new" }))
        .await;
    assert_eq!(bench.output("cat inside; readlink in").await, "newinside\n");
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_of_the_workspace_becomes_part_of_the_tool() {
    let bench = Bench::new().await;
    bench
        .output("for m in json os sys stat errno subprocess; do echo 'open(\"/workspace/owned\",\"w\")' > $m.py; done; mkdir -p .local/lib; echo x > here")
        .await;
    let read = bench.call("read_file", json!({ "path": "here" })).await;
    assert_eq!(read.text, "x\n");
    bench.call("list_files", json!({})).await;
    assert_eq!(bench.output("ls owned 2>/dev/null | wc -l").await, "0\n");
    bench.end().await;
}
