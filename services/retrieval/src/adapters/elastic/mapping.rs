//! What an index holds. Every document has a `type`; each type uses the fields that are its own.

use crate::corpus::Scope;
use assay_elastic::{Neighbours, Options};
use serde_json::{Value, json};

/// Types of documents.
pub(super) const PASSAGE: &str = "passage";
pub(super) const FILE: &str = "file";
pub(super) const NAMES: &str = "names";
pub(super) const MANIFEST: &str = "manifest";

/// Settings and mapping of a generation. Tokens come ready made, so the analyzer only splits at white space; what is
/// searched is not returned, and what is returned is not searched.
pub(super) fn index(options: &Options, scope: &Scope, dims: usize) -> Value {
    let keyword = json!({ "type": "keyword" });
    let exact = json!({ "type": "keyword", "doc_values": false });
    let tokens = json!({ "type": "text", "analyzer": "whitespace", "index_options": "freqs" });
    let neighbours = match options.neighbours {
        Neighbours::Hnsw => "int8_hnsw",
        Neighbours::Exact => "flat",
    };
    json!({
        "settings": {
            "number_of_shards": options.shards,
            "number_of_replicas": options.replicas,
            // Nobody searches before the alias names it.
            "refresh_interval": "-1",
        },
        "mappings": {
            "dynamic": "strict",
            "_meta": {
                "tenant": scope.tenant(),
                "collection": scope.collection(),
                "shards": options.shards,
                "neighbours": options.neighbours,
            },
            "_source": { "includes": ["stored"] },
            "properties": {
                "type": keyword,
                "key": keyword,
                "place": { "type": "integer" },
                "path": keyword,
                "kind": keyword,
                "language": keyword,
                "tags": keyword,
                "content": tokens,
                "title": tokens,
                "headings": tokens,
                "identifiers": tokens,
                "names": exact,
                "vector": {
                    "type": "dense_vector",
                    "dims": dims,
                    "index": true,
                    "similarity": "dot_product",
                    "index_options": { "type": neighbours },
                },
                "stored": { "type": "object", "enabled": false },
                // Read when a document is taken over unchanged, never by a search.
                "kept": { "type": "binary", "store": true },
            },
        },
    })
}

/// Settings and mapping of an index whose documents are only read by id.
pub(super) fn by_id(options: &Options) -> Value {
    json!({
        "settings": { "number_of_shards": 1, "number_of_replicas": options.replicas },
        "mappings": { "dynamic": false },
    })
}
