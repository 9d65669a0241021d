//! What the composer makes of a real documentation set: questions of people, the page that answers, and a word that a
//! right answer cannot do without. And questions that the page does not answer.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::path::Path;

use assay_domain::draft::DraftRequest;
use assay_domain::draft::Finish;
use assay_domain::evidence::{Source, SourceKind};
use assay_domain::question::QueryType;
use assay_extractive::compose;

/// Question, page, words that the answer must hold (all of them).
const ANSWERED: &[(&str, &str, &[&str])] = &[
    ("What is a counter?", "concepts/metric_types.md", &["cumulative metric"]),
    ("What is a gauge?", "concepts/metric_types.md", &["arbitrarily go up and down"]),
    ("What is a histogram?", "concepts/metric_types.md", &["configurable buckets"]),
    (
        "What is the difference between a counter and a gauge?",
        "concepts/metric_types.md",
        &["counter", "gauge"],
    ),
    ("When should I use a gauge instead of a counter?", "practices/instrumentation.md", &["can go down"]),
    ("How do I reload the Prometheus configuration?", "introduction/faq.md", &["SIGHUP"]),
    ("Can Prometheus be made highly available?", "introduction/faq.md", &["identical Prometheus servers"]),
    ("Who wrote Prometheus?", "introduction/faq.md", &["Volz"]),
    ("What language is Prometheus written in?", "introduction/faq.md", &["Go"]),
    ("What license is Prometheus released under?", "introduction/faq.md", &["Apache 2.0"]),
    (
        "Why does Prometheus pull rather than push?",
        "introduction/faq.md",
        &["advantages", "tell if a target is down"],
    ),
    ("How do I feed logs into Prometheus?", "introduction/faq.md", &["Loki"]),
    ("Why are all sample values 64-bit floats?", "introduction/faq.md", &["simplify the design"]),
    ("Can I monitor network devices?", "introduction/faq.md", &["SNMP"]),
    ("What is the plural of Prometheus?", "introduction/faq.md", &["Prometheis"]),
    (
        "How do I enable TLS for Prometheus?",
        "guides/tls-encryption.md",
        &["web-config.yml", "tls_server_config"],
    ),
    ("How do I enable the query log?", "guides/query-log.md", &["two steps", "Reload"]),
    ("Does the query log get rotated?", "guides/query-log.md", &["will not rotate"]),
    ("When should I use the Pushgateway?", "practices/pushing.md", &["certain limited cases"]),
    ("Which base unit should I use for temperature?", "practices/naming.md", &["celsius"]),
    ("What is cAdvisor?", "guides/cadvisor.md", &["resource usage"]),
    ("How do I instrument a Go application?", "guides/go-application.md", &["client library"]),
    ("What is an instance?", "concepts/jobs_instances.md", &["endpoint you can scrape"]),
    ("What are the four core metric types?", "concepts/metric_types.md", &["four core metric types"]),
    ("What is PromQL?", "introduction/glossary.md", &["Query Language"]),
    ("What is the Alertmanager?", "introduction/glossary.md", &["takes in alerts"]),
    ("How does Prometheus compare to Graphite?", "introduction/comparison.md", &["Graphite"]),
    ("How do I configure the OTLP receiver?", "guides/opentelemetry.md", &["--web.enable-otlp-receiver"]),
    ("How do I enable out-of-order ingestion?", "guides/opentelemetry.md", &["out_of_order_time_window"]),
    ("Does remote write increase memory usage?", "practices/remote_write.md", &["25%"]),
    ("What should I alert on in batch jobs?", "practices/alerting.md", &["has not succeeded"]),
    ("How do I add Prometheus as a data source in Grafana?", "visualization/grafana.md", &["Data Sources"]),
    ("How do I start Prometheus?", "introduction/first_steps.md", &["--config.file=prometheus.yml"]),
    ("¿Quién escribió Prometheus?", "introduction/faq.md", &["A continuación", "Volz"]),
    ("¿Cómo recargo la configuración de Prometheus?", "introduction/faq.md", &["SIGHUP"]),
    ("¿Qué es un contador?", "concepts/metric_types.md", &["cumulative metric"]),
];

/// Question and a page that does not answer it.
const UNANSWERED: &[(&str, &str)] = &[
    ("How do I bake sourdough bread?", "introduction/faq.md"),
    ("What is the price of Grafana Cloud?", "visualization/grafana.md"),
    ("Who invented Kubernetes?", "introduction/faq.md"),
    ("How do I install Prometheus on Windows 95?", "introduction/first_steps.md"),
    ("What is the maximum size of a Kafka topic?", "practices/remote_write.md"),
    ("How do I configure Terraform state locking?", "guides/file-sd.md"),
    ("Which GPU does Prometheus need?", "introduction/overview.md"),
    ("How many employees does SoundCloud have?", "introduction/overview.md"),
    ("How do I delete a Helm release?", "introduction/release-cycle.md"),
    ("Does Prometheus support MongoDB as a storage backend?", "introduction/comparison.md"),
    ("How do I write a unit test in Jest?", "guides/go-application.md"),
    ("How do I reset my forgotten Grafana admin password?", "visualization/grafana.md"),
    ("¿Cómo cocino una paella?", "introduction/faq.md"),
    ("¿Cuánto cuesta la licencia empresarial de Datadog?", "introduction/faq.md"),
];

/// The sections of a page as sources.
fn sections(root: &Path, page: &str) -> Vec<Source> {
    let text = std::fs::read_to_string(root.join(page)).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let title = lines.iter().find_map(|line| line.strip_prefix("title: ")).unwrap_or_default();
    let (mut start, mut fence, mut out) = (0usize, false, Vec::new());
    for at in 0..=lines.len() {
        let line = lines.get(at).copied().unwrap_or("# end");
        fence ^= line.trim_start().starts_with("```");
        if !fence && line.starts_with('#') && at > start {
            let body = lines[start..at].join("\n");
            let mut source = Source::given(
                format!("{page}#{start}"),
                SourceKind::Doc,
                body,
                u32::try_from(start).unwrap() + 1,
            );
            source.path = page.to_owned();
            source.title = title.to_owned();
            source.language = "en".to_owned();
            out.push(source);
            start = at;
        }
    }
    out
}

fn answer(root: &Path, question: &str, page: &str) -> (String, Finish) {
    let request =
        DraftRequest { sources: sections(root, page), ..DraftRequest::new(QueryType::Retrieval, question) };
    let composed = compose(&request);
    (composed.text, composed.finish)
}

#[test]
fn real_documentation_questions_are_answered_or_refused() {
    let Some(root) = assay_testkit::external::shared_data("documents/prometheus/docs") else { return };
    let mut wrong = Vec::new();
    for (question, page, needed) in ANSWERED {
        let (text, finish) = answer(&root, question, page);
        let right =
            finish == Finish::Stop && needed.iter().all(|word| text.contains(word)) && text.contains("[^");
        if !right {
            wrong.push(format!("{question} [{page}] {finish}\n{text}\n"));
        }
        let words = text.split("```").step_by(2).map(|prose| prose.split_whitespace().count()).sum::<usize>();
        assert!(words <= 280, "{question}: {words} words\n{text}");
    }
    let share = 1.0 - wrong.len() as f64 / ANSWERED.len() as f64;
    assert!(share >= 0.9, "{share:.2} of the answers hold what they must; the others:\n{}", wrong.join("\n"));
    let wrong: Vec<String> = UNANSWERED
        .iter()
        .filter_map(|(question, page)| {
            let (text, finish) = answer(&root, question, page);
            (finish != Finish::Abstained).then(|| format!("{question} [{page}]\n{text}\n"))
        })
        .collect();
    assert!(wrong.len() <= 1, "answered without an answer in the page:\n{}", wrong.join("\n"));
}

/// Letters and digits alone, in lower case, without addresses of links and without HTML tags.
fn bare(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let skipped = match c {
            ']' if rest.starts_with("](") => rest.find(')'),
            '<' if rest[1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '/') => rest.find('>'),
            _ => None,
        };
        let end = skipped.map_or(c.len_utf8(), |at| at + 1);
        if skipped.is_none() && c.is_alphanumeric() {
            out.extend(c.to_lowercase());
        }
        rest = &rest[end..];
    }
    out
}

#[test]
fn every_sentence_of_an_answer_stands_in_its_source() {
    let Some(root) = assay_testkit::external::shared_data("documents/prometheus/docs") else { return };
    let mut compared = 0;
    for (question, page, _) in ANSWERED {
        let sources = sections(&root, page);
        let (text, _) = answer(&root, question, page);
        for paragraph in text.split("```").step_by(2) {
            for line in paragraph.lines().filter(|line| !line.contains(" – ")) {
                let mut from = 0;
                for (at, _) in line.match_indices("[^") {
                    let end = at + line[at..].find(']').unwrap() + 1;
                    let number: usize = line[at + 2..end - 1].parse().unwrap();
                    let sentence = bare(&line[from..at]);
                    assert!(
                        bare(&sources[number - 1].text).contains(&sentence),
                        "{question}: {}",
                        &line[from..at]
                    );
                    from = end;
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 60, "only {compared} sentences were compared");
}
