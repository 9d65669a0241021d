//! The one writer: takes what waits, commits it in one transaction with one signed checkpoint, then answers.

use std::fs::File;
use std::path::PathBuf;

use assay_domain::Record;
use assay_ledger::{Frontier, Salt, Signer};
use rusqlite::Connection;
use tokio::sync::mpsc;

use super::put::{Append, Reply};
use super::{DATABASE, Tree, backups, erase, notes, put, reader, sql};
use crate::error::AuditError;
use crate::options::Options;
use crate::ports::{Appended, Erased, ErasedOf, Reading, Receipt, Remark, Remarked, Selector, TreeHead};

/// What came of one record of a batch: its receipt, and whether it was there before.
type Stored = Result<(Receipt, bool), AuditError>;

/// What the thread is asked to do.
#[derive(Debug)]
pub(super) enum Command {
    /// See [`crate::ports::Writer::append`].
    Append { record: Box<Record>, salt: Salt, now_unix_ms: u64, reply: Reply<Appended> },
    /// See [`crate::ports::Writer::erase_before`].
    Erase { day: u64, now_unix_ms: u64, reply: Reply<Erased> },
    /// See [`crate::ports::Notes::erase`].
    EraseOf { tenant: String, what: Selector, now_unix_ms: u64, reply: Reply<ErasedOf> },
    /// See [`crate::ports::Notes::remark`].
    Remark { remark: Box<Remark>, reply: Reply<Remarked> },
    /// See [`crate::ports::Notes::read`].
    Read { reading: Box<Reading>, reply: Reply<()> },
    /// Ends the thread.
    Close { reply: Reply<()> },
}

/// Everything that the thread owns.
#[derive(Debug)]
pub(super) struct Thread {
    connection: Connection,
    file: PathBuf,
    /// Held as long as the thread lives.
    _lock: File,
    signer: Signer,
    frontier: Frontier,
    /// Whether expired payloads may be left in gaps of pages.
    unscrubbed: bool,
    /// Why nothing may be appended; none while all is well.
    damaged: Option<String>,
    policy: put::Policy,
    clock_gap_days: u32,
    queue: usize,
    batch: usize,
}

impl Thread {
    /// Reads the right edge of the tree and holds it against the newest checkpoint. A log that does not fit is opened
    /// all the same, so that it can be read and verified, but takes no appends.
    pub(super) fn new(
        connection: Connection,
        lock: File,
        signer: Signer,
        options: &Options,
        now_unix_ms: u64,
    ) -> Result<Self, AuditError> {
        let head = reader::head(&connection, signer.verifier())?;
        let size: i64 = connection
            .query_row("SELECT coalesce(max(idx) + 1, 0) FROM leaves", [], |row| row.get(0))
            .map_err(|error| sql("reading the size of the audit log", &error))?;
        let frontier = Frontier::load(&Tree(&connection), head.size);
        let damaged = match (&frontier, head.key.open(&head.note)) {
            (_, Err(error)) => Some(format!("its newest checkpoint: {error}")),
            (Err(error), _) => Some(error.to_string()),
            _ if super::loaded(size) != head.size => {
                Some(format!("it has {size} leaves, its checkpoint is of {}", head.size))
            }
            (Ok(frontier), _) if frontier.root() != head.root => {
                Some(format!("the root of its {size} leaves is not the one of its checkpoint"))
            }
            _ => None,
        };
        if let Some(reason) = &damaged {
            tracing::error!(%reason, now_unix_ms, "the audit log is damaged and takes no records");
        }
        let policy = put::Policy {
            include_answer: options.include_answer,
            review_open: options.review_open,
            review_sample: options.review_sample,
            sample_pass: options.review_sample_pass,
        };
        let mut thread = Self {
            connection,
            file: options.data_dir.join(DATABASE),
            _lock: lock,
            unscrubbed: false,
            signer,
            frontier: frontier.unwrap_or_default(),
            damaged,
            policy,
            clock_gap_days: options.clock_gap_days,
            queue: options.queue,
            batch: options.batch,
        };
        if thread.damaged.is_none() {
            thread.frontier =
                erase::record_older(&mut thread.connection, &thread.frontier, &thread.signer, now_unix_ms)?;
        }
        Ok(thread)
    }

    /// Commands that may wait.
    pub(super) fn queue(&self) -> usize {
        self.queue
    }

    /// Works until told to close or until nobody can ask any more.
    pub(super) fn run(mut self, mut queue: mpsc::Receiver<Command>) {
        let mut held = None;
        loop {
            let Some(command) = held.take().or_else(|| queue.blocking_recv()) else { break };
            match command {
                Command::Append { record, salt, now_unix_ms, reply } => {
                    let mut batch = vec![Append { record, salt, now_unix_ms, reply }];
                    while batch.len() < self.batch {
                        match queue.try_recv() {
                            Ok(Command::Append { record, salt, now_unix_ms, reply }) => {
                                batch.push(Append { record, salt, now_unix_ms, reply });
                            }
                            Ok(other) => {
                                held = Some(other);
                                break;
                            }
                            Err(_) => break,
                        }
                    }
                    self.append(batch);
                }
                Command::Erase { day, now_unix_ms, reply } => {
                    answer(reply, self.erase(day, now_unix_ms));
                }
                Command::EraseOf { tenant, what, now_unix_ms, reply } => {
                    answer(reply, self.erase_of(&tenant, &what, now_unix_ms));
                }
                Command::Remark { remark, reply } => answer(reply, self.remark(&remark)),
                Command::Read { reading, reply } => answer(reply, self.read(&reading)),
                Command::Close { reply } => {
                    self.close();
                    // The folder is free before the caller hears of it.
                    drop(self);
                    answer(reply, Ok(()));
                    return;
                }
            }
        }
        self.close();
    }

    fn append(&mut self, batch: Vec<Append>) {
        let results = match &self.damaged {
            Some(reason) => Err(AuditError::corrupt(reason.clone())),
            None => self.commit(&batch),
        };
        match results {
            Ok(results) => {
                for (append, result) in batch.into_iter().zip(results) {
                    answer(append.reply, result);
                }
            }
            Err(error) => {
                tracing::warn!(%error, records = batch.len(), "a batch of records was not stored");
                for append in batch {
                    answer(append.reply, Err(error.clone()));
                }
            }
        }
    }

    /// All or nothing: the answers of the batch, or why none of it was stored.
    fn commit(&mut self, batch: &[Append]) -> Result<Vec<Result<Appended, AuditError>>, AuditError> {
        let mut frontier = self.frontier.clone();
        let before = frontier.size();
        let mut results: Vec<Stored> = Vec::with_capacity(batch.len());
        let committed = (|| {
            let transaction = self.connection.transaction()?;
            for append in batch {
                results.push(put::record(&transaction, &mut frontier, before, append, self.policy)?);
            }
            if frontier.size() > before {
                put::checkpoint(&transaction, &frontier, &self.signer)?;
            }
            transaction.commit()
        })();
        committed.map_err(|error| sql("storing records", &error))?;
        let head = self.advance(frontier);
        let appended =
            |(receipt, repeated): (Receipt, bool)| Appended { receipt, repeated, head: head.clone() };
        Ok(results.into_iter().map(|result| result.map(appended)).collect())
    }

    /// Takes over the committed right edge; tells of a new checkpoint where a later reader of the lines can see it.
    fn advance(&mut self, frontier: Frontier) -> TreeHead {
        let head = TreeHead {
            log_id: self.signer.origin().to_owned(),
            size: frontier.size(),
            root: frontier.root(),
        };
        if head.size > self.frontier.size() {
            tracing::info!(log_id = %head.log_id, size = head.size, root = %head.root, "audit log checkpoint");
        }
        self.frontier = frontier;
        head
    }

    /// Refuses to write to a log that does not fit its checkpoint.
    fn sound(&self) -> Result<(), AuditError> {
        match &self.damaged {
            Some(reason) => Err(AuditError::corrupt(reason.clone())),
            None => Ok(()),
        }
    }

    fn remark(&mut self, remark: &Remark) -> Result<Remarked, AuditError> {
        self.sound()?;
        let (frontier, remarked) = notes::remark(&mut self.connection, &self.frontier, &self.signer, remark)?;
        self.advance(frontier);
        Ok(remarked)
    }

    fn read(&mut self, reading: &Reading) -> Result<(), AuditError> {
        self.sound()?;
        let frontier = notes::read(&mut self.connection, &self.frontier, &self.signer, reading)?;
        self.advance(frontier);
        Ok(())
    }

    fn erase_of(&mut self, tenant: &str, what: &Selector, now_unix_ms: u64) -> Result<ErasedOf, AuditError> {
        self.sound()?;
        let (frontier, mut erased) =
            erase::requested(&mut self.connection, &self.frontier, &self.signer, tenant, what, now_unix_ms)?;
        self.advance(frontier);
        // Also where nothing was left to erase: a backup may be older than an earlier erasure.
        erased.backups = backups::remove(&self.file)?;
        // The caller repeats until nothing is left. So does whoever repeats an erasure that failed.
        if erased.payloads == 0 {
            self.scrub()?;
        }
        Ok(erased)
    }

    fn erase(&mut self, day: u64, now_unix_ms: u64) -> Result<Erased, AuditError> {
        self.sound()?;
        let clock = erase::Clock { now_unix_ms, gap_days: self.clock_gap_days };
        let (frontier, mut erased) =
            erase::expired(&mut self.connection, &self.frontier, &self.signer, day, clock)?;
        self.advance(frontier);
        if erased.payloads > 0 {
            self.unscrubbed = true;
            erased.backups = backups::remove(&self.file)?;
        } else if self.unscrubbed {
            self.scrub()?;
        }
        Ok(erased)
    }

    /// Writes the database anew and cuts the write-ahead log. Secure deletion overwrites a row where it is, and not the
    /// copies in the gaps of pages from which a growing or shrinking tree once moved it.
    fn scrub(&mut self) -> Result<(), AuditError> {
        let cut = self.connection.execute_batch("VACUUM").and_then(|()| self.cut());
        if !cut.map_err(|error| sql("overwriting what was erased; repeat the erasure", &error))? {
            return Err(AuditError::Read);
        }
        self.unscrubbed = false;
        Ok(())
    }

    /// Moves the write-ahead log into the file and empties it; false while somebody reads an older state.
    fn cut(&self) -> rusqlite::Result<bool> {
        self.connection
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0).map(|busy: i64| busy == 0))
    }

    fn close(&mut self) {
        if let Err(error) = self.cut() {
            tracing::warn!(%error, "the write-ahead log of the audit log could not be cut");
        }
    }
}

/// Answers a caller who may be gone.
fn answer<T>(reply: Reply<T>, result: Result<T, AuditError>) {
    if reply.send(result).is_err() {
        tracing::debug!("the caller of the audit log did not wait for its answer");
    }
}
