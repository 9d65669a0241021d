//! Laying a program out keeps its meaning and its comments, and laying it out twice changes nothing.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use assay_avap::{ExprKind, Formatted, Options, Parsed, StatementKind, examples, format, parse};
use proptest::prelude::*;

fn laid_out(code: &str) -> String {
    match format(code, &Options::default()) {
        Formatted::Text(text) => text,
        Formatted::Invalid(errors) => panic!("{code}\n{errors:#?}"),
    }
}

/// The tree without places: statements with their blocks, expressions with their operands, leaves with their text.
fn shape(code: &str, parsed: &Parsed) -> Vec<String> {
    let slice = |span: (u32, u32)| &code[span.0 as usize..span.1 as usize];
    let mut out = Vec::new();
    for statement in &parsed.tree.statements {
        let kind = match &statement.kind {
            StatementKind::Call { name, arguments, assigned } => {
                let arguments = parsed.tree.children(*arguments);
                format!("{} {arguments:?} {:?}", slice(*name), assigned.map(slice))
            }
            StatementKind::Assign { target, value } => format!("{} = {value:?}", slice(*target)),
            StatementKind::Function { name, parameters } => {
                let parameters = parsed.tree.parameters(*parameters);
                let parameters: Vec<&str> = parameters.iter().map(|span| slice(*span)).collect();
                format!("function {} {parameters:?}", slice(*name))
            }
            other => format!("{other:?}"),
        };
        out.push(format!("{kind} {:?} in {:?}", statement.expressions, statement.parent));
    }
    for expression in &parsed.tree.expressions {
        out.push(match &expression.kind {
            ExprKind::Number | ExprKind::Text | ExprKind::Constant | ExprKind::Name { .. } => {
                format!("{:?} {}", expression.kind, slice(expression.span))
            }
            ExprKind::Template(names) => format!("template {} {names:?}", slice(expression.span)),
            ExprKind::Member(base, name) => format!("{base:?}.{}", slice(*name)),
            other => format!("{other:?}"),
        });
    }
    out
}

fn comments(code: &str, parsed: &Parsed) -> Vec<String> {
    let text = |span: &(u32, u32)| code[span.0 as usize..span.1 as usize].trim_end().to_owned();
    parsed.tree.comments.iter().map(text).collect()
}

fn check(code: &str) {
    let once = laid_out(code);
    let (before, after) = (parse(code, &Options::default()), parse(&once, &Options::default()));
    assert_eq!(shape(code, &before), shape(&once, &after), "{code}\nbecame\n{once}");
    assert_eq!(comments(code, &before), comments(&once, &after), "{code}\nbecame\n{once}");
    assert_eq!(laid_out(&once), once, "laid out twice");
    assert!(!once.contains('\t') || code.contains('\t'));
    assert!(once.is_empty() || once.ends_with('\n') && !once.ends_with("\n\n"));
}

#[test]
fn pool_keeps_its_meaning_and_is_laid_out_already() {
    for example in examples() {
        check(example.code);
        assert_eq!(laid_out(example.code), example.code, "{}", example.id);
    }
}

/// White space, comments and semicolons put in at random, where the language allows them.
fn disturbed(code: &str, mut seed: u64) -> String {
    let mut next = |most: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % most
    };
    let mut out = String::new();
    for line in code.lines() {
        out.push_str(&" ".repeat(usize::try_from(next(6)).unwrap()));
        let mut quote: Option<char> = None;
        let mut before = ' ';
        let comment = line.trim_start().starts_with("//") || line.contains("/*") || line.contains("*/");
        for c in line.trim_start().chars() {
            match quote {
                Some(q) if c == q && before != '\\' => quote = None,
                None if matches!(c, '"' | '\'' | '`') => quote = Some(c),
                None if !comment && matches!(c, ',' | ')' | ']' | '+' | '*' | '%') && next(3) == 0 => {
                    out.push_str([" ", "  ", "\t", " /* k */ "][usize::try_from(next(4)).unwrap()]);
                }
                _ => {}
            }
            out.push(c);
            if quote.is_none() && !comment && matches!(c, ',' | '(' | '[' | '+' | '*') && next(3) == 0 {
                out.push_str(
                    [" ", "\t ", "/* a\nb */"][usize::try_from(next(if c == '*' { 2 } else { 3 })).unwrap()],
                );
            }
            before = c;
        }
        let plain = !comment && !line.contains("//") && !line.trim().is_empty();
        if plain && next(4) == 0 && !line.ends_with('{') {
            out.push(';');
        }
        if plain && next(4) == 0 {
            out.push_str("  // note ");
        }
        out.push_str(["\n", "\r\n", "\n\n\n", "\r"][usize::try_from(next(4)).unwrap()]);
    }
    out
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn disturbed_programs_come_back_with_their_meaning(pick in any::<prop::sample::Index>(), seed in any::<u64>()) {
        let pool = examples();
        let code = disturbed(pool[pick.index(pool.len())].code, seed);
        check(&code);
    }

    #[test]
    fn any_text_is_laid_out_or_refused(text in "[a-z(){}\\[\\],=\"'`$;/*\\n .+-]{0,80}") {
        if let Formatted::Text(once) = format(&text, &Options::default()) {
            check(&text);
            prop_assert_eq!(laid_out(&once), once);
        }
    }
}
