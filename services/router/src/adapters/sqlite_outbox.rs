//! The outbox and the outcomes of named requests in SQLite; every commit is on disk before it returns.

use std::path::Path;

use assay_domain::answer::{Grounding, Outcome};
use assay_domain::{Answer, AuditId, AuditState, Failure, Identity, Mode, Record};
use assay_proto::{audit, common};
use assay_wire::{FromWire as _, ToWire as _};
use async_trait::async_trait;
use prost::Message as _;
use rusqlite::{OptionalExtension as _, Row, Transaction, params};

use crate::adapters::database::Database;
use crate::error::{corrupt, store};
use crate::ports::{Admission, Backlog, Opened, Outbox};

const NAME: &str = "the outbox";
const VERSION: i64 = 1;
const SCHEMA: &str = "
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

/// The outbox in one SQLite file.
pub struct SqliteOutbox {
    database: Database,
    capacity: u64,
    keep_ms: u64,
}

impl SqliteOutbox {
    /// Opens or creates the file. At most `capacity` entries, open or closed, wait at once; outcomes of named requests
    /// are kept for `keep_ms` milliseconds.
    ///
    /// # Errors
    /// `UNAVAILABLE` if the file cannot be opened, `STORAGE_CORRUPT` if it is of a newer version.
    pub fn open_file(path: &Path, capacity: u64, keep_ms: u64) -> Result<Self, Failure> {
        Ok(Self { database: Database::open(path, NAME, VERSION, SCHEMA, true)?, capacity, keep_ms })
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
            audit_id,
            unix_ms: unsigned(row.get(1)?),
            identity: Identity { tenant: row.get(2)?, principal: row.get(3)?, roles: Vec::new() },
            session_id: String::new(),
            request_id: String::new(),
            response_id: String::new(),
            query: format!("sha256:{query_sha256}"),
            answer_sha256: String::new(),
            answer: String::new(),
            outcome: Outcome::Aborted,
            route: None,
            validation: None,
            citations: Vec::new(),
            attempts: Vec::new(),
            processing_ms: 0.0,
            validation_ms: 0.0,
            model_version: String::new(),
            model_calls: 0,
            prompts: Vec::new(),
            provider_trail: Vec::new(),
            index_manifest: String::new(),
            parser_version: String::new(),
            mode: Mode::Strict,
            grounding: Grounding::None,
            temperature: None,
            seed: None,
            context_relevant_first: None,
            context_relevant: None,
            retry_skipped: String::new(),
            platform_prefixes_sha256: String::new(),
            errors: vec!["aborted".into()],
            warnings: Vec::new(),
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
                    "INSERT INTO entries (audit_id, unix_ms, tenant, principal, query_sha256) VALUES (?1, ?2, ?3, ?4, ?5)",
                    params![id, unix_ms, opened.identity.tenant, opened.identity.principal, opened.query_sha256],
                )
                .map_err(failed)?;
                if let Some(request) = &opened.request {
                    at.execute(
                        "INSERT INTO requests (tenant, principal, request_id, content_sha256, audit_id, created_ms)
                         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                        params![
                            opened.identity.tenant,
                            opened.identity.principal,
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
        self.database
            .transaction(move |at| {
                let id = record.audit_id.to_string();
                at.execute(
                    "INSERT INTO entries (audit_id, unix_ms, tenant, principal, query_sha256, record)
                     VALUES (?1, ?2, ?3, ?4, '', ?5)
                     ON CONFLICT (audit_id) DO UPDATE SET record = excluded.record WHERE record IS NULL",
                    params![
                        id,
                        signed(record.unix_ms),
                        record.identity.tenant,
                        record.identity.principal,
                        encode(&record)
                    ],
                )
                .map_err(failed)?;
                match answer {
                    Some(answer) => at.execute(
                        "UPDATE requests SET answer = ?2 WHERE audit_id = ?1",
                        params![id, answer.to_wire().encode_to_vec()],
                    ),
                    None => at.execute("DELETE FROM requests WHERE audit_id = ?1", params![id]),
                }
                .map_err(failed)?;
                Ok(())
            })
            .await
    }

    async fn delivered(&self, audit_id: AuditId) -> Result<(), Failure> {
        self.database
            .transaction(move |at| {
                at.execute(
                    "DELETE FROM entries WHERE audit_id = ?1 AND record IS NOT NULL",
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
                    .query_row("SELECT count(*), min(unix_ms) FROM entries WHERE record IS NOT NULL", [], |row| {
                        Ok((row.get(0)?, row.get(1)?))
                    })
                    .map_err(failed)?;
                let mut rows = at
                    .prepare("SELECT record FROM entries WHERE record IS NOT NULL ORDER BY unix_ms, audit_id LIMIT ?1")
                    .map_err(failed)?;
                let blobs: Vec<Vec<u8>> = rows
                    .query_map(params![limit], |row| row.get(0))
                    .and_then(Iterator::collect)
                    .map_err(failed)?;
                let records: Result<Vec<_>, _> = blobs.iter().map(|bytes| decode(bytes)).collect();
                let backlog =
                    Backlog { waiting: unsigned(waiting), oldest_unix_ms: oldest.map_or(0, unsigned) };
                Ok((records?, backlog))
            })
            .await
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
                    let Some(record) = record else { return Err(corrupt(NAME, format!("{id} is no audit id"))) };
                    at.execute("UPDATE entries SET record = ?2 WHERE audit_id = ?1", params![id, encode(record)])
                        .map_err(failed)?;
                }
                Ok(open.len() as u64)
            })
            .await
    }
}
