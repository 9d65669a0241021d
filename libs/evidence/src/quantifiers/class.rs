//! Classes of quantifiers, bounds and modals, and which of them conflict.

/// Class of a quantifier, a bound or a modal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantifier {
    /// None, never.
    None,
    /// Few, rarely.
    Few,
    /// Some, sometimes.
    Some,
    /// Many, often.
    Many,
    /// Most, usually.
    Most,
    /// Every one, always.
    All,
    /// Whichever one.
    Any,
    /// No other.
    Only,
    /// Beside others: "not only", "also".
    Also,
    /// Not more than.
    AtMost,
    /// Not less than.
    AtLeast,
    /// Neither more nor less.
    Exactly,
    /// More or less.
    About,
    /// Obligation.
    Must,
    /// Recommendation.
    Should,
    /// Possibility.
    May,
}

impl Quantifier {
    /// How much it is, from none to all; nothing for bounds and modals.
    fn amount(self) -> Option<u8> {
        Some(match self {
            Self::None => 0,
            Self::Few => 1,
            Self::Some => 2,
            Self::Many => 3,
            Self::Most => 4,
            Self::All => 5,
            _ => return None,
        })
    }

    /// Whether the two cannot both be right of the same thing.
    pub fn conflicts(self, other: Self) -> bool {
        if let (Some(one), Some(two)) = (self.amount(), other.amount()) {
            let top = one.max(two);
            return one != two && (top == 5 || one.min(two) == 0 || one.abs_diff(two) >= 2);
        }
        let clash = |one: Self, two: Self| {
            use Quantifier::{
                About, All, Also, Any, AtLeast, AtMost, Exactly, Few, Many, May, Most, Must, None, Only,
                Should, Some,
            };
            matches!(
                (one, two),
                (Any, None | Few | Only)
                    | (Only, Also | All | Some | Many | Most)
                    | (AtMost, AtLeast | Exactly)
                    | (AtLeast, Exactly)
                    | (Exactly, About)
                    | (Must, Should | May)
                    | (Should, May)
                    | (All, AtMost)
            )
        };
        clash(self, other) || clash(other, self)
    }

    /// Whether it makes a statement stronger or weaker where the source has nothing of the kind. "Each" and "all" fall
    /// into place by themselves, "always" does not.
    pub fn changes(self, word: &str) -> bool {
        use Quantifier::{All, Few, None, Only, Some};
        matches!(self, None | Few | Some | Only) || (self == All && matches!(word, "always" | "siempre"))
    }
}
