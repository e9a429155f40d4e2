//! Checks and cleaning of untrusted text, such as text from nodes and specs.
use crate::limits::{MAX_ARG_BYTES, MAX_ARGV, MAX_ENV};

/// Why a text is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TextError {
    #[error(
        "the image reference {0:?} is not of the form [registry/]name[:tag][@sha256:…]; options are not allowed here"
    )]
    Image(String),
    #[error("the digest {0:?} must be SHA-256 in 64 lower-case hex digits")]
    Digest(String),
    #[error("the path {0:?} must be absolute, without `..`, `.` or empty parts")]
    Path(String),
    #[error("the environment name {0:?} must match [A-Za-z_][A-Za-z0-9_]*")]
    EnvName(String),
    #[error("the environment name {0:?} is set by the sandbox and cannot be changed")]
    EnvReserved(String),
    #[error("{what} has {got} entries; at most {most} are allowed")]
    TooMany {
        what: &'static str,
        got: usize,
        most: usize,
    },
    #[error("{what} is {got} bytes long; at most {most} are allowed")]
    TooLong {
        what: &'static str,
        got: usize,
        most: usize,
    },
    #[error("{0} must not be empty")]
    Empty(&'static str),
    #[error("{0} must not contain a NUL byte")]
    Nul(&'static str),
}

/// Names that the sandbox sets itself, or that change how programs are loaded.
const RESERVED_ENV: [&str; 4] = ["LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "ROOST_GUEST"];

/// Checks an image reference: a name that the engine can look up, without hidden options.
///
/// # Errors
/// [`TextError::Image`] with the text.
pub fn image_reference(text: &str) -> Result<(), TextError> {
    let bad = || TextError::Image(short(text, 256));
    if text.is_empty() || text.len() > 512 {
        return Err(bad());
    }
    let (name, digest_text) = match text.split_once('@') {
        Some((name, digest)) => (name, Some(digest)),
        None => (text, None),
    };
    if let Some(text) = digest_text {
        digest(text).map_err(|_| bad())?;
    }
    // A colon after the last slash starts a tag. An earlier one belongs to a registry's port.
    let (path, tag) = match name.rfind(':') {
        Some(at) if !name[at..].contains('/') => (&name[..at], name[at..].strip_prefix(':')),
        _ => (name, None),
    };
    if let Some(tag) = tag {
        let first = tag.bytes().next().ok_or_else(bad)?;
        let word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
        if tag.len() > 128
            || !word(first)
            || !tag.bytes().all(|b| word(b) || b == b'.' || b == b'-')
        {
            return Err(bad());
        }
    }
    for (index, part) in path.split('/').enumerate() {
        let host = index == 0 && path.contains('/');
        let allowed = |b: u8| {
            b.is_ascii_lowercase()
                || b.is_ascii_digit()
                || matches!(b, b'.' | b'_' | b'-')
                || (host && (b == b':' || b.is_ascii_uppercase()))
        };
        let edge = |b: u8| b.is_ascii_alphanumeric();
        let (Some(first), Some(last)) = (part.bytes().next(), part.bytes().last()) else {
            return Err(bad());
        };
        if !edge(first) || !edge(last) || !part.bytes().all(allowed) {
            return Err(bad());
        }
    }
    Ok(())
}

/// Checks `sha256:` and 64 lower-case hex digits.
///
/// # Errors
/// [`TextError::Digest`] with the text.
pub fn digest(text: &str) -> Result<(), TextError> {
    let hex = text.strip_prefix("sha256:").unwrap_or_default();
    sha256_hex(hex).map_err(|_| TextError::Digest(short(text, 128)))
}

/// Checks 64 lower-case hex digits.
///
/// # Errors
/// [`TextError::Digest`] with the text.
pub fn sha256_hex(text: &str) -> Result<(), TextError> {
    let hex = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
    if text.len() == 64 && text.bytes().all(hex) {
        Ok(())
    } else {
        Err(TextError::Digest(short(text, 128)))
    }
}

/// Checks an absolute path inside a sandbox.
///
/// # Errors
/// [`TextError`] with the broken rule.
pub fn sandbox_path(path: &str) -> Result<(), TextError> {
    bounded("the path", path, 4096)?;
    let rest = path
        .strip_prefix('/')
        .ok_or_else(|| TextError::Path(short(path, 256)))?;
    // One slash may end a directory's path. The root itself has no part before it.
    let rest = rest
        .strip_suffix('/')
        .filter(|parts| !parts.is_empty())
        .unwrap_or(rest);
    if !rest.is_empty() && rest.split('/').any(|part| matches!(part, "" | "." | "..")) {
        return Err(TextError::Path(short(path, 256)));
    }
    Ok(())
}

/// Checks a command line.
///
/// # Errors
/// [`TextError`] with the broken rule.
pub fn argv(argv: &[String]) -> Result<(), TextError> {
    if argv.first().is_none_or(String::is_empty) {
        return Err(TextError::Empty("argv"));
    }
    if argv.len() > MAX_ARGV {
        return Err(TextError::TooMany {
            what: "argv",
            got: argv.len(),
            most: MAX_ARGV,
        });
    }
    argv.iter().try_for_each(|arg| argument(arg))
}

/// Checks one argument.
///
/// # Errors
/// [`TextError`] with the broken rule.
pub fn argument(arg: &str) -> Result<(), TextError> {
    bounded("an argument", arg, MAX_ARG_BYTES)
}

/// Checks environment variables.
///
/// # Errors
/// [`TextError`] with the broken rule.
pub fn environment<'a>(
    env: impl ExactSizeIterator<Item = (&'a String, &'a String)>,
) -> Result<(), TextError> {
    if env.len() > MAX_ENV {
        return Err(TextError::TooMany {
            what: "env",
            got: env.len(),
            most: MAX_ENV,
        });
    }
    env.into_iter()
        .try_for_each(|(name, value)| variable(name, value))
}

/// Checks one environment variable.
///
/// # Errors
/// [`TextError`] with the broken rule.
pub fn variable(name: &str, value: &str) -> Result<(), TextError> {
    let mut bytes = name.bytes();
    let first = bytes
        .next()
        .ok_or(TextError::Empty("an environment name"))?;
    let word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    if first.is_ascii_digit() || !word(first) || !bytes.all(word) || name.len() > 256 {
        return Err(TextError::EnvName(short(name, 256)));
    }
    if RESERVED_ENV.contains(&name) {
        return Err(TextError::EnvReserved(name.to_owned()));
    }
    bounded("an environment value", value, MAX_ARG_BYTES)
}

fn bounded(what: &'static str, text: &str, most: usize) -> Result<(), TextError> {
    no_nul(what, text)?;
    if text.len() > most {
        return Err(TextError::TooLong {
            what,
            got: text.len(),
            most,
        });
    }
    Ok(())
}

fn no_nul(what: &'static str, text: &str) -> Result<(), TextError> {
    if text.contains('\0') {
        Err(TextError::Nul(what))
    } else {
        Ok(())
    }
}

/// Bounds text from a node and removes characters that a terminal or a page would act on: control characters (escape
/// sequences begin with one) and characters that reverse the reading direction. Newlines and tabs become spaces.
pub fn clean(text: &str, most_bytes: usize) -> String {
    let mut out = String::with_capacity(text.len().min(most_bytes));
    for c in text.chars() {
        let c = match c {
            '\n' | '\r' | '\t' => ' ',
            c if c.is_control() => continue,
            '\u{061c}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}' => continue,
            c => c,
        };
        if out.len().saturating_add(c.len_utf8()) > most_bytes {
            break;
        }
        out.push(c);
    }
    out
}

/// Whether a terminal or a page would act on a character or hide it: control characters, characters that change the
/// reading direction, and characters without width. Text for people must contain none of them.
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// Untrusted text as one line for a terminal. Characters that would act or hide are escaped (`\x1b`, `\u{202e}`). A
/// text that is too long is cut, with a mark. Everything that a command line prints for people passes through here.
pub fn visible(text: &str, most_bytes: usize) -> String {
    let mut out = String::with_capacity(text.len().min(most_bytes));
    for c in text.chars() {
        let before = out.len();
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if is_hidden(c) && u32::from(c) < 0x100 => {
                out.push_str(&format!("\\x{:02x}", u32::from(c)));
            }
            c if is_hidden(c) => out.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
            c => out.push(c),
        }
        if out.len() > most_bytes {
            out.truncate(before);
            out.push('…');
            break;
        }
    }
    out
}

/// As [`visible`], but line ends stay: for our own text of several lines that contains untrusted parts.
pub fn visible_lines(text: &str) -> String {
    let lines: Vec<String> = text
        .split('\n')
        .map(|line| visible(line, usize::MAX))
        .collect();
    lines.join("\n")
}

/// Equivalent JSON that is safe for a terminal: characters that would act or hide are written as `\uXXXX`. They occur
/// only inside JSON strings, where both spellings are equal.
pub fn json_for_terminals(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if is_hidden(c) && !matches!(c, '\n' | '\r' | '\t') {
            for unit in c.encode_utf16(&mut [0; 2]) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            out.push(c);
        }
    }
    out
}

fn short(text: &str, most: usize) -> String {
    clean(text, most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn image_references_that_an_engine_can_look_up_are_accepted() {
        let digest = format!("roost-agent@sha256:{}", "a".repeat(64));
        for good in [
            "roost-agent",
            "roost-agent:dev",
            "localhost:5000/a/b:1.2-x",
            "registry.example/a_b/c",
            &digest,
        ] {
            assert_eq!(image_reference(good), Ok(()), "{good}");
        }
    }

    #[test]
    fn image_references_with_hidden_options_are_refused() {
        for bad in [
            "",
            "--privileged",
            "-v",
            "a b",
            "a --privileged",
            "a:",
            "a:-x",
            "a@sha256:12",
            "a@md5:00",
            "../a",
            "a/../b",
            "a//b",
            "/a",
            "a/",
            "A",
            "a;b",
            "a\nb",
            "a:b@",
            "a\u{202e}b",
            "$(a)",
        ] {
            assert!(image_reference(bad).is_err(), "{bad:?} was accepted");
        }
    }

    #[test]
    fn paths_must_be_absolute_and_plain() {
        for good in ["/", "/workspace", "/workspace/", "/a/b.c/..d"] {
            assert_eq!(sandbox_path(good), Ok(()), "{good}");
        }
        for bad in [
            "", "a", "./a", "/..", "/a/../b", "/a/./b", "/a//b", "//", "/a\0b",
        ] {
            assert!(sandbox_path(bad).is_err(), "{bad:?} was accepted");
        }
    }

    #[test]
    fn cleaning_removes_terminal_escapes_and_bounds_on_a_character() {
        assert_eq!(clean("a\u{1b}[31mb\u{7}\nc\u{202e}d", 100), "a[31mb cd");
        assert_eq!(clean("äöü", 3), "ä");
    }

    /// Hostile names of a machine, a person or an agent.
    const HOSTILE: &str =
        "a\u{1b}[31mb\u{7}\n\rc\u{202e}d\u{9b}2Je\u{200b}f\u{2066}g\u{7f}\u{feff}h\u{e0041}";

    #[test]
    fn terminal_control_characters_are_escaped() {
        let shown = visible(HOSTILE, 1_000);
        assert_eq!(
            shown,
            "a\\x1b[31mb\\x07\\n\\rc\\u{202e}d\\x9b2Je\\u{200b}f\\u{2066}g\\x7f\\u{feff}h\\u{e0041}"
        );
        assert!(!shown.chars().any(is_hidden));
        for c in (0..=0x0010_ffff).filter_map(char::from_u32) {
            assert!(
                !visible(&c.to_string(), 100).chars().any(is_hidden),
                "{c:?}"
            );
        }
        assert_eq!(visible("Größe 日本 👩 \\x", 100), "Größe 日本 👩 \\x");
    }

    #[test]
    fn long_text_is_truncated_at_a_character_with_a_mark() {
        assert_eq!(visible("äöü", 4), "äö…");
        assert_eq!(visible("ab\u{1b}", 4), "ab…");
    }

    #[test]
    fn own_line_breaks_are_kept() {
        assert_eq!(visible_lines("a\n\u{1b}b\n"), "a\n\\x1bb\n");
    }

    #[test]
    fn json_for_terminals_is_equivalent_and_escaped() {
        let safe = json_for_terminals("{\n\"a\": \"\u{9b}\u{202e}é\u{e0041}\"\n}");
        assert_eq!(safe, "{\n\"a\": \"\\u009b\\u202eé\\udb40\\udc41\"\n}");
    }

    #[test]
    fn loader_variables_are_refused() {
        let env =
            std::collections::BTreeMap::from([("LD_PRELOAD".to_owned(), "/tmp/x.so".to_owned())]);
        assert_eq!(
            environment(env.iter()),
            Err(TextError::EnvReserved("LD_PRELOAD".to_owned()))
        );
    }
}
