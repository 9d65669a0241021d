//! What validating an answer costs on one core, look-ups aside, against plain word counting of the same texts in the same
//! run, how the time grows with the answer and with its sources, and what a second core gains in a batch.
//! `cargo bench -p assay-grounding` prints the tables, behind `--` the wanted ones of `sizes`, `growth` and `batch`; exits 1
//! where a bar is missed.
#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a benchmark prints, reads its data and looks at the clock"
)]

use std::collections::HashMap;
use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use assay_domain::Source;
use assay_domain::evidence::SourceKind;
use assay_grounding::{Facts, Judge, Policy, SegmentGate, Terms, policy};

/// A 2 kB answer against eight sources of 1 kB, in milliseconds.
const WANTED_ANSWER: f64 = 3.0;
/// The same answer against sources of 120 sentences, in milliseconds.
const WANTED_SENTENCES: f64 = 10.0;
/// Growth of the time where a length doubles.
const ALLOWED: f64 = 2.3;

/// An answer with its question and its sources.
struct Item {
    question: String,
    answer: String,
    sources: Vec<String>,
}

/// The least of several runs, in milliseconds.
fn best(runs: usize, mut work: impl FnMut()) -> f64 {
    let mut least = f64::MAX;
    for _ in 0..runs {
        let start = Instant::now();
        work();
        least = least.min(start.elapsed().as_secs_f64() * 1e3);
    }
    least
}

/// The whole validation: reading the sources, the answer, its claims, support, relevance, checks, what remains, prompt.
fn validate(item: &Item) {
    let sources = item.sources.iter().zip(1..);
    let sources =
        sources.map(|(text, number)| Source::given(number.to_string(), SourceKind::Doc, text.as_str(), 1));
    let Some(policy) = Policy::shipped(policy::DEFAULT) else { return };
    let judge = Judge::new(Terms::new(item.question.as_str(), sources.collect()), policy);
    black_box(judge.judge(black_box(&item.answer), &Facts::default()));
}

/// Words of the same texts, lowered and counted: the plainest thing that reads all of it.
fn count_words(item: &Item) {
    let mut counts: HashMap<String, u32> = HashMap::new();
    for text in item.sources.iter().chain([&item.answer]) {
        for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
            *counts.entry(word.to_lowercase()).or_default() += 1;
        }
    }
    black_box(counts);
}

/// Cuts at a character near a length.
fn cut(text: &str, length: usize) -> &str {
    let end = (0..=length.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    &text[..end.unwrap_or(0)]
}

/// Puts a marker at the end of two sentences of three.
fn cited(answer: &str, sources: usize) -> String {
    let mut out = String::with_capacity(answer.len() + answer.len() / 8);
    for (number, sentence) in answer.split_inclusive(". ").enumerate() {
        match sentence.strip_suffix(". ") {
            Some(bare) if number % 3 != 2 => {
                out.push_str(&format!("{bare} [^{}]. ", 1 + number % sources.max(1)));
            }
            _ => out.push_str(sentence),
        }
    }
    out
}

/// Questions, answers and passages of the development data, where they are.
fn collected() -> Option<Vec<(String, String, Vec<String>)>> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let root = std::env::var_os("ASSAY_SHARED").map_or(beside, Into::into);
    let file = root.join("data/grounding/ragtruth_qa_train.jsonl.gz");
    let unpacked =
        Command::new("gzip").arg("-dc").arg(file).output().ok().filter(|out| out.status.success())?;
    let text = String::from_utf8(unpacked.stdout).ok()?;
    let read = |line: &str| {
        let item: serde_json::Value = serde_json::from_str(line).ok()?;
        let text = |key: &str| item[key].as_str().map(str::to_owned);
        let sources = item["sources"].as_array()?.iter();
        Some((
            text("question")?,
            text("answer")?,
            sources.filter_map(|s| s["text"].as_str().map(str::to_owned)).collect(),
        ))
    };
    text.lines().take(1600).map(read).collect()
}

/// Texts of our own where there is no development data: the same sentences with other figures and subjects.
fn written() -> Vec<(String, String, Vec<String>)> {
    let subjects =
        ["importer", "scheduler", "connection pool", "parser", "index", "exporter", "cache", "gateway"];
    let verbs = ["skips", "retries", "closes", "stores", "rejects", "compresses", "forwards", "signs"];
    let objects = [
        "empty rows",
        "failed calls",
        "idle connections",
        "old log files",
        "unknown fields",
        "large answers",
    ];
    let sentence = |seed: usize| {
        format!(
            "The {} {} {} after {} seconds, unless `max_{}` is set in `conf/{}.toml`. ",
            subjects[seed % 8],
            verbs[seed / 3 % 8],
            objects[seed / 5 % 6],
            5 + seed * 7 % 90,
            seed % 13,
            subjects[(seed + 3) % 8].replace(' ', "_")
        )
    };
    let text = |from: usize, count: usize| (from..from + count).map(sentence).collect::<String>();
    (0..120)
        .map(|n| {
            (
                format!("What does the {} do?", subjects[n % 8]),
                text(n, 6),
                (0..3).map(|k| text(n + k * 4, 4)).collect(),
            )
        })
        .collect()
}

/// Items of given sizes, from real texts as far as they reach.
fn items(
    pool: &[(String, String, Vec<String>)],
    count: usize,
    answer: usize,
    sources: (usize, usize),
) -> Vec<Item> {
    let passages: Vec<&str> = pool.iter().flat_map(|item| item.2.iter().map(String::as_str)).collect();
    (0..count)
        .map(|number| {
            let start = number * pool.len() / count;
            let mut own = String::new();
            for step in 0..pool.len() {
                if own.len() >= answer {
                    break;
                }
                own.push_str(pool[(start + step) % pool.len()].1.trim());
                own.push_str(" \n\n");
            }
            let mut place = passages.len() * start / pool.len();
            let texts = (0..sources.0).map(|_| {
                let mut text = String::new();
                while text.len() < sources.1 {
                    text.push_str(passages[place % passages.len()]);
                    text.push('\n');
                    place += 1;
                }
                cut(&text, sources.1).to_owned()
            });
            let texts = texts.collect();
            Item {
                question: pool[start].0.clone(),
                answer: cited(cut(&own, answer), sources.0),
                sources: texts,
            }
        })
        .collect()
}

/// Mean over items of the least time of each.
fn mean(items: &[Item], runs: usize, work: impl Fn(&Item)) -> f64 {
    let sum: f64 = items.iter().map(|item| best(runs, || work(item))).sum();
    sum / f64::from(u32::try_from(items.len().max(1)).unwrap_or(1))
}

fn sizes(pool: &[(String, String, Vec<String>)]) -> bool {
    let mut sentences = items(pool, 12, 2000, (8, 6000));
    for item in &mut sentences {
        // Fifteen sentences a source.
        for text in &mut item.sources {
            *text = text.split_inclusive(". ").take(15).collect();
        }
    }
    let named = [
        ("2 kB, eight sources of 1 kB", items(pool, 24, 2000, (8, 1000)), Some(WANTED_ANSWER)),
        ("2 kB, 120 source sentences", sentences, Some(WANTED_SENTENCES)),
        ("200 B, one source of 300 B", items(pool, 24, 200, (1, 300)), None),
        ("8 kB, eight sources of 4 kB", items(pool, 6, 8000, (8, 4000)), None),
    ];
    println!("answer and sources                 mean     worst    counting words   ratio      bar");
    let mut good = true;
    for (name, items, bar) in &named {
        let worst = items.iter().map(|item| best(9, || validate(item))).fold(0.0, f64::max);
        let (validated, counted) = (mean(items, 15, validate), mean(items, 15, count_words));
        good &= bar.is_none_or(|bar| validated <= bar);
        let bar = bar.map_or_else(String::new, |bar| format!("{bar:.1} ms"));
        println!(
            "{name:28} {validated:8.3} ms {worst:6.3} ms {counted:12.3} ms  × {:5.1}   {bar:>7}",
            validated / counted
        );
    }
    good
}

/// Growth over two doublings, a step.
fn grown(name: &str, items: &[Vec<Item>; 3], runs: usize) -> bool {
    growing(name, [0, 1, 2].map(|at| mean(&items[at], runs, validate)))
}

fn growing(name: &str, times: [f64; 3]) -> bool {
    let growth = (times[2] / times[0]).sqrt();
    println!("{name:34} {:8.3} {:9.3} {:9.3} ms  × {growth:.2}", times[0], times[1], times[2]);
    growth <= ALLOWED
}

/// Answers of a batch in a second, on one thread and on two: what several cores gain where every line is by itself.
fn batch(pool: &[(String, String, Vec<String>)]) {
    let items: Vec<Item> = pool
        .iter()
        .map(|(question, answer, sources)| Item {
            question: question.clone(),
            answer: answer.clone(),
            sources: sources.clone(),
        })
        .collect();
    let rate = |threads: usize| {
        let next = AtomicUsize::new(0);
        let start = Instant::now();
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                        validate(item);
                    }
                });
            }
        });
        f64::from(u32::try_from(items.len()).unwrap_or(u32::MAX)) / start.elapsed().as_secs_f64()
    };
    let (one, two) = (rate(1), rate(2));
    println!(
        "\na batch of {} answers: {one:.0} a second on one thread, {two:.0} on two  × {:.2}",
        items.len(),
        two / one
    );
}

type Generator = fn(usize) -> String;

/// Answers that are unlike prose, of about so many bytes.
const UNLIKE: &[(&str, Generator)] = &[
    ("markers", |n| "It stops [^1]. ".repeat(n / 15)),
    ("markers on one sentence", |n| format!("It stops {}.", "[^1] ".repeat(n / 5))),
    ("markers that lead nowhere", |n| "It stops [^9:3-2]. ".repeat(n / 19)),
    ("brackets", |n| "[^".repeat(n / 2)),
    ("list items", |n| "- it stops early [^2]\n".repeat(n / 22)),
    ("nested lists", |n| (0..n / 40).map(|i| format!("{}- it stops [^1]\n", "  ".repeat(i % 12))).collect()),
    ("table rows", |n| {
        format!("| a | b |\n|---|---|\n{}", "| the pool stops | at 40 rows [^1] |\n".repeat(n / 37))
    }),
    ("headings", |n| "## Limits\n\nIt stops early.\n\n".repeat(n / 29)),
    ("code blocks", |n| "```python\nx = 1\n```\n\nIt stops.\n\n".repeat(n / 34)),
    ("quotations", |n| "It says \"the pool opens four connections\" there. ".repeat(n / 49)),
    ("names", |n| (0..n / 24).map(|i| format!("Call `addRow_{i}` now. ")).collect()),
    ("one long sentence", |n| "the pool opens four rows and ".repeat(n / 29)),
    ("figures", |n| (0..n / 22).map(|i| format!("It takes {i} seconds. ")).collect()),
    ("one word", |n| "pool ".repeat(n / 5)),
    ("emphasis", |n| "**it** *stops* ".repeat(n / 15)),
    ("commas", |n| format!("It stops{}.", ", rows".repeat(n / 6))),
    ("figures without words", |n| (0..n / 6).map(|i| format!("{} ", i % 99_999)).collect()),
    ("no white space", |n| "abc.".repeat(n / 4)),
    ("one letter", |n| "a".repeat(n)),
    ("other sources", |n| "It stops (Passage 2). ".repeat(n / 22)),
    ("nested quotations", |n| {
        (0..n / 40).map(|i| format!("{} it stops early\n", ">".repeat(i % 12))).collect()
    }),
    ("open quotations", |n| "\"it stops ".repeat(n / 10)),
    ("parentheses", |n| "(".repeat(n / 2) + &")".repeat(n / 2)),
    ("backticks", |n| "It stops ` early. ".repeat(n / 18)),
    ("open markers", |n| "It stops. [^1 ".repeat(n / 14)),
    ("a wide table", |n| format!("|{}\n|{}\n", "a|".repeat(n / 4), "-|".repeat(n / 4))),
    ("HTML", |n| "<b>it</b> stops <!-- never --> ".repeat(n / 31)),
    ("open HTML", |n| "<!-- it stops ".repeat(n / 14)),
    ("addresses", |n| (0..n / 36).map(|i| format!("See https://pool.example/rows/{i}. ")).collect()),
    ("paths", |n| (0..n / 30).map(|i| format!("It reads `conf/rows_{i}.toml`. ")).collect()),
    ("definitions", |n| (0..n / 22).map(|i| format!("[^{i}]: it stops early\n")).collect()),
    ("dots", |n| ".".repeat(n)),
    ("abbreviations", |n| "e.g. U.S. p. ej. ".repeat(n / 17)),
    ("names of places", |n| "Pool Row Four Open Close ".repeat(n / 25)),
];

/// Texts that are unlike prose, and neither Markdown.
const PLAIN: &[&str] = &[
    "code blocks",
    "quotations",
    "names",
    "one long sentence",
    "figures",
    "one word",
    "commas",
    "figures without words",
    "no white space",
    "one letter",
    "open quotations",
    "a wide table",
    "addresses",
    "paths",
    "dots",
    "abbreviations",
    "names of places",
];

/// Cuts a draft into segments, in a few large deltas and in many small ones.
fn cut_into_segments(text: &str) {
    for size in [text.len() / 3 + 1, 64] {
        let mut gate = SegmentGate::new();
        let characters: Vec<char> = text.chars().collect();
        for delta in characters.chunks(size) {
            black_box(gate.push(&delta.iter().collect::<String>()));
        }
        black_box(gate.finish());
    }
}

fn growth(pool: &[(String, String, Vec<String>)]) -> bool {
    println!("\ntwice the answer                       4 kB      8 kB     16 kB   growth");
    let mut good = grown("prose", &[4, 8, 16].map(|kb| items(pool, 4, kb * 1000, (8, 1000))), 5);
    for (name, generate) in UNLIKE {
        let base = &items(pool, 1, 100, (8, 1000))[0];
        let item = |kb: usize| {
            vec![Item {
                question: base.question.clone(),
                answer: generate(kb * 1000),
                sources: base.sources.clone(),
            }]
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
        good &= growing(name, times);
    }
    println!("\ntwice a source unlike prose          128 kB    256 kB    512 kB   growth");
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

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let runs = |name: &str| wanted.is_empty() || wanted.iter().any(|word| word == name);
    let pool = collected().unwrap_or_else(|| {
        println!("no development data: texts of our own");
        written()
    });
    // Tables that are read once.
    let start = Instant::now();
    items(&pool, 1, 2000, (8, 1000)).iter().for_each(validate);
    println!("the first answer of a process: {:.1} ms\n", start.elapsed().as_secs_f64() * 1e3);
    let mut good = true;
    if runs("sizes") {
        good &= sizes(&pool);
    }
    if runs("growth") {
        good &= growth(&pool);
    }
    if runs("batch") {
        batch(&pool);
    }
    if !good {
        println!(
            "\na bar is missed: {WANTED_ANSWER} ms, {WANTED_SENTENCES} ms, × {ALLOWED} for twice the length"
        );
        std::process::exit(1);
    }
}
