//! Removes secrets from text that leaves the deployment. Pure. It removes too much rather than too little: support can
//! ask for a removed detail, but a leaked secret cannot be taken back.

/// The replacement for a removed text.
pub const REMOVED: &str = "[removed]";

/// A value after one of these names is always removed.
const NAMES: &[&str] = &[
    "password",
    "passwd",
    "secret",
    "token",
    "api_key",
    "apikey",
    "authorization",
    "bearer",
    "cookie",
    "credential",
    "private_key",
    "one_time",
    "join_code",
    "code_sha256",
];

/// The shortest piece that may be a key or a hash.
const LONG: usize = 24;

/// Removes secrets from texts: the known ones, and every text that looks like a secret.
#[derive(Debug, Default)]
pub struct Redactor {
    known: Vec<String>,
}

impl Redactor {
    /// Adds a text that is a secret wherever it occurs.
    pub fn know(&mut self, secret: &str) {
        let secret = secret.trim();
        // A known secret of three letters would damage ordinary words.
        if secret.len() >= 4 {
            self.known.push(secret.to_owned());
        }
    }

    /// The text without secrets.
    pub fn clean(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for secret in &self.known {
            text = text.replace(secret.as_str(), REMOVED);
        }
        let mut out = String::with_capacity(text.len());
        let mut in_key = false;
        for line in text.split_inclusive('\n') {
            if line.contains("PRIVATE KEY-----") {
                in_key = line.contains("BEGIN") && !line.contains("END");
                out.push_str(REMOVED);
                out.push('\n');
            } else if !in_key {
                words(line, &mut out);
            }
        }
        out
    }
}

fn divides(c: char) -> bool {
    c.is_whitespace() || "\"'`,;(){}[]<>|=\\".contains(c)
}

/// Copies a line word by word. It removes a word that follows one of the names and an assignment.
fn words(line: &str, out: &mut String) {
    let (mut rest, mut named) = (line, false);
    while let Some(first) = rest.chars().next() {
        if divides(first) {
            out.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let end = rest.find(divides).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        rest = after;
        if word == ":" {
            out.push_str(word);
            continue;
        }
        if named && !tells(word) {
            out.push_str(REMOVED);
            named = false;
            continue;
        }
        named = tells(word) && (word.ends_with(':') || assigns(rest) || is_scheme(word));
        out.push_str(&one(word));
    }
}

/// Whether the text after a name assigns a value: `=`, `": "`, `:`.
fn assigns(rest: &str) -> bool {
    let next = rest.trim_start_matches(|c: char| "\"'\\ ".contains(c));
    next.starts_with('=') || next.starts_with(':')
}

fn is_scheme(word: &str) -> bool {
    word.eq_ignore_ascii_case("bearer")
}

fn tells(word: &str) -> bool {
    let word = word
        .trim_end_matches(':')
        .to_ascii_lowercase()
        .replace('-', "_");
    NAMES.iter().any(|name| word.contains(name)) && !word.contains("//")
}

fn one(word: &str) -> String {
    if let Some((scheme, rest)) = word.split_once("://") {
        let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let host = host
            .rsplit_once('@')
            .map_or(host.to_owned(), |(_, host)| format!("{REMOVED}@{host}"));
        return format!("{scheme}://{host}{}", pieces(path));
    }
    // `name:value` as one word.
    if let Some((name, value)) = word.split_once(':')
        && !value.is_empty()
        && tells(name)
    {
        return format!("{name}:{REMOVED}");
    }
    if let Some((who, at)) = word.split_once('@')
        && !who.is_empty()
        && at.contains('.')
    {
        return "[e-mail]".to_owned();
    }
    pieces(word)
}

/// The word without the pieces that look like a key, a hash or a code.
fn pieces(word: &str) -> String {
    let mut out = String::with_capacity(word.len());
    let mut rest = word;
    while !rest.is_empty() {
        let end = rest
            .find(|c: char| "/:.@&?#+".contains(c))
            .unwrap_or(rest.len());
        let (piece, after) = rest.split_at(end);
        out.push_str(if is_secret(piece) { REMOVED } else { piece });
        let mut next = after.chars();
        if let Some(mark) = next.next() {
            out.push(mark);
        }
        rest = next.as_str();
    }
    out
}

fn is_secret(piece: &str) -> bool {
    const PREFIXES: [&str; 4] = ["rst_", "rot_", "rnt_", "roost_"];
    let long = piece.len() >= LONG
        && piece.chars().any(|c| c.is_ascii_digit())
        && piece
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-_%".contains(c));
    let prefixed = PREFIXES.iter().any(|prefix| piece.starts_with(prefix)) && piece.len() >= 20;
    let groups: Vec<&str> = piece.split('-').collect();
    let code = groups.len() == 4
        && groups.iter().all(|group| {
            group.len() == 4
                && group
                    .chars()
                    .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit())
        });
    // Support needs ids, and ids give no access. A metric's name has no digits and is not a secret.
    let id = uuid::Uuid::parse_str(piece).is_ok() && piece.len() == 36;
    let name = prefixed && piece.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    (long || prefixed || code) && !id && !name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_removed_and_ids_and_words_stay() {
        let mut redactor = Redactor::default();
        redactor.know("hunter2!");
        let token = "rst_AbCdEfGhIjKlMnOpQrStUvWxYz012345678901234";
        for (text, clean) in [
            ("the password is hunter2!", "the password is [removed]"),
            (
                "url = \"postgres://me:s3cret@db/roost\"",
                "url = \"postgres://[removed]@db/roost\"",
            ),
            ("password=abc def", "password=[removed] def"),
            (
                "{\"token\":\"abc\",\"id\":7}",
                "{\"token\":\"[removed]\",\"id\":7}",
            ),
            ("{\"token\": \"abc\"}", "{\"token\": \"[removed]\"}"),
            (
                "Authorization: Bearer xyz",
                "Authorization: Bearer [removed]",
            ),
            ("client_secret:abc", "client_secret:[removed]"),
            ("join ABCD-EFGH-0123-JKMN now", "join [removed] now"),
            ("ada@example.org opened it", "[e-mail] opened it"),
            (
                "roost/fleet/node:0190a000-0000-7000-8000-000000000001 is up",
                "roost/fleet/node:0190a000-0000-7000-8000-000000000001 is up",
            ),
            (
                "roost_http_requests_total{method} 4",
                "roost_http_requests_total{method} 4",
            ),
            (
                "the tokens of a session expire",
                "the tokens of a session expire",
            ),
        ] {
            assert_eq!(redactor.clean(text), clean);
        }
        let line = format!("login with {token} from 127.0.0.1:80");
        assert_eq!(
            redactor.clean(&line),
            "login with [removed] from 127.0.0.1:80"
        );
        let key = "a\n-----BEGIN PRIVATE KEY-----\nMIIabc\n-----END PRIVATE KEY-----\nb";
        assert!(!redactor.clean(key).contains("MIIabc"));
        assert!(redactor.clean(key).ends_with('b'));
    }
}
