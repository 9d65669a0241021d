//! Scores of recorded answers: metrics, the gate of the parser, reports, comparisons, thresholds.
//!
//! Pure: the same recorded lines give the same bytes, wherever and whenever. What cannot be computed is an outcome with
//! its reason, is counted, and is never a number. Absent: asking, parsing, judging, and files.
//!
//! | file | holds |
//! |---|---|
//! | `metric` | the four metrics of RAGAS from verdicts |
//! | `judge` | what a model is asked as the judge, and verdicts from its replies |
//! | `agreement` | judges side by side, and the checks against them |
//! | `recorded` | what a run keeps of one answer, and its manifest |
//! | `item` | the scores of one answer, code first |
//! | `figure` | scores of many answers: mean, spread, intervals |
//! | `report` | the report of a run |
//! | `leakage` | what rejected code says more often than accepted code |
//! | `compare` | two runs over the same questions |
//! | `ranking` | searches of several indices for the same questions |
//! | `repairs` | what a retry is worth |
//! | `gate` | figures against thresholds |
//! | `checks` | the checks themselves, on claims that people labelled |
//! | `standing` | what makes a run binding |

mod agreement;
mod checks;
mod compare;
mod figure;
mod gate;
mod item;
pub mod judge;
mod leakage;
mod metric;
pub mod ranking;
mod recorded;
mod repairs;
mod report;
mod standing;

pub use agreement::{AgainstJudge, Agreement, Share};
pub use checks::{Gold, OfChecks, Part, Said, of_checks};
pub use compare::{Comparison, Difference, Measured, compare};
pub use figure::Figure;
pub use gate::{Bound, Thresholds, Verdicted, gate};
pub use item::{Scored, scored};
pub use leakage::Leak;
pub use metric::{Attributed, Question, Reason, Score, Statement, Verdicts, cosine};
pub use recorded::{Answered, Block, Citation, Claim, Finding, Manifest, Place, Recorded, Source};
pub use repairs::{Repaired, Repairs, repairs};
pub use report::{Confusion, Report, report};
pub use standing::pinned;
