//! Limited-memory BFGS with backtracking (Nocedal and Wright, Numerical Optimization, algorithm 7.5).

/// Remembered steps.
const MEMORY: usize = 10;

/// Minimises a smooth function from the origin; returns the point and the steps taken.
pub(crate) fn minimise(
    mut value_and_gradient: impl FnMut(&[f64]) -> (f64, Vec<f64>),
    size: usize,
    max_iterations: usize,
) -> (Vec<f64>, usize) {
    let mut x = vec![0.0; size];
    let (mut value, mut gradient) = value_and_gradient(&x);
    let mut steps: Vec<(Vec<f64>, Vec<f64>, f64)> = Vec::new();
    for iteration in 0..max_iterations {
        let norm = dot(&gradient, &gradient).sqrt();
        if norm < 1e-6 {
            return (x, iteration);
        }
        let direction = direction(&gradient, &steps);
        let slope = dot(&gradient, &direction);
        let mut length = if steps.is_empty() { (1.0 / norm).min(1.0) } else { 1.0 };
        let mut next = None;
        for _ in 0..30 {
            let candidate: Vec<f64> = x.iter().zip(&direction).map(|(x, d)| x + length * d).collect();
            let (at, slopes) = value_and_gradient(&candidate);
            if at <= value + 1e-4 * length * slope {
                next = Some((candidate, at, slopes));
                break;
            }
            length *= 0.5;
        }
        let Some((candidate, at, slopes)) = next else { return (x, iteration) };
        let step: Vec<f64> = candidate.iter().zip(&x).map(|(new, old)| new - old).collect();
        let change: Vec<f64> = slopes.iter().zip(&gradient).map(|(new, old)| new - old).collect();
        let curvature = dot(&step, &change);
        if curvature > 1e-12 {
            if steps.len() == MEMORY {
                steps.remove(0);
            }
            steps.push((step, change, 1.0 / curvature));
        }
        let gain = value - at;
        (x, value, gradient) = (candidate, at, slopes);
        if gain < 1e-5 * value.abs().max(1e-3) {
            return (x, iteration + 1);
        }
    }
    (x, max_iterations)
}

/// The two-loop recursion.
fn direction(gradient: &[f64], steps: &[(Vec<f64>, Vec<f64>, f64)]) -> Vec<f64> {
    let mut q: Vec<f64> = gradient.to_vec();
    let mut alphas = Vec::with_capacity(steps.len());
    for (step, change, rho) in steps.iter().rev() {
        let alpha = rho * dot(step, &q);
        q.iter_mut().zip(change).for_each(|(q, y)| *q -= alpha * y);
        alphas.push(alpha);
    }
    if let Some((_, change, rho)) = steps.last() {
        let scale = 1.0 / (rho * dot(change, change));
        q.iter_mut().for_each(|q| *q *= scale);
    }
    for ((step, change, rho), alpha) in steps.iter().zip(alphas.iter().rev()) {
        let beta = rho * dot(change, &q);
        q.iter_mut().zip(step).for_each(|(q, s)| *q += (alpha - beta) * s);
    }
    q.iter_mut().for_each(|q| *q = -*q);
    q
}

fn dot(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(x, y)| x * y).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bent_valley_is_followed_to_its_minimum() {
        let rosenbrock = |x: &[f64]| {
            let (a, b) = (x[0], x[1]);
            let value = (1.0 - a).powi(2) + 100.0 * (b - a * a).powi(2);
            (value, vec![-2.0 * (1.0 - a) - 400.0 * a * (b - a * a), 200.0 * (b - a * a)])
        };
        let (x, _) = minimise(rosenbrock, 2, 500);
        assert!((x[0] - 1.0).abs() < 1e-2 && (x[1] - 1.0).abs() < 2e-2, "{x:?}");
    }
}
