//! assay-graph
