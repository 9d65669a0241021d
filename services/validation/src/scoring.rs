//! Asks the reader about the claims that words leave open, within its own time.

use assay_grounding::scores::{Ask, Missing, Scores};
use assay_reader::{Reader, Window};
use assay_rpc::Context;

use crate::options::Options;

/// Asks about pairs and takes what was said of each, or why there is no reading.
pub(crate) async fn read(
    reader: &dyn Reader,
    context: &Context,
    options: &Options,
    asks: Vec<Ask>,
    scores: &mut Scores,
) {
    if asks.is_empty() {
        return;
    }
    let context = context.capped(options.reader.timeout());
    let pairs: Vec<(Window, String)> =
        asks.iter().map(|ask| (Window::of(ask.window.text.as_str()), ask.text.clone())).collect();
    let said = reader.read(&context, &pairs).await;
    for (ask, said) in asks.iter().zip(said) {
        scores.take(ask, said.map_err(|missing| Missing::Failed(missing.to_string())));
    }
}
