//! Texts that are unlike prose, of any length.

pub(crate) type Generator = fn(usize) -> String;

/// Answers that are unlike prose, of about so many bytes.
pub(crate) const UNLIKE: &[(&str, Generator)] = &[
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
    ("bare fences", |n| "```\nx\n```\n".repeat(n / 10)),
    ("images", |n| "![The pool is full](a.png \"It is full\") ".repeat(n / 41)),
    ("tags", |n| "<b title='It is full'>It stops</b>. ".repeat(n / 36)),
    ("definitions", |n| "[^1]: The pool is full.\n\n    It stops.\n\n".repeat(n / 40)),
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
pub(crate) const PLAIN: &[&str] = &[
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

/// An answer of about so many bytes with its sources.
pub(crate) type Pair = fn(usize) -> (String, Vec<String>);

const SUBJECTS: [&str; 8] =
    ["importer", "scheduler", "pool", "parser", "index", "exporter", "cache", "gateway"];
const VERBS: [&str; 7] = ["skips", "retries", "closes", "stores", "rejects", "forwards", "signs"];
const OBJECTS: [&str; 5] = ["empty rows", "failed calls", "idle connections", "log files", "large answers"];

/// The sentences of one after the other number, as many as so many bytes hold.
fn sentences(bytes: usize, sentence: impl Fn(usize) -> String) -> String {
    let mut text = String::with_capacity(bytes + 200);
    for number in 0.. {
        if text.len() >= bytes {
            break;
        }
        text.push_str(&sentence(number));
    }
    text
}

/// An answer and one source of the sentences of the same kind.
fn one(
    bytes: usize,
    answer: impl Fn(usize) -> String,
    source: impl Fn(usize) -> String,
) -> (String, Vec<String>) {
    (sentences(bytes, answer), vec![sentences(bytes, source)])
}

/// A sentence of few words that come again, in many ways.
fn mixed(seed: usize) -> String {
    format!("The {} {} {}", SUBJECTS[seed % 8], VERBS[seed / 3 % 7], OBJECTS[seed / 11 % 5])
}

/// Answers and sources that say alike, each of about so many bytes: what is one of many in the sources is asked for by
/// each of many claims.
pub(crate) const BOTH: &[(&str, Pair)] = &[
    ("items of one word", |n| {
        one(n, |i| format!("- {}\n", SUBJECTS[i % 8]), |i| format!("- {}\n", SUBJECTS[i * 3 % 8]))
    }),
    ("items of other words", |n| one(n, |i| format!("- word{i}\n"), |i| format!("- word{}\n", i + 7))),
    ("lists in a line", |n| one(n, |_| "- a, b, c and d\n".to_owned(), |_| "- a, b, c and d\n".to_owned())),
    ("one word everywhere", |n| {
        one(n, |i| format!("The pool is pool {i}. "), |i| format!("A pool has pool {}. ", i * 7))
    }),
    ("every sentence alike", |n| {
        one(
            n,
            |_| "The pool opens five rows and stops early. ".to_owned(),
            |_| "The pool opens four rows and never stops. ".to_owned(),
        )
    }),
    ("sentences of few words", |n| {
        one(n, |i| format!("{}. ", mixed(i * 5)), |i| format!("{}. ", mixed(i * 3 + 1)))
    }),
    ("markers on every sentence", |n| {
        let sources = (0..64).map(|k| sentences(n / 64, |i| format!("{}. ", mixed(i + k)))).collect();
        (
            sentences(n, |i| {
                format!("{} [^{}][^{}][^{}]. ", mixed(i), i % 64 + 1, i * 7 % 64 + 1, i * 5 % 70)
            }),
            sources,
        )
    }),
    ("markers of lines", |n| {
        let (_, sources) = one(n, |_| ".".to_owned(), |i| format!("{}.\n", mixed(i)));
        (sentences(n, |i| format!("{} [^1:{}-{}]. ", mixed(i), i % 400 + 1, i % 400 + 200)), sources)
    }),
    ("markers that lead nowhere", |n| {
        one(n, |i| format!("{} [^9:3-2] [^77]. ", mixed(i)), |i| format!("{}. ", mixed(i + 5)))
    }),
    ("figures", |n| {
        one(
            n,
            |i| format!("The pool waits {} seconds and takes {} rows. ", i % 977, i % 31),
            |i| format!("The pool waits {} seconds and takes {} rows. ", i % 991, i % 37),
        )
    }),
    ("one figure everywhere", |n| {
        one(
            n,
            |i| format!("The {} keeps 20 rows for 30 days. ", SUBJECTS[i % 8]),
            |i| format!("The {} keeps 20 calls for 30 hours. ", SUBJECTS[i % 7]),
        )
    }),
    ("names", |n| {
        one(
            n,
            |i| format!("Call `add_row_{i}` before Ada Row {i}. "),
            |i| format!("Call `add_row_{}` after Ada Pool {i}. ", i + 3),
        )
    }),
    ("names of two things", |n| {
        one(
            n,
            |i| format!("Pro {} in Berlin for 20 days. ", VERBS[i % 7]),
            |i| {
                format!(
                    "Start\n\nKept {} days in Paris.\n\nPro\n\nKept 20 days in Berlin.\n\n",
                    20 + i % 3 * 10
                )
            },
        )
    }),
    ("denials", |n| {
        one(
            n,
            |i| format!("{} and does not stop. ", mixed(i)),
            |i| format!("{} and never opens, nor does it stop without rows. ", mixed(i + 2)),
        )
    }),
    ("how much and how often", |n| {
        one(
            n,
            |i| {
                format!(
                    "All of the rows must always be {} at most twice a day. ",
                    ["kept", "read", "sent"][i % 3]
                )
            },
            |i| format!("Some rows may often be {} at least once a week. ", ["kept", "read", "sent"][i % 3]),
        )
    }),
    ("what wins over what", |n| {
        one(
            n,
            |i| format!("The {} setting overrides the {} setting. ", SUBJECTS[i % 8], SUBJECTS[i * 3 % 7]),
            |i| format!("The {} setting overrides the {} setting. ", SUBJECTS[i * 3 % 7], SUBJECTS[i % 8]),
        )
    }),
    ("before and after", |n| {
        one(n, |i| format!("{} before it starts. ", mixed(i)), |i| format!("{} after it starts. ", mixed(i)))
    }),
    ("very long sentences", |n| {
        one(
            n,
            |i| format!("{} and{}", mixed(i), if i % 200 == 199 { " stops. " } else { " " }),
            |i| format!("{} or{}", mixed(i + 1), if i % 300 == 299 { " goes on. " } else { " " }),
        )
    }),
    ("commas", |n| {
        one(
            n,
            |i| format!("{}, {}, ", SUBJECTS[i % 8], VERBS[i % 7]),
            |i| format!("{}, {}, ", SUBJECTS[i % 8], OBJECTS[i % 5]),
        )
    }),
    ("many sources", |n| {
        let sources = (0..n / 60).map(|i| format!("{} after {i} seconds.", mixed(i))).collect();
        (sentences(n, |i| format!("{} after {i} seconds. ", mixed(i))), sources)
    }),
    ("each source with its marker", |n| {
        let sources = (0..n / 60).map(|i| format!("{} after {i} seconds.", mixed(i))).collect();
        (sentences(n, |i| format!("{} after {i} seconds [^{}]. ", mixed(i), i % (n / 60) + 1)), sources)
    }),
    ("all sources on one sentence", |n| {
        let sources = (0..n / 60).map(|i| format!("{} after {i} seconds.", mixed(i))).collect();
        let markers: String = (0..n / 60).map(|i| format!("[^{}]", i + 1)).collect();
        (format!("{}. It stops{markers}.", mixed(1)), sources)
    }),
    ("table rows", |n| {
        one(
            n,
            |i| format!("| {} | {} |\n", SUBJECTS[i % 8], i % 40),
            |i| format!("| {} | {} |\n", SUBJECTS[i % 8], i % 41),
        )
    }),
    ("quotations", |n| {
        one(n, |i| format!("It says \"{}\" there. ", mixed(i)), |i| format!("{} there. ", mixed(i * 3)))
    }),
    ("Spanish", |n| {
        let (who, what) =
            (["el servidor", "la cola", "el índice"], ["no cierra", "siempre guarda", "nunca firma"]);
        one(
            n,
            |i| format!("En el día {}, {} {} las {} filas. ", i % 28, who[i % 3], what[i / 3 % 3], i % 50),
            |i| {
                format!("Antes del día {}, {} {} las {} filas. ", i % 30, who[i / 2 % 3], what[i % 3], i % 40)
            },
        )
    }),
];
