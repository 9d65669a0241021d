//! Statistics of shares, means and paired runs.
//!
//! Pure and deterministic: what resamples takes a seed, and the same seed gives the same bytes on every machine.
//! Absent: what is measured, and how a figure is printed.

mod mean;
mod paired;
mod rank;
mod share;

pub use mean::{Summary, bootstrap_mean, detectable_difference};
pub use paired::{mcnemar, sign_flip};
pub use rank::{auroc, calibration_error, kappa};
pub use share::{Z95, Z99, share_difference, wilson, wilson_at};
