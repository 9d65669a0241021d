//! assay-routing
