//! What people say of records, as leaves.

use assay_ledger::{Frontier, Header, Kind, Note, Salt, Signer, commitment};
use rusqlite::Connection;

use super::put::{self, Leaf};
use super::{columns, reader, reviews, sql, stored};
use crate::error::AuditError;
use crate::ports::{Reading, Receipt, Remark, Remarked};

const DOING: &str = "storing a note";

/// Stores a remark, if its record is there and, for a decision, waits.
pub(super) fn remark(
    connection: &mut Connection,
    frontier: &Frontier,
    signer: &Signer,
    remark: &Remark,
) -> Result<(Frontier, Remarked), AuditError> {
    let Some(kept) = reader::get(connection, &remark.scope, remark.about)? else {
        return Ok((frontier.clone(), Remarked::NoRecord));
    };
    let about = kept.receipt.leaf_index;
    if remark.said.decides() && !reviews::waits(connection, about)? {
        return Ok((frontier.clone(), Remarked::NotWaiting));
    }
    let note = Note {
        id: remark.id,
        tenant: remark.scope.tenant.clone(),
        said: remark.said,
        leaves: vec![(about, about)],
        claim: remark.claim,
        principal: remark.principal.clone(),
        reason: remark.reason.clone(),
    };
    let (frontier, receipt) = store(connection, frontier, signer, &note, remark.salt, remark.now_unix_ms)?;
    Ok((frontier, Remarked::Stored(receipt)))
}

/// Stores that payloads were read by somebody else than their owner.
pub(super) fn read(
    connection: &mut Connection,
    frontier: &Frontier,
    signer: &Signer,
    reading: &Reading,
) -> Result<Frontier, AuditError> {
    let note = Note {
        id: reading.id,
        tenant: reading.tenant.clone(),
        said: assay_ledger::Said::Read,
        leaves: reading.leaves.clone(),
        claim: None,
        principal: reading.principal.clone(),
        reason: String::new(),
    };
    Ok(store(connection, frontier, signer, &note, reading.salt, reading.now_unix_ms)?.0)
}

/// One transaction: the leaf, its payload, its row, the queue, a checkpoint.
fn store(
    connection: &mut Connection,
    frontier: &Frontier,
    signer: &Signer,
    note: &Note,
    salt: Salt,
    now_unix_ms: u64,
) -> Result<(Frontier, Receipt), AuditError> {
    let mut frontier = frontier.clone();
    let stored_leaf = (|| {
        let transaction = connection.transaction()?;
        let (public, words) = note.split();
        let checkpoint = frontier.size();
        let header = Header { kind: Kind::Note, stored_unix_ms: now_unix_ms, checkpoint, review: None };
        let leaf = Leaf {
            header,
            public: &public,
            commitment: commitment(&salt, &words),
            columns: columns::of_note(note, now_unix_ms),
        };
        let (index, hash) = put::leaf(&transaction, &mut frontier, leaf)?;
        put::payload(&transaction, index, salt, words, columns::of_words(note, now_unix_ms))?;
        if let Some(about) = note.about() {
            transaction
                .prepare_cached("INSERT INTO notes (idx, about, said) VALUES (?1, ?2, ?3)")?
                .execute((stored(index), stored(about), note.said.as_str()))?;
            if note.said.decides() {
                transaction.prepare_cached("DELETE FROM reviews WHERE idx = ?1")?.execute([stored(about)])?;
            }
        }
        put::checkpoint(&transaction, &frontier, signer)?;
        transaction.commit()?;
        Ok(Receipt { leaf_index: index, leaf: hash, stored_unix_ms: now_unix_ms })
    })();
    stored_leaf.map(|receipt| (frontier, receipt)).map_err(|error: rusqlite::Error| sql(DOING, &error))
}
