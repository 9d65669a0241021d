//! Every span, attribute and metric name of Assay; the conventions of OpenTelemetry GenAI and OpenInference where they
//! fit. The tables are also what the page on telemetry shows.

pub mod attributes;
pub mod metrics;
pub mod spans;
