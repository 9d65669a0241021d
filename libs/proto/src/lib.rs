//! assay-proto
