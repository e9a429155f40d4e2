//! The thread that owns the ledger's file. What waits together is written and synced together.
use std::io;
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use roost_protocol::ids::OperationId;
use roost_protocol::operation::OperationRequest;
use roost_protocol::report::Ended;
use tokio::sync::oneshot;

use super::book::Book;
use super::file::LedgerFile;
use super::record::{self, Record};
use crate::executor::config::ExecutorClock;

/// Size from which a compaction is thought of, bytes.
const COMPACT_FROM: u64 = 1024 * 1024;

/// Why the ledger did not take an operation; nothing was started.
#[derive(Clone, Debug, thiserror::Error)]
pub enum LedgerError {
    #[error("the disk that holds the daemon's state is full; free some space")]
    Full,
    #[error("the ledger cannot be written: {0}; look at the disk, then restart")]
    Broken(String),
}

/// A ledger, shared by the tasks of an executor.
#[derive(Clone, Debug)]
pub struct Ledger {
    sender: Sender<Write>,
    book: Arc<Mutex<Book>>,
    clock: ExecutorClock,
}

struct Write {
    /// Nothing: only what stands before it is waited for.
    record: Option<Record>,
    /// Sync before answering.
    durable: bool,
    done: Option<oneshot::Sender<Result<(), LedgerError>>>,
}

impl Ledger {
    /// Opens the ledger in a file of this path and starts its thread, which ends with the last clone.
    ///
    /// # Errors
    /// What the file system says.
    pub fn open(path: &Path, clock: ExecutorClock) -> io::Result<Self> {
        let (file, records) = LedgerFile::open(path)?;
        let mut book = Book::default();
        for record in records {
            book.apply(record);
        }
        let book = Arc::new(Mutex::new(book));
        let (sender, receiver) = channel();
        let desk = Desk {
            file,
            book: Arc::clone(&book),
            clock: clock.clone(),
            compacted_to: 0,
            broken: None,
            late: Vec::new(),
        };
        std::thread::Builder::new()
            .name("ledger".into())
            .spawn(move || desk.run(&receiver))?;
        Ok(Self {
            sender,
            book,
            clock,
        })
    }

    /// What is known, locked; never hold it over an await.
    pub fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes an operation down and syncs. Only after this may the engine be called for it.
    ///
    /// # Errors
    /// [`LedgerError`]; the operation is then not in the ledger.
    pub async fn accept(&self, request: OperationRequest) -> Result<(), LedgerError> {
        let at_s = self.clock.now_s();
        self.write(Some(Record::Accepted { request, at_s }), true)
            .await
    }

    /// Writes an end down and syncs.
    ///
    /// # Errors
    /// [`LedgerError`] when it could not be written; it is then not known to anybody and must be tried again.
    pub async fn end(&self, operation: OperationId, ended: Ended) -> Result<(), LedgerError> {
        let at_s = self.clock.now_s();
        let record = Record::Ended {
            operation,
            ended,
            at_s,
        };
        self.write(Some(record), true).await
    }

    /// Writes a record down in order, without waiting for it.
    pub fn note(&self, record: Record) {
        let _ = self.sender.send(Write {
            record: Some(record),
            durable: false,
            done: None,
        });
    }

    /// As [`note`](Self::note), and waits until it is written.
    ///
    /// # Errors
    /// [`LedgerError`] when it could not be written.
    pub async fn written(&self, record: Record) -> Result<(), LedgerError> {
        self.write(Some(record), false).await
    }

    /// Waits until everything before is written and synced.
    ///
    /// # Errors
    /// [`LedgerError`] when something could not be written.
    pub async fn settled(&self) -> Result<(), LedgerError> {
        self.write(None, true).await
    }

    async fn write(&self, record: Option<Record>, durable: bool) -> Result<(), LedgerError> {
        let (done, answer) = oneshot::channel();
        let gone = || LedgerError::Broken("its thread ended".into());
        self.sender
            .send(Write {
                record,
                durable,
                done: Some(done),
            })
            .map_err(|_| gone())?;
        answer.await.map_err(|_| gone())?
    }
}

struct Desk {
    file: LedgerFile,
    book: Arc<Mutex<Book>>,
    clock: ExecutorClock,
    /// Size after the last compaction.
    compacted_to: u64,
    /// A sync failed: nothing more is accepted until a restart has read what is really there.
    broken: Option<String>,
    /// Notes that found no room yet.
    late: Vec<Record>,
}

impl Desk {
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
            self.commit(batch);
            self.compact();
        }
        let _ = self.file.sync();
    }

    fn commit(&mut self, batch: Vec<Write>) {
        self.catch_up();
        let mut written = Vec::with_capacity(batch.len());
        for write in batch {
            match self.put(&write) {
                Ok(()) => written.push(write),
                Err(error) => {
                    // What must be on disk before anybody hears of it is not known in memory either. Notes are: they
                    // are written when there is room.
                    if let Some(record) = write.record.filter(|_| !write.durable) {
                        self.apply(&record);
                        self.late.push(record);
                    }
                    answer(write.done, Err(error));
                }
            }
        }
        let outcome = if written.iter().any(|write| write.durable) {
            self.sync()
        } else {
            Ok(())
        };
        for write in written {
            if let Some(record) = write.record
                && (outcome.is_ok() || !write.durable)
            {
                self.apply(&record);
            }
            answer(
                write.done,
                if write.durable {
                    outcome.clone()
                } else {
                    Ok(())
                },
            );
        }
    }

    fn put(&mut self, write: &Write) -> Result<(), LedgerError> {
        if let Some(why) = &self.broken {
            return Err(LedgerError::Broken(why.clone()));
        }
        if !self.late.is_empty() {
            // Order is kept: nothing is written before what still waits for room.
            return Err(LedgerError::Full);
        }
        let Some(record) = &write.record else {
            return Ok(());
        };
        let bytes = record::encode(record).map_err(|error| said(&error))?;
        if matches!(record, Record::Accepted { .. }) {
            self.file.reserve().map_err(|error| said(&error))?;
        }
        self.file.append(&bytes).map_err(|error| said(&error))
    }

    fn sync(&mut self) -> Result<(), LedgerError> {
        self.file.sync().map_err(|error| {
            self.broken = Some(error.to_string());
            LedgerError::Broken(error.to_string())
        })
    }

    fn apply(&self, record: &Record) {
        self.book
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

    fn compact(&mut self) {
        if self.file.size() < COMPACT_FROM.max(self.compacted_to * 2)
            || self.broken.is_some()
            || !self.late.is_empty()
        {
            return;
        }
        let now_s = self.clock.now_s();
        let records = {
            let mut book = self.book.lock().unwrap_or_else(PoisonError::into_inner);
            for operation in book.expired(now_s) {
                book.apply(Record::Forgotten {
                    operation,
                    at_s: now_s,
                });
            }
            book.records()
        };
        if let Err(error) = self.file.replace(&records) {
            tracing::warn!(%error, "the ledger could not be compacted; it goes on as it is");
        }
        self.compacted_to = self.file.size().max(COMPACT_FROM / 2);
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

fn said(error: &io::Error) -> LedgerError {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => LedgerError::Full,
        _ => LedgerError::Broken(error.to_string()),
    }
}
