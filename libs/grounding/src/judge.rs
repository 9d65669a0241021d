//! The judgement of an answer: what it needs from outside, and the report over it.
//!
//! [`Judge::needs`] says what must be fetched, [`Judge::judge`] takes it as [`Facts`]. A fact that is missing leaves its
//! check `NOT_CHECKED`; judging itself cannot fail.

use std::cell::OnceCell;
use std::sync::OnceLock;

use assay_domain::code::{Block, BlockStatus, ParsedBlock};
use assay_domain::report::{
    Attempt, CheckName, CheckStatus, CitationOrigin, Claim, Evidence, Finding, Report, Resolution, Verdict,
};
use assay_domain::{QueryType, Source, SourceKind};

use crate::assess::{self, Assessed, Broken};
use crate::checks::{self, Case};
use crate::gate::Segment;
use crate::index::SourceIndex;
use crate::language::{self, Language};
use crate::mentions;
use crate::partial;
use crate::policy::{Policy, Weight, weight};
use crate::reading::Parsed;
use crate::scorer::{self, Opinion, Uncertain};
use crate::trail::{Place, Trail};
use crate::{relevance, retry, suggest, support};

/// What an answer is judged by.
#[derive(Debug, Clone, PartialEq)]
pub struct Terms {
    /// The question; empty means that relevance is not judged.
    pub question: String,
    /// Decides which checks are required.
    pub query_type: QueryType,
    /// First draft, or the retry: then markers that lead nowhere are taken out instead of failing the answer.
    pub attempt: Attempt,
    /// Sources in marker order.
    pub sources: Vec<Source>,
    /// Sources, from 0, whose bytes are not what their hash says.
    pub damaged: Vec<usize>,
    /// Facts given with the question.
    pub extra_context: String,
    /// Whether the given sources are all there is: names outside them do not exist.
    pub sources_only: bool,
    /// Citations are not demanded; claims are held against all sources.
    pub citations_optional: bool,
    /// Attach citations to claims that one source clearly supports.
    pub attach: bool,
    /// Relevance that was judged before, 0 to 1.
    pub context_relevance: Option<f64>,
}

impl Terms {
    /// A first documentation answer that must cite these sources.
    #[must_use]
    pub fn new(question: impl Into<String>, sources: Vec<Source>) -> Self {
        Self {
            question: question.into(),
            query_type: QueryType::Retrieval,
            attempt: Attempt::First,
            sources,
            damaged: Vec::new(),
            extra_context: String::new(),
            sources_only: false,
            citations_optional: false,
            attach: false,
            context_relevance: None,
        }
    }
}

/// What must come from outside.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Needs {
    /// Code blocks to parse.
    pub blocks: Vec<Block>,
    /// Paths that no source holds.
    pub paths: Vec<String>,
    /// Symbols and commands that no source holds.
    pub names: Vec<String>,
}

/// What is known of a path or name that was looked up.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Fact {
    /// As asked.
    pub name: String,
    /// Whether the index holds it.
    pub exists: bool,
    /// Nearest known ones if it does not.
    pub near: Vec<String>,
}

/// What came from outside.
#[derive(Debug, Clone, PartialEq)]
pub struct Facts {
    /// What the parser said of the blocks; blocks it could not be asked about are `Unavailable`.
    pub blocks: Vec<ParsedBlock>,
    /// What the index said, or the stable word why it was not asked or did not answer.
    pub known: Result<Vec<Fact>, String>,
    /// What further scorers said of the claims that [`Judge::uncertain`] names; empty where none was asked.
    pub opinions: Vec<Opinion>,
}

impl Default for Facts {
    fn default() -> Self {
        Self { blocks: Vec::new(), known: Err("not_looked_up".to_owned()), opinions: Vec::new() }
    }
}

/// A segment with its own checks.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedSegment {
    /// Its text, after attaching and removing markers.
    pub text: String,
    /// Whether nothing in it fails by itself.
    pub passed: bool,
    /// What fails.
    pub errors: Vec<Finding>,
}

/// A draft from a place on.
struct View<'t> {
    text: &'t str,
    from: Place,
}

/// Sources that a scorer is shown whole, where no sentence could be chosen.
const WHOLE_SOURCES: usize = 3;
/// Most characters of each.
const WHOLE_CHARS: usize = 4000;

/// Judges the answers of one attempt.
#[derive(Debug, Clone)]
pub struct Judge {
    terms: Terms,
    policy: Policy,
    index: SourceIndex,
    /// Everything that counts as known to the answer, in lower case.
    evidence: OnceLock<String>,
    relevance: Option<f64>,
}

impl Judge {
    /// Reads the sources; linear in their text.
    #[must_use]
    pub fn new(terms: Terms, policy: Policy) -> Self {
        let index = SourceIndex::new(&terms.sources);
        let relevance = terms.context_relevance.or_else(|| relevance::probability(&terms.question, &index));
        let policy = policy.of(terms.query_type);
        Self { terms, policy, index, evidence: OnceLock::new(), relevance }
    }

    /// What it judges by.
    #[must_use]
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// The policy.
    #[must_use]
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    pub(crate) fn index(&self) -> &SourceIndex {
        &self.index
    }

    /// Whether sources, question or given facts hold a name.
    pub(crate) fn evidence_holds(&self, name: &str) -> bool {
        mentions::stands_in(name, self.evidence.get_or_init(|| evidence(&self.terms)))
    }

    /// Whether claims are held against sources at all: without any, only a documentation answer has to have some.
    pub(crate) fn holds_claims(&self) -> bool {
        weight(self.terms.query_type, CheckName::ClaimSupport) != Weight::Absent
            && (!self.index.is_empty() || self.terms.query_type == QueryType::Retrieval)
    }

    /// Whether nothing beside the given sources exists: wanted so, or the query type never looks anything up (RC-04).
    #[must_use]
    pub fn sources_are_all(&self) -> bool {
        self.terms.sources_only || !self.terms.query_type.searches()
    }

    /// What judging an answer needs from outside.
    #[must_use]
    pub fn needs(&self, answer: &str) -> Needs {
        let parsed = Parsed::new(answer, self.terms.sources.len());
        let mut needs = Needs::default();
        if weight(self.terms.query_type, CheckName::Identifiers) != Weight::Absent {
            (needs.paths, needs.names) = mentions::to_look_up(&mentions::unknown(self, &parsed));
        }
        needs.blocks = parsed.reading.blocks;
        needs
    }

    /// The claims of an answer that another scorer could turn, those nearest to the bar first, at most `most`.
    #[must_use]
    pub fn uncertain(&self, answer: &str, most: usize) -> Vec<Uncertain> {
        self.uncertain_unless(answer, most, &|| false).unwrap_or_default()
    }

    /// The same; `None` where `stop` said so, which is asked before each claim.
    #[must_use]
    pub fn uncertain_unless(
        &self,
        answer: &str,
        most: usize,
        stop: &dyn Fn() -> bool,
    ) -> Option<Vec<Uncertain>> {
        let parsed = Parsed::new(answer, self.terms.sources.len());
        let bar = self.policy.support_bar();
        let assessed = self.assess(&parsed, 0, stop)?;
        let mut found: Vec<Uncertain> = assessed
            .judged
            .into_iter()
            .enumerate()
            .filter_map(|(claim, judged)| Some((claim, judged.filter(|judged| scorer::open(judged, bar))?)))
            .filter_map(|(claim, judged)| {
                let text = parsed.units.get(claim)?.judged().to_owned();
                let evidence =
                    if judged.foreign { self.whole_sources(&parsed, claim) } else { judged.evidence };
                Some(Uncertain { claim, text, evidence, probability: judged.support })
            })
            .collect();
        let distance = |uncertain: &Uncertain| uncertain.probability.map_or(0.0, |p| (p - bar).abs());
        found.sort_by(|one, two| distance(one).total_cmp(&distance(two)));
        found.truncate(most);
        Some(found)
    }

    /// The sources that a claim cites, or all of them, as evidence: nothing of them was measured.
    fn whole_sources(&self, parsed: &Parsed<'_>, claim: usize) -> Vec<Evidence> {
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

    /// Joins opinions with the judgements of the claims they are about.
    fn hear(&self, parsed: &Parsed<'_>, assessed: &mut Assessed, opinions: &[Opinion]) {
        let bar = self.policy.support_bar();
        for opinion in opinions {
            let same = parsed.units.get(opinion.claim).is_some_and(|unit| unit.judged() == opinion.text);
            let Some(judged) = assessed.judged.get_mut(opinion.claim).filter(|_| same) else { continue };
            let joined = judged.as_ref().and_then(|judged| scorer::joined(judged, opinion, bar));
            if joined.is_some() {
                *judged = joined;
            }
        }
    }

    /// The report over a whole answer.
    #[must_use]
    pub fn judge(&self, answer: &str, facts: &Facts) -> Report {
        let draft = Parsed::new(answer, self.terms.sources.len());
        // Nobody stops it; an assessment that is not there would leave every claim unchecked.
        let assessed = self.assess(&draft, 0, &|| false).unwrap_or_else(|| self.unassessed(&draft));
        self.settle(answer, &draft, assessed, facts)
    }

    /// The report over a whole answer; `None` where `stop` said so. It is asked before each claim, so that whoever waits no
    /// longer costs no more than one.
    #[must_use]
    pub fn judge_unless(&self, answer: &str, facts: &Facts, stop: &dyn Fn() -> bool) -> Option<Report> {
        let draft = Parsed::new(answer, self.terms.sources.len());
        let assessed = self.assess(&draft, 0, stop)?;
        (!stop()).then(|| self.settle(answer, &draft, assessed, facts))
    }

    fn settle(&self, answer: &str, draft: &Parsed<'_>, mut assessed: Assessed, facts: &Facts) -> Report {
        self.hear(draft, &mut assessed, &facts.opinions);
        let text = assess::apply(answer, 0..answer.len(), &assessed.edits);
        if assessed.edits.is_empty() {
            return self.report(draft, &assessed, facts, &[]);
        }
        let settled = Parsed::new(&text, self.terms.sources.len());
        if !agrees(draft, &settled, &assessed) {
            // The markers would change what the answer says: it stays as it was written.
            let plain =
                Assessed { attached: Vec::new(), stripped: Vec::new(), edits: Vec::new(), ..assessed };
            return self.report(draft, &plain, facts, &[]);
        }
        let moved: Vec<ParsedBlock> =
            facts.blocks.iter().map(|parsed| relocate(parsed, &settled.reading.blocks)).collect();
        let facts = Facts { blocks: moved, ..facts.clone() };
        let removed: Vec<Broken> = assessed.broken.iter().flatten().cloned().collect();
        let broken =
            settled.reading.citations.iter().map(|citation| assess::broken(self, citation)).collect();
        // Markers have moved; which of them were idle is said of the draft.
        let settled_assessed = Assessed { broken, idle: Vec::new(), ..assessed };
        self.report(&settled, &settled_assessed, &facts, &removed)
    }

    /// Checks segments by themselves, in text order. `so_far` is the draft up to the end of the last one, `blocks` what
    /// the parser said of it so far.
    #[must_use]
    pub fn segments(
        &self,
        so_far: &str,
        segments: &[Segment],
        blocks: &[ParsedBlock],
    ) -> Vec<CheckedSegment> {
        let whole = View { text: so_far, from: Place::default() };
        self.view(&whole, segments, blocks, language::detect(so_far), &|| false).unwrap_or_default()
    }

    /// The same for a draft that grows: reads no more of it than what the new segments follow from, so that all of them
    /// together cost what the draft does once. `None` where `stop` said so, which is asked before each claim.
    #[must_use]
    pub fn segments_behind(
        &self,
        trail: &mut Trail,
        so_far: &str,
        segments: &[Segment],
        blocks: &[ParsedBlock],
        stop: &dyn Fn() -> bool,
    ) -> Option<Vec<CheckedSegment>> {
        let Some(first) = segments.first() else { return Some(Vec::new()) };
        // Whether a rejected program may stand depends on all markers so far.
        let rejected = |block: &ParsedBlock| {
            matches!(block.status, BlockStatus::Invalid | BlockStatus::WrongLanguage(_))
        };
        let from = trail.before(so_far, first.range.start);
        let from = if blocks.iter().any(rejected) { Place::default() } else { from };
        let view = View { text: so_far.get(from.byte..).unwrap_or(so_far), from };
        self.view(&view, segments, blocks, language::detect(so_far), stop)
    }

    fn view(
        &self,
        view: &View<'_>,
        segments: &[Segment],
        blocks: &[ParsedBlock],
        language: Option<Language>,
        stop: &dyn Fn() -> bool,
    ) -> Option<Vec<CheckedSegment>> {
        let Some(first) = segments.first() else { return Some(Vec::new()) };
        let (text, from) = (view.text, view.from);
        let inside = |byte: usize| byte.saturating_sub(from.byte).min(text.len());
        let parsed = Parsed { language, ..Parsed::new(text, self.terms.sources.len()) };
        let assessed = self.assess(&parsed, inside(first.range.start), stop)?;
        let own = blocks.iter().filter(|parsed| parsed.block.byte_start >= from.byte).cloned();
        let blocks = own.map(|mut parsed| {
            parsed.block.byte_start -= from.byte;
            parsed.block.byte_end = parsed.block.byte_end.saturating_sub(from.byte);
            parsed
        });
        let facts = Facts { blocks: blocks.collect(), ..Facts::default() };
        let mentions = OnceCell::new();
        let case =
            Case { judge: self, parsed: &parsed, assessed: &assessed, facts: &facts, removed: &[], mentions };
        let failing = checks::of_segments(&case);
        let check = |segment: &Segment| {
            let range = inside(segment.range.start)..inside(segment.range.end);
            let within =
                |finding: &&Finding| finding.span.is_some_and(|span| range.contains(&span.byte_start));
            let mut errors: Vec<Finding> = failing.iter().filter(within).cloned().collect();
            errors.iter_mut().filter_map(|error| error.span.as_mut()).for_each(|span| from.shift(span));
            let text = assess::apply(text, range.clone(), &assessed.edits);
            CheckedSegment { text, passed: errors.is_empty(), errors }
        };
        Some(segments.iter().map(check).collect())
    }

    fn assess(&self, parsed: &Parsed<'_>, from: usize, stop: &dyn Fn() -> bool) -> Option<Assessed> {
        if self.holds_claims() {
            return assess::assess(self, parsed, from, stop);
        }
        Some(self.unassessed(parsed))
    }

    /// An answer whose claims are not judged.
    fn unassessed(&self, parsed: &Parsed<'_>) -> Assessed {
        let broken = parsed.reading.citations.iter().map(|citation| assess::broken(self, citation)).collect();
        Assessed { judged: vec![None; parsed.reading.claims.len()], broken, ..Assessed::default() }
    }

    fn report(&self, parsed: &Parsed<'_>, assessed: &Assessed, facts: &Facts, removed: &[Broken]) -> Report {
        let case = Case { judge: self, parsed, assessed, facts, removed, mentions: OnceCell::new() };
        let (checks, findings) = checks::all(&case, self.relevance);
        let verdict = checks::verdict(&checks);
        let claims = claims(parsed, assessed);
        let citations = citations(self, parsed, assessed);
        let probabilities: Vec<f64> = claims.iter().filter_map(|claim| claim.support).collect();
        let refuses = self.holds_claims() && parsed.reading.only_refuses();
        let mut report = Report {
            verdict,
            support: if refuses { support::of_refusal() } else { support::of_answer(&probabilities) },
            checks,
            claims,
            citations,
            defects: parsed.reading.defects.clone(),
            blocks: facts.blocks.clone(),
            context_relevance: self.relevance,
            errors: findings.errors,
            warnings: findings.warnings,
            text: parsed.document.text.to_owned(),
            partial_response: String::new(),
            retry_prompt: String::new(),
            suggestion: String::new(),
        };
        report.partial_response = partial::partial(parsed, &report);
        if verdict == Verdict::Reject {
            let language = language::detect(&self.terms.question).or(parsed.language);
            report.retry_prompt = retry::prompt(&report, self.terms.sources.len());
            report.suggestion = suggest::suggestion(language, |name| {
                report.check(name).is_some_and(|check| check.status == CheckStatus::Failed)
            });
        }
        report
    }
}

/// Reads and compiles what the first answer of a process would wait for: tables, models, patterns.
pub fn warm() {
    let source = Source::given("1", SourceKind::Doc, "The pool opens four connections at start.", 1);
    let answer = "Here are the limits:\n\nThe pool opens \"at least four connections\" at start [^1]. \
        Source 1 says that `max_rows` is 90 seconds. The sources do not mention any other. (Passage 1)";
    if let Some(policy) = Policy::shipped(crate::policy::DEFAULT) {
        let judge = Judge::new(Terms::new("What does the pool open?", vec![source]), policy);
        let _ = judge.judge(answer, &Facts::default());
    }
}

/// The texts that [`Judge::evidence_holds`] looks in, in lower case; most answers never ask for it.
fn evidence(terms: &Terms) -> String {
    let mut evidence = String::new();
    for source in &terms.sources {
        for text in [&source.path, &source.id, &source.title, &source.text] {
            evidence.push_str(&text.to_lowercase());
            evidence.push('\n');
        }
    }
    evidence.push_str(&terms.question.to_lowercase());
    evidence.push('\n');
    evidence.push_str(&terms.extra_context.to_lowercase());
    evidence
}

/// Whether adding and removing markers changed nothing else.
fn agrees(draft: &Parsed<'_>, settled: &Parsed<'_>, assessed: &Assessed) -> bool {
    let removed = if assessed.edits.iter().any(|edit| edit.text.is_empty()) {
        assessed.broken.iter().filter(|broken| broken.is_some()).count()
    } else {
        0
    };
    let same_claims = draft.units.len() == settled.units.len()
        && draft
            .units
            .iter()
            .zip(&settled.units)
            .all(|(one, two)| one.text == two.text && one.kind == two.kind);
    let markers = draft.reading.citations.len() + assessed.attached.len() - removed;
    let placed = assessed.attached.iter().all(|(claim, source)| {
        let claim = settled.reading.claims.get(*claim);
        claim.is_some_and(|claim| {
            claim.citations.len() == 1
                && settled
                    .reading
                    .citations
                    .get(claim.citations[0] as usize)
                    .is_some_and(|c| c.marker == *source)
        })
    });
    same_claims
        && placed
        && markers == settled.reading.citations.len()
        && draft.reading.defects.len() == settled.reading.defects.len()
        && draft.reading.blocks.len() == settled.reading.blocks.len()
}

/// A parsed block at its place in the text with the markers changed.
fn relocate(parsed: &ParsedBlock, blocks: &[Block]) -> ParsedBlock {
    let mut moved = parsed.clone();
    let mut same = blocks.iter().filter(|block| block.code == parsed.block.code);
    let place = same.clone().find(|block| block.index == parsed.block.index).or_else(|| same.next());
    if let Some(place) = place {
        (moved.block.byte_start, moved.block.byte_end) = (place.byte_start, place.byte_end);
        moved.block.first_line = place.first_line;
    }
    moved
}

/// Claims of the reading with their judgements.
fn claims(parsed: &Parsed<'_>, assessed: &Assessed) -> Vec<Claim> {
    let mut claims = parsed.reading.claims.clone();
    for (claim, judged) in claims.iter_mut().zip(&assessed.judged) {
        let Some(judged) = judged else { continue };
        claim.status = judged.status;
        claim.support = judged.support;
        claim.evidence.clone_from(&judged.evidence);
        claim.reason.clone_from(&judged.reason);
    }
    claims
}

/// Citations of the reading with their origin and resolution.
fn citations(judge: &Judge, parsed: &Parsed<'_>, assessed: &Assessed) -> Vec<assay_domain::report::Citation> {
    let mut citations = parsed.reading.citations.clone();
    for (citation, broken) in citations.iter_mut().zip(&assessed.broken) {
        let claim = citation.claim.map(|claim| claim as usize);
        if assessed.attached.iter().any(|(attached, _)| Some(*attached) == claim) {
            citation.origin = CitationOrigin::Attached;
        }
        citation.resolution = match (citation.in_range, broken) {
            (true, None) if !judge.terms.sources.is_empty() => Resolution::Exact,
            (true, Some(_)) | (false, _) => Resolution::Dangling,
            _ => Resolution::NotChecked,
        };
    }
    citations
}
