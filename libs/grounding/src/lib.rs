//! assay-grounding
