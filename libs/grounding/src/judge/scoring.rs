//! Which claims the models outside are asked about, and what their scores make of a claim.
//!
//! The scores of the models count one after the other, each beside the probability so far. None overrules a copy of a source or a
//! rule that decided, and one that said nothing changes nothing but the check, which says so.

use super::Judge;
use crate::assess::{Assessed, Note};
use crate::checks::clip;
use crate::join::{Join, Said, logit, sigmoid};
use crate::language;
use crate::reading::Parsed;
use crate::scores::{Ask, Asks, Missing, Scorer, Scores, Stretch, Who};
use crate::support::{By, Judged};
use assay_domain::report::{ClaimStatus, Evidence, ModelUse};

/// Sources that a language model is shown whole where no sentence could be chosen.
const WHOLE_SOURCES: usize = 3;
/// Most characters of each.
const WHOLE_CHARS: usize = 4000;
/// Longest source, in bytes, that a token classifier reads whole; of a longer one it reads what bears on the claims.
const READ: usize = 6000;

/// What a language model that answers yes or no is worth as a probability: large models judge claims of the WiCE set with a
/// balanced accuracy of 0.79 (published for GPT-4o), so that a yes is right as often.
const SAID_YES: f64 = 0.79;
/// Probability of a claim that nothing judged: claim and source are in two languages.
const NOTHING_KNOWN: f64 = 0.5;

/// What a model said of a claim.
struct Word {
    said: Said,
    /// The text it rests on; empty for none.
    text: String,
    /// That text as a place of a source, where it is one.
    sentence: Option<Evidence>,
}

/// What a word makes of a claim.
enum Outcome {
    /// Another judgement, or the same with somebody who stands behind it.
    Decided(Judged),
    /// Only a flag, with its reason.
    Flagged(String),
    /// Nothing.
    Nothing,
}

impl Judge {
    /// What is to be asked about an answer, beside what `scores` hold already; `None` where `stop` said so, which is asked
    /// before each claim.
    ///
    /// A language model is asked last: ask again with the words of the others.
    #[must_use]
    pub fn asks(&self, draft: &Parsed, scores: &Scores, stop: &dyn Fn() -> bool) -> Option<Asks> {
        let mut asks = Asks::default();
        if self.scorers.is_empty() {
            return Some(asks);
        }
        // The answer is judged once more when the models have answered.
        self.memory.open();
        let mut assessed = self.assess(draft, 0, stop)?;
        asks.entailment = self.pairs(draft, &assessed, scores);
        if self.scorer(Who::Spans).is_some() && scores.stretches().is_none() {
            asks.spans = self.passages(&assessed);
        }
        if let Some(scorer) = self.scorer(Who::Judge)
            && asks.entailment.is_empty()
            && asks.spans.is_empty()
        {
            let bar = self.policy.support_bar();
            self.apply(draft, &mut assessed, scores);
            let mut open: Vec<(f64, Ask)> = judged(&assessed)
                .filter(|(_, judged)| turnable(judged, bar_of(judged, bar)))
                .map(|(at, judged)| {
                    let distance = judged.support.map_or(0.0, |p| (p - bar_of(judged, bar)).abs());
                    (distance, self.ask_judge(draft, at, judged))
                })
                .filter(|(_, ask)| scores.of(ask).is_none())
                .collect();
            open.sort_by(|one, two| one.0.total_cmp(&two.0));
            asks.judge = open.into_iter().map(|(_, ask)| ask).take(scorer.most).collect();
        }
        Some(asks)
    }

    pub(super) fn scorer(&self, who: Who) -> Option<&Scorer> {
        self.scorers.iter().find(|scorer| scorer.who == who)
    }

    /// What decided a claim, in the words of the report.
    pub(super) fn decided_by(&self, judged: &Judged) -> String {
        match judged.by {
            By::Nothing | By::Language => String::new(),
            By::Copy => "copy".to_owned(),
            By::Rule => format!("rule {}", judged.reason.split(':').next().unwrap_or_default()),
            By::Trees => "trees".to_owned(),
            By::Model { who, .. } => self.scorer(who).map(named).unwrap_or_default(),
        }
    }

    /// The models at hand, and how many claims they were asked about.
    pub(super) fn models(&self, scores: &Scores) -> Vec<ModelUse> {
        let narrow = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let used = |scorer: &Scorer| {
            let (asked, answered) = scores.asked(scorer.who);
            ModelUse {
                kind: scorer.who.as_str().to_owned(),
                name: scorer.name.clone(),
                sha256: scorer.sha256.clone(),
                fitted: scorer.join.is_some() || scorer.who == Who::Judge,
                asked: narrow(asked),
                answered: narrow(answered),
            }
        };
        self.scorers.iter().map(used).collect()
    }

    /// Whether the one best sentence of claims is wanted.
    pub(crate) fn wants_sentences(&self) -> bool {
        self.scorer(Who::Entailment).is_some()
    }

    /// Pairs that an entailment model is to be asked about and was not: claims that words leave unflagged first, the least
    /// probable of them first; then those below the bar, the most probable first.
    pub(super) fn pairs(&self, parsed: &Parsed, assessed: &Assessed, scores: &Scores) -> Vec<Ask> {
        let Some(scorer) = self.scorer(Who::Entailment) else { return Vec::new() };
        let mut pairs: Vec<(bool, f64, Ask)> = judged(assessed)
            .filter_map(|(at, judged)| {
                let ask = ask_entailment(scorer, parsed, assessed, at, judged)?;
                let (flagged, own) = (judged.status == ClaimStatus::Unsupported, judged.support?);
                Some((flagged, if flagged { -own } else { own }, ask))
            })
            .filter(|(.., ask)| scores.of(ask).is_none())
            .collect();
        pairs.sort_by(|one, two| one.0.cmp(&two.0).then(one.1.total_cmp(&two.1)));
        pairs.into_iter().map(|(.., ask)| ask).take(scorer.most).collect()
    }

    /// Every claim of an answer that words leave open, with the probability that they give and the pair that an entailment
    /// model would be asked about, whatever its bars: what its join is fitted on.
    #[must_use]
    pub fn open_pairs(&self, answer: &str) -> Vec<(f64, Ask)> {
        let any = Scorer::of_file(Who::Entailment, "any", "", None);
        let judge = Self { scorers: vec![any], ..self.clone() };
        let parsed = judge.read(answer);
        let Some(assessed) = judge.assess(&parsed, 0, &|| false) else { return Vec::new() };
        judged(&assessed)
            .filter_map(|(at, judged)| Some((judged.support?, pair(&parsed, &assessed, at, judged)?)))
            .collect()
    }

    /// What a token classifier reads: the sources that bear on the claims; none where no claim is open.
    fn passages(&self, assessed: &Assessed) -> Vec<String> {
        let mut passages = Vec::new();
        if !judged(assessed).any(|(_, judged)| open(judged)) {
            return passages;
        }
        for (number, source) in (1_u32..).zip(&self.terms.sources) {
            let own = |evidence: &&Evidence| evidence.source == number;
            let mut texts: Vec<&str> = judged(assessed)
                .flat_map(|(_, judged)| judged.evidence.iter().filter(own))
                .map(|evidence| evidence.text.as_str())
                .collect();
            texts.sort_unstable();
            texts.dedup();
            match texts.as_slice() {
                [] => {}
                _ if source.text.len() <= READ => passages.push(source.text.clone()),
                texts => passages.extend(texts.iter().map(|text| (*text).to_owned())),
            }
        }
        passages
    }

    fn ask_judge(&self, parsed: &Parsed, claim: usize, judged: &Judged) -> Ask {
        let text = parsed.units.get(claim).map(|unit| unit.judged().to_owned()).unwrap_or_default();
        let foreign = judged.by == By::Language;
        let evidence = if foreign { self.whole_sources(parsed, claim) } else { judged.evidence.clone() };
        Ask { who: Who::Judge, claim, text, evidence }
    }

    /// The sources that a claim cites, or all of them, as evidence: nothing of them was measured.
    fn whole_sources(&self, parsed: &Parsed, claim: usize) -> Vec<Evidence> {
        let citations = parsed.reading.claims.get(claim).map_or(&[][..], |claim| claim.citations.as_slice());
        let cited: Vec<u32> = citations
            .iter()
            .filter_map(|index| parsed.reading.citations.get(usize::try_from(*index).ok()?))
            .map(|citation| citation.marker)
            .collect();
        let numbered = (1_u32..).zip(&self.terms.sources);
        numbered
            .filter(|(number, _)| cited.is_empty() || cited.contains(number))
            .take(WHOLE_SOURCES)
            .map(|(number, source)| Evidence {
                source: number,
                lines: source.lines,
                text: source.text.chars().take(WHOLE_CHARS).collect(),
            })
            .collect()
    }

    /// Joins what the models said with the judgements of the claims that it is about.
    pub(super) fn apply(&self, parsed: &Parsed, assessed: &mut Assessed, scores: &Scores) {
        for scorer in &self.scorers {
            for at in 0..assessed.judged.len() {
                let Some(judged) = assessed.judged[at].clone() else { continue };
                let word = match self.word(scorer, parsed, assessed, scores, at, &judged) {
                    None => continue,
                    Some(Err(missing)) => {
                        let detail = format!("NOT_CHECKED by {}: {missing}", named(scorer));
                        assessed.unscored.push(Note { claim: at, detail });
                        continue;
                    }
                    Some(Ok(word)) => word,
                };
                match self.joined(scorer, &judged, &word) {
                    Outcome::Nothing => {}
                    Outcome::Flagged(detail) => assessed.doubted.push(Note { claim: at, detail }),
                    Outcome::Decided(judged) => {
                        if judged.status != ClaimStatus::Supported {
                            assessed.detach(at, parsed.units.get(at).map_or(0, |unit| unit.range.end));
                        }
                        assessed.judged[at] = Some(judged);
                    }
                }
            }
        }
    }

    /// What a model said of a claim, with the text it rests on; none where it is not one to be asked about.
    fn word(
        &self,
        scorer: &Scorer,
        parsed: &Parsed,
        assessed: &Assessed,
        scores: &Scores,
        at: usize,
        judged: &Judged,
    ) -> Option<Result<Word, Missing>> {
        match scorer.who {
            Who::Entailment => {
                let ask = ask_entailment(scorer, parsed, assessed, at, judged)?;
                let said = scores.of(&ask).cloned().unwrap_or(Err(Missing::NotAsked));
                let sentence = ask.evidence.into_iter().next()?;
                Some(said.map(|said| Word { said, text: sentence.text.clone(), sentence: Some(sentence) }))
            }
            Who::Spans => {
                let stretches = scores.stretches().filter(|_| open(judged))?;
                let unit = parsed.units.get(at)?;
                let flagged = |stretches: &Vec<Stretch>| {
                    let own = stretches.iter().filter(|stretch| {
                        stretch.bytes.start < unit.range.end && unit.range.start < stretch.bytes.end
                    });
                    let worst = own.max_by(|one, two| one.probability.total_cmp(&two.probability));
                    let text = worst.and_then(|stretch| parsed.document.text.get(stretch.bytes.clone()));
                    let said =
                        Said::Flagged { probability: worst.map_or(0.0, |stretch| stretch.probability) };
                    Word { said, text: text.unwrap_or_default().to_owned(), sentence: None }
                };
                Some(stretches.as_ref().map(flagged).map_err(Clone::clone))
            }
            Who::Judge => {
                if !turnable(judged, bar_of(judged, self.policy.support_bar())) {
                    return None;
                }
                let said = scores.of(&self.ask_judge(parsed, at, judged))?.clone();
                Some(said.map(|said| Word { said, text: String::new(), sentence: None }))
            }
        }
    }

    /// What a word makes of a claim.
    fn joined(&self, scorer: &Scorer, judged: &Judged, word: &Word) -> Outcome {
        let (who, said, quoted) = (scorer.who.as_str(), word.said, clip(word.text.trim()));
        if let Said::Answer(yes) = said {
            let own = judged.support.unwrap_or(NOTHING_KNOWN);
            let word = if yes { SAID_YES } else { 1.0 - SAID_YES };
            let probability = sigmoid(logit(own) + logit(word));
            let supported = probability >= bar_of(judged, self.policy.support_bar());
            let says = if yes { "the sources say it" } else { "no source says it" };
            let (status, reason) = (status(supported), format!("{who}: {says}"));
            let by = By::Model { who: scorer.who, bar: bar_of(judged, self.policy.support_bar()) };
            return Outcome::Decided(Judged {
                status,
                support: Some(probability),
                reason,
                by,
                ..judged.clone()
            });
        }
        let Some(own) = judged.support else { return Outcome::Nothing };
        let Some(join) = &scorer.join else {
            let against = judged.status == ClaimStatus::Supported && said.against();
            let detail =
                || format!("{} (unfitted) speaks against it: {}; \"{quoted}\"", named(scorer), said.told());
            return if against { Outcome::Flagged(detail()) } else { Outcome::Nothing };
        };
        let Some(probability) = join.probability(own, said) else { return Outcome::Nothing };
        let bar = join.bar(self.policy.supported_below);
        let by = By::Model { who: scorer.who, bar };
        let decided = |status, reason| {
            let mut evidence = judged.evidence.clone();
            if let Some(sentence) = &word.sentence
                && evidence.first().is_none_or(|first| !first.text.contains(&sentence.text))
            {
                evidence.retain(|other| other.text != sentence.text);
                evidence.insert(0, sentence.clone());
            }
            let own = word.sentence.as_ref().and_then(|sentence| usize::try_from(sentence.source).ok());
            let source = judged.source.or(own.and_then(|number| number.checked_sub(1)));
            let source = source.filter(|_| status == ClaimStatus::Supported);
            Outcome::Decided(Judged { status, support: Some(probability), reason, evidence, source, by })
        };
        if scorer.who == Who::Entailment && join.contradicts(said) {
            return decided(ClaimStatus::Contradicted, format!("{who}: the source says \"{quoted}\""));
        }
        let supported = probability >= bar;
        let reason = match (supported, judged.status, scorer.who) {
            (true, ClaimStatus::Supported, _) => String::new(),
            (true, _, Who::Entailment) => format!("{who}: said by \"{quoted}\""),
            (true, ..) => format!("{who}: nothing in it is flagged"),
            (false, _, Who::Entailment) => format!("{who}: not said by \"{quoted}\""),
            (false, ..) if quoted.is_empty() => judged.reason.clone(),
            (false, ..) => format!("{who}: no source supports \"{quoted}\""),
        };
        decided(status(supported), reason)
    }
}

fn status(supported: bool) -> ClaimStatus {
    if supported { ClaimStatus::Supported } else { ClaimStatus::Unsupported }
}

fn named(scorer: &Scorer) -> String {
    match scorer.who {
        Who::Judge => scorer.name.clone(),
        who => format!("{} {}", who.as_str(), scorer.name),
    }
}

fn judged(assessed: &Assessed) -> impl Iterator<Item = (usize, &Judged)> {
    assessed.judged.iter().enumerate().filter_map(|(at, judged)| Some((at, judged.as_ref()?)))
}

/// Whether words decided by probability alone.
fn open(judged: &Judged) -> bool {
    let by_probability = matches!(judged.by, By::Trees | By::Model { .. });
    by_probability && matches!(judged.status, ClaimStatus::Supported | ClaimStatus::Unsupported)
}

/// A claim that words leave open beside its one best sentence.
fn pair(parsed: &Parsed, assessed: &Assessed, claim: usize, judged: &Judged) -> Option<Ask> {
    let sentence = assessed.best.get(claim)?.clone().filter(|_| open(judged))?;
    let text = parsed.units.get(claim)?.judged().to_owned();
    Some(Ask { who: Who::Entailment, claim, text, evidence: vec![sentence] })
}

/// The pair of a claim that a model is to be asked about: one within the bars of its join. A model without a join can only
/// flag, and is asked about what nothing else flags.
fn ask_entailment(
    scorer: &Scorer,
    parsed: &Parsed,
    assessed: &Assessed,
    claim: usize,
    judged: &Judged,
) -> Option<Ask> {
    let (own, ask) = (judged.support?, pair(parsed, assessed, claim, judged)?);
    let wanted = match &scorer.join {
        None => judged.status == ClaimStatus::Supported,
        Some(join) => (join.ask.from..=join.ask.to).contains(&own) && speaks(join, &ask.text, parsed),
    };
    wanted.then_some(ask)
}

/// Whether a model may be asked about a claim in its language.
fn speaks(join: &Join, claim: &str, parsed: &Parsed) -> bool {
    let language = || language::detect(claim).or(parsed.language);
    join.languages.is_empty()
        || language().is_none_or(|own| join.languages.iter().any(|code| code == own.code()))
}

/// The bar of the probability that a claim has so far.
fn bar_of(judged: &Judged, bar: f64) -> f64 {
    if let By::Model { bar, .. } = judged.by { bar } else { bar }
}

/// Whether a yes or a no of a language model would carry a claim over the bar; or nothing judged it, because claim and
/// source are in different languages.
fn turnable(judged: &Judged, bar: f64) -> bool {
    let word = logit(SAID_YES);
    match (judged.status, judged.support) {
        (ClaimStatus::NotChecked, None) => judged.by == By::Language,
        (ClaimStatus::Supported, Some(own)) => open(judged) && sigmoid(logit(own) - word) < bar,
        (ClaimStatus::Unsupported, Some(own)) => open(judged) && sigmoid(logit(own) + word) >= bar,
        _ => false,
    }
}
