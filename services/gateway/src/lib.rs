//! assay-gateway
