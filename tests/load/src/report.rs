//! Percentiles, the ratio of the layouts, and the table of shares.

use comfy_table::{CellAlignment, Table, presets};
use serde_json::json;

use crate::mix::Kind;
use crate::system::Layout;
use crate::trace::Shares;

/// The measured requests of one kind in one layout.
#[derive(Debug)]
pub(crate) struct Series {
    /// Where they went.
    pub(crate) layout: Layout,
    /// What they asked.
    pub(crate) kind: Kind,
    /// Time of each as the client saw it, in seconds.
    pub(crate) seconds: Vec<f64>,
    /// Where the time went.
    pub(crate) shares: Shares,
}

/// The value that a share `q` of the values does not exceed (nearest rank); zero without values.
fn percentile(values: &[f64], q: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a rank among a few thousand values"
    )]
    let rank = (q * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or(0.0)
}

impl Series {
    fn milliseconds(&self, q: f64) -> f64 {
        percentile(&self.seconds, q) * 1e3
    }

    /// Own time of each service in milliseconds a request, and its share of all.
    fn parts(&self) -> Vec<(&str, f64, f64)> {
        let total: f64 = self.shares.seconds.values().sum();
        #[allow(clippy::cast_precision_loss, reason = "a few thousand requests")]
        let requests = self.shares.requests.max(1) as f64;
        let part = |(name, seconds): (&'static str, f64)| {
            (name, seconds * 1e3 / requests, seconds / total.max(1e-12))
        };
        let names = std::iter::once("gateway").chain(assay::system::SPECS.iter().map(|spec| spec.name));
        names.filter_map(|name| self.shares.seconds.get(name).map(|s| part((name, *s)))).collect()
    }
}

/// Prints the result.
#[allow(clippy::print_stdout, reason = "this is what the program is for")]
pub(crate) fn print(series: &[Series], machine_readable: bool) -> anyhow::Result<()> {
    if machine_readable {
        let rows: Vec<_> = series.iter().map(row).collect();
        println!("{}", serde_json::to_string_pretty(&json!({ "series": rows }))?);
        return Ok(());
    }
    let mut table = Table::new();
    table.load_preset(presets::ASCII_MARKDOWN).set_header([
        "query type",
        "layout",
        "requests",
        "p50 ms",
        "p99 ms",
        "p50 to embedded",
        "calls a request",
        "own time of each service, ms a request",
    ]);
    for entry in series {
        let base = series.iter().find(|other| other.kind == entry.kind && other.layout == Layout::Embedded);
        let ratio = base.map_or_else(String::new, |base| {
            format!("{:.2}", entry.milliseconds(0.5) / base.milliseconds(0.5).max(1e-9))
        });
        let parts: Vec<String> = entry
            .parts()
            .into_iter()
            .map(|(name, ms, share)| format!("{name} {ms:.2} ({:.0} %)", share * 100.0))
            .collect();
        #[allow(clippy::cast_precision_loss, reason = "a few thousand requests")]
        let calls = entry.shares.calls as f64 / entry.shares.requests.max(1) as f64;
        table.add_row([
            entry.kind.name().to_owned(),
            entry.layout.name().to_owned(),
            entry.seconds.len().to_string(),
            format!("{:.2}", entry.milliseconds(0.5)),
            format!("{:.2}", entry.milliseconds(0.99)),
            ratio,
            format!("{calls:.1}"),
            parts.join(", "),
        ]);
    }
    for column in 2..7 {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    println!("{table}");
    Ok(())
}

fn row(entry: &Series) -> serde_json::Value {
    let own: serde_json::Map<_, _> = entry
        .parts()
        .into_iter()
        .map(|(name, ms, share)| (name.to_owned(), json!({ "ms_per_request": ms, "share": share })))
        .collect();
    json!({
        "query_type": entry.kind.name(),
        "layout": entry.layout.name(),
        "requests": entry.seconds.len(),
        "p50_ms": entry.milliseconds(0.5),
        "p99_ms": entry.milliseconds(0.99),
        "traced_requests": entry.shares.requests,
        "calls": entry.shares.calls,
        "services": own,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_nearest_ranks() {
        let values: Vec<f64> = (1..=100).map(f64::from).collect();
        assert_eq!((percentile(&values, 0.5), percentile(&values, 0.99)), (50.0, 99.0));
        assert_eq!(percentile(&[7.0], 0.99), 7.0);
        assert_eq!(percentile(&[], 0.5), 0.0);
    }
}
