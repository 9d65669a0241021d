//! Joins what the reader says of a claim with the probability that words give it: one logistic regression.

use assay_domain::reader::{ReaderIdentity, Reading};

use crate::model::Bars;
use crate::policy::FalseRejection;

/// Least probability whose log-odds count.
const LEAST: f64 = 1e-4;

/// Least and greatest probability of a reading that counts.
const SURE: (f64, f64) = (0.01, 0.99);

/// How readings and words make one probability, and which bars it meets.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Join {
    /// Weight of the log-odds that words give.
    words: f64,
    /// Weight of the log-odds of [`Reading::says`].
    says: f64,
    /// Added to the sum.
    bias: f64,
    /// Greatest probability of [`Reading::says`] that counts, 0.5 to 1; the least is as far from 0.
    most: f64,
    /// Bars on the joined probability; none for those of words.
    bars: Option<Bars>,
    /// Least [`Reading::denies`] that contradicts a claim; none where a reader never does so.
    denies: Option<f64>,
}

/// The join of the reader that ships, printed by `tools/train/grounding/reader.py CLAIMS --count 1500`.
///
/// CLAIMS is what the reader was trained with: 1,500 drawn claims, of which words leave 1,234 open. `open` (251 left open) and `held`
/// (341) were never trained on; `open` has half of the weight of the fit, `held` none. Bars are quantiles of the honest claims of CLAIMS,
/// out of fold by tree. At the bar of 5 % fall, of the honest and of the bad: .052 and .485 of CLAIMS, .024 and .310 of `open`, .038 and
/// .275 of `held`. AUROC of words and joined: .521 and .835, .682 and .777, .583 and .781. A denial from .97 on is said of .002 of the
/// honest claims of CLAIMS, .006 of `open`, .010 of `held`, and of .048, .071 and .053 of the bad.
const SHIPPED: Join = Join {
    words: 0.080,
    says: 0.561,
    bias: 0.527,
    most: SURE.1,
    bars: Some(Bars { fr_1: 0.139, fr_3: 0.205, fr_5: 0.235 }),
    denies: Some(0.97),
};

/// SHA-256 of the model file that [`SHIPPED`] was measured with, lower-case hex.
const MEASURED: &str = "09fa1f41b710347c22846f905e9bbd88fce888ed7043907cfb87f6def51f1f0d";

/// The join of any other reader. Large models judge claims of the WiCE set with a balanced accuracy of 0.79 (published for
/// GPT-4o): no yes or no counts for more.
const UNMEASURED: Join = Join { words: 1.0, says: 1.0, bias: 0.0, most: 0.79, bars: None, denies: None };

/// Log-odds, bounded.
pub(crate) fn logit(probability: f64) -> f64 {
    let p = probability.clamp(LEAST, 1.0 - LEAST);
    (p / (1.0 - p)).ln()
}

fn sigmoid(sum: f64) -> f64 {
    1.0 / (1.0 + (-sum).exp())
}

impl Join {
    /// The join of a reader, by the SHA-256 of its model file.
    #[must_use]
    pub fn of(identity: &ReaderIdentity) -> Self {
        if identity.sha256.eq_ignore_ascii_case(MEASURED) { SHIPPED } else { UNMEASURED }
    }

    /// Whether its bars were measured with this reader.
    #[must_use]
    pub fn measured(&self) -> bool {
        self.bars.is_some()
    }

    /// What several windows say together: the mean of the log-odds of `says`, of `denies` the mean. None without any.
    #[must_use]
    pub fn mean(readings: impl ExactSizeIterator<Item = Reading>) -> Option<Reading> {
        let count = readings.len() as f64;
        let (mut odds, mut denies) = (0.0, 0.0);
        for reading in readings {
            odds += logit(reading.says.clamp(SURE.0, SURE.1));
            denies += reading.denies;
        }
        let (says, denies) = (sigmoid(odds / count), denies / count);
        (count > 0.0).then(|| Reading { says, denies, open: (1.0 - says - denies).max(0.0) })
    }

    /// Joined probability, 0 to 1, of words and of what the reader said.
    #[must_use]
    pub fn probability(&self, own: f64, reading: Reading) -> f64 {
        let says = reading.says.clamp(1.0 - self.most, self.most);
        sigmoid(self.words * logit(own) + self.says * logit(says) + self.bias)
    }

    /// Whether the reader denies a claim so surely that it is contradicted.
    #[must_use]
    pub fn contradicts(&self, reading: Reading) -> bool {
        self.denies.is_some_and(|bar| reading.denies >= bar)
    }

    /// The bar of a joined probability; `of_words` is that of words.
    #[must_use]
    pub fn bar(&self, share: FalseRejection, of_words: f64) -> f64 {
        self.bars.map_or(of_words, |bars| share.bar(bars))
    }
}
