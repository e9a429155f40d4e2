//! A folder of a snapshot as a tar archive. What it holds is decided first, and its bytes are read while they are sent.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use bytes::Bytes;
use futures::future::Either;
use futures::{Stream, StreamExt, stream};
use roost_snapshot::{Entry, Extent, Node};
use tar::{Builder, EntryType, Header};

use super::chunks::ChunkStore;
use super::files::{self, ContentError, NotShown};
use roost_platform::ids::WorkspaceId;

/// What a whole workspace is called in its archive.
const WORKSPACE: &str = "workspace";
/// Tar pads contents to whole blocks.
const BLOCK: usize = 512;
/// Two empty blocks end an archive.
const END: [u8; 2 * BLOCK] = [0; 2 * BLOCK];

/// A part of an archive, in the order of the archive.
#[derive(Debug, PartialEq, Eq)]
pub enum Part {
    Bytes(Vec<u8>),
    /// The content of a file, which is in the store.
    Content(Vec<Extent>),
}

/// A folder as an archive.
#[derive(Debug)]
pub struct Tarball {
    pub parts: Vec<Part>,
    /// The files in it.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// Why a folder is not in an archive.
#[derive(Debug, thiserror::Error)]
pub enum TarballError {
    #[error("the path names no folder")]
    NotShown(NotShown),
    /// A name that an archive cannot have.
    #[error("an entry of the snapshot cannot be in an archive: {0}")]
    Name(#[from] io::Error),
}

/// The archive of a folder; the empty path is the whole workspace. Links, modes and times are kept.
///
/// # Errors
/// [`TarballError`].
pub fn of_folder(entries: &[Entry], path: &str) -> Result<Tarball, TarballError> {
    let folder = path.trim_matches('/').as_bytes();
    if !folder.is_empty() {
        let found = entries.iter().find(|entry| entry.path == folder);
        match found.map(|entry| &entry.node) {
            Some(Node::Folder) => {}
            Some(_) => return Err(TarballError::NotShown(NotShown::NotAFolder)),
            None => return Err(TarballError::NotShown(NotShown::Missing)),
        }
    }
    let mut tarball = Tarball {
        parts: Vec::new(),
        files: 0,
        bytes: 0,
    };
    for entry in entries {
        if let Some(name) = name_in(folder, &entry.path) {
            tarball.add(entries, folder, &name, entry)?;
        }
    }
    tarball.parts.push(Part::Bytes(END.to_vec()));
    Ok(tarball)
}

/// The name of an entry in the archive of a folder; `None` outside the folder. All names begin with the folder's own.
fn name_in(folder: &[u8], path: &[u8]) -> Option<Vec<u8>> {
    if folder.is_empty() {
        return Some([WORKSPACE.as_bytes(), b"/", path].concat());
    }
    let parent = folder.iter().rposition(|byte| *byte == b'/');
    let above = parent.map_or(0, |at| at + 1);
    let rest = path.strip_prefix(folder)?;
    let inside = rest.is_empty() || rest.starts_with(b"/");
    inside.then(|| path[above..].to_vec())
}

impl Tarball {
    fn add(
        &mut self,
        all: &[Entry],
        folder: &[u8],
        name: &[u8],
        entry: &Entry,
    ) -> Result<(), TarballError> {
        match &entry.node {
            Node::Folder => self.header(name, entry, EntryType::Directory, 0, None)?,
            Node::Link { target } => {
                self.header(name, entry, EntryType::Symlink, 0, Some(target))?;
            }
            Node::File { size, content } => self.file(name, entry, *size, content)?,
            Node::SameFile { first } => match name_in(folder, first) {
                Some(first) => self.header(name, entry, EntryType::Link, 0, Some(&first))?,
                // Its other name is outside the folder, so the file is here in full.
                None => {
                    let first = String::from_utf8_lossy(first);
                    let (size, content) =
                        files::file(all, &first).map_err(TarballError::NotShown)?;
                    self.file(name, entry, size, &content)?;
                }
            },
        }
        Ok(())
    }

    fn file(
        &mut self,
        name: &[u8],
        entry: &Entry,
        size: u64,
        content: &[Extent],
    ) -> io::Result<()> {
        self.header(name, entry, EntryType::Regular, size, None)?;
        self.parts.push(Part::Content(content.to_vec()));
        let over = usize::try_from(size % BLOCK as u64).unwrap_or(0);
        if over > 0 {
            self.parts.push(Part::Bytes(vec![0; BLOCK - over]));
        }
        self.files += 1;
        self.bytes += size;
        Ok(())
    }

    /// The blocks before the content of an entry. A long name has blocks of its own.
    fn header(
        &mut self,
        name: &[u8],
        entry: &Entry,
        kind: EntryType,
        size: u64,
        target: Option<&[u8]>,
    ) -> io::Result<()> {
        let mut header = Header::new_gnu();
        header.set_entry_type(kind);
        header.set_mode(entry.mode);
        header.set_mtime(u64::try_from(entry.mtime_ns / 1_000_000_000).unwrap_or(0));
        header.set_size(size);
        let name = Path::new(OsStr::from_bytes(name));
        let mut blocks = Builder::new(Vec::new());
        match target {
            Some(target) => {
                let target = Path::new(OsStr::from_bytes(target));
                blocks.append_link(&mut header, name, target)?;
            }
            // The content follows as a part of its own.
            None => blocks.append_data(&mut header, name, io::empty())?,
        }
        self.parts.push(Part::Bytes(blocks.get_ref().clone()));
        Ok(())
    }
}

/// The bytes of an archive.
pub fn content(
    chunks: ChunkStore,
    workspace: WorkspaceId,
    parts: Vec<Part>,
) -> impl Stream<Item = Result<Bytes, ContentError>> {
    stream::iter(parts).flat_map(move |part| match part {
        Part::Bytes(bytes) => {
            Either::Left(stream::once(std::future::ready(Ok(Bytes::from(bytes)))))
        }
        Part::Content(extents) => {
            Either::Right(files::content(chunks.clone(), workspace, extents).boxed())
        }
    })
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use roost_snapshot::Tenant;

    use super::*;

    fn entry(path: &str, node: Node) -> Entry {
        Entry {
            path: path.as_bytes().to_vec(),
            mode: 0o750,
            mtime_ns: 1_500_000_000,
            node,
        }
    }

    fn of_size(size: u32) -> Node {
        let chunk = Tenant::of(uuid::Uuid::nil()).address(b"");
        let part = Extent {
            chunk,
            offset: 0,
            length: size,
        };
        Node::File {
            size: size.into(),
            content: vec![part],
        }
    }

    fn tree() -> Vec<Entry> {
        let same = |first: &str| Node::SameFile {
            first: first.as_bytes().to_vec(),
        };
        vec![
            entry("a", of_size(700)),
            entry("src", Node::Folder),
            entry("src/deep", Node::Folder),
            entry(&format!("src/deep/{}", "long".repeat(60)), of_size(1)),
            entry(
                "src/near",
                Node::Link {
                    target: b"../a".to_vec(),
                },
            ),
            entry("src/outside", same("a")),
            entry("src/same", same(&format!("src/deep/{}", "long".repeat(60)))),
            entry("srcs", Node::Folder),
        ]
    }

    /// What the library reads in the archive: kind, name, target and size.
    fn read(tarball: &Tarball) -> Vec<(EntryType, String, Option<String>, u64)> {
        let bytes: Vec<u8> = tarball
            .parts
            .iter()
            .flat_map(|part| match part {
                Part::Bytes(bytes) => bytes.clone(),
                Part::Content(extents) => vec![b'x'; extents[0].length as usize],
            })
            .collect();
        assert_eq!(bytes.len() % BLOCK, 0);
        let mut archive = tar::Archive::new(bytes.as_slice());
        let text = |path: &Path| path.display().to_string();
        let entries = archive.entries().unwrap();
        entries
            .map(|entry| {
                let mut entry = entry.unwrap();
                let (mode, mtime) = (entry.header().mode(), entry.header().mtime());
                assert_eq!((mode.unwrap(), mtime.unwrap()), (0o750, 1));
                let mut content = Vec::new();
                entry.read_to_end(&mut content).unwrap();
                assert!(content.iter().all(|byte| *byte == b'x'));
                let target = entry.link_name().unwrap().map(|target| text(&target));
                let name = text(&entry.path().unwrap());
                (entry.header().entry_type(), name, target, entry.size())
            })
            .collect()
    }

    #[test]
    fn folder_is_an_archive_with_links_modes_and_long_names() {
        let long = format!("src/deep/{}", "long".repeat(60));
        let tarball = of_folder(&tree(), "/src/").unwrap();
        assert_eq!((tarball.files, tarball.bytes), (2, 701));
        let text = |text: &str| text.to_owned();
        assert_eq!(
            read(&tarball),
            [
                (EntryType::Directory, text("src"), None, 0),
                (EntryType::Directory, text("src/deep"), None, 0),
                (EntryType::Regular, long.clone(), None, 1),
                (EntryType::Symlink, text("src/near"), Some(text("../a")), 0),
                (EntryType::Regular, text("src/outside"), None, 700),
                (EntryType::Link, text("src/same"), Some(long), 0),
            ]
        );
        let deep = of_folder(&tree(), "src/deep").unwrap();
        assert_eq!(read(&deep)[0].1, "deep");
    }

    #[test]
    fn whole_workspace_has_one_folder_above_it() {
        let names = read(&of_folder(&tree(), "").unwrap());
        assert_eq!(names.len(), 8);
        assert!(names.iter().all(|entry| entry.1.starts_with("workspace/")));
    }

    #[test]
    fn only_folders_are_archives() {
        let why = |path| match of_folder(&tree(), path).unwrap_err() {
            TarballError::NotShown(why) => why,
            TarballError::Name(error) => panic!("{error}"),
        };
        assert_eq!(why("a"), NotShown::NotAFolder);
        assert_eq!(why("../a"), NotShown::Missing);
    }
}
