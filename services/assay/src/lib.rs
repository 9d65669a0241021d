//! assay
