//! How the time grows where a length doubles.

use std::hint::black_box;

use assay_grounding::Segmenter;

use super::texts::{BOTH, PLAIN, Pair, UNLIKE};
use super::{Item, Texts, best, items, mean, validate};

/// Growth of the time where a length doubles.
pub(crate) const ALLOWED: f64 = 2.3;
/// Growth where the answer and its sources double together: that of work which is linear in either would be 4.
pub(crate) const ALLOWED_TOGETHER: f64 = 3.0;

/// Growth over two doublings, a step.
fn grown(name: &str, items: &[Vec<Item>; 3], runs: usize) -> bool {
    growing(name, [0, 1, 2].map(|at| mean(&items[at], runs, validate)), ALLOWED)
}

fn growing(name: &str, times: [f64; 3], allowed: f64) -> bool {
    let growth = (times[2] / times[0]).sqrt();
    let missed = if growth <= allowed { "" } else { "  missed" };
    println!("{name:34} {:8.3} {:9.3} {:9.3} ms  × {growth:.2}{missed}", times[0], times[1], times[2]);
    growth <= allowed
}

/// Cuts a draft into segments, in a few large deltas and in many small ones.
fn cut_into_segments(text: &str) {
    for size in [text.len() / 3 + 1, 64] {
        let mut gate = Segmenter::new();
        let characters: Vec<char> = text.chars().collect();
        for delta in characters.chunks(size) {
            black_box(gate.push(&delta.iter().collect::<String>()));
        }
        black_box(gate.finish());
    }
}

/// Prints how the time grows with the answer, the draft, the sources, and with both; whether it is nowhere more than allowed.
pub(crate) fn growth(pool: &[Texts]) -> bool {
    let answers = longer_answers(pool);
    let sources = longer_sources(pool);
    let both = longer_both();
    answers && sources && both
}

fn longer_answers(pool: &[Texts]) -> bool {
    println!("\ntwice the answer                       4 kB      8 kB     16 kB   growth");
    let mut good = grown("prose", &[4, 8, 16].map(|kb| items(pool, 4, kb * 1000, (8, 1000))), 5);
    for (name, generate) in UNLIKE {
        let base = &items(pool, 1, 100, (8, 1000))[0];
        let item = |kb: usize| {
            let answer = generate(kb * 1000);
            vec![Item { question: base.question.clone(), answer, sources: base.sources.clone() }]
        };
        good &= grown(name, &[item(4), item(8), item(16)], 5);
    }
    println!("\ntwice the answer                      32 kB     64 kB    128 kB   growth");
    for (name, generate) in UNLIKE {
        let item = |kb: usize| {
            let (answer, source) = (generate(kb * 1000), "The pool opens four rows and stops early.");
            vec![Item { question: "What stops?".to_owned(), answer, sources: vec![source.to_owned()] }]
        };
        good &= grown(name, &[item(32), item(64), item(128)], 2);
    }
    println!("\ntwice the draft, cut into segments    64 kB    128 kB    256 kB   growth");
    for (name, generate) in UNLIKE {
        let times = [64, 128, 256].map(|kb| {
            let text = generate(kb * 1000);
            best(2, || cut_into_segments(&text))
        });
        good &= growing(name, times, ALLOWED);
    }
    good
}

fn longer_sources(pool: &[Texts]) -> bool {
    println!("\ntwice a source unlike prose          128 kB    256 kB    512 kB   growth");
    let mut good = true;
    for (name, generate) in UNLIKE.iter().filter(|(name, _)| PLAIN.contains(name)) {
        let item = |kb: usize| {
            let answer = "The pool opens four rows and stops early [^1]. It takes 30 seconds. ".repeat(3);
            vec![Item { question: "What stops?".to_owned(), answer, sources: vec![generate(kb * 1000)] }]
        };
        good &= grown(name, &[item(128), item(256), item(512)], 2);
    }
    println!("\ntwice the sources                     16 kB     32 kB     64 kB   growth");
    good &= grown("longer sources", &[2, 4, 8].map(|kb| items(pool, 4, 2000, (8, kb * 1000))), 5);
    good &= grown("more sources", &[16, 32, 64].map(|count| items(pool, 4, 2000, (count, 1000))), 5);
    let uniform = |kb: usize| {
        let mut items = items(pool, 2, 2000, (1, 10));
        let text = "The pool opens four connections at start and closes them after 90 seconds. ";
        items.iter_mut().for_each(|item| {
            item.answer = "The pool opens five connections at start. ".repeat(40);
            item.sources = vec![text.repeat(kb * 1000 / text.len())];
        });
        items
    };
    good &= grown("one sentence again and again", &[16, 32, 64].map(uniform), 3);
    good
}

fn longer_both() -> bool {
    println!("\ntwice the answer and its sources      32 kB     64 kB    128 kB   growth");
    let mut good = true;
    for (name, generate) in BOTH {
        let times = [32, 64, 128].map(|kb| {
            let item = both(*generate, kb * 1000);
            best(2, || validate(&item))
        });
        good &= growing(name, times, ALLOWED_TOGETHER);
    }
    good
}

/// An answer of about so many bytes, and sources of as many that say alike.
fn both(generate: Pair, bytes: usize) -> Item {
    let (answer, sources) = generate(bytes);
    Item { question: "What does the pool open?".to_owned(), answer, sources }
}
