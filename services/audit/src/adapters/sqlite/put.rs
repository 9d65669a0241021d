//! One leaf into the tables: header, texts, columns, nodes, review queue.

use assay_domain::{AuditId, Outcome, Record};
use assay_ledger::leaf::FORMAT;
use assay_ledger::{Frontier, Hash, Header, Kind, Review, Salt, Signer, commitment, leaf_hash};
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use tokio::sync::oneshot;

use super::{columns, reader, stored, words};
use crate::error::AuditError;
use crate::policy;
use crate::ports::{Appended, Receipt};
use crate::words::of_kept;

/// Where the outcome of a command goes.
pub(super) type Reply<T> = oneshot::Sender<Result<T, AuditError>>;

/// One append of a batch.
pub(super) struct Append {
    pub(super) record: Box<Record>,
    pub(super) salt: Salt,
    pub(super) now_unix_ms: u64,
    pub(super) reply: Reply<Appended>,
}

/// What of a record is kept, and how many wait for review.
#[derive(Debug, Clone, Copy)]
pub(super) struct Policy {
    /// Whether the text of an answer that passed is kept.
    pub(super) include_answer: bool,
    /// Size of the review queue.
    pub(super) review_open: u32,
    /// Sampling rate once it is full.
    pub(super) review_sample: u32,
    /// Share of the answers that passed which enters it.
    pub(super) sample_pass: f64,
}

/// A leaf to be stored.
pub(super) struct Leaf<'a> {
    /// What the log adds.
    pub(super) header: Header,
    /// Public text.
    pub(super) public: &'a str,
    /// Commitment to the payload.
    pub(super) commitment: Hash,
    /// See [`columns::LEAF`].
    pub(super) columns: [Value; 7],
}

/// Stores a leaf with the nodes it completes; returns index and hash.
pub(super) fn leaf(
    connection: &Connection,
    frontier: &mut Frontier,
    leaf: Leaf<'_>,
) -> rusqlite::Result<(u64, Hash)> {
    let header = leaf.header.to_json();
    let hash = leaf_hash(FORMAT, Some(&header), leaf.public, &leaf.commitment);
    let index = frontier.size();
    let values = [
        Value::Integer(stored(index)),
        Value::Blob(hash.0.to_vec()),
        Value::Integer(i64::from(FORMAT)),
        Value::Text(header),
        Value::Text(leaf.public.to_owned()),
        Value::Blob(leaf.commitment.0.to_vec()),
    ];
    let query = format!(
        "INSERT INTO leaves (idx, leaf, version, header, public, commitment, {})
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        columns::LEAF.join(", ")
    );
    connection.prepare_cached(&query)?.execute(params_from_iter(values.into_iter().chain(leaf.columns)))?;
    for node in frontier.push(hash).into_iter().skip(1) {
        connection.prepare_cached("INSERT INTO nodes (level, idx, hash) VALUES (?1, ?2, ?3)")?.execute((
            node.level,
            stored(node.index),
            &node.hash.0[..],
        ))?;
    }
    Ok((index, hash))
}

/// Stores salt and payload of a leaf.
pub(super) fn payload(
    connection: &Connection,
    index: u64,
    salt: Salt,
    text: String,
    repeated: [Value; 3],
) -> rusqlite::Result<()> {
    let values = [Value::Integer(stored(index)), Value::Blob(salt.0.to_vec()), Value::Text(text)];
    let query = format!(
        "INSERT INTO payloads (idx, salt, payload, {}) VALUES (?, ?, ?, ?, ?, ?)",
        columns::PAYLOAD.join(", ")
    );
    connection.prepare_cached(&query)?.execute(params_from_iter(values.into_iter().chain(repeated)))?;
    Ok(())
}

/// Signs and stores the state of the log.
pub(super) fn checkpoint(
    connection: &Connection,
    frontier: &Frontier,
    signer: &Signer,
) -> rusqlite::Result<()> {
    let note = signer.sign(frontier.size(), frontier.root());
    connection
        .prepare_cached("INSERT INTO checkpoints (size, note) VALUES (?1, ?2)")?
        .execute((stored(frontier.size()), note))?;
    Ok(())
}

/// Stores a record, unless its id is taken; `before` is the size of the newest checkpoint.
pub(super) fn record(
    connection: &Connection,
    frontier: &mut Frontier,
    before: u64,
    append: &Append,
    policy: Policy,
) -> rusqlite::Result<Result<(Receipt, bool), AuditError>> {
    let record = &*append.record;
    if let Some(first) = reader::first(connection, record.audit_id)? {
        let receipt = first.receipt;
        return Ok(if is_same(&first, record) || record.outcome == Outcome::Aborted {
            Ok((receipt, true))
        } else {
            Err(AuditError::Conflict { id: record.audit_id, leaf_index: receipt.leaf_index })
        });
    }
    let mut review =
        if policy::waits_for_review(record) { draw(connection, record.audit_id, policy)? } else { None };
    if review.is_none() && policy::drawn_though_passed(record, policy.sample_pass) {
        let one_in = (1.0 / policy.sample_pass).round() as u32;
        review = room(connection, policy)?.then_some(Review { one_in, displaced: None });
    }
    let keeps = policy.include_answer || review.is_some();
    let parts = policy::seal(record, &append.salt, keeps);
    let stored_unix_ms = append.now_unix_ms;
    let header = Header { kind: Kind::Record, stored_unix_ms, checkpoint: before, review };
    let (index, hash) = leaf(
        connection,
        frontier,
        Leaf {
            header,
            public: &parts.public,
            commitment: commitment(&append.salt, &parts.payload),
            columns: columns::of_record(record, stored_unix_ms),
        },
    )?;
    payload(connection, index, append.salt, parts.payload, columns::of_payload(record))?;
    words::put(connection, index, &of_kept(record, policy::keeps_text(record, keeps)))?;
    if let Some(review) = review {
        if let Some(displaced) = review.displaced {
            connection.prepare_cached("DELETE FROM reviews WHERE idx = ?1")?.execute([stored(displaced)])?;
        }
        connection
            .prepare_cached("INSERT INTO reviews (idx, one_in) VALUES (?1, ?2)")?
            .execute((stored(index), review.one_in))?;
    }
    Ok(Ok((Receipt { leaf_index: index, leaf: hash, stored_unix_ms }, false)))
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

/// Whether the review queue has room.
fn room(connection: &Connection, policy: Policy) -> rusqlite::Result<bool> {
    let open: u32 =
        connection.prepare_cached("SELECT count(*) FROM reviews")?.query_row([], |row| row.get(0))?;
    Ok(open < policy.review_open)
}

/// Draws the place of a record in the review queue. Once the queue is full only one in `review_sample` enters, in the
/// place of the oldest; which one is decided by the id, which nobody chooses.
fn draw(connection: &Connection, id: AuditId, policy: Policy) -> rusqlite::Result<Option<Review>> {
    let (open, oldest): (u32, Option<i64>) = connection
        .prepare_cached("SELECT count(*), min(idx) FROM reviews")?
        .query_row([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    if open < policy.review_open {
        return Ok(Some(Review { one_in: 1, displaced: None }));
    }
    let draw = id.as_bytes().iter().skip(8);
    let draw = draw.fold(0_u32, |sum, byte| sum.wrapping_mul(31).wrapping_add(u32::from(*byte)));
    let drawn = draw.is_multiple_of(policy.review_sample);
    Ok(drawn.then(|| Review { one_in: policy.review_sample, displaced: oldest.map(super::loaded) }))
}
