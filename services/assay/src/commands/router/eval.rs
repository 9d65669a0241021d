//! `assay router eval`: how good a head is on labelled lines, alone or beside the head in use.

use std::path::Path;

use assay_domain::Failure;
use assay_heads::eval::{Comparison, Evaluation, Judged, Share, compare, evaluate};
use assay_routing::{Head, PlatformPrefixes, requests};
use indicatif::{ProgressBar, ProgressDrawTarget};
use serde_json::json;

use super::args::Eval;
use super::labelled::{head_in_use, judge, labelled, vectors};
use crate::batch;
use crate::clients::Clients;
use crate::flags::Global;
use crate::settings::Settings;

/// Two heads on the same lines.
pub(super) struct Trial {
    pub(super) champion: Vec<Judged>,
    pub(super) challenger: Vec<Judged>,
}

/// Measures a head and prints what it found.
///
/// # Errors
/// What a file or retrieval says; a head of another embedding model.
pub(super) async fn run(
    global: &Global,
    args: &Eval,
    settings: &Settings,
    clients: &Clients,
) -> Result<u8, Failure> {
    let given = args.model.as_deref().map(given).transpose()?;
    let trial = trial(given.as_ref(), &args.file, settings, clients).await?;
    let accept = settings.router.accept_probability;
    let evaluation = evaluate(&trial.challenger, accept);
    let comparison = given.is_some().then(|| compare(&trial.champion, &trial.challenger));
    if global.json {
        println!("{:#}", json!({ "evaluation": evaluation, "beside_the_head_in_use": comparison }));
        return Ok(0);
    }
    print(&evaluation, accept);
    if let Some(comparison) = comparison {
        print_comparison(&comparison);
    }
    Ok(0)
}

/// A head file of any label set.
pub(super) fn given(path: &Path) -> Result<Head, Failure> {
    Head::from_json(batch::read(path)?.trim_end())
}

/// Judges the lines by the head in use and, where one is given, by a challenger; both with the rules before them.
///
/// # Errors
/// As [`run`].
pub(super) async fn trial(
    challenger: Option<&Head>,
    file: &Path,
    settings: &Settings,
    clients: &Clients,
) -> Result<Trial, Failure> {
    let lines = labelled(file)?;
    let bar = ProgressBar::with_draw_target(Some(lines.len() as u64), ProgressDrawTarget::stderr());
    let texts: Vec<String> = lines.iter().map(|line| requests(&line.text, &[]).embed).collect();
    let mut model = String::new();
    let vectors = vectors(clients, &texts, &mut model, &bar).await?;
    bar.finish_and_clear();
    let prefixes = PlatformPrefixes::with(&settings.router.platform_prefixes);
    let judged = |head: &Head| {
        head.check_embedding(&model)?;
        Ok::<_, Failure>(judge(head, &prefixes, &lines, &vectors))
    };
    let champion = judged(&head_in_use(settings, &model)?)?;
    let challenger = challenger.map_or_else(|| Ok(champion.clone()), judged)?;
    Ok(Trial { champion, challenger })
}

fn percent(share: &Share) -> String {
    format!("{:.3} ({} of {})", share.accuracy, share.right, share.messages)
}

pub(super) fn print(evaluation: &Evaluation, accept: f64) {
    println!("accuracy           {}", percent(&evaluation.all));
    for (language, share) in &evaluation.languages {
        println!("  {language:16} {}", percent(share));
    }
    println!(
        "coverage           {:.3} at {accept} or more, there {}",
        evaluation.coverage,
        percent(&evaluation.sure)
    );
    println!("calibration error  {:.3}", evaluation.calibration_error);
    for (label, share) in &evaluation.labels {
        println!("  recall {label:18} {}", percent(share));
    }
}

pub(super) fn print_comparison(comparison: &Comparison) {
    println!(
        "beside the head in use: it alone is right {} times, the head in use alone {} times (exact McNemar p = {:.4})",
        comparison.challenger_only, comparison.champion_only, comparison.p_value
    );
    for reason in &comparison.against {
        println!("  not to be promoted: {reason}");
    }
}
