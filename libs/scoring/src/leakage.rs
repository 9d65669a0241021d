//! What rejected code says more often than accepted code: how another language leaks into answers, without a list of
//! languages.

use std::collections::{BTreeMap, BTreeSet};

use assay_statistics::{Z99, share_difference};
use serde::Serialize;

use crate::recorded::Recorded;

/// Tokens that are listed at most.
const LISTED: usize = 20;

/// A token that rejected blocks hold clearly more often than accepted ones.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Leak {
    /// The token.
    pub token: String,
    /// Rejected blocks that hold it.
    pub rejected: u64,
    /// Accepted blocks that hold it.
    pub accepted: u64,
    /// Lower end at 99 % of how much larger its share of rejected blocks is.
    pub at_least: f64,
}

/// The tokens whose share of the rejected blocks is larger at 99 %, the clearest first.
pub(crate) fn leakage<'a>(recorded: &'a [Recorded]) -> Vec<Leak> {
    // The same block again is no new evidence.
    let of = |one: &'a Recorded| {
        one.blocks.iter().filter_map(|block| Some((one.id.as_str(), block.code.as_str(), block.valid?)))
    };
    let distinct: BTreeSet<(&str, &str, bool)> = recorded.iter().flat_map(of).collect();
    let mut blocks = [0_u64; 2];
    let mut counts: BTreeMap<&str, [u64; 2]> = BTreeMap::new();
    for (_, code, valid) in distinct {
        blocks[usize::from(valid)] += 1;
        for token in tokens(code) {
            counts.entry(token).or_default()[usize::from(valid)] += 1;
        }
    }
    let leak = |(token, [rejected, accepted]): (&str, [u64; 2])| {
        let (at_least, _) = share_difference(Z99, (accepted, blocks[1]), (rejected, blocks[0]))?;
        (at_least > 0.0).then(|| Leak { token: token.to_owned(), rejected, accepted, at_least })
    };
    let mut leaks: Vec<Leak> = counts.into_iter().filter_map(leak).collect();
    leaks.sort_by(|a, b| b.at_least.total_cmp(&a.at_least).then_with(|| a.token.cmp(&b.token)));
    leaks.truncate(LISTED);
    leaks
}

/// Words and single signs of a program, each once.
fn tokens(code: &str) -> BTreeSet<&str> {
    let mut found = BTreeSet::new();
    let mut rest = code;
    while let Some(first) = rest.chars().next() {
        let word = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        let end = if word > 0 { word } else { first.len_utf8() };
        if !first.is_whitespace() {
            found.insert(&rest[..end]);
        }
        rest = &rest[end..];
    }
    found
}
