//! assay-telemetry
