//! Paths of reports as paths in the repository.
use percent_encoding::percent_decode_str;

use crate::plain;

/// In bytes. A longer path is not one of a repository.
const MOST_PATH: usize = 1_000;

/// Where the repository was checked out when the scanner ran, such as `/checkout/repository`.
#[derive(Clone, Copy, Debug)]
pub struct Checkout<'a> {
    pub root: &'a str,
}

impl Checkout<'_> {
    /// The path in the repository, with `/` between its parts. `None` if it is outside or empty.
    pub fn path(&self, written: &str) -> Option<String> {
        // Before the parts are told apart: a hidden character inside of `..` would make it look like a name.
        let written = slashes(&plain::one_line(written, usize::MAX / 2));
        let root = slashes(self.root);
        let inside = if is_absolute(&written) {
            let path = parts(&written)?;
            let rest = path.strip_prefix(parts(&root)?.as_slice())?;
            rest.to_vec()
        } else {
            parts(&written)?
        };
        let path = inside.join("/");
        // A path that was read is read as itself again: white space at its ends is not a part of it.
        let path = path.trim_matches(|c: char| c.is_whitespace() || c == '/');
        (!path.is_empty() && path.len() <= MOST_PATH).then(|| path.to_owned())
    }

    /// The path of a URI or of a path that stands in its place. `bases` goes before a relative one.
    pub(super) fn path_of_uri(&self, uri: &str, base: Option<&str>) -> Option<String> {
        let uri = uri.trim();
        let Some(local) = local_path(uri) else {
            // Another scheme, such as `https:`, is not a file of the repository.
            return None;
        };
        match base {
            Some(base) if !is_absolute(&local) && uri == without_scheme(uri) => {
                let base = local_path(base)?;
                self.path(&format!("{}/{local}", base.trim_end_matches('/')))
            }
            _ => self.path(&local),
        }
    }
}

/// The path of a `file:` URI or of a relative one, decoded. `None` for another scheme.
fn local_path(uri: &str) -> Option<String> {
    if is_windows(uri) {
        return Some(slashes(uri));
    }
    let rest = without_scheme(uri);
    if rest == uri && has_scheme(uri) {
        return None;
    }
    let decoded = percent_decode_str(rest).decode_utf8_lossy().into_owned();
    Some(slashes(&decoded))
}

/// What follows `file:`, `file://` and `file://host` in a URI.
fn without_scheme(uri: &str) -> &str {
    let is_file = uri
        .get(..5)
        .is_some_and(|begin| begin.eq_ignore_ascii_case("file:"));
    if !is_file {
        return uri;
    }
    let rest = &uri[5..];
    let Some(after) = rest.strip_prefix("//") else {
        return rest;
    };
    match after.find('/') {
        // `file:///C:/…`: the slash before the drive is not a part of the path.
        Some(0) if is_windows(&after[1..]) => &after[1..],
        Some(at) => &after[at..],
        None => after,
    }
}

fn has_scheme(uri: &str) -> bool {
    uri.split_once(':').is_some_and(|(scheme, _)| {
        scheme.len() > 1
            && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
    })
}

fn is_windows(path: &str) -> bool {
    let bytes = path.as_bytes();
    bytes.len() > 2
        && bytes[0].is_ascii_alphabetic()
        && bytes[1] == b':'
        && matches!(bytes[2], b'/' | b'\\')
}

fn is_absolute(path: &str) -> bool {
    path.starts_with('/') || is_windows(path)
}

/// Scanners write paths of Windows with backslashes. A file whose own name has one is not told apart from a folder.
fn slashes(path: &str) -> String {
    path.replace('\\', "/")
}

/// The parts without `.` and with `..` resolved. `None` if the path leaves its begin.
fn parts(path: &str) -> Option<Vec<&str>> {
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Checkout;

    const HERE: Checkout<'_> = Checkout {
        root: "/checkout/repo",
    };

    #[test]
    fn paths_are_paths_in_the_repository() {
        let cases = [
            ("src/a.rs", None, Some("src/a.rs")),
            ("./src/../b.rs", None, Some("b.rs")),
            ("/checkout/repo/src/a.rs", None, Some("src/a.rs")),
            ("/checkout/repository/a.rs", None, None),
            ("/etc/passwd", None, None),
            ("../../etc/passwd", None, None),
            ("file:///checkout/repo/a%20b.rs", None, Some("a b.rs")),
            ("file:///checkout/repo/%2e%2e/%2e%2e/etc/passwd", None, None),
            ("file://host/checkout/repo/a.rs", None, Some("a.rs")),
            ("FILE:/checkout/repo/a.rs", None, Some("a.rs")),
            ("https://example.org/a.rs", None, None),
            // Found by a property test: the end became white space only after the slash was gone.
            ("A\u{a0}\\", None, Some("A")),
            ("./ /A/ /", None, Some("A")),
            ("src\\a.rs", None, Some("src/a.rs")),
            ("a.rs", Some("file:///checkout/repo/src/"), Some("src/a.rs")),
            ("a.rs", Some("src"), Some("src/a.rs")),
            ("/checkout/repo/b.rs", Some("src"), Some("b.rs")),
            ("", None, None),
            (".", None, None),
            ("file:", None, None),
        ];
        for (uri, base, wanted) in cases {
            assert_eq!(
                HERE.path_of_uri(uri, base).as_deref(),
                wanted,
                "{uri} {base:?}"
            );
        }
        let windows = Checkout {
            root: "C:\\build\\repo",
        };
        for uri in [
            "C:\\build\\repo\\src\\a.rs",
            "file:///C:/build/repo/src/a.rs",
        ] {
            assert_eq!(
                windows.path_of_uri(uri, None).as_deref(),
                Some("src/a.rs"),
                "{uri}"
            );
        }
        assert_eq!(HERE.path_of_uri(&"x/".repeat(10_000), None), None);
    }

    proptest! {
        #[test]
        fn no_text_leads_out_of_the_repository(uri in "\\PC{0,40}", base in prop::option::of("\\PC{0,20}")) {
            if let Some(path) = HERE.path_of_uri(&uri, base.as_deref()) {
                prop_assert!(!path.starts_with('/') && !path.split('/').any(|part| part == ".."), "{path}");
            }
        }
    }
}
