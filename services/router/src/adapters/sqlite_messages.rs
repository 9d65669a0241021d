//! Routed messages in SQLite: one row a message.

use std::path::Path;

use assay_domain::answer::Layer;
use assay_domain::{Failure, QueryType};
use async_trait::async_trait;
use rusqlite::{Row, params};

use crate::adapters::database::Database;
use crate::error::{corrupt, store};
use crate::ports::{Messages, RoutedMessage, Trace, Traces};

const NAME: &str = "the collected messages";
/// Rows that are kept at most; the oldest goes.
const MOST: i64 = 1_000_000;
const DAY_MS: u64 = 86_400_000;
/// From each version of the schema to the next.
const STEPS: &[&str] = &["
    CREATE TABLE messages (
        key INTEGER PRIMARY KEY AUTOINCREMENT,
        at_ms INTEGER NOT NULL,
        tenant TEXT NOT NULL,
        principal TEXT NOT NULL,
        session TEXT NOT NULL,
        text TEXT NOT NULL,
        query_type TEXT NOT NULL,
        layer TEXT NOT NULL,
        probability REAL NOT NULL,
        shadow_type TEXT,
        shadow_probability REAL
    );
    CREATE INDEX messages_age ON messages (at_ms);
    CREATE INDEX messages_author ON messages (tenant, principal);
"];

/// How much was collected.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Collected {
    /// Messages.
    pub messages: u64,
    /// Of those, with their text.
    pub texts: u64,
    /// Conversations: sessions of a principal; a message without a session is one of its own.
    pub conversations: u64,
    /// Messages that a shadow head decided too.
    pub shadowed: u64,
    /// Of those, decided as by the head in use.
    pub agreed: u64,
}

/// Routed messages in one SQLite file.
pub struct SqliteMessages {
    database: Database,
    days: u64,
}

impl SqliteMessages {
    /// Opens or creates the file; a message is dropped after `days` days.
    ///
    /// # Errors
    /// `UNAVAILABLE` if the file cannot be opened, `STORAGE_CORRUPT` if it is of a newer version.
    pub fn open_file(path: &Path, days: u64) -> Result<Self, Failure> {
        Ok(Self { database: Database::open(path, NAME, STEPS, false)?, days })
    }

    /// Messages behind `after` from `since_ms` on, oldest first, each with its key; at most `limit`.
    ///
    /// # Errors
    /// `UNAVAILABLE` if the file cannot be read, `STORAGE_CORRUPT` for a row of an unknown type.
    pub async fn page(
        &self,
        after: i64,
        since_ms: u64,
        limit: u32,
    ) -> Result<Vec<(i64, RoutedMessage)>, Failure> {
        self.database
            .transaction(move |at| {
                let mut rows = at
                    .prepare(
                        "SELECT key, at_ms, tenant, principal, session, text, query_type, layer, probability,
                                shadow_type, shadow_probability
                         FROM messages WHERE key > ?1 AND at_ms >= ?2 ORDER BY key LIMIT ?3",
                    )
                    .map_err(failed)?;
                let mut found = Vec::new();
                let mut rows = rows.query(params![after, as_i64(since_ms), limit]).map_err(failed)?;
                while let Some(row) = rows.next().map_err(failed)? {
                    found.push((row.get(0).map_err(failed)?, message(row)?));
                }
                Ok(found)
            })
            .await
    }

    /// How much was collected.
    ///
    /// # Errors
    /// `UNAVAILABLE` if the file cannot be read.
    pub async fn collected(&self) -> Result<Collected, Failure> {
        self.database
            .transaction(|at| {
                at.query_row(
                    "SELECT count(*), coalesce(sum(text != ''), 0),
                            count(DISTINCT CASE WHEN session != '' THEN tenant || char(0) || principal || char(0) || session END)
                                + coalesce(sum(session = ''), 0),
                            count(shadow_type), coalesce(sum(shadow_type = query_type), 0)
                     FROM messages",
                    [],
                    |row| {
                        let count = |column| row.get(column).map(|count: i64| count.max(0).cast_unsigned());
                        Ok(Collected {
                            messages: count(0)?,
                            texts: count(1)?,
                            conversations: count(2)?,
                            shadowed: count(3)?,
                            agreed: count(4)?,
                        })
                    },
                )
                .map_err(failed)
            })
            .await
    }
}

fn failed(error: rusqlite::Error) -> Failure {
    store(NAME, error)
}

fn as_i64(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn message(row: &Row<'_>) -> Result<RoutedMessage, Failure> {
    let text = |column: usize| row.get::<_, String>(column).map_err(failed);
    let query_type = |name: &str| {
        QueryType::from_name(name).ok_or_else(|| corrupt(NAME, format!("{name:?} is no query type")))
    };
    let shadow_type: Option<String> = row.get(9).map_err(failed)?;
    let shadow = match shadow_type {
        Some(name) => Some((query_type(&name)?, row.get(10).map_err(failed)?)),
        None => None,
    };
    let layer = text(7)?;
    Ok(RoutedMessage {
        unix_ms: row.get::<_, i64>(1).map_err(failed)?.max(0).cast_unsigned(),
        tenant: text(2)?,
        principal: text(3)?,
        session: text(4)?,
        text: text(5)?,
        query_type: query_type(&text(6)?)?,
        layer: Layer::from_name(&layer).ok_or_else(|| corrupt(NAME, format!("{layer:?} is no layer")))?,
        probability: row.get(8).map_err(failed)?,
        shadow,
    })
}

#[async_trait]
impl Messages for SqliteMessages {
    async fn keep(&self, messages: Vec<RoutedMessage>) -> Result<(), Failure> {
        self.database
            .transaction(move |at| {
                let mut insert = at
                    .prepare(
                        "INSERT INTO messages (at_ms, tenant, principal, session, text, query_type, layer, probability,
                                               shadow_type, shadow_probability)
                         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
                    )
                    .map_err(failed)?;
                for one in &messages {
                    let (shadow, probability) = one.shadow.map(|(kind, p)| (kind.as_str(), p)).unzip();
                    insert
                        .execute(params![
                            as_i64(one.unix_ms),
                            one.tenant,
                            one.principal,
                            one.session,
                            one.text,
                            one.query_type.as_str(),
                            one.layer.as_str(),
                            one.probability,
                            shadow,
                            probability
                        ])
                        .map_err(failed)?;
                }
                at.execute("DELETE FROM messages WHERE key <= (SELECT max(key) FROM messages) - ?1", params![MOST])
                    .map_err(failed)?;
                Ok(())
            })
            .await
    }

    async fn sweep(&self, now_ms: u64) -> Result<u64, Failure> {
        let oldest = as_i64(now_ms.saturating_sub(self.days.saturating_mul(DAY_MS)));
        self.database
            .transaction(move |at| {
                let dropped =
                    at.execute("DELETE FROM messages WHERE at_ms < ?1", params![oldest]).map_err(failed)?;
                Ok(dropped as u64)
            })
            .await
    }
}

#[async_trait]
impl Traces for SqliteMessages {
    fn name(&self) -> &'static str {
        "messages"
    }

    async fn forget(&self, tenant: &str, whose: &Trace) -> Result<u64, Failure> {
        let (column, value) = match whose {
            Trace::Principal(principal) => ("principal", principal.clone()),
            Trace::Session(session) => ("session", session.clone()),
            Trace::Request(_) => return Ok(0),
        };
        let tenant = tenant.to_owned();
        let query = format!("DELETE FROM messages WHERE tenant = ?1 AND {column} = ?2");
        self.database.forget(move |at| at.execute(&query, params![tenant, value])).await
    }

    async fn forget_backups(&self) -> Result<Vec<String>, Failure> {
        self.database.remove_backups()
    }
}
