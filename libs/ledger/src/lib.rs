//! assay-ledger
