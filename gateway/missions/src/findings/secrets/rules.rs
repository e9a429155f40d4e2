//! The rules of the scan. Names are those of gitleaks where it has the rule, so that the findings of both are merged.
use std::sync::LazyLock;

use regex::bytes::Regex;

use crate::findings::finding::Severity;

pub(super) struct Rule {
    pub(super) id: &'static str,
    pub(super) title: &'static str,
    pub(super) severity: Severity,
    /// One of these words, in lower case, must be in the file before the expression is tried.
    pub(super) keywords: &'static [&'static str],
    /// Its first group is the secret.
    expression: &'static str,
    pub(super) least_entropy: f64,
    /// The rule knows only the name beside the value, so words and templates as values are not secrets.
    pub(super) is_guess: bool,
}

const fn token(
    id: &'static str,
    title: &'static str,
    severity: Severity,
    keywords: &'static [&'static str],
    expression: &'static str,
    least_entropy: f64,
) -> Rule {
    Rule {
        id,
        title,
        severity,
        keywords,
        expression,
        least_entropy,
        is_guess: false,
    }
}

const fn guess(
    id: &'static str,
    title: &'static str,
    severity: Severity,
    keywords: &'static [&'static str],
    expression: &'static str,
    least_entropy: f64,
) -> Rule {
    Rule {
        id,
        title,
        severity,
        keywords,
        expression,
        least_entropy,
        is_guess: true,
    }
}

/// Exact rules first: where two match, the first counts.
const LIST: [Rule; 18] = [
    token(
        "private-key",
        "A private key",
        Severity::Critical,
        &["private key"],
        r#"-----BEGIN [ A-Z0-9]{0,40}PRIVATE KEY(?: BLOCK)?-----([A-Za-z0-9+/=\s\\:,."'-]{64,20000})"#,
        3.5,
    ),
    token(
        "aws-access-token",
        "An AWS access key",
        Severity::Critical,
        &["akia", "asia", "abia", "acca"],
        r"\b((?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16})\b",
        3.0,
    ),
    token(
        "aws-secret-key",
        "An AWS secret key",
        Severity::Critical,
        &["secret"],
        r#"(?i)aws_?secret_?(?:access_?)?key["']?\s{0,5}[:=]\s{0,5}["']?([A-Z0-9/+]{40})(?:[^A-Z0-9/+]|$)"#,
        4.0,
    ),
    token(
        "github-pat",
        "A GitHub token",
        Severity::Critical,
        &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
        r"\b(gh[pousr]_[A-Za-z0-9]{36,255})",
        3.0,
    ),
    token(
        "github-fine-grained-pat",
        "A GitHub token",
        Severity::Critical,
        &["github_pat_"],
        r"\b(github_pat_[A-Za-z0-9_]{60,100})",
        3.0,
    ),
    token(
        "gitlab-pat",
        "A GitLab token",
        Severity::Critical,
        &["glpat-", "gldt-", "glrt-", "glptt-"],
        r"\b((?:glpat|gldt|glrt|glptt)-[A-Za-z0-9_-]{20,64})",
        3.0,
    ),
    token(
        "slack-token",
        "A Slack token",
        Severity::High,
        &["xox"],
        r"\b(xox[abeoprs]-[A-Za-z0-9-]{10,250})",
        2.5,
    ),
    token(
        "slack-webhook-url",
        "The address of a Slack webhook",
        Severity::High,
        &["hooks.slack.com"],
        r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9/+]{30,90})",
        3.0,
    ),
    token(
        "gcp-api-key",
        "A Google API key",
        Severity::High,
        &["aiza"],
        r"\b(AIza[A-Za-z0-9_-]{35})(?:[^A-Za-z0-9_-]|$)",
        3.5,
    ),
    token(
        "stripe-access-token",
        "A Stripe key",
        Severity::High,
        &["sk_", "rk_"],
        r"\b((?:sk|rk)_(?:live|test|prod)_[A-Za-z0-9]{10,120})",
        3.0,
    ),
    token(
        "npm-access-token",
        "An npm token",
        Severity::High,
        &["npm_"],
        r"\b(npm_[A-Za-z0-9]{36})(?:[^A-Za-z0-9]|$)",
        3.0,
    ),
    token(
        "pypi-upload-token",
        "A PyPI token",
        Severity::High,
        &["pypi-ageichlwas5vcmc"],
        r"\b(pypi-AgEIcHlwaS5vcmc[A-Za-z0-9_-]{50,1000})",
        3.0,
    ),
    token(
        "anthropic-api-key",
        "An Anthropic API key",
        Severity::High,
        &["sk-ant-"],
        r"\b(sk-ant-[A-Za-z0-9_-]{20,200})",
        3.5,
    ),
    token(
        "openai-api-key",
        "An OpenAI API key",
        Severity::High,
        &["t3blbkfj"],
        r"\b(sk-[A-Za-z0-9_-]{10,100}T3BlbkFJ[A-Za-z0-9_-]{10,100})",
        3.5,
    ),
    token(
        "jwt",
        "A JSON Web Token",
        Severity::Medium,
        &["eyj"],
        r"\b(eyJ[A-Za-z0-9_-]{10,2000}\.eyJ[A-Za-z0-9_-]{10,4000}\.[A-Za-z0-9_-]{10,2000})",
        3.5,
    ),
    guess(
        "connection-string",
        "A password in a connection string",
        Severity::High,
        &["://"],
        r#"\b[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s:@/"'<>]{0,64}:([^\s:@/"'<>]{4,128})@[A-Za-z0-9_.\[-]"#,
        2.0,
    ),
    guess(
        "hardcoded-password",
        "A password",
        Severity::High,
        &["passw", "passphrase", "pwd"],
        r#"(?i)(?:password|passwd|passphrase|pwd)[\w.-]{0,20}["']?\s{0,5}(?::=|=>|=|:)\s{0,5}["']([^"'\s]{8,200})["']"#,
        3.0,
    ),
    guess(
        "generic-api-key",
        "A secret",
        Severity::Medium,
        &["secret", "token", "key", "auth", "credential"],
        r#"(?i)(?:secret|token|api[_-]?key|access[_-]?key|auth[_-]?key|credential)[\w.-]{0,20}["']?\s{0,5}(?::=|=>|=|:)\s{0,5}["']([A-Z0-9_.=+/!@#%^&*~-]{10,200})["']"#,
        3.5,
    ),
];

/// The rules with their expressions, in bytes and without Unicode classes.
pub(super) static RULES: LazyLock<Vec<(Rule, Regex)>> = LazyLock::new(|| {
    LIST.into_iter()
        .map(|rule| {
            let regex = Regex::new(&format!("(?-u){}", rule.expression))
                .expect("a rule of the list is a regular expression");
            (rule, regex)
        })
        .collect()
});

/// Parts of values that stand in the place of a secret.
const PLACEHOLDERS: [&str; 14] = [
    "example",
    "changeme",
    "change-me",
    "change_me",
    "placeholder",
    "xxxx",
    "****",
    "your-",
    "your_",
    "yourpassword",
    "dummy",
    "redacted",
    "not-a-secret",
    "insert-",
];
/// Parts of values that a program fills in.
const TEMPLATES: [&str; 9] = [
    "${",
    "{{",
    "$(",
    "%(",
    "<%",
    "{}",
    "process.env",
    "os.environ",
    "env[",
];
/// Whole values that are names and not secrets.
const WORDS: [&str; 10] = [
    "password", "postgres", "secret", "admin", "root", "user", "guest", "test", "mysql", "token",
];

/// Whether a value only stands in the place of a secret.
pub(super) fn is_placeholder(value: &[u8], is_guess: bool) -> bool {
    let folded = String::from_utf8_lossy(value).to_ascii_lowercase();
    if PLACEHOLDERS.iter().any(|part| folded.contains(part)) {
        return true;
    }
    let mut letters = folded.bytes().filter(u8::is_ascii_alphanumeric);
    let first = letters.next();
    if letters.all(|letter| Some(letter) == first) {
        return true;
    }
    if !is_guess {
        return false;
    }
    // Of a name such as `token_of_the_session`, all letters are of one kind.
    let is_name = folded
        .bytes()
        .all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'_' | b'-' | b'.' | b':' | b'/'));
    let is_word = WORDS.contains(&folded.as_str());
    is_word
        || TEMPLATES.iter().any(|part| folded.contains(part))
        // A variable, a template, or the path of a file that holds the secret.
        || folded.starts_with(['$', '{', '/', '.', '~'])
        || (is_name && String::from_utf8_lossy(value) == folded)
}
