//! Short questions and the language in which each is to be answered.

use assay_text::Language::{self, English, Spanish};
use assay_text::detect_question;

/// As users type them: with and without accents, marks and capitals, around names of code and words of the other
/// language. What shows no language is answered in English.
const QUESTIONS: &[(&str, Language)] = &[
    ("How do I declare a loop?", English),
    ("how to read a parameter", English),
    ("What is PromQL?", English),
    ("what does addParam return", English),
    ("Is it possible?", English),
    ("Why?", English),
    ("define scrape interval", English),
    ("list all commands", English),
    ("explain histogram_quantile", English),
    ("Write an endpoint in AVAP", English),
    ("show me an example", English),
    ("Thanks!", English),
    ("hello", English),
    ("Hi, can you help", English),
    ("please summarize", English),
    ("tell me more", English),
    ("etcd snapshot restore", English),
    ("addParam", English),
    ("addVar(x, 1)", English),
    ("for loop", English),
    ("if else", English),
    ("default port?", English),
    ("What does del do in Python?", English),
    ("Is y the second parameter?", English),
    ("Who wrote El País?", English),
    ("what is a de facto standard", English),
    ("Does the café example work?", English),
    ("What does the comment `// suma de los valores` say?", English),
    ("what is the UN list", English),
    ("me", English),
    ("no", English),
    ("rate vs irate", English),
    ("does it expire", English),
    ("Which page says \"cómo leer un parámetro\" is the title?", English),
    ("¿Cómo declaro un bucle?", Spanish),
    ("como declaro un bucle en AVAP", Spanish),
    ("como leo un parametro de la peticion", Spanish),
    ("Qué es PromQL", Spanish),
    ("que es addParam", Spanish),
    ("¿Por qué?", Spanish),
    ("por que", Spanish),
    ("cual es el puerto por defecto", Spanish),
    ("cuantos argumentos recibe addVar", Spanish),
    ("Escribe un endpoint", Spanish),
    ("crea una API REST", Spanish),
    ("dame un ejemplo", Spanish),
    ("explica histogram_quantile", Spanish),
    ("explícame addParam", Spanish),
    ("dime más", Spanish),
    ("resume", Spanish),
    ("resúmelo", Spanish),
    ("hola", Spanish),
    ("gracias", Spanish),
    ("buenos días", Spanish),
    ("necesito ayuda", Spanish),
    ("puedo usar ORM", Spanish),
    ("hay límites?", Spanish),
    ("for loop en AVAP", Spanish),
    ("usar if y else", Spanish),
    ("que hace `if x is not in y`", Spanish),
    ("que hace if not", Spanish),
    ("diferencia entre GET y POST", Spanish),
    ("¿addVar?", Spanish),
    ("función addResult", Spanish),
    ("tamaño máximo", Spanish),
    ("MOSTRAR LA LISTA DE USUARIOS", Spanish),
    ("instalar etcd con docker", Spanish),
    ("ejemplo de while", Spanish),
    ("What's new, por favor explica the release", Spanish),
    ("¿Qué significa the leader is elected?", Spanish),
    ("quiero borrar mi cuenta", Spanish),
    ("se puede anidar", Spanish),
];

#[test]
fn short_questions_show_their_language() {
    let wrong: Vec<_> = QUESTIONS
        .iter()
        .filter(|(text, language)| detect_question(text).unwrap_or(English) != *language)
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn without_a_telling_word_no_language_is_claimed() {
    for text in ["addParam", "", "etcd snapshot restore", "`para que`"] {
        assert_eq!(detect_question(text), None, "{text}");
    }
}
