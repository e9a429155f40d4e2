//! Pure rules of uploads: which paths and links an archive may have, and how its limits count.

use std::collections::HashSet;

use roost_protocol::text::clean;

use super::UploadLimits;

/// Longest path, bytes.
pub const LONGEST_PATH: usize = 1024;
/// Longest part of a path, bytes: what file systems accept.
const LONGEST_PART: usize = 255;
/// Most parts of a path.
const DEEPEST: usize = 64;
/// The files of an archive may have this many times its bytes, and some more.
const RATIO: u64 = 200;
const RATIO_FREE: u64 = 16 << 20;

/// Why an archive is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("{0} leaves the folder with `..`; pack the folder from inside")]
    Leaves(String),
    #[error("{0} begins at the root of a file system; pack the folder with relative paths")]
    Absolute(String),
    #[error(
        "{0} is inside a `.git` folder, or reads like one; leave `.git` out, its history is not taken over"
    )]
    Git(String),
    #[error("{0} has a control character or a backslash in its name; rename it")]
    Control(String),
    #[error("the name {0} is not UTF-8; rename the file, or pack it on a system that writes UTF-8")]
    NotUtf8(String),
    #[error(
        "the path {0} is longer than {LONGEST_PATH} bytes, or has a part over {LONGEST_PART} bytes or over {DEEPEST} parts"
    )]
    TooLong(String),
    #[error("an entry has no name")]
    NoName,
    #[error("{0} is twice in the archive, or is both a file and a folder")]
    Twice(String),
    #[error(
        "the link {0} leads outside the folder; only links inside it are kept, so leave it out"
    )]
    LinkOutside(String),
    #[error("{0} is a hard link to a file that does not come before it in the archive")]
    HardLink(String),
    #[error("{0} is a device, a pipe or a socket; leave it out")]
    Special(String),
    #[error("{0} is a sparse file; pack it without that (for GNU tar: without --sparse)")]
    Sparse(String),
    #[error(
        "{0} is encrypted, or packed in a way that is not supported; use deflate, or no compression"
    )]
    Method(String),
    #[error("the archive has more than {0} entries")]
    TooMany(u64),
    #[error("the files have more than {} MiB", .0 >> 20)]
    TooLarge(u64),
    #[error(
        "the files have more than {RATIO} times the bytes of the archive; pack fewer empty or repeated data"
    )]
    Bomb,
    #[error("the archive is damaged, or it ends too early: {0}")]
    Damaged(String),
    #[error("the file is neither a tar archive, nor tar.gz, nor zip")]
    Unknown,
    #[error("the archive has no files")]
    Empty,
}

/// A name for people.
pub fn shown(raw: &[u8]) -> String {
    format!("`{}`", clean(&String::from_utf8_lossy(raw), 200))
}

/// The path of an entry in its one spelling; `None` for the folder itself.
///
/// # Errors
/// The rule that it breaks.
pub fn path(raw: &[u8]) -> Result<Option<String>, Refusal> {
    let text = std::str::from_utf8(raw).map_err(|_| Refusal::NotUtf8(shown(raw)))?;
    if text.is_empty() {
        return Err(Refusal::NoName);
    }
    if text.starts_with('/') {
        return Err(Refusal::Absolute(shown(raw)));
    }
    if text.chars().any(|char| char.is_control() || char == '\\') {
        return Err(Refusal::Control(shown(raw)));
    }
    let parts: Vec<&str> = text
        .split('/')
        .filter(|part| !part.is_empty() && *part != ".")
        .collect();
    if parts.contains(&"..") {
        return Err(Refusal::Leaves(shown(raw)));
    }
    if parts.iter().any(|part| reads_as_git(part)) {
        return Err(Refusal::Git(shown(raw)));
    }
    let path = parts.join("/");
    if path.len() > LONGEST_PATH
        || parts.len() > DEEPEST
        || parts.iter().any(|part| part.len() > LONGEST_PART)
    {
        return Err(Refusal::TooLong(shown(raw)));
    }
    Ok((!path.is_empty()).then_some(path))
}

/// `.git` in the spellings of all file systems, and names that are nothing but dots and spaces.
fn reads_as_git(part: &str) -> bool {
    // HFS+ ignores these characters; NTFS ignores dots and spaces at the end, and knows short names and streams.
    let plain: String = part.chars().filter(|char| !is_ignored(*char)).collect();
    let plain = plain.to_ascii_lowercase();
    let stream = plain.split(':').next().unwrap_or_default();
    let stream = stream.trim_end_matches(['.', ' ']);
    stream.is_empty() || stream == ".git" || stream.starts_with("git~")
}

fn is_ignored(char: char) -> bool {
    matches!(char, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
}

/// Checks that a symbolic link stays in the folder. `..` stands only at the beginning of its target: after the name of
/// another link it could lead anywhere.
///
/// # Errors
/// [`Refusal::LinkOutside`].
pub fn link(path: &str, target: &[u8]) -> Result<(), Refusal> {
    let outside = || Refusal::LinkOutside(shown(path.as_bytes()));
    let target = std::str::from_utf8(target).map_err(|_| Refusal::NotUtf8(shown(target)))?;
    if target.is_empty()
        || target.starts_with('/')
        || target.len() > LONGEST_PATH
        || target.chars().any(|char| char.is_control() || char == '\\')
    {
        return Err(outside());
    }
    let mut above = path.matches('/').count();
    let mut is_down = false;
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." if is_down || above == 0 => return Err(outside()),
            ".." => above -= 1,
            part if reads_as_git(part) => return Err(outside()),
            _ => is_down = true,
        }
    }
    Ok(())
}

/// What an archive had so far.
#[derive(Debug)]
pub struct Tally {
    limits: UploadLimits,
    /// Bytes of the archive.
    packed: u64,
    files: HashSet<String>,
    folders: HashSet<String>,
    entries: u64,
    bytes: u64,
}

impl Tally {
    /// For an archive of this many bytes.
    pub fn new(limits: UploadLimits, packed: u64) -> Self {
        Self {
            limits,
            packed,
            files: HashSet::new(),
            folders: HashSet::new(),
            entries: 0,
            bytes: 0,
        }
    }

    /// Counts an entry of any kind.
    ///
    /// # Errors
    /// [`Refusal::TooMany`].
    pub fn entry(&mut self) -> Result<(), Refusal> {
        self.entries += 1;
        match self.entries > self.limits.files {
            true => Err(Refusal::TooMany(self.limits.files)),
            false => Ok(()),
        }
    }

    /// Counts bytes that were unpacked.
    ///
    /// # Errors
    /// [`Refusal::TooLarge`], [`Refusal::Bomb`].
    pub fn bytes(&mut self, count: u64) -> Result<(), Refusal> {
        self.bytes = self.bytes.saturating_add(count);
        if self.bytes > self.limits.unpacked {
            return Err(Refusal::TooLarge(self.limits.unpacked));
        }
        if self.bytes > RATIO_FREE.saturating_add(self.packed.saturating_mul(RATIO)) {
            return Err(Refusal::Bomb);
        }
        Ok(())
    }

    /// Adds a file or a link.
    ///
    /// # Errors
    /// [`Refusal::Twice`].
    pub fn file(&mut self, path: &str) -> Result<(), Refusal> {
        let twice = || Refusal::Twice(shown(path.as_bytes()));
        if self.folders.contains(path) || !self.files.insert(path.to_owned()) {
            return Err(twice());
        }
        match path.rsplit_once('/') {
            Some((folder, _)) => self.folder(folder),
            None => Ok(()),
        }
    }

    /// Adds a folder and those above it.
    ///
    /// # Errors
    /// [`Refusal::Twice`].
    pub fn folder(&mut self, path: &str) -> Result<(), Refusal> {
        let mut rest = path;
        loop {
            if self.files.contains(rest) {
                return Err(Refusal::Twice(shown(rest.as_bytes())));
            }
            if !self.folders.insert(rest.to_owned()) {
                return Ok(());
            }
            match rest.rsplit_once('/') {
                Some((above, _)) => rest = above,
                None => return Ok(()),
            }
        }
    }

    /// Whether a file with this path came before.
    pub fn has(&self, path: &str) -> bool {
        self.files.contains(path)
    }

    /// The most entries.
    pub fn most(&self) -> u64 {
        self.limits.files
    }

    /// Files with links, and the bytes of the files.
    pub fn total(&self) -> (u64, u64) {
        (self.files.len() as u64, self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const LIMITS: UploadLimits = UploadLimits {
        bytes: 1 << 20,
        unpacked: 64 << 20,
        files: 3,
        workspace: 1 << 30,
    };

    #[rstest]
    #[case("a", Some("a"))]
    #[case("./a//b/./c", Some("a/b/c"))]
    #[case("a/", Some("a"))]
    #[case("./", None)]
    #[case(".gitignore", Some(".gitignore"))]
    #[case("ü/ñ.txt", Some("ü/ñ.txt"))]
    fn path_has_one_spelling(#[case] raw: &str, #[case] wanted: Option<&str>) {
        assert_eq!(path(raw.as_bytes()).unwrap().as_deref(), wanted);
    }

    #[rstest]
    #[case("../a")]
    #[case("a/../../b")]
    #[case("/etc/passwd")]
    #[case(".git/config")]
    #[case("a/.GIT/hooks/x")]
    #[case(".git. ./x")]
    #[case(".g\u{200c}it/x")]
    #[case("git~1/x")]
    #[case(".git::$INDEX_ALLOCATION/x")]
    #[case("a\\b")]
    #[case("a\nb")]
    #[case("a\u{7f}")]
    #[case("")]
    #[case("...")]
    fn path_that_leads_elsewhere_is_refused(#[case] raw: &str) {
        path(raw.as_bytes()).unwrap_err();
    }

    #[test]
    fn long_deep_and_foreign_names_are_refused() {
        assert!(matches!(path(b"a\xffb"), Err(Refusal::NotUtf8(_))));
        assert!(matches!(path(&[b'a'; 256]), Err(Refusal::TooLong(_))));
        assert!(matches!(path(&b"a/".repeat(65)), Err(Refusal::TooLong(_))));
        assert!(path(&[b'a'; 255]).is_ok());
    }

    #[rstest]
    #[case("a/l", "b", true)]
    #[case("a/l", "../c", true)]
    #[case("a/b/l", "../../c/d", true)]
    #[case("l", "../c", false)]
    #[case("a/l", "../../c", false)]
    #[case("a/l", "/etc/passwd", false)]
    #[case("a/b/l", "c/../../../../x", false)]
    #[case("m", "a/b/l/..", false)]
    #[case("l", ".git/hooks", false)]
    #[case("l", "", false)]
    fn link_stays_inside(#[case] at: &str, #[case] target: &str, #[case] fine: bool) {
        assert_eq!(link(at, target.as_bytes()).is_ok(), fine);
    }

    #[test]
    fn tally_refuses_what_is_over_a_limit() {
        let mut tally = Tally::new(LIMITS, 1000);
        for _ in 0..3 {
            tally.entry().unwrap();
        }
        assert_eq!(tally.entry(), Err(Refusal::TooMany(3)));
        tally.bytes(16 << 20).unwrap();
        assert_eq!(tally.bytes(1 << 20), Err(Refusal::Bomb));
        let mut tally = Tally::new(LIMITS, 1 << 20);
        tally.bytes(64 << 20).unwrap();
        assert_eq!(tally.bytes(1), Err(Refusal::TooLarge(64 << 20)));
    }

    #[test]
    fn file_is_neither_twice_nor_a_folder() {
        let mut tally = Tally::new(LIMITS, 0);
        tally.file("a/b").unwrap();
        tally.folder("a").unwrap();
        assert!(tally.file("a/b").is_err());
        assert!(tally.file("a").is_err());
        assert!(tally.file("a/b/c").is_err());
        assert!(tally.has("a/b") && !tally.has("a"));
        assert_eq!(tally.total().0, 2);
    }
}
