//! Records as rows of a Parquet file, written in row groups: memory holds one of them, whatever the log has.

use std::io::Write;
use std::sync::Arc;

use assay_api as api;
use assay_audit::Exported;
use assay_domain::Outcome;
use assay_domain::code::{CodeStatus, PLACEHOLDER, Worst, code_status};
use assay_domain::record::Record;
use assay_domain::report::{CheckName, CheckStatus};
use assay_proto::audit as wire;
use parquet::basic::Compression;
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::errors::{ParquetError, Result};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

/// The columns, in the order of [`row`]; all texts and times are UTF-8 and UTC.
const SCHEMA: &str = "message record {
    required binary id (STRING);
    required int64 time (TIMESTAMP(MILLIS, true));
    optional int64 stored (TIMESTAMP(MILLIS, true));
    required binary tenant (STRING);
    optional binary principal (STRING);
    optional binary session (STRING);
    optional binary query_type (STRING);
    required binary outcome (STRING);
    optional binary verdict (STRING);
    optional binary code_status (STRING);
    optional binary question (STRING);
    optional binary answer (STRING);
    required int64 leaf_index;
    required binary leaf_hash (STRING);
    required binary record (STRING);
}";
/// Most rows of a row group.
const ROWS: usize = 20_000;
/// Bytes of texts from which on a row group is written.
const BYTES: usize = 16 * 1024 * 1024;

/// One value of a row.
enum Cell {
    Text(Option<String>),
    Number(Option<u64>),
}

/// The values of one column of a row group; a level is 1 for a value and 0 for none.
#[derive(Default)]
struct Column {
    texts: Vec<ByteArray>,
    numbers: Vec<i64>,
    levels: Vec<i16>,
}

/// A Parquet file of records that grows row by row.
pub(super) struct Table<W: Write + Send> {
    writer: SerializedFileWriter<W>,
    columns: Vec<Column>,
    rows: usize,
    bytes: usize,
}

impl<W: Write + Send> Table<W> {
    pub(super) fn new(file: W) -> Result<Self> {
        let schema = Arc::new(parse_message_type(SCHEMA)?);
        // Texts hardly repeat: a dictionary of them is memory without use.
        let properties = WriterProperties::builder()
            .set_created_by(concat!("assay ", env!("CARGO_PKG_VERSION")).to_owned())
            .set_compression(Compression::SNAPPY)
            .set_dictionary_enabled(false)
            .build();
        let columns = schema.get_fields().iter().map(|_| Column::default()).collect();
        let writer = SerializedFileWriter::new(file, schema, Arc::new(properties))?;
        Ok(Self { writer, columns, rows: 0, bytes: 0 })
    }

    pub(super) fn add(&mut self, exported: &Exported) -> Result<()> {
        for (column, cell) in self.columns.iter_mut().zip(row(exported)?) {
            let is_there = match cell {
                Cell::Text(text) => {
                    self.bytes += text.as_ref().map_or(0, String::len);
                    let is_there = text.is_some();
                    column.texts.extend(text.map(|text| ByteArray::from(text.into_bytes())));
                    is_there
                }
                Cell::Number(number) => {
                    let number = number.map(|number| i64::try_from(number).unwrap_or(i64::MAX));
                    column.numbers.extend(number);
                    number.is_some()
                }
            };
            column.levels.push(i16::from(is_there));
        }
        self.rows += 1;
        if self.rows >= ROWS || self.bytes >= BYTES { self.write() } else { Ok(()) }
    }

    /// Writes what was added as a row group.
    fn write(&mut self) -> Result<()> {
        let mut group = self.writer.next_row_group()?;
        for column in &mut self.columns {
            let Column { texts, numbers, levels } = std::mem::take(column);
            let Some(mut writer) = group.next_column()? else { break };
            match writer.untyped() {
                ColumnWriter::ByteArrayColumnWriter(writer) => {
                    writer.write_batch(&texts, Some(&levels), None)?;
                }
                ColumnWriter::Int64ColumnWriter(writer) => {
                    writer.write_batch(&numbers, Some(&levels), None)?;
                }
                _ => return Err(ParquetError::General("a column of another type".to_owned())),
            }
            writer.close()?;
        }
        group.close()?;
        (self.rows, self.bytes) = (0, 0);
        Ok(())
    }

    /// Writes the rest and the footer; returns the file.
    pub(super) fn finish(mut self) -> Result<W> {
        if self.rows > 0 {
            self.write()?;
        }
        self.writer.into_inner()
    }
}

/// The values of a record, in the order of [`SCHEMA`].
fn row(exported: &Exported) -> Result<[Cell; 15]> {
    let Exported { record, leaf_index, leaf, stored_unix_ms, payload_erased } = exported;
    let text = |text: &str| Cell::Text(Some(text.to_owned()));
    let some = |text: &str| Cell::Text(Some(text.to_owned()).filter(|text| !text.is_empty()));
    let named = |name: Option<&'static str>| Cell::Text(name.map(str::to_owned));
    let verdict = record.validation.as_ref().and_then(|validation| validation.status);
    Ok([
        text(&record.audit_id.to_string()),
        Cell::Number(Some(record.unix_ms)),
        Cell::Number(*stored_unix_ms),
        text(&record.identity.tenant),
        some(&record.identity.principal),
        some(&record.session_id),
        named(record.route.as_ref().map(|route| route.query_type.as_str())),
        text(record.outcome.as_str()),
        named(verdict.map(|verdict| verdict.as_str())),
        named(status_of_code(record, *payload_erased)),
        some(&record.query),
        some(&record.answer),
        Cell::Number(Some(*leaf_index)),
        text(&leaf.to_string()),
        text(&json(record, *leaf_index, &leaf.to_string(), *stored_unix_ms, *payload_erased)?),
    ])
}

/// The whole record, as the record of the HTTP API.
fn json(record: &Record, index: u64, leaf: &str, stored: Option<u64>, erased: bool) -> Result<String> {
    let receipt = stored.map(|stored_unix_ms| wire::Receipt {
        leaf_index: index,
        leaf_hash: leaf.to_owned(),
        stored_unix_ms,
    });
    let whole = api::Stored {
        record: api::Record::from(record),
        receipt: receipt.as_ref().map(api::Receipt::from),
        payload_erased: erased,
        notes: Vec::new(),
    };
    serde_json::to_string(&whole).map_err(|error| ParquetError::External(Box::new(error)))
}

/// Status of the code in the answer (contract §5), from the recorded checks; none where they do not tell it.
fn status_of_code(record: &Record, erased: bool) -> Option<&'static str> {
    if !matches!(record.outcome, Outcome::Answered | Outcome::Checked) {
        return Some(CodeStatus::NotApplicable.as_str());
    }
    let checks = &record.validation.as_ref()?.checks;
    let check = checks.iter().find(|check| check.name == CheckName::CodeSyntax)?;
    let delivered = match check.status {
        CheckStatus::Passed => Worst::Valid,
        // The reason tells them apart, and went with the payload.
        CheckStatus::Flagged | CheckStatus::NotChecked if erased => return None,
        CheckStatus::Flagged if check.reason.contains(PLACEHOLDER) => Worst::Valid,
        CheckStatus::Failed | CheckStatus::Flagged => Worst::Invalid,
        CheckStatus::NotApplicable => Worst::None,
        CheckStatus::NotChecked => Worst::Unavailable,
    };
    let invalid = format!("{} {}", CheckName::CodeSyntax, CheckStatus::Failed);
    let mut others = record.attempts.iter().filter(|attempt| !attempt.delivered);
    let was_invalid = others.any(|attempt| attempt.defects.contains(&invalid));
    let other = if was_invalid { Worst::Invalid } else { Worst::None };
    Some(code_status(delivered, other, &check.reason).1.as_str())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;
    use assay_domain::record::{RecordedAttempt, RecordedValidation};
    use assay_domain::report::{Check, Verdict};
    use assay_domain::{AuditId, Identity};
    use parquet::file::reader::{FileReader as _, SerializedFileReader};
    use std::fs::File;

    fn exported(number: u8, query: String) -> Exported {
        let id = AuditId::from_parts(1_790_000_000_000, [number; 10]);
        let record =
            Record { query, ..Record::new(id, 1_790_000_000_000, Identity::local(), Outcome::Answered) };
        Exported {
            record,
            leaf_index: number.into(),
            leaf: assay_audit::Hash([number; 32]),
            stored_unix_ms: Some(5),
            payload_erased: false,
        }
    }

    #[test]
    fn many_records_become_row_groups_of_bounded_size() {
        let mut table = Table::new(Vec::new()).unwrap();
        for number in 0..7 {
            // Twice this: as the question and in the whole record.
            table.add(&exported(number, "x".repeat(BYTES / 5))).unwrap();
            assert!(table.bytes < BYTES && table.rows < 3, "what was written is let go");
        }
        let file = file_of(table);
        let reader = SerializedFileReader::new(file).unwrap();
        let groups = reader.metadata().row_groups().iter();
        assert_eq!(groups.map(|group| group.num_rows()).collect::<Vec<_>>(), [3, 3, 1]);
        let rows: Vec<_> = reader.get_row_iter(None).unwrap().map(Result::unwrap).collect();
        assert_eq!(rows.len(), 7);
        let none = Table::new(Vec::new()).unwrap();
        assert_eq!(SerializedFileReader::new(file_of(none)).unwrap().metadata().num_row_groups(), 0);
    }

    fn file_of(table: Table<Vec<u8>>) -> File {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&table.finish().unwrap()).unwrap();
        file
    }

    #[test]
    fn the_status_of_code_is_the_one_of_the_contract() {
        let recorded = |status: CheckStatus, reason: &str, earlier: bool| {
            let mut record = exported(1, String::new()).record;
            let check = Check { name: CheckName::CodeSyntax, status, reason: reason.into(), required: true };
            record.validation = Some(RecordedValidation {
                status: Some(Verdict::Pass),
                citations_validated: 0,
                citations_failed: 0,
                hallucinations_detected: 0,
                confidence_score: None,
                checks: vec![check],
                models: Vec::new(),
                policy: String::new(),
            });
            record.attempts = vec![RecordedAttempt {
                number: 1,
                verdict: Some(Verdict::Reject),
                defects: if earlier { vec!["code_syntax FAILED".into()] } else { Vec::new() },
                text_sha256: String::new(),
                delivered: false,
            }];
            record
        };
        let status = |status: CheckStatus, reason: &str, earlier: bool| {
            status_of_code(&recorded(status, reason, earlier), false).unwrap()
        };
        use CheckStatus::{Failed, Flagged, NotApplicable, NotChecked, Passed};
        assert_eq!(status(Passed, "", false), "VALID");
        assert_eq!(status(Failed, "", false), "INVALID");
        assert_eq!(status(NotApplicable, "", false), "NOT_APPLICABLE");
        assert_eq!(status(NotChecked, "disabled", false), "DISABLED");
        assert_eq!(status(NotChecked, "timeout", false), "UNAVAILABLE");
        assert_eq!(status(NotChecked, "timeout", true), "INVALID_UNVERIFIED_RETRY");
        assert_eq!(status(Flagged, "1 block is rejected", true), "INVALID");
        assert_eq!(status(Flagged, "a program is complete but for placeholders", false), "VALID");
        assert_eq!(status_of_code(&exported(1, String::new()).record, false), None);
        for withheld in [Outcome::Rejected, Outcome::Abstained, Outcome::Failed] {
            let record = Record { outcome: withheld, ..recorded(Failed, "", false) };
            assert_eq!(status_of_code(&record, false), Some("NOT_APPLICABLE"), "{withheld}");
        }
        for (of, told) in
            [(Passed, Some("VALID")), (Failed, Some("INVALID")), (Flagged, None), (NotChecked, None)]
        {
            assert_eq!(status_of_code(&recorded(of, "", true), true), told, "{of}");
        }
    }
}
