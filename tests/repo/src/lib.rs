//! assay-repo-tests
