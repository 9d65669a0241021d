//! Evidence: lines of a file at a content hash, and how they were found.

use crate::names::named;

named! {
    /// Where a source comes from.
    pub enum SourceKind {
        /// Documentation.
        Doc = "doc",
        /// Source code.
        Code = "code",
        /// A validated example of the few-shot pool.
        Example = "example",
        /// A turn of this session.
        Session = "session",
        /// What the caller's editor holds.
        Editor = "editor",
        /// Facts of `extra_context`.
        Platform = "platform",
    }
}

/// Lines of a text, 1-based and inclusive. Zero or reversed values can be held: a check reports them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LineRange {
    /// First line.
    pub first: u32,
    /// Last line.
    pub last: u32,
}

impl LineRange {
    /// From first to last line, as written.
    #[must_use]
    pub const fn new(first: u32, last: u32) -> Self {
        Self { first, last }
    }

    /// Whether it starts at 1 or later and does not run backwards.
    #[must_use]
    pub const fn is_well_formed(self) -> bool {
        self.first >= 1 && self.first <= self.last
    }

    /// Whether every line of `other` lies inside.
    #[must_use]
    pub const fn contains(self, other: Self) -> bool {
        self.first <= other.first && other.last <= self.last
    }
}

impl std::fmt::Display for LineRange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}-{}", self.first, self.last)
    }
}

/// A source that an answer may cite. Its place in the answer's source list, counted from 1, is the `N` of `[^N]`.
#[derive(Debug, Clone, PartialEq)]
pub struct Source {
    /// Identity of the chunk in the index, or of the attachment.
    pub id: String,
    /// Where it comes from.
    pub kind: SourceKind,
    /// Path of the file inside its collection; empty if it has none.
    pub path: String,
    /// Lines of the file that `text` holds.
    pub lines: LineRange,
    /// Document title, or the heading path of the passage.
    pub title: String,
    /// Headings above the passage, outermost first.
    pub headings: Vec<String>,
    /// Id of the nearest heading, as the page's site generator makes it: the fragment of a link; empty if there is none.
    pub anchor: String,
    /// The cited bytes.
    pub text: String,
    /// SHA-256 of `text`, lower-case hex.
    pub sha256: String,
    /// SHA-256 of the whole file when it was indexed, lower-case hex; empty if there is no file.
    pub file_sha256: String,
    /// Commit of the file when known; else empty.
    pub commit: String,
    /// Language of the text: `en`, `es`, a programming language name, or empty when unknown.
    pub language: String,
}

impl Source {
    /// A source that comes with a request instead of an index: no path version, lines counted from `first_line`.
    #[must_use]
    pub fn given(id: impl Into<String>, kind: SourceKind, text: impl Into<String>, first_line: u32) -> Self {
        let text = text.into();
        let count = u32::try_from(text.lines().count().max(1)).unwrap_or(u32::MAX);
        Self {
            id: id.into(),
            kind,
            path: String::new(),
            lines: LineRange::new(first_line, first_line.saturating_add(count - 1)),
            title: String::new(),
            headings: Vec::new(),
            anchor: String::new(),
            text,
            sha256: String::new(),
            file_sha256: String::new(),
            commit: String::new(),
            language: String::new(),
        }
    }

    /// Text of some of its lines as a citation of them hashes it, without the ending of the last line; none where
    /// `text` does not hold them.
    #[must_use]
    pub fn text_of(&self, lines: LineRange) -> Option<&str> {
        if !lines.is_well_formed() || lines.first < self.lines.first {
            return None;
        }
        let (above, below) = (lines.first - self.lines.first, lines.last - self.lines.first);
        let (mut start, mut end) = (None, 0);
        for (number, line) in (0..=below).zip(self.text.split_inclusive('\n')) {
            if number == above {
                start = Some(end);
            }
            end += line.len();
            if number == below {
                let text = self.text.get(start?..end)?;
                let text = text.strip_suffix('\n').unwrap_or(text);
                return Some(text.strip_suffix('\r').unwrap_or(text));
            }
        }
        None
    }
}

named! {
    /// Which legs a search uses; results of different modes are not comparable.
    pub enum SearchMode {
        /// Both legs, fused by reciprocal rank.
        Hybrid = "hybrid",
        /// Nearest neighbours only.
        KnnOnly = "knn_only",
        /// BM25 only.
        Bm25Only = "bm25_only",
    }
}

/// Place and score of a hit in one leg of the search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LegRank {
    /// 1 is best.
    pub rank: u32,
    /// The leg's own score: BM25, or cosine similarity.
    pub score: f64,
}

/// A source with the reason it was returned.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// What was found.
    pub source: Source,
    /// Fused score, 0 to 1, or the leg's own score in a single-leg mode.
    pub score: f64,
    /// Place in the BM25 leg, if it was there.
    pub bm25: Option<LegRank>,
    /// Place in the nearest-neighbour leg, if it was there.
    pub knn: Option<LegRank>,
}
