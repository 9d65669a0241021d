//! Conditions and counting loops of other languages, written as AVAP.

use super::library::is_foreign_constant;
use crate::words::{clip, is_name};

/// The AVAP form of a condition written as an expression: `x > 3` becomes `if(x, 3, ">")`.
pub(crate) fn rewrite_condition(condition: &str) -> String {
    let text = bare(condition);
    for (op, avap) in [
        ("===", "=="),
        ("!==", "!="),
        ("==", "=="),
        ("!=", "!="),
        ("<=", "<="),
        (">=", ">="),
        ("<", "<"),
        (">", ">"),
    ] {
        if let Some((left, right)) = text.split_once(op) {
            let (left, right) = (left.trim(), right.trim());
            let simple = |side: &str| {
                !side.is_empty() && !side.contains([' ', '&', '|', '<', '>', '=', '!', '(', ')', ','])
            };
            if simple(left) && simple(right) {
                let value =
                    |side: &str| if is_foreign_constant(side) { "None".to_owned() } else { side.to_owned() };
                let (left, right) = (value(left), value(right));
                return format!("if({left}, {right}, \"{avap}\")");
            }
        }
    }
    if text.is_empty() {
        return "if(x, 1, \"==\")".to_owned();
    }
    textual_condition(text)
}

/// A condition without the parentheses around the whole of it.
fn bare(condition: &str) -> &str {
    let mut text = condition.trim();
    while let Some(inner) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) {
        let mut open = 0_usize;
        let one = inner.bytes().all(|byte| {
            match byte {
                b'(' => open += 1,
                b')' if open == 0 => return false,
                b')' => open -= 1,
                _ => {}
            }
            true
        });
        if !one {
            break;
        }
        text = inner.trim();
    }
    text
}

/// A condition as the text of the second form of `if`.
pub(super) fn textual_condition(condition: &str) -> String {
    let text = match bare(condition) {
        "" => "x == 1",
        text => text,
    };
    let text = text.replace("&&", " and ").replace("||", " or ").replace("===", "==").replace('"', "'");
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("if(None, None, \"{}\")", clip(&text))
}

/// The opposite of a condition, as text.
pub(super) fn denied_condition(condition: &str) -> String {
    let text = bare(condition);
    match text.chars().all(|c| c.is_alphanumeric() || c == '_') {
        true if text.is_empty() => textual_condition("not x"),
        true => textual_condition(&format!("not {text}")),
        false => textual_condition(&format!("not ({text})")),
    }
}

/// The AVAP form of a counting loop of Python, JavaScript, C or Go, where it can be told.
pub(crate) fn rewrite_loop(line: &str) -> Option<String> {
    let minus_one = |text: &str| match text.parse::<i64>() {
        Ok(value) => value.saturating_sub(1).to_string(),
        Err(_) => format!("{text} - 1"),
    };
    if let Some((list, _)) = items_of(line) {
        return Some(format!("startLoop(i, 0, len({list}) - 1)"));
    }
    let rest = line.strip_prefix("for")?.trim().trim_start_matches('(');
    if let Some((name, after)) = rest.split_once(" in range(") {
        let arguments: Vec<&str> = after.split(')').next()?.split(',').map(str::trim).collect();
        let (from, to) = match arguments.as_slice() {
            [to] => ("0", *to),
            [from, to, ..] => (*from, *to),
            [] => return None,
        };
        return Some(format!("startLoop({}, {from}, {})", name.trim(), minus_one(to)));
    }
    let mut parts = rest.splitn(3, ';');
    let (start, check) = (parts.next()?, parts.next()?);
    parts.next()?;
    let (name, from) = start.split_once('=')?;
    let name = name.trim().trim_end_matches(':').split_whitespace().last()?;
    let (inclusive, to) = match (check.split_once("<="), check.split_once('<')) {
        (Some((_, to)), _) => (true, to.trim()),
        (None, Some((_, to))) => (false, to.trim()),
        (None, None) => return None,
    };
    let to = if inclusive { to.to_owned() } else { minus_one(to) };
    Some(format!("startLoop({name}, {}, {to})", from.trim()))
}

/// The list and the name of the item in a loop over a list, where both are plain names: `for x in xs`,
/// `for (const x of xs)`, `for (T x : xs)`, `foreach ($xs as $x)`, `for _, x := range xs`.
pub(super) fn items_of(line: &str) -> Option<(&str, &str)> {
    let rest = line.strip_prefix("foreach").or_else(|| line.strip_prefix("for"))?;
    let rest = rest.trim_end_matches([':', '{', ' ', ';']).trim();
    let rest = rest.strip_suffix(')').and_then(|rest| rest.strip_prefix('(')).unwrap_or(rest);
    let rest = rest.strip_prefix("each ").unwrap_or(rest).trim();
    let (left, right) = if let Some((left, right)) = rest.split_once(":= range ") {
        (left, right)
    } else if let Some((list, item)) = rest.split_once(" as ") {
        (item, list)
    } else {
        rest.split_once(" in ").or_else(|| rest.split_once(" of ")).or_else(|| rest.split_once(" : "))?
    };
    let item = left.trim().rsplit([' ', ',']).next()?.trim_start_matches('$');
    let list = right.trim().trim_start_matches(['$', '&']);
    (is_name(item) && is_name(list)).then_some((list, item))
}
