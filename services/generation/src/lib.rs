//! assay-generation
