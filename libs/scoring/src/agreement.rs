//! Judges side by side: whether two say the same, and whether the checks flag what a judge finds unsupported.

use std::collections::BTreeMap;

use assay_statistics::{kappa, wilson};
use serde::Serialize;

use crate::metric::Verdicts;
use crate::recorded::{Manifest, Recorded};

/// How often two judges say the same.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Agreement {
    /// The two.
    pub judges: [String; 2],
    /// What they judged: `statements` of answers or `contexts` of questions.
    pub of: &'static str,
    /// Things that both judged.
    pub judged: u64,
    /// Things on which they agree.
    pub agreed: u64,
    /// Interval of the share at 95 % (Wilson).
    pub interval: Option<(f64, f64)>,
    /// Agreement beyond chance (Cohen 1960); none where one verdict is all that chance allows.
    pub kappa: Option<f64>,
}

/// The checks, with a model's verdicts as the truth.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AgainstJudge {
    /// The model.
    pub judge: String,
    /// Claims that it finds unsupported, and those of them that the checks flag.
    pub caught: Share,
    /// Claims that it finds supported, and those of them that the checks flag.
    pub falsely_rejected: Share,
}

/// A share with its interval.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Share {
    /// How many.
    pub count: u64,
    /// Of how many.
    pub of: u64,
    /// Interval at 95 % (Wilson); none of nothing.
    pub interval: Option<(f64, f64)>,
}

impl Share {
    fn of(all: impl Iterator<Item = bool>) -> Self {
        let (mut count, mut of) = (0, 0);
        for holds in all {
            of += 1;
            count += u64::from(holds);
        }
        Self { count, of, interval: wilson(count, of) }
    }
}

/// The verdicts of a judge by its name.
type Judged<'a> = BTreeMap<&'a str, &'a Verdicts>;

/// Answers of the first repetition with the verdicts of every judge: asking again is no new evidence.
fn judged<'a>(manifest: &'a Manifest, recorded: &'a [Recorded]) -> Vec<(&'a Recorded, Judged<'a>)> {
    let of = |one: &'a Recorded| {
        let others = one.others.iter().map(|(name, verdicts)| (name.as_str(), verdicts));
        (one, std::iter::once((manifest.judge.as_str(), &one.verdicts)).chain(others).collect())
    };
    recorded.iter().filter(|one| one.repetition == 1).map(of).collect()
}

/// The agreement of the first judge with every other.
pub(crate) fn agreement(manifest: &Manifest, recorded: &[Recorded]) -> Vec<Agreement> {
    let judged = judged(manifest, recorded);
    let mut out = Vec::new();
    for other in &manifest.other_judges {
        let mut statements = Vec::new();
        let mut contexts = Vec::new();
        for (_, judges) in &judged {
            let two = judges.get(manifest.judge.as_str()).zip(judges.get(other.as_str()));
            let Some((first, second)) = two else { continue };
            if let (Some(a), Some(b)) = (&first.statements, &second.statements)
                && a.len() == b.len()
            {
                statements.extend(a.iter().zip(b).map(|(a, b)| (a.supported, b.supported)));
            }
            if let (Some(a), Some(b)) = (&first.contexts, &second.contexts)
                && a.len() == b.len()
            {
                contexts.extend(a.iter().copied().zip(b.iter().copied()));
            }
        }
        for (of, pairs) in [("statements", statements), ("contexts", contexts)] {
            let agreed = Share::of(pairs.iter().map(|(a, b)| a == b));
            out.push(Agreement {
                judges: [manifest.judge.clone(), other.clone()],
                of,
                judged: agreed.of,
                agreed: agreed.count,
                interval: agreed.interval,
                kappa: kappa(&pairs),
            });
        }
    }
    out
}

/// The checks against every model that judged.
pub(crate) fn against_judges(manifest: &Manifest, recorded: &[Recorded]) -> Vec<AgainstJudge> {
    let judged = judged(manifest, recorded);
    let names = std::iter::once(&manifest.judge).chain(&manifest.other_judges);
    let of = |name: &String| {
        let claims: Vec<(bool, bool)> = judged
            .iter()
            .filter_map(|(one, judges)| {
                Some((one.answer.as_ref()?, judges.get(name.as_str())?.statements.as_ref()?))
            })
            .flat_map(|(answer, statements)| {
                let factual = answer.claims.iter().filter(|claim| claim.kind == "factual");
                let flagged =
                    factual.map(|claim| matches!(claim.status.as_str(), "UNSUPPORTED" | "CONTRADICTED"));
                statements.iter().map(|one| one.supported).zip(flagged)
            })
            .collect();
        let flags = |supported: bool| {
            claims.iter().filter(move |(held, _)| *held == supported).map(|(_, flagged)| *flagged)
        };
        AgainstJudge {
            judge: name.clone(),
            caught: Share::of(flags(false)),
            falsely_rejected: Share::of(flags(true)),
        }
    };
    names.filter(|name| *name != Manifest::CHECKS).map(of).collect()
}
