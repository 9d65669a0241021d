//! assay-router
