//! What validating an answer costs on one core, look-ups aside, against plain word counting of the same texts in the same
//! run, how the time grows with the answer and with its sources, and what a second core gains in a batch.
//! `cargo bench -p assay-grounding` prints the tables, behind `--` the wanted ones of `sizes`, `growth` and `batch`; exits 1
//! where a bar is missed. `-- once` validates each answer of the first size once, for tools that count instructions:
//! `valgrind --tool=callgrind --collect-atstart=no --toggle-collect='*cost::once*'` before the bench's binary; `-- once 300`
//! does so three hundred times, for tools that look at the clock.
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
use assay_grounding::{Facts, Judge, Policy, Terms, policy};

mod growth;
mod texts;

/// That of the programs that ship.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A 2 kB answer against eight sources of 1 kB, in milliseconds.
const WANTED_ANSWER: f64 = 3.0;
/// The same answer against sources of 120 sentences, in milliseconds.
const WANTED_SENTENCES: f64 = 10.0;
/// Question, answer and passages.
type Texts = (String, String, Vec<String>);

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
fn collected() -> Option<Vec<Texts>> {
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
fn written() -> Vec<Texts> {
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
fn items(pool: &[Texts], count: usize, answer: usize, sources: (usize, usize)) -> Vec<Item> {
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

/// Each answer once.
#[inline(never)]
fn once(items: &[Item]) {
    items.iter().for_each(validate);
}

fn sizes(pool: &[Texts]) -> bool {
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

/// Answers of a batch in a second, on one thread and on two: what several cores gain where every line is by itself.
fn batch(pool: &[Texts]) {
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
    if wanted.iter().any(|word| word == "once") {
        let items = items(&pool, 24, 2000, (8, 1000));
        // The first time fills tables that stay.
        items.iter().for_each(validate);
        let times = wanted.iter().find_map(|word| word.parse().ok()).unwrap_or(1);
        (0..times).for_each(|_| once(&items));
        return;
    }
    let mut good = true;
    if runs("sizes") {
        good &= sizes(&pool);
    }
    if runs("growth") {
        good &= growth::growth(&pool);
    }
    if runs("batch") {
        batch(&pool);
    }
    if !good {
        println!(
            "\na bar is missed: {WANTED_ANSWER} ms, {WANTED_SENTENCES} ms, × {} for twice the length, × {} for twice both",
            growth::ALLOWED,
            growth::ALLOWED_TOGETHER
        );
        std::process::exit(1);
    }
}
