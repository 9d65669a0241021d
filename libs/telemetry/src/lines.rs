//! Log lines: one event a line, as text or JSON, with the ids of the trace it happened in.

use std::fmt;

use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::{FormatTime as _, SystemTime};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

use crate::options::LogFormat;
use crate::propagation::entered;

/// Writes events as lines.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lines(pub(crate) LogFormat);

impl<S, N> FormatEvent<S, N> for Lines
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        match self.0 {
            LogFormat::Text => text(context, &mut writer, event),
            LogFormat::Json => json(&mut writer, event),
        }
    }
}

fn text<S, N>(context: &FmtContext<'_, S, N>, writer: &mut Writer<'_>, event: &Event<'_>) -> fmt::Result
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    let ansi = writer.has_ansi_escapes();
    let level = *event.metadata().level();
    if ansi {
        writer.write_str("\u{1b}[2m")?;
        SystemTime.format_time(writer)?;
        write!(writer, "\u{1b}[0m \u{1b}[{}m{level:>5}\u{1b}[0m ", colour(level))?;
    } else {
        SystemTime.format_time(writer)?;
        write!(writer, " {level:>5} ")?;
    }
    context.format_fields(writer.by_ref(), event)?;
    if let Some((trace, span, _)) = entered() {
        if ansi {
            write!(writer, " \u{1b}[2mtrace_id={trace} span_id={span}\u{1b}[0m")?;
        } else {
            write!(writer, " trace_id={trace} span_id={span}")?;
        }
    }
    writeln!(writer)
}

fn colour(level: Level) -> u8 {
    match level {
        Level::ERROR => 31,
        Level::WARN => 33,
        Level::INFO => 32,
        Level::DEBUG => 34,
        Level::TRACE => 35,
    }
}

fn json(writer: &mut Writer<'_>, event: &Event<'_>) -> fmt::Result {
    let mut time = String::new();
    SystemTime.format_time(&mut Writer::new(&mut time))?;
    let mut fields = Fields(serde_json::Map::new());
    fields.0.insert("timestamp".into(), time.into());
    fields.0.insert("level".into(), event.metadata().level().as_str().into());
    event.record(&mut fields);
    if let Some((trace, span, _)) = entered() {
        fields.0.insert("trace_id".into(), trace.into());
        fields.0.insert("span_id".into(), span.into());
    }
    writeln!(writer, "{}", serde_json::Value::Object(fields.0))
}

struct Fields(serde_json::Map<String, serde_json::Value>);

impl Fields {
    fn put(&mut self, field: &Field, value: impl Into<serde_json::Value>) {
        self.0.insert(field.name().to_owned(), value.into());
    }
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.put(field, format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.put(field, value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.put(field, value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.put(field, value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.put(field, value);
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.put(field, value);
    }

    fn record_error(&mut self, field: &Field, value: &(dyn std::error::Error + 'static)) {
        self.put(field, value.to_string());
    }
}
