//! Which claims the reader is asked about, and what its readings make of a claim.
//!
//! No reading overrules a copy of a source or a rule that decided. A pair without one changes nothing but the check, which
//! says so.

use super::Judge;
use crate::assess::{Assessed, Note};
use crate::checks::clip;
use crate::join::Join;
use crate::reading::Parsed;
use crate::scores::{Ask, Missing, Scorer, Scores};
use crate::support::{By, Judged};
use assay_domain::evidence::LineRange;
use assay_domain::reader::Reading;
use assay_domain::report::{ClaimStatus, Evidence, ModelUse};

/// Windows of the sources that a claim in another language is held against: nothing tells which one bears on it.
const FOREIGN: usize = 8;
/// Most bytes of such a window: about 100 pieces, so that statement and window fit in one reading.
const FOREIGN_BYTES: usize = 400;
/// Least probability, 0 to 1, with which a window says a claim in another language, so that it is supported. Of 500 claims across
/// languages that the reader was trained with .402 of the honest and .007 of the bad reach it (from .5 on .845 and .114).
const FOREIGN_SAYS: f64 = 0.9;
/// Probability of a claim that nothing judged: claim and source are in two languages.
const NOTHING_KNOWN: f64 = 0.5;

impl Judge {
    /// The pairs that the reader is to be asked about, beside what `scores` hold already; `None` where `stop` said so, which is
    /// asked before each claim.
    #[must_use]
    pub fn asks(&self, draft: &Parsed, scores: &Scores, stop: &dyn Fn() -> bool) -> Option<Vec<Ask>> {
        if self.scorer.is_none() {
            return Some(Vec::new());
        }
        // The answer is judged once more when the reader has answered.
        self.memory.open();
        let assessed = self.assess(draft, 0, stop)?;
        Some(self.pairs(draft, &assessed, scores))
    }

    /// What decided a claim, in the words of the report.
    pub(super) fn decided_by(&self, judged: &Judged) -> String {
        match judged.by {
            By::Nothing | By::Language => String::new(),
            By::Copy => "copy".to_owned(),
            By::Rule => format!("rule {}", judged.reason.split(':').next().unwrap_or_default()),
            By::Trees => "trees".to_owned(),
            By::Reader => self.scorer.as_ref().map(named).unwrap_or_default(),
        }
    }

    /// The reader at hand, and how many pairs it was asked about.
    pub(super) fn models(&self, scores: &Scores) -> Vec<ModelUse> {
        let narrow = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let used = |scorer: &Scorer| {
            let (asked, answered) = scores.asked();
            ModelUse {
                kind: "reader".to_owned(),
                name: match scorer.identity.version.as_str() {
                    "" => scorer.identity.name.clone(),
                    version => format!("{}@{version}", scorer.identity.name),
                },
                sha256: scorer.identity.sha256.clone(),
                fitted: scorer.join.measured(),
                asked: narrow(asked),
                answered: narrow(answered),
            }
        };
        self.scorer.iter().map(used).collect()
    }

    /// Whether the one best sentence of claims is wanted.
    pub(crate) fn wants_sentences(&self) -> bool {
        self.scorer.is_some()
    }

    /// Pairs that the reader is to be asked about and was not: of claims that words leave unflagged first, the least probable of
    /// them first; then of those below the bar, the most probable first.
    pub(super) fn pairs(&self, parsed: &Parsed, assessed: &Assessed, scores: &Scores) -> Vec<Ask> {
        let mut claims: Vec<(bool, f64, Vec<Ask>)> = judged(assessed)
            .map(|(at, judged)| {
                let flagged = judged.status != ClaimStatus::Supported;
                let own = judged.support.unwrap_or(NOTHING_KNOWN);
                let asks = self.asks_of(parsed, assessed, at, judged);
                (flagged, if flagged { -own } else { own }, asks)
            })
            .collect();
        claims.sort_by(|one, two| one.0.cmp(&two.0).then(one.1.total_cmp(&two.1)));
        claims.into_iter().flat_map(|(.., asks)| asks).filter(|ask| scores.of(ask).is_none()).collect()
    }

    /// Every claim of an answer that words leave open, with the probability that they give and the pairs that the reader would
    /// be asked about: what the join is measured on.
    #[must_use]
    pub fn open_pairs(&self, answer: &str) -> Vec<(f64, Vec<Ask>)> {
        let any = Scorer::new(assay_domain::reader::ReaderIdentity::default());
        let judge = Self { scorer: Some(any), ..self.clone() };
        let parsed = judge.read(answer);
        let Some(assessed) = judge.assess(&parsed, 0, &|| false) else { return Vec::new() };
        judged(&assessed)
            .map(|(at, judged)| {
                (judged.support.unwrap_or(NOTHING_KNOWN), judge.asks_of(&parsed, &assessed, at, judged))
            })
            .filter(|(_, asks)| !asks.is_empty())
            .collect()
    }

    /// What the reader is asked about a claim: nothing where copy or rule decided.
    fn asks_of(&self, parsed: &Parsed, assessed: &Assessed, claim: usize, judged: &Judged) -> Vec<Ask> {
        let Some(unit) = parsed.units.get(claim) else { return Vec::new() };
        let windows = match judged.by {
            By::Language => self.windows(parsed, claim),
            _ if open(judged) => {
                let sentence = assessed.best.get(claim).cloned().flatten();
                let window = judged.evidence.first().filter(|window| {
                    sentence.as_ref().is_none_or(|sentence| sentence.text.trim() != window.text.trim())
                });
                sentence.clone().into_iter().chain(window.cloned()).collect()
            }
            _ => Vec::new(),
        };
        let ask = |window| Ask { claim, text: unit.judged().to_owned(), window };
        windows.into_iter().map(ask).collect()
    }

    /// The beginning of the sources that a claim cites, or of all of them, in windows of whole lines.
    fn windows(&self, parsed: &Parsed, claim: usize) -> Vec<Evidence> {
        let citations = parsed.reading.claims.get(claim).map_or(&[][..], |claim| claim.citations.as_slice());
        let cited: Vec<u32> = citations
            .iter()
            .filter_map(|index| parsed.reading.citations.get(usize::try_from(*index).ok()?))
            .map(|citation| citation.marker)
            .collect();
        let numbered = (1_u32..).zip(&self.terms.sources);
        let of = numbered.filter(|(number, _)| cited.is_empty() || cited.contains(number));
        let mut windows: Vec<Evidence> = Vec::new();
        for (number, source) in of {
            let mut open = false;
            for (line, text) in (source.lines.first..).zip(source.text.lines()) {
                let text = text.trim();
                if text.is_empty() {
                    open = false;
                    continue;
                }
                let (lines, full) = (LineRange::new(line, line), windows.len() == FOREIGN);
                match windows.last_mut() {
                    Some(window) if open && window.text.len() + text.len() < FOREIGN_BYTES => {
                        window.text.push('\n');
                        window.text.push_str(text);
                        window.lines.last = line;
                    }
                    _ if full => return windows,
                    _ => windows.push(Evidence { source: number, lines, text: text.to_owned() }),
                }
                open = true;
            }
        }
        windows
    }

    /// Joins what the reader said with the judgements of the claims that it is about.
    pub(super) fn apply(&self, parsed: &Parsed, assessed: &mut Assessed, scores: &Scores) {
        let Some(scorer) = &self.scorer else { return };
        for at in 0..assessed.judged.len() {
            let Some(judged) = assessed.judged[at].clone() else { continue };
            let asks = self.asks_of(parsed, assessed, at, &judged);
            if asks.is_empty() {
                continue;
            }
            let said = asks.into_iter().map(|ask| {
                let said = scores.of(&ask).cloned().unwrap_or(Err(Missing::NotAsked));
                said.map(|reading| (reading, ask.window))
            });
            match said.collect::<Result<Vec<_>, Missing>>() {
                Err(missing) => {
                    assessed.unscored.push(Note { claim: at, detail: format!("NOT_CHECKED({missing})") });
                }
                Ok(said) => {
                    let Some(judged) = self.joined(scorer, &judged, said) else { continue };
                    if judged.status != ClaimStatus::Supported {
                        assessed.detach(at, parsed.units.get(at).map_or(0, |unit| unit.range.end));
                    }
                    assessed.judged[at] = Some(judged);
                }
            }
        }
    }

    /// What readings make of a claim; nothing where they leave it as it is.
    fn joined(&self, scorer: &Scorer, judged: &Judged, said: Vec<(Reading, Evidence)>) -> Option<Judged> {
        let foreign = judged.by == By::Language;
        let mean = Join::mean(said.iter().map(|(reading, _)| *reading));
        let (best, window) = said.into_iter().max_by(|one, two| one.0.says.total_cmp(&two.0.says))?;
        // Windows of another language are many, and one is enough.
        let reading = if foreign { best } else { mean? };
        let own = judged.support.unwrap_or(NOTHING_KNOWN);
        let probability = scorer.join.probability(own, reading);
        let bar = scorer.join.bar(self.policy.supported_below, self.policy.support_bar());
        let supported = if foreign { reading.says >= FOREIGN_SAYS } else { probability >= bar };
        // Nothing chose the windows of another language: what they do not say the rest of the source may.
        if foreign && !supported {
            return None;
        }
        let quoted = clip(window.text.trim());
        let status = match supported {
            _ if !foreign && scorer.join.contradicts(reading) => ClaimStatus::Contradicted,
            true => ClaimStatus::Supported,
            false => ClaimStatus::Unsupported,
        };
        let reason = match status {
            ClaimStatus::Contradicted => format!("reader: the source says \"{quoted}\""),
            ClaimStatus::Supported if judged.status == ClaimStatus::Supported => String::new(),
            ClaimStatus::Supported => format!("reader: said by \"{quoted}\""),
            _ => format!("reader: not said by \"{quoted}\""),
        };
        let mut evidence = judged.evidence.clone();
        if evidence.first().is_none_or(|first| !first.text.contains(&window.text)) {
            evidence.retain(|other| other.text != window.text);
            evidence.insert(0, window.clone());
        }
        let own = usize::try_from(window.source).ok().and_then(|number| number.checked_sub(1));
        let source = judged.source.or(own).filter(|_| status == ClaimStatus::Supported);
        Some(Judged { status, support: Some(probability), reason, evidence, source, by: By::Reader })
    }
}

fn named(scorer: &Scorer) -> String {
    format!("reader {}", scorer.identity.name)
}

fn judged(assessed: &Assessed) -> impl Iterator<Item = (usize, &Judged)> {
    assessed.judged.iter().enumerate().filter_map(|(at, judged)| Some((at, judged.as_ref()?)))
}

/// Whether words decided by probability alone.
fn open(judged: &Judged) -> bool {
    judged.by == By::Trees && matches!(judged.status, ClaimStatus::Supported | ClaimStatus::Unsupported)
}
