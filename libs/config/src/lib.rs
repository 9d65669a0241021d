//! assay-config
