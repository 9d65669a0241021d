//! assay-rpc
