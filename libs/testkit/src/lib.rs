//! assay-testkit
