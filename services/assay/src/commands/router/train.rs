//! `assay router train`: a head from labelled lines.

use assay_domain::Failure;
use assay_heads::seed::{BUCKETS, seeds};
use assay_heads::{Example, Settings};
use indicatif::{ProgressBar, ProgressDrawTarget};

use super::args::Train;
use super::labelled::{Labelled, labelled, vectors};
use crate::batch;
use crate::clients::Clients;
use crate::flags::Global;

/// Buckets beside an embedding for labels of any kind: on CLINC150 they gain half a point over none.
const BESIDE: u32 = 4_096;

/// Fits a head and writes it.
///
/// # Errors
/// What a file, retrieval or the training says.
pub(super) async fn run(global: &Global, args: &Train, clients: &Clients) -> Result<u8, Failure> {
    let data = match &global.training_data {
        Some(path) => labelled(path)?,
        None => seeds()?.into_iter().map(Labelled::from).collect(),
    };
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    let mut model = String::new();
    let mut sets = vec![examples(clients, data, &mut model, &bar).await?];
    for path in [args.calibrate.as_ref(), args.oos.as_ref()] {
        let lines = path.map_or_else(|| Ok(Vec::new()), |path| labelled(path))?;
        sets.push(examples(clients, lines, &mut model, &bar).await?);
    }
    bar.finish_and_clear();
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let buckets = args.buckets.unwrap_or(if args.seed || model.is_empty() { BUCKETS } else { BESIDE });
    let settings = Settings { buckets, balanced: args.balanced, threads, ..Settings::default() };
    let head = assay_rpc::task::blocking(move || {
        let (data, calibrate, outside) = (&sets[0], &sets[1], &sets[2]);
        assay_heads::train(data, calibrate, outside, &model, settings)
    })
    .await
    .map_err(Failure::from)??;
    let text = head.to_json();
    std::fs::write(&args.out, &text).map_err(|error| batch::unwritable(&args.out, &error))?;
    if global.json {
        println!("{text}");
    } else {
        let report = &head.report;
        println!(
            "{} examples, calibrated on {}: accuracy {:.3}, written to {}",
            report.trained_on,
            report.calibrated_on,
            report.calibration_accuracy,
            args.out.display()
        );
    }
    Ok(0)
}

/// Lines with their vectors; `model` becomes the identity of the embedding model.
async fn examples(
    clients: &Clients,
    lines: Vec<Labelled>,
    model: &mut String,
    bar: &ProgressBar,
) -> Result<Vec<Example>, Failure> {
    let texts: Vec<String> = lines.iter().map(|line| line.text.clone()).collect();
    let vectors = vectors(clients, &texts, model, bar).await?;
    let example =
        |(line, vector): (Labelled, Vec<f32>)| Example { text: line.text, label: line.label, vector };
    Ok(lines.into_iter().zip(vectors).map(example).collect())
}
