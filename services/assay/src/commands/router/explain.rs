//! `assay router explain`: everything that decides a message, without asking a model.

use assay_domain::{Failure, Identity};
use assay_routing::classes::{may_converse, ranked};
use assay_routing::deictic::refers;
use assay_routing::weights::{Weight, weights};
use assay_routing::{PlatformPrefixes, decide, requests};
use indicatif::ProgressBar;
use serde_json::json;

use super::args::Explain;
use super::labelled::{head_in_use, vectors};
use crate::clients::Clients;
use crate::flags::Global;
use crate::settings::Settings;

/// Parts of a message that are printed.
const SHOWN: usize = 8;

/// Explains a decision of layers 1 and 2.
///
/// # Errors
/// What retrieval says; `CONFIGURATION` where there is no head.
pub(super) async fn run(
    global: &Global,
    args: &Explain,
    settings: &Settings,
    clients: &Clients,
) -> Result<u8, Failure> {
    let prefixes = PlatformPrefixes::with(&settings.router.platform_prefixes);
    let asked = requests(&args.text, &[]);
    let rule = decide(&args.text, None, &Identity::local(), &prefixes);
    let mut model = String::new();
    let vectors =
        vectors(clients, std::slice::from_ref(&asked.embed), &mut model, &ProgressBar::hidden()).await?;
    let head = head_in_use(settings, &model)?;
    head.check_embedding(&model)?;
    let vector = vectors.first().map_or(&[][..], Vec::as_slice);
    let classes = ranked(&head, &head.predict(&asked.embed, vector), &asked.message);
    let index = |place: usize| {
        let name = classes.get(place)?.0.to_string();
        head.labels.iter().position(|label| *label == name)
    };
    let parts = match (index(0), index(1)) {
        (Some(of), Some(over)) => weights(&head, &asked.embed, vector, of, over),
        _ => Vec::new(),
    };
    let accept = settings.router.accept_probability;
    let sure = classes.first().is_some_and(|(_, p)| *p >= accept);
    let decided = rule.as_ref().map(|rule| rule.query_type).or(classes.first().map(|(best, _)| *best));
    let parts: Vec<&Weight> = parts.iter().take(SHOWN).collect();
    if global.json {
        println!(
            "{:#}",
            json!({
                "query_type": decided.map(|decided| decided.to_string()),
                "read_as": asked.message,
                "refers": refers(&asked.message),
                "may_converse": may_converse(&asked.message),
                "rule": rule.as_ref().map(|rule| json!({ "reason": rule.reason, "contract": rule.rule.contract() })),
                "accept": accept,
                "head": classes.iter().map(|(class, p)| (class.to_string(), json!(p))).collect::<serde_json::Map<_, _>>(),
                "parts": parts.iter().map(|part| json!({ "part": part.part, "value": part.value })).collect::<Vec<_>>(),
            })
        );
        return Ok(0);
    }
    let why = match (&rule, sure) {
        (Some(rule), _) => rule.reason.to_owned(),
        (None, true) => format!("classifier, at least {accept}"),
        (None, false) => format!("classifier, below {accept}: a configured model would be asked"),
    };
    println!("{} ({why})", decided.map(|decided| decided.to_string()).unwrap_or_default());
    if asked.message != args.text.trim() {
        println!("read as      {}", asked.message);
    }
    println!(
        "refers       {}",
        if refers(&asked.message) { "yes: the topic before would be added" } else { "no" }
    );
    if !may_converse(&asked.message) {
        println!("             one or two words without reference or greeting: not CONVERSATIONAL");
    }
    let listed: Vec<String> = classes.iter().map(|(class, p)| format!("{class} {p:.3}")).collect();
    println!("classifier   {}", listed.join("  "));
    if let [(first, _), (second, _), ..] = classes.as_slice() {
        println!("for {first} (+) or {second} (-):");
        for Weight { part, value } in parts {
            println!("  {value:+.2}  {part}");
        }
    }
    Ok(0)
}
