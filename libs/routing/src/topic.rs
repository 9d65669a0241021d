//! The topic of a message: all that a later request may learn of it.

use assay_redact::redact;

/// Characters of a topic.
pub const TOPIC_CHARS: usize = 60;

/// First [`TOPIC_CHARS`] characters of the redacted message, white space folded.
#[must_use]
pub fn topic(message: &str) -> String {
    let folded = redact(message).split_whitespace().collect::<Vec<_>>().join(" ");
    folded.chars().take(TOPIC_CHARS).collect::<String>().trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_topic_is_cut_on_a_character_and_redacted_first() {
        assert_eq!(topic(&"ñ".repeat(80)).chars().count(), TOPIC_CHARS);
        assert_eq!(topic("write to\n bob@example.org"), "write to [redacted:email]");
    }
}
