//! Holds every claim of a reading against the sources it cites, and says which markers to add and which to take out.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use assay_domain::SourceKind;
use assay_domain::evidence::LineRange;
use assay_domain::report::{Attempt, Citation, ClaimKind, ClaimStatus, Evidence};

use crate::claims::Unit;
use crate::judge::Judge;
use crate::reading::Parsed;
use crate::support::{By, Judged, Support};

/// Why a marker with a number that exists resolves to nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Broken {
    /// Its lines do not exist in the source.
    Lines(String),
    /// The source is not what the index holds.
    Source(String),
}

impl Broken {
    pub(crate) fn detail(&self) -> &str {
        match self {
            Self::Lines(detail) | Self::Source(detail) => detail,
        }
    }
}

/// A change of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Edit {
    /// Bytes to replace; empty to insert.
    pub(crate) range: Range<usize>,
    /// What to put there.
    pub(crate) text: String,
}

/// Something to be said of a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Note {
    /// Index of the claim.
    pub(crate) claim: usize,
    /// What it is.
    pub(crate) detail: String,
}

/// What holding the claims against the sources gave.
#[derive(Debug, Clone, Default)]
pub(crate) struct Assessed {
    /// One entry a claim; none for claims that are not judged.
    pub(crate) judged: Vec<Option<Judged>>,
    /// One entry a citation.
    pub(crate) broken: Vec<Option<Broken>>,
    /// Claims whose markers are taken out.
    pub(crate) stripped: Vec<usize>,
    /// Claims that get a marker, with the number of the source from 1.
    pub(crate) attached: Vec<(usize, u32)>,
    /// Markers beside one that suffices whose own source does not support the claim.
    pub(crate) idle: Vec<usize>,
    /// In text order, without overlaps.
    pub(crate) edits: Vec<Edit>,
    /// The one best sentence of each claim that words leave open; empty where nobody reads it.
    pub(crate) best: Vec<Option<Evidence>>,
    /// Claims that the reader was to be asked about and said nothing of.
    pub(crate) unscored: Vec<Note>,
}

impl Assessed {
    /// Takes back the marker that was attached to a claim which ends there.
    pub(crate) fn detach(&mut self, claim: usize, end: usize) {
        if let Ok(place) = self.attached.binary_search_by_key(&claim, |(claim, _)| *claim) {
            self.attached.remove(place);
            self.edits.retain(|edit| edit.range != (end..end));
        }
    }
}

/// Assesses the claims that begin at or behind `from`; those before it stay unjudged. `None` where `stop` said so, which
/// is asked before each claim.
pub(crate) fn assess(
    judge: &Judge,
    parsed: &Parsed,
    from: usize,
    stop: &dyn Fn() -> bool,
) -> Option<Assessed> {
    let answer = &*parsed.document.text;
    let terms = judge.terms();
    let reading = &parsed.reading;
    let support = Support::new(judge.index(), &terms.question, judge.policy().support_bar(), parsed.language)
        .remembering(judge.memory());
    let broken: Vec<Option<Broken>> =
        reading.citations.iter().map(|citation| broken(judge, citation)).collect();
    let mut out = Assessed { judged: vec![None; reading.claims.len()], broken, ..Assessed::default() };
    if judge.wants_sentences() {
        out.best = vec![None; reading.claims.len()];
    }
    let removes = terms.attempt == Attempt::Retry;
    if removes {
        for (citation, _) in reading.citations.iter().zip(&out.broken).filter(|(_, broken)| broken.is_some())
        {
            out.edits.push(removal(answer, citation));
        }
    }
    for (at, (claim, unit)) in reading.claims.iter().zip(&parsed.units).enumerate() {
        if claim.kind != ClaimKind::Factual || claim.span.byte_start < from {
            continue;
        }
        if stop() {
            return None;
        }
        let markers: Vec<usize> = claim.citations.iter().map(|index| *index as usize).collect();
        let sound = |index: &usize| {
            let citation = reading.citations.get(*index)?;
            let sound = citation.in_range && out.broken.get(*index).is_some_and(Option::is_none);
            sound.then_some(((citation.marker as usize).checked_sub(1)?, citation.lines))
        };
        let cited: Vec<(usize, Option<LineRange>)> = markers.iter().filter_map(sound).collect();
        let lost = markers.iter().any(|index| out.broken.get(*index).is_some_and(Option::is_some));
        if removes && lost {
            out.stripped.push(at);
        }
        let mut cited = cited;
        let editor = editor_places(judge, &unit.editor);
        cited.extend(editor.iter().flatten().copied());
        // What is cited again says nothing new.
        let mut seen = BTreeSet::new();
        cited.retain(|place| seen.insert(key(place)));
        let written = !markers.is_empty() || !unit.editor.is_empty();
        // Without any source a marker is no worse and no better than none.
        let only_broken = cited.is_empty() && written && !terms.sources.is_empty();
        if only_broken && !(removes && lost) {
            out.judged[at] = Some(unchecked("what it cites does not exist"));
            continue;
        }
        if unit.struck {
            out.judged[at] = Some(unchecked("its figure is struck out"));
            continue;
        }
        let judged = support.judge(unit.judged(), &cited);
        let judged = misnumbered(judge, &support, unit, &judged).unwrap_or(judged);
        if cited.len() > 1 && judged.status == ClaimStatus::Supported {
            let mut alone = BTreeMap::new();
            for index in &markers {
                let Some(one) = sound(index) else { continue };
                if alone.len() >= BESIDE && !alone.contains_key(&key(&one)) {
                    continue;
                }
                let suffices =
                    *alone.entry(key(&one)).or_insert_with(|| support.supports(unit.judged(), &[one], 0.0));
                if !suffices {
                    out.idle.push(*index);
                }
            }
        }
        // A figure alone in a cell is cited with its row.
        let bare = unit.row.is_some() && !unit.judged().contains(char::is_alphabetic);
        let wants_marker =
            !written && !bare && !unit.exempt && terms.attach && judged.status == ClaimStatus::Supported;
        if wants_marker && let Some(source) = attachable(judge, &support, unit.judged(), &judged) {
            out.attached.push((at, source));
            out.edits.push(Edit { range: unit.range.end..unit.range.end, text: format!(" [^{source}]") });
        }
        let open = matches!(judged.status, ClaimStatus::Supported | ClaimStatus::Unsupported);
        if let Some(best) = out.best.get_mut(at).filter(|_| open && judged.by == By::Trees) {
            *best = support.sentence(unit.judged(), &cited);
        }
        out.judged[at] = Some(judged);
    }
    out.edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
    Some(out)
}

/// Places cited by one claim that are tried alone.
const BESIDE: usize = 64;

/// What tells a cited place from another.
fn key((source, lines): &(usize, Option<LineRange>)) -> (usize, Option<(u32, u32)>) {
    (*source, lines.map(|lines| (lines.first, lines.last)))
}

/// Source, from 0, and lines of each place in the caller's editor; none for lines that no editor source holds.
pub(crate) fn editor_places(judge: &Judge, lines: &[LineRange]) -> Vec<Option<(usize, Option<LineRange>)>> {
    let sources = judge.terms().sources.iter().enumerate();
    let editors: Vec<(usize, LineRange)> = sources
        .filter(|(_, source)| source.kind == SourceKind::Editor)
        .map(|(place, source)| (place, source.lines))
        .collect();
    lines
        .iter()
        .map(|wanted| {
            let sound = wanted.first > 0 && wanted.first <= wanted.last;
            let holder = editors.iter().find(|(_, held)| sound && held.contains(*wanted))?;
            Some((holder.0, Some(*wanted)))
        })
        .collect()
}

/// A claim that some source supports, but not the one whose number it names: "according to source 2".
fn misnumbered(judge: &Judge, support: &Support<'_>, unit: &Unit, judged: &Judged) -> Option<Judged> {
    let sources = &judge.terms().sources;
    let upheld = matches!(judged.status, ClaimStatus::Supported | ClaimStatus::SupportedElsewhere);
    if unit.named.is_empty() || sources.len() < 2 || !upheld {
        return None;
    }
    let holder = judged.source? + 1;
    let mut places = Vec::new();
    for number in &unit.named {
        let place = usize::try_from(*number).ok()?;
        if place == holder || own_label(sources, *number, place) {
            return None;
        }
        places.extend(place.checked_sub(1).filter(|place| *place < sources.len()).map(|place| (place, None)));
    }
    let first = unit.named.first()?;
    let reason = if places.is_empty() {
        format!("passage number: the claim names source {first}, and there are {} only", sources.len())
    } else {
        let alone = support.judge(unit.judged(), &places);
        if matches!(alone.status, ClaimStatus::Supported | ClaimStatus::NotChecked) {
            return None;
        }
        format!("passage number: the claim names source {first}, source {holder} holds it")
    };
    Some(Judged { status: ClaimStatus::SupportedElsewhere, reason, by: By::Rule, ..judged.clone() })
}

/// Whether the sources number their own parts in such a way that the number need not be the position of a source.
fn own_label(sources: &[assay_domain::Source], number: u32, place: usize) -> bool {
    const WORDS: &[&str] = &["passage", "source", "document", "pasaje", "fuente", "documento"];
    let number = number.to_string();
    let first = number.chars().next().unwrap_or('0');
    let ends = |text: &str, word: &str| {
        let start = text.len().checked_sub(word.len());
        start.is_some_and(|start| text.as_bytes()[start..].eq_ignore_ascii_case(word.as_bytes()))
    };
    let holds = |source: &assay_domain::Source| {
        let text = source.text.as_str();
        text.match_indices(first).filter(|(at, _)| text[*at..].starts_with(&number)).any(|(at, _)| {
            text[..at].strip_suffix(' ').is_some_and(|before| WORDS.iter().any(|word| ends(before, word)))
        })
    };
    // A source may say its own number; then it is its position.
    sources.iter().enumerate().any(|(at, source)| at + 1 != place && holds(source))
}

/// The number of the source that supports a claim clearly and by itself.
fn attachable(judge: &Judge, support: &Support<'_>, claim: &str, judged: &Judged) -> Option<u32> {
    let bar = judge.policy().attach_bar;
    let source = judged.source.filter(|_| judged.support.is_some_and(|p| p >= bar))?;
    u32::try_from(source + 1).ok().filter(|_| support.supports(claim, &[(source, None)], bar))
}

/// Judgement of a claim that says nothing that can be held against a source.
fn unchecked(reason: &str) -> Judged {
    Judged {
        status: ClaimStatus::NotChecked,
        support: None,
        reason: reason.to_owned(),
        evidence: Vec::new(),
        source: None,
        by: By::Nothing,
    }
}

/// What is wrong with a marker whose number is in range.
pub(crate) fn broken(judge: &Judge, citation: &Citation) -> Option<Broken> {
    if !citation.in_range {
        return None;
    }
    let place = (citation.marker as usize).checked_sub(1)?;
    let source = judge.terms().sources.get(place)?;
    if judge.is_damaged(place) {
        let detail =
            format!("{} cites a source that the index does not hold as it was quoted", citation.text);
        return Some(Broken::Source(detail));
    }
    let lines = citation.lines?;
    let detail = match lines {
        LineRange { first: 0, .. } | LineRange { last: 0, .. } => {
            format!("{}: lines are counted from 1", citation.text)
        }
        LineRange { first, last } if first > last => format!("{}: the lines run backwards", citation.text),
        lines if !source.lines.contains(lines) => {
            format!("{}: source {} holds lines {} only", citation.text, citation.marker, source.lines)
        }
        _ => return None,
    };
    Some(Broken::Lines(detail))
}

/// Takes a marker out, with the space before it.
fn removal(answer: &str, citation: &Citation) -> Edit {
    let end = citation.span.byte_end;
    let before = &answer[..citation.span.byte_start];
    let bare = before.trim_end_matches([' ', '\t']);
    let line_start = bare.is_empty() || bare.ends_with('\n');
    let start = if line_start { before.len() } else { bare.len() };
    Edit { range: start..end, text: String::new() }
}

/// Applies edits that lie in a range of a text.
pub(crate) fn apply(text: &str, within: Range<usize>, edits: &[Edit]) -> String {
    let mut out = String::with_capacity(within.len() + 16);
    let mut at = within.start;
    for edit in edits {
        // An insertion at the very start belongs to what stands before.
        let inside = edit.range.start >= at && edit.range.end <= within.end;
        if !inside || (edit.range.is_empty() && edit.range.start == within.start) {
            continue;
        }
        out.push_str(&text[at..edit.range.start]);
        out.push_str(&edit.text);
        at = edit.range.end;
    }
    out.push_str(&text[at..within.end]);
    out
}
