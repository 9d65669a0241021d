//! The one writer: takes what waits, commits it in one transaction with one signed checkpoint, then answers.

use std::fs::File;

use assay_domain::{Outcome, Record};
use assay_ledger::{Frontier, Salt, Signer, commitment, leaf_hash, tree};
use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use super::{Tree, reader, sql, stored};
use crate::error::AuditError;
use crate::options::Options;
use crate::policy;
use crate::ports::{Appended, Receipt, TreeHead};

/// What came of one record of a batch: its receipt, and whether it was there before.
type Stored = Result<(Receipt, bool), AuditError>;

/// Payloads that one erasing transaction takes, so that appends never wait long for it.
const ERASE_AT_ONCE: i64 = 2_000;

type Reply<T> = oneshot::Sender<Result<T, AuditError>>;

/// What the thread is asked to do.
#[derive(Debug)]
pub(super) enum Command {
    /// See [`crate::ports::Writer::append`].
    Append { record: Box<Record>, salt: Salt, now_unix_ms: u64, reply: Reply<Appended> },
    /// See [`crate::ports::Writer::erase_before`].
    Erase { day: u64, now_unix_ms: u64, reply: Reply<u64> },
    /// Ends the thread.
    Close { reply: Reply<()> },
}

/// One append of a batch.
struct Append {
    record: Box<Record>,
    salt: Salt,
    now_unix_ms: u64,
    reply: Reply<Appended>,
}

/// Everything that the thread owns.
#[derive(Debug)]
pub(super) struct Thread {
    connection: Connection,
    /// Held as long as the thread lives.
    _lock: File,
    signer: Signer,
    frontier: Frontier,
    /// Why nothing may be appended; none while all is well.
    damaged: Option<String>,
    include_answer: bool,
    queue: usize,
    batch: usize,
    review_open: u32,
    review_sample: u32,
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
        Ok(Self {
            connection,
            _lock: lock,
            signer,
            frontier: frontier.unwrap_or_default(),
            damaged,
            include_answer: options.include_answer,
            queue: options.queue,
            batch: options.batch,
            review_open: options.review_open,
            review_sample: options.review_sample,
        })
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
        let mut results = Vec::with_capacity(batch.len());
        let policy = Policy {
            include_answer: self.include_answer,
            review_open: self.review_open,
            review_sample: self.review_sample,
        };
        let committed = (|| {
            let transaction = self.connection.transaction()?;
            for append in batch {
                results.push(one(&transaction, &mut frontier, append, policy)?);
            }
            if let (true, Some(last)) = (frontier.size() > before, batch.last()) {
                let note = self.signer.sign(frontier.size(), frontier.root());
                transaction
                    .prepare_cached("INSERT INTO checkpoints (size, note, unix_ms) VALUES (?1, ?2, ?3)")?
                    .execute((stored(frontier.size()), note, stored(last.now_unix_ms)))?;
            }
            transaction.commit()
        })();
        committed.map_err(|error| sql("storing records", &error))?;
        self.frontier = frontier;
        let head = TreeHead {
            log_id: self.signer.origin().to_owned(),
            size: self.frontier.size(),
            root: self.frontier.root(),
        };
        if head.size > before {
            tracing::info!(log_id = %head.log_id, size = head.size, root = %head.root, "audit log checkpoint");
        }
        let appended =
            |(receipt, repeated): (Receipt, bool)| Appended { receipt, repeated, head: head.clone() };
        Ok(results.into_iter().map(|result| result.map(appended)).collect())
    }

    fn erase(&mut self, day: u64, now_unix_ms: u64) -> Result<u64, AuditError> {
        let doing = "erasing payloads";
        let erased: Result<usize, rusqlite::Error> = (|| {
            let transaction = self.connection.transaction()?;
            // A record that nobody decided in time leaves the review queue with its payload.
            transaction.execute(
                "DELETE FROM reviews WHERE idx IN (SELECT idx FROM payloads WHERE day < ?1 LIMIT ?2)",
                (stored(day), ERASE_AT_ONCE),
            )?;
            let erased = transaction.execute(
                "DELETE FROM payloads WHERE idx IN (SELECT idx FROM payloads WHERE day < ?1 LIMIT ?2)",
                (stored(day), ERASE_AT_ONCE),
            )?;
            if erased > 0 {
                transaction.execute(
                    "INSERT INTO erasures (before_day, payloads, unix_ms) VALUES (?1, ?2, ?3)",
                    (stored(day), i64::try_from(erased).unwrap_or(i64::MAX), stored(now_unix_ms)),
                )?;
            }
            transaction.commit()?;
            Ok(erased)
        })();
        let erased = erased.map_err(|error| sql(doing, &error))?;
        if erased > 0 {
            // The write-ahead log still holds the old pages; move it into the file and cut it.
            self.checkpoint_file();
        }
        Ok(u64::try_from(erased).unwrap_or(u64::MAX))
    }

    fn checkpoint_file(&self) {
        let done = self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        if let Err(error) = done {
            tracing::warn!(%error, "the write-ahead log of the audit log could not be cut");
        }
    }

    fn close(&mut self) {
        self.checkpoint_file();
    }
}

/// Answers a caller who may be gone.
fn answer<T>(reply: Reply<T>, result: Result<T, AuditError>) {
    if reply.send(result).is_err() {
        tracing::debug!("the caller of the audit log did not wait for its answer");
    }
}

#[derive(Clone, Copy)]
struct Policy {
    include_answer: bool,
    review_open: u32,
    review_sample: u32,
}

fn one(
    connection: &Connection,
    frontier: &mut Frontier,
    append: &Append,
    policy: Policy,
) -> rusqlite::Result<Stored> {
    let record = &*append.record;
    if let Some(first) = reader::first(connection, record.audit_id)? {
        let receipt = first.receipt;
        return Ok(if is_same(&first, record) || record.outcome == Outcome::Aborted {
            Ok((receipt, true))
        } else {
            Err(AuditError::Conflict { id: record.audit_id, leaf_index: receipt.leaf_index })
        });
    }
    let parts = policy::seal(record, &append.salt, policy.include_answer);
    let commitment = commitment(&append.salt, &parts.payload);
    let leaf = leaf_hash(1, None, &parts.public, &commitment);
    let index = frontier.size();
    // The bucket follows the id's own time, so that a late delivery lands where its siblings are.
    let made = record.audit_id.unix_ms();
    let day = stored(policy::day(made));
    let idx = stored(index);
    connection
        .prepare_cached(
            "INSERT INTO leaves (idx, audit_id, leaf, version, public, commitment, stored_unix_ms, unix_ms, day,
                 tenant, outcome, verdict)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
        )?
        .execute(rusqlite::params![
            idx,
            &record.audit_id.as_bytes()[..],
            &leaf.0[..],
            1,
            parts.public,
            &commitment.0[..],
            stored(append.now_unix_ms),
            stored(made),
            day,
            record.identity.tenant,
            record.outcome.as_str(),
            policy::verdict(record).map(|verdict| verdict.as_str()),
        ])?;
    connection
        .prepare_cached(
            "INSERT INTO payloads (idx, day, salt, payload, principal, session_id)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute(rusqlite::params![
            idx,
            day,
            &append.salt.0[..],
            parts.payload,
            record.identity.principal,
            record.session_id,
        ])?;
    for node in frontier.push(leaf).into_iter().skip(1) {
        put_node(connection, node)?;
    }
    if policy::waits_for_review(record) {
        queue(connection, idx, append, policy)?;
    }
    let receipt = Receipt { leaf_index: index, leaf, stored_unix_ms: append.now_unix_ms };
    Ok(Ok((receipt, false)))
}

fn put_node(connection: &Connection, node: tree::Node) -> rusqlite::Result<()> {
    connection.prepare_cached("INSERT INTO nodes (level, idx, hash) VALUES (?1, ?2, ?3)")?.execute((
        node.level,
        stored(node.index),
        &node.hash.0[..],
    ))?;
    Ok(())
}

/// Whether a redelivered record is the one that is there, under either answer policy: the setting may have changed
/// in between. Of an erased one only the public half can be compared.
fn is_same(first: &reader::First, record: &Record) -> bool {
    let salt = first.sealed.as_ref().map_or(Salt([0; 32]), |sealed| sealed.salt);
    [false, true].into_iter().any(|include_answer| {
        let parts = policy::seal(record, &salt, include_answer);
        parts.public == first.public
            && first.sealed.as_ref().is_none_or(|sealed| sealed.payload == parts.payload)
    })
}

/// Puts a record into the review queue. Once the queue is full only one in `review_sample` enters, in the place of the
/// oldest; which one is decided by the id, which nobody chooses.
fn queue(connection: &Connection, idx: i64, append: &Append, policy: Policy) -> rusqlite::Result<()> {
    let open: u32 =
        connection.prepare_cached("SELECT count(*) FROM reviews")?.query_row([], |row| row.get(0))?;
    let mut one_in = 1;
    if open >= policy.review_open {
        one_in = policy.review_sample;
        let draw = append.record.audit_id.as_bytes().iter().skip(8);
        let draw = draw.fold(0_u32, |sum, byte| sum.wrapping_mul(31).wrapping_add(u32::from(*byte)));
        if draw % one_in != 0 {
            return Ok(());
        }
        connection
            .prepare_cached("DELETE FROM reviews WHERE idx = (SELECT min(idx) FROM reviews)")?
            .execute([])?;
    }
    connection
        .prepare_cached("INSERT INTO reviews (idx, opened_unix_ms, one_in) VALUES (?1, ?2, ?3)")?
        .execute((idx, stored(append.now_unix_ms), one_in))?;
    Ok(())
}
