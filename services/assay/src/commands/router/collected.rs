//! `assay router export` and `drift`: what the router collected, as labelled lines and as shares over time.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufWriter, Write, stdout};
use std::path::Path;

use assay_domain::{Code, Failure, QueryType};
use assay_heads::drift::{Counts, shifts};
use assay_router::ports::{Messages as _, RoutedMessage};
use assay_router::{Collected, SqliteMessages};
use assay_rpc::clock;
use assay_text::{Language, detect_short};
use serde::Serialize;
use serde_json::json;

use super::args::{Drift, Export};
use crate::batch;
use crate::flags::Global;
use crate::settings::Settings;

/// Messages that are read at once.
const PAGE: u32 = 1_000;
const DAY_MS: u64 = 86_400_000;
/// Conversations from which an export is offered (contract §2).
pub(super) const OFFERED: u64 = 500;

/// A collected message, as a line that `assay router train --data` and `eval` read.
#[derive(Serialize)]
struct Line<'a> {
    text: &'a str,
    label: &'static str,
    lang: &'static str,
    /// Layer that decided.
    origin: &'static str,
    probability: f64,
    /// What the shadow head says.
    #[serde(skip_serializing_if = "Option::is_none")]
    shadow: Option<&'static str>,
    tenant: &'a str,
    at_unix_ms: u64,
}

/// Writes the collected texts, each once with its latest type.
///
/// # Errors
/// `INVALID_ARGUMENT` if nothing was collected or with `--endpoint`; what a file says.
pub(super) async fn export(global: &Global, args: &Export, settings: &Settings) -> Result<u8, Failure> {
    let store = store(global, settings).await?;
    let since = since(args.days);
    let mut latest: Vec<RoutedMessage> = Vec::new();
    each(&store, since, |one| {
        let disagrees = one.shadow.is_some_and(|(query_type, _)| query_type != one.query_type);
        let wanted = args.tenant.as_ref().is_none_or(|tenant| *tenant == one.tenant)
            && (!args.disagreed || disagrees)
            && !one.text.is_empty();
        if wanted {
            latest.push(one);
        }
    })
    .await?;
    let mut seen = HashSet::new();
    latest.reverse();
    latest.retain(|one| seen.insert((one.tenant.clone(), one.text.clone())));
    latest.reverse();
    let written = if args.out == Path::new("-") {
        write(stdout().lock(), &latest)
    } else {
        File::create(&args.out).and_then(|file| {
            let mut file = BufWriter::new(file);
            write(&mut file, &latest)?;
            file.flush()?;
            file.get_ref().sync_all()
        })
    };
    written.map_err(|error| batch::unwritable(&args.out, &error))?;
    let conversations = store.collected().await?.conversations;
    crate::say!("{} texts of {conversations} conversations", latest.len());
    if conversations < OFFERED {
        crate::say!("note: fewer than {OFFERED} conversations say little about what your users ask");
    }
    crate::say!("the labels are the router's own: have people read them before you train on them");
    Ok(0)
}

fn write(mut out: impl Write, messages: &[RoutedMessage]) -> std::io::Result<()> {
    for one in messages {
        let line = Line {
            text: &one.text,
            label: one.query_type.as_str(),
            lang: language(&one.text),
            origin: one.layer.as_str(),
            probability: one.probability,
            shadow: one.shadow.map(|(query_type, _): (QueryType, f64)| query_type.as_str()),
            tenant: &one.tenant,
            at_unix_ms: one.unix_ms,
        };
        serde_json::to_writer(&mut out, &line)?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// Prints which shares of the messages of late differ from those before.
///
/// # Errors
/// As [`export`].
pub(super) async fn drift(global: &Global, args: &Drift, settings: &Settings) -> Result<u8, Failure> {
    let store = store(global, settings).await?;
    let border = since(Some(args.days));
    let (mut before, mut late) = (Counts::default(), Counts::default());
    each(&store, 0, |one| {
        let accepted = one.probability >= settings.router.accept_probability;
        let mut names = vec![format!("type {}", one.query_type), format!("layer {}", one.layer)];
        names.extend(accepted.then(|| "probability at least router.accept_probability".to_owned()));
        if !one.text.is_empty() {
            names.push(format!("language {}", language(&one.text)));
        }
        if let Some((query_type, _)) = one.shadow {
            let agrees = if query_type == one.query_type { "agrees" } else { "disagrees" };
            names.push(format!("shadow {agrees}"));
        }
        if one.unix_ms < border { &mut before } else { &mut late }.add(names);
    })
    .await?;
    let shifts = shifts(&before, &late);
    if global.json {
        println!(
            "{:#}",
            json!({ "days": args.days, "before": before.messages, "late": late.messages, "shares": shifts })
        );
        return Ok(0);
    }
    println!("{} messages of the last {} days, {} before", late.messages, args.days, before.messages);
    if shifts.is_empty() {
        println!("nothing to compare: one of the two times has no messages");
    }
    for shift in shifts {
        println!(
            "{:<48} {:>6.3} -> {:>6.3}  99 % of the change: {:+.3} to {:+.3}{}",
            shift.name,
            shift.before,
            shift.late,
            shift.change.0,
            shift.change.1,
            if shift.changed { "  changed" } else { "" }
        );
    }
    Ok(0)
}

/// How much was collected; none where nothing ever was.
///
/// # Errors
/// What the file says.
pub(super) async fn collected(settings: &Settings) -> Result<Option<Collected>, Failure> {
    if !settings.router.messages_file().exists() {
        return Ok(None);
    }
    let store = SqliteMessages::open_file(&settings.router.messages_file(), settings.router.collect_days)?;
    store.collected().await.map(Some)
}

/// The collected messages, without those that are too old.
async fn store(global: &Global, settings: &Settings) -> Result<SqliteMessages, Failure> {
    let refused = |text: String| Err(Failure::new(Code::InvalidArgument, text));
    if global.endpoint.is_some() {
        return refused(
            "collected messages lie in the router's data folder: read them there, without --endpoint".into(),
        );
    }
    let file = settings.router.messages_file();
    if !file.exists() {
        return refused(format!(
            "nothing was collected in {}: set ROUTER_COLLECT=true and ask",
            file.display()
        ));
    }
    let store = SqliteMessages::open_file(&file, settings.router.collect_days)?;
    store.sweep(clock::unix_ms()).await?;
    Ok(store)
}

/// The time so many days ago; 0 for all time.
fn since(days: Option<u32>) -> u64 {
    days.map_or(0, |days| clock::unix_ms().saturating_sub(u64::from(days) * DAY_MS))
}

async fn each(
    store: &SqliteMessages,
    since_ms: u64,
    mut see: impl FnMut(RoutedMessage),
) -> Result<(), Failure> {
    let mut after = 0;
    loop {
        let page = store.page(after, since_ms, PAGE).await?;
        let Some((last, _)) = page.last() else { return Ok(()) };
        after = *last;
        page.into_iter().for_each(|(_, one)| see(one));
    }
}

fn language(text: &str) -> &'static str {
    detect_short(text).map_or("", Language::code)
}
