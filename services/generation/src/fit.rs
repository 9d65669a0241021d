//! Makes the material of a draft fit its limits: the least relevant gives way, the caller's own words never.

use assay_domain::evidence::{Source, SourceKind};
use assay_domain::question::QueryType;
use assay_domain::{Code, Failure};

use crate::limits::{estimate_tokens, prompt_size};
use crate::ports::{DraftRequest, Prompt};
use crate::prompts;

/// What was left out. Sources keep their numbers; one that was left out has no text.
#[derive(Debug, Default)]
struct Cut {
    /// Numbers of sources that were left out.
    sources: Vec<usize>,
    /// Number of a source that was shortened, and the first line that it lacks.
    shortened: Option<(usize, u32)>,
    examples: usize,
    turns: usize,
    /// First line that the last answer lacks.
    answer: Option<usize>,
}

/// A request within its limits.
#[derive(Debug)]
pub(crate) struct Fitted {
    /// What the draft is made from.
    pub(crate) request: DraftRequest,
    /// Its prompt.
    pub(crate) prompt: Prompt,
    /// What was left out, for the reader and the record.
    pub(crate) warnings: Vec<String>,
}

/// Shortens a request until its sources have at most `source_bytes`, and its prompt `prompt_tokens` if there is such a
/// limit.
///
/// # Errors
/// `PAYLOAD_TOO_LARGE`, naming the setting, if the caller's own text alone is too large, or with it a single line of
/// the earlier answer.
pub(crate) fn fit(
    mut request: DraftRequest,
    source_bytes: usize,
    prompt_tokens: Option<u32>,
) -> Result<Fitted, Failure> {
    let mut warnings = Vec::new();
    let bytes = |request: &DraftRequest| -> u64 {
        request.citable().iter().chain(&request.examples).map(|source| source.text.len() as u64).sum()
    };
    let limit = Limit { setting: "max_source_bytes", unit: "bytes", most: source_bytes as u64 };
    limit.apply(&mut request, &mut warnings, bytes, |text| text.len() as u64)?;
    if let Some(most) = prompt_tokens {
        let tokens = |request: &DraftRequest| prompt_size(&prompts::draft(request));
        let limit = Limit { setting: "max_prompt_tokens", unit: "tokens", most: u64::from(most) };
        limit.apply(&mut request, &mut warnings, tokens, estimate_tokens)?;
    }
    let prompt = prompts::draft(&request);
    Ok(Fitted { request, prompt, warnings })
}

/// A limit on the size of a request.
struct Limit {
    setting: &'static str,
    unit: &'static str,
    most: u64,
}

// === impl Limit ===

impl Limit {
    /// Cuts until `size` fits; `part` is the size of a text alone.
    fn apply(
        &self,
        request: &mut DraftRequest,
        warnings: &mut Vec<String>,
        size: impl Fn(&DraftRequest) -> u64,
        part: impl Fn(&str) -> u64,
    ) -> Result<(), Failure> {
        let mut cut = Cut::default();
        loop {
            let total = size(request);
            let over = total.saturating_sub(self.most);
            if over == 0 {
                warnings.extend(cut.told(self));
                return Ok(());
            }
            // A part weighs more in a prompt than alone, with its tags and line numbers: half of what is too much goes
            // at once, and the whole is measured again.
            let (mut freed, mut went) = (0, false);
            while freed < over.div_ceil(2) {
                match next(request) {
                    Some(Part::Turn) => {
                        let turn = request.turns.remove(0);
                        cut.turns += 1;
                        freed += part(&turn.question) + part(&turn.answer);
                    }
                    Some(Part::Example) => {
                        let text = request.examples.pop().map(|example| example.text).unwrap_or_default();
                        cut.examples += 1;
                        freed += part(&text);
                    }
                    Some(Part::Source(index)) => {
                        let text = std::mem::take(&mut request.citable_mut()[index].text);
                        cut.sources.push(index + 1);
                        freed += part(&text);
                    }
                    Some(Part::Lines(index)) if !went => {
                        cut.shortened = self.shorten(request, index, &size);
                        if cut.shortened.is_none() {
                            cut.sources.push(index + 1);
                        }
                        break;
                    }
                    Some(Part::Answer) if !went => {
                        let kept = self.keep(request, answer, &size);
                        if kept == 0 {
                            return Err(self.refused_with(request, total, &size));
                        }
                        cut.answer = Some(kept + 1);
                        break;
                    }
                    None if !went => return Err(self.refused(total)),
                    Some(Part::Lines(_) | Part::Answer) | None => break,
                }
                went = true;
            }
        }
    }

    /// Keeps as many whole lines of a source as fit; gives its number and the first line that is gone. None if no line
    /// fits; then the source is left out.
    fn shorten(
        &self,
        request: &mut DraftRequest,
        index: usize,
        size: impl Fn(&DraftRequest) -> u64,
    ) -> Option<(usize, u32)> {
        let kept = self.keep(request, |all| Some(&mut all.citable_mut()[index].text), size);
        let source = &mut request.citable_mut()[index];
        let lines = u32::try_from(kept).unwrap_or(u32::MAX);
        source.lines.last = source.lines.first.saturating_add(lines.saturating_sub(1));
        (kept > 0).then(|| (index + 1, source.lines.first.saturating_add(lines)))
    }

    /// Keeps as many whole lines of a text as fit, and gives their number.
    fn keep(
        &self,
        request: &mut DraftRequest,
        text: impl Fn(&mut DraftRequest) -> Option<&mut String>,
        size: impl Fn(&DraftRequest) -> u64,
    ) -> usize {
        let Some(whole) = text(request).cloned() else { return 0 };
        let put = |request: &mut DraftRequest, end: usize| {
            if let Some(text) = text(request) {
                whole[..end].clone_into(text);
            }
        };
        let ends: Vec<usize> = whole.match_indices('\n').map(|(at, _)| at + 1).collect();
        let (mut kept, mut tried) = (0, ends.len());
        while kept < tried {
            let middle = (kept + tried).div_ceil(2);
            put(request, ends[middle - 1]);
            if size(request) <= self.most { kept = middle } else { tried = middle - 1 }
        }
        put(request, kept.checked_sub(1).map_or(0, |last| ends[last]));
        kept
    }

    fn refused(&self, total: u64) -> Failure {
        let Self { setting, unit, most } = self;
        let text = format!(
            "the question and what came with it have about {total} {unit}, without any source; {setting} allows \
             {most}; send less or raise it"
        );
        Failure::new(Code::PayloadTooLarge, text).field(*setting)
    }

    /// Why a request does not fit with a single line of the earlier answer, of which `rest` has none.
    fn refused_with(&self, rest: &DraftRequest, total: u64, size: impl Fn(&DraftRequest) -> u64) -> Failure {
        let alone = size(rest);
        if alone > self.most {
            return self.refused(alone);
        }
        let Self { setting, unit, most } = self;
        let text = format!(
            "the question and the earlier answer have about {total} {unit}, without any source, and no whole line of \
             the answer fits; {setting} allows {most}; raise it or ask in a new session"
        );
        Failure::new(Code::PayloadTooLarge, text).field(*setting)
    }
}

/// The last answer of the session, where the request continues one.
fn answer(request: &mut DraftRequest) -> Option<&mut String> {
    request.turns.last_mut().map(|turn| &mut turn.answer)
}

/// A part of a request that can go.
enum Part {
    /// The oldest turn of the session.
    Turn,
    /// The last example.
    Example,
    /// A source.
    Source(usize),
    /// The last lines of the only source.
    Lines(usize),
    /// The last lines of the last answer.
    Answer,
}

/// What goes next: older turns, then examples or sources in turn, whichever are more, the least relevant first, and
/// lines of the last answer at the end. The caller's editor stays.
fn next(request: &DraftRequest) -> Option<Part> {
    let turns = if request.query_type == QueryType::Conversational { request.turns.as_slice() } else { &[] };
    if turns.len() > 1 {
        return Some(Part::Turn);
    }
    let goes = |source: &Source| source.kind != SourceKind::Editor && !source.text.is_empty();
    let mut sources = request.citable().iter().enumerate().filter(|(_, source)| goes(source)).map(|(i, _)| i);
    match (sources.clone().count(), request.examples.len()) {
        (0, 0) => turns.last().filter(|turn| !turn.answer.is_empty()).map(|_| Part::Answer),
        (shown, examples) if examples >= shown => Some(Part::Example),
        (1, _) => sources.next().map(Part::Lines),
        _ => sources.next_back().map(Part::Source),
    }
}

// === impl Cut ===

impl Cut {
    fn told(mut self, limit: &Limit) -> Option<String> {
        let mut parts = Vec::new();
        self.sources.sort_unstable();
        let mut places = Vec::new();
        if !self.sources.is_empty() {
            places.push(prompts::spans(&self.sources));
        }
        if let Some((number, line)) = self.shortened {
            places.push(format!("{number} from line {line}"));
        }
        if !places.is_empty() {
            let count = self.sources.len() + usize::from(self.shortened.is_some());
            parts.push(format!("sources_cut={count} ({})", places.join(", ")));
        }
        for (name, count) in [("examples_cut", self.examples), ("turns_cut", self.turns)] {
            if count > 0 {
                parts.push(format!("{name}={count}"));
            }
        }
        parts.extend(self.answer.map(|line| format!("answer_cut=1 (from line {line})")));
        let Limit { setting, most, .. } = limit;
        (!parts.is_empty()).then(|| format!("{}: left out to fit {setting} = {most}", parts.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::ports::Turn;

    fn lines(count: usize) -> String {
        (1..=count).map(|n| format!("Line {n} says something about loops.\n")).collect()
    }

    fn request(query_type: QueryType) -> DraftRequest {
        let doc = |n: usize| Source::given(format!("d{n}"), SourceKind::Doc, lines(10), 41);
        let mut request = DraftRequest::new(query_type, "How do loops end?");
        request.sources = (1..=4).map(doc).collect();
        request.sources.push(Source::given("editor", SourceKind::Editor, "let x = 1;\n", 1));
        request
    }

    fn tokens(request: &DraftRequest) -> u32 {
        u32::try_from(prompt_size(&prompts::draft(request))).unwrap()
    }

    #[test]
    fn what_fits_stays_as_it_is() {
        let whole = request(QueryType::Retrieval);
        let fitted = fit(whole.clone(), usize::MAX, Some(tokens(&whole))).unwrap();
        assert_eq!((fitted.request, fitted.warnings), (whole, Vec::new()));
    }

    #[test]
    fn the_last_sources_give_way_and_numbers_stay() {
        let whole = request(QueryType::Retrieval);
        let fitted = fit(whole.clone(), usize::MAX, Some(tokens(&whole) - 1)).unwrap();
        assert_eq!(
            fitted.warnings,
            [format!("sources_cut=1 (4): left out to fit max_prompt_tokens = {}", tokens(&whole) - 1)]
        );
        assert_eq!(fitted.request.sources.len(), 5);
        assert!(fitted.prompt.system.contains("The numbers of the sources are: 1 to 3 and 5."));
        assert!(
            fitted.prompt.user.contains("<source n=\"3\"") && fitted.prompt.user.contains("<source n=\"5\"")
        );
        assert!(!fitted.prompt.user.contains("<source n=\"4\""));
    }

    #[test]
    fn the_only_source_is_cut_behind_a_whole_line() {
        let whole = request(QueryType::Retrieval);
        for most in 1..tokens(&whole) {
            let Ok(fitted) = fit(whole.clone(), usize::MAX, Some(most)) else { continue };
            assert!(tokens(&fitted.request) <= most);
            for (cut, source) in fitted.request.sources.iter().zip(&whole.sources) {
                assert!(
                    source.text.starts_with(&cut.text) && (cut.text.is_empty() || cut.text.ends_with('\n'))
                );
            }
            assert_eq!(fitted.request.sources[4], whole.sources[4], "the editor stays");
        }
        let mut three = request(QueryType::Retrieval);
        three.sources.truncate(1);
        three.sources[0] = Source::given("d1", SourceKind::Doc, lines(3), 41);
        let fitted = fit(whole, usize::MAX, Some(tokens(&three) + 40)).unwrap();
        assert!(
            fitted.warnings[0].starts_with("sources_cut=4 (2 to 4, 1 from line 4"),
            "{:?}",
            fitted.warnings
        );
    }

    #[test]
    fn only_the_callers_own_text_is_refused() {
        let mut own = request(QueryType::Retrieval);
        own.sources.drain(..4);
        let most = tokens(&own);
        assert!(fit(request(QueryType::Retrieval), usize::MAX, Some(most)).is_ok());
        let refused = fit(request(QueryType::Retrieval), usize::MAX, Some(most - 1)).unwrap_err();
        assert_eq!((refused.code, refused.field.as_str()), (Code::PayloadTooLarge, "max_prompt_tokens"));
        let editor = own.sources[0].text.len();
        assert!(fit(request(QueryType::Retrieval), editor, None).is_ok());
        let refused = fit(request(QueryType::Retrieval), editor - 1, None).unwrap_err();
        assert_eq!((refused.code, refused.field.as_str()), (Code::PayloadTooLarge, "max_source_bytes"));
    }

    #[test]
    fn examples_and_sources_give_way_in_turn() {
        let mut code = request(QueryType::CodeGeneration);
        code.examples =
            (0..6).map(|n| Source::given(format!("e{n}"), SourceKind::Example, lines(10), 1)).collect();
        let bytes = lines(10).len() * 4 + 11;
        let fitted = fit(code, bytes, None).unwrap();
        assert_eq!(fitted.request.examples.len(), 2);
        assert_eq!(
            fitted.warnings,
            [format!("sources_cut=2 (3 to 4), examples_cut=4: left out to fit max_source_bytes = {bytes}")]
        );
    }

    #[test]
    fn older_turns_give_way_before_the_sources_of_the_last() {
        let mut talk = DraftRequest::new(QueryType::Conversational, "shorter");
        let turn = |n: usize| Turn {
            question: format!("q{n}"),
            answer: lines(10),
            sources: vec![Source::given("d", SourceKind::Doc, lines(4), 1)],
        };
        talk.turns = (0..3).map(turn).collect();
        let whole = tokens(&talk);
        let fitted = fit(talk.clone(), usize::MAX, Some(whole - 1)).unwrap();
        assert_eq!(fitted.request.turns[..], talk.turns[1..]);
        assert!(fitted.warnings[0].starts_with("turns_cut=1:"), "{:?}", fitted.warnings);
        talk.turns.drain(..2);
        let fitted = fit(talk.clone(), usize::MAX, Some(tokens(&talk) - 1)).unwrap();
        assert!(fitted.warnings[0].starts_with("sources_cut=1 (1 from line "), "{:?}", fitted.warnings);
    }

    #[test]
    fn the_last_answer_is_cut_behind_a_whole_line() {
        let mut talk = DraftRequest::new(QueryType::Conversational, "shorter");
        let sources = vec![Source::given("d", SourceKind::Doc, lines(4), 1)];
        talk.turns = vec![Turn { question: "q".into(), answer: lines(400), sources }];
        let mut ten = talk.clone();
        ten.turns[0].sources[0].text.clear();
        ten.turns[0].answer = lines(10);
        let most = tokens(&ten);
        let fitted = fit(talk.clone(), usize::MAX, Some(most)).unwrap();
        assert_eq!(fitted.request.turns[0].answer, lines(10));
        assert_eq!(
            fitted.warnings,
            [format!(
                "sources_cut=1 (1), answer_cut=1 (from line 11): left out to fit max_prompt_tokens = {most}"
            )]
        );
        talk.turns[0].answer = lines(400).replace('\n', " ");
        let refused = fit(talk.clone(), usize::MAX, Some(most)).unwrap_err();
        assert_eq!((refused.code, refused.field.as_str()), (Code::PayloadTooLarge, "max_prompt_tokens"));
        assert!(refused.message.contains("the earlier answer"), "{}", refused.message);
        talk.question = lines(400);
        let refused = fit(talk, usize::MAX, Some(most)).unwrap_err();
        assert!(refused.message.contains("send less"), "{}", refused.message);
    }
}
