//! Sizes of prompts and sources, and what is refused before a provider is asked. At the limit is allowed; the failure
//! names the setting.

use assay_domain::evidence::Source;
use assay_domain::{Code, Failure};

use crate::ports::Prompt;

/// Tokens that a text will take, estimated without a model's vocabulary: a run of letters or digits costs one token
/// per five ASCII characters begun or per two others, a mark costs one, white space only where it is more than one.
#[must_use]
pub fn estimate_tokens(text: &str) -> u64 {
    let (mut tokens, mut ascii, mut wide, mut blanks) = (0u64, 0u64, 0u64, 0u64);
    for c in text.chars().chain(std::iter::once(' ')) {
        if c.is_ascii_alphanumeric() {
            ascii += 1;
        } else if c.is_alphanumeric() {
            wide += 1;
        } else {
            tokens += ascii.div_ceil(5).max(u64::from(ascii > 0 && wide == 0)) + wide.div_ceil(2);
            (ascii, wide) = (0, 0);
            if c.is_whitespace() {
                blanks += 1;
                continue;
            }
            tokens += 1;
        }
        tokens += u64::from(blanks > 1);
        blanks = 0;
    }
    tokens
}

/// Estimated tokens of a prompt.
#[must_use]
pub fn prompt_size(prompt: &Prompt) -> u64 {
    estimate_tokens(&prompt.system) + estimate_tokens(&prompt.user)
}

/// Refuses a prompt beyond the limit.
///
/// # Errors
/// `PAYLOAD_TOO_LARGE`, naming `max_prompt_tokens`.
pub fn check_prompt(prompt: &Prompt, limit: u32) -> Result<(), Failure> {
    let tokens = prompt_size(prompt);
    if tokens <= u64::from(limit) {
        return Ok(());
    }
    let text = format!(
        "the prompt has about {tokens} tokens; max_prompt_tokens allows {limit}; ask with less context or raise it"
    );
    Err(Failure::new(Code::PayloadTooLarge, text).field("max_prompt_tokens"))
}

/// Refuses sources beyond the limit.
///
/// # Errors
/// `PAYLOAD_TOO_LARGE`, naming `max_source_bytes`.
pub fn check_sources<'a>(sources: impl IntoIterator<Item = &'a Source>, limit: usize) -> Result<(), Failure> {
    let bytes: usize = sources.into_iter().map(|source| source.text.len()).sum();
    if bytes <= limit {
        return Ok(());
    }
    let text = format!(
        "the sources have {bytes} bytes; max_source_bytes allows {limit}; ask with less context or raise it"
    );
    Err(Failure::new(Code::PayloadTooLarge, text).field("max_source_bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use assay_domain::SourceKind;

    #[test]
    fn estimates_are_near_what_vocabularies_count() {
        assert_eq!(estimate_tokens(""), 0);
        let english = "The end value of a loop is included, so a loop from 0 to 9 runs ten times.";
        assert!((17..=26).contains(&estimate_tokens(english)), "{}", estimate_tokens(english));
        assert!(estimate_tokens("startLoop(i, 1, 5)\n    total = total + i\nendLoop()") >= 16);
    }

    #[test]
    fn the_limit_is_allowed_and_one_more_is_refused() {
        let source = Source::given("a", SourceKind::Doc, "12345", 1);
        assert!(check_sources([&source, &source], 10).is_ok());
        assert!(
            matches!(check_sources([&source, &source], 9), Err(f) if f.field == "max_source_bytes" && f.code == Code::PayloadTooLarge)
        );
        let prompt = crate::prompts::classify("one two three", &[]);
        let tokens = u32::try_from(prompt_size(&prompt)).unwrap_or(0);
        assert!(check_prompt(&prompt, tokens).is_ok());
        assert!(matches!(check_prompt(&prompt, tokens - 1), Err(f) if f.field == "max_prompt_tokens"));
    }
}
