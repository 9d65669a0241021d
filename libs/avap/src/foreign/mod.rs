//! Other languages inside AVAP: which line bears marks of which language, which forms are foreign and what AVAP
//! writes instead, and which library objects are not AVAP's. Judged only where a line has already failed.

mod forms;
mod headers;
mod library;
mod marks;
mod rewrite;
mod vocabulary;

pub(crate) use forms::{Divides, Opens, form};
pub(crate) use library::{is_foreign_constant, is_foreign_member, receiver_remedy};
pub use marks::guess_language;
pub(crate) use marks::{Language, Marks, is_header, marks, weights};
pub(crate) use rewrite::{rewrite_condition, rewrite_loop};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lexer::lex;

    fn check_form(line: &str, help_holds: &str) {
        let tokens = lex(line).tokens;
        let found = form(line, &tokens, line);
        let all =
            found.map(|f| format!("{} {}", f.suggestion.unwrap_or_default(), f.help)).unwrap_or_default();
        assert!(all.contains(help_holds), "{line}: {all}");
    }

    #[test]
    fn loops_are_translated() {
        check_form("for i in range(1, 6):", "startLoop(i, 1, 5) … endLoop()");
        check_form("for i in range(n):", "startLoop(i, 0, n - 1)");
        check_form("for (let i = 0; i < 10; i++) {", "startLoop(i, 0, 9)");
        check_form("for i := 1; i <= n; i++ {", "startLoop(i, 1, n)");
        check_form("while x < 3:", "startLoop");
    }

    #[test]
    fn conditions_and_declarations_are_translated() {
        check_form("if x > 3:", "if(x, 3, \">\")");
        check_form("if (a === b && c) {", "if(None, None, ");
        check_form("let x = 5;", "x = 5 or addVar(x, 5)");
        check_form("int total = 0;", "addVar(total, 0)");
        check_form("x: int = 5", "x = 5");
        check_form("def f(a, b):", "function f(a, b){");
        check_form("const f = (a) => a", "function f(a){ … }");
    }

    #[test]
    fn marks_tell_languages_apart() {
        let check = |line: &str, language: Language| {
            assert!(marks(line).has(language), "{line} bears no mark of {}", language.name());
        };
        check("x := 5", Language::Go);
        check("def f(a):", Language::Python);
        check("const x = 5;", Language::JavaScript);
        check("const x: number = 5;", Language::TypeScript);
        check("$x = $_GET['a'];", Language::Php);
        check("public static void main(String[] args) {", Language::Java);
        check("let mut x = 5;", Language::Rust);
        check("#include <stdio.h>", Language::C);
        check("SELECT a FROM b", Language::Sql);
        check("if [ -z \"$1\" ]; then", Language::Shell);
        assert_eq!(marks("addVar(text, \"const x = 5\")"), Marks::default());
    }
}
