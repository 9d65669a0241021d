//! Plots as SVG, drawn with the colours of the page.

use std::fmt::Write as _;

use assay_scoring::Figure;

/// Bars of a distribution.
const BARS: usize = 20;

/// The interval of a figure from 0 to 1: a line for the interval, a dot for the mean, a small dot a repetition.
pub(super) fn interval(figure: &Figure) -> String {
    const WIDTH: f64 = 200.0;
    let x = |value: f64| 4.0 + value.clamp(0.0, 1.0) * WIDTH;
    let Some(mean) = figure.value else { return String::new() };
    let mut out = format!(
        "<svg class=\"interval\" viewBox=\"0 0 208 18\" role=\"img\" aria-label=\"{mean:.3}\"><path class=\"axis\" d=\"M4 9H204\"/>"
    );
    if let Some((low, high)) = figure.interval {
        let _ = write!(out, "<path class=\"range\" d=\"M{:.1} 9H{:.1}\"/>", x(low), x(high));
    }
    for value in figure.repetitions.iter().copied().flatten() {
        let _ = write!(out, "<circle class=\"run\" cx=\"{:.1}\" cy=\"9\" r=\"2\"/>", x(value));
    }
    let _ = write!(out, "<circle class=\"mean\" cx=\"{:.1}\" cy=\"9\" r=\"4\"/></svg>", x(mean));
    out
}

/// How values from 0 to 1 are spread.
pub(super) fn distribution(values: &[f64]) -> String {
    let mut counts = [0_u32; BARS];
    for value in values {
        counts[((value.clamp(0.0, 1.0) * BARS as f64) as usize).min(BARS - 1)] += 1;
    }
    let most = f64::from(counts.iter().copied().max().unwrap_or(0).max(1));
    let mut out = "<svg class=\"distribution\" viewBox=\"0 0 220 84\" role=\"img\">".to_owned();
    for (bar, count) in counts.iter().enumerate() {
        let height = f64::from(*count) / most * 60.0;
        let from = bar as f64 / BARS as f64;
        let _ = write!(
            out,
            "<rect class=\"bar\" x=\"{:.1}\" y=\"{:.1}\" width=\"9\" height=\"{height:.1}\"><title>{from:.2} and more: {count}</title></rect>",
            10.0 + bar as f64 * 10.0,
            64.0 - height
        );
    }
    out.push_str("<path class=\"axis\" d=\"M10 64H210\"/><text x=\"10\" y=\"78\">0</text><text x=\"206\" y=\"78\">1</text></svg>");
    out
}

/// First repetition against last, a dot a question; nothing for one repetition.
pub(super) fn scatter(pairs: &[(f64, f64)]) -> String {
    if pairs.is_empty() {
        return String::new();
    }
    let place = |value: f64| value.clamp(0.0, 1.0) * 140.0;
    let mut out =
        "<svg class=\"scatter\" viewBox=\"0 0 164 164\" role=\"img\"><path class=\"axis\" d=\"M12 12V152H152M12 152L152 12\"/>"
            .to_owned();
    for (first, last) in pairs {
        let _ = write!(
            out,
            "<circle class=\"run\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"2.5\"/>",
            12.0 + place(*first),
            152.0 - place(*last)
        );
    }
    out.push_str("</svg>");
    out
}
