//! The two text formats: OpenMetrics as it is written, and the older one made from it.

/// Media type of OpenMetrics.
pub(super) const OPENMETRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
/// Media type of the older format.
pub(super) const PLAIN: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Whether a scraper's `Accept` header names OpenMetrics and does not like the older format better.
pub(super) fn wants_openmetrics(accept: Option<&str>) -> bool {
    let quality = |wanted: &str| {
        accept
            .unwrap_or_default()
            .split(',')
            .filter_map(|range| {
                let mut parts = range.split(';').map(str::trim);
                let name = parts.next()?;
                let quality =
                    parts.find_map(|part| part.strip_prefix("q=")).map_or(Some(1.0), |q| q.parse().ok());
                name.eq_ignore_ascii_case(wanted).then_some(quality.unwrap_or(0.0))
            })
            .fold(0.0_f64, f64::max)
    };
    let openmetrics = quality("application/openmetrics-text");
    openmetrics > 0.0 && openmetrics >= quality("text/plain")
}

/// The older format: counters carry their ending in their type line, and there are no exemplars, units or end marks.
pub(super) fn plain(openmetrics: &str) -> String {
    let mut out = String::with_capacity(openmetrics.len());
    let counters: Vec<&str> = openmetrics
        .lines()
        .filter_map(|line| line.strip_prefix("# TYPE ")?.strip_suffix(" counter"))
        .collect();
    for line in openmetrics.lines() {
        if line.starts_with("# UNIT ") || line == "# EOF" {
            continue;
        }
        if let Some(rest) = line.strip_prefix("# HELP ").or_else(|| line.strip_prefix("# TYPE ")) {
            let (name, after) = rest.split_once(' ').unwrap_or((rest, ""));
            let keyword = line.get(..7).unwrap_or_default();
            let ending = if counters.contains(&name) { "_total" } else { "" };
            out.push_str(&format!("{keyword}{name}{ending} {after}"));
        } else {
            out.push_str(without_exemplar(line));
        }
        out.push('\n');
    }
    out
}

/// A sample without the exemplar behind it. A `#` inside a label's value is none.
fn without_exemplar(line: &str) -> &str {
    let (mut quoted, mut escaped) = (false, false);
    for (at, byte) in line.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'#' if !quoted => return line.get(..at).unwrap_or(line).trim_end(),
            _ => {}
        }
    }
    line
}
