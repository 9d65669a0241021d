//! Sessions in SQLite: one row a session with a version, one row a turn and a history entry.

use std::path::Path;

use assay_domain::question::HistoryEntry;
use assay_domain::{Failure, Identity, QueryType, SessionId};
use assay_routing::HISTORY_KEPT;
use async_trait::async_trait;
use rusqlite::{OptionalExtension as _, Transaction, params};

use crate::adapters::database::Database;
use crate::adapters::stored_turn::{TURNS_KEPT, decode, encode};
use crate::error::{corrupt, no_session, store};
use crate::ports::{Session, Sessions, Trace, Traces, Turn};

const NAME: &str = "the sessions";
/// From each version of the schema to the next.
const STEPS: &[&str] = &[FIRST, SECOND];
const FIRST: &str = "
    CREATE TABLE sessions (
        key INTEGER PRIMARY KEY,
        tenant TEXT NOT NULL,
        id TEXT NOT NULL,
        principal TEXT NOT NULL,
        version INTEGER NOT NULL,
        used_ms INTEGER NOT NULL,
        UNIQUE (tenant, id)
    );
    CREATE INDEX sessions_used ON sessions (tenant, principal, used_ms);
    CREATE TABLE entries (
        session INTEGER NOT NULL REFERENCES sessions (key) ON DELETE CASCADE,
        version INTEGER NOT NULL,
        query_type TEXT NOT NULL,
        topic TEXT NOT NULL,
        turn BLOB,
        PRIMARY KEY (session, version)
    ) WITHOUT ROWID;
";
/// Expired sessions are found without a scan.
const SECOND: &str = "CREATE INDEX sessions_age ON sessions (used_ms);";

/// Sessions in one SQLite file.
pub struct SqliteSessions {
    database: Database,
    idle_ms: u64,
    per_principal: u32,
}

impl SqliteSessions {
    /// Opens or creates the file. A session is forgotten after `idle_ms` milliseconds without a turn; a principal has
    /// at most `per_principal`.
    ///
    /// # Errors
    /// `UNAVAILABLE` if the file cannot be opened, `STORAGE_CORRUPT` if it is of a newer version.
    pub fn open_file(path: &Path, idle_ms: u64, per_principal: u32) -> Result<Self, Failure> {
        Ok(Self { database: Database::open(path, NAME, STEPS, false)?, idle_ms, per_principal })
    }

    fn expired_before(&self, now_ms: u64) -> i64 {
        i64::try_from(now_ms.saturating_sub(self.idle_ms)).unwrap_or(i64::MAX)
    }
}

fn failed(error: rusqlite::Error) -> Failure {
    store(NAME, error)
}

/// Key and version of a live session of this principal.
fn find(
    at: &Transaction<'_>,
    identity: &Identity,
    id: &str,
    expired: i64,
) -> Result<Option<(i64, i64)>, Failure> {
    at.execute(
        "DELETE FROM sessions WHERE tenant = ?1 AND id = ?2 AND used_ms < ?3",
        params![identity.tenant, id, expired],
    )
    .map_err(failed)?;
    let found: Option<(i64, String, i64)> = at
        .query_row(
            "SELECT key, principal, version FROM sessions WHERE tenant = ?1 AND id = ?2",
            params![identity.tenant, id],
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
        )
        .optional()
        .map_err(failed)?;
    match found {
        Some((_, owner, _)) if owner != identity.principal => Err(no_session()),
        Some((key, _, version)) => Ok(Some((key, version))),
        None => Ok(None),
    }
}

#[async_trait]
impl Sessions for SqliteSessions {
    async fn load(&self, identity: &Identity, id: &SessionId, now_ms: u64) -> Result<Session, Failure> {
        let (identity, id, expired) = (identity.clone(), id.to_string(), self.expired_before(now_ms));
        self.database
            .transaction(move |at| {
                let Some((key, version)) = find(at, &identity, &id, expired)? else {
                    return Ok(Session::default());
                };
                let rows: Vec<(String, String, Option<Vec<u8>>)> = at
                    .prepare(
                        "SELECT query_type, topic, turn FROM entries WHERE session = ?1 ORDER BY version",
                    )
                    .and_then(|mut rows| {
                        rows.query_map(params![key], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
                            .collect()
                    })
                    .map_err(failed)?;
                let mut session =
                    Session { version: u64::try_from(version).unwrap_or(0), ..Session::default() };
                for (label, topic, turn) in rows {
                    let query_type =
                        QueryType::from_name(&label).ok_or_else(|| corrupt(NAME, format!("type {label}")))?;
                    session.history.push(HistoryEntry { query_type, topic });
                    session.turns.extend(turn.map(|bytes| decode(NAME, &bytes)).transpose()?);
                }
                Ok(session)
            })
            .await
    }

    async fn append(
        &self,
        identity: &Identity,
        id: &SessionId,
        version: u64,
        entry: HistoryEntry,
        turn: Turn,
        now_ms: u64,
    ) -> Result<bool, Failure> {
        let (identity, id, expired) = (identity.clone(), id.to_string(), self.expired_before(now_ms));
        let (version, now) =
            (i64::try_from(version).unwrap_or(-1), i64::try_from(now_ms).unwrap_or(i64::MAX));
        let most = self.per_principal;
        self.database
            .transaction(move |at| {
                let (key, next) = match find(at, &identity, &id, expired)? {
                    Some((_, found)) if found != version => return Ok(false),
                    Some((key, found)) => {
                        at.execute("UPDATE sessions SET version = ?2, used_ms = ?3 WHERE key = ?1", params![
                            key,
                            found + 1,
                            now
                        ])
                        .map_err(failed)?;
                        (key, found + 1)
                    }
                    None if version != 0 => return Ok(false),
                    None => {
                        at.execute(
                            "INSERT INTO sessions (tenant, id, principal, version, used_ms) VALUES (?1, ?2, ?3, 1, ?4)",
                            params![identity.tenant, id, identity.principal, now],
                        )
                        .map_err(failed)?;
                        let key = at.last_insert_rowid();
                        at.execute(
                            "DELETE FROM sessions WHERE key IN (
                                 SELECT key FROM sessions WHERE tenant = ?1 AND principal = ?2
                                 ORDER BY used_ms DESC, key DESC LIMIT -1 OFFSET ?3)",
                            params![identity.tenant, identity.principal, most],
                        )
                        .map_err(failed)?;
                        (key, 1)
                    }
                };
                at.execute(
                    "INSERT INTO entries (session, version, query_type, topic, turn) VALUES (?1, ?2, ?3, ?4, ?5)",
                    params![key, next, entry.query_type.as_str(), entry.topic, encode(&turn)],
                )
                .map_err(failed)?;
                let (turns, entries) = (next - TURNS_KEPT as i64, next - HISTORY_KEPT as i64);
                at.execute("UPDATE entries SET turn = NULL WHERE session = ?1 AND version <= ?2", params![key, turns])
                    .map_err(failed)?;
                at.execute("DELETE FROM entries WHERE session = ?1 AND version <= ?2", params![key, entries])
                    .map_err(failed)?;
                Ok(true)
            })
            .await
    }

    async fn sweep(&self, now_ms: u64) -> Result<u64, Failure> {
        let expired = self.expired_before(now_ms);
        self.database
            .transaction(move |at| {
                let dropped = at
                    .execute("DELETE FROM sessions WHERE used_ms < ?1", params![expired])
                    .map_err(failed)?;
                Ok(dropped as u64)
            })
            .await
    }
}

#[async_trait]
impl Traces for SqliteSessions {
    fn name(&self) -> &'static str {
        "sessions"
    }

    async fn forget(&self, tenant: &str, whose: &Trace) -> Result<u64, Failure> {
        let (column, value) = match whose {
            Trace::Principal(principal) => ("principal", principal.clone()),
            Trace::Session(id) => ("id", id.clone()),
            Trace::Request(_) => return Ok(0),
        };
        let tenant = tenant.to_owned();
        let query = format!("DELETE FROM sessions WHERE tenant = ?1 AND {column} = ?2");
        self.database.forget(move |at| at.execute(&query, params![tenant, value])).await
    }

    async fn forget_backups(&self) -> Result<Vec<String>, Failure> {
        self.database.remove_backups()
    }
}
