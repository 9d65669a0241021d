//! assay-retrieval
