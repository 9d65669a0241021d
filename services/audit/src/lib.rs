//! assay-audit
