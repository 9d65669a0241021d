//! How well a score ranks, whether a probability means what it says, and whether two judges agree.

/// Area under the receiver operating characteristic: how often a positive scores above a negative, ties counting half
/// (Mann and Whitney 1947); none where one kind is missing.
#[must_use]
pub fn auroc(scored: &[(f64, bool)]) -> Option<f64> {
    let mut ascending = scored.to_vec();
    ascending.sort_by(|a, b| a.0.total_cmp(&b.0));
    let positives = scored.iter().filter(|(_, positive)| *positive).count();
    let negatives = scored.len() - positives;
    if positives == 0 || negatives == 0 {
        return None;
    }
    let (mut wins, mut below) = (0.0, 0);
    for tied in ascending.chunk_by(|a, b| a.0 == b.0) {
        let up = tied.iter().filter(|(_, positive)| *positive).count();
        let down = tied.len() - up;
        wins += up as f64 * (below as f64 + down as f64 / 2.0);
        below += down;
    }
    Some(wins / (positives as f64 * negatives as f64))
}

/// Expected calibration error over bins of equal width (Guo et al. 2017): how far the mean probability of a bin is from
/// its share of hits, weighted by size; 0 without predictions.
#[must_use]
pub fn calibration_error(predicted: &[(f64, bool)], bins: usize) -> f64 {
    let bin = |probability: f64| ((probability * bins as f64) as usize).min(bins.saturating_sub(1));
    let gap = |wanted: usize| {
        let mine = predicted.iter().filter(|(probability, _)| bin(*probability) == wanted);
        let (sum, hits) = mine.fold((0.0, 0.0), |(sum, hits), (probability, hit)| {
            (sum + probability, hits + f64::from(u8::from(*hit)))
        });
        (hits - sum).abs()
    };
    (0..bins).map(gap).sum::<f64>() / predicted.len().max(1) as f64
}

/// Agreement of two judges beyond chance (Cohen 1960): 1 is full, 0 is what chance gives; none without pairs or where
/// both judges know one verdict only, so that chance alone agrees fully.
#[must_use]
pub fn kappa(pairs: &[(bool, bool)]) -> Option<f64> {
    let n = pairs.len() as f64;
    let share = |count: usize| count as f64 / n;
    let agreed = share(pairs.iter().filter(|(a, b)| a == b).count());
    let first = share(pairs.iter().filter(|(a, _)| *a).count());
    let second = share(pairs.iter().filter(|(_, b)| *b).count());
    let chance = first * second + (1.0 - first) * (1.0 - second);
    (n > 0.0 && chance < 1.0).then(|| (agreed - chance) / (1.0 - chance))
}
