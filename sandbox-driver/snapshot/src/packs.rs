//! The chunks of a machine, in packs: one file for the new chunks of one snapshot.
//!
//! ```text
//!  pack: (address, length, stored form) (address, length, stored form) …
//! ```
//! A pack gets its name after its content is on the disk, so each pack is complete. An index of all packs is in memory;
//! it is read from the heads at the start.
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::os::unix::fs::FileExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::address::{Address, Tenant};
use crate::build::Store;
use crate::chunk;

const ENDING: &str = "pack";
const PARTIAL: &str = ".partial-";
const HEAD: usize = Address::BYTES + 4;
/// A pack is written again when less than this part of it is needed, percent.
const WORTH: u64 = 50;

/// Why a chunk cannot be read or kept.
#[derive(Debug, thiserror::Error)]
pub enum PackError {
    #[error("cannot read or write {path}: {source}")]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("the chunk {0} is not on this machine")]
    Missing(Address),
    #[error(transparent)]
    Chunk(#[from] chunk::ChunkError),
}

/// A folder of packs. Cheap to clone. Only one program may open a folder at a time.
#[derive(Clone)]
pub struct Packs {
    folder: PathBuf,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    chunks: HashMap<Address, Place>,
    packs: HashMap<u64, Pack>,
    next: u64,
}

struct Pack {
    file: Arc<File>,
    bytes: u64,
}

#[derive(Clone, Copy)]
struct Place {
    pack: u64,
    offset: u64,
    length: u32,
}

impl Packs {
    /// Opens a folder that exists, and removes what a dead writer left incomplete.
    ///
    /// # Errors
    /// [`PackError::Io`].
    pub fn open(folder: &Path) -> Result<Self, PackError> {
        let mut state = State::default();
        let failed = |source| io_error(folder, source);
        for entry in std::fs::read_dir(folder).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if name.starts_with(PARTIAL) {
                std::fs::remove_file(&path).map_err(|source| io_error(&path, source))?;
            } else if let Some(number) = number_of(&path) {
                state
                    .load(number, &path)
                    .map_err(|source| io_error(&path, source))?;
            }
        }
        Ok(Self {
            folder: folder.to_owned(),
            state: Arc::new(Mutex::new(state)),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // No line that can panic leaves the index incomplete.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the chunk is here.
    pub fn has(&self, address: &Address) -> bool {
        self.state().chunks.contains_key(address)
    }

    /// The stored form of a chunk; `None` when it is not here.
    ///
    /// # Errors
    /// [`PackError::Io`].
    pub fn stored(&self, address: &Address) -> Result<Option<Vec<u8>>, PackError> {
        let (file, place) = {
            let state = self.state();
            let Some(place) = state.chunks.get(address).copied() else {
                return Ok(None);
            };
            let Some(pack) = state.packs.get(&place.pack) else {
                return Ok(None);
            };
            (Arc::clone(&pack.file), place)
        };
        let mut bytes = vec![0; place.length as usize];
        file.read_exact_at(&mut bytes, place.offset)
            .map_err(|source| io_error(&self.path(place.pack), source))?;
        Ok(Some(bytes))
    }

    /// The content of a chunk, checked against its address.
    ///
    /// # Errors
    /// [`PackError`].
    pub fn content(&self, tenant: &Tenant, address: Address) -> Result<Vec<u8>, PackError> {
        let stored = self.stored(&address)?.ok_or(PackError::Missing(address))?;
        Ok(chunk::decode(tenant, address, &stored)?)
    }

    /// A chunk that was found damaged does not count as here any more, so that a good copy can be kept.
    pub fn discard(&self, address: &Address) {
        self.state().chunks.remove(address);
    }

    /// Bytes of all packs.
    pub fn bytes(&self) -> u64 {
        self.state().packs.values().map(|pack| pack.bytes).sum()
    }

    /// Begins a pack.
    ///
    /// # Errors
    /// [`PackError::Io`].
    pub fn begin(&self) -> Result<Writer, PackError> {
        let number = {
            let mut state = self.state();
            state.next += 1;
            state.next
        };
        let path = self.folder.join(format!("{PARTIAL}{number}"));
        let file = File::options()
            .write(true)
            .read(true)
            .create_new(true)
            .mode(0o600)
            .open(&path)
            .map_err(|source| io_error(&path, source))?;
        Ok(Writer {
            packs: self.clone(),
            number,
            path,
            file: BufWriter::with_capacity(1 << 20, file),
            places: Vec::new(),
            new: HashSet::new(),
            bytes: 0,
            named: false,
        })
    }

    /// Removes the chunks that are not needed: whole packs, and parts of packs that are mostly not needed. Returns the
    /// bytes that were freed.
    ///
    /// # Errors
    /// [`PackError::Io`]. Every needed chunk is still there.
    pub fn keep(&self, needed: &HashSet<Address>) -> Result<u64, PackError> {
        let before = self.bytes();
        let mut sizes: HashMap<u64, (u64, Vec<Address>)> = HashMap::new();
        for (address, place) in &self.state().chunks {
            if needed.contains(address) {
                let (bytes, chunks) = sizes.entry(place.pack).or_default();
                *bytes += u64::from(place.length);
                chunks.push(*address);
            }
        }
        let packs: Vec<(u64, u64)> = {
            let state = self.state();
            let packs = state.packs.iter();
            packs.map(|(number, pack)| (*number, pack.bytes)).collect()
        };
        for (number, bytes) in packs {
            match sizes.get(&number) {
                Some((needed, _)) if needed * 100 >= bytes * WORTH => continue,
                Some((_, chunks)) => {
                    let mut writer = self.begin()?;
                    for address in chunks {
                        if let Some(stored) = self.stored(address)? {
                            writer
                                .append(*address, &stored)
                                .map_err(|source| io_error(&writer.path, source))?;
                        }
                    }
                    writer.finish()?;
                }
                None => {}
            }
            self.remove(number)?;
        }
        Ok(before.saturating_sub(self.bytes()))
    }

    fn remove(&self, number: u64) -> Result<(), PackError> {
        {
            let mut state = self.state();
            state.packs.remove(&number);
            state.chunks.retain(|_, place| place.pack != number);
        }
        let path = self.path(number);
        std::fs::remove_file(&path).map_err(|source| io_error(&path, source))
    }

    fn path(&self, number: u64) -> PathBuf {
        self.folder.join(format!("{number:016}.{ENDING}"))
    }
}

impl State {
    /// Reads the heads of a pack. A pack that is cut off ends at its last complete chunk.
    fn load(&mut self, number: u64, path: &Path) -> io::Result<()> {
        let file = File::open(path)?;
        let bytes = file.metadata()?.len();
        let mut reader = io::BufReader::with_capacity(64 * 1024, &file);
        let mut at = 0;
        let mut head = [0; HEAD];
        while at + HEAD as u64 <= bytes {
            reader.read_exact(&mut head)?;
            let (address, length) = head.split_at(Address::BYTES);
            let address: [u8; Address::BYTES] = address.try_into().map_err(io::Error::other)?;
            let length: [u8; 4] = length.try_into().map_err(io::Error::other)?;
            let length = u32::from_le_bytes(length);
            let offset = at + HEAD as u64;
            at = offset + u64::from(length);
            if at > bytes {
                break;
            }
            let place = Place {
                pack: number,
                offset,
                length,
            };
            self.chunks.insert(Address::of_bytes(address), place);
            reader.seek_relative(i64::from(length))?;
        }
        self.next = self.next.max(number);
        let file = Arc::new(file);
        self.packs.insert(number, Pack { file, bytes });
        Ok(())
    }
}

fn number_of(path: &Path) -> Option<u64> {
    let ours = path.extension().is_some_and(|ending| ending == ENDING);
    path.file_stem()?.to_str()?.parse().ok().filter(|_| ours)
}

fn io_error(path: &Path, source: io::Error) -> PackError {
    let path = path.to_owned();
    PackError::Io { path, source }
}

/// A pack that is being written. It is removed when it is dropped before [`Writer::finish`].
pub struct Writer {
    packs: Packs,
    number: u64,
    path: PathBuf,
    file: BufWriter<File>,
    places: Vec<(Address, Place)>,
    new: HashSet<Address>,
    bytes: u64,
    named: bool,
}

impl Store for Writer {
    fn has(&self, address: &Address) -> bool {
        self.new.contains(address) || self.packs.has(address)
    }

    fn put(&mut self, address: Address, stored: &[u8]) -> io::Result<()> {
        self.append(address, stored)
    }
}

impl Writer {
    fn append(&mut self, address: Address, stored: &[u8]) -> io::Result<()> {
        let length = u32::try_from(stored.len()).map_err(io::Error::other)?;
        self.file.write_all(address.as_bytes())?;
        self.file.write_all(&length.to_le_bytes())?;
        self.file.write_all(stored)?;
        let place = Place {
            pack: self.number,
            offset: self.bytes + HEAD as u64,
            length,
        };
        self.bytes = place.offset + u64::from(length);
        self.places.push((address, place));
        self.new.insert(address);
        Ok(())
    }

    /// Bytes written so far.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The chunks of this pack so far.
    pub fn addresses(&self) -> Vec<Address> {
        self.places.iter().map(|(address, _)| *address).collect()
    }

    /// Syncs the pack and gives it its name. After this its chunks survive a power cut. A pack without chunks is not
    /// kept.
    ///
    /// # Errors
    /// [`PackError::Io`].
    pub fn finish(mut self) -> Result<(), PackError> {
        if self.places.is_empty() {
            return Ok(());
        }
        let path = self.packs.path(self.number);
        let named = (|| {
            self.file.flush()?;
            self.file.get_ref().sync_data()?;
            std::fs::rename(&self.path, &path)?;
            self.named = true;
            File::open(&self.packs.folder)?.sync_all()?;
            File::open(&path)
        })();
        let file = Arc::new(named.map_err(|source| io_error(&path, source))?);
        let mut state = self.packs.state();
        let bytes = self.bytes;
        state.packs.insert(self.number, Pack { file, bytes });
        state.chunks.extend(self.places.iter().copied());
        Ok(())
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        if !self.named {
            // A file that remains is removed at the next open.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

#[cfg(test)]
#[path = "packs_tests.rs"]
mod tests;
