//! The pool of example programs, compiled in: each states its task in English and Spanish and is valid AVAP. It feeds
//! few-shot prompts and answers without a model.

include!(concat!(env!("OUT_DIR"), "/examples.rs"));

/// One example program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Example {
    /// Its file name without extension; unique and stable.
    pub id: &'static str,
    /// The task in English, one sentence.
    pub task_en: &'static str,
    /// The task in Spanish, one sentence.
    pub task_es: &'static str,
    /// The program, without the lines that state the task.
    pub code: &'static str,
}

/// Every example in the order of its id. A file opens with `/// en: …` and `/// es: …`, in any order.
#[must_use]
pub fn examples() -> Vec<Example> {
    FILES.iter().map(|(id, text)| read(id, text)).collect()
}

fn read(id: &'static str, text: &'static str) -> Example {
    let mut example = Example { id, task_en: "", task_es: "", code: text };
    loop {
        let (line, rest) = example.code.split_once('\n').unwrap_or((example.code, ""));
        let Some(task) = line.trim().strip_prefix("///").map(str::trim) else { break };
        if let Some(task) = task.strip_prefix("en:") {
            example.task_en = task.trim();
        } else if let Some(task) = task.strip_prefix("es:") {
            example.task_es = task.trim();
        } else {
            break;
        }
        example.code = rest;
    }
    example.code = example.code.trim_start_matches(['\r', '\n']);
    example
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::{Options, Severity, parse};

    #[test]
    fn task_sentences_are_taken_off_the_program() {
        let example =
            read("a", "/// en: Return a value.\n/// es: Devuelve un valor.\n\naddVar(x, 1)\naddResult(x)\n");
        assert_eq!(example.task_en, "Return a value.");
        assert_eq!(example.task_es, "Devuelve un valor.");
        assert_eq!(example.code, "addVar(x, 1)\naddResult(x)\n");
    }

    #[test]
    fn every_example_is_valid_and_states_its_task_twice() {
        for example in examples() {
            let parsed = parse(example.code, &Options::default());
            let said: Vec<String> = parsed
                .diagnostics
                .iter()
                .filter(|diagnostic| diagnostic.severity != Severity::Hint)
                .map(crate::Diagnostic::render)
                .collect();
            assert!(parsed.valid && said.is_empty(), "{}: {said:#?}", example.id);
            assert!(!example.task_en.is_empty() && !example.task_es.is_empty(), "{}", example.id);
        }
    }
}
