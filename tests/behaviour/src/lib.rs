//! assay-behaviour
