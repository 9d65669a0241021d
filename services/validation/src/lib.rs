//! assay-validation
