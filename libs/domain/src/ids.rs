//! Identifiers that travel between services; each is text on the wire and a type in the code.

use uuid::Uuid;

/// Identifies one audit record: a UUID version 7, so that its own bits tell its time and its day bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AuditId(Uuid);

impl AuditId {
    /// An id for the given instant and chance; the caller owns the clock and the generator.
    #[must_use]
    pub fn from_parts(unix_ms: u64, random: [u8; 10]) -> Self {
        Self(uuid::Builder::from_unix_timestamp_millis(unix_ms, &random).into_uuid())
    }

    /// Parses the hyphenated form; `None` unless it is a version 7 UUID.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let id = Uuid::try_parse(text).ok()?;
        (id.get_version_num() == 7).then_some(Self(id))
    }

    /// The id of these bytes; `None` unless they are a version 7 UUID.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 16]) -> Option<Self> {
        let id = Uuid::from_bytes(bytes);
        (id.get_version_num() == 7).then_some(Self(id))
    }

    /// Milliseconds since the Unix epoch at which the id was made.
    #[must_use]
    pub fn unix_ms(self) -> u64 {
        self.0.as_u128().checked_shr(80).map_or(0, |high| u64::try_from(high).unwrap_or(u64::MAX))
    }

    /// The sixteen bytes of the UUID.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 16] {
        self.0.as_bytes()
    }
}

impl std::fmt::Display for AuditId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.hyphenated().fmt(f)
    }
}

/// Names a request of a caller; repeating it within a day returns the stored outcome instead of new work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RequestId(Uuid);

impl RequestId {
    /// Parses the hyphenated form; any UUID version is accepted.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Uuid::try_parse(text).ok().map(Self)
    }
}

impl std::fmt::Display for RequestId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.hyphenated().fmt(f)
    }
}

/// Names a conversation; chosen by the caller, 1 to 128 characters without controls.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SessionId(String);

impl SessionId {
    /// Longest accepted id, in characters.
    pub const MAX_CHARS: usize = 128;

    /// `None` for an empty, over-long or control-bearing text.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let fine = !text.is_empty()
            && text.chars().count() <= Self::MAX_CHARS
            && !text.chars().any(char::is_control);
        fine.then(|| Self(text.to_owned()))
    }

    /// The id as given.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for SessionId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn an_audit_id_tells_its_own_time_and_survives_text() {
        let id = AuditId::from_parts(1_790_000_000_123, [7; 10]);
        assert_eq!(id.unix_ms(), 1_790_000_000_123);
        assert_eq!(AuditId::parse(&id.to_string()), Some(id));
    }

    #[test]
    fn an_audit_id_of_another_version_is_refused() {
        assert_eq!(AuditId::parse("6f9619ff-8b86-4011-b42d-00c04fc964ff"), None);
    }

    #[test]
    fn a_session_id_is_bounded_and_printable() {
        assert!(SessionId::parse("").is_none());
        assert!(SessionId::parse("a\nb").is_none());
        assert!(SessionId::parse(&"x".repeat(129)).is_none());
        assert_eq!(SessionId::parse("tab-1").unwrap().as_str(), "tab-1");
    }
}
