//! Secrets are found and never shown. The tests put secrets together at run time, so that this file holds none.
use proptest::prelude::*;

use super::{MOST_FILE, entropy, mask, scan};
use crate::findings::{Finding, Severity};

/// Letters and digits that look random, and the same ones each time.
fn random(count: usize, letters: &str) -> String {
    let letters: Vec<char> = letters.chars().collect();
    let mut state = 42_u64;
    (0..count)
        .map(|_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            letters[(state >> 33) as usize % letters.len()]
        })
        .collect()
}

const LETTERS: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

fn secrets() -> Vec<(&'static str, String)> {
    let upper = random(16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567");
    vec![
        ("aws-access-token", format!("AKIA{upper}")),
        ("github-pat", format!("ghp_{}", random(36, LETTERS))),
        (
            "github-fine-grained-pat",
            format!("github_pat_{}", random(82, LETTERS)),
        ),
        ("gitlab-pat", format!("glpat-{}", random(20, LETTERS))),
        (
            "slack-token",
            format!("xoxb-{}-{}", random(12, "0123456789"), random(24, LETTERS)),
        ),
        ("gcp-api-key", format!("AIza{}", random(35, LETTERS))),
        (
            "stripe-access-token",
            format!("sk_live_{}", random(24, LETTERS)),
        ),
        ("npm-access-token", format!("npm_{}", random(36, LETTERS))),
        (
            "pypi-upload-token",
            format!("pypi-AgEIcHlwaS5vcmc{}", random(60, LETTERS)),
        ),
        (
            "anthropic-api-key",
            format!("sk-ant-{}", random(40, LETTERS)),
        ),
        (
            "openai-api-key",
            format!("sk-{}T3BlbkFJ{}", random(20, LETTERS), random(20, LETTERS)),
        ),
        ("jwt", format!("eyJ{0}.eyJ{0}.{0}", random(30, LETTERS))),
    ]
}

fn one(text: &str) -> Finding {
    let report = scan("src/a.rs", text.as_bytes());
    assert_eq!(report.findings.len(), 1, "{text}: {:?}", report.findings);
    report.findings[0].clone()
}

#[test]
fn each_token_is_found_at_its_line_and_not_shown() {
    for (rule, secret) in secrets() {
        let finding = one(&format!("// begin\nlet key = call({secret});\nend"));
        assert_eq!((finding.rule.as_str(), finding.line), (rule, Some(2)));
        assert_eq!(finding.file.as_deref(), Some("src/a.rs"));
        let snippet = finding.snippet.unwrap();
        assert!(!snippet.contains(&secret[..8]), "{snippet}");
        let hint = format!("{}… ({} characters)", &secret[..4], secret.len());
        assert_eq!(snippet, format!("let key = call({hint});"), "{rule}");
    }
}

#[test]
fn values_beside_names_are_found() {
    let key = random(40, LETTERS);
    let word = "kR7-vQ2p!x9";
    let cases = [
        ("aws-secret-key", format!("AWS_SECRET_ACCESS_KEY={key}")),
        (
            "slack-webhook-url",
            format!("https://hooks.slack.com/services/{key}"),
        ),
        (
            "connection-string",
            format!("postgres://app:{word}@db.internal:5432/app"),
        ),
        ("hardcoded-password", format!("password = \"{word}\"")),
        (
            "hardcoded-password",
            format!("{{\"db_password\": \"{word}\"}}"),
        ),
        ("hardcoded-password", format!("let admin_pwd: '{word}'")),
        ("generic-api-key", format!("API-KEY => '{key}'")),
        ("generic-api-key", format!("client_secret := \"{key}\"")),
    ];
    for (rule, text) in cases {
        let finding = one(&text);
        assert_eq!(finding.rule, rule, "{text}");
        let snippet = finding.snippet.unwrap();
        assert!(
            !snippet.contains(&key) && !snippet.contains(word),
            "{snippet}"
        );
    }
}

#[test]
fn a_private_key_is_found_where_it_begins() {
    let body = random(64, LETTERS);
    for kind in ["", "RSA ", "EC ", "OPENSSH "] {
        let (begin, end) = (
            format!("-----BEGIN {kind}PRIVATE KEY-----"),
            format!("-----END {kind}PRIVATE KEY-----"),
        );
        let finding = one(&format!("x\n{begin}\n{body}\n{body}\n{end}\n"));
        assert_eq!(
            (finding.rule.as_str(), finding.line),
            ("private-key", Some(2))
        );
        assert_eq!(finding.severity, Severity::Critical);
        assert!(!finding.snippet.unwrap().contains(&body[..8]));
        let escaped = one(&format!("key = \"{begin}\\n{body}\\n{body}\\n{end}\""));
        assert!(!escaped.snippet.unwrap().contains(&body[..8]));
    }
    // Code that names the header has no key.
    assert_eq!(
        scan("a", b"if line == \"-----BEGIN PRIVATE KEY-----\" {").findings,
        []
    );
}

#[test]
fn placeholders_and_names_are_not_secrets() {
    let texts = [
        "AKIAIOSFODNN7EXAMPLE",
        "password = \"changeme-please-1\"",
        "password = \"${DB_PASSWORD_1}\"",
        "password: \"{{ vault.Password1 }}\"",
        "password = \"password\"",
        "password = \"xxxxxxxxXX11\"",
        "token = \"session_token_name\"",
        "secret_key = 'your-secret-Key-123'",
        "postgres://postgres:postgres@localhost/db",
        "postgres://user:${PASSWORD}@localhost/db",
        "https://example.org:8080/path@here",
        "password = read_password()",
        "credentials_file = \"/etc/Roost/credentials-1\"",
        "postgres://app:{word1}@db/app",
        "let key = \"short1\"",
        "ghp_000000000000000000000000000000000000",
    ];
    for text in texts {
        assert_eq!(scan("a", text.as_bytes()).findings, [], "{text}");
    }
}

#[test]
fn the_first_rule_counts_where_two_match_and_all_secrets_of_a_line_are_masked() {
    let all = secrets();
    let (token, other) = (&all[1].1, &all[0].1);
    assert_eq!(one(&format!("api_key = \"{token}\"")).rule, "github-pat");
    let report = scan("a", format!("{other} {token}").as_bytes());
    assert_eq!(report.findings.len(), 2);
    for finding in &report.findings {
        let snippet = finding.snippet.as_deref().unwrap();
        assert!(
            !snippet.contains(&token[..8]) && !snippet.contains(&other[..8]),
            "{snippet}"
        );
    }
    // A token that is longer than the rule allows has no end that stays in sight.
    let long = format!("ghp_{}", random(400, LETTERS));
    assert!(!one(&long).snippet.unwrap().contains(&long[300..310]));
}

#[test]
fn binary_files_are_left_out_and_large_files_are_cut() {
    let secret = &secrets()[0].1;
    assert_eq!(scan("a", format!("\0{secret}").as_bytes()).findings, []);
    let mut large = vec![b'x'; MOST_FILE];
    large.extend_from_slice(format!("\n{secret}\n").as_bytes());
    let report = scan("a", &large);
    assert_eq!(report.findings, []);
    assert_eq!(
        report.notes,
        ["a has over 2 MB; only its first 2 MB were scanned for secrets"]
    );
    let many = format!("{secret}\n").repeat(1_000);
    let report = scan("a", many.as_bytes());
    assert_eq!(report.findings.len(), 200);
    assert_eq!(report.findings[199].line, Some(200));
    assert_eq!(
        report.notes,
        ["a has 1000 secrets; the first 200 are listed"]
    );
    let wide = format!("{0} {secret} {0}", "y".repeat(100_000));
    assert!(one(&wide).snippet.unwrap().len() < 400);
}

#[test]
fn entropy_of_words_and_keys() {
    assert!(entropy(b"") == 0.0 && entropy(b"aaaa") == 0.0);
    assert!((entropy(b"abcd") - 2.0).abs() < 1e-12);
    assert!(entropy(random(40, LETTERS).as_bytes()) > 4.0);
}

proptest! {
    #[test]
    fn no_bytes_make_the_scan_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        scan("a", &bytes);
        mask(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn no_snippet_shows_a_secret(
        which in 0..12_usize,
        before in "[ -~\\n]{0,60}",
        after in "[ -~\\n]{0,60}",
    ) {
        let (_, secret) = &secrets()[which];
        let text = format!("{before} {secret} {after}");
        for finding in scan("a", text.as_bytes()).findings {
            prop_assert!(!finding.snippet.unwrap_or_default().contains(secret.as_str()));
        }
        prop_assert!(!mask(&text).contains(secret.as_str()));
    }
}
