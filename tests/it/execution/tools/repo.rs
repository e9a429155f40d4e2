//! `repo`: git works, and nothing that a repository configures is executed.

use serde_json::json;

use super::Bench;

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_sees_what_differs_commits_it_in_its_name_and_sees_the_history() {
    let bench = Bench::new().await;
    let none = bench.call("status", json!({})).await;
    assert!(
        none.is_error && none.text.contains("not in a git repository"),
        "{}",
        none.text
    );
    bench
        .output("git init -q -b main; echo one > file; echo two > other")
        .await;
    let log = bench.call("log", json!({})).await;
    assert!(
        !log.is_error && log.text.contains("no commit yet"),
        "{}",
        log.text
    );
    let diff = bench.call("diff", json!({})).await;
    assert!(
        diff.text.contains("New files") && diff.text.contains("file\nother"),
        "{}",
        diff.text
    );
    let commit = bench
        .call(
            "commit",
            json!({ "message": "First\n\nWhy: 'quotes' $(id)", "paths": ["file"] }),
        )
        .await;
    assert!(
        !commit.is_error && commit.text.contains("First"),
        "{}",
        commit.text
    );
    let author = bench
        .output("git log -1 --format='%an <%ae>|%cn <%ce>|%b'")
        .await;
    let agent = format!("Ada <{}@agents.roost.invalid>", bench.agent());
    assert_eq!(
        author.trim_end(),
        format!("{agent}|{agent}|Why: 'quotes' $(id)")
    );
    let status = bench.call("status", json!({})).await;
    assert_eq!(status.text, "## main\n?? other\n");
    bench.output("echo 1 > file").await;
    let diff = bench.call("diff", json!({})).await;
    assert!(diff.text.contains("-one\n+1\n"), "{}", diff.text);
    let all = bench.call("commit", json!({ "message": "All" })).await;
    assert!(!all.is_error, "{}", all.text);
    let nothing = bench.call("commit", json!({ "message": "None" })).await;
    assert!(
        nothing.is_error && nothing.text.contains("nothing to commit"),
        "{}",
        nothing.text
    );
    let log = bench.call("log", json!({ "limit": 1 })).await;
    assert!(
        log.text.lines().count() == 1 && log.text.contains("Ada  All"),
        "{}",
        log.text
    );
    let outside = bench
        .call("commit", json!({ "message": "Out", "paths": ["../etc"] }))
        .await;
    assert!(outside.is_error, "{}", outside.text);
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_program_that_a_repository_names_is_run() {
    let bench = Bench::new().await;
    let hostile = r#"
        git init -q -b main; echo one > a.txt; echo '* filter=evil diff=evil merge=evil' > .gitattributes
        git add -A; git -c user.name=x -c user.email=x@x commit -qm first
        run='touch /workspace/../tmp/owned; cat'
        printf '#!/bin/sh\ntouch /tmp/owned\n' > /workspace/run.sh; chmod +x /workspace/run.sh
        for h in pre-commit commit-msg prepare-commit-msg post-commit post-index-change pre-auto-gc reference-transaction; do cp run.sh .git/hooks/$h; done
        printf '[filter "evil"]\n clean = "%s"\n smudge = "%s"\n required = true\n[filter "e=v"]\n process = /workspace/run.sh\n' "$run" "$run" >> .git/config
        printf '[diff "evil"]\n textconv = /workspace/run.sh\n command = /workspace/run.sh\n[diff]\n external = /workspace/run.sh\n' >> .git/config
        printf '[core]\n fsmonitor = /workspace/run.sh\n pager = /workspace/run.sh\n editor = /workspace/run.sh\n hooksPath = /workspace/.git/hooks\n sshCommand = /workspace/run.sh\n' >> .git/config
        printf '[commit]\n gpgSign = true\n[gpg]\n program = /workspace/run.sh\n[log]\n showSignature = true\n[alias]\n status = !/workspace/run.sh\n[include]\n path = more\n' >> .git/config
        printf '[filter "more"]\n clean = /workspace/run.sh\n' > .git/more; printf '* filter=more\n' > .git/info/attributes
        echo two > a.txt; echo three > b.txt; rm -f /tmp/owned; true"#;
    bench.output(hostile).await;
    for (tool, arguments) in [
        ("status", json!({})),
        ("diff", json!({})),
        ("log", json!({})),
        ("commit", json!({ "message": "Mine" })),
        ("status", json!({})),
        ("log", json!({})),
    ] {
        let result = bench.call(tool, arguments).await;
        assert!(!result.is_error, "{tool}: {}", result.text);
        let owned = bench.output("ls /tmp/owned 2>/dev/null | wc -l").await;
        assert_eq!(owned, "0\n", "{tool} ran a program of the repository");
    }
    // The same repository with a git that is told nothing: the traps are real.
    let plain = bench.shell("GIT_OPTIONAL_LOCKS=0 timeout 5 git -c core.pager=cat diff >/dev/null 2>&1; ls /tmp/owned").await;
    assert_eq!(plain.exit_code, Some(0), "{}", plain.text);
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn repository_with_files_outside_of_the_workspace_is_refused() {
    let bench = Bench::new().await;
    bench
        .output("git init -q -b main out; git -C out config core.worktree /etc; mkdir link; ln -s /usr link/usr; git init -q --bare bare")
        .await;
    for path in ["out", "link/usr", "/etc", "bare", "none"] {
        let result = bench.call("status", json!({ "path": path })).await;
        assert!(result.is_error, "{path}: {}", result.text);
    }
    bench.end().await;
}
