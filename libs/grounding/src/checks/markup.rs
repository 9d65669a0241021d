//! The check of active content, remote images and links that run code.

use super::Case;
use super::outcome::Outcome;

pub(super) fn markup(_: &Case<'_>) -> Outcome {
    Outcome::absent("there is no markup")
}
