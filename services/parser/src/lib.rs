//! assay-parser
