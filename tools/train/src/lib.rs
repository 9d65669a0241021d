//! assay-train
