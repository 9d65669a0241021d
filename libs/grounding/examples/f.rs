//! scratch
#![allow(clippy::all, clippy::disallowed_methods, clippy::print_stdout)]
use assay_domain::Source;
use assay_domain::evidence::SourceKind;
use assay_grounding::{Facts, Judge, Policy, Terms, policy};
fn cited(answer: &str, sources: usize) -> String {
    let mut out = String::new();
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
type It = (String, String, Vec<String>);
fn read(path: &str) -> Vec<It> {
    std::fs::read_to_string(path)
        .unwrap()
        .lines()
        .map(|line| {
            let item: serde_json::Value = serde_json::from_str(line).unwrap();
            let s = item["sources"]
                .as_array()
                .unwrap()
                .iter()
                .map(|s| s["text"].as_str().unwrap().to_owned())
                .collect();
            (item["question"].as_str().unwrap().to_owned(), item["answer"].as_str().unwrap().to_owned(), s)
        })
        .collect()
}
fn judge(it: &It, cited_: bool) -> assay_domain::report::Report {
    let sources =
        it.2.iter()
            .zip(1..)
            .map(|(t, n)| Source::given(n.to_string(), SourceKind::Doc, t.as_str(), 1))
            .collect();
    let mut terms = Terms::new(it.0.as_str(), sources);
    if !cited_ {
        terms.citations_optional = true;
        terms.sources_only = true;
        terms.attach = true;
    }
    Judge::new(terms, Policy::shipped(policy::DEFAULT).unwrap()).judge(&it.1, &Facts::default())
}
fn cut(text: &str, length: usize) -> &str {
    let end = (0..=length.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    &text[..end.unwrap_or(0)]
}
fn items(pool: &[It], count: usize, answer: usize, sources: (usize, usize)) -> Vec<It> {
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
            let texts: Vec<String> = (0..sources.0)
                .map(|_| {
                    let mut text = String::new();
                    while text.len() < sources.1 {
                        text.push_str(passages[place % passages.len()]);
                        text.push('\n');
                        place += 1;
                    }
                    cut(&text, sources.1).to_owned()
                })
                .collect();
            (pool[start].0.clone(), cited(cut(&own, answer), sources.0), texts)
        })
        .collect()
}
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let pool = read(&args[2]);
    match args[1].as_str() {
        "dump" => {
            for it in &pool {
                println!("{:?}", judge(it, false));
                let mut c = it.clone();
                c.1 = cited(&it.1, it.2.len());
                println!("{:?}", judge(&c, true));
                c.1 =
                    it.1.split_inclusive(". ")
                        .map(|s| s.strip_suffix(". ").map_or(s.to_owned(), |b| format!("{b} [^1][^2]. ")))
                        .collect();
                println!("{:?}", judge(&c, true));
            }
        }
        "run" => {
            let n: usize = args[3].parse().unwrap();
            let its = items(&pool, 24, 2000, (8, 1000));
            let mut k = 0;
            for _ in 0..n {
                for it in &its {
                    k += judge(it, true).claims.len();
                }
            }
            println!("{k}");
        }
        "first" => {
            let its = items(&pool, 1, 2000, (8, 1000));
            let t = std::time::Instant::now();
            judge(&its[0], true);
            println!("{:?}", t.elapsed());
        }
        "warm" => {
            let t = std::time::Instant::now();
            assay_grounding::warm();
            println!("{:?}", t.elapsed());
        }
        _ => {}
    }
}
