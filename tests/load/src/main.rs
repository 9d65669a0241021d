//! Benchmarks of whole requests: percentiles per query type and the share of each service, read from the traces.

fn main() {}
