//! The only writer: a thread that writes all waiting entries in one batch and then answers each sender.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::{mpsc, oneshot};

use super::Entry;
use super::chain::{self, End};
use crate::clock::Clock;
use crate::disk;

/// Most entries that wait.
const WAITING: usize = 4096;
/// Most entries of one batch.
const AT_ONCE: usize = 256;
/// Largest size of one file.
const LONGEST: u64 = 64 << 20;
/// How much may be lost when the machine loses power.
const SYNC_EVERY: Duration = Duration::from_secs(1);
/// Longest line.
const LONGEST_LINE: u64 = 64 * 1024;

/// Why the audit log cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum AuditError {
    #[error("the audit log {path} cannot be read or written")]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error(
        "the last line of {path} is not one that this broker wrote ({problem}); keep the folder elsewhere as evidence, and start with an empty one"
    )]
    Broken {
        path: PathBuf,
        problem: &'static str,
    },
    #[error("the audit log cannot be written: {0}")]
    Refused(String),
}

/// The log. Cheap to clone.
#[derive(Clone)]
pub struct Audit {
    to: mpsc::Sender<Job>,
    entries: Arc<AtomicU64>,
}

enum Job {
    Note(Entry, Option<oneshot::Sender<Result<(), String>>>),
    Sync(Option<oneshot::Sender<()>>),
}

impl Audit {
    /// Opens the log in a folder and removes a truncated last line.
    ///
    /// # Errors
    /// See [`AuditError`].
    pub fn open(folder: &Path, clock: Clock) -> Result<Self, AuditError> {
        let log = Log::open(folder, clock)?;
        let entries = Arc::new(AtomicU64::new(log.end.seq));
        let (to, from) = mpsc::channel(WAITING);
        let counted = entries.clone();
        tokio::task::spawn_blocking(move || log.serve(from, &counted));
        Ok(Self { to, entries })
    }

    /// Writes an entry and waits for it. The caller must not act when this fails.
    ///
    /// # Errors
    /// [`AuditError::Refused`].
    pub async fn record(&self, entry: Entry) -> Result<(), AuditError> {
        let gone = || AuditError::Refused("its writer has stopped".to_owned());
        let (done, recorded) = oneshot::channel();
        self.to
            .send(Job::Note(entry, Some(done)))
            .await
            .map_err(|_| gone())?;
        recorded
            .await
            .map_err(|_| gone())?
            .map_err(AuditError::Refused)
    }

    /// Queues the end of a use for writing.
    pub async fn record_end(&self, entry: Entry) {
        if self.to.send(Job::Note(entry, None)).await.is_err() {
            tracing::error!(
                "cannot write the end of a use to the audit log: its writer has stopped"
            );
        }
    }

    /// Syncs everything written so far to the disk.
    pub async fn sync(&self) {
        let (done, synced) = oneshot::channel();
        if self.to.send(Job::Sync(Some(done))).await.is_ok() {
            // A writer that has stopped has nothing left to sync.
            let _ = synced.await;
        }
    }

    /// Requests a sync without waiting for it.
    pub fn sync_soon(&self) {
        // With a full queue, a sync happens soon anyway.
        let _ = self.to.try_send(Job::Sync(None));
    }

    /// Number of entries.
    pub fn entries(&self) -> u64 {
        self.entries.load(Ordering::Relaxed)
    }
}

struct Log {
    folder: PathBuf,
    file: File,
    number: u32,
    length: u64,
    end: End,
    clock: Clock,
    unsynced: bool,
    synced: Instant,
}

impl Log {
    fn open(folder: &Path, clock: Clock) -> Result<Self, AuditError> {
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |source| AuditError::Io { path, source }
        };
        disk::make_private_folder(folder).map_err(failed(folder))?;
        let number = super::verify::files(folder)
            .map_err(failed(folder))?
            .last()
            .map_or(1, |(number, _)| *number);
        let path = path_of(folder, number);
        let mut file = open_file(&path).map_err(failed(&path))?;
        let (mut end, mut length) = last_line(&mut file, &path)?;
        if length == 0 && number > 1 {
            // The process was killed after making this file and before writing its first line.
            let before = path_of(folder, number - 1);
            let mut file = open_file(&before).map_err(failed(&before))?;
            end = last_line(&mut file, &before)?.0;
            length = 0;
        }
        Ok(Self {
            folder: folder.to_owned(),
            file,
            number,
            length,
            end,
            clock,
            unsynced: false,
            synced: Instant::now(),
        })
    }

    fn serve(mut self, mut from: mpsc::Receiver<Job>, entries: &AtomicU64) {
        while let Some(first) = from.blocking_recv() {
            let mut jobs = vec![first];
            while jobs.len() < AT_ONCE
                && let Ok(job) = from.try_recv()
            {
                jobs.push(job);
            }
            let mut end = self.end.clone();
            let (mut bytes, mut waiting, mut syncing, mut sync) =
                (Vec::new(), Vec::new(), Vec::new(), false);
            let now_ms = self.clock.now_ms();
            for job in jobs {
                match job {
                    Job::Note(entry, done) => {
                        chain::append(&mut end, now_ms, &entry, &mut bytes);
                        waiting.extend(done);
                    }
                    Job::Sync(done) => {
                        sync = true;
                        syncing.extend(done);
                    }
                }
            }
            let written = self.write(&bytes, end);
            if let Err(error) = &written {
                tracing::error!(%error, "the audit log cannot be written; no secret is used until it can be");
            }
            entries.store(self.end.seq, Ordering::Relaxed);
            for done in waiting {
                // The sender may be gone.
                let _ = done.send(written.as_ref().copied().map_err(ToString::to_string));
            }
            self.sync(sync && !syncing.is_empty());
            for done in syncing {
                let _ = done.send(());
            }
        }
        self.sync(true);
    }

    fn write(&mut self, bytes: &[u8], end: End) -> io::Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        if self.length > LONGEST {
            self.next_file()?;
        }
        if let Err(error) = self.file.write_all(bytes) {
            // A partial line would break the chain for the next one.
            self.file.set_len(self.length)?;
            self.file.seek(SeekFrom::End(0))?;
            return Err(error);
        }
        self.length += bytes.len() as u64;
        self.end = end;
        self.unsynced = true;
        Ok(())
    }

    fn next_file(&mut self) -> io::Result<()> {
        self.file.sync_data()?;
        let path = path_of(&self.folder, self.number + 1);
        self.file = open_file(&path)?;
        disk::sync_folder(&self.folder)?;
        self.number += 1;
        self.length = 0;
        Ok(())
    }

    fn sync(&mut self, now: bool) {
        if self.unsynced && (now || self.synced.elapsed() >= SYNC_EVERY) {
            if let Err(error) = self.file.sync_data() {
                tracing::error!(%error, "the audit log could not be synced to the disk");
            }
            self.unsynced = false;
            self.synced = Instant::now();
        }
    }
}

fn path_of(folder: &Path, number: u32) -> PathBuf {
    folder.join(format!("{number:06}.log"))
}

fn open_file(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .create(true)
        .read(true)
        .append(true)
        .mode(0o600)
        .open(path)
}

/// Removes a truncated last line; returns the end of a file's chain and its length.
fn last_line(file: &mut File, path: &Path) -> Result<(End, u64), AuditError> {
    let failed = |source| AuditError::Io {
        path: path.to_owned(),
        source,
    };
    let length = file.metadata().map_err(failed)?.len();
    let from = length.saturating_sub(2 * LONGEST_LINE);
    file.seek(SeekFrom::Start(from)).map_err(failed)?;
    let mut tail = Vec::new();
    file.read_to_end(&mut tail).map_err(failed)?;
    let Some(newline) = tail.iter().rposition(|byte| *byte == b'\n') else {
        if from > 0 {
            return Err(AuditError::Broken {
                path: path.to_owned(),
                problem: "it has no end",
            });
        }
        file.set_len(0).map_err(failed)?;
        return Ok((End::origin(), 0));
    };
    let kept = from + newline as u64 + 1;
    if kept < length {
        tracing::warn!(path = %path.display(), bytes = length - kept, "the last line of the audit log was truncated when the broker stopped; it was removed");
        file.set_len(kept).map_err(failed)?;
    }
    let begin = tail[..newline]
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |at| at + 1);
    let line = String::from_utf8_lossy(&tail[begin..newline]);
    let (end, _) = chain::read(&line).map_err(|problem| AuditError::Broken {
        path: path.to_owned(),
        problem,
    })?;
    Ok((end, kept))
}
