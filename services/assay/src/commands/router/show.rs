//! `assay router show`, `promote` and `rollback`: which head is in use, and how it came to be.

use assay_domain::{Code, Failure};
use assay_heads::eval::{compare, evaluate};
use assay_heads::promotions::{Entry, holdout};
use assay_router::HeadStore;
use assay_routing::Head;
use assay_rpc::clock;
use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::args::{Promote, Show};
use super::collected::{OFFERED, collected};
use super::eval::{given, print, print_comparison, trial};
use super::labelled::{head_in_use, vectors};
use crate::batch;
use crate::clients::Clients;
use crate::flags::Global;
use crate::settings::Settings;

/// Prints a head's origin and report, and the history of promotions.
///
/// # Errors
/// What a file or retrieval says.
pub(super) async fn show(
    global: &Global,
    args: &Show,
    settings: &Settings,
    clients: &Clients,
) -> Result<u8, Failure> {
    let head = match &args.model {
        Some(path) => given(path)?,
        None => {
            let mut model = String::new();
            vectors(clients, &["probe".to_owned()], &mut model, &indicatif::ProgressBar::hidden()).await?;
            head_in_use(settings, &model)?
        }
    };
    let history = HeadStore::of(&settings.router.data_dir).history()?;
    let collected = collected(settings).await?;
    let file = settings.router.head_file()?;
    let from = match (&args.model, &file) {
        (Some(path), _) | (None, Some(path)) => path.display().to_string(),
        (None, None) => "ships with this version".to_owned(),
    };
    if global.json {
        let Head { embedding, dimensions, buckets, labels, temperature, report, checksum, .. } = &head;
        println!(
            "{:#}",
            json!({ "from": from, "checksum": checksum, "embedding": embedding, "dimensions": dimensions,
                "buckets": buckets, "labels": labels, "temperature": temperature, "rejects": head.rejection.is_some(),
                "report": report, "history": history, "collected": collected })
        );
        return Ok(0);
    }
    let report = &head.report;
    let embedding = if head.dimensions == 0 { "none" } else { &head.embedding };
    println!("from         {from}");
    println!("checksum     {}", head.checksum);
    println!("embedding    {embedding}");
    println!("n-grams      {} buckets", head.buckets);
    println!("labels       {}", head.labels.join(" "));
    println!("trained on   {} texts, SHA-256 {}", report.trained_on, report.data_sha256);
    println!(
        "calibrated   temperature {:.3}, accuracy {:.3} of {} texts that it had not seen",
        head.temperature, report.calibration_accuracy, report.calibrated_on
    );
    if let Some(collected) = collected {
        println!("collected    {} messages of {} conversations", collected.messages, collected.conversations);
        if collected.shadowed > 0 {
            println!("shadow       agrees on {} of {} messages", collected.agreed, collected.shadowed);
        }
        if collected.conversations >= OFFERED && collected.texts > 0 {
            println!("             enough to learn from: assay router export --out FILE");
        }
    }
    for entry in &history {
        println!("{}", serde_json::to_string(entry).unwrap_or_default());
    }
    Ok(0)
}

/// Puts a challenger to use if it is better on the frozen holdout.
///
/// # Errors
/// `INVALID_ARGUMENT` where the rules of promotion are against it; what a file or retrieval says.
pub(super) async fn promote(
    global: &Global,
    args: &Promote,
    settings: &Settings,
    clients: &Clients,
) -> Result<u8, Failure> {
    let refused = |text: String| Failure::new(Code::InvalidArgument, text);
    if global.endpoint.is_some() {
        return Err(refused(
            "promote writes into the router's data folder: run it there, without --endpoint".into(),
        ));
    }
    let challenger = assay_router::read_head(&args.model)?;
    let holdout_sha256 = hex::encode(Sha256::digest(batch::read(&args.holdout)?.as_bytes()));
    let store = HeadStore::of(&settings.router.data_dir);
    if let Some(frozen) = holdout(&store.history()?).filter(|frozen| *frozen != holdout_sha256 && !args.force)
    {
        return Err(refused(format!(
            "the holdout is not the frozen one, whose SHA-256 is {frozen}; --force promotes all the same"
        ))
        .field("holdout"));
    }
    let trial = trial(Some(&challenger), &args.holdout, settings, clients).await?;
    let accept = settings.router.accept_probability;
    let (old, new) = (evaluate(&trial.champion, accept), evaluate(&trial.challenger, accept));
    let comparison = compare(&trial.champion, &trial.challenger);
    if !comparison.against.is_empty() && !args.force {
        return Err(
            refused(format!("the head in use stays: {}", comparison.against.join("; "))).field("model")
        );
    }
    let entry = Entry::Promote {
        at_unix_ms: clock::unix_ms(),
        file: HeadStore::file_of(&challenger),
        holdout_sha256,
        accuracy: [old.all.accuracy, new.all.accuracy],
        p_value: comparison.p_value,
        forced: !comparison.against.is_empty(),
    };
    store.promote(&challenger, &entry)?;
    if global.json {
        println!("{:#}", json!({ "promotion": entry, "comparison": comparison }));
    } else {
        print(&new, accept);
        print_comparison(&comparison);
        println!("promoted; a router uses it from its next start");
    }
    if !settings.router.head.as_os_str().is_empty() {
        crate::say!("warning: router.head is set and goes before the promoted head");
    }
    Ok(0)
}

/// Goes back to the head before the last promotion.
///
/// # Errors
/// `INVALID_ARGUMENT` if nothing is promoted.
pub(super) fn roll_back(global: &Global, settings: &Settings) -> Result<u8, Failure> {
    let store = HeadStore::of(&settings.router.data_dir);
    store.roll_back(clock::unix_ms())?;
    let now =
        store.current()?.map_or_else(|| "the head that ships".to_owned(), |file| file.display().to_string());
    if global.json {
        println!("{:#}", json!({ "in_use": now }));
    } else {
        println!("in use from the router's next start: {now}");
    }
    Ok(0)
}
