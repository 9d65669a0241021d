//! assay-resilience
