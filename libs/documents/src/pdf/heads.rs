//! Removes running heads, feet and page numbers.

use std::collections::{HashMap, HashSet};

use super::layout::Line;

/// Lines at each end of a page that may be its head or its foot.
const ENDS: usize = 3;
/// Part of the height of all text, at the top and at the bottom, in which they stand.
const ZONE: f32 = 0.12;
/// Least pages of a line that recurs.
const LEAST: usize = 3;
/// Places that differ by less, in points, are the same.
const PLACE: f32 = 4.0;

/// Gap between a head and the text below it, in sizes.
const APART: f32 = 1.45;

/// What recurs: the words without their digits, and the place.
type Key = (String, i64);

/// Leaves out lines that recur at the same place on half of the pages, or on half of the left or right pages.
pub(super) fn remove(pages: &mut [Vec<Line>]) {
    let zone = zone(pages);
    let mut counts: HashMap<Key, [usize; 2]> = HashMap::new();
    for (number, page) in pages.iter().enumerate() {
        let ends: Vec<&Line> = ends(page, zone).into_iter().filter_map(|at| page.get(at)).collect();
        let mut keys: HashSet<Key> = ends.iter().map(|line| key(line)).collect();
        keys.extend(ends.iter().filter(|line| stands_apart(page, line)).map(|line| place(line)));
        for key in keys {
            if let Some(count) = counts.entry(key).or_default().get_mut(number % 2) {
                *count += 1;
            }
        }
    }
    let total = pages.len();
    let halves = [total.div_ceil(2), total / 2];
    for (number, page) in pages.iter_mut().enumerate() {
        let recurs = |key: &Key| {
            let counts = counts.get(key).copied().unwrap_or_default();
            let all = counts.iter().sum::<usize>();
            let side = counts.get(number % 2).copied().unwrap_or(0);
            let half = halves.get(number % 2).copied().unwrap_or(0);
            all >= LEAST && 2 * all >= total || side >= LEAST && 2 * side >= half
        };
        let leaves = |line: &Line| {
            let apart = || stands_apart(page, line) && recurs(&place(line));
            recurs(&key(line)) || is_number(line) && stands_apart(page, line) || apart()
        };
        let out: HashSet<usize> =
            ends(page, zone).into_iter().filter(|at| page.get(*at).is_some_and(leaves)).collect();
        let mut at = 0;
        page.retain(|_| {
            at += 1;
            !out.contains(&(at - 1))
        });
    }
}

/// The places between which the body of the pages stands.
fn zone(pages: &[Vec<Line>]) -> (f32, f32) {
    let places = || pages.iter().flatten().map(|line| line.y);
    let low = places().min_by(f32::total_cmp).unwrap_or(0.0);
    let high = places().max_by(f32::total_cmp).unwrap_or(0.0);
    let height = (high - low) * ZONE;
    (low + height, high - height)
}

/// The lines nearest to the top and to the bottom of a page, outside of the body.
fn ends(page: &[Line], (low, high): (f32, f32)) -> Vec<usize> {
    let mut order: Vec<usize> = (0..page.len()).collect();
    order.sort_by(|one, other| {
        let y = |at: &usize| page.get(*at).map_or(0.0, |line| line.y);
        y(other).total_cmp(&y(one))
    });
    let last = order.len().saturating_sub(ENDS).max(ENDS.min(order.len()));
    let ends = order.iter().take(ENDS).chain(order.iter().skip(last)).copied();
    ends.filter(|at| page.get(*at).is_some_and(|line| line.y >= high || line.y <= low)).collect()
}

fn key(line: &Line) -> Key {
    let words = line.text.chars().filter(|c| !c.is_ascii_digit() && !c.is_whitespace()).collect();
    (words, (line.y / PLACE).round() as i64)
}

/// The place alone.
fn place(line: &Line) -> Key {
    (String::new(), (line.y / PLACE).round() as i64)
}

/// Whether a line is the first or the last of its page and stands apart from the others.
fn stands_apart(page: &[Line], line: &Line) -> bool {
    let distance = |other: &Line| other.y - line.y;
    let others = || page.iter().map(distance).filter(|distance| distance.abs() > 0.1 * line.size);
    let nearest = others().map(f32::abs).min_by(f32::total_cmp).unwrap_or(0.0);
    let side = others().all(|distance| distance > 0.0) || others().all(|distance| distance < 0.0);
    side && nearest > APART * line.size
}

/// Whether a line is a number alone, Arabic or Roman.
fn is_number(line: &Line) -> bool {
    let text = line.text.trim();
    let roman = |c: char| matches!(c, 'i' | 'v' | 'x' | 'l');
    !text.is_empty()
        && text.len() < 6
        && (text.bytes().all(|byte| byte.is_ascii_digit()) || text.chars().all(roman))
}
