//! `assay audit citations`: where the cited lines of an old record are in the index of today.

use assay_domain::report::Resolution;
use assay_domain::{Code, Failure, LineRange};
use assay_proto::{audit, retrieval};
use assay_wire::{FromWire as _, ToWire as _};
use serde::Serialize;
use serde_json::json;

use super::get;
use crate::clients::{BUDGET, Clients, failure};
use crate::flags::Global;
use crate::output::shown;

/// The citations of a record, as an object of the output.
#[derive(Serialize)]
struct Found<'a> {
    collection: &'a str,
    /// Manifest that the answer was made from.
    answered_from: &'a str,
    /// Manifest of today.
    index_manifest: &'a str,
    citations: Vec<Citation<'a>>,
}

/// A citation and where it is, as an object of the output.
#[derive(Serialize)]
struct Citation<'a> {
    source: &'a str,
    /// As cited, `first-last`.
    line_range: &'a str,
    /// `EXACT`, `MOVED` or `DANGLING`.
    resolution: String,
    /// Where the lines are now; null if they are gone or were changed.
    now: Option<String>,
}

/// Looks the cited lines of a record up; exits 1 if some are not there any more.
///
/// # Errors
/// What audit and retrieval say; `NOT_FOUND` for a record whose citations were erased or that has none.
pub(super) async fn run(
    global: &Global,
    id: &str,
    collection: &str,
    clients: &Clients,
) -> Result<u8, Failure> {
    let record = get(id, clients).await?.record.ok_or_else(|| Failure::internal("audit sent no record"))?;
    if record.citations.is_empty() {
        return Err(Failure::new(Code::NotFound, "the record has no citations").field("id"));
    }
    let collection = match collection {
        "" => collection_of(&record.index_manifest, clients).await?,
        named => named.to_owned(),
    };
    let cited: Result<Vec<_>, Failure> = record.citations.iter().map(asked).collect();
    let request = retrieval::LookupRequest { collection, cited: cited?, ..Default::default() };
    let collection = request.collection.clone();
    let request = clients.context(BUDGET).request(request);
    let known = clients.retrieval()?.lookup(request).await.map_err(failure)?.into_inner();
    let citations: Result<Vec<Citation<'_>>, Failure> = record
        .citations
        .iter()
        .zip(known.cited.iter().zip(&known.cited_lines))
        .map(|(citation, (resolution, lines))| {
            let resolution = Resolution::from_wire(*resolution)?;
            let now =
                (resolution != Resolution::Dangling).then(|| LineRange::from_wire(*lines)).transpose()?;
            Ok(Citation {
                source: &citation.source,
                line_range: &citation.line_range,
                resolution: resolution.to_string(),
                now: now.map(|lines| lines.to_string()),
            })
        })
        .collect();
    let citations = citations?;
    let gone = citations.iter().filter(|citation| citation.now.is_none()).count();
    if global.json {
        let (answered_from, index_manifest) = (&record.index_manifest, &known.index_manifest);
        println!("{:#}", json!(Found { collection: &collection, answered_from, index_manifest, citations }));
    } else {
        for citation in &citations {
            let place = format!("{}:{}", shown(citation.source), citation.line_range);
            match &citation.now {
                Some(now) if now != citation.line_range => {
                    println!("{:8}  {place}  now at {now}", citation.resolution);
                }
                _ => println!("{:8}  {place}", citation.resolution),
            }
        }
        let collection = if collection.is_empty() { "default" } else { &collection };
        println!(
            "{gone} of {} citations are gone or were changed in `{}`",
            citations.len(),
            shown(collection)
        );
    }
    Ok(u8::from(gone > 0))
}

/// The collection whose index is still the one of the answer; else the default one.
async fn collection_of(manifest: &str, clients: &Clients) -> Result<String, Failure> {
    let request = clients.context(BUDGET).request(retrieval::ListCollectionsRequest {});
    let there = clients.retrieval()?.list_collections(request).await.map_err(failure)?.into_inner();
    let found = there.collections.into_iter().find(|known| known.id == manifest);
    Ok(found.map(|known| known.collection).unwrap_or_default())
}

fn asked(citation: &audit::RecordedCitation) -> Result<retrieval::CitedBytes, Failure> {
    let bounds = citation.line_range.split_once('-').unwrap_or((&citation.line_range, &citation.line_range));
    let line = |text: &str| text.parse::<u32>().unwrap_or_default();
    let lines = LineRange::new(line(bounds.0), line(bounds.1));
    Ok(retrieval::CitedBytes {
        path: citation.source.clone(),
        lines: Some(lines.to_wire()),
        sha256: citation.sha256.clone(),
    })
}
