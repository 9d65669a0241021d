//! assay-wire
