//! `assay models fit`: how what a model says is joined with what words say, fitted on labelled pairs on this machine.

mod figures;
mod pairs;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use assay_domain::evidence::{Source, SourceKind};
use assay_domain::{Code, Failure};
use assay_grounding::join::{self, FittedOn, Row, Said};
use assay_grounding::{Judge, Policy, Terms, policy};
use assay_models::store::{self, Held, Kind, Located};
use assay_models::{Entailment, Limits, Logits, Pair, PairScorer};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;
use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::args::Fit;
use crate::flags::Global;
use pairs::Labelled;

/// Pairs that a model scores between two looks at the bar.
const AT_ONCE: usize = 64;

/// A pair that words leave open, as the product would ask about it.
struct Open {
    own: f64,
    premise: String,
    hypothesis: String,
    of: usize,
}

/// A fitted join, as an object of the output.
#[derive(Serialize)]
struct Out<'a> {
    /// Name of the model.
    model: &'a str,
    /// SHA-256 of its file, lower-case hex.
    sha256: &'a str,
    /// Pairs it was fitted on.
    pairs: usize,
    /// Pairs that were not used, by why.
    left_out: &'a BTreeMap<&'static str, usize>,
    /// Figures on groups that the join did not see.
    cross_validated: figures::Told,
    join: &'a join::Join,
    /// File of the join.
    file: String,
}

/// Fits the join of a model and writes it beside the model.
///
/// # Errors
/// If the model is not there or not one of entailment, the pairs cannot be read or are too few, or the join does no better
/// than words alone.
pub(crate) async fn fit(global: &Global, models: &Path, args: &Fit) -> Result<u8, Failure> {
    let located = store::find(models, &args.name).map_err(super::failure)?;
    if located.entry.kind != Kind::Entailment {
        let text = format!(
            "{} is of kind {}; a join is fitted for entailment models",
            args.name, located.entry.kind
        );
        return Err(Failure::new(Code::InvalidArgument, text).field("name"));
    }
    let (labelled, sha256) = read(args)?;
    let global = global.clone();
    let models = models.to_owned();
    let work = move || fitted(&global, &models, &located, &labelled, sha256);
    assay_rpc::task::blocking(work).await.map_err(Failure::from)?
}

/// The pairs of all files, and the SHA-256 of their bytes one after the other.
fn read(args: &Fit) -> Result<(Vec<Labelled>, String), Failure> {
    let (mut labelled, mut hasher) = (Vec::new(), Sha256::new());
    for path in &args.pairs {
        let text = std::fs::read_to_string(path).map_err(|error| {
            Failure::new(Code::InvalidArgument, format!("{}: {error}", path.display())).field("pairs")
        })?;
        hasher.update(text.as_bytes());
        labelled.extend(pairs::read(path, &text)?);
    }
    if !args.languages.is_empty() {
        labelled.retain(|pair| args.languages.contains(&pair.language));
    }
    let digest = hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    Ok((labelled, digest))
}

fn fitted(
    global: &Global,
    models: &Path,
    located: &Located,
    labelled: &[Labelled],
    sha256: String,
) -> Result<u8, Failure> {
    let refused = |text: String| Failure::new(Code::InvalidArgument, text).field("pairs");
    let policy = Policy::shipped(policy::DEFAULT).ok_or_else(|| Failure::internal("no default policy"))?;
    let (open, left_out) = open(labelled, &policy);
    let rows = rows(located, labelled, &open)?;
    let digest = located.digest();
    let few = |why: String| {
        refused(format!("{why} ({} of {} pairs are left out)", told(&left_out), labelled.len()))
    };
    let mut join = join::fit(&located.name, digest, &rows.iter().map(|(row, _)| *row).collect::<Vec<_>>())
        .map_err(few)?;
    let figures = figures::figures(&located.name, digest, &rows).map_err(few)?;
    join.fitted_on.sha256 = sha256;
    let languages: BTreeSet<&str> = open.iter().map(|open| labelled[open.of].language.as_str()).collect();
    if !languages.contains("") {
        join.languages = languages.into_iter().map(str::to_owned).collect();
    }
    if !figures.better {
        return Err(refused(format!(
            "the model adds nothing to words on these pairs (AUROC {:.3} with it, {:.3} without); no join was written",
            figures.joined, figures.words
        )));
    }
    let path = located.join();
    let _held = Held::open(models).map_err(super::failure)?;
    write(&path, &join)?;
    if global.json {
        let out = Out {
            model: &located.name,
            sha256: digest,
            pairs: rows.len(),
            left_out: &left_out,
            cross_validated: figures.told(),
            join: &join,
            file: path.display().to_string(),
        };
        println!("{:#}", json!(out));
        return Ok(0);
    }
    let FittedOn { pairs, supported, .. } = join.fitted_on;
    println!("{}: {pairs} pairs, {supported} supported; left out: {}", located.name, told(&left_out));
    figures.print();
    println!("bars: fr_1 {:.3}, fr_3 {:.3}, fr_5 {:.3}", join.bars.fr_1, join.bars.fr_3, join.bars.fr_5);
    match join.contradiction {
        Some(bar) => {
            println!("contradicts at a precision of {:.3} ({} false claims)", bar.precision, bar.fired)
        }
        None => println!("contradicts never: no bar is precise enough"),
    }
    println!("written to {}", path.display());
    Ok(0)
}

/// The pairs that words leave open, as the product would ask about them; and how many others there are, by why.
fn open(labelled: &[Labelled], policy: &Policy) -> (Vec<Open>, BTreeMap<&'static str, usize>) {
    let bar = bar("words", labelled.len());
    let (mut open, mut left_out) = (Vec::new(), BTreeMap::new());
    for (of, pair) in labelled.iter().enumerate() {
        bar.inc(1);
        let mut found = judge(pair, policy).open_pairs(&pair.claim).into_iter();
        match (found.next(), found.next()) {
            (Some((own, ask)), None) => {
                let premise = ask.evidence.into_iter().next().map(|best| best.text).unwrap_or_default();
                open.push(Open { own, premise, hypothesis: ask.text, of });
            }
            (None, _) => *left_out.entry("decided by rules or copies").or_default() += 1,
            (Some(_), Some(_)) => *left_out.entry("of several claims").or_default() += 1,
        }
    }
    bar.finish_and_clear();
    (open, left_out)
}

fn judge(pair: &Labelled, policy: &Policy) -> Judge {
    let given = |(at, text): (usize, &String)| Source::given((at + 1).to_string(), SourceKind::Doc, text, 1);
    let sources = pair.sources.iter().enumerate().map(given).collect();
    let terms = Terms { citations_optional: true, ..Terms::new(&pair.question, sources) };
    Judge::new(terms, policy.clone())
}

/// What the model says of the pairs, each with its group.
fn rows(located: &Located, labelled: &[Labelled], open: &[Open]) -> Result<Vec<(Row, String)>, Failure> {
    let failed =
        |error: assay_models::Error| Failure::new(Code::Configuration, error.to_string()).field("name");
    let model = PairScorer::load(&located.files(), Limits::default()).map_err(failed)?;
    let bar = bar("model", open.len());
    let mut rows = Vec::with_capacity(open.len());
    for chunk in open.chunks(AT_ONCE) {
        let pairs: Vec<Pair<'_>> =
            chunk.iter().map(|open| Pair { premise: &open.premise, hypothesis: &open.hypothesis }).collect();
        let found = model.score(&pairs, &|| false).map_err(failed)?;
        rows.extend(chunk.iter().zip(found).map(|(open, found)| {
            let Labelled { supported, group, .. } = &labelled[open.of];
            (Row { own: open.own, said: said(&found), supported: *supported, weight: 1.0 }, group.clone())
        }));
        bar.inc(chunk.len() as u64);
    }
    bar.finish_and_clear();
    Ok(rows)
}

fn said(found: &Entailment) -> Said {
    match found.logits {
        Logits::Two { .. } => Said::Two { difference: found.difference },
        Logits::Three { entailment, neutral, contradiction } => Said::Three {
            entailment: entailment.into(),
            neutral: neutral.into(),
            contradiction: contradiction.into(),
        },
    }
}

fn told(left_out: &BTreeMap<&'static str, usize>) -> String {
    let parts: Vec<String> = left_out.iter().map(|(why, count)| format!("{count} {why}")).collect();
    if parts.is_empty() { "none".to_owned() } else { parts.join(", ") }
}

/// Writes the join beside its place and moves it there.
fn write(path: &Path, join: &join::Join) -> Result<(), Failure> {
    let written = || -> std::io::Result<()> {
        let beside = path.with_extension("part");
        std::fs::write(&beside, serde_json::to_vec_pretty(join)?)?;
        std::fs::rename(&beside, path)
    };
    written().map_err(|error| {
        Failure::new(Code::Configuration, format!("{}: {error}", path.display())).field("models")
    })
}

fn bar(what: &'static str, all: usize) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(all as u64), ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("{msg} {bar:30} {pos}/{len} {per_sec} {eta} left");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.set_message(what);
    bar
}
