//! The ledger's writer: a thread that owns the file. It writes and syncs waiting records in one batch.
use std::io;
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use roost_protocol::ids::OperationId;
use roost_protocol::operation::OperationRequest;
use roost_protocol::report::Ended;
use tokio::sync::oneshot;

use super::file::LedgerFile;
use super::index::LedgerIndex;
use super::record::{self, Record};
use crate::executor::config::ExecutorClock;

/// Size at which a compaction is considered, bytes.
const COMPACT_FROM: u64 = 1024 * 1024;

/// Why the ledger did not accept an operation. Nothing was started.
#[derive(Clone, Debug, thiserror::Error)]
pub enum LedgerError {
    #[error("The machine's disk is full where roostd keeps its state; free some space there")]
    Full,
    #[error("the ledger cannot be written: {0}; check the disk, then restart")]
    Broken(String),
}

/// A ledger, shared by the tasks of an executor.
#[derive(Clone, Debug)]
pub struct Ledger {
    sender: Sender<Write>,
    index: Arc<Mutex<LedgerIndex>>,
    clock: ExecutorClock,
}

struct Write {
    /// `None` only waits for the records before it.
    record: Option<Record>,
    until: Until,
    done: Option<oneshot::Sender<Result<(), LedgerError>>>,
}

/// What comes before the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Until {
    Written,
    Synced,
    Compacted,
}

impl Write {
    fn is_durable(&self) -> bool {
        self.until == Until::Synced
    }
}

impl Ledger {
    /// Opens the ledger at this path and starts its thread. The thread ends with the last clone.
    ///
    /// # Errors
    /// The file system's error.
    pub fn open(path: &Path, clock: ExecutorClock) -> io::Result<Self> {
        let (file, records) = LedgerFile::open(path)?;
        let mut index = LedgerIndex::default();
        for record in records {
            index.apply(record);
        }
        let index = Arc::new(Mutex::new(index));
        let (sender, receiver) = channel();
        let writer = Writer {
            file,
            index: Arc::clone(&index),
            clock: clock.clone(),
            compacted_to: 0,
            broken: None,
            late: Vec::new(),
        };
        std::thread::Builder::new()
            .name("ledger".into())
            .spawn(move || writer.run(&receiver))?;
        Ok(Self {
            sender,
            index,
            clock,
        })
    }

    /// The known state, locked. Never hold it over an await.
    pub fn index(&self) -> MutexGuard<'_, LedgerIndex> {
        self.index.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes an operation and syncs. The engine may be called for it only after this.
    ///
    /// # Errors
    /// [`LedgerError`]; the ledger does not hold the operation then.
    pub async fn accept(&self, request: OperationRequest) -> Result<(), LedgerError> {
        let at_s = self.clock.now_s();
        self.write(Some(Record::Accepted { request, at_s }), Until::Synced)
            .await
    }

    /// Writes an end and syncs.
    ///
    /// # Errors
    /// [`LedgerError`] when the write fails. Nobody knows the end then, and the caller must try again.
    pub async fn end(&self, operation: OperationId, ended: Ended) -> Result<(), LedgerError> {
        let at_s = self.clock.now_s();
        let record = Record::Ended {
            operation,
            ended,
            at_s,
            agent: None,
        };
        self.write(Some(record), Until::Synced).await
    }

    /// Writes a record in order, without waiting for it.
    pub fn append(&self, record: Record) {
        let _ = self.sender.send(Write {
            record: Some(record),
            until: Until::Written,
            done: None,
        });
    }

    /// As [`append`](Self::append), and waits until it is written.
    ///
    /// # Errors
    /// [`LedgerError`] when the write fails.
    pub async fn written(&self, record: Record) -> Result<(), LedgerError> {
        self.write(Some(record), Until::Written).await
    }

    /// Waits until everything before is written and synced.
    ///
    /// # Errors
    /// [`LedgerError`] when a write failed.
    pub async fn flushed(&self) -> Result<(), LedgerError> {
        self.write(None, Until::Synced).await
    }

    /// Writes the file again without what is forgotten, and waits for it.
    ///
    /// # Errors
    /// [`LedgerError`]; the file may still have it.
    pub async fn compacted(&self) -> Result<(), LedgerError> {
        self.write(None, Until::Compacted).await
    }

    async fn write(&self, record: Option<Record>, until: Until) -> Result<(), LedgerError> {
        let (done, answer) = oneshot::channel();
        let gone = || LedgerError::Broken("its thread has stopped".into());
        self.sender
            .send(Write {
                record,
                until,
                done: Some(done),
            })
            .map_err(|_| gone())?;
        answer.await.map_err(|_| gone())?
    }
}

struct Writer {
    file: LedgerFile,
    index: Arc<Mutex<LedgerIndex>>,
    clock: ExecutorClock,
    /// Size after the last compaction.
    compacted_to: u64,
    /// A sync failed. Nothing more is accepted until a restart has read what the disk really holds.
    broken: Option<String>,
    /// Records without sync for which there was no room yet.
    late: Vec<Record>,
}

impl Writer {
    fn run(mut self, receiver: &Receiver<Write>) {
        while let Ok(first) = receiver.recv() {
            let mut batch = vec![first];
            loop {
                match receiver.try_recv() {
                    Ok(write) if batch.len() < 256 => batch.push(write),
                    Ok(write) => {
                        batch.push(write);
                        break;
                    }
                    Err(TryRecvError::Empty | TryRecvError::Disconnected) => break,
                }
            }
            let (wishes, batch) = batch
                .into_iter()
                .partition::<Vec<_>, _>(|write| write.until == Until::Compacted);
            self.commit(batch);
            if wishes.is_empty() {
                self.compact_if_large();
                continue;
            }
            let outcome = self.compact();
            for wish in wishes {
                answer(wish.done, outcome.clone());
            }
        }
        let _ = self.file.sync();
    }

    fn commit(&mut self, batch: Vec<Write>) {
        self.catch_up();
        let mut written = Vec::with_capacity(batch.len());
        for write in batch {
            let is_durable = write.is_durable();
            match self.put(&write) {
                Ok(()) => written.push(write),
                Err(error) => {
                    // A record that must be on disk before anybody learns of it must not be in memory either. Other
                    // records may be: they are written when there is room.
                    if let Some(record) = write.record.filter(|_| !is_durable) {
                        self.apply(&record);
                        self.late.push(record);
                    }
                    answer(write.done, Err(error));
                }
            }
        }
        let outcome = if written.iter().any(Write::is_durable) {
            self.sync()
        } else {
            Ok(())
        };
        for write in written {
            let is_durable = write.is_durable();
            if let Some(record) = write.record
                && (outcome.is_ok() || !is_durable)
            {
                self.apply(&record);
            }
            answer(
                write.done,
                if is_durable { outcome.clone() } else { Ok(()) },
            );
        }
    }

    fn put(&mut self, write: &Write) -> Result<(), LedgerError> {
        if let Some(why) = &self.broken {
            return Err(LedgerError::Broken(why.clone()));
        }
        if !self.late.is_empty() {
            // Keep the order: write nothing before the records that still wait for room.
            return Err(LedgerError::Full);
        }
        let Some(record) = &write.record else {
            return Ok(());
        };
        let bytes = record::encode(record).map_err(|error| ledger_error(&error))?;
        if matches!(record, Record::Accepted { .. }) {
            self.file.reserve().map_err(|error| ledger_error(&error))?;
        }
        self.file
            .append(&bytes)
            .map_err(|error| ledger_error(&error))
    }

    fn sync(&mut self) -> Result<(), LedgerError> {
        self.file.sync().map_err(|error| {
            self.broken = Some(error.to_string());
            LedgerError::Broken(error.to_string())
        })
    }

    fn apply(&self, record: &Record) {
        self.index
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .apply(record.clone());
    }

    fn catch_up(&mut self) {
        while let Some(record) = self.late.first() {
            let Ok(bytes) = record::encode(record) else {
                return;
            };
            if self.file.append(&bytes).is_err() {
                return;
            }
            self.late.remove(0);
        }
    }

    fn compact_if_large(&mut self) {
        if self.file.size() < COMPACT_FROM.max(self.compacted_to * 2) {
            return;
        }
        if let Err(error) = self.compact() {
            tracing::warn!(%error, "cannot compact the ledger; it continues with the old file");
        }
    }

    fn compact(&mut self) -> Result<(), LedgerError> {
        if let Some(why) = &self.broken {
            return Err(LedgerError::Broken(why.clone()));
        }
        if !self.late.is_empty() {
            return Err(LedgerError::Full);
        }
        let now_s = self.clock.now_s();
        let records = {
            let mut index = self.index.lock().unwrap_or_else(PoisonError::into_inner);
            for operation in index.expired(now_s) {
                index.apply(Record::Forgotten {
                    operation,
                    at_s: now_s,
                });
            }
            index.records()
        };
        let replaced = self.file.replace(&records);
        self.compacted_to = self.file.size().max(COMPACT_FROM / 2);
        replaced.map_err(|error| ledger_error(&error))
    }
}

fn answer(
    done: Option<oneshot::Sender<Result<(), LedgerError>>>,
    outcome: Result<(), LedgerError>,
) {
    if let Some(done) = done {
        let _ = done.send(outcome);
    }
}

fn ledger_error(error: &io::Error) -> LedgerError {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => LedgerError::Full,
        _ => LedgerError::Broken(error.to_string()),
    }
}
