//! What the router was told of the log at its last records: the table `audit_head` of its outbox, read from a copy.

use std::path::Path;

use assay_ledger::Hash;
use rusqlite::Connection;

use super::copy::Copy;
use super::{loaded, sql};
use crate::error::AuditError;
use crate::ports::TreeHead;

const DOING: &str = "reading what the router was told of the audit log";

/// Every head, the newest first; none without file or table.
pub(super) fn heads(outbox: &Path) -> Result<Vec<TreeHead>, AuditError> {
    let Some(copy) = Copy::of(outbox)? else { return Ok(Vec::new()) };
    read(&copy.open(DOING)?).map_err(|error| sql(DOING, &error))
}

fn read(connection: &Connection) -> rusqlite::Result<Vec<TreeHead>> {
    if !connection.table_exists(None, "audit_head")? {
        return Ok(Vec::new());
    }
    let mut query =
        connection.prepare("SELECT log_id, size, root FROM audit_head ORDER BY unix_ms DESC, log_id")?;
    let rows = query.query_map([], |row| {
        let root = row.get_ref(2)?.as_blob().ok().and_then(Hash::from_slice).unwrap_or(Hash([0; 32]));
        Ok(TreeHead { log_id: row.get(0)?, size: loaded(row.get(1)?), root })
    })?;
    rows.collect()
}
