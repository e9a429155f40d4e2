//! Archives of images: how an image gets from the gateway's engine to a machine's. An archive is what `docker save` writes
//! for one image without a name, compressed with zstd.
//!
//! A machine's owner trusts the gateway with sandboxes, not with the names of the machine's images. So an archive that
//! names an image, or that holds another image than the wanted one, is refused before the engine sees it. The engine
//! checks the layers against the image's id, which is a digest of all of them.
use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use bollard::query_parameters::{ImportImageOptionsBuilder, TagImageOptionsBuilder};
use bytes::Bytes;
use futures::{Stream, StreamExt, stream};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use tokio::sync::mpsc;

use crate::driver::Driver;
use crate::error::DriverError;

/// Bytes that are read or written at a time.
const BLOCK: usize = 256 * 1024;
/// Blocks that wait between the engine and the disk.
const BLOCKS: usize = 16;
/// The level of the compression: higher ones are slower and save little on programs.
const LEVEL: i32 = 3;
/// The largest unpacked archive, bytes.
const MOST_UNPACKED: u64 = 32 << 30;
/// The largest list of an archive, bytes.
const MOST_LIST: u64 = 1 << 20;
/// The lists in which an archive names images: of Docker, of its first format, and of OCI.
const LISTS: [&str; 3] = ["manifest.json", "repositories", "index.json"];

/// A packed archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packed {
    /// Hex digits.
    pub sha256: String,
    pub bytes: u64,
}

/// What is wrong with an archive.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveFault {
    #[error("the archive of the image cannot be read")]
    Unreadable(#[source] io::Error),
    #[error("the archive gives the name {0:?} to an image, and only this machine may name images")]
    Names(String),
    #[error("the archive holds {0}, not the wanted image")]
    Other(String),
    #[error("the archive has no list of its images, or one that cannot be read")]
    List,
    #[error("the archive has a path outside of it or one list twice: {0:?}")]
    Path(PathBuf),
    #[error("the archive has more than {} GiB when it is unpacked", MOST_UNPACKED >> 30)]
    Large,
}

impl From<io::Error> for ArchiveFault {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::FileTooLarge => Self::Large,
            _ => Self::Unreadable(error),
        }
    }
}

/// An image in Docker's list.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Listed {
    config: String,
    #[serde(default)]
    repo_tags: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct OciIndex {
    #[serde(default)]
    manifests: Vec<OciManifest>,
}

#[derive(Deserialize)]
struct OciManifest {
    #[serde(default)]
    annotations: std::collections::BTreeMap<String, String>,
}

/// Checks an unpacked archive: it holds exactly the image `id` (`sha256:…`) and names none.
///
/// # Errors
/// [`ArchiveFault`].
pub fn check(archive: impl Read, id: &str) -> Result<(), ArchiveFault> {
    let mut lists: [Option<Vec<u8>>; 3] = [None, None, None];
    let mut archive = tar::Archive::new(Bounded {
        inner: archive,
        left: MOST_UNPACKED,
    });
    for entry in archive.entries()? {
        let mut entry = entry?;
        let path = entry.path()?.into_owned();
        let Some(inside) = inside(&path) else {
            return Err(ArchiveFault::Path(path));
        };
        let Some(list) = LISTS.iter().position(|list| Path::new(list) == inside) else {
            continue;
        };
        let mut text = Vec::new();
        entry.by_ref().take(MOST_LIST).read_to_end(&mut text)?;
        if !entry.header().entry_type().is_file() || lists[list].replace(text).is_some() {
            return Err(ArchiveFault::Path(path));
        }
    }
    let [docker, first, oci] = lists;
    let docker = docker.ok_or(ArchiveFault::List)?;
    let listed: Vec<Listed> = serde_json::from_slice(&docker).map_err(|_| ArchiveFault::List)?;
    let [image] = listed.as_slice() else {
        return Err(ArchiveFault::Other(format!("{} images", listed.len())));
    };
    let names = image.repo_tags.iter().flatten();
    if let Some(name) = names.chain(&names_of(first, oci)?).next() {
        return Err(ArchiveFault::Names(name.clone()));
    }
    // `<id>.json` of older engines, `blobs/sha256/<id>` of newer ones.
    let config = Path::new(&image.config).file_stem();
    let config = config.and_then(|stem| stem.to_str()).unwrap_or_default();
    if Some(config) != id.strip_prefix("sha256:") {
        let other = roost_protocol::text::clean(&image.config, 100);
        return Err(ArchiveFault::Other(format!("the image {other}")));
    }
    Ok(())
}

/// The path inside the archive, or `None` for one that leads out of it.
fn inside(path: &Path) -> Option<PathBuf> {
    use std::path::Component::{CurDir, Normal};
    let mut inside = PathBuf::new();
    for part in path.components() {
        match part {
            Normal(name) => inside.push(name),
            CurDir => {}
            _ => return None,
        }
    }
    Some(inside)
}

/// The names of images in the other two lists.
fn names_of(first: Option<Vec<u8>>, oci: Option<Vec<u8>>) -> Result<Vec<String>, ArchiveFault> {
    let mut names = Vec::new();
    if let Some(first) = first {
        let first: std::collections::BTreeMap<String, serde_json::Value> =
            serde_json::from_slice(&first).map_err(|_| ArchiveFault::List)?;
        names.extend(first.into_keys());
    }
    if let Some(oci) = oci {
        let oci: OciIndex = serde_json::from_slice(&oci).map_err(|_| ArchiveFault::List)?;
        let annotations = oci.manifests.into_iter().flat_map(|one| one.annotations);
        let named = annotations.filter(|(key, _)| key.ends_with(".name"));
        names.extend(named.map(|(_, name)| name));
    }
    Ok(names)
}

/// A reader that ends with an error when it was asked for more than `left` bytes.
struct Bounded<R> {
    inner: R,
    left: u64,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.left = self
            .left
            .checked_sub(read as u64)
            .ok_or(io::ErrorKind::FileTooLarge)?;
        Ok(read)
    }
}

/// The SHA-256 of a file, hex digits.
///
/// # Errors
/// When the file cannot be read.
pub fn sha256(file: &Path) -> io::Result<String> {
    let (mut file, mut hash, mut block) = (File::open(file)?, Sha256::new(), vec![0; BLOCK]);
    loop {
        match file.read(&mut block)? {
            0 => return Ok(hex::encode(hash.finalize())),
            read => hash.update(&block[..read]),
        }
    }
}

fn unpacked(archive: &Path) -> io::Result<impl Read + use<>> {
    zstd::stream::read::Decoder::new(BufReader::with_capacity(BLOCK, File::open(archive)?))
}

impl Driver {
    /// Writes the archive of an image (`sha256:…`) to a new file. An unfinished file is removed.
    ///
    /// # Errors
    /// [`DriverError`] of the engine or of the file.
    pub async fn pack_image(&self, id: &str, to: &Path) -> Result<Packed, DriverError> {
        let failed = |source| DriverError::file("cannot write", to, source);
        let mut bytes = std::pin::pin!(self.inner.docker.export_image(id));
        let (blocks, from_engine) = mpsc::channel::<Bytes>(BLOCKS);
        let path = to.to_owned();
        let written = tokio::task::spawn_blocking(move || write(&path, from_engine));
        let mut stopped = None;
        while let Some(block) = bytes.next().await {
            match block {
                Ok(block) => {
                    // The writer ended early; its own error says why.
                    if blocks.send(block).await.is_err() {
                        break;
                    }
                }
                Err(error) => {
                    stopped = Some(DriverError::engine("saving the image", error));
                    break;
                }
            }
        }
        drop(blocks);
        let written = written
            .await
            .map_err(|error| failed(io::Error::other(error)))?;
        let outcome = match (stopped, written) {
            (Some(error), _) => Err(error),
            (None, written) => written.map_err(failed),
        };
        if outcome.is_err() {
            let _ = tokio::fs::remove_file(to).await;
        }
        outcome
    }

    /// Gives the engine the image `id` (`sha256:…`) of a packed archive under `reference`.
    ///
    /// # Errors
    /// [`DriverError::ImageArchive`] when the archive is not what it should be, or the engine's error.
    pub async fn unpack_image(
        &self,
        archive: &Path,
        id: &str,
        reference: &str,
    ) -> Result<(), DriverError> {
        let (name, tag) = named(reference).ok_or_else(|| DriverError::ImageMissing {
            reference: reference.to_owned(),
        })?;
        let failed = |source| DriverError::file("cannot read", archive, source);
        let (path, wanted) = (archive.to_owned(), id.to_owned());
        let checked = tokio::task::spawn_blocking(move || check(unpacked(&path)?, &wanted));
        checked
            .await
            .map_err(|error| failed(io::Error::other(error)))??;
        let bytes = blocks(archive).map_err(failed)?;
        let options = ImportImageOptionsBuilder::new().quiet(true).build();
        let mut answers = self.inner.docker.import_image_stream(options, bytes, None);
        while let Some(answer) = answers.next().await {
            answer.map_err(|error| DriverError::engine("loading the image", error))?;
        }
        let options = TagImageOptionsBuilder::new().repo(name).tag(tag).build();
        let tagged = self.inner.docker.tag_image(id, Some(options)).await;
        tagged.map_err(|error| DriverError::engine("naming the image", error))
    }
}

/// Name and tag of a reference. One by digest cannot be given to an image.
pub(crate) fn named(reference: &str) -> Option<(&str, &str)> {
    if reference.contains('@') {
        return None;
    }
    match reference.rsplit_once(':') {
        // A port of a registry, not a tag.
        Some((_, tag)) if tag.contains('/') => Some((reference, "latest")),
        Some(parts) => Some(parts),
        None => Some((reference, "latest")),
    }
}

fn write(path: &Path, mut from_engine: mpsc::Receiver<Bytes>) -> io::Result<Packed> {
    let mut file = Counted {
        file: File::options()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(path)?,
        hash: Sha256::new(),
        bytes: 0,
    };
    let mut packer = zstd::stream::write::Encoder::new(&mut file, LEVEL)?;
    while let Some(block) = from_engine.blocking_recv() {
        packer.write_all(&block)?;
    }
    packer.finish()?;
    file.file.sync_all()?;
    Ok(Packed {
        sha256: hex::encode(file.hash.finalize()),
        bytes: file.bytes,
    })
}

struct Counted {
    file: File,
    hash: Sha256,
    bytes: u64,
}

impl Write for Counted {
    fn write(&mut self, block: &[u8]) -> io::Result<usize> {
        let written = self.file.write(block)?;
        self.hash.update(&block[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// The unpacked bytes of an archive, read in a thread of their own.
fn blocks(archive: &Path) -> io::Result<impl Stream<Item = io::Result<Bytes>> + Send + use<>> {
    let mut archive = unpacked(archive)?;
    let (blocks, received) = mpsc::channel(BLOCKS);
    tokio::task::spawn_blocking(move || {
        loop {
            let mut block = vec![0; BLOCK];
            let block = match archive.read(&mut block) {
                Ok(0) => return,
                Ok(read) => {
                    block.truncate(read);
                    Ok(Bytes::from(block))
                }
                Err(error) => Err(error),
            };
            let is_last = block.is_err();
            if blocks.blocking_send(block).is_err() || is_last {
                return;
            }
        }
    });
    Ok(stream::unfold(received, |mut received| async move {
        received.recv().await.map(|block| (block, received))
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "sha256:0123";

    fn archive(entries: &[(&str, &str)]) -> Vec<u8> {
        let mut builder = tar::Builder::new(Vec::new());
        for (path, text) in entries {
            let mut header = tar::Header::new_gnu();
            header.set_size(text.len() as u64);
            header.set_mode(0o644);
            // Not through `set_path`, which refuses what a hostile archive may have.
            header.as_mut_bytes()[..path.len()].copy_from_slice(path.as_bytes());
            header.set_cksum();
            builder.append(&header, text.as_bytes()).expect("in memory");
        }
        builder.into_inner().expect("in memory")
    }

    fn fault(entries: &[(&str, &str)]) -> String {
        let checked = check(&*archive(entries), ID);
        checked.expect_err("it is refused").to_string()
    }

    const LIST: &str = r#"[{"Config":"0123.json","RepoTags":null,"Layers":[]}]"#;

    #[test]
    fn archive_of_one_image_without_a_name_fits() {
        let old = archive(&[("0123.json", "{}"), ("manifest.json", LIST)]);
        assert!(check(&*old, ID).is_ok());
        let list = r#"[{"Config":"blobs/sha256/0123","RepoTags":[],"Layers":[]}]"#;
        let index = r#"{"manifests":[{"digest":"sha256:77"}]}"#;
        let new = archive(&[("index.json", index), ("manifest.json", list)]);
        assert!(check(&*new, ID).is_ok());
    }

    #[test]
    fn archive_that_names_an_image_is_refused() {
        let tagged = r#"[{"Config":"0123.json","RepoTags":["debian:12"],"Layers":[]}]"#;
        assert!(fault(&[("manifest.json", tagged)]).contains("debian:12"));
        let first = r#"{"debian":{"12":"0123"}}"#;
        assert!(fault(&[("manifest.json", LIST), ("repositories", first)]).contains("debian"));
        let index =
            r#"{"manifests":[{"annotations":{"io.containerd.image.name":"docker.io/debian:12"}}]}"#;
        assert!(fault(&[("manifest.json", LIST), ("./index.json", index)]).contains("debian:12"));
    }

    #[test]
    fn archive_of_another_image_or_of_two_is_refused() {
        let other = r#"[{"Config":"4567.json","Layers":[]}]"#;
        assert!(fault(&[("manifest.json", other)]).contains("4567"));
        let two = r#"[{"Config":"0123.json"},{"Config":"4567.json"}]"#;
        assert!(fault(&[("manifest.json", two)]).contains("2 images"));
    }

    #[test]
    fn archive_with_two_lists_or_a_path_outside_is_refused() {
        let twice = fault(&[("manifest.json", LIST), ("./manifest.json", LIST)]);
        assert!(twice.contains("./manifest.json"), "{twice}");
        assert!(fault(&[("manifest.json", LIST), ("../x", "")]).contains("../x"));
        assert!(fault(&[("manifest.json", LIST), ("/etc/x", "")]).contains("/etc/x"));
    }

    #[test]
    fn archive_without_a_list_or_cut_off_is_refused() {
        assert!(fault(&[("0123.json", "{}")]).contains("no list"));
        assert!(fault(&[("manifest.json", "[")]).contains("no list"));
        let whole = archive(&[("manifest.json", LIST)]);
        let cut = check(&whole[..520], ID).expect_err("it is refused");
        assert!(matches!(cut, ArchiveFault::Unreadable(_)), "{cut}");
    }

    #[test]
    fn reader_stops_at_its_bound() {
        let mut bounded = Bounded {
            inner: io::repeat(1),
            left: 10,
        };
        let read = io::copy(&mut bounded, &mut io::sink());
        let fault = ArchiveFault::from(read.expect_err("it has no end"));
        assert!(matches!(fault, ArchiveFault::Large), "{fault}");
    }

    #[test]
    fn reference_is_split_into_name_and_tag() {
        for (reference, parts) in [
            ("roost-agent:rust", Some(("roost-agent", "rust"))),
            ("roost-agent", Some(("roost-agent", "latest"))),
            ("host:5000/agent", Some(("host:5000/agent", "latest"))),
            ("host:5000/agent:1", Some(("host:5000/agent", "1"))),
            ("agent@sha256:00", None),
        ] {
            assert_eq!(named(reference), parts, "{reference}");
        }
    }
}
