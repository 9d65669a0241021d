//! Walks the strings of a JSON text with their paths and places; stops where it is no JSON.

/// A step of the path to a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    /// Key of an object.
    Key(String),
    /// Index in a list.
    Index(usize),
}

/// Levels of objects and lists that are followed.
const MAX_LEVELS: usize = 200;

/// Calls for each string value: its path, the bytes of it with its quotes, its text.
pub(super) fn strings(text: &str, mut found: impl FnMut(&[Step], usize, String)) {
    let mut path: Vec<Step> = Vec::new();
    let mut at = 0;
    let mut is_key = false;
    while let Some(byte) = text.as_bytes().get(at) {
        match byte {
            b'{' | b'[' => {
                if path.len() >= MAX_LEVELS {
                    return;
                }
                is_key = *byte == b'{';
                path.push(if is_key { Step::Key(String::new()) } else { Step::Index(0) });
                at += 1;
            }
            b'}' | b']' => {
                path.pop();
                is_key = false;
                at += 1;
            }
            b',' => {
                match path.last_mut() {
                    Some(Step::Index(index)) => *index += 1,
                    Some(Step::Key(_)) => is_key = true,
                    None => return,
                }
                at += 1;
            }
            b'"' => {
                let Some(end) = string_end(text, at) else { return };
                let value = text.get(at..end).and_then(|json| serde_json::from_str::<String>(json).ok());
                match (is_key, path.last_mut()) {
                    (true, Some(Step::Key(key))) => {
                        *key = value.unwrap_or_default();
                        is_key = false;
                    }
                    _ => found(&path, at, value.unwrap_or_default()),
                }
                at = end;
            }
            _ => at += 1,
        }
    }
}

/// Byte behind the string that begins at a byte.
fn string_end(text: &str, start: usize) -> Option<usize> {
    let mut at = start + 1;
    loop {
        at += text.get(at..)?.find(['"', '\\'])?;
        if text.as_bytes().get(at) == Some(&b'"') {
            return Some(at + 1);
        }
        at += 2;
        while at < text.len() && !text.is_char_boundary(at) {
            at += 1;
        }
    }
}
