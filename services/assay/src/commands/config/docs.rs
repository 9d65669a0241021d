//! Settings as a file that says what each of them means, in the words of the code.

include!(concat!(env!("OUT_DIR"), "/meanings.rs"));

/// A dump of settings with the meaning of each above it. `below` is the prefix of their keys: empty for those of the one
/// binary, `process` for those of a process that serves one service.
#[must_use]
pub fn documented(dump: &str, below: &str) -> String {
    let mut out = String::with_capacity(4 * dump.len());
    let mut section = below.to_owned();
    for line in dump.lines() {
        let key = if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            section = join(below, name);
            Some(section.clone())
        } else {
            let name = line.split_once(" = ").map(|(name, _)| name).filter(|name| !name.starts_with(' '));
            name.map(|name| join(&section, name))
        };
        if let Some(meaning) = key.and_then(|key| meaning(&key)) {
            for said in meaning.lines() {
                out.push_str("# ");
                out.push_str(said);
                out.push('\n');
            }
        }
        out.push_str(line);
        out.push('\n');
    }
    out
}

fn join(section: &str, name: &str) -> String {
    if section.is_empty() { name.to_owned() } else { format!("{section}.{name}") }
}

/// What a setting means.
fn meaning(key: &str) -> Option<&'static str> {
    MEANINGS.iter().find(|(of, _)| *of == key).map(|(_, meaning)| *meaning)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::settings::Settings;

    #[derive(Default, serde::Serialize, serde::Deserialize)]
    struct Service {}

    #[test]
    fn every_setting_says_what_it_means() {
        let settings = assay_config::dump(&Settings::default()).unwrap();
        let process = assay_config::dump(&assay_rpc::process::Settings::<Service>::default()).unwrap();
        for (dump, below) in [(settings, ""), (process, "process")] {
            let documented = documented(&dump, below);
            let mut before = "";
            for line in documented.lines() {
                let names = line.contains(" = ") && !line.starts_with(['#', ' ']);
                assert!(!names || before.starts_with("# "), "nothing says what `{line}` means");
                before = line;
            }
            let plain: Vec<&str> = documented.lines().filter(|line| !line.starts_with("# ")).collect();
            assert_eq!(plain.join("\n"), dump.trim_end());
        }
    }
}
