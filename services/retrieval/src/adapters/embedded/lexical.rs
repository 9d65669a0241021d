//! The lexical leg: tantivy over ready-made tokens, a white-space tokenizer and nothing else.

use super::admitted::Admitted;
use super::layout;
use crate::error::Error;
use crate::text::{Field as Column, QueryTerms, Terms};
use std::path::Path;
use tantivy::collector::{FilterCollector, TopDocs};
use tantivy::query::{BooleanQuery, BoostQuery, Occur, Query, TermQuery};
use tantivy::schema::{FAST, Field, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::{TextAnalyzer, WhitespaceTokenizer};
use tantivy::{Index, ReloadPolicy, Searcher, TantivyDocument, Term};

/// Name of the tokenizer in the schema.
const TOKENIZER: &str = "ready-made";
/// Memory of the writer, in bytes.
const WRITER_BYTES: usize = 64 << 20;
/// Hits beyond the depth that are fetched so that ties at its edge are broken by id.
const TIE_MARGIN: usize = 32;
/// Name of the field with the row.
const ROW: &str = "row";

#[derive(Debug, Clone, Copy)]
struct Fields {
    row: Field,
    content: Field,
    title: Field,
    headings: Field,
    identifiers: Field,
    names: Field,
}

impl Fields {
    fn of(self, column: Column) -> Field {
        match column {
            Column::Content => self.content,
            Column::Title => self.title,
            Column::Headings => self.headings,
            Column::Identifiers => self.identifiers,
        }
    }
}

fn schema() -> (Schema, Fields) {
    let mut builder = Schema::builder();
    let text = |option| {
        let indexing = TextFieldIndexing::default().set_tokenizer(TOKENIZER).set_index_option(option);
        TextOptions::default().set_indexing_options(indexing)
    };
    let ranked = text(IndexRecordOption::WithFreqs);
    let exact = TextOptions::default().set_indexing_options(
        TextFieldIndexing::default()
            .set_tokenizer(TOKENIZER)
            .set_index_option(IndexRecordOption::Basic)
            .set_fieldnorms(false),
    );
    let fields = Fields {
        row: builder.add_u64_field(ROW, FAST),
        content: builder.add_text_field("content", ranked.clone()),
        title: builder.add_text_field("title", ranked.clone()),
        headings: builder.add_text_field("headings", ranked.clone()),
        identifiers: builder.add_text_field("identifiers", ranked),
        names: builder.add_text_field("names", exact),
    };
    (builder.build(), fields)
}

fn tokenizer() -> TextAnalyzer {
    TextAnalyzer::builder(WhitespaceTokenizer::default()).build()
}

fn failed(error: &tantivy::TantivyError) -> Error {
    Error::Storage(format!("lexical index: {error}"))
}

/// Writes an index of the given rows, in row order.
pub(super) fn write(folder: &Path, rows: impl Iterator<Item = Result<Terms, Error>>) -> Result<(), Error> {
    let unmade = |error: std::io::Error| Error::io("cannot make the lexical index", &error);
    layout::make_folder(folder).map_err(unmade)?;
    let (schema, fields) = schema();
    let index = Index::create_in_dir(folder, schema).map_err(|error| failed(&error))?;
    index.tokenizers().register(TOKENIZER, tokenizer());
    // One thread: rows keep their order, and the same corpus gives the same index.
    let mut writer =
        index.writer_with_num_threads::<TantivyDocument>(1, WRITER_BYTES).map_err(|error| failed(&error))?;
    for (row, terms) in rows.enumerate() {
        let terms = terms?;
        let mut document = TantivyDocument::default();
        document.add_u64(fields.row, row as u64);
        for field in [Column::Content, Column::Title, Column::Headings, Column::Identifiers] {
            document.add_text(fields.of(field), terms.of(field));
        }
        document.add_text(fields.names, &terms.names);
        writer.add_document(document).map_err(|error| failed(&error))?;
    }
    writer.commit().map_err(|error| failed(&error))?;
    writer.wait_merging_threads().map_err(|error| failed(&error))?;
    layout::restrict_files(folder).map_err(unmade)
}

/// An opened lexical index.
pub(super) struct Lexical {
    searcher: Searcher,
    fields: Fields,
}

impl std::fmt::Debug for Lexical {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Lexical")
    }
}

impl Lexical {
    pub(super) fn open(folder: &Path) -> Result<Self, Error> {
        let corrupt = |error: tantivy::TantivyError| Error::Corrupt(format!("lexical index: {error}"));
        let index = Index::open_in_dir(folder).map_err(corrupt)?;
        let (expected, fields) = schema();
        if index.schema() != expected {
            return Err(Error::Corrupt("the lexical index has another schema".to_owned()));
        }
        index.tokenizers().register(TOKENIZER, tokenizer());
        let reader =
            index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into().map_err(corrupt)?;
        Ok(Self { searcher: reader.searcher(), fields })
    }

    /// Admitted rows with their BM25 score (k1 = 1.2, b = 0.75), best first, equal scores in row order.
    pub(super) fn search(
        &self,
        terms: &QueryTerms,
        admitted: Option<&Admitted>,
        depth: usize,
    ) -> Result<Vec<(usize, f32)>, Error> {
        if terms.is_empty() || depth == 0 {
            return Ok(Vec::new());
        }
        let mut clauses: Vec<(Occur, Box<dyn Query>)> = Vec::new();
        for (field, token, boost) in terms.clauses() {
            let term = Term::from_field_text(self.fields.of(field), token);
            let term = TermQuery::new(term, IndexRecordOption::WithFreqs);
            clauses.push((Occur::Should, Box::new(BoostQuery::new(Box::new(term), boost))));
        }
        let query = BooleanQuery::new(clauses);
        let best = TopDocs::with_limit(depth + TIE_MARGIN).order_by_score();
        let top = match admitted.cloned() {
            None => self.searcher.search(&query, &best),
            Some(rows) => {
                let admits = move |row: u64| usize::try_from(row).is_ok_and(|row| rows.contains(row));
                self.searcher.search(&query, &FilterCollector::new(ROW.to_owned(), admits, best))
            }
        };
        let top = top.map_err(|error| failed(&error))?;
        let mut rows = Vec::with_capacity(top.len());
        for (score, address) in top {
            let segment = self.searcher.segment_reader(address.segment_ord);
            let column = segment.fast_fields().u64(ROW).map_err(|error| failed(&error))?;
            let row = column
                .first(address.doc_id)
                .and_then(|row| usize::try_from(row).ok())
                .ok_or_else(|| Error::Corrupt("a lexical row has no number".to_owned()))?;
            rows.push((row, score));
        }
        rows.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        rows.truncate(depth);
        Ok(rows)
    }

    /// Whether any passage holds the name exactly.
    pub(super) fn holds(&self, name: &str) -> Result<bool, Error> {
        let count = self
            .searcher
            .doc_freq(&Term::from_field_text(self.fields.names, name))
            .map_err(|error| failed(&error))?;
        Ok(count > 0)
    }
}
