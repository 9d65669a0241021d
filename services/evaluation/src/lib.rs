//! assay-evaluation
