//! The outbox and the outcomes of named requests in SQLite; every commit is on disk before it returns.

use std::path::Path;

use assay_domain::answer::Outcome;
use assay_domain::{Answer, AuditId, AuditState, Failure, Identity, Record};
use assay_proto::{audit, common};
use assay_wire::{FromWire as _, ToWire as _};
use async_trait::async_trait;
use prost::Message as _;
use rusqlite::{OptionalExtension as _, Row, Transaction, params};

use crate::adapters::database::Database;
use crate::error::{corrupt, store};
use crate::ports::{Admission, Backlog, LogHead, Opened, Outbox, Trace, Traces};

const NAME: &str = "the outbox";
/// From each version of the schema to the next.
const STEPS: &[&str] = &[FIRST, SECOND, THIRD, FOURTH];
const FIRST: &str = "
    CREATE TABLE entries (
        audit_id TEXT PRIMARY KEY,
        unix_ms INTEGER NOT NULL,
        tenant TEXT NOT NULL,
        principal TEXT NOT NULL,
        query_sha256 TEXT NOT NULL,
        record BLOB
    );
    CREATE INDEX entries_closed ON entries (unix_ms) WHERE record IS NOT NULL;
    CREATE TABLE requests (
        tenant TEXT NOT NULL,
        principal TEXT NOT NULL,
        request_id TEXT NOT NULL,
        content_sha256 TEXT NOT NULL,
        audit_id TEXT NOT NULL,
        created_ms INTEGER NOT NULL,
        answer BLOB,
        PRIMARY KEY (tenant, principal, request_id)
    );
    CREATE INDEX requests_audit ON requests (audit_id);
";
/// Outcomes by age and owner, records that audit cannot take, and the newest state of the log.
const SECOND: &str = "
    CREATE INDEX requests_age ON requests (created_ms) WHERE answer IS NOT NULL;
    CREATE INDEX requests_owner ON requests (tenant, principal, created_ms);
    ALTER TABLE entries ADD COLUMN tries INTEGER NOT NULL DEFAULT 0;
    CREATE INDEX entries_next ON entries (tries, unix_ms, audit_id) WHERE record IS NOT NULL;
    CREATE TABLE set_aside (
        audit_id TEXT PRIMARY KEY,
        unix_ms INTEGER NOT NULL,
        tenant TEXT NOT NULL,
        principal TEXT NOT NULL,
        reason TEXT NOT NULL,
        record BLOB
    );
    CREATE TABLE audit_head (
        log_id TEXT PRIMARY KEY,
        size INTEGER NOT NULL,
        root BLOB NOT NULL,
        unix_ms INTEGER NOT NULL
    );
";
/// Evidence of a rollback, which no later state replaces.
const THIRD: &str = "ALTER TABLE audit_head ADD COLUMN frozen INTEGER NOT NULL DEFAULT 0;";
/// Sessions, so that an erasure of one finds its rows.
const FOURTH: &str = "
    ALTER TABLE entries ADD COLUMN session TEXT NOT NULL DEFAULT '';
    ALTER TABLE requests ADD COLUMN session TEXT NOT NULL DEFAULT '';
    ALTER TABLE set_aside ADD COLUMN session TEXT NOT NULL DEFAULT '';
";
/// Bytes of stored outcomes that a principal may have.
const OUTCOME_BYTES: i64 = 64 * 1024 * 1024;

/// The outbox in one SQLite file.
pub struct SqliteOutbox {
    database: Database,
    capacity: u64,
    keep_ms: u64,
    per_principal: u32,
}

impl SqliteOutbox {
    /// Opens or creates the file. At most `capacity` entries, open or closed, wait at once; outcomes of named requests
    /// are kept for `keep_ms` milliseconds, the newest `per_principal` of each principal.
    ///
    /// # Errors
    /// `UNAVAILABLE` if the file cannot be opened, `STORAGE_CORRUPT` if it is of a newer version.
    pub fn open_file(path: &Path, capacity: u64, keep_ms: u64, per_principal: u32) -> Result<Self, Failure> {
        let database = Database::open(path, NAME, STEPS, true)?;
        Ok(Self { database, capacity, keep_ms, per_principal })
    }
}

fn failed(error: rusqlite::Error) -> Failure {
    store(NAME, error)
}

fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

fn unsigned(value: i64) -> u64 {
    u64::try_from(value).unwrap_or(0)
}

fn encode(record: &Record) -> Vec<u8> {
    record.to_wire().encode_to_vec()
}

fn decode(bytes: &[u8]) -> Result<Record, Failure> {
    let wire = audit::Record::decode(bytes).map_err(|error| corrupt(NAME, error))?;
    Record::from_wire(wire).map_err(|failure| corrupt(NAME, failure))
}

/// Moves an entry out of the way of delivery; its bytes stay for whoever looks.
fn put_aside(at: &Transaction<'_>, audit_id: &str, reason: &str) -> Result<(), Failure> {
    at.execute(
        "INSERT OR REPLACE INTO set_aside (audit_id, unix_ms, tenant, principal, session, reason, record)
         SELECT audit_id, unix_ms, tenant, principal, session, ?2, record FROM entries WHERE audit_id = ?1",
        params![audit_id, reason],
    )
    .and_then(|_| at.execute("DELETE FROM entries WHERE audit_id = ?1", params![audit_id]))
    .map_err(failed)?;
    tracing::error!(audit_id, reason, "a record that audit cannot take is set aside in the outbox");
    Ok(())
}

/// Forgets the oldest outcomes of a principal beyond its share.
fn forget_oldest(at: &Transaction<'_>, identity: &Identity, most: u32) -> Result<(), Failure> {
    at.execute(
        "DELETE FROM requests WHERE rowid IN (
             SELECT id FROM (
                 SELECT rowid AS id, row_number() OVER newest AS place, sum(length(answer)) OVER newest AS bytes
                 FROM requests WHERE tenant = ?1 AND principal = ?2 AND answer IS NOT NULL
                 WINDOW newest AS (ORDER BY created_ms DESC, rowid DESC)
             ) WHERE place > ?3 OR bytes > ?4
         )",
        params![identity.tenant, identity.principal, most, OUTCOME_BYTES],
    )
    .map_err(failed)?;
    Ok(())
}

/// What the request id stands for, if it is known and has not expired.
fn known(at: &Transaction<'_>, opened: &Opened, oldest_ms: i64) -> Result<Option<Admission>, Failure> {
    let Some(request) = &opened.request else { return Ok(None) };
    at.execute("DELETE FROM requests WHERE created_ms < ?1 AND answer IS NOT NULL", params![oldest_ms])
        .map_err(failed)?;
    let found: Option<(String, Option<Vec<u8>>)> = at
        .query_row(
            "SELECT content_sha256, answer FROM requests WHERE tenant = ?1 AND principal = ?2 AND request_id = ?3",
            params![opened.identity.tenant, opened.identity.principal, request.id.to_string()],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .optional()
        .map_err(failed)?;
    Ok(match found {
        None => None,
        Some((content, _)) if content != request.content_sha256 => Some(Admission::Conflict),
        Some((_, None)) => Some(Admission::Running),
        Some((_, Some(bytes))) => {
            let wire = common::Answer::decode(bytes.as_slice()).map_err(|error| corrupt(NAME, error))?;
            let mut answer = Answer::from_wire(wire).map_err(|failure| corrupt(NAME, failure))?;
            let waits: bool = at
                .query_row(
                    "SELECT EXISTS (SELECT 1 FROM entries WHERE audit_id = ?1)",
                    params![answer.audit_id.to_string()],
                    |row| row.get(0),
                )
                .map_err(failed)?;
            answer.audit = if waits { AuditState::Queued } else { AuditState::Stored };
            Some(Admission::Answered(Box::new(answer)))
        }
    })
}

/// The record of a request whose process died.
fn aborted(row: &Row<'_>) -> rusqlite::Result<(String, Option<Record>)> {
    let id: String = row.get(0)?;
    let record = AuditId::parse(&id).map(|audit_id| -> rusqlite::Result<Record> {
        let query_sha256: String = row.get(4)?;
        Ok(Record {
            query: format!("sha256:{query_sha256}"),
            errors: vec!["aborted".into()],
            ..Record::new(
                audit_id,
                unsigned(row.get(1)?),
                Identity { tenant: row.get(2)?, principal: row.get(3)?, roles: Vec::new() },
                Outcome::Aborted,
            )
        })
    });
    Ok((id, record.transpose()?))
}

#[async_trait]
impl Outbox for SqliteOutbox {
    async fn open(&self, opened: Opened, now_ms: u64) -> Result<Admission, Failure> {
        let (capacity, oldest) = (self.capacity, signed(now_ms.saturating_sub(self.keep_ms)));
        self.database
            .transaction(move |at| {
                if let Some(admission) = known(at, &opened, oldest)? {
                    return Ok(admission);
                }
                let waiting: i64 =
                    at.query_row("SELECT count(*) FROM entries", [], |row| row.get(0)).map_err(failed)?;
                if unsigned(waiting) >= capacity {
                    return Ok(Admission::Full);
                }
                let (id, unix_ms) = (opened.audit_id.to_string(), signed(opened.unix_ms));
                at.execute(
                    "INSERT INTO entries (audit_id, unix_ms, tenant, principal, session, query_sha256)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                    params![
                        id,
                        unix_ms,
                        opened.identity.tenant,
                        opened.identity.principal,
                        opened.session_id,
                        opened.query_sha256
                    ],
                )
                .map_err(failed)?;
                if let Some(request) = &opened.request {
                    at.execute(
                        "INSERT INTO requests (tenant, principal, session, request_id, content_sha256, audit_id, created_ms)
                         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                        params![
                            opened.identity.tenant,
                            opened.identity.principal,
                            opened.session_id,
                            request.id.to_string(),
                            request.content_sha256,
                            id,
                            signed(now_ms),
                        ],
                    )
                    .map_err(failed)?;
                }
                Ok(Admission::Opened)
            })
            .await
    }

    async fn close(&self, record: Record, answer: Option<Answer>) -> Result<(), Failure> {
        let most = self.per_principal;
        self.database
            .transaction(move |at| {
                let id = record.audit_id.to_string();
                at.execute(
                    "INSERT INTO entries (audit_id, unix_ms, tenant, principal, session, query_sha256, record)
                     VALUES (?1, ?2, ?3, ?4, ?5, '', ?6)
                     ON CONFLICT (audit_id) DO UPDATE SET record = excluded.record WHERE record IS NULL",
                    params![
                        id,
                        signed(record.unix_ms),
                        record.identity.tenant,
                        record.identity.principal,
                        record.session_id,
                        encode(&record)
                    ],
                )
                .map_err(failed)?;
                let Some(answer) = answer else {
                    at.execute("DELETE FROM requests WHERE audit_id = ?1", params![id]).map_err(failed)?;
                    return Ok(());
                };
                at.execute(
                    "UPDATE requests SET answer = ?2 WHERE audit_id = ?1",
                    params![id, answer.to_wire().encode_to_vec()],
                )
                .map_err(failed)?;
                forget_oldest(at, &record.identity, most)
            })
            .await
    }

    async fn delivered(&self, audit_id: AuditId, head: Option<LogHead>, now_ms: u64) -> Result<(), Failure> {
        self.database
            .transaction(move |at| {
                at.execute(
                    "DELETE FROM entries WHERE audit_id = ?1 AND record IS NOT NULL",
                    params![audit_id.to_string()],
                )
                .map_err(failed)?;
                let Some(head) = head else { return Ok(()) };
                // Replies overtake each other; the largest state is the newest.
                at.execute(
                    "INSERT INTO audit_head (log_id, size, root, unix_ms) VALUES (?1, ?2, ?3, ?4)
                     ON CONFLICT (log_id) DO UPDATE
                     SET size = excluded.size, root = excluded.root, unix_ms = excluded.unix_ms
                     WHERE excluded.size > size AND frozen = 0",
                    params![head.log_id, signed(head.size), head.root, signed(now_ms)],
                )
                .map_err(failed)?;
                Ok(())
            })
            .await
    }

    async fn freeze(&self, seen: LogHead, now_ms: u64) -> Result<(), Failure> {
        self.database
            .transaction(move |at| {
                // Another reply of the new history may have been kept in the meantime.
                at.execute(
                    "INSERT INTO audit_head (log_id, size, root, unix_ms, frozen) VALUES (?1, ?2, ?3, ?4, 1)
                     ON CONFLICT (log_id) DO UPDATE SET size = excluded.size, root = excluded.root, frozen = 1
                     WHERE frozen = 0",
                    params![seen.log_id, signed(seen.size), seen.root, signed(now_ms)],
                )
                .map_err(failed)?;
                Ok(())
            })
            .await
    }

    async fn heads(&self) -> Result<Vec<LogHead>, Failure> {
        self.database
            .transaction(|at| {
                at.prepare("SELECT log_id, size, root FROM audit_head")
                    .and_then(|mut rows| {
                        rows.query_map([], |row| {
                            Ok(LogHead {
                                log_id: row.get(0)?,
                                size: unsigned(row.get(1)?),
                                root: row.get(2)?,
                            })
                        })?
                        .collect()
                    })
                    .map_err(failed)
            })
            .await
    }

    async fn set_aside(&self, audit_id: AuditId, reason: &str) -> Result<(), Failure> {
        let reason = reason.to_owned();
        self.database.transaction(move |at| put_aside(at, &audit_id.to_string(), &reason)).await
    }

    async fn postpone(&self, audit_id: AuditId) -> Result<(), Failure> {
        self.database
            .transaction(move |at| {
                at.execute(
                    "UPDATE entries SET tries = tries + 1 WHERE audit_id = ?1",
                    params![audit_id.to_string()],
                )
                .map_err(failed)?;
                Ok(())
            })
            .await
    }

    async fn waiting(&self, limit: u32) -> Result<(Vec<Record>, Backlog), Failure> {
        self.database
            .transaction(move |at| {
                let (waiting, oldest): (i64, Option<i64>) = at
                    .query_row(
                        "SELECT count(*), min(unix_ms) FROM entries WHERE record IS NOT NULL",
                        [],
                        |row| Ok((row.get(0)?, row.get(1)?)),
                    )
                    .map_err(failed)?;
                let rows: Vec<(String, Vec<u8>)> = at
                    .prepare(
                        "SELECT audit_id, record FROM entries WHERE record IS NOT NULL
                         ORDER BY tries, unix_ms, audit_id LIMIT ?1",
                    )
                    .and_then(|mut rows| {
                        rows.query_map(params![limit], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
                    })
                    .map_err(failed)?;
                let mut records = Vec::with_capacity(rows.len());
                for (id, bytes) in rows {
                    match decode(&bytes) {
                        Ok(record) if record.audit_id.to_string() == id => records.push(record),
                        Ok(record) => {
                            put_aside(at, &id, &format!("it holds the record {}", record.audit_id))?;
                        }
                        Err(failure) => put_aside(at, &id, &failure.message)?,
                    }
                }
                let aside: i64 =
                    at.query_row("SELECT count(*) FROM set_aside", [], |row| row.get(0)).map_err(failed)?;
                let backlog = Backlog {
                    waiting: unsigned(waiting),
                    oldest_unix_ms: oldest.map_or(0, unsigned),
                    set_aside: unsigned(aside),
                };
                Ok((records, backlog))
            })
            .await
    }

    async fn usable(&self) -> Result<(), Failure> {
        self.database.usable().await
    }

    async fn recover(&self, now_ms: u64) -> Result<u64, Failure> {
        let oldest = signed(now_ms.saturating_sub(self.keep_ms));
        self.database
            .transaction(move |at| {
                at.execute("DELETE FROM requests WHERE answer IS NULL OR created_ms < ?1", params![oldest])
                    .map_err(failed)?;
                let open: Vec<(String, Option<Record>)> = at
                    .prepare("SELECT audit_id, unix_ms, tenant, principal, query_sha256 FROM entries WHERE record IS NULL")
                    .and_then(|mut rows| rows.query_map([], aborted)?.collect())
                    .map_err(failed)?;
                for (id, record) in &open {
                    let Some(record) = record else {
                        put_aside(at, id, "its id is no audit id")?;
                        continue;
                    };
                    at.execute("UPDATE entries SET record = ?2 WHERE audit_id = ?1", params![id, encode(record)])
                        .map_err(failed)?;
                }
                Ok(open.len() as u64)
            })
            .await
    }
}

/// Rows of a table that belong to somebody.
fn of(at: &Transaction<'_>, verb: &str, tenant: &str, whose: &Trace) -> rusqlite::Result<usize> {
    let run = |condition: &str, value: &str| {
        let query = format!("{verb} WHERE tenant = ?1 AND {condition} = ?2");
        if verb.starts_with("SELECT") {
            at.query_row(&query, params![tenant, value], |row| row.get::<_, i64>(0))
                .map(|count| usize::try_from(count).unwrap_or(0))
        } else {
            at.execute(&query, params![tenant, value])
        }
    };
    match whose {
        Trace::Principal(principal) => run("principal", principal),
        Trace::Session(session) => run("session", session),
        Trace::Request(id) => run("audit_id", &id.to_string()),
    }
}

#[async_trait]
impl Traces for SqliteOutbox {
    fn name(&self) -> &'static str {
        "outcomes"
    }

    async fn forget(&self, tenant: &str, whose: &Trace) -> Result<u64, Failure> {
        let (tenant, whose) = (tenant.to_owned(), whose.clone());
        self.database
            .forget(move |at| {
                let outcomes = of(at, "DELETE FROM requests", &tenant, &whose)?;
                Ok(outcomes + of(at, "DELETE FROM set_aside", &tenant, &whose)?)
            })
            .await
    }

    async fn forget_backups(&self) -> Result<Vec<String>, Failure> {
        self.database.remove_backups()
    }

    async fn undelivered(&self, tenant: &str, whose: &Trace) -> Result<u64, Failure> {
        let (tenant, whose) = (tenant.to_owned(), whose.clone());
        let waiting = move |at: &Transaction<'_>| of(at, "SELECT count(*) FROM entries", &tenant, &whose);
        let waiting = self.database.transaction(move |at| waiting(at).map_err(failed)).await?;
        Ok(u64::try_from(waiting).unwrap_or(u64::MAX))
    }
}
