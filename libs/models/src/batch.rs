//! Groups inputs of like length, so that a batch pads little and stays within its bounds.

/// What a batch may hold.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    /// Most tokens, padding included.
    pub(crate) tokens: usize,
    /// Most inputs.
    pub(crate) rows: usize,
    /// Cores that share the work: enough batches are made to keep all of them busy.
    pub(crate) cores: usize,
}

/// Fewest tokens for which it pays to give a core a batch of its own.
const WORTH: usize = 256;

/// Places of the inputs in batches, longest inputs first. Every place is in exactly one batch.
pub(crate) fn batches(lengths: &[usize], bounds: Bounds) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..lengths.len()).collect();
    let length = |place: usize| lengths.get(place).copied().unwrap_or_default();
    order.sort_by_key(|place| std::cmp::Reverse(length(*place)));
    let share = lengths.iter().sum::<usize>().div_ceil(bounds.cores.max(1)).max(WORTH);
    let tokens = bounds.tokens.min(share);
    let mut out: Vec<Vec<usize>> = Vec::new();
    let mut longest = 0;
    for place in order {
        match out.last_mut() {
            Some(batch) if batch.len() < bounds.rows && (batch.len() + 1) * longest <= tokens => {
                batch.push(place);
            }
            _ => {
                longest = length(place);
                out.push(vec![place]);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_are_bounded_and_hold_every_input_once() {
        let lengths: Vec<usize> = (0..100).map(|n| 256 - n * 2).rev().collect();
        let groups = batches(&lengths, Bounds { tokens: 2048, rows: 32, cores: 1 });
        assert!(groups.iter().all(|group| group.len() <= 32 && group.len() * lengths[group[0]] <= 2048));
        let mut all = groups.concat();
        all.sort_unstable();
        assert_eq!(all, (0..100).collect::<Vec<_>>());
    }

    #[test]
    fn a_small_call_is_spread_over_the_cores() {
        let lengths = vec![100; 20];
        let count = |cores| batches(&lengths, Bounds { tokens: 4096, rows: 32, cores }).len();
        assert_eq!((count(1), count(2), count(4)), (1, 2, 4));
    }

    #[test]
    fn input_longer_than_a_batch_gets_its_own() {
        let groups = batches(&[10, 500, 10], Bounds { tokens: 300, rows: 32, cores: 1 });
        assert_eq!(groups, [vec![1], vec![0, 2]]);
    }
}
